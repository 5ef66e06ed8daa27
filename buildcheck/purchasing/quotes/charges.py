"""Lines of quotes that are no parts → the terms of the quote: discounts, tax, shipping, sums."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from buildcheck.model.money import Money, sums
from buildcheck.model.price import QuoteLine, less, shares_in, side_of
from buildcheck.words.keys import charge_of, phrase

if TYPE_CHECKING:
    from buildcheck.model.price import Quote

#: A line, and its number in the file; a discount off the quote has the one behind the last.
Numbered = list[tuple[int, QuoteLine]]


def settled(quote: Quote) -> tuple[Quote, tuple[int, ...], list[str]]:
    """A quote less its discounts, whose lines are goods and services alone.

    What other lines state are its terms. Also the number of each line that is left, and the terms
    that are stated twice, each time as another amount.
    """
    of: dict[str, Numbered] = {k: [] for k in ("", "discount", "tax", "shipping", "sum")}
    for number, written in enumerate(quote.lines):
        off, price = written.discount, written.price
        net = less(price, off, written.count) if price and off is not None else price
        line = written.model_copy(update={"price": net}) if net else written
        is_stated = line.instead is None and (line.price or shares_in(line.part or ""))
        of[charge_of(line.part or "") if is_stated else ""].append((number, line))
    given = {k: found[0] for k in ("tax", "shipping") if (found := sums(_totals(of[k])))}
    twice = [k for k, found in given.items() if getattr(quote, k) not in (None, found)]
    update: dict[str, Any] = {**given, **_taxed(quote, of["tax"])}
    on_top = update["tax"] = quote.tax or update.get("tax")
    goods, stated = sums(_totals(of[""])), _totals(of["sum"])[:: 1 if on_top else -1]
    if quote.total and quote.discount is not None:
        update["total"] = less(quote.total, quote.discount)
    elif quote.discount is not None:
        share = "" if isinstance(quote.discount, Money) else f" {quote.discount} %"
        line = QuoteLine.model_construct(part=f"Discount{share}", discount=quote.discount)
        of["discount"].append((len(quote.lines), line))
    elif stated and not goods and not quote.total:
        update["total"] = stated[0]
    rebates = [(n, _rebate(x, goods[0])) for n, x in of["discount"]] if goods else of["discount"]
    if goods and stated and not quote.stated:
        paid = sum((m.amount for m in _totals(rebates)), goods[0].amount)
        more = [m.amount for m in (quote.shipping or given.get("shipping"), on_top) if m]
        known = {paid, paid + sum(more), *(paid + one for one in more)}
        update["stated"] = None if any(m.amount in known for m in stated) else stated[0]
    left = sorted([*of[""], *rebates], key=lambda pair: pair[0])
    numbers, lines = tuple(n for n, _ in left), tuple(line for _, line in left)
    return quote.model_copy(update={**update, "lines": lines}), numbers, twice


def _totals(lines: Numbered) -> list[Money]:
    return [line.price.times(line.count) for _, line in lines if line.price]


def _rebate(line: QuoteLine, goods: Money) -> QuoteLine:
    """A line that takes something off, as a negative price: per cent are of all goods."""
    off = line.price or line.discount or shares_in(line.part or "")[0]
    taken = abs(off.amount) if isinstance(off, Money) else goods.amount - less(goods, off).amount
    return line.model_copy(update={"price": Money(-taken, goods.currency)})


def _taxed(quote: Quote, lines: Numbered) -> dict[str, Any]:
    """Whether tax that a line states is in the prices, unless the quote says so; else on top."""
    label = next((line.part or "" for _, line in lines), "")
    within = side_of(label) == "includes" or _is_taxed(quote.includes)
    side = "includes" if within else "excludes"
    texts = getattr(quote, side)
    found = {} if not label or _is_taxed(texts) else {side: (*texts, label)}
    return {**found, "tax": None} if within else found


def _is_taxed(texts: tuple[str, ...]) -> bool:
    return any(re.search(phrase("tax"), text) for text in texts)
