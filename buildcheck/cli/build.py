"""What the commands about a build share: their options, its report, and pages written from it."""

from __future__ import annotations

import datetime
import functools
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from buildcheck.cli.settings import NAME, Lab
from buildcheck.configure.stopping import StoppedError
from buildcheck.errors import BuildcheckError, InputError, Problem
from buildcheck.streams import PARTS, check_writable, path_option, read_build, shown, stop

if TYPE_CHECKING:
    from collections.abc import Callable

    from buildcheck.model.finding import Report


#: All endings of files that a format is known by.
ENDINGS = {
    ".txt": "text",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".csv": "csv",
    ".xlsx": "xlsx",
    ".json": "json",
    ".service": "unit",
    ".sh": "script",
}
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


_RULES = path_option(
    "--rules",
    "rules",
    multiple=True,
    metavar="DIR",
    help="A folder of your own rules over the shipped ones; may be given again.",
)


def lab_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that name folders of a lab's own; the command takes them as one `lab`."""

    @functools.wraps(command)
    def run(*given: Any, folders: tuple[Path, ...], rules: tuple[Path, ...], **own: Any) -> Any:
        return command(*given, lab=Lab(folders, rules), **own)

    return PARTS(_RULES(run))


class Command(click.Command):
    """A command that reports what is wrong and leaves with 2; else with the code it returns."""

    def invoke(self, ctx: click.Context) -> NoReturn:
        """Run it."""
        try:
            code = super().invoke(ctx)
        except BuildcheckError as error:
            stop(error, ctx.params.get("form") or "text")
        except StoppedError:
            # Nothing was found yet.
            raise click.Abort from None
        sys.exit(code or 0)


def command(name: str, **settings: Any) -> Callable[[Callable[..., Any]], Command]:
    """Make a function a command."""
    return click.command(name, cls=Command, **settings)


QUOTES = path_option(
    "--quote",
    "quotes",
    multiple=True,
    help="A file with a vendor's quote, besides those of the build file; may be given again.",
)
OUTPUT = path_option(
    "-o",
    "--output",
    help="Write to this file, over an older one, and not to the screen.",
)


def judged(
    builds: tuple[str, ...],
    lab: Lab,
    today: datetime.date,
    quotes: tuple[Path, ...] = (),
) -> list[Report]:
    """Every build file judged. Raises `InputError` with what is wrong in all of them."""
    from buildcheck.check import check

    catalog, rulebook = lab.catalog(*builds), lab.rulebook(*builds)
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


def form_of(form: str, output: Path | None, *forms: str) -> str:
    """The format asked for, else that of the file's ending, else text.

    Raises `InputError` for an ending of none of these formats.
    """
    ending = output.suffix.lower() if output and not form else ""
    endings = {name: one for name, one in ENDINGS.items() if one in forms}
    if ending and ending not in endings:
        what = f"'{ending}' is the ending of no format"
        advice = f"Known: {', '.join(endings)}; or name the format with --format"
        raise InputError([Problem(str(output), 0, 0, what, advice)])
    return form or endings.get(ending, "text")


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
    """Files of quotes that a report was made from."""
    return tuple(dict.fromkeys(offer.file for offer in report.order.offers))


def page_of(report: Report, *, full: bool = False) -> str:
    """The report of a build as one page."""
    from buildcheck.render.page import to_html
    from buildcheck.whole_report import report_answer

    return to_html(report_answer(report), full=full)
