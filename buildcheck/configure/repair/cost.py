"""What a repair costs: money, watts and speed."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from buildcheck.configure.repair.answer import BeforeAfter, PatchCost, PricedPart
from buildcheck.configure.search.classes import CURRENCY
from buildcheck.model.answer import Amount

if TYPE_CHECKING:
    from collections.abc import Iterable

    from buildcheck.catalog.price_book import PriceBook
    from buildcheck.configure.repair.search import State
    from buildcheck.configure.repair.trial import Bought
    from buildcheck.model.finding import Report


def cost_of(state: State, before: Report, after: Report, book: PriceBook) -> PatchCost:
    """What the steps to a state cost, in the currency of the price book."""
    ways = [s.way for s in state.steps]
    buys = tuple(_priced(b, book) for w in ways for b in w.buys)
    leaves = tuple(_priced(b, book) for w in ways for b in _joined(w.leaves))
    currency = book.into or CURRENCY
    return PatchCost(
        buys=buys,
        no_longer_bought=leaves,
        money=_sum(buys, currency),
        saved=_sum(leaves, currency),
        power=BeforeAfter(*(_total(r, "psu", "train_load", "high") for r in (before, after))),
        speed=BeforeAfter(*(_total(r, "gpu", "estimated_speed", "low") for r in (before, after))),
    )


def _joined(parts: Iterable[Bought]) -> list[Bought]:
    """Equal parts counted together."""
    found: dict[Bought, int] = {}
    for part in parts:
        key = part._replace(pieces=0)
        found[key] = found.get(key, 0) + part.pieces
    return [part._replace(pieces=pieces) for part, pieces in found.items()]


def _priced(bought: Bought, book: PriceBook) -> PricedPart:
    listed = book.of(bought.part) if bought.part else None
    each = Amount(listed.amount, listed.currency, listed.as_of) if listed else None
    return PricedPart(bought.pieces, bought.name, bought.item, each)


def _sum(lines: tuple[PricedPart, ...], currency: str) -> Amount | None:
    """What lines cost, nothing in `currency` without any; None where that is not known."""
    currencies = {p.each.currency if p.each else "" for p in lines}
    if not lines:
        return Amount(Decimal(0), currency)
    if "" in currencies or len(currencies) > 1:
        return None
    total = sum((p.each.amount * p.count for p in lines if p.each), start=Decimal(0))
    oldest = min((p.each.as_of for p in lines if p.each and p.each.as_of), default=None)
    return Amount(total, currencies.pop(), oldest)


def _total(report: Report, kind: str, fact: str, end: str) -> float | None:
    """The sum of one end of a fact over all of a kind; None where one is not known."""
    values = [report.facts(f"{kind}.{fact}", subject) for subject in report.graph.of(kind)]
    known = [getattr(value, end) for value in values if value is not None and value.is_known]
    return sum(known) if known and len(known) == len(values) else None
