"""A parts list as a spreadsheet for purchasing.

Numbers are numbers, days are days, sums are formulas stored with their values; every text is
written as text, whatever it begins with. The same list gives the same bytes.
"""

from __future__ import annotations

import datetime
import io
from typing import TYPE_CHECKING, Any, NamedTuple

import xlsxwriter  # type: ignore[import-untyped]
from xlsxwriter.utility import xl_col_to_name  # type: ignore[import-untyped]

from buildcheck.model.answer import Amount
from buildcheck.model.labels import plain
from buildcheck.model.money import decimals
from buildcheck.render.parts_list_csv import flat_row
from buildcheck.render.templates import words

if TYPE_CHECKING:
    from buildcheck.purchasing.answer import PartsListAnswer, QuoteAnswer, QuoteComparison

#: Rows above the table: its title, what it is of, and the column names.
_HEAD = 3
#: A4; readers elsewhere scale it to their paper.
_PAPER = 9


def parts_list_xlsx(answer: PartsListAnswer) -> bytes:
    """The workbook: the list with its sums and, if there are quotes, a sheet of them."""
    file = io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    workbook = xlsxwriter.Workbook(file, options)
    day = datetime.datetime.combine(answer.checked, datetime.time())
    workbook.set_properties({"title": plain(f"Parts list: {answer.name}"), "created": day})
    book = _Book(workbook)
    _write_list(book, answer)
    if answer.quotes:
        _write_quotes(book, answer, answer.quotes)
    workbook.close()
    return file.getvalue()


class _Book(NamedTuple):
    """A workbook and how its cells look."""

    workbook: Any

    def format(self, **how: Any) -> Any:
        """A format; text wraps and begins at the top. The workbook keeps equal ones once."""
        return self.workbook.add_format({"valign": "top", "text_wrap": True, **how})

    def money(self, currency: str, **how: Any) -> Any:
        """A format for amounts, with the decimals and the code of the currency."""
        cents = decimals(currency)
        digits = f"#,##0.{'0' * cents}" if cents else "#,##0"
        return self.format(num_format=f'{digits} "{currency}"', **how)

    def sheet(self, name: str, title: str, below: str, columns: list[tuple[str, int]]) -> Any:
        """A sheet with its title and column names that prints across, on pages one wide."""
        sheet = self.workbook.add_worksheet(name)
        sheet.set_landscape()
        sheet.set_paper(_PAPER)
        sheet.fit_to_pages(1, 0)
        sheet.set_footer("&L&A&RPage &P of &N")
        heading, small = ({"bold": True, "font_size": 14}, {"italic": True})
        sheet.write_string(0, 0, plain(title), self.workbook.add_format(heading))
        sheet.write_string(1, 0, plain(below), self.workbook.add_format(small))
        for number, (word, width) in enumerate(columns):
            sheet.set_column(number, number, width)
            sheet.write_string(_HEAD - 1, number, plain(word), self.format(bold=True, bottom=1))
        sheet.repeat_rows(_HEAD - 1)
        return sheet

    def write(self, sheet: Any, row: int, column: int, value: Any) -> None:
        """A cell by the type of its value; nothing is guessed from how a text looks."""
        if isinstance(value, Amount):
            sheet.write_number(row, column, float(value.amount), self.money(value.currency))
        elif isinstance(value, datetime.date):
            sheet.write_datetime(row, column, value, self.format(num_format="yyyy-mm-dd"))
        elif isinstance(value, int):
            sheet.write_number(row, column, value, self.format())
        elif value:
            sheet.write_string(row, column, plain(str(value)), self.format())


def _write_list(book: _Book, answer: PartsListAnswer) -> None:
    title, below = f"Parts list: {answer.name}", f"{answer.checked}, {answer.file}"
    say, bold = words("parts-list"), book.format(bold=True)
    at = {name: number for number, name in enumerate(say.COLUMNS)}
    letters = {name: xl_col_to_name(number) for name, number in at.items()}
    sheet = book.sheet("Parts list", title, below, list(say.COLUMNS.values()))
    for place, row in enumerate(map(flat_row, answer.lines), _HEAD):
        for name, number in at.items():
            value = row[name]
            if name == "line_total" and value and row["unit_price"]:
                formula = f"={letters['unit_price']}{place + 1}*{letters['quantity']}{place + 1}"
                how = book.money(value.currency)
                sheet.write_formula(place, number, formula, how, float(value.amount))
            else:
                book.write(sheet, place, number, value)
    last = _HEAD + len(answer.lines)
    sheet.freeze_panes(_HEAD, at["name"] + 1)
    sheet.autofilter(_HEAD - 1, 0, last - 1, len(at) - 1)
    place = last + 1
    totals, currencies = (
        f"${letters[n]}${_HEAD + 1}:${letters[n]}${last}" for n in ("line_total", "currency")
    )
    for one in answer.sums:
        code = one.amount.currency
        formula = f'=SUMIFS({totals},{currencies},"{code}")'
        sheet.write_string(place, at["name"], say.label(answer, one).strip(), bold)
        how = book.money(code, bold=True, top=1)
        sheet.write_formula(place, at["line_total"], formula, how, float(one.amount.amount))
        sheet.write_string(place, at["currency"], code, bold)
        place += 1
        for word, money in (("Tax on top", one.tax), ("Total with tax", one.with_tax)):
            if money:
                sheet.write_string(place, at["name"], word, bold)
                sheet.write_number(place, at["line_total"], float(money.amount), how)
                sheet.write_string(place, at["currency"], code, bold)
                place += 1
    for note in filter(None, say.notes(answer).split("\n")):
        place += 1
        sheet.write_string(place, at["name"], plain(note), book.format())
    sheet.print_area(0, 0, place, len(at) - 1)


def _write_quotes(book: _Book, answer: PartsListAnswer, comparison: QuoteComparison) -> None:
    """A row for each line of the build; for each quote its price, sum and remark."""
    columns = [("", 5), ("Part", 46)]
    for quote in comparison.quotes:
        name = f"{quote.name} (chosen)" if quote.is_chosen else quote.name
        columns += [(f"{name}: each", 14), (f"{name}: total", 14), (f"{name}: remarks", 30)]
    sheet = book.sheet("Quotes", f"Quotes for {answer.name}", str(answer.checked), columns)
    for place, row in enumerate(_quote_rows(answer, comparison), _HEAD):
        for column, value in enumerate(row):
            book.write(sheet, place, column, value)
    sheet.freeze_panes(_HEAD, 2)


def _term(quote: QuoteAnswer, key: str, say: Any) -> Any:
    """What a quote states: an amount as one, other things as text."""
    value = getattr(quote, key)
    only = value[0] if key.startswith("total") and len(value) == 1 else value
    return only if isinstance(only, Amount) else say.term(quote, key).strip()


def _quote_rows(answer: PartsListAnswer, comparison: QuoteComparison) -> list[list[Any]]:
    """Offers line by line, the terms of the quotes, what they add, and how they compare."""
    found: list[list[Any]] = []
    say, quotes = words("parts-list"), comparison.quotes
    for line in (x for x in answer.order_lines if x.number in comparison.lines):
        cells: list[Any] = [line.number, line.name]
        for quote in quotes:
            offer = quote.offer(line.number)
            prices = (offer.each, offer.total) if offer else (None, None)
            cells += [*prices, say.remark(line, quote).strip()]
        found.append(cells)
    for key, name in say.TERMS.items():
        values = [_term(quote, key, say) for quote in quotes]
        if any(values):
            pairs = ((v, None) if isinstance(v, Amount) else (None, v) for v in values)
            found.append([None, name, *(x for m, text in pairs for x in (None, m, text))])
    for n in range(max(len(quote.extras) for quote in quotes)):
        rows = [quote.extras[n] if n < len(quote.extras) else None for quote in quotes]
        cells = [x for e in rows for x in ((e.each, e.total, e.name) if e else (None,) * 3)]
        found.append([None, "In addition", *cells])
    verdict = say.comparison(answer).split("\n")
    verdict += [say.machine_price(answer, price) for price in comparison.turnkey]
    return [*found, [], *([None, line.strip()] for line in verdict if line.strip())]
