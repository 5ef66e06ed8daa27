"""A judged build → its parts list: rows, sums, and quotes compared.

Rows are order lines with their prices, charges of quotes, and accessories. Sums are exact and kept
per currency; the sum of some lines is never called the total.
"""

import datetime
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

from buildcheck.checklist.items import ApplicableItem, applicable_items, load_items
from buildcheck.judge.record import price_id
from buildcheck.model.answer import Amount, amount, made_of
from buildcheck.model.finding import Report
from buildcheck.model.money import Money, sums
from buildcheck.model.order import Offer, Order, OrderLine
from buildcheck.purchasing.answer import (
    LinePrice,
    Mark,
    PartsListAnswer,
    PartsListLine,
    PartsListSum,
    QuoteComparison,
    RowKind,
)
from buildcheck.purchasing.comparison import quote_comparison, states, tax_on_top
from buildcheck.report.sources import notices
from buildcheck.report.values import of_report
from buildcheck.words.names import squashed

_T = TypeVar("_T")
#: The rule that says which prices are old.
_AGE = "record/price-old"


def parts_list_answer(report: Report) -> PartsListAnswer:
    """What to order for a build."""
    lines = _list_rows(report)
    stated: Money | None = report.facts("cost.machine")
    # Without other prices the stated one is a charge, and is that of everything.
    is_complete = (
        stated is not None and not any(line.total for line in lines if line.part)
    ) or all(
        line.is_priced if line.is_order_line else line.total is not None
        for line in lines
        if line.kind != "find-out"
    )
    bases = [(p.includes, p.excludes) for line in lines if line.is_order_line and (p := line.price)]
    excluded, quotes = _excluded(lines), quote_comparison(report, lines)
    return PartsListAnswer(
        **{**of_report(report), "name": report.name},
        lines=lines,
        sums=tuple(_sums(lines, quotes, is_complete=is_complete)),
        stated=amount(stated),
        is_complete=is_complete,
        excludes=tuple(dict.fromkeys(word for words in excluded for word in words)),
        is_excluded_by_all=len(set(excluded)) == 1,
        has_mixed_prices=len({(frozenset(a), frozenset(b)) for a, b in bases}) > 1,
        states_tax=any(a or b for a, b in bases),
        quotes=quotes,
        notices=notices(f for s in report.graph.subjects.values() for f in s.facts.values()),
    )


def _excluded(lines: tuple[PartsListLine, ...]) -> list[tuple[str, ...]]:
    """What each price leaves out by its own word, but for shipping that is a row of the list."""
    shipped = {line.price.quote for line in lines if line.kind == "shipping" and line.price}
    prices = [line.price for line in lines if line.is_order_line and line.price]
    return [
        tuple(w for w in p.excludes if not (p.quote in shipped and states("shipping", w)))
        for p in prices
    ]


def _sums(
    lines: tuple[PartsListLine, ...], quotes: QuoteComparison | None, *, is_complete: bool
) -> Iterator[PartsListSum]:
    """The sum of each currency, in the order they come."""
    machines = {
        line.price.quote: line.total for line in lines if line.kind == "machine" and line.price
    }

    def paid(line: PartsListLine) -> Amount | None:
        if "in-machine-price" in line.marks and line.price:
            return machines.get(line.price.quote)
        return line.total

    found = sums(line.total.money for line in lines if line.total)
    for money in found:
        own = [x for x in lines if (total := paid(x)) and total.currency == money.currency]
        priced = [line for line in own if line.is_order_line]
        words = [word for line in priced if line.price for word in line.price.includes]
        rate = tax_on_top([line.price for line in own if line.price])
        whole = [q for q in quotes.quotes if q.total == (amount(money),)] if quotes else []
        stated = [q.total_with_tax[0].money for q in whole if q.tax and q.total_with_tax]
        named = {line.price.quote for line in own if line.price} == {q.name for q in whole}
        with_tax = money.plus(rate) if rate else money
        with_tax = stated[0] if stated and named else with_tax
        tax = with_tax._replace(amount=with_tax.amount - money.amount)
        yield PartsListSum(
            amount(money),
            lines=len(priced),
            charges=sum(line.is_charge for line in own),
            is_total=is_complete and len(found) == 1,
            includes={word: words.count(word) for word in dict.fromkeys(words)},
            tax=amount(tax) if rate else None,
            with_tax=amount(with_tax) if rate else None,
        )


def _list_rows(report: Report) -> tuple[PartsListLine, ...]:
    """Every row, numbered from 1: order lines, charges, what to buy as well, what to find out."""
    lines = [_order_line(report, number) for number in range(len(report.order.lines))]
    items = applicable_items(load_items("accessories"), report)
    accessories = sorted(map(_accessory, items), key=lambda row: row.kind != "accessory")
    charges = list(_charges(report.order, lines))
    stated: Money | None = report.facts("cost.machine")
    if stated and not any(line.price for line in lines):
        lines = [replace(x, price=LinePrice(), marks=("in-machine-price",)) for x in lines]
        charges = [_charge("machine", "complete machine", LinePrice(), stated)]
    every = [*lines, *charges, *accessories]
    return tuple(replace(row, number=number) for number, row in enumerate(every, 1))


def _order_line(report: Report, number: int) -> PartsListLine:
    order = report.order
    asked, machine = order.lines[number], order.machine_source(number)
    if not asked.is_chosen:
        whole = any(order.machine_source(n) for n in range(len(order.lines)))
        within: tuple[Mark, ...] = ("in-machine-price",) if whole else ()
        return PartsListLine(0, "not-chosen", asked.name, section=asked.section, marks=within)
    price, total, special = _priced(asked, order, number, machine)
    own = (price.order_number if price and price.quote else "") or asked.number
    marks: list[Mark] = [] if asked.is_exact or own else ["not-exact"]
    if own and asked.numbers and squashed(own) not in map(squashed, asked.numbers):
        marks.append("own-number")
    if price is None:
        offered = sum(bool(offer.of(number)) for offer in order.offers)
        marks.append("see-quotes" if offered > 1 else "no-price")
    else:
        marks += [*special, *_date_marks(report, number, price)]
    listed = {"number": 0, "kind": "part", "part_numbers": (own,) if own else asked.numbers}
    paid = {"price": price, "total": amount(total), "marks": tuple(marks)}
    return made_of(PartsListLine, asked, **listed, **paid)


def _priced(
    asked: OrderLine, order: Order, number: int, machine: Offer | None
) -> tuple[LinePrice | None, Money | None, list[Mark]]:
    """Price, total and marks of an order line: of a machine price, the build file, or a quote."""
    if machine is not None:
        return _of_quote(machine, order), None, ["in-machine-price"]
    if asked.price:
        price = made_of(LinePrice, asked.price, order_number=asked.price.number or "")
        return price, asked.price.each.times(asked.count), []
    source = order.source(number)
    if source is None:
        return None, None, []
    offer, offered = source
    totals = sums(o.total for o in offered if o.total)
    each = _only({o.line.price for o in offered})
    is_doubtful = any(o.number_of for o in offered)
    price = replace(
        _of_quote(offer, order),
        each=amount(each),
        order_number=_only({"" if o.number_of else o.line.number or "" for o in offered}) or "",
    )
    marks: dict[Mark, bool] = {"several-prices": each is None, "other-number": is_doubtful}
    return price, _only(set(totals)), [mark for mark, holds in marks.items() if holds]


def _only(values: set[_T]) -> _T | None:
    """The one value of a set; None if there are several."""
    return next(iter(values)) if len(values) == 1 else None


def _of_quote(offer: Offer, order: Order) -> LinePrice:
    """A price of a quote, without its amount."""
    own = {"quote": offer.name, "is_chosen": order.is_chosen(offer)}
    return made_of(LinePrice, offer.quote, until=offer.quote.valid_until, **own)


def _date_marks(report: Report, number: int, price: LinePrice) -> Iterator[Mark]:
    today = datetime.date.fromisoformat(report.checked)
    old = any(
        f.rule.id == _AGE and f.verdict in ("fail", "waived") and f.subject == price_id(number)
        for f in report.findings
    )
    states: dict[Mark, bool] = {
        "future": bool(price.date and today < price.date),
        "expired": bool(price.until and today > price.until),
        "old": old,
        "indicative": not price.quote and not (price.vendor and price.date),
    }
    return (mark for mark, holds in states.items() if holds)


def _charges(order: Order, lines: list[PartsListLine]) -> Iterator[PartsListLine]:
    """Machine prices, shipping and extras of the quotes that price order lines.

    An alternative to a part is no charge: one of the two is bought.
    """
    used = {line.price.quote for line in lines if line.price}
    machines = {
        line.price.quote for line in lines if line.price and "in-machine-price" in line.marks
    }
    for offer in order.offers:
        quote, price = offer.quote, _of_quote(offer, order)
        if offer.name not in used:
            continue
        if offer.name in machines:
            yield _charge("machine", "complete machine", price, quote.total)
        if quote.shipping is not None:
            yield _charge("shipping", "shipping", price, quote.shipping)
        for extra in offer.lines:
            if extra.fit == "extra" and not (offer.name in machines and extra.line.price is None):
                own = replace(price, order_number=extra.line.number or "")
                yield _charge("extra", extra.name, own, extra.line.price, extra.line.count)


def _charge(
    kind: RowKind, name: str, price: LinePrice, each: Money | None, count: int = 1
) -> PartsListLine:
    return PartsListLine(
        0,
        kind,
        name,
        count=count,
        price=replace(price, each=amount(each)),
        total=amount(each.times(count)) if each else None,
        marks=() if each else ("no-price",),
    )


def _accessory(one: ApplicableItem) -> PartsListLine:
    is_needed = one.state == "needed" and one.item.phase == "buy"
    count = count_max = None
    if one.amount is None:
        count = len(one.subjects)
    elif one.amount.is_known:
        count, high = math.floor(one.amount.low), one.amount.high
        count_max = math.ceil(high) if math.isfinite(high) and high != count else None
    return PartsListLine(
        0,
        "accessory" if is_needed else "find-out",
        one.text,
        id=one.item.id.partition("/")[2],
        count=count,
        count_max=count_max,
        why=one.why,
    )
