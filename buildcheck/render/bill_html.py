"""A parts list as a self-contained page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck.render.bill_quotes import stated, terms
from buildcheck.render.bill_rows import price_told
from buildcheck.render.bill_text import bill_verdict
from buildcheck.render.html import html
from buildcheck.render.view import report_notices

if TYPE_CHECKING:
    from buildcheck.bill import Bill
    from buildcheck.model.finding import Report

#: The style that `parts-list-table.html.j2` asks for.
STYLE = "css/parts-list.css"


def bill_words(bill: Bill) -> dict[str, Any]:
    """What the templates of the lines and of the quotes ask for."""
    quotes = bill.comparison
    return {
        "bill": bill,
        "terms": [dict(terms(column)) for column in quotes.columns] if quotes else [],
        "stated": stated(quotes.columns) if quotes else [],
        "told": bill_verdict(bill),
        "price_told": price_told(bill),
    }


def bill_html(bill: Bill, report: Report) -> str:
    """The page's text; the same list gives the same bytes."""
    notices = report_notices(report)
    words = bill_words(bill)
    return html("parts-list.html.j2", report, styles=(STYLE,), notices=notices, **words)
