"""A parts list as a self-contained page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck.render.bill_quotes import stated, terms
from buildcheck.render.bill_text import bill_verdict
from buildcheck.render.html import html
from buildcheck.render.view import report_notices
from buildcheck.render.words import Words

if TYPE_CHECKING:
    from buildcheck.bill import Bill
    from buildcheck.model.finding import Report

#: What the head of a report says of its price.
BILL_WORDS = Words("bill")
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


def price_told(bill: Bill) -> str:
    """Of which days the prices of a sum are, and how many lines have none.

    Empty where nothing is priced.
    """
    prices = [line.price for line in bill.lines if line.total and line.price]
    if not prices:
        return ""
    days = sorted({price.date.isoformat() for price in prices if price.date})
    undated = sum(price.date is None for price in prices)
    lacking = len(bill.lines) - len(prices)
    told = [
        BILL_WORDS("of_day", day=days[0]) if len(days) == 1 else "",
        BILL_WORDS("of_days", first=days[0], last=days[-1]) if len(days) > 1 else "",
        BILL_WORDS("undated", undated) if undated else "",
        BILL_WORDS("lacking", lacking) if lacking else "",
    ]
    return "".join(f"; {one}" for one in told if one)


def bill_html(bill: Bill, report: Report) -> str:
    """The page's text; the same list gives the same bytes."""
    notices = report_notices(report)
    words = bill_words(bill)
    return html("parts-list.html.j2", report, styles=(STYLE,), notices=notices, **words)
