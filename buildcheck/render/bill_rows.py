"""A parts list as plain rows, the same for every format that has columns.

A price of the build file, one of a quote, a part that is not chosen and an accessory that
nobody listed are rows alike; the column `kind` tells them apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from buildcheck.render.words import Words

if TYPE_CHECKING:
    import datetime

    from buildcheck.bill import Accessory, Bill, Charge, Line
    from buildcheck.model.money import Money

#: What is said of the days of prices.
BILL_WORDS = Words("bill")


class BillRow(NamedTuple):
    """One row of a parts list; the names of its fields are those of the columns."""

    kind: str
    line: int
    section: str
    quantity: int | str
    name: str
    part: str
    part_numbers: str
    unit_price: Money | None
    line_total: Money | None
    vendor: str
    order_number: str
    price_date: datetime.date | None
    price_until: datetime.date | None
    includes: str
    excludes: str
    price_from: str
    link: str
    remarks: str

    @property
    def currency(self) -> str:
        """The currency of its price."""
        money = self.unit_price or self.line_total
        return money.currency if money else ""


#: The columns of a machine-readable list, in order.
COLUMNS = (
    *("line", "kind", "section", "quantity", "name", "part", "part_numbers"),
    *("unit_price", "line_total", "currency", "vendor", "order_number"),
    *("price_date", "price_until", "includes", "excludes", "price_from", "link", "remarks"),
)


def rows(bill: Bill) -> list[BillRow]:
    """Every line, what quotes charge besides, what to buy as well, and what to find out."""
    found = [*map(_line, bill.lines), *map(_charge, bill.charges)]
    first = len(found) + 1
    return found + [_accessory(a, first + n) for n, a in enumerate(bill.accessories)]


def _line(line: Line) -> BillRow:
    price = line.price
    chosen = line.count is not None
    return BillRow(
        kind="part" if chosen else "not chosen",
        line=line.number,
        section=line.section,
        quantity=line.count if line.count is not None else "",
        name=line.name,
        part=line.part or "",
        part_numbers="; ".join(line.part_numbers),
        unit_price=price.each if price else None,
        line_total=line.total,
        vendor=price.vendor if price else "",
        order_number=price.number if price else "",
        price_date=price.date if price else None,
        price_until=price.until if price else None,
        includes=", ".join(price.includes) if price else "",
        excludes=", ".join(price.excludes) if price else "",
        price_from=(f"quote {price.by_quote}" if price.quote else "build file") if price else "",
        link=price.link if price else "",
        remarks=line.remarks,
    )


def _charge(one: Charge) -> BillRow:
    price = one.price
    return BillRow(
        kind=one.kind,
        line=one.number,
        section="",
        quantity=one.count,
        name=one.name,
        part="",
        part_numbers="",
        unit_price=price.each,
        line_total=one.total,
        vendor=price.vendor,
        order_number=price.number,
        price_date=price.date,
        price_until=price.until,
        includes=", ".join(price.includes),
        excludes=", ".join(price.excludes),
        price_from=f"quote {price.by_quote}",
        link="",
        remarks=one.remarks,
    )


def _accessory(one: Accessory, number: int) -> BillRow:
    return BillRow(
        kind="accessory" if one.is_needed else "to find out",
        line=number,
        section="",
        quantity=int(one.count) if one.count.isdigit() else one.count,
        name=one.name,
        part="",
        part_numbers="",
        unit_price=None,
        line_total=None,
        vendor="",
        order_number="",
        price_date=None,
        price_until=None,
        includes="",
        excludes="",
        price_from="",
        link="",
        remarks=one.why,
    )


def price_told(bill: Bill) -> str:
    """Of which days the prices of a sum are, and how many lines have none.

    Empty where nothing is priced.
    """
    prices = [line.price for line in bill.lines if line.total and line.price]
    if not prices:
        return ""
    days = bill.days
    undated = sum(price.date is None for price in prices)
    lacking = len(bill.lines) - len(prices)
    told = [
        BILL_WORDS("of_day", day=days[0]) if len(days) == 1 else "",
        BILL_WORDS("of_days", first=days[0], last=days[-1]) if len(days) > 1 else "",
        BILL_WORDS("undated", undated) if undated else "",
        BILL_WORDS("lacking", lacking) if lacking else "",
    ]
    return "".join(f"; {one}" for one in told if one)
