"""What parts cost: the prices that come with the program, and those a user gives.

A user's prices stand over the shipped ones. Of those, the price of a part goes before that of
the chip on it: who prices an `RTX 3090` prices every card of it that has no price of their own.
Money stays in its currency; it is turned into another only by a rate that the user gives.
"""

from __future__ import annotations

import datetime
import json
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck import store
from buildcheck.catalog.layer import OPEN_SUFFIX, Layer
from buildcheck.errors import InputError, NameUnknownError, Problem
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.money import Money
from buildcheck.store import data_folder
from buildcheck.words.names import said

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from pydantic_core import ErrorDetails

    from buildcheck.catalog import Catalog
    from buildcheck.model.price import Price
    from buildcheck.model.rate import Rates
    from buildcheck.model.source import Document
    from buildcheck.model.source import Path as Spot
    from buildcheck.store import Groups

#: The folder of `parts_db` with the shipped prices, and the group of its heads.
FOLDER, HEADS = "prices", "heads"
#: What a price list holds.
KEY = "prices"
#: More prices than any list has.
MOST_PRICES = 5000
#: Most similar names offered, and characters of a name that are repeated.
_NEAREST, _LONGEST = 3, 60


class Listed(NamedTuple):
    """What one piece costs, and who says so. `doubt` says why it may be no fair price."""

    amount: Decimal
    currency: str
    as_of: datetime.date | None
    source: str
    name: str
    doubt: str = ""


class PriceBook:
    """The price of a part, by its id."""

    def __init__(
        self,
        catalog: Catalog,
        shipped: Layer | None,
        own: Mapping[str, Listed],
        rates: Rates | None = None,
    ) -> None:
        self._catalog, self._shipped, self._rates = catalog, shipped, rates
        self._own = {part_id: self._converted(listed) for part_id, listed in own.items()}
        self._chips = {i for i in self._own if i.startswith("gpu/")}
        #: What the shipped lists hold, by group; a kind is read whole when all of it is asked for.
        self._groups: dict[str, dict[str, Any]] = {}
        #: The name of the chip of each card, once somebody has priced a card or chip.
        self._named: dict[str, str] | None = None
        self._found: dict[str, str] = {}
        self._stems: set[str] = set()

    @property
    def digest(self) -> str:
        """`sha256:` of all prices, the shipped ones and a user's, with rates; empty without any."""
        found = [self._shipped.digest] if self._shipped else []
        if self._rates:
            found.append(f"{self._rates.all}")
        if self._own:
            import hashlib  # loads OpenSSL, and few give prices

            text = repr(sorted((i, *map(str, listed)) for i, listed in self._own.items()))
            found.append(f"sha256:{hashlib.sha256(text.encode()).hexdigest()}")
        return "+".join(found)

    @property
    def into(self) -> str:
        """The currency that prices are turned into; empty without rates."""
        return self._rates.into if self._rates else ""

    def of(self, part_id: str) -> Listed | None:
        """Price of one piece of a part; None if not known."""
        return self.own(part_id) or self._listed(part_id)

    def own(self, part_id: str) -> Listed | None:
        """What the user says that one piece of it, or of any card of its chip, costs."""
        own = self._own.get(part_id)
        if own is None and self._chips and part_id.startswith("gpu/"):
            own = self._own.get(self._chip(part_id))
        return own

    def of_chip(self, chip_id: str) -> Listed | None:
        """What a card of a chip costs: the user's price of it, else that of the cheapest card."""
        return self.of(chip_id) or self.of(self._cheapest.get(chip_id, ""))

    @cached_property
    def _cheapest(self) -> dict[str, str]:
        """The cheapest card of each chip; a doubtful price counts where there is no other."""
        if self._own or self._rates:
            return self._cheapest_cards()
        key = store.key_of(f"{self.digest} {self._catalog.digest}")
        found: dict[str, str] = store.cached("cheapest", key, self._cheapest_cards)
        return found

    def _cheapest_cards(self) -> dict[str, str]:
        """The id of the cheapest card of each chip."""
        named: dict[str, list[tuple[bool, str, Decimal, str]]] = {}
        chips = self._cards()
        for card in self.ids("gpu"):
            price = self.of(card)
            if price and card in chips:
                row = (bool(price.doubt), price.currency, price.amount, card)
                named.setdefault(chips[card], []).append(row)
        found = ((self._called(name), min(prices)[-1]) for name, prices in named.items())
        return {chip: card for chip, card in found if chip}

    def ids(self, kind: str) -> list[str]:
        """The parts of a kind that have a price, in order."""
        found = {i for i in self._own if i.partition("/")[0] == kind}
        found |= self._group(kind).keys()
        if kind == "gpu" and self._chips:
            found |= {i for i in self._cards() if self._chip(i)}
        return sorted(found)

    def bearers(self) -> set[str]:
        """Every card of the catalogue that names the chip on it, and is none itself."""
        return set(self._cards())

    def by_chip(self) -> dict[str, list[str]]:
        """The cards that have a price, by the id of their chip, in order.

        A card without a chip, or with an unknown one, is an entry of its own.
        """
        named, found = self._cards(), {"": ""}
        chips: dict[str, list[str]] = {}
        for part_id in self.ids("gpu"):
            name = named.get(part_id, "")
            if name not in found:
                found[name] = self._called(name)
            chips.setdefault(found[name] or part_id, []).append(part_id)
        return chips

    def _group(self, name: str) -> dict[str, Any]:
        if name not in self._groups:
            self._groups[name] = self._shipped.all(name) if self._shipped else {}
        return self._groups[name]

    def _row(self, group: str, name: str) -> Any:
        """What the shipped lists say of one thing; the rest of its group is not read for it."""
        if group in self._groups or not self._shipped:
            return self._groups.get(group, {}).get(name)
        return self._shipped.get(group, name)

    def _listed(self, part_id: str) -> Listed | None:
        row = self._row(part_id.partition("/")[0], part_id)
        if row is None:
            return None
        place, as_of, amount, name, doubt = row
        currency, title = self._group(HEADS)[place]
        day = datetime.date.fromisoformat(as_of)
        return self._converted(Listed(Decimal(amount), currency, day, title, name, doubt))

    def _converted(self, listed: Listed) -> Listed:
        """A price in the currency of the rates that are given, if any."""
        if not self._rates:
            return listed
        amount, currency = self._rates.money(Money(listed.amount, listed.currency))
        return listed._replace(amount=amount, currency=currency)

    def _cards(self) -> dict[str, str]:
        """The name of the chip of each card that says it."""
        if self._named is None:
            # Strongest last, that its value stands.
            layers = reversed(self._catalog.index.layers)
            self._named = {i: c for layer in layers for i, c in _named_chips(layer)}
        return self._named

    def _chip(self, part_id: str) -> str:
        """The id of the chip a card refers to, if that has a price of the user's; else empty."""
        name = self._cards().get(part_id)
        if name is None:
            return ""
        if name not in self._found:
            found = self._find(name)
            self._found[name] = found if found in self._chips else ""
        return self._found[name]

    def _find(self, name: str) -> str:
        """The id of a priced chip by its name, which only those called alike are asked for."""
        if not self._stems:
            rows = (row for i in self._chips for _, row in self._catalog.index.rows(i))
            self._stems = {said("gpu", called).stem for row in rows for called in row.names}
        return self._called(name) if said("gpu", name).stem in self._stems else ""

    def _called(self, name: str) -> str:
        """The id of the card or chip of a name; empty if there is none."""
        try:
            return self._catalog.find("gpu", name)
        except NameUnknownError:
            return ""


def _named_chips(layer: Layer) -> Iterator[tuple[str, str]]:
    """Each card of a layer that names its chip, and that name."""
    for part_id, (_, _, facts) in layer.all("gpu").items():
        rows = facts[1] if facts else ()
        yield from ((part_id, value) for name, value, *_ in rows if name == "chip")


def price_book(
    catalog: Catalog,
    files: Iterable[Path] = (),
    given: Mapping[str, Any] | None = None,
    *,
    document: Document | None = None,
    folder: Path | None = None,
    rates: Rates | None = None,
) -> PriceBook:
    """The shipped prices, those of price lists over them, and those `given` on top.

    A later file stands over one before it. `given` is what a `document` has under `prices`;
    `folder` holds other prices than those shipped; money is turned by the `rates` that somebody
    gives. Raises `InputError` with all that is wrong.
    """
    problems: list[Problem] = []
    own: dict[str, Listed] = {}
    for path in files:
        read = _read(path, problems)
        if read is not None:
            own |= _resolved(read.data[KEY], catalog, _Page(read), problems)
    if given:
        own |= _resolved(given, catalog, _Page(document), problems)
    if problems:
        raise InputError(problems)
    return PriceBook(catalog, _shipped(folder or data_folder("parts_db") / FOLDER), own, rates)


# -- the shipped prices --------------------------------------------------------


def _shipped(folder: Path) -> Layer | None:
    """The prices of a folder; None if it is not there, which is no fault."""
    if not folder.is_dir():
        return None
    return Layer("prices", folder, lambda: _groups(folder), OPEN_SUFFIX)


def _groups(folder: Path) -> Groups:
    """All prices by kind and id; of two of a part, that of the later day."""
    groups: Groups = {HEADS: {}}
    rows: list[tuple[str, list[str]]] = []
    for path in sorted(folder.glob(f"*{OPEN_SUFFIX}")):
        first, *lines = path.read_text(encoding="utf-8").splitlines()
        head = json.loads(first)
        # Currency and title of each place a list has prices from: of the one, or of several.
        for key, one in (head.get("sources") or {"": head["source"]}).items():
            groups[HEADS][f"{path.name}:{key}"] = [head["currency"], one["title"]]
        rows += [_row(head, path.name, json.loads(line)) for line in lines]
    for part_id, row in sorted(rows, key=lambda found: (found[1][1], found[1][0])):
        groups.setdefault(part_id.partition("/")[0], {})[part_id] = row
    return groups


def _row(head: Mapping[str, Any], name: str, line: list[Any]) -> tuple[str, list[str]]:
    """The part of a line, and its place, day, amount, name and doubt.

    A line says its own place and day where the list has prices from several.
    """
    part_id, amount, called, _records, *more = line
    doubt, place, as_of = (*more, "", "", "")[:3]
    return part_id, [f"{name}:{place}", as_of or head["as_of"], amount, called, doubt]


# -- a user's prices -----------------------------------------------------------


class _Page(NamedTuple):
    """Where prices are written: a document, or nothing that has lines."""

    document: Document | None

    def problem(self, spot: Spot, message: str, advice: str = "", *, key: bool = True) -> Problem:
        """A problem at a place below the prices."""
        if self.document is None:
            return Problem("prices given", 0, 0, message, advice)
        return self.document.problem((KEY, *spot), message, advice, key=key)

    def source(self, spot: Spot) -> str:
        """A place as printed with the source of a price."""
        found = self.problem(spot, "")
        return f"{found.path}:{found.line}" if found.line else found.path


def _read(path: Path, problems: list[Problem]) -> Document | None:
    """A price list; None, and what is wrong, if it is none."""
    from buildcheck.model.source import MAX_BYTES, read  # few have such lists

    try:
        if path.exists() and not path.is_file():
            problems.append(Problem(str(path), 0, 0, "this is no file", "Name a price list"))
            return None
        with path.open("rb") as file:
            document = read(file.read(MAX_BYTES + 1), str(path))
    except FileNotFoundError:
        problems.append(Problem(str(path), 0, 0, "there is no such file", "Check the path"))
        return None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        problems.append(Problem(str(path), 0, 0, f"it cannot be read: {reason}"))
        return None
    problems += document.problems
    if document.problems:
        return None
    if not isinstance(document.data, dict) or KEY not in document.data:
        advice = f"Start with '{KEY}:', and below it a line such as 'RTX 3090: 750 USD'"
        problems.append(document.problem((), f"a price list has '{KEY}'", advice))
        return None
    for key in document.data.keys() - {KEY}:
        message = f"there is no key '{key[:_LONGEST]}' here"
        problems.append(document.problem((key,), message, f"Known here: {KEY}", key=True))
    return document


def _resolved(
    prices: Any, catalog: Catalog, page: _Page, problems: list[Problem]
) -> dict[str, Listed]:
    """Prices by part; everything wrong with them is added to the problems."""
    if not isinstance(prices, dict):
        problems.append(page.problem((), f"'{KEY}' needs lines such as 'RTX 3090: 750 USD'"))
        return {}
    if len(prices) > MOST_PRICES:
        message = f"'{KEY}' has {len(prices)} entries; at most {MOST_PRICES} are read"
        problems.append(page.problem((), message, "Split the list"))
        return {}
    found: dict[str, Listed] = {}
    named: dict[str, str] = {}
    for name, written in prices.items():
        price, wrong = _price(written)
        problems += [page.problem((name, *s), what, help_, key=bool(s)) for s, what, help_ in wrong]
        part_id, said = _part(catalog, name)
        if part_id is None:
            problems.append(page.problem((name,), *said))
        elif part_id in named:
            advice = f"It is the same part as '{named[part_id][:_LONGEST]}'; keep one of them"
            message = f"'{name[:_LONGEST]}' is priced twice"
            problems.append(page.problem((name,), message, advice))
        else:
            named[part_id] = name
            if price:
                found[part_id] = _own(price, name, page.source((name,)))
    return found


def _own(price: Price, name: str, at: str) -> Listed:
    source = f"{price.vendor}, {at}" if price.vendor else at
    return Listed(price.each.amount, price.each.currency, price.date, source, name)


def _price(written: Any) -> tuple[Price | None, list[tuple[Spot, str, str]]]:
    """A price as it is written, or what is wrong with it and where."""
    from pydantic_core import ValidationError  # few give prices

    from buildcheck.model.price import Price, spelt_out

    try:
        return Price.model_validate(spelt_out(written)), []
    except ValidationError as error:
        details = error.errors(include_url=False)
        is_long = isinstance(written, dict)
        spots: list[Spot] = [tuple(d["loc"]) if is_long else () for d in details]
        return None, [(spot, *_sentence(d, spot)) for d, spot in zip(details, spots, strict=True)]


def _sentence(detail: ErrorDetails, spot: Spot) -> tuple[str, str]:
    """What is wrong with a price, and what to do, for who wrote it."""
    key = str(spot[-1])[:_LONGEST] if spot else "price"
    if detail["type"] == "extra_forbidden":
        from buildcheck.model.price import Price

        return (
            f"there is no key '{key}' here",
            f"Known here: {', '.join(sorted(Price.model_fields))}",
        )
    if detail["type"] == "missing":
        return f"'{key}' is missing here", f"Add '{key}:'"
    if detail["type"] == "value_error":
        said = str(detail["ctx"]["error"])
        is_whole = said.startswith(("needs", "cannot", "is ", "has "))
        return f"'{key}' {said if is_whole else f'cannot be read: {said}'}", ""
    return f"'{key}' cannot be read: {detail['msg'].lower()}", ""


def _part(catalog: Catalog, name: str) -> tuple[str | None, tuple[str, str]]:
    """The id of the one part of that name, of whatever kind; else what is wrong, and advice."""
    kinds = tuple(dict.fromkeys(SECTION_KIND.values()))
    if catalog.has(name) and name.partition("/")[0] in kinds:
        return name, ("", "")
    found: list[str] = []
    could: list[str] = []
    for kind in kinds:
        try:
            found.append(catalog.find(kind, name))
        except NameUnknownError as error:
            could += error.near if error.ids else ()
    if len(found) == 1 and not could:
        return found[0], ("", "")
    short = name[:_LONGEST]
    if found or could:
        choices = ", ".join(f"'{n}'" for n in (*found, *could))
        return None, (f"'{short}' could be more than one part", f"Write one of: {choices}")
    near = _nearest(name, [n for kind in kinds for n in catalog.index.near(kind, name)])
    choices = " or ".join(f"'{n}'" for n in near)
    advice = f"Did you mean {choices}?" if near else "Try 'buildcheck parts search'"
    return None, (f"no part is called '{short}'", advice)


def _nearest(name: str, near: list[str]) -> list[str]:
    """Of the near names of all kinds the nearest."""
    from difflib import SequenceMatcher  # only for names that are not there

    alike = {n: SequenceMatcher(None, n.lower(), name.lower()).ratio() for n in near}
    return sorted(alike, key=lambda n: -alike[n])[:_NEAREST]
