"""The command that writes the report of a build as a page."""

from __future__ import annotations

import sys
from pathlib import Path  # noqa: TC003 - click reads it
from typing import TYPE_CHECKING

import click

from buildcheck.cli_build import (
    OUTPUT,
    QUOTES,
    TODAY,
    check_output,
    judged,
    read_files,
)
from buildcheck.errors import BuildcheckError, InputError, Problem
from buildcheck.render.terminal import plain
from buildcheck.streams import PARTS, stop, write_out

if TYPE_CHECKING:
    import datetime

_ANSWERS = {"pass": "passes", "fail": "fails", "unknown": "cannot be judged yet"}


@click.command("report")
@click.argument("build", metavar="BUILD")
@QUOTES
@OUTPUT
@click.option("--full", is_flag=True, help="Open every section, so that all of it is printed.")
@TODAY
@PARTS
def main(
    build: str,
    quotes: tuple[Path, ...],
    output: Path | None,
    today: datetime.date,
    folders: tuple[Path, ...],
    *,
    full: bool,
) -> None:
    """Write the report of a build as one page to read, print and sign.

    Printed, it is a summary of up to four sheets; `--full` prints every section.

    The exit code is 0 whatever was found; `buildcheck validate` says by its exit code whether
    the build works.
    """
    try:
        if output is None and sys.stdout is not None and sys.stdout.isatty():
            advice = "Give one with -o report.html"
            raise InputError([Problem("report", 0, 0, "a page needs a file", advice)])
        check_output(output, (build, *quotes))
        (report,) = judged((build,), folders, today, quotes)
        check_output(output, read_files(report))
        from buildcheck.render.page import to_html
        from buildcheck.whole_report import report_answer

        write_out(to_html(report_answer(report), full=full), output)
    except BuildcheckError as error:
        stop(error, "text")
    else:
        click.echo(plain(f"{report.name}: {_ANSWERS[report.verdict]}"), err=True)
