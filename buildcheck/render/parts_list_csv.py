"""A parts list as CSV (RFC 4180, UTF-8): one row per line, for other programs.

Amounts are plain decimals with a dot, days are ISO 8601. A text that a spreadsheet would read as
a formula gets an apostrophe in front, which spreadsheets do not show.
"""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Any

from buildcheck.model.answer import Amount
from buildcheck.render.templates import words

if TYPE_CHECKING:
    from buildcheck.purchasing.answer import PartsListAnswer, PartsListLine

#: Beginnings of cells that some spreadsheet reads as a formula, behind spaces too; where a
#: spreadsheet takes semicolons, tabs or bars between cells, those are such as well.
_FORMULA = re.compile(
    r"(^ *(?=[\t\r\n])|(?:^|[;\t\r\n|])[\s\"]*(?=[=+@\uff1d\uff0b\uff0d\uff20-]))"
)


def parts_list_csv(answer: PartsListAnswer) -> str:
    """The list under a row of column names; lines end as the standard asks."""
    file, rows = io.StringIO(), [flat_row(line) for line in answer.lines]
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerows([list(rows[0]), *([_cell(v) for v in row.values()] for row in rows)])
    return file.getvalue()


def flat_row(line: PartsListLine) -> dict[str, Any]:
    """A line as values by the names of their columns; None or empty where there is none."""
    price, say = line.price, words("parts-list")
    each = price.each if price else None
    money = each or line.total
    quantity = line.pieces if line.count_max else line.count
    remarks = [*(say.MARKS[mark] for mark in line.marks), line.why]
    return {
        "line": line.number,
        "kind": line.kind,
        "section": line.section,
        # A question has no quantity: nobody orders it.
        "quantity": None if line.kind == "find-out" else quantity,
        "name": line.name,
        "part": line.part,
        "part_numbers": "; ".join(line.part_numbers),
        "unit_price": each,
        "line_total": line.total,
        "currency": money.currency if money else "",
        "vendor": price.vendor if price else "",
        "order_number": price.order_number if price else "",
        "price_date": price.date if price else None,
        "price_until": price.until if price else None,
        "includes": ", ".join(price.includes) if price else "",
        "excludes": ", ".join(price.excludes) if price else "",
        "price_from": say.price_from(price) if price else "",
        "link": price.link if price else "",
        "remarks": "; ".join(filter(None, remarks)),
    }


def _cell(value: Any) -> str:
    if isinstance(value, Amount):
        return str(value.amount)
    if not isinstance(value, str):
        return "" if value is None else str(value)
    return _FORMULA.sub(r"\1'", value)
