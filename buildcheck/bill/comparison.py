"""Quotes side by side, line by line, and why their sums cannot be compared where they cannot."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from buildcheck.model.money import Money, sums
from buildcheck.model.order import AS_ASKED

if TYPE_CHECKING:
    from buildcheck.model.finding import Report
    from buildcheck.model.order import Offer, Offered, Order

#: What prices can include or not, and the words people use for it.
_BASES = {
    "tax": r"vat|tax|gst|hst|mwst|must\.?|ust|umsatzsteuer|mehrwertsteuer|tva|iva|moms|btw",
    "shipping": r"shipping|freight|delivery|carriage|postage|versand|lieferung|transport",
    "duty": r"duty|duties|customs|import|zoll",
}
_WORDS = {what: re.compile(rf"\b(?:{w})\b", re.IGNORECASE) for what, w in _BASES.items()}
_RATE = re.compile(r"(?<![\d.,])(\d{1,2}(?:[.,]\d{1,2})?)\s?%")


@dataclass(frozen=True)
class Cell:
    """What a quote says to one line of the build."""

    #: `part`, `model`, `instead`, `extra`, `alternative`, or empty where it says nothing.
    fit: str = ""
    count: int = 0
    each: Money | None = None
    total: Money | None = None
    #: What is offered, where it is not plainly the part; and what is odd about it.
    name: str = ""
    remark: str = ""
    #: That a number in it is that of another part.
    doubt: str = ""


@dataclass(frozen=True)
class Row:
    """One line of the build, and a cell for each quote."""

    number: int
    name: str
    count: int | None
    cells: tuple[Cell, ...]
    #: Do all quotes offer all of it, at a price?
    is_common: bool


@dataclass(frozen=True)
class Column:
    """One quote as a whole."""

    name: str
    vendor: str
    number: str
    date: datetime.date | None
    valid_until: datetime.date | None
    is_expired: bool
    currency: str
    lead_time: str
    warranty: str
    payment: str
    contact: str
    shipping: Money | None
    includes: tuple[str, ...]
    excludes: tuple[str, ...]
    extras: tuple[Cell, ...]
    #: The sum of the lines that all quotes have in common; None without any, or in two currencies.
    common: Money | None
    #: Everything on the quote, extras and shipping too.
    whole: tuple[Money, ...]
    lacks: tuple[str, ...]
    #: The same sums with tax, reckoned; nothing where not all quotes state one rate of it.
    with_tax: tuple[Money, ...] = ()
    common_with_tax: Money | None = None
    #: Are its prices taken for what has no price of its own?
    is_chosen: bool = False

    @property
    def heading(self) -> str:
        """Its name, and whether it is chosen."""
        return f"{self.name} (chosen)" if self.is_chosen else self.name


@dataclass(frozen=True)
class Comparison:
    """All quotes against all lines of the build."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    #: Lines of the build that all quotes offer in full.
    common: int
    #: Why the sums say nothing of which quote is lower; empty if they do.
    reasons: tuple[str, ...]

    @property
    def lowest(self) -> tuple[str, ...]:
        """The quotes with the lowest sum, where the sums can be compared."""
        if self.reasons or len(self.columns) < 2:  # noqa: PLR2004 - one is not compared
            return ()
        wholes = [(c.with_tax or c.whole)[0].amount for c in self.columns]
        return tuple(
            c.name for c, whole in zip(self.columns, wholes, strict=True) if whole == min(wholes)
        )


def comparison(report: Report) -> Comparison | None:
    """The quotes of a build side by side; None if there are none."""
    order = report.order
    if not order.offers:
        return None
    today = datetime.date.fromisoformat(report.checked)
    rows = tuple(
        _row(order, number)
        for number, want in enumerate(order.wanted)
        if want.is_chosen or any(offer.of(number) for offer in order.offers)
    )
    columns = _taxed(tuple(_column(order, n, rows, today) for n in range(len(order.offers))))
    common = sum(row.is_common for row in rows)
    return Comparison(columns, rows, common, _reasons(columns, rows))


def _row(order: Order, number: int) -> Row:
    want = order.wanted[number]
    cells = tuple(_cell(order, number, offer) for offer in order.offers)
    common = want.is_chosen and all(
        c.fit == "part" and c.count == want.count and c.total is not None for c in cells
    )
    return Row(number + 1, want.name, want.count if want.is_chosen else None, cells, common)


def _cell(order: Order, number: int, offer: Offer) -> Cell:
    want, lines = order.wanted[number], offer.of(number)
    if not lines:
        return Cell(remark="not offered" if want.is_chosen else "")
    asked = [o for o in lines if o.fit in AS_ASKED]
    shown = asked or lines
    count = sum(o.line.count for o in shown)
    prices = [o.line.price for o in shown]
    one = prices[0] if len(set(prices)) == 1 else None
    every = sums([o.total for o in shown if o.total]) if None not in prices else []
    names = "; ".join(dict.fromkeys(o.name for o in shown))
    remarks = []
    if shown[0].fit == "model":
        remarks.append(f"the model {names}")
    elif shown[0].fit == "instead":
        remarks.append(f"{names} instead" if want.is_chosen else names)
    if want.is_chosen and count != want.count:
        remarks.append(f"offers {count}, {want.count} needed")
    if None in prices:
        remarks.append("without a price")
    elif one is None:
        remarks.append("at several prices")
    doubt = "; ".join(dict.fromkeys(o.doubt for o in shown if o.doubt))
    remarks += [doubt] * bool(doubt)
    total = every[0] if len(every) == 1 else None
    named = names if shown[0].fit != "part" else ""
    return Cell(shown[0].fit, count, one, total, named, "; ".join(remarks), doubt)


def _column(order: Order, number: int, rows: tuple[Row, ...], today: datetime.date) -> Column:
    offer = order.offers[number]
    quote = offer.quote
    shared = [row.cells[number].total for row in rows if row.is_common]
    common = sums([total for total in shared if total])
    whole = tuple(offer.sums)
    extras = tuple(_extra(order, o) for o in offer.lines if _is_besides(offer, o))
    return Column(
        name=offer.name,
        vendor=quote.vendor or "",
        number=quote.number or "",
        date=quote.date,
        valid_until=quote.valid_until,
        is_expired=quote.valid_until is not None and today > quote.valid_until,
        currency=quote.currency or (whole[0].currency if whole else ""),
        lead_time=quote.lead_time or "",
        warranty=quote.warranty or "",
        payment=quote.payment or "",
        contact=quote.contact or "",
        shipping=quote.shipping,
        includes=quote.includes,
        excludes=quote.excludes,
        extras=extras,
        common=common[0] if len(common) == 1 else None,
        whole=whole,
        lacks=tuple(order.wanted[n].name for n in order.lacking(offer)),
        is_chosen=order.is_chosen(offer),
    )


def _is_besides(offer: Offer, offered: Offered) -> bool:
    """Is a line charged beside what the build asks for: as an extra, or beside the part itself?"""
    if offered.fit == "extra":
        return True
    shadowed = offered.wanted is not None and offer.count(offered.wanted) > 0
    return offered.fit == "instead" and shadowed


def _extra(order: Order, offered: Offered) -> Cell:
    """An extra, or an alternative with the part it could stand in for."""
    line, name = offered.line, offered.name
    if offered.wanted is None:
        return Cell("extra", line.count, line.price, offered.total, name)
    name = f"{name} (instead of {order.wanted[offered.wanted].name})"
    return Cell("alternative", line.count, line.price, offered.total, name)


def _taxed(columns: tuple[Column, ...]) -> tuple[Column, ...]:
    """The same with sums that hold tax, where it is on top of some and all state one rate of it."""
    answers = [basis(column, "tax") for column in columns]
    rates = {frozenset(_rates(column)) for column in columns}
    if None in answers or False not in answers or len(rates) != 1 or len(min(rates)) != 1:
        return columns
    (rate,) = min(rates)
    return tuple(
        _with_tax(c, Decimal(0) if answer else rate)
        for c, answer in zip(columns, answers, strict=True)
    )


def _with_tax(column: Column, percent: Decimal) -> Column:
    common = column.common.plus(percent) if column.common else None
    whole = tuple(money.plus(percent) for money in column.whole)
    return replace(column, with_tax=whole, common_with_tax=common)


def _rates(column: Column) -> list[Decimal]:
    """The rates of tax that a quote speaks of, each once."""
    texts = [t for t in (*column.includes, *column.excludes) if _WORDS["tax"].search(t)]
    found = [rate.replace(",", ".") for text in texts for rate in _RATE.findall(text)]
    return list(dict.fromkeys(map(Decimal, found)))


def speaks_of(what: str, text: str) -> bool:
    """Are these words about tax, shipping or duty?"""
    return bool(_WORDS[what].search(text))


def basis(column: Column, what: str) -> bool | None:
    """Is tax, shipping or duty in the prices of a quote? None if it does not say."""
    word = _WORDS[what]
    answers = [
        answer
        for answer, texts in ((True, column.includes), (False, column.excludes))
        if any(word.search(text) for text in texts)
    ]
    if what == "shipping" and column.shipping is not None and not answers:
        return False
    return answers[0] if len(answers) == 1 else None


def _reasons(columns: tuple[Column, ...], rows: tuple[Row, ...]) -> tuple[str, ...]:
    """Everything that stands between the sums of two quotes or more."""
    if len(columns) == 1:
        return ()
    found = []
    currencies = dict.fromkeys(c.currency or "no currency" for c in columns)
    if len(currencies) > 1:
        found.append(f"they are in different currencies: {', '.join(currencies)}")
    found += [f"{c.name} does not price anything" for c in columns if not c.whole]
    found += [f"{c.name} lacks {_told(c.lacks)}" for c in columns if c.lacks]
    for number, column in enumerate(columns):
        cells = [(row, row.cells[number]) for row in rows]
        other = [c.name for _, c in cells if c.fit in ("instead", "model")]
        more = [r.name for r, c in cells if c.fit in AS_ASKED and r.count and c.count > r.count]
        blank = [r.name for r, c in cells if c.fit and c.total is None]
        extras = [c.name for c in column.extras]
        found += [f"{column.name}: {c.doubt}" for _, c in cells if c.doubt]
        found += [f"{column.name} offers {_told(other)}"] * bool(other)
        found += [f"{column.name} offers more pieces of {_told(more)}"] * bool(more)
        found += [f"{column.name} gives no price for {_told(blank)}"] * bool(blank)
        found += [f"{column.name} adds {_told(extras)}"] * bool(extras)
        found += [f"{column.name} has expired"] * column.is_expired
    found += _base_reasons(columns)
    return tuple(dict.fromkeys(found))


def _base_reasons(columns: tuple[Column, ...]) -> list[str]:
    """Taxes, shipping and duty: what some have in their prices and others have not."""
    found = []
    for what in _BASES:
        answers = [basis(column, what) for column in columns]
        silent = [c.name for c, answer in zip(columns, answers, strict=True) if answer is None]
        if set(answers) == {None} and what == "duty":
            continue  # within a country nobody speaks of it
        if _is_charged(columns, what):
            continue
        if {True, False} <= set(answers):
            if what == "tax" and columns[0].with_tax:
                continue  # sums with it are there
            sides = [
                [c.name for c, a in zip(columns, answers, strict=True) if a is side]
                for side in (True, False)
            ]
            found.append(f"{what} is included by {_told(sides[0])}, and not by {_told(sides[1])}")
        elif silent:
            found.append(f"{_told(silent)}: not said whether {what} is included")
        elif set(answers) == {False} and what != "tax":
            found.append(f"{what} comes on top of all, and nobody says how much")
    return found + _rate_reasons(columns)


def _rate_reasons(columns: tuple[Column, ...]) -> list[str]:
    """Different rates of tax, and whose they are."""
    found = {c.name: _rates(c) for c in columns}
    if len({frozenset(rates) for rates in found.values() if rates}) < 2:  # noqa: PLR2004 - differ
        return []
    told = [
        f"{name} {' and '.join(f'{r} %' for r in rates)}" for name, rates in found.items() if rates
    ]
    return [f"they speak of different rates of tax: {', '.join(told)}"]


def _is_charged(columns: tuple[Column, ...], what: str) -> bool:
    """Is shipping a sum of its own wherever it is not included, so that it is in the whole?"""
    return what == "shipping" and all(
        basis(c, what) is True or c.shipping is not None for c in columns
    )


def _told(names: tuple[str, ...] | list[str]) -> str:
    return ", ".join(dict.fromkeys(names))
