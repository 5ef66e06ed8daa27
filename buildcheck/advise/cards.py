"""The cards there are, by chip: memory, what they draw, and what they cost."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.model.money import Money
from buildcheck.model.quantity import Interval

if TYPE_CHECKING:
    import datetime
    from decimal import Decimal

    from buildcheck.catalog import Catalog
    from buildcheck.model.part import Part
    from buildcheck.price_book import Listed, PriceBook

#: Entries of the catalogue that stand for cards nobody knows.
_NO_CHIPS = "gpu/generic/"


class Offer(NamedTuple):
    """What the cards of a chip cost: the cheapest, the middle of the list, and how many there are.

    `own` says that the asker gave the price; `as_of` is the day of a list that says the cheapest,
    and `lists` are day and source of what says it and the middle, the oldest first.
    """

    cheapest: Money
    middle: Money
    records: int
    as_of: datetime.date | None
    source: str
    own: bool
    lists: tuple[tuple[datetime.date, str], ...]
    #: Why the cheapest may be no fair price; empty if nothing is said against it.
    doubt: str = ""

    @property
    def span(self) -> Interval:
        """From the cheapest to the middle of the list."""
        return Interval(float(self.cheapest.amount), float(self.middle.amount))


@dataclass(frozen=True)
class Card:
    """A chip with the cards that bear it; None is not known."""

    part: Part
    offer: Offer | None

    @property
    def name(self) -> str:
        """What it is called."""
        return self.part.name

    def fact(self, name: str) -> Any:
        """A value of the chip."""
        found = self.part.facts.get(name)
        return None if found is None else found.value

    @property
    def memory(self) -> Interval | None:
        """In GB."""
        found: Interval | None = self.fact("memory")
        return found

    @property
    def power(self) -> Interval | None:
        """What one draws as its maker sets it, in W."""
        found: Interval | None = self.fact("reference_power") or self.fact("board_power")
        return found


def cards(catalog: Catalog, book: PriceBook) -> list[Card]:
    """Every chip of the catalogue by id, with what its cards cost where anybody says."""
    priced = book.by_chip()
    bare = {i for i in catalog.ids("gpu") if not i.startswith(_NO_CHIPS)} - book.bearers()
    found = []
    for part_id in sorted(bare | set(priced)):
        part = catalog.part(part_id)
        if "memory" in part.facts:
            found.append(Card(part, _offer(book, priced.get(part_id, []))))
    return found


def _offer(book: PriceBook, part_ids: list[str]) -> Offer | None:
    """The prices of the cards of a chip; those of doubt only where there are no others.

    Those of the asker go before those of the list, and the currency of most before the others.
    """
    own = [one for one in map(book.own, part_ids) if one]
    found = own or [one for one in map(book.of, part_ids) if one]
    found = [one for one in found if not one.doubt] or found
    currency = statistics.mode(one.currency for one in found) if found else ""
    listed = sorted((one for one in found if one.currency == currency), key=_amount)
    if not listed:
        return None
    middle = listed[(len(listed) - 1) // 2]
    return Offer(
        Money(listed[0].amount, currency),
        Money(middle.amount, currency),
        # A price of a chip stands for all cards of it, and is one.
        len({one.name for one in listed}) if own else len(listed),
        listed[0].as_of,
        listed[0].source,
        bool(own),
        tuple(sorted({(one.as_of, one.source) for one in (listed[0], middle) if one.as_of})),
        listed[0].doubt,
    )


def _amount(listed: Listed) -> Decimal:
    return listed.amount
