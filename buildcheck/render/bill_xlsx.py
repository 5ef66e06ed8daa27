"""A parts list as a spreadsheet that purchasing can reckon on with.

Numbers are numbers, days are days, sums are formulas with their values beside; every text is
written as text, whatever it begins with. The same list gives the same bytes.
"""

from __future__ import annotations

import datetime
import io
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import xlsxwriter  # type: ignore[import-untyped]
from xlsxwriter.utility import xl_col_to_name  # type: ignore[import-untyped]

from buildcheck.model.money import Money, decimals
from buildcheck.render.bill_quotes import stated, terms
from buildcheck.render.bill_rows import rows
from buildcheck.render.bill_text import bill_verdict
from buildcheck.render.terminal import plain

if TYPE_CHECKING:
    from buildcheck.bill import Bill, Comparison
    from buildcheck.render.bill_rows import BillRow

#: Field, heading and width in characters of each column.
_COLUMNS = (
    ("line", "No.", 5),
    ("kind", "Kind", 11),
    ("section", "Section", 13),
    ("quantity", "Quantity", 9),
    ("name", "Part", 46),
    ("part_numbers", "Part numbers", 24),
    ("unit_price", "Each", 14),
    ("line_total", "Line total", 14),
    ("currency", "Currency", 9),
    ("vendor", "Vendor", 18),
    ("order_number", "Order number", 16),
    ("price_date", "Price of", 11),
    ("price_until", "Held until", 11),
    ("includes", "Includes", 20),
    ("excludes", "Excludes", 20),
    ("price_from", "Price from", 20),
    ("remarks", "Remarks", 46),
)
_AT = {name: number for number, (name, _, _) in enumerate(_COLUMNS)}
#: Rows above the table: its title, what it is of, and the column names.
_HEAD = 3
_NAME_WIDTH, _QUOTE_WIDTH = 46, 30
#: A4; readers elsewhere scale it to their paper.
_PAPER = 9


def bill_xlsx(bill: Bill) -> bytes:
    """The workbook: the list with its sums and, if there are quotes, a sheet of them."""
    file = io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    book = xlsxwriter.Workbook(file, options)
    day = datetime.datetime.combine(datetime.date.fromisoformat(bill.checked), datetime.time())
    book.set_properties({"title": plain(f"Parts list: {bill.name}"), "created": day})
    sheets = _Book(book)
    _list(sheets, bill)
    if bill.comparison:
        _quotes(sheets, bill, bill.comparison)
    book.close()
    return file.getvalue()


@dataclass
class _Book:
    """A workbook and the formats of its cells, each made once."""

    book: Any
    made: dict[tuple[Any, ...], Any] = field(default_factory=dict)

    def format(self, **how: Any) -> Any:
        """A format; text wraps and stands at the top."""
        key = tuple(sorted(how.items()))
        if key not in self.made:
            self.made[key] = self.book.add_format({"valign": "top", "text_wrap": True, **how})
        return self.made[key]

    def money(self, currency: str, **how: Any) -> Any:
        """A format for amounts, with the cents and the code of the currency."""
        cents = decimals(currency)
        digits = f"#,##0.{'0' * cents}" if cents else "#,##0"
        return self.format(num_format=f'{digits} "{currency}"', **how)

    def sheet(self, name: str) -> Any:
        """A sheet that prints across, on pages one wide."""
        sheet = self.book.add_worksheet(name)
        sheet.set_landscape()
        sheet.set_paper(_PAPER)
        sheet.fit_to_pages(1, 0)
        sheet.set_footer("&L&A&RPage &P of &N")
        return sheet


def _list(sheets: _Book, bill: Bill) -> None:
    sheet = sheets.sheet("Parts list")
    _titles(sheets, sheet, f"Parts list: {bill.name}", f"Of {bill.checked}, from {bill.file}")
    for number, (_, title, width) in enumerate(_COLUMNS):
        sheet.set_column(number, number, width)
        sheet.write_string(_HEAD - 1, number, title, sheets.format(bold=True, bottom=1))
    found = rows(bill)
    for place, row in enumerate(found, _HEAD):
        _row(sheets, sheet, place, row)
    last = _HEAD + len(found)
    sheet.freeze_panes(_HEAD, _AT["name"] + 1)
    sheet.repeat_rows(_HEAD - 1)
    sheet.autofilter(_HEAD - 1, 0, last - 1, len(_COLUMNS) - 1)
    place = last + 1
    for total in bill.totals:
        code, bold = total.money.currency, sheets.format(bold=True)
        span = [
            f"${xl_col_to_name(_AT[n])}${_HEAD + 1}:${xl_col_to_name(_AT[n])}${last}"
            for n in ("line_total", "currency")
        ]
        formula = f'=SUMIFS({span[0]},{span[1]},"{code}")'
        sheet.write_string(place, _AT["name"], bill.label(total), bold)
        how = sheets.money(code, bold=True, top=1)
        sheet.write_formula(place, _AT["line_total"], formula, how, float(total.money.amount))
        sheet.write_string(place, _AT["currency"], code, bold)
        place += 1
    for note in bill.notes:
        place += 1
        sheet.write_string(place, _AT["name"], note, sheets.format())
    sheet.print_area(0, 0, place, len(_COLUMNS) - 1)


def _titles(sheets: _Book, sheet: Any, title: str, below: str) -> None:
    sheet.write_string(0, 0, plain(title), sheets.book.add_format({"bold": True, "font_size": 14}))
    sheet.write_string(1, 0, plain(below), sheets.book.add_format({"italic": True}))


def _row(sheets: _Book, sheet: Any, place: int, row: BillRow) -> None:
    for number, (name, _, _) in enumerate(_COLUMNS):
        value = getattr(row, name)
        if name == "line_total" and isinstance(value, Money) and row.unit_price:
            each, count = (
                f"{xl_col_to_name(_AT[n])}{place + 1}" for n in ("unit_price", "quantity")
            )
            how = sheets.money(value.currency)
            sheet.write_formula(place, number, f"={each}*{count}", how, float(value.amount))
        else:
            _write(sheets, sheet, place, number, value)


def _write(sheets: _Book, sheet: Any, row: int, column: int, value: Any) -> None:
    """A cell by the type of its value; nothing is guessed from how a text looks."""
    if isinstance(value, Money):
        sheet.write_number(row, column, float(value.amount), sheets.money(value.currency))
    elif isinstance(value, datetime.date):
        sheet.write_datetime(row, column, value, sheets.format(num_format="yyyy-mm-dd"))
    elif isinstance(value, int):
        sheet.write_number(row, column, value, sheets.format())
    elif value:
        sheet.write_string(row, column, plain(str(value)), sheets.format())


def _quotes(sheets: _Book, bill: Bill, quotes: Comparison) -> None:
    """A row for each line of the build; for each quote its price, sum and what is odd."""
    sheet = sheets.sheet("Quotes")
    _titles(sheets, sheet, f"Quotes for {bill.name}", f"Of {bill.checked}")
    head = sheets.format(bold=True, bottom=1)
    sheet.set_column(0, 0, 5)
    sheet.set_column(1, 1, _NAME_WIDTH)
    sheet.write_string(_HEAD - 1, 1, "Part", head)
    place = _HEAD
    for number, column in enumerate(quotes.columns):
        first = 2 + 3 * number
        sheet.set_column(first, first + 1, 14)
        sheet.set_column(first + 2, first + 2, _QUOTE_WIDTH)
        for offset, word in enumerate(("each", "total", "remarks")):
            sheet.write_string(_HEAD - 1, first + offset, plain(f"{column.heading}: {word}"), head)
    for row in quotes.rows:
        _write(sheets, sheet, place, 0, row.number)
        _write(sheets, sheet, place, 1, row.name)
        for number, cell in enumerate(row.cells):
            _three(sheets, sheet, place, number, (cell.each, cell.total, cell.remark))
        place += 1
    place = _below(sheets, sheet, place, quotes)
    for line in bill_verdict(bill):
        place += 1
        sheet.write_string(place, 1, plain(line), sheets.format())
    sheet.freeze_panes(_HEAD, 2)
    sheet.repeat_rows(_HEAD - 1)


def _three(sheets: _Book, sheet: Any, place: int, number: int, values: tuple[Any, ...]) -> None:
    """The cells of a quote in a row: each, total and remarks."""
    for offset, value in enumerate(values):
        _write(sheets, sheet, place, 2 + 3 * number + offset, value)


def _below(sheets: _Book, sheet: Any, place: int, quotes: Comparison) -> int:
    """The terms of the quotes, and what they offer in addition; the row after them."""
    told = [dict(terms(column)) for column in quotes.columns]
    for name in stated(quotes.columns):
        _write(sheets, sheet, place, 1, name)
        for number, one in enumerate(told):
            _three(sheets, sheet, place, number, (None, None, one.get(name, "")))
        place += 1
    for number, column in enumerate(quotes.columns):
        for offset, extra in enumerate(column.extras):
            _write(sheets, sheet, place + offset, 1, "in addition")
            _three(sheets, sheet, place + offset, number, (extra.each, extra.total, extra.name))
    return place + max(len(column.extras) for column in quotes.columns)
