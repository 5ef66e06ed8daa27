"""The commands that make lists and the page of a build, compare two, and read a list."""

import datetime
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from buildcheck.checklist.power_limits import power_limits
from buildcheck.checklist.steps import checklist_answer
from buildcheck.cli.build import form_of, imported, judged, judged_for, page_of
from buildcheck.cli.declared import Frame, command, framed, with_lab
from buildcheck.cli.settings import Lab
from buildcheck.model.labels import plain
from buildcheck.model.vocabulary import refused
from buildcheck.purchasing.parts_list import parts_list_answer
from buildcheck.purchasing.quotes.matching import choose
from buildcheck.render.documents import render_checklist, render_parts_list
from buildcheck.render.templates import file_text, words
from buildcheck.streams import answer_text, check_new, read_build, write_out
from buildcheck.whole_report.diff import diff_answer


@command("checklist")
@framed
def checklist(frame: Frame, build: str, output: Path | None) -> None:
    """Print what to do for a build, from before the quote to the hand-over."""
    form = form_of("checklist", frame.form, output)
    report = judged_for(output, build, frame.lab, frame.today)
    if form in ("unit", "script"):
        write_out(file_text(f"power-limit.{form}", limits=power_limits(report)), output)
        return
    # A file of text has all of it.
    whole = frame.verbose or (form == "text" and output is not None)
    frame = replace(frame, form=form, verbose=whole)
    list_answer("checklist", frame, checklist_answer(report), output, render_checklist)


@command("parts-list")
@framed
def parts_list(
    frame: Frame,
    build: str,
    *,
    quotes: tuple[Path, ...],
    chosen: tuple[str, ...],
    output: Path | None,
) -> None:
    """Print what to order for a build: parts, part numbers, prices, and quotes compared."""
    form = form_of("parts-list", frame.form, output)
    if form == "xlsx" and output is None:
        raise refused("--format", "spreadsheet-out")
    report = judged_for(output, build, frame.lab, frame.today, quotes)
    if chosen:
        report = replace(report, order=choose(report.order, chosen))
    answer = parts_list_answer(report)
    list_answer("parts-list", replace(frame, form=form), answer, output, render_parts_list)
    if form == "csv" and answer.quotes:
        click.echo("CSV holds the lines without the quotes.", err=True)


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
            raise refused("--format", "no-spreadsheets") from None
    elif output is None:
        frame.answer(name, answer)
    else:
        write_out(answer_text(name, answer, form, verbose=frame.verbose), output)


@command("import")
@with_lab
def import_list(path: str, output: Path | None, lab: Lab) -> int:
    """Turn a part list of a shop, a forum or PCPartPicker into a build file."""
    made, wrong = imported(read_build(path), path, lab.catalog())
    check_new(output)
    write_out(made, output)
    return int(wrong > 0)


@command("report")
@with_lab
def report(
    build: str,
    quotes: tuple[Path, ...],
    output: Path | None,
    today: datetime.date,
    lab: Lab,
    *,
    full: bool,
) -> None:
    """Write the report of a build as one page to read, print and sign."""
    if output is None and sys.stdout is not None and sys.stdout.isatty():
        raise refused("report", "page-out")
    found = judged_for(output, build, lab, today, quotes)
    write_out(page_of(found, full=full), output)
    click.echo(plain(f"{found.name}: {words('partial').VERDICTS[found.verdict]}"), err=True)


@command("diff")
@framed
def diff(frame: Frame, *, before: str, after: str) -> int:
    """Show what changes from build A to build B: parts, findings, watts and price."""
    answer = diff_answer(*judged((before, after), frame.lab, frame.today))
    frame.answer("diff", answer)
    return int(any(one.after == "error" for one in answer.findings))
