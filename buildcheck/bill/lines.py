"""The lines of a parts list with their prices, and the sums of them."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from buildcheck.model.money import Money, sums
from buildcheck.record import price_id

if TYPE_CHECKING:
    from buildcheck.model.finding import Report
    from buildcheck.model.order import Offer, Offered, Order, Wanted
    from buildcheck.model.price import Price

Mark = Literal[
    "not-chosen",
    "not-exact",
    "no-price",
    "see-quotes",
    "several-prices",
    "other-number",
    "future",
    "expired",
    "old",
    "indicative",
]
#: What each mark of a line says.
MARKS: dict[Mark, str] = {
    "not-chosen": "not chosen yet, and no machine is without",
    "not-exact": "not orderable as it stands: name the exact model",
    "no-price": "no price",
    "see-quotes": "no price chosen: several quotes offer it",
    "several-prices": "at several prices in the quote",
    "other-number": "the number in the quote is that of another part",
    "future": "the price is dated in the future",
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

    #: None where the pieces have several prices.
    each: Money | None
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
    #: Does the quote give it with the number of another part?
    is_doubtful: bool = False
    #: What all pieces cost where they have several prices.
    whole: Money | None = None

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
        return self.price.each.times(self.count) if self.price.each else self.price.whole

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
class Charge:
    """What a quote that prices lines charges besides: its shipping, and each of its extras."""

    number: int
    kind: Literal["shipping", "extra"]
    name: str
    count: int
    #: Its amount, if it has one, and the quote.
    price: LinePrice

    @property
    def total(self) -> Money | None:
        """What all of it costs; None without a price."""
        return self.price.each.times(self.count) if self.price.each else None

    @property
    def remarks(self) -> str:
        """What is odd about it."""
        return "" if self.price.each else MARKS["no-price"]


@dataclass(frozen=True)
class Total:
    """The sum of the lines and charges that are priced in one currency."""

    money: Money
    lines: int
    charges: int
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


def charges(report: Report, found: tuple[Line, ...]) -> tuple[Charge, ...]:
    """What the quotes that price lines charge besides, numbered on from the lines.

    An alternative to a part is none: one of the two is bought.
    """
    used = {line.price.quote for line in found if line.price}
    result: list[Charge] = []
    for offer in report.order.offers:
        if offer.name not in used:
            continue
        rest: list[tuple[Literal["shipping", "extra"], str, int, Money | None, str]] = []
        if offer.quote.shipping is not None:
            rest.append(("shipping", "shipping", 1, offer.quote.shipping, ""))
        extras = [o for o in offer.lines if o.fit == "extra"]
        rest += [("extra", o.name, o.line.count, o.line.price, o.line.number or "") for o in extras]
        for kind, name, count, each, number in rest:
            price = replace(_quoted(offer, report.order), each=each, number=number)
            place = len(found) + len(result) + 1
            result.append(Charge(place, kind, name, count, price))
    return tuple(result)


def _price(
    want: Wanted, source: tuple[Offer, list[Offered]] | None, order: Order
) -> LinePrice | None:
    """The price of the build file, or else of a quote: a chosen one, or the only one there is."""
    if want.price:
        return _stated(want.price)
    if source is None:
        return None
    offer, offered = source
    prices = {o.line.price for o in offered}
    numbers = {"" if o.doubt else o.line.number or "" for o in offered}
    whole = sums([o.total for o in offered if o.total])
    return replace(
        _quoted(offer, order),
        each=prices.pop() if len(prices) == 1 else None,
        whole=whole[0] if len(whole) == 1 else None,
        number=numbers.pop() if len(numbers) == 1 else "",
        is_doubtful=any(o.doubt for o in offered),
    )


def _quoted(offer: Offer, order: Order) -> LinePrice:
    """A price of a quote, but for its amount."""
    quote = offer.quote
    return LinePrice(
        each=None,
        vendor=quote.vendor or "",
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
        excludes=price.excludes,
    )


def _marks(
    want: Wanted, price: LinePrice | None, today: datetime.date, offered: int, *, is_old: bool
) -> tuple[Mark, ...]:
    if not want.is_chosen:
        return ("not-chosen",)
    marks: list[Mark] = [] if want.is_exact else ["not-exact"]
    if price is None:
        return (*marks, "see-quotes" if offered > 1 else "no-price")
    states: dict[Mark, bool] = {
        "several-prices": price.each is None,
        "other-number": price.is_doubtful,
        "future": bool(price.date and today < price.date),
        "expired": bool(price.until and today > price.until),
        "old": is_old,
        "indicative": not price.vendor or not price.date,
    }
    marks += [mark for mark, holds in states.items() if holds]
    return tuple(marks)


def totals(found: tuple[Line, ...], besides: tuple[Charge, ...] = ()) -> tuple[Total, ...]:
    """The sum of each currency, in the order they come."""
    result = []
    every = [line.total for line in found] + [charge.total for charge in besides]
    for money in sums([total for total in every if total]):
        same = [n for n in found if n.total and n.total.currency == money.currency]
        prices = [n.price for n in same if n.price]
        words = dict.fromkeys(word for p in prices for word in p.includes)
        told = tuple((word, sum(word in p.includes for p in prices)) for word in words)
        silent = sum(not (p.includes or p.excludes) for p in prices)
        more = sum(c.total is not None and c.total.currency == money.currency for c in besides)
        result.append(Total(money, len(same), more, told, silent))
    return tuple(result)
