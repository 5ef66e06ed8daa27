"""What parts cost: the prices that come with the program, and those a user gives.

A user's prices stand over the shipped ones. Of those, the price of a part goes before that of
the chip on it: who prices an `RTX 3090` prices every card of it that has no price of their own.
Money stays in its currency; it is turned into another only by a rate that the user gives.
"""

import datetime
import json
from collections.abc import Mapping
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from buildcheck import store
from buildcheck.catalog import Catalog
from buildcheck.catalog.layer import OPEN_SUFFIX, Layer
from buildcheck.model.graph import by_key
from buildcheck.model.money import Money
from buildcheck.model.rate import Rates
from buildcheck.store import Groups, data_folder

#: The group of the heads of the shipped lists.
HEADS = "heads"


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

        def order(card: str) -> tuple[bool, str, Decimal, str] | tuple[()]:
            price = self.of(card)
            return (bool(price.doubt), price.currency, price.amount, card) if price else ()

        return {chip: min(cards, key=order) for chip, cards in self.by_chip().items()}

    def ids(self, kind: str) -> list[str]:
        """The parts of a kind that have a price, in order."""
        found = {i for i in self._own if i.partition("/")[0] == kind}
        found |= self._group(kind).keys()
        if kind == "gpu" and self._chips:
            found |= {i for i in self.cards if self._chip(i)}
        return sorted(found)

    def by_chip(self) -> dict[str, list[str]]:
        """The cards that have a price, by the id of their chip, in order.

        A card without a chip, or with an unknown one, is an entry of its own.
        """
        return by_key((self._called(self.cards.get(i, "")) or i, i) for i in self.ids("gpu"))

    def _group(self, name: str) -> dict[str, Any]:
        """All that the shipped lists hold of a kind."""
        return self._shipped.all(name) if self._shipped else {}

    def _listed(self, part_id: str) -> Listed | None:
        kind = part_id.partition("/")[0]
        row = self._shipped.get(kind, part_id) if self._shipped else None
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

    @cached_property
    def cards(self) -> dict[str, str]:
        """The name of the chip of each card of the catalogue that says it, and is none itself."""
        # Strongest last, that its value stands.
        layers = reversed(self._catalog.index.layers)
        known = ((card, row.plain) for layer in layers for card, row in layer.parts("gpu"))
        return {card: plain["chip"] for card, plain in known if "chip" in plain}

    def _chip(self, part_id: str) -> str:
        """The id of the chip a card refers to, if that has a price of the user's; else empty."""
        found = self._called(self.cards.get(part_id, ""))
        return found if found in self._chips else ""

    def _called(self, name: str) -> str:
        """The id of the card or chip of a name; empty if there is none."""
        return self._catalog.known("gpu", name) or ""


def shipped_prices(folder: Path | None = None) -> Layer | None:
    """The prices of a folder; None if it is not there, which is no fault."""
    folder = folder or data_folder("parts_db") / "prices"
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
