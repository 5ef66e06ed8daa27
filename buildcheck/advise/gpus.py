"""The GPUs there are, by chip: memory, power, and what they cost."""

import math
import statistics
from collections.abc import Iterable, Mapping
from typing import Any

from buildcheck.advise.answer import GpuOffer, PriceList
from buildcheck.catalog import Catalog
from buildcheck.catalog.price_book import Listed, PriceBook
from buildcheck.logic.quantity import Interval
from buildcheck.model.answer import Amount
from buildcheck.model.frozen import Frozen
from buildcheck.model.money import Money

#: Entries of the catalogue for GPUs of which only the kind is known.
_GENERIC = "gpu/generic/"


class GpuChip(Frozen):
    """A chip with values by name, memory in GB, default power in W and offer; None: not known."""

    id: str
    name: str
    facts: Mapping[str, Any]
    memory: Interval | None
    power: Interval | None
    offer: GpuOffer | None

    def has(self, memory: Interval | None) -> bool | None:
        """Does it have this memory, in GB? None if that is not known."""
        if memory is None:
            return True
        return None if self.memory is None else memory.is_at_most(self.memory)

    def affordable(self, budget: Money | None) -> int | None:
        """How many of the cheapest a budget buys; None if that is not known."""
        price = self.offer.cheapest if self.offer else None
        if budget is None or price is None or price.currency != budget.currency:
            return None
        return whole(float(budget.amount), float(price.amount))


def whole(money: float, price: float) -> int:
    """How many a sum buys, in whole GPUs; both in one currency.

    >>> whole(1999.97, 999.99), whole(1999.98, 999.99), whole(100, 0)
    (1, 2, 0)
    """
    # A price is of cents; what a float adds to a whole number of them is less than any.
    return math.floor(money / price + 1e-9) if price > 0 else 0


def gpu_chips(catalog: Catalog, book: PriceBook) -> list[GpuChip]:
    """Every chip of the catalogue whose memory is stated, by id, with its offer."""
    priced = book.by_chip()
    bare = {i for i in catalog.ids("gpu") if not i.startswith(_GENERIC)} - {*book.cards}
    parts, found = map(catalog.part, sorted(bare | set(priced))), []
    for part in parts:
        facts = {name: one.value for name, one in part.facts.items()}
        if "memory" in facts:
            power = facts.get("reference_power") or facts.get("board_power")
            offer = _offer(book, priced.get(part.id, []))
            found.append(GpuChip(part.id, part.name, facts, facts["memory"], power, offer))
    return found


def _offer(book: PriceBook, part_ids: Iterable[str]) -> GpuOffer | None:
    """The prices of a chip's GPUs: the user's, else listed ones; doubtful ones if none other.

    Of several currencies it is the one that most prices are in.
    """
    ids = list(part_ids)
    own = [one for one in map(book.own, ids) if one]
    found = own or [one for one in map(book.of, ids) if one]
    found = [one for one in found if not one.doubt] or found
    if not found:
        return None
    currency = statistics.mode(one.currency for one in found)
    listed = [one for one in found if one.currency == currency]
    listed.sort(key=lambda one: one.amount)
    first, middle = listed[0], listed[(len(listed) - 1) // 2]
    return GpuOffer(
        _amount(first),
        _amount(middle),
        # The price of a chip is of all its GPUs, and counts once.
        len({one.name for one in listed}) if own else len(listed),
        tuple(
            PriceList(day, source)
            for day, source in sorted({(n.as_of, n.source) for n in (first, middle) if n.as_of})
        ),
        bool(own),
        first.doubt,
    )


def _amount(one: Listed) -> Amount:
    return Amount(one.amount, one.currency, one.as_of)
