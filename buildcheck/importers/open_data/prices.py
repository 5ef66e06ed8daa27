"""Prices seen at a shop portal (pc-part-dataset) → prices of parts of the catalogue.

A record has a name, a price and a few facts, and no part number. It is assigned to the part of its
name if all facts that both have agree, and at least one does: a wrong price is worse than none.
`words/list-prices.yaml` says what is compared, and which parts are like for their prices. Colours
of one part are one row, with the lowest price.
"""

import re
from collections.abc import Hashable
from contextlib import suppress
from decimal import Decimal
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from buildcheck.catalog import Catalog, NameUnknownError
from buildcheck.importers.open_data import rows
from buildcheck.importers.open_data.recipe import Recipe, recipes, value
from buildcheck.importers.open_data.rows import Counts, DroppedError
from buildcheck.model.graph import by_key
from buildcheck.model.part import Part
from buildcheck.model.vocabulary import vocabulary
from buildcheck.words.names import fit, part_numbers, said, squashed, words

SAID = vocabulary("list-prices")
#: What expressions can call besides the tools of recipes.
_TOOLS = {"part_numbers": part_numbers, "squeezed": rows.squeezed}

CATEGORIES = recipes(SAID)


class PricedRecord(NamedTuple):
    """A record with a price."""

    recipe: Recipe
    record: dict[str, Any]
    #: What its part is looked up by; empty if its fields cannot be read.
    name: str
    #: What its price is held against, per piece or measure; None if there is no such thing.
    like: Hashable = None
    each: float = 0.0


def offer(recipe: Recipe, record: dict[str, Any]) -> PricedRecord:
    """A record as it is looked up and what its price is held against."""
    made = PricedRecord(recipe, record, "")
    with suppress(LookupError, TypeError, ValueError):
        names = recipe.names({"field": record.get})
        made = made._replace(name=value(recipe.table["name"], names))
        like, size = (value(text, names) for text in recipe.table.get("like", ("none", "0")))
        if size:
            made = made._replace(like=(recipe.kind, like), each=record["price_usd"] / size)
    return made


class Side(NamedTuple):
    """The part a record is held against."""

    part: Part
    names: tuple[str, ...]

    def known(self, fact: str) -> str | None:
        """A fact that is a word."""
        known = self.part.value(fact)
        return None if known is None else str(known)

    def same(self, fact: str, number: Any, off: float = 0.0) -> bool | None:
        """Does a number lie in what the part has, but for `off`? None if one side is not known."""
        known = self.part.value(fact)
        if known is None or not isinstance(number, (int, float)):
            return None
        return bool(known.low - off <= number <= known.high + off)


def match(one: PricedRecord, catalog: Catalog) -> str:
    """The id of the part a record is of. Raises `DroppedError` if there is none beyond doubt."""
    kind = one.recipe.kind
    if not one.name:
        raise DroppedError("its fields cannot be read")
    try:
        near = [catalog.find(kind, one.name)]
    except NameUnknownError as error:
        if not error.ambiguous:
            raise DroppedError("no part of that name") from None
        called = partial(catalog.index.called, kind)
        near = [i for n in error.near for i in ([n] if catalog.has(n) else called(n))]
    verdicts = {i: _verdict(one, i, catalog) for i in near}
    agreed = [i for i, verdict in verdicts.items() if not verdict]
    if len(agreed) == 1:
        return agreed[0]
    raise DroppedError("could be several parts" if len(near) > 1 else verdicts[near[0]])


def _verdict(one: PricedRecord, part_id: str, catalog: Catalog) -> str:
    """Why a record is not of a part; empty if it is."""
    part = catalog.part(part_id)
    # A chip that several makers sell cards of.
    is_chip = part.kind == "gpu" and "chip" not in part.facts
    is_chip = is_chip and part.value("segment") in (None, "consumer")
    if is_chip or part_id.split("/")[1] == "generic":
        return "only its kind of part is known"
    side = Side(part, tuple(n for _, row in catalog.index.each(part_id) for n in row.names))
    if not _is_called(one, side):
        return "its part number is that of a part called otherwise"
    asked = {"field": one.record.get, "known": side.known, "same": side.same, **side._asdict()}
    names = one.recipe.names(_TOOLS | asked)
    every = ((what, value(text, names)) for what, text in one.recipe.table["compare"].items())
    compared = [(what, same) for what, same in every if same is not None]
    if not compared:
        return "nothing to confirm it by"
    return next((f"{what} differs" for what, same in compared if not same), "")


#: Words that come and go in the names of one part, and of cards and boards in particular.
_LOOSE, _OF_RESELLERS, _OF_BOARDS = (
    frozenset(SAID[words]) for words in ("loose", "of_resellers", "of_boards")
)


def _is_called(one: PricedRecord, side: Side) -> bool:
    """Is the part's name the record's name, apart from words that shops add?

    Lists sometimes give a part the number of a similar one; words that only the number's part
    has, such as the maker's name, show that.
    """
    name, kind = str(one.record["name"]), one.recipe.kind
    known = {word for own in side.names for word in words(own)}
    run = {squashed(own) for own in side.names}
    tokens = [t for t in re.split(r"[\s/]+", name) if not any(sign.isdigit() for sign in t)]
    plain = {word for token in tokens for word in words(token)} - _LOOSE
    # A card as its chip's maker builds it, in one size, that no other maker changes.
    memory = side.part.value("memory")
    is_design = kind == "gpu" and "chip" not in side.part.facts and memory and memory.is_exact
    plain -= _OF_RESELLERS if is_design else set()
    if any(word not in known and not any(word in own for own in run) for word in plain):
        return False
    asked = said(kind, one.name)
    if kind == "motherboard":
        apart = _OF_BOARDS | set(words(side.known("chipset") or ""))
        alike = (own for own in side.names if name.count("+") == own.replace("AM3+", "").count("+"))
        return any(not (asked.words ^ said(kind, own).words) - apart for own in alike)
    if kind in SAID["exact"] and not part_numbers(name):
        return any(fit(asked, said(kind, own), kind) is not None for own in side.names)
    return True


def apart(one: PricedRecord, own: str) -> int:
    """How far a name is from the part's first one, but for colours; the most if by number."""
    kind = one.recipe.kind
    asked, known = (said(kind, n)._replace(colours=frozenset()) for n in (one.name, own))
    far = fit(asked, known, kind)
    return len(asked.words | known.words) if far is None else far


#: Version of the form of the file.
FORMAT = 1


class FoundPrice(NamedTuple):
    """A record that is a part's."""

    amount: Decimal
    name: str
    doubt: str
    #: How far its name is from that of the part.
    apart: int


def import_prices(path: Path, into: Path, catalog: Catalog | None = None) -> rows.Counted:
    """Write the prices of a copy of pc-part-dataset into a folder.

    The copy is a file with a record per line: `category`, `name`, `price_usd` and the source's
    own fields. Raises `CatalogError`; then nothing is written.
    """
    catalog = catalog or Catalog()
    counted, offers = rows.Counted(Counts), []
    for number, record in rows.records(path):
        recipe = CATEGORIES.get(str(record.get("category")))
        price = rows.typed(record, "price_usd", (int, float), path, number)
        if recipe and price and rows.typed(record, "name", str, path, number):
            offers.append(offer(recipe, record))
    if not offers:
        raise rows.wrong(path, 1, "no-priced-record")
    alike = by_key((one.like, one.each) for one in offers if one.like).items()
    medians = {like: median(each) for like, each in alike if len(each) >= SAID["fewest"]}
    found: dict[str, list[FoundPrice]] = {}
    for one in offers:
        counts = counted[one.recipe.kind]
        if part_id := counts.taken(match, one, catalog):
            own = _price(one, medians, counts, apart(one, catalog.index.name(part_id)))
            found.setdefault(part_id, []).extend(own)
    listed = [_row(i, every, counted) for i, every in sorted(found.items()) if every]
    header = {
        "format": FORMAT,
        **{key: SAID[key] for key in ("as_of", "currency", "source", "licence")},
        "fields": ["id", "amount", "name", "records", "doubt"],
    }
    rows.write(into, {f"us-{SAID['as_of']}.jsonl": rows.json_lines(header, listed)})
    return counted


def _price(
    one: PricedRecord, medians: dict[Hashable, float], counts: Counts, apart: int
) -> list[FoundPrice]:
    """The price of a record, marked if it is far from its like; none if it is too far."""
    times = one.each / medians[one.like] if one.like in medians else 1.0
    far, most = max(times, 1 / times), one.recipe.table.get("far", SAID["far"])
    if far > 2 * most:
        counts.gated["price: more than twice as far from its like as marked ones"] += 1
        return []
    doubt = f"{times:.2g} times the median of its like" if far > most else ""
    amount = Decimal(str(one.record["price_usd"])).quantize(Decimal("0.01"))
    return [FoundPrice(amount, one.name, doubt, apart)]


def _row(part_id: str, every: list[FoundPrice], counted: rows.Counted) -> list[Any]:
    """The row of a part, with the best of its prices."""
    # An edition that shares the part's file has a price only where the part has none.
    nearest = min(one.apart for one in every)
    records = [one for one in every if one.apart == nearest]
    counts = counted[part_id.partition("/")[0]]
    counts.written += 1
    counts.merged += len(every) - 1
    best = min(records, key=lambda r: (bool(r.doubt), r.amount, r.name))
    if best.doubt:
        counts.gated["price: marked as far from its like"] += 1
    return [part_id, str(best.amount), best.name, len(records), *([best.doubt] * bool(best.doubt))]
