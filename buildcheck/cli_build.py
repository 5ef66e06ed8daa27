"""What the commands about a build share: their options, its report, and pages written from it."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from buildcheck.errors import InputError, Problem
from buildcheck.settings import NAME, part_folders
from buildcheck.streams import check_writable, path_option, read_build, shown

if TYPE_CHECKING:
    from buildcheck.model.finding import Report


#: Days that anything here can be judged by: a year outside of this century is a slip of the pen.
_FIRST, _LAST = datetime.date(2000, 1, 1), datetime.date(2099, 12, 31)


def _day(_ctx: click.Context, _param: click.Parameter, text: str | None) -> datetime.date:
    if not text:
        return datetime.datetime.now(tz=datetime.UTC).date()
    try:
        day = datetime.date.fromisoformat(text)
    except ValueError:
        raise click.BadParameter(f"'{text}' is not a date such as 2026-11-20") from None
    if not _FIRST <= day <= _LAST:
        what = f"'{text}' is no day to judge by; give one from {_FIRST} to {_LAST}"
        raise click.BadParameter(what)
    return day


TODAY = click.option(
    "--today",
    metavar="DATE",
    callback=_day,
    help="Day to judge waivers, prices and quotes by, such as 2026-11-20; the current day"
    " unless given.",
)


QUOTES = path_option(
    "--quote",
    "quotes",
    multiple=True,
    help="A file with a vendor's quote, beside those of the build file; may be given again.",
)
OUTPUT = path_option(
    "-o",
    "--output",
    help="Write to this file, over an older one, and not to the screen.",
)


def judged(
    builds: tuple[str, ...],
    folders: tuple[Path, ...],
    today: datetime.date,
    quotes: tuple[Path, ...] = (),
) -> list[Report]:
    """Every build file judged. Raises `InputError` with what is wrong in all of them."""
    from buildcheck.catalog import Catalog  # noqa: PLC0415 - keeps --help and --version quick
    from buildcheck.check import check  # noqa: PLC0415
    from buildcheck.rulebook import load_rulebook  # noqa: PLC0415

    catalog, rulebook = Catalog(labs=part_folders(folders, builds)), load_rulebook()
    reports: list[Report] = []
    problems: list[Problem] = []
    for build in builds:
        try:
            raw = read_build(build)
            reports.append(check(raw, shown(build), catalog, rulebook, today, quotes))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return reports


def check_output(path: Path | None, inputs: tuple[str | Path, ...]) -> None:
    """What is written can be, and never stands over what it was made from. Raises `InputError`.

    It is asked before the work, which may take minutes.
    """
    if path is None or str(path) == "-":
        return
    check_writable(path)
    if path.is_dir():
        raise InputError([Problem(str(path), 0, 0, "this is a folder", "Name a file in it")])
    if path.name == NAME:
        what = "this is the name of a file with settings"
        raise InputError([Problem(str(path), 0, 0, what, "Write to another file")])
    for given in map(Path, inputs):
        if path.is_file() and given.is_file() and path.samefile(given):
            what = "this is a file that it would be made from"
            raise InputError([Problem(str(path), 0, 0, what, "Write to another file")])


def read_files(report: Report) -> tuple[str, ...]:
    """Files that a report was made from, beside the build file: its quotes."""
    return tuple(dict.fromkeys(offer.file for offer in report.order.offers))
