"""The command that turns a build into a list that purchasing can order from."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from buildcheck.cli.build import OUTPUT, QUOTES, check_output, command, form_of, judged, read_files
from buildcheck.cli.frame import Frame, framed
from buildcheck.errors import InputError, Problem
from buildcheck.streams import answer_text, format_option, write_out

if TYPE_CHECKING:
    from pathlib import Path

    from buildcheck.model.finding import Report
    from buildcheck.purchasing.answer import PartsListAnswer

_CHOOSE = click.option(
    "--choose",
    "chosen",
    multiple=True,
    metavar="VENDOR_OR_NUMBER",
    help="Take prices from this quote first; may be given again.",
)


#: The formats of the list.
_FORMS = ("text", "markdown", "csv", "xlsx", "html", "json")


@command("parts-list")
@click.argument("build", metavar="BUILD")
@framed(
    *(QUOTES, _CHOOSE, OUTPUT),
    form=format_option(*_FORMS),
)
def main(
    frame: Frame,
    build: str,
    *,
    quotes: tuple[Path, ...],
    chosen: tuple[str, ...],
    output: Path | None,
) -> int:
    """Print what to order for a build: parts, part numbers, prices, and quotes compared.

    A part without a price in the build file takes that of a chosen quote (--choose, or
    `chosen: true` in the quote), or of the only quote that offers it. CSV holds the lines without
    the quotes. The exit code is 0 whatever was found, and 2 where no list could be made;
    `buildcheck validate` checks the build.
    """
    from buildcheck.purchasing.parts_list import parts_list_answer

    form = form_of(frame.form, output, *_FORMS)
    if form == "xlsx" and output is None:
        advice = "Name a file with -o, such as parts.xlsx"
        raise InputError([Problem("--format", 0, 0, "a spreadsheet needs a file", advice)])
    check_output(output, (build, *quotes))
    (report,) = judged((build,), frame.lab, frame.today, quotes)
    check_output(output, read_files(report))
    answer = parts_list_answer(_with_choice(report, chosen))
    if form in ("text", "json") and output is None:
        replace(frame, form=form).answer("parts-list", answer)
    else:
        write_out(_rendered(answer, form, verbose=frame.verbose), output)
    if form == "csv" and answer.quotes:
        click.echo("CSV holds the lines without the quotes.", err=True)
    return 0


def _with_choice(report: Report, names: tuple[str, ...]) -> Report:
    """The report with these quotes chosen. Raises `InputError` where a name is of none."""
    if not names:
        return report
    from buildcheck.purchasing.quotes import choose  # most runs do without

    return replace(report, order=choose(report.order, names))


def _rendered(answer: PartsListAnswer, form: str, *, verbose: bool) -> str | bytes:
    """The list in a format. Raises `InputError` if a library for it is not installed."""
    from buildcheck.render.documents import render_parts_list

    if form in ("text", "json"):
        return answer_text("parts-list", answer, form, verbose=verbose)
    try:
        return render_parts_list(answer, form)
    except ModuleNotFoundError as error:
        if error.name != "xlsxwriter":
            raise
        what = "spreadsheets are written with XlsxWriter, which is not installed"
        advice = "Install buildcheck[xlsx], or XlsxWriter"
        raise InputError([Problem("--format", 0, 0, what, advice)]) from None
