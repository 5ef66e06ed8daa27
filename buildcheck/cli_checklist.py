"""The command that turns a build into steps to walk through, and its power limits into a unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from buildcheck.cli_build import OUTPUT, TODAY, check_output, judged, read_files
from buildcheck.errors import BuildcheckError
from buildcheck.streams import PARTS, stop, write_out

if TYPE_CHECKING:
    import datetime
    from pathlib import Path

    from buildcheck.model.finding import Report

_FORMS = ("html", "markdown", "unit", "script")


@click.command("checklist")
@click.argument("build", metavar="BUILD")
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMS),
    default="markdown",
    show_default=True,
    help="A page to tick or print, a list for an issue, or the systemd unit or the script"
    " that sets the power limits.",
)
@OUTPUT
@TODAY
@PARTS
def main(
    build: str, form: str, output: Path | None, today: datetime.date, folders: tuple[Path, ...]
) -> None:
    """Print what to do for a build, from before the quote to the hand-over.

    Findings, the placement of the cards and the figures of the build decide which steps there
    are. The exit code is 0 whatever was found; `buildcheck validate` says whether it will work.
    """
    try:
        check_output(output, (build,))
        (report,) = judged((build,), folders, today)
        check_output(output, read_files(report))
        write_out(_text(report, form), output)
    except BuildcheckError as error:
        stop(error, "text")


def _text(report: Report, form: str) -> str:
    """The checklist in one form. Raises `InputError` where there is no limit to set."""
    if form == "html":
        from buildcheck.render.checklist_page import page  # noqa: PLC0415 - jinja2 is slow

        return page(report)
    if form == "markdown":
        from buildcheck.render.checklist_markdown import markdown  # noqa: PLC0415

        return markdown(report)
    from buildcheck.render.checklist_limits import script, unit  # noqa: PLC0415

    return unit(report) if form == "unit" else script(report)
