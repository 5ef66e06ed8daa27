"""Report → text, JSON or HTML. Nothing is judged or measured here."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from buildcheck.model.finding import Report

FORMATS = ("text", "json")


def to_text(report: Report, *, colour: bool = False, verbose: bool = False) -> str:
    """Findings for a terminal, worst first."""
    from buildcheck.render.text import text  # noqa: PLC0415 - one format is used at a time

    return text(report, colour=colour, verbose=verbose)


def to_json(reports: list[Report]) -> str:
    """Everything, for other programs; `format_version` says which shape it has."""
    from buildcheck.render.data import document  # noqa: PLC0415 - one format is used at a time

    return document(reports)


def to_html(report: Report) -> str:
    """One self-contained page."""
    from buildcheck.render.page import page  # noqa: PLC0415 - jinja2 is slow to import

    return page(report)
