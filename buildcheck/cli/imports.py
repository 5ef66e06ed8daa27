"""The command that turns a list of parts into a build file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from buildcheck.cli.build import command
from buildcheck.cli.settings import Lab
from buildcheck.errors import InputError, Problem
from buildcheck.resolve.naming import SHOWN, word
from buildcheck.streams import PARTS, put_out, read_build, shown

if TYPE_CHECKING:
    from buildcheck.importers.part_list import Imported, Unresolved


_EPILOG = """\b
Exit codes:
  0  written
  1  written, and lines need a choice: they are named on standard error
  2  nothing written: bad usage, no list, or a file that cannot be read or written
"""


@command("import", epilog=_EPILOG)
@click.argument("path", metavar="LIST")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Write here, not to the screen."
)
@PARTS
def main(path: str, output: Path | None, folders: tuple[Path, ...]) -> int:
    """Turn a part list of a shop, a forum or PCPartPicker into a build file.

    LIST is Markdown, HTML, BBCode, CSV or plain text; `-` reads standard input. Prices stay, and
    what cannot be read is kept as comments.
    """
    from buildcheck.importers.part_list import read_list, to_build

    listed = read_list(_text(path))
    catalog = Lab(folders).catalog()
    made = to_build(listed, catalog.find, shown(path), catalog.index.numbered)
    if not (listed.rows or made.entries or made.unresolved):
        advice = "Copy it from the shop's page as Markdown, HTML or plain text"
        raise InputError([Problem(shown(path), 0, 0, "this list names no part", advice)])
    put_out(made.text, output)
    return int(_report(shown(path), made) > 0)


def _text(path: str) -> str:
    """The list as text. Raises `InputError`."""
    from buildcheck.model.source import MAX_BYTES

    raw = read_build(path)
    if len(raw) > MAX_BYTES:
        message = f"the list has more than the {MAX_BYTES:,} bytes that are read"
        raise InputError(
            [Problem(shown(path), 0, 0, message, "Save the parts alone, not the page")]
        )
    for encoding in ("utf-16",) if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8", "cp1252"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise InputError([Problem(shown(path), 0, 0, "this is no text", "Save the list as UTF-8")])


def _report(path: str, made: Imported) -> int:
    """Print to standard error what needs a hand; the number of lines that need a choice."""
    wrong = [_problem(path, unknown) for unknown in made.unresolved]
    advice = "Put what it is in front, such as 'Motherboard:'; it is kept as a comment"
    what = "this line could be a part, and the catalogue has none of this name"
    wrong += [Problem(path, line, 1, what, advice) for line, _ in made.unread]
    notes = []
    for row in made.by_text:
        what = f"no RAM is called '{row.name}': size and type are read from the name"
        notes.append(Problem(path, row.line, 1, what, "Check its data sheet"))
    for row in made.unpriced:
        several = row.count > 1 and row.each is None
        what = f"'{row.price}' could be the price of one or of all {row.count}"
        what = what if several else f"'{row.price}' has no currency that is known"
        notes.append(Problem(path, row.line, 1, what, "Write 'price:' into the build file"))
    if made.mismatch:
        total, paid = made.mismatch
        what = f"the list states {total.price}, and its lines come to {paid}"
        notes.append(Problem(path, total.line, 1, what, "Compare its prices and counts"))
    prose = sorted({line for line, _ in made.kept} - {line for line, _ in made.unread})
    if prose:
        numbers = f"line{'s' if len(prose) > 1 else ''} {', '.join(map(str, prose))}"
        notes.append(Problem(path, 0, 0, f"kept as comments, as they name no part: {numbers}"))
    for problem in sorted(wrong):
        click.echo(problem.block(), err=True)
    for problem in notes:
        click.echo(problem.block("note"), err=True)
    return len(wrong)


def _problem(path: str, unknown: Unresolved) -> Problem:
    """What has to be chosen of a row."""
    row, kind, near, ambiguous, kinds = unknown
    message, advice = f"no {word(kind) or 'part'} is called '{row.name}'", ""
    if row.fault:
        return Problem(path, row.line, 1, row.fault, "Write the count into the build file")
    if kinds:
        message = f"'{row.name}' could be a {' or a '.join(map(word, kinds))}"
    elif ambiguous:
        message = f"'{row.name}' could be more than one {word(kind)}"
    if not near:
        advice = "Try 'buildcheck parts search'"
    return Problem(path, row.line, 1, message, advice, near[:SHOWN])
