"""A parts list for a terminal: aligned columns, and a line below each for where it is from."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from buildcheck.bill import Line
from buildcheck.render.bill_quotes import figures
from buildcheck.render.bill_rows import price_told
from buildcheck.render.terminal import WIDTH, plain, wrapped

if TYPE_CHECKING:
    from buildcheck.bill import Accessory, Bill, Charge

_COLUMNS = ("", "Qty", "Part", "Each", "Total")
_UNPRICED = "-"


def bill_text(bill: Bill) -> str:
    """The list, its sums, what to buy as well, and the quotes."""
    lines = [f"{bill.file}: {bill.name}", f"Parts list of {bill.checked}", ""]
    entries: list[Line | Charge] = [*bill.lines, *bill.charges]
    table = [_COLUMNS, *map(_cells, entries)]
    widths = [max(len(row[n]) for row in table) for n in range(len(_COLUMNS))]
    widths[2] = min(widths[2], WIDTH - sum(widths) + widths[2] - 2 * (len(widths) - 1))
    lines += _aligned(_COLUMNS, widths)
    for line, cells in zip(entries, table[1:], strict=True):
        lines += _aligned(cells, widths)
        below = _below(line) if isinstance(line, Line) else [f"by quote {line.price.by_quote}"]
        lines += [part for words in below for part in _wrapped(words, 6)]
    told = price_told(bill)
    sums = [f"{bill.label(total)}: {total.money}{told}" for total in bill.totals]
    lines += ["", *(part for words in sums for part in _wrapped(words, 0))]
    lines += [part for note in bill.notes for part in _wrapped(note, 0)]
    for title, found in (
        ("To buy as well:", bill.to_buy),
        ("To find out before ordering:", bill.to_find_out),
    ):
        lines += ["", title] * bool(found)
        lines += [part for one in found for part in _wrapped(_bought(one), 2)]
    lines += _quotes(bill)
    return "\n".join(plain(line).rstrip() for line in lines) + "\n"


def _bought(one: Accessory) -> str:
    why = f" ({one.why})" if one.why else ""
    return f"{one.count or '?'}× {one.name}{why}"


def _cells(line: Line | Charge) -> tuple[str, ...]:
    each = (line.price and line.price.each) or _UNPRICED
    count = "" if line.count is None else str(line.count)
    return (str(line.number), count, line.name, str(each), str(line.total or _UNPRICED))


def _aligned(cells: tuple[str, ...], widths: list[int]) -> list[str]:
    """A row, its name over several lines if it is long."""
    number, count, name, each, total = cells
    parts = textwrap.wrap(plain(name), widths[2], break_on_hyphens=False) or [""]
    head = "  ".join(
        (
            number.rjust(widths[0]),
            count.rjust(widths[1]),
            parts[0].ljust(widths[2]),
            each.rjust(widths[3]),
            total.rjust(widths[4]),
        )
    )
    indent = " " * (widths[0] + widths[1] + 4)
    return [head, *(indent + part for part in parts[1:])]


def _below(line: Line) -> list[str]:
    """What there is to say of a line."""
    told = []
    if line.count is not None:
        told.append(f"part number: {line.numbers_told}")
    if line.price:
        price = line.price
        words = [f"from {price.vendor}" if price.vendor else ""]
        words += [f"order number {price.number}" if price.number else ""]
        words += [f"of {price.date}" if price.date else ""]
        words += [f"until {price.until}" if price.until else ""]
        words += [f"with {', '.join(price.includes)}" if price.includes else ""]
        words += [f"without {', '.join(price.excludes)}" if price.excludes else ""]
        words += [f"by quote {price.by_quote}" if price.quote else ""]
        told += [f"price {', '.join(filter(None, words))}"] if any(words) else []
    return told + ([f"! {line.remarks}"] if line.marks else [])


def _quotes(bill: Bill) -> list[str]:
    """Every quote, line by line, and whether their sums can be compared."""
    if bill.comparison is None:
        return []
    lines = ["", "Quotes:"]
    for number, column in enumerate(bill.comparison.columns):
        lines += ["", *_wrapped(f"{column.heading}: {figures(column)}", 2)]
        for row in bill.comparison.rows:
            cell = row.cells[number]
            cost = f"{cell.each} each, {cell.total}" if cell.each else str(cell.total or "")
            words = "; ".join(filter(None, (cost, cell.remark)))
            lines += _wrapped(f"{row.number} {row.name}: {words}", 4) if words else []
        for extra in column.extras:
            lines += _wrapped(f"+ {extra.count}× {extra.name}: {extra.total or 'no price'}", 4)
    return [*lines, "", *(p for s in bill_verdict(bill) for p in _wrapped(s, 0))]


def bill_verdict(bill: Bill) -> list[str]:
    """Which quote is lower, or why that cannot be said."""
    quotes = bill.comparison
    if quotes is None or len(quotes.columns) == 1:
        return []
    if quotes.reasons:
        return ["The sums of these quotes cannot be compared:"] + [
            f"- {r}." for r in quotes.reasons
        ]
    what = "sum with tax" if quotes.columns[0].with_tax else "sum"
    return [f"They offer the same; the lowest {what} is that of {' and '.join(quotes.lowest)}."]


def _wrapped(words: str, indent: int) -> list[str]:
    return wrapped(words, indent, 2)
