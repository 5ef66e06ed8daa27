"""The commands that write the report of a build as a page, and what differs between two."""

from __future__ import annotations

import datetime
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from buildcheck.cli.build import (
    OUTPUT,
    QUOTES,
    TODAY,
    build_argument,
    check_output,
    command,
    judged,
    lab_options,
    page_of,
    read_files,
)
from buildcheck.cli.frame import Frame, framed
from buildcheck.errors import InputError, Problem
from buildcheck.render.templates import words
from buildcheck.render.terminal import plain
from buildcheck.streams import write_out
from buildcheck.whole_report.diff import diff_answer

if TYPE_CHECKING:
    from buildcheck.cli.settings import Lab


@command("report")
@build_argument()
@QUOTES
@OUTPUT
@click.option("--full", is_flag=True, help="Open every section, so that all of it is printed.")
@TODAY
@lab_options
def main(
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
    check_output(output, (build, *quotes))
    (report,) = judged((build,), lab, today, quotes)
    check_output(output, read_files(report))
    write_out(page_of(report, full=full), output)
    click.echo(plain(f"{report.name}: {words('partial').VERDICTS[report.verdict]}"), err=True)


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
