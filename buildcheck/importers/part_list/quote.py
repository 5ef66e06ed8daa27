"""A part list as a quote: who offers it, on what terms, and every line with its price."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from decimal import Decimal
from functools import cache
from itertools import accumulate
from typing import Any

from buildcheck.importers.part_list.markup import printable
from buildcheck.importers.part_list.rows import Line, PartList, Row, Total
from buildcheck.importers.part_list.rows import Money as Price
from buildcheck.model.money import CODES, Money, read_money
from buildcheck.model.price import FIRST_DAY, less, shares_in
from buildcheck.model.source import scalar
from buildcheck.model.values import LONGEST
from buildcheck.model.vocabulary import vocabulary

#: Terms that a line of text states, in the order of a quote.
_TERMS = ("vendor", "number", "date", "valid_until", "lead_time", "payment")


@cache
def _said(name: str) -> re.Pattern[str]:
    data = vocabulary("part-lists")["quote"]
    return re.compile(data[name].replace("{day}", data["day"]).replace("{tax}", data["tax"]))


def _found(name: str, texts: Iterable[str]) -> str:
    """The first thing of a name that a text states; empty if none does."""
    texts = (t for t in texts if name != "vendor" or not _said("customer").match(t))
    found = (m for text in texts if (m := _said(name).search(text)))
    return next((m[m.lastindex or 0].strip() for m in found), "")


def states_term(text: str) -> bool:
    """Does a line state who offers the list, when, or on what terms?"""
    return any(_found(name, [_term_text(text)]) for name in _TERMS)


def _term_text(text: str) -> str:
    """A line of a list as one that states terms: `label: value`."""
    return _said("cells").sub(r"\1: ", printable(text.replace("**", "")).strip(" |;\t"))


def each_price(row: Row) -> Money | None:
    """The price of one piece; None where it could be that of several, or is no money."""
    if row.price is None or (row.count > 1 and row.each is None):
        return None
    amount = row.price.amount / (row.count if row.each is False else 1)
    try:
        return read_money(f"{amount:f} {row.price.currency}")
    except ValueError:
        return None


def mismatch(parts: PartList) -> tuple[Total, Money] | None:
    """The last sum that the list states, and what its lines come to, if no stated sum is that."""
    stated = parts.of("sum")
    # A price that may be of one or of all is taken as both.
    ways = [_paid(parts, each=each) for each in (True, False)] if stated else []
    sums = [paid for paid in ways if paid]
    if not sums or any(_is_sum(parts, t, paid) for t in stated for paid in sums):
        return None
    total = stated[-1].price.amount
    return stated[-1], min(sums, key=lambda paid: abs(paid.amount - total))


def _paid(parts: PartList, *, each: bool | None = None) -> Money | None:
    """What all lines come to; None unless all that have a price have it in one currency."""
    rows = (r if r.each is not None else replace(r, each=each) for r in parts.priced)
    prices = [(r, each_price(r)) for r in rows if r.price]
    codes = {each.currency for _, each in prices if each}
    if len(codes) != 1 or not all(each for _, each in prices):
        return None
    return Money(sum((e.amount * r.count for r, e in prices if e), Decimal(0)), codes.pop())


def _is_sum(parts: PartList, total: Total, paid: Money) -> bool:
    """Is a stated sum that of the lines, with any of shipping, taxes and rebates?"""
    more = [t.price.amount for t in parts.of("discount", "tax", "shipping")]
    sums = {*accumulate(more, initial=paid.amount), *(paid.amount + one for one in more)}
    return total.price.amount in sums | {paid.amount - one for one in more}


def charged(parts: PartList) -> list[Row]:
    """All rows with a price, and the rebates that their prices do not hold already."""
    off, total = parts.of("discount"), parts.total
    others = [t.price.amount for t in parts.of("tax", "shipping")]
    paid = _paid(parts) if off and total else None
    if paid and total and total.price.amount in accumulate(others, initial=paid.amount):
        return parts.priced
    rebates = [(t, t.price._replace(amount=-abs(t.price.amount))) for t in off]
    return parts.priced + [Row("", t.label, t.line, t.raw, price=price) for t, price in rebates]


def _tax(parts: PartList, texts: list[str]) -> dict[str, list[str]]:
    """What the prices include or exclude, by the sum that they come to, or else by words."""
    paid = _paid(parts) if parts.totals else None
    taxes = {t.price.amount: t.label for t in parts.of("tax")}
    stated = (text for t in parts.totals for text in (t.label, t.raw))
    rate = _found("rate", (*stated, *texts)) or "".join([*taxes.values()][:1])
    # An amount that is stated again is the same one.
    sums, shipping = parts.of("sum"), sum({t.price.amount for t in parts.of("shipping")})
    own = [t for t in sums if paid and t.price.amount in (paid.amount, paid.amount + shipping)]
    net = own[0].price.amount if own else paid.amount if paid else 0
    more = {t.price.amount - net - n for t in sums for n in (0, shipping) if rate and net}
    for name, sign in (("excludes", 1), ("includes", -1)):
        if taxes.keys() & {sign * amount for amount in more}:
            return {name: [rate]}
    raw = [t.raw for t in parts.totals if t in own or t not in sums or not paid]
    for text in (*raw, *texts):
        for name, pattern in (("excludes", "on_top"), ("includes", "within")):
            if _said(pattern).search(text):
                return {name: [rate or _found(pattern, [text])]}
    return {}


def taken_off(total: Total, parts: PartList) -> Total:
    """A discount in per cent with its amount; any other total as it is."""
    shares, paid = shares_in(total.label), _paid(parts)
    if total.kind != "discount" or total.price.amount or not (shares and paid):
        return total
    return replace(total, price=Price(less(paid, shares[0]).amount - paid.amount, paid.currency))


def quote_of(parts: PartList, origin: str) -> dict[str, Any]:
    """The list as the fields of a quote; `origin` is the vendor where none is named."""
    sums = (Line(total.line, total.raw) for total in parts.totals)
    lines = sorted((*parts.kept, *parts.notes, *sums))
    notes = {row.note for row in parts.priced}
    texts = [*map(_term_text, (*(text for _, text in lines), *(notes if len(notes) == 1 else ())))]
    found: dict[str, Any] = {n: text for n in _TERMS if (text := _found(n, texts))}
    shops = ", ".join(dict.fromkeys(printable(row.shop) for row in parts.priced if row.shop))
    found["vendor"] = found.get("vendor") or shops or origin
    found.setdefault("date", parts.date[:10])
    if "day" in found.get("valid_until", "") and not found["date"]:
        del found["valid_until"]
    tax = _tax(parts, texts)
    shipping = parts.of("shipping")
    if not shipping and any(_said("shipped").search(text) for text in texts):
        tax["includes"] = [*tax.get("includes", ()), "shipping"]
    found |= tax
    taxes = parts.of("tax") if "excludes" in tax else []
    for name, stated in (("shipping", shipping), ("tax", taxes)):
        if stated and stated[0].price.currency in CODES:
            amount = sum({t.price.amount for t in stated}, Decimal(0))
            found[name] = str(stated[0].price._replace(amount=amount))
    found["warranty"] = printable(next((r.name for r in parts.priced if _is_warranty(r)), ""))
    total = parts.total
    if total and total.price.currency in CODES and not any(r.price for r in parts.priced):
        found["total"] = str(total.price._replace(about=False))
    if (against := mismatch(parts)) and against[0].price.currency in CODES:
        found["stated"] = str(against[0].price._replace(about=False))
    return {name: value for name, value in found.items() if value}


def is_quote(quote: dict[str, Any], parts: PartList, extras: Iterable[Row]) -> bool:
    """Does a list charge for more than its parts, or state taxes?"""
    states = quote.keys() & {"shipping", "includes", "excludes"}
    more = (*extras, *charged(parts)[len(parts.priced) :])
    return bool(states) or any(r.price and r.price.amount for r in more)


def _text(text: str) -> str:
    return scalar(printable(text)[:LONGEST], quoted=True)


def _is_warranty(row: Row) -> bool:
    return row.price is None and bool(_said("warranty").fullmatch(row.section))


def quote_lines(quote: dict[str, Any], rows: Iterable[Row]) -> Iterator[str]:
    """A quote as lines of YAML."""
    for name, value in quote.items():
        shown = ", ".join(_text(text) for text in (value if isinstance(value, list) else [value]))
        yield f"{name}: [{shown}]" if isinstance(value, list) else f"{name}: {shown}"
    yield "lines:"
    for row in (r for r in rows if printable(r.name) and not _is_warranty(r)):
        stated = {
            "part": _text(row.name),
            "number": row.number and _text(row.number),
            "count": row.count if row.count > 1 else "",
            "price": "" if row.owned else each_price(row),
            "lead_time": row.lead_time and _text(row.lead_time),
            "note": _text(row.shop) if row.shop and row.shop != quote["vendor"] else "",
        }
        yield f"  - {{{', '.join(f'{name}: {value}' for name, value in stated.items() if value)}}}"


def quote_text(parts: PartList, origin: str) -> str:
    """The list as the file of a quote."""
    return "\n".join(quote_lines(quote_of(parts, origin), charged(parts))) + "\n"


def stated_price(row: Row, date: str) -> str:
    """The price of one piece as a build file has it; empty where it could be that of several."""
    each = each_price(row)
    if each is None or each.amount < 0 or row.owned:
        return ""
    shop = printable(row.shop)
    said = [f"each: {each}"]
    said += [f"vendor: {scalar(shop, quoted=True)}"] if 0 < len(shop) <= LONGEST else []
    said += [f"date: {date}"] if date and FIRST_DAY.isoformat() <= date else []
    return f"{{{', '.join(said)}}}" if len(said) > 1 else str(each)
