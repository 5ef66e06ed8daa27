"""The checklist as one self-contained page: to tick in a browser, or to print."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.render.checklist import checklist
from buildcheck.render.html import html
from buildcheck.render.view import report_notices

if TYPE_CHECKING:
    from buildcheck.model.finding import Report


def page(report: Report) -> str:
    """The page's text; the same report gives the same bytes."""
    return html(
        "checklist.html.j2",
        report,
        styles=("css/checklist.css",),
        scripts=("js/ticks.js",),
        list=checklist(report),
        notices=report_notices(report),
    )
