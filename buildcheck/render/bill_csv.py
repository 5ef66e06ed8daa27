"""A parts list as CSV (RFC 4180, UTF-8): one row per line, for other programs.

Amounts are plain decimals with a dot, days are ISO 8601. No text can be taken for a formula:
one that begins like one gets an apostrophe in front, which spreadsheets do not show.
"""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from buildcheck.model.money import Money
from buildcheck.render.bill_rows import COLUMNS, rows

if TYPE_CHECKING:
    from buildcheck.bill import Bill

#: How a cell begins that some spreadsheet reads as a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def bill_csv(bill: Bill) -> str:
    """The list, with a row of column names; lines end as the standard asks."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for row in rows(bill):
        writer.writerow([_cell(getattr(row, name)) for name in COLUMNS])
    return file.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, Money):
        return value.figure
    text = str(value)
    # Spaces in front do not hide a formula from every spreadsheet.
    return f"'{text}" if isinstance(value, str) and text.lstrip(" ").startswith(_FORMULA) else text
