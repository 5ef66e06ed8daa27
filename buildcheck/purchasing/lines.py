"""The rows of a parts list: order lines with their prices, charges of quotes, accessories."""

import datetime
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

from buildcheck.checklist.items import ApplicableItem, applicable_items, load_items
from buildcheck.judge.record import price_id
from buildcheck.model.answer import amount, made_of
from buildcheck.model.finding import Report
from buildcheck.model.money import Money, sums
from buildcheck.model.order import Offer, Order, OrderLine
from buildcheck.purchasing.answer import LinePrice, Mark, PartsListLine, RowKind
from buildcheck.words.names import squashed

_T = TypeVar("_T")
#: The rule that says which prices are old.
_AGE = "record/price-old"


def list_rows(report: Report) -> tuple[PartsListLine, ...]:
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
