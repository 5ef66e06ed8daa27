"""The commands that make lists and the page of a build, compare two, and read a list."""

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
def checklist(frame: Frame, build: str) -> None:
    """Print what to do for a build, from before the quote to the hand-over."""
    form = form_of("checklist", frame)
    report = judged_for(frame, build)
    if form in ("unit", "script"):
        write_out(file_text(f"power-limit.{form}", limits=power_limits(report)), frame.output)
        return
    # A file of text has all of it.
    whole = frame.verbose or (form == "text" and frame.output is not None)
    frame = replace(frame, form=form, verbose=whole)
    _write("checklist", frame, checklist_answer(report), render_checklist)


@command("parts-list")
@framed
def parts_list(frame: Frame, build: str, *, chosen: tuple[str, ...]) -> None:
    """Print what to order for a build: parts, part numbers, prices, and quotes compared."""
    form = form_of("parts-list", frame)
    if form == "xlsx" and frame.output is None:
        raise refused("--format", "spreadsheet-out")
    report = judged_for(frame, build)
    if chosen:
        report = replace(report, order=choose(report.order, chosen))
    answer = parts_list_answer(report)
    _write("parts-list", replace(frame, form=form), answer, render_parts_list)
    if form == "csv" and answer.quotes:
        click.echo("CSV holds the lines without the quotes.", err=True)


def _write(name: str, frame: Frame, answer: Any, render: Callable[[Any, str], str | bytes]) -> None:
    """Print a list, or write it. Raises `InputError` if a library for it is not installed."""
    form, output = frame.form or "text", frame.output
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
@framed
def report(frame: Frame, build: str, *, full: bool) -> None:
    """Write the report of a build as one page to read, print and sign."""
    if frame.output is None and sys.stdout is not None and sys.stdout.isatty():
        raise refused("report", "page-out")
    found = judged_for(frame, build)
    write_out(page_of(found, full=full), frame.output)
    click.echo(plain(f"{found.name}: {words('partial').VERDICTS[found.verdict]}"), err=True)


@command("diff")
@framed
def diff(frame: Frame, *, before: str, after: str) -> int:
    """Show what changes from build A to build B: parts, findings, watts and price."""
    answer = diff_answer(*judged(frame, before, after))
    frame.answer("diff", answer)
    return int(any(one.after == "error" for one in answer.findings))
