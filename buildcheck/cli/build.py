"""What the commands about a build share: their options, its report, and pages written from it."""

from __future__ import annotations

import datetime
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from buildcheck import store
from buildcheck.cli.settings import NAMES, Lab
from buildcheck.configure.stopping import StoppedError
from buildcheck.errors import BuildcheckError, InputError, Problem, capped
from buildcheck.streams import (
    EXIT_CODES,
    PARTS,
    answer_text,
    check_writable,
    gathered,
    path_option,
    read_build,
    shown,
    stop,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from buildcheck.catalog import Catalog
    from buildcheck.importers.part_list import Imported, Unresolved
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


def day(_ctx: click.Context, _param: click.Parameter | None, text: str | None) -> datetime.date:
    """The day that an option gives, or the current one."""
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
    callback=day,
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


_ISOLATED = click.option("--isolated", is_flag=True, help="Read no file with settings.")


#: Adds the options that name folders of a lab's own.
lab_options = gathered("lab", Lab, PARTS, _RULES, _ISOLATED)


class Command(click.Command):
    """A command that reports what is wrong and leaves with 2; else with the code it returns."""

    def invoke(self, ctx: click.Context) -> NoReturn:
        """Run it."""
        store.waits[:] = [_announce] * (ctx.params.get("only") != "quiet")
        try:
            code = super().invoke(ctx)
        except BuildcheckError as error:
            stop(error, ctx.params.get("form") or "text")
        except StoppedError:
            # Nothing was found yet.
            raise click.Abort from None
        sys.exit(code or 0)


def _announce() -> None:
    """Say that all parts are read first, over what shows how far a search is."""
    start, shown_as = "\r\033[K" * sys.stderr.isatty() if sys.stderr else "", "progress"
    click.echo(start + answer_text(shown_as, {"step": "index"}, "text"), nl=False, err=True)


EPILOG = "\n".join(["\b", "Exit codes:", *(f"  {n}  {w}" for n, w in EXIT_CODES.items())])


def build_argument(
    name: str = "build", metavar: str = "BUILD", **settings: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """An argument that names build files, which a shell completes."""
    return click.argument(name, metavar=metavar, type=click.Path(readable=False), **settings)


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
    """Every build file judged by all rules. Raises `InputError` with what is wrong in them."""
    judging = lab.judging(today, *builds)
    reports: list[Report] = []
    problems: list[Problem] = []
    for build in builds:
        try:
            raw, _, _ = build_text(build, judging.catalog)
            reports.append(judging.check(raw, shown(build), quotes))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return reports


def judged_for(
    output: Path | None,
    build: str,
    lab: Lab,
    today: datetime.date,
    quotes: tuple[Path, ...] = (),
) -> Report:
    """The report of a build, of which something can be written to a file. Raises `InputError`."""
    check_output(output, (build, *quotes))
    (report,) = judged((build,), lab, today, quotes)
    check_output(output, read_files(report))
    return report


def build_text(build: str, catalog: Catalog) -> tuple[bytes, str, int]:
    """The text of a build file, its name, and how many lines it leaves open.

    It is made of a part list if the file is one.
    """
    from buildcheck.load import is_yaml

    raw, name = read_build(build), shown(build)
    if is_yaml(raw, build):
        return raw, name, 0
    text, count = imported(raw, build, catalog)
    made = f"{Path(name).stem}.yaml"
    what = f"read as a part list: `buildcheck import {name} -o {made}` writes its build file"
    click.echo(Problem(name, 0, 0, what).block("note"), err=True)
    return text.encode(), made, count


def imported(raw: bytes, path: str, catalog: Catalog) -> tuple[str, int]:
    """The build file of a part list, and how many lines need a choice: standard error names them.

    Raises `InputError` if the list names no part.
    """
    from buildcheck.importers.part_list import read_list, text_of, to_build

    listed = read_list(text_of(raw, shown(path)))
    made = to_build(listed, catalog.find, shown(path), catalog.index.numbered)
    if not (listed.rows or made.entries or made.unresolved):
        advice = "Copy it from the shop's page as Markdown, HTML or plain text"
        raise InputError([Problem(shown(path), 0, 0, "this list names no part", advice)])
    wrong, notes = _messages(shown(path), made)
    blocks = [*(p.block() for p in capped(wrong)), *(p.block("note") for p in capped(notes))]
    click.echo("\n".join(blocks), err=True, nl=bool(blocks))
    return made.text, len(wrong)


def _messages(path: str, made: Imported) -> tuple[list[Problem], list[Problem]]:
    """The lines that need a choice, and what else to know of a list."""
    wrong = [_problem(path, unknown) for unknown in made.unresolved]
    advice = "Put what it is in front, such as 'Motherboard:'; it is kept as a comment"
    what = "this line could be a part, and is not read as one"
    wrong += [Problem(path, line, 1, what, advice) for line, _ in made.unread]
    several = [r.line for r in made.unpriced if r.count > 1 and r.each is None]
    bare = [r.line for r in made.unpriced if r.line not in several]
    named = {unknown.row.line for unknown in made.unresolved}
    prose = sorted({line for line, _ in made.kept} - {line for line, _ in made.unread})
    aside = [row.line for row in made.aside if row.line not in named]
    ram = [r.line for r in made.by_text]
    said = [
        (ram, "not in the catalogue, and read from its name", "Check its data sheet"),
        (several, "a price could be that of one or of all", "Write 'each' or 'total' behind it"),
        (bare, "prices have no currency that is known", "Write 'Currency: EUR' above them"),
        (prose, "no part is named, so not used", ""),
        (aside, "no check needs it, so not used", ""),
    ]
    if made.mismatch:
        total, paid = made.mismatch
        what = f"the list states {total.price}, and its lines come to {paid}"
        said.append(([total.line], what, "Compare its prices and counts"))
    notes = []
    for lines, what, advice in said:
        if lines:
            numbers = f"line{'s' * (len(lines) > 1)} {', '.join(map(str, lines))}"
            notes.append(Problem(path, 0, 0, f"{numbers}: {what}", advice))
    return sorted(wrong), notes


def _problem(path: str, unknown: Unresolved) -> Problem:
    """What has to be chosen of a row."""
    from buildcheck.resolve.naming import SHOWN, word

    row, kind, near, ambiguous, kinds = unknown
    message, advice = f"no {word(kind) or 'part'} is called '{row.name}'", ""
    if row.fault:
        return Problem(path, row.line, 1, row.fault, "Write what is meant into the build file")
    if kinds:
        message = f"'{row.name}' could be a {' or a '.join(map(word, kinds))}"
    elif ambiguous:
        message = f"'{row.name}' could be more than one {word(kind)}"
    if not near:
        advice = "Try 'buildcheck parts search'"
    return Problem(path, row.line, 1, message, advice, near[:SHOWN])


def form_of(form: str | None, output: Path | None, *forms: str) -> str:
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
    if path.name in NAMES:
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
