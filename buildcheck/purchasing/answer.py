"""What `parts-list` answers: order lines with prices, their sums, and the quotes compared."""

import datetime
from dataclasses import field
from typing import Literal

from buildcheck.model.answer import Amount
from buildcheck.model.frozen import Frozen

#: What a row of the list is; `machine` is the one price of a quote for everything.
RowKind = Literal["part", "not-chosen", "machine", "shipping", "extra", "accessory", "find-out"]
Mark = Literal[
    "not-exact",
    "no-price",
    "see-quotes",
    "several-prices",
    "other-number",
    "own-number",
    "in-machine-price",
    "future",
    "expired",
    "old",
    "indicative",
]


class LinePrice(Frozen):
    """The price of one piece, and where it is from."""

    #: None where the pieces have several prices, or none of their own.
    each: Amount | None = None
    vendor: str = ""
    order_number: str = ""
    date: datetime.date | None = None
    until: datetime.date | None = None
    includes: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    link: str = ""
    #: Name of the quote it is taken from; empty for a price of the build file.
    quote: str = ""
    is_chosen: bool = False


class PartsListLine(Frozen):
    """One row to order, to be charged, or to find out; all formats show these rows."""

    number: int
    kind: RowKind
    name: str
    id: str = ""
    section: str = ""
    #: Pieces; `count_max` where it is a range.
    count: int | None = None
    count_max: int | None = None
    part: str = ""
    part_numbers: tuple[str, ...] = ()
    price: LinePrice | None = None
    #: Price of all pieces.
    total: Amount | None = None
    marks: tuple[Mark, ...] = ()
    why: str = ""

    @property
    def pieces(self) -> str:
        """How many: `2` or `0–1`; empty where that is not known."""
        if self.count is None:
            return ""
        return str(self.count) if self.count_max is None else f"{self.count}–{self.count_max}"

    @property
    def is_order_line(self) -> bool:
        """Is it a part of the build, chosen or not?"""
        return self.kind in ("part", "not-chosen")

    @property
    def is_charge(self) -> bool:
        """Is it a charge of a quote that is no part?"""
        return self.kind in ("machine", "shipping", "extra")

    @property
    def is_priced(self) -> bool:
        """Has it a price, of its own or within that of the machine?"""
        return self.total is not None or "in-machine-price" in self.marks


class PartsListSum(Frozen):
    """The exact sum of all rows priced in one currency."""

    amount: Amount
    #: Order lines and charges in it.
    lines: int
    charges: int = 0
    #: Does it hold everything there is to buy?
    is_total: bool = False
    #: What prices include by their own word → order lines that say so.
    includes: dict[str, int] = field(default_factory=dict)
    #: Tax on top and the sum with it, where all prices leave out one rate of it.
    tax: Amount | None = None
    with_tax: Amount | None = None


class QuoteOffer(Frozen):
    """What a quote offers for one order line."""

    #: Number of the row.
    line: int
    #: `part`, `model` (an exact model of what the build names), or `instead`.
    fit: str
    count: int
    each: Amount | None = None
    total: Amount | None = None
    #: What is offered, where it is not the part itself.
    name: str = ""
    #: Name of the other part that its part number belongs to.
    number_of: str = ""
    is_priced: bool = True


class QuoteExtra(Frozen):
    """A line of a quote that is no part of the build."""

    name: str
    count: int
    each: Amount | None = None
    total: Amount | None = None
    #: Name of the part it is an alternative to.
    instead_of: str = ""
    #: Is it a service or charge, and no goods that the build does not list?
    is_charge: bool = True


class QuoteAnswer(Frozen):
    """One quote as a whole."""

    name: str
    vendor: str
    number: str = ""
    is_chosen: bool = False
    #: Has it one price for the whole machine?
    is_turnkey: bool = False
    date: datetime.date | None = None
    valid_until: datetime.date | None = None
    is_expired: bool = False
    currency: str = ""
    #: Everything on it, shipping too, in each currency; with tax where all state one rate.
    total: tuple[Amount, ...] = ()
    total_with_tax: tuple[Amount, ...] = ()
    #: What it states for everything, where its lines do not come to that.
    stated: Amount | None = None
    #: The lines that all quotes offer in full.
    common: Amount | None = None
    common_with_tax: Amount | None = None
    shipping: Amount | None = None
    tax: Amount | None = None
    includes: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    lead_time: str = ""
    warranty: str = ""
    payment: str = ""
    contact: str = ""
    offers: tuple[QuoteOffer, ...] = ()
    extras: tuple[QuoteExtra, ...] = ()
    #: Parts that it does not offer, or too few of.
    lacks: tuple[str, ...] = ()
    #: Order lines offered as asked, and those priced by it here.
    lines_offered: int = 0
    lines_used: int = 0

    def offer(self, line: int) -> QuoteOffer | None:
        """Its offer for a row; None without one."""
        return next((offer for offer in self.offers if offer.line == line), None)


class QuoteDifference(Frozen):
    """One reason why the sums of quotes cannot be compared."""

    #: `lacks`, `instead`, `more-pieces`, `unpriced`, `extras`, `expired`, `other-number`,
    #: `no-prices`, `not-itemised` of one quote; `currency`, `tax-rates`, and for each of tax,
    #: shipping and duty `...-mixed`, `...-unstated`, `...-on-top` of several.
    kind: str
    quotes: tuple[str, ...]
    #: Names of parts; or of what the quotes of the second group state.
    items: tuple[str, ...] = ()


class TurnkeyComparison(Frozen):
    """The one price of a quote for the whole machine against another, or that of its parts."""

    quote: str
    total: Amount
    #: Name of the other quote, or empty: the prices of the build file.
    against: str
    parts_total: Amount
    #: Order lines that it prices.
    lines: int
    #: Is the other one a price of the whole machine too?
    is_whole: bool = False
    #: By how much the machine is more expensive; None where lines, currency or tax differ.
    difference: Amount | None = None


class QuoteComparison(Frozen):
    """All quotes against all order lines."""

    quotes: tuple[QuoteAnswer, ...]
    #: Numbers of the rows that quotes are compared over, and how many all offer in full.
    lines: tuple[int, ...] = ()
    common_lines: int = 0
    differences: tuple[QuoteDifference, ...] = ()
    #: The quotes with the lowest sum, where sums can be compared.
    lowest: tuple[str, ...] = ()
    turnkey: tuple[TurnkeyComparison, ...] = ()


class PartsListAnswer(Frozen):
    """What to order for a build."""

    name: str
    file: str
    checked: datetime.date
    verdict: str
    lines: tuple[PartsListLine, ...]
    sums: tuple[PartsListSum, ...] = ()
    #: The one price of the machine that the build file states.
    stated: Amount | None = None
    #: Is every line chosen and priced, every charge priced, and nothing else to buy?
    is_complete: bool = False
    #: What the prices leave out by their own word, and whether that is so of all of them.
    excludes: tuple[str, ...] = ()
    is_excluded_by_all: bool = False
    #: Do prices differ in what they include; does any say whether tax is included?
    has_mixed_prices: bool = False
    states_tax: bool = False
    quotes: QuoteComparison | None = None
    #: Of the build file, the rulebook and the catalogue.
    digest: str = ""
    rulebook: str = ""
    catalog: str = ""
    version: str = ""
    notices: tuple[str, ...] = ()

    @property
    def order_lines(self) -> tuple[PartsListLine, ...]:
        """The parts of the build."""
        return tuple(line for line in self.lines if line.is_order_line)

    @property
    def charges(self) -> tuple[PartsListLine, ...]:
        """Charges of quotes that are no part."""
        return tuple(line for line in self.lines if line.is_charge)

    @property
    def to_buy(self) -> tuple[PartsListLine, ...]:
        """Accessories that the build needs and does not list."""
        return tuple(line for line in self.lines if line.kind == "accessory")

    def lines_marked(self, mark: str) -> tuple[int, ...]:
        """Numbers of the rows with a mark."""
        return tuple(line.number for line in self.lines if mark in line.marks)

    @property
    def priced(self) -> int:
        """Order lines that have a price."""
        return sum(line.is_priced for line in self.order_lines)

    @property
    def paid(self) -> list[LinePrice]:
        """The prices of what is paid: of the rows of an order and of a machine."""
        rows = (line for line in self.lines if line.is_order_line or line.kind == "machine")
        return [line.price for line in rows if line.total and line.price]
