"""The command that turns a build into a list that purchasing can order from."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from buildcheck.cli_build import OUTPUT, QUOTES, TODAY, check_output, judged, read_files
from buildcheck.errors import BuildcheckError, InputError, Problem
from buildcheck.streams import PARTS, stop, write_out

if TYPE_CHECKING:
    import datetime
    from pathlib import Path

    from buildcheck.model.finding import Report

_FORMS = ("text", "markdown", "csv", "xlsx", "html", "json")


@click.command("parts-list")
@click.argument("build", metavar="BUILD")
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMS),
    help="What to write; text unless the name of the output file says otherwise.",
)
@QUOTES
@click.option(
    "--choose",
    "chosen",
    multiple=True,
    metavar="VENDOR_OR_NUMBER",
    help="Take prices from this quote before others, in this run; may be given again.",
)
@OUTPUT
@TODAY
@PARTS
def main(  # noqa: PLR0913 - one per option
    build: str,
    *,
    form: str | None,
    quotes: tuple[Path, ...],
    chosen: tuple[str, ...],
    output: Path | None,
    today: datetime.date,
    folders: tuple[Path, ...],
) -> None:
    """Print what to order for a build: parts, numbers, prices, sums, and quotes side by side.

    Parts without a price of their own take that of a quote named with --choose or marked with
    `chosen: true`, or of the only quote that offers them. What the build implies and does not list
    stands at the end; CSV holds the lines alone, without the quotes. The exit code is 0 whatever
    was found, and 2 where the list could not be made; `buildcheck validate` says whether it works.
    """
    try:
        form = form or _by_name(output)
        if form == "xlsx" and output is None:
            advice = "Name a file with -o, such as parts.xlsx"
            raise InputError([Problem("--format", 0, 0, "a spreadsheet needs a file", advice)])
        check_output(output, (build, *quotes))
        (report,) = judged((build,), folders, today, quotes)
        check_output(output, read_files(report))
        report = _chosen(report, chosen)
        write_out(_made(report, form), output)
        if form == "csv" and report.order.offers:
            click.echo("The quotes are not in it: CSV holds the lines alone.", err=True)
    except BuildcheckError as error:
        stop(error, form or "text")


def _chosen(report: Report, called: tuple[str, ...]) -> Report:
    """The same with these quotes chosen. Raises `InputError` where a name is not that of one."""
    if not called:
        return report
    from buildcheck.quotes import choose  # noqa: PLC0415 - most runs do without

    return replace(report, order=choose(report.order, called))


def _by_name(output: Path | None) -> str:
    """The format that the end of a file's name stands for; text if it has none.

    Raises `InputError` for an ending that stands for none.
    """
    from buildcheck.render.bill import ENDINGS  # noqa: PLC0415

    ending = output.suffix.lower() if output else ""
    if ending and ending not in ENDINGS:
        what = f"'{ending}' is the ending of no format"
        advice = f"Known: {', '.join(ENDINGS)}; or name the format with --format"
        raise InputError([Problem(str(output), 0, 0, what, advice)])
    return ENDINGS.get(ending, "text")


def _made(report: Report, form: str) -> str | bytes:
    """The list in a format. Raises `InputError` if a library for it is not there."""
    from buildcheck.bill import bill  # noqa: PLC0415 - help does without
    from buildcheck.render.bill import render  # noqa: PLC0415

    try:
        return render(bill(report), report, form)
    except ModuleNotFoundError as error:
        if error.name != "xlsxwriter":
            raise
        what = "spreadsheets are written with XlsxWriter, which is not installed"
        advice = "Install buildcheck[xlsx], or XlsxWriter, beside it"
        raise InputError([Problem("--format", 0, 0, what, advice)]) from None
