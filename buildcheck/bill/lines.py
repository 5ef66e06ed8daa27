"""The lines of a parts list with their prices, and the sums of them."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from buildcheck.model.money import Money, sums
from buildcheck.record import price_id

if TYPE_CHECKING:
    from buildcheck.model.finding import Report
    from buildcheck.model.order import Offer, Offered, Order, Wanted
    from buildcheck.model.price import Price

Mark = Literal["not-chosen", "not-exact", "no-price", "see-quotes", "expired", "old", "indicative"]
#: What each mark of a line says.
MARKS: dict[Mark, str] = {
    "not-chosen": "not chosen yet, and no machine is without",
    "not-exact": "not orderable as it stands: name the exact model",
    "no-price": "no price",
    "see-quotes": "no price chosen: several quotes offer it",
    "expired": "the price no longer holds",
    "old": "the price is old",
    "indicative": "indicative price: without vendor or date",
}
#: The rule that says which prices are old.
_AGE = "record/price-old"
#: Makers sell one part by several numbers: by country, colour, or in bulk.
MOST_NUMBERS = 4


@dataclass(frozen=True)
class LinePrice:
    """What one piece costs, and where that is from."""

    each: Money
    vendor: str = ""
    number: str = ""
    date: datetime.date | None = None
    until: datetime.date | None = None
    includes: tuple[str, ...] = ()
    link: str = ""
    #: Name of the quote it is taken from; empty for a price of the build file.
    quote: str = ""
    #: Is that quote a chosen one?
    is_chosen: bool = False
    #: What comes on top by the quote's own word.
    excludes: tuple[str, ...] = ()

    @property
    def by_quote(self) -> str:
        """The quote it is taken from, and whether that is a chosen one."""
        return f"{self.quote}, chosen" if self.is_chosen else self.quote


@dataclass(frozen=True)
class Line:
    """One line to order."""

    number: int
    section: str
    name: str
    #: None where nothing is chosen.
    count: int | None
    part: str | None
    part_numbers: tuple[str, ...]
    price: LinePrice | None
    marks: tuple[Mark, ...]

    @property
    def total(self) -> Money | None:
        """What all pieces cost; None without a price."""
        if self.price is None or self.count is None:
            return None
        return self.price.each.times(self.count)

    @property
    def numbers_told(self) -> str:
        """The part numbers in words."""
        shown = ", ".join(self.part_numbers[:MOST_NUMBERS])
        if len(self.part_numbers) > 1:
            more = len(self.part_numbers) - MOST_NUMBERS
            tail = f" and {more} more" if more > 0 else ""
            return f"one of {shown}{tail}: ask which"
        return shown or ("" if self.count is None else "none known")

    @property
    def said(self) -> tuple[str, ...]:
        """Its marks in words."""
        return tuple(MARKS[mark] for mark in self.marks)

    @property
    def remarks(self) -> str:
        """The same in one line."""
        return "; ".join(self.said)


@dataclass(frozen=True)
class Total:
    """The sum of the lines that are priced in one currency."""

    money: Money
    lines: int
    #: What the prices include by their own word, and how many lines say so.
    includes: tuple[tuple[str, int], ...]
    #: Lines that do not say what their price includes.
    silent: int


def lines(report: Report) -> tuple[Line, ...]:
    """Every line of the order, numbered from 1."""
    order = report.order
    old = {
        f.subject for f in report.findings if f.rule.id == _AGE and f.verdict in ("fail", "waived")
    }
    today = datetime.date.fromisoformat(report.checked)
    found = []
    for number, want in enumerate(order.wanted):
        price = _price(want, order.source(number), order)
        offered = sum(not offer.is_silent(number) for offer in order.offers)
        marks = _marks(want, price, today, offered, is_old=price_id(number) in old)
        count = want.count if want.is_chosen else None
        found.append(
            Line(number + 1, want.section, want.name, count, want.part, want.numbers, price, marks)
        )
    return tuple(found)


def _price(want: Wanted, source: tuple[Offer, Offered] | None, order: Order) -> LinePrice | None:
    """The price of the build file, or else of a quote: a chosen one, or the only one there is."""
    if want.price:
        return _stated(want.price)
    if source is None or source[1].line.price is None:
        return None
    (offer, offered), quote = source, source[0].quote
    return LinePrice(
        each=source[1].line.price,
        vendor=quote.vendor or "",
        number=offered.line.number or "",
        date=quote.date,
        until=quote.valid_until,
        includes=quote.includes,
        quote=offer.name,
        is_chosen=order.is_chosen(offer),
        excludes=quote.excludes,
    )


def _stated(price: Price) -> LinePrice:
    return LinePrice(
        price.each,
        price.vendor or "",
        price.number or "",
        price.date,
        price.until,
        price.includes,
        price.link or "",
    )


def _marks(
    want: Wanted, price: LinePrice | None, today: datetime.date, offered: int, *, is_old: bool
) -> tuple[Mark, ...]:
    if not want.is_chosen:
        return ("not-chosen",)
    marks: list[Mark] = [] if want.is_exact else ["not-exact"]
    if price is None:
        return (*marks, "see-quotes" if offered > 1 else "no-price")
    if price.until and today > price.until:
        marks.append("expired")
    if is_old:
        marks.append("old")
    if not price.vendor or not price.date:
        marks.append("indicative")
    return tuple(marks)


def totals(found: tuple[Line, ...]) -> tuple[Total, ...]:
    """The sum of each currency, in the order they come."""
    result = []
    for money in sums([line.total for line in found if line.total]):
        same = [n for n in found if n.total and n.total.currency == money.currency]
        prices = [n.price for n in same if n.price]
        words = dict.fromkeys(word for p in prices for word in p.includes)
        told = tuple((word, sum(word in p.includes for p in prices)) for word in words)
        silent = sum(not (p.includes or p.excludes) for p in prices)
        result.append(Total(money, len(same), told, silent))
    return tuple(result)
