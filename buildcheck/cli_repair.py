"""The command that mends a failing build."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from buildcheck.cli_build import TODAY, check_output
from buildcheck.errors import BuildcheckError, InputError, Problem
from buildcheck.settings import part_folders
from buildcheck.streams import FORMAT, PARTS, printable, read_build, shown, stop

if TYPE_CHECKING:
    import datetime

    from buildcheck.configure.repair import Repair, Repairs

EPILOG = """
\b
Examples:
  buildcheck repair build.yaml
  buildcheck repair build.yaml --apply 2
  buildcheck repair build.yaml --apply 1 -o mended.yaml
  buildcheck repair build.yaml --prices shop.yaml --format json

\b
Exit codes:
  0  ways to mend it were found, or nothing fails
  1  nothing that was tried mends it
  2  bad usage, an unreadable file, a broken rule or part file
"""


@click.command("repair", epilog=EPILOG)
@click.argument("build", metavar="BUILD")
@FORMAT
@click.option(
    "--apply",
    "number",
    type=click.IntRange(min=1),
    metavar="N",
    help="Write repair N into the build file; comments and layout stay.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="With --apply: write to this file, over an older one, and leave the build file alone.",
)
@click.option(
    "--prices",
    multiple=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="A price list over the shipped prices; may be given again.",
)
@TODAY
@PARTS
def main(  # noqa: PLR0913 - one per option
    build: str,
    *,
    form: str,
    number: int | None,
    output: Path | None,
    prices: tuple[Path, ...],
    today: datetime.date,
    folders: tuple[Path, ...],
) -> None:
    """Find the cheapest changes with which a failing build passes. `-` reads standard input.

    Settings come first (power limits, slots, circuits, firmware), then accessories, then other
    parts, each with what it costs in money, watts and estimated speed, and as a diff of the build
    file. Each has been judged by the whole rulebook before it is shown.
    """
    try:
        _check_usage(build, number, output, prices)
        found = _found(build, folders, today, prices)
        chosen = _chosen(found, number)
        if chosen is not None:
            _write(chosen, output or Path(build), None if output else found.raw)
    except BuildcheckError as error:
        stop(error, form)
    else:
        _show(found, form)
        if chosen is not None:
            where = printable(str(output or build))
            click.echo(f"Repair {number} is written to {where}.", err=True)
        sys.exit(int(_is_hopeless(found)))


def _check_usage(
    build: str, number: int | None, output: Path | None, prices: tuple[Path, ...]
) -> None:
    """What can be said before anything is read. Raises `InputError`."""
    if number is not None and build == "-" and output is None:
        what = "a build from standard input has no file to write to"
        raise InputError([Problem("--apply", 0, 0, what, "Give a file with -o")])
    if output is not None and number is None:
        what = "only a repair that is chosen is written to a file"
        raise InputError([Problem("-o", 0, 0, what, "Choose one with --apply N")])
    if output is not None and str(output) == "-":
        what = "a repair is written to a file"
        raise InputError([Problem("-o", 0, 0, what, "Give a name such as mended.yaml")])
    check_output(output, (build, *prices))


def _found(
    build: str, folders: tuple[Path, ...], today: datetime.date, prices: tuple[Path, ...]
) -> Repairs:
    from buildcheck.catalog import Catalog  # noqa: PLC0415 - keeps --help quick
    from buildcheck.configure.repair import repair  # noqa: PLC0415
    from buildcheck.rulebook import load_rulebook  # noqa: PLC0415

    catalog = Catalog(labs=part_folders(folders, (build,)))
    return repair(read_build(build), shown(build), catalog, load_rulebook(), today, prices)


def _is_hopeless(found: Repairs) -> bool:
    return found.report.verdict == "fail" and not found.repairs


def _chosen(found: Repairs, number: int | None) -> Repair | None:
    """The repair of a number. Raises `InputError` if there is none."""
    if number is None or _is_hopeless(found):
        return None
    if number > len(found.repairs):
        count = len(found.repairs)
        were = "1 was" if count == 1 else f"{count or 'none'} were"
        what = f"there is no repair {number}: {were} found"
        advice = "'buildcheck repair' without --apply lists them" if count else "Nothing fails"
        raise InputError([Problem("--apply", 0, 0, what, advice)])
    return found.repairs[number - 1]


def _write(chosen: Repair, path: Path, read: bytes | None = None) -> None:
    """Write the mended file whole or not at all. Raises `InputError`."""
    from buildcheck.store import write_whole  # noqa: PLC0415

    try:
        if read is not None and path.read_bytes() != read:
            what = "it was changed while repairs were sought"
            raise InputError([Problem(str(path), 0, 0, what, "Run the command again")])
        write_whole(path, chosen.raw)
    except OSError as error:
        what = f"it cannot be written: {error.strerror}"
        raise InputError([Problem(str(path), 0, 0, what, "Nothing was written")]) from None


def _show(found: Repairs, form: str) -> None:
    from buildcheck.configure.repair_text import data, text  # noqa: PLC0415

    click.echo(data(found) if form == "json" else text(found), nl=False)
