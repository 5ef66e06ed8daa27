"""The command that fixes a failing build."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from buildcheck.cli.build import build_argument, build_text, command
from buildcheck.cli.frame import PRICES, RATES, Frame, framed
from buildcheck.cli.search import TIME_LIMIT, Watch, check_outputs
from buildcheck.errors import InputError, Problem
from buildcheck.render.terminal import plain
from buildcheck.streams import check_writable, path_option, write_out

if TYPE_CHECKING:
    from buildcheck.configure.repair.answer import RepairAnswer
    from buildcheck.configure.repair.repair import Repair
    from buildcheck.configure.repair.search import RepairSearch
    from buildcheck.model.rate import Rates

EPILOG = """
\b
Exit codes:
  0  ways after which nothing fails were found, or nothing fails
  1  nothing that was tried fixes it
  2  bad usage, an unreadable file, a broken rule or part file
"""


@command("repair", epilog=EPILOG)
@build_argument()
@click.option(
    "--apply",
    "number",
    type=click.IntRange(min=1),
    metavar="N",
    help="Write way N into the build file; comments and layout stay.",
)
@path_option(
    "-o",
    "--output",
    help="With --apply: write to this file, over an older one, and leave the build file alone.",
)
@framed(PRICES, RATES, TIME_LIMIT)
def main(
    frame: Frame,
    *,
    build: str,
    number: int | None,
    output: Path | None,
    rates: Rates,
    limit: float | None,
) -> int:
    """Find the cheapest changes after which nothing fails. `-` reads standard input.

    Settings come first (power limits, slots, circuits, firmware), then accessories, then other
    parts, each with its cost in money, watts and training speed; --verbose adds the diff of the
    build file. Each is judged by the whole rulebook before it is shown. Where data are missing, a
    way may leave nothing that fails and still not be known to pass: each shows which it is. Ctrl-C
    or the time limit ends the search with what was found until then.
    """
    _check_usage(build, number, output, frame.lists)
    with Watch(limit) as watch:
        from buildcheck.configure.repair.repair import repair

        judging = frame.lab.judging(frame.today, build)
        raw, name, _ = build_text(build, judging.catalog)
        asked = (raw, name, judging, frame.lists)
        found = repair(*asked, rates=rates, stop=watch, begun=partial(_begun, watch))
    is_hopeless = found.verdict == "fail" and not found.repairs
    chosen = None if number is None or is_hopeless else _chosen(found, number)
    if chosen is not None:
        # A part list has a build file that is made of it.
        write_out(chosen, output or Path(name), read=None if output else raw)
        found = replace(found, applied=number)
    frame.answer("repair", found)
    if chosen is not None:
        where = plain(str(output or name))
        click.echo(f"Way {number} is written to {where}.", err=True)
    return int(is_hopeless)


def _begun(watch: Watch, search: RepairSearch) -> None:
    """Show the progress of a search."""
    from buildcheck.configure.progress import Progress

    watch.progress = lambda: Progress("repair", search.trials.judged, found=len(search.found))


def _check_usage(
    build: str, number: int | None, output: Path | None, prices: tuple[Path, ...]
) -> None:
    """What can be checked before anything is read. Raises `InputError`."""
    if number is not None and build == "-" and output is None:
        what = "a build from standard input has no file to write to"
        raise InputError([Problem("--apply", 0, 0, what, "Give a file with -o")])
    if output is not None and number is None:
        what = "only a way that is chosen is written to a file"
        raise InputError([Problem("-o", 0, 0, what, "Choose one with --apply N")])
    check_outputs({"-o": output}, (build, *prices))
    if number is not None and output is None:
        check_writable(Path(build))


def _chosen(found: RepairAnswer, number: int) -> bytes:
    """The file after the repair of a number. Raises `InputError` if there is none."""
    if number > len(found.repairs):
        count = len(found.repairs)
        were = "1 was" if count == 1 else f"{count or 'none'} were"
        what = f"there is no way {number}: {were} found"
        advice = "'buildcheck repair' without --apply lists them" if count else "Nothing fails"
        raise InputError([Problem("--apply", 0, 0, what, advice)])
    return cast("Repair", found.repairs[number - 1]).raw
