"""A parts list in each of its formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from buildcheck.purchasing.answer import PartsListAnswer

#: The style of the templates with the lines and the quotes.
STYLE = "css/parts-list.css"


def render_parts_list(answer: PartsListAnswer, form: str) -> str | bytes:
    """The list as Markdown, a page, CSV or a spreadsheet (bytes).

    Raises `ModuleNotFoundError` where the library that writes spreadsheets is not installed.
    """
    if form == "html":
        from buildcheck.render.html import page_foot, sheet  # one is used at a time

        foot = page_foot(answer)
        return sheet("parts-list.html.j2", foot, styles=(STYLE,), parts_list=answer)
    if form == "xlsx":
        from buildcheck.render.parts_list_xlsx import parts_list_xlsx

        return parts_list_xlsx(answer)
    if form == "csv":
        from buildcheck.render.parts_list_csv import parts_list_csv

        return parts_list_csv(answer)
    from buildcheck.render.markdown import markdown

    return markdown("parts-list", parts_list=answer)
