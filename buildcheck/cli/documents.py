"""The commands that make lists and the page of a build, compare two, and read a list."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from buildcheck.checklist.power_limits import power_limits
from buildcheck.checklist.steps import checklist_answer
from buildcheck.cli.build import (
    OUTPUT,
    QUOTES,
    TODAY,
    build_argument,
    command,
    form_of,
    imported,
    judged,
    judged_for,
    lab_options,
    page_of,
)
from buildcheck.cli.frame import Frame, framed
from buildcheck.cli.settings import Lab
from buildcheck.errors import InputError, Problem
from buildcheck.purchasing.parts_list import parts_list_answer
from buildcheck.purchasing.quotes import choose
from buildcheck.render.documents import render_checklist, render_parts_list
from buildcheck.render.templates import file_text, words
from buildcheck.render.terminal import plain
from buildcheck.streams import (
    PARTS,
    answer_text,
    check_new,
    format_option,
    gathered,
    path_option,
    read_build,
    write_out,
)
from buildcheck.whole_report.diff import diff_answer

_CHOOSE = click.option(
    "--choose",
    "chosen",
    multiple=True,
    metavar="VENDOR_OR_NUMBER",
    help="Take prices from this quote first; may be given again.",
)
#: The formats of each list.
_STEPS = ("text", "markdown", "html", "unit", "script", "json")
_PARTS = ("text", "markdown", "csv", "xlsx", "html", "json")


@command("checklist")
@build_argument()
@framed(OUTPUT, form=format_option(*_STEPS))
def checklist(frame: Frame, build: str, output: Path | None) -> int:
    """Print what to do for a build, from before the quote to the hand-over.

    Findings, placement and parts decide which steps there are. `html` is a page to tick or print,
    `markdown` a list for an issue, `unit` and `script` set the power limits. The exit code is 0
    whatever was found; `buildcheck validate` checks the build.
    """
    form = form_of(frame.form, output, *_STEPS)
    report = judged_for(output, build, frame.lab, frame.today)
    if form in ("unit", "script"):
        write_out(file_text(f"power-limit.{form}", limits=power_limits(report)), output)
        return 0
    answer = checklist_answer(report)
    # A file of text has all of it.
    whole = frame.verbose or (form == "text" and output is not None)
    frame = replace(frame, form=form, verbose=whole)
    shown = answer if whole or form not in ("text", "json") else answer.brief
    list_answer("checklist", frame, shown, output, render_checklist)
    return 0


@command("parts-list")
@build_argument()
@framed(QUOTES, _CHOOSE, OUTPUT, form=format_option(*_PARTS))
def parts_list(
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
    form = form_of(frame.form, output, *_PARTS)
    if form == "xlsx" and output is None:
        advice = "Name a file with -o, such as parts.xlsx"
        raise InputError([Problem("--format", 0, 0, "a spreadsheet needs a file", advice)])
    report = judged_for(output, build, frame.lab, frame.today, quotes)
    if chosen:
        report = replace(report, order=choose(report.order, chosen))
    answer = parts_list_answer(report)
    list_answer("parts-list", replace(frame, form=form), answer, output, render_parts_list)
    if form == "csv" and answer.quotes:
        click.echo("CSV holds the lines without the quotes.", err=True)
    return 0


def list_answer(
    name: str,
    frame: Frame,
    answer: Any,
    output: Path | None,
    render: Callable[[Any, str], str | bytes],
) -> None:
    """Print a list, or write it. Raises `InputError` if a library for it is not installed."""
    form = frame.form or "text"
    if form not in ("text", "json"):
        try:
            write_out(render(answer, form), output)
        except ModuleNotFoundError as error:
            if error.name != "xlsxwriter":
                raise
            what = "spreadsheets are written with XlsxWriter, which is not installed"
            advice = "Install buildcheck[xlsx], or XlsxWriter"
            raise InputError([Problem("--format", 0, 0, what, advice)]) from None
    elif output is None:
        frame.answer(name, answer)
    else:
        write_out(answer_text(name, answer, form, verbose=frame.verbose), output)


@command(
    "import",
    epilog="""\b
Exit codes:
  0  written
  1  written, and lines need a choice: they are named on standard error
  2  nothing written: bad usage, no list, or a file that cannot be read or written
""",
)
@build_argument("path", "LIST")
@path_option("-o", "--output", help="Write to this new file, and not to the screen.")
@gathered("lab", Lab, PARTS)
def import_list(path: str, output: Path | None, lab: Lab) -> int:
    """Turn a part list of a shop, a forum or PCPartPicker into a build file.

    LIST is Markdown, HTML, BBCode, CSV or plain text; `-` reads standard input. Prices stay, and
    what cannot be read is kept as comments.
    """
    made, wrong = imported(read_build(path), path, lab.catalog())
    check_new(output)
    write_out(made, output)
    return int(wrong > 0)


@command("report")
@build_argument()
@QUOTES
@OUTPUT
@click.option("--full", is_flag=True, help="Open every section, so that all of it is printed.")
@TODAY
@lab_options
def report(
    build: str,
    quotes: tuple[Path, ...],
    output: Path | None,
    today: datetime.date,
    lab: Lab,
    *,
    full: bool,
) -> None:
    """Write the report of a build as one page to read, print and sign.

    Printed, it is a summary of up to four sheets; `--full` prints every section.

    The exit code is 0 whatever was found; `buildcheck validate` says by its exit code whether
    the build works.
    """
    if output is None and sys.stdout is not None and sys.stdout.isatty():
        advice = "Give one with -o report.html"
        raise InputError([Problem("report", 0, 0, "a page needs a file", advice)])
    found = judged_for(output, build, lab, today, quotes)
    write_out(page_of(found, full=full), output)
    click.echo(plain(f"{found.name}: {words('partial').VERDICTS[found.verdict]}"), err=True)


@command("diff")
@build_argument("before", "A")
@build_argument("after", "B")
@framed()
def diff(frame: Frame, *, before: str, after: str) -> int:
    """Show what changes from build A to build B: parts, findings, watts and price.

    The exit code is 1 if B has an error that A has not, else 0; 2 if one cannot be used.
    """
    answer = diff_answer(*judged((before, after), frame.lab, frame.today))
    frame.answer("diff", answer)
    return int(answer.has_new_errors)
