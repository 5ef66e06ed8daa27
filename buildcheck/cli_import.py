"""The command that turns a list of parts into a build file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from buildcheck.errors import BuildcheckError, InputError, Problem
from buildcheck.render.terminal import plain
from buildcheck.settings import part_folders
from buildcheck.streams import PARTS, put_out, read_build, shown, stop

if TYPE_CHECKING:
    from buildcheck.part_list import Imported


@click.command("import")
@click.argument("path", metavar="LIST")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Write here, not to the screen."
)
@PARTS
def main(path: str, output: Path | None, folders: tuple[Path, ...]) -> None:
    """Turn a list of parts, as shops and PCPartPicker print them, into a build file.

    LIST is Markdown, HTML, BBCode, CSV or plain text; `-` reads standard input. Prices and
    whatever cannot be read stay in the build file as comments.
    """
    from buildcheck.catalog import Catalog  # noqa: PLC0415 - help does without
    from buildcheck.part_list import read_list, to_build  # noqa: PLC0415

    try:
        listed = read_list(_text(path))
        made = to_build(listed, Catalog(labs=part_folders(folders)).find, shown(path))
        if not (listed.rows or made.entries or made.unresolved):
            advice = "Copy it from the shop's page as Markdown, HTML or plain text"
            raise InputError([Problem(shown(path), 0, 0, "no part stands in this list", advice)])
        put_out(made.text, output)
    except BuildcheckError as error:
        stop(error, "text")
    _tell(shown(path), made)


def _text(path: str) -> str:
    """The list as text. Raises `InputError`."""
    from buildcheck.source import MAX_BYTES  # noqa: PLC0415

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


def _tell(path: str, made: Imported) -> None:
    """Say on standard error what needs a hand."""
    for row, kind, near, ambiguous, kinds in made.unresolved:
        if kinds:
            message = f"'{row.name}' could be a {' or a '.join(kinds)}"
        elif ambiguous:
            message = f"'{row.name}' could be more than one {kind}"
        else:
            message = f"there is no {kind} '{row.name}' in the catalogue"
        ask = "Write one of:" if ambiguous else "Did you mean"
        advice = f"{ask} {', '.join(near)}" if near else "Try 'buildcheck parts search'"
        click.echo(plain(str(Problem(path, row.line, 1, message, advice))), err=True)
    for row in made.by_text:
        message = f"there is no memory '{row.name}' in the catalogue"
        advice = "Its size and kind are taken from its name; compare them with its data sheet"
        click.echo(plain(str(Problem(path, row.line, 1, message, advice))), err=True)
    for line, _ in made.kept:
        problem = Problem(path, line, 1, "this line could not be read", "It is kept as a comment")
        click.echo(plain(str(problem)), err=True)
