"""A parts list in each of its formats, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from buildcheck.bill import Bill
    from buildcheck.model.finding import Report

#: The formats, and how files of each end.
SUFFIXES = {
    "text": ".txt",
    "markdown": ".md",
    "csv": ".csv",
    "xlsx": ".xlsx",
    "html": ".html",
    "json": ".json",
}
#: Other endings that are known.
ENDINGS = {
    **{suffix: form for form, suffix in SUFFIXES.items()},
    ".htm": "html",
    ".markdown": "markdown",
}


def render(bill: Bill, report: Report, form: str) -> str | bytes:
    """The list in a format; bytes for a spreadsheet.

    Raises `ModuleNotFoundError` where the library that writes spreadsheets is not installed.
    """
    if form == "html":
        from buildcheck.render.bill_html import bill_html  # noqa: PLC0415 - one is used at a time

        return bill_html(bill, report)
    if form == "xlsx":
        from buildcheck.render.bill_xlsx import bill_xlsx  # noqa: PLC0415

        return bill_xlsx(bill)
    return _text(bill, form)


def _text(bill: Bill, form: str) -> str:
    from buildcheck.render.bill_csv import bill_csv  # noqa: PLC0415
    from buildcheck.render.bill_data import bill_json  # noqa: PLC0415
    from buildcheck.render.bill_markdown import bill_markdown  # noqa: PLC0415
    from buildcheck.render.bill_text import bill_text  # noqa: PLC0415

    makers = {"csv": bill_csv, "json": bill_json, "markdown": bill_markdown, "text": bill_text}
    return makers[form](bill)
