"""What the machine costs to buy: as stated, quoted, or at list prices."""

import datetime
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path

from buildcheck.load.price_list import price_book
from buildcheck.model.answer import Amount
from buildcheck.model.finding import Report
from buildcheck.model.frozen import Frozen
from buildcheck.model.money import Money, sums
from buildcheck.model.rate import Rates
from buildcheck.purchasing.answer import PartsListAnswer


class ListPrice(Frozen):
    """Parts at a list price: what all of them cost, of which day and by whom."""

    name: str
    count: int
    amount: Amount
    source: str
    #: Why it may be no fair price.
    doubt: str = ""
    is_shipped: bool = True


class MachinePrice(Frozen):
    """The price of the machine: stated as one, or the sum of its parts.

    Without a price are parts of this name; those with a list price in another currency only are
    among them, and `other_currency` is that.
    """

    amount: Amount
    is_stated: bool = False
    is_complete: bool = False
    lines: int = 0
    listed: tuple[ListPrice, ...] = ()
    unpriced: tuple[str, ...] = ()
    other_currency: str = ""
    oldest: datetime.date | None = None
    newest: datetime.date | None = None


def machine_price(
    report: Report, parts: PartsListAnswer, rates: Rates, lists: Iterable[Path]
) -> MachinePrice | None:
    """What the machine costs, in one currency; None where that is not known.

    List prices fill in for parts without a price of their own. Raises `InputError`.
    """
    stated: Money | None = report.facts("cost.machine")
    if stated is not None:
        return MachinePrice(Amount(*stated), is_stated=True, is_complete=True)
    own = sums(rates.money(one.amount.money) for one in parts.sums)
    listed = _listed(report, parts, rates, lists)
    currency = _currency([money.currency for money in own], listed.values())
    if not currency:
        return None
    used = {n: one for n, one in listed.items() if one.amount.currency == currency}
    left = [n for n in parts.order_lines if n.count is not None and not n.is_priced]
    unpriced = tuple(line.name for line in left if line.number not in used)
    dated = (*(p.date for p in parts.paid), *(one.amount.as_of for one in used.values()))
    days = [day for day in dated if day]
    amounts = [*(money.amount for money in own), *(one.amount.amount for one in used.values())]
    is_charged = all(charge.total for charge in parts.charges)
    is_chosen = all(line.count is not None for line in parts.order_lines)
    others = {one.amount.currency for one in listed.values()} - {currency}
    return MachinePrice(
        amount=Amount(sum(amounts, Decimal(0)), currency),
        is_complete=is_charged and is_chosen and not unpriced and not parts.to_buy,
        lines=sum(line.count is not None for line in parts.order_lines),
        listed=tuple(used.values()),
        unpriced=unpriced,
        other_currency=min(others, default=""),
        oldest=min(days, default=None),
        newest=max(days, default=None),
    )


def _currency(own: list[str], listed: Iterable[ListPrice]) -> str:
    """The one currency of own prices, else of the user's lists, else of shipped ones; or empty."""
    users = [one.amount.currency for one in listed if not one.is_shipped]
    found = set(own or users or [one.amount.currency for one in listed if one.is_shipped])
    return found.pop() if len(found) == 1 else ""


def _listed(
    report: Report, parts: PartsListAnswer, rates: Rates, lists: Iterable[Path]
) -> dict[int, ListPrice]:
    """List prices of the lines without a price, by the number of the line."""
    lacking = [n for n in parts.order_lines if n.part and n.count and not n.is_priced]
    if not lacking or report.catalog is None:
        return {}
    book, found = price_book(report.catalog, lists, rates=rates), {}
    for line in lacking:
        # Of a GPU chip the price of its cheapest card.
        of = book.of_chip if line.part.startswith("gpu/") else book.of
        price = of(line.part)
        if price:
            count = line.count or 1
            amount = Amount(price.amount * count, price.currency, price.as_of)
            is_shipped = not book.own(line.part or "")
            found[line.number] = ListPrice(
                line.name, count, amount, price.source, price.doubt, is_shipped
            )
    return found
