"""The command that says why a build or a wish is not possible, and what would have to give."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from buildcheck.cli_build import TODAY
from buildcheck.errors import BuildcheckError, InputError
from buildcheck.settings import part_folders
from buildcheck.streams import FORMAT, PARTS, read_build, shown, stop

if TYPE_CHECKING:
    import datetime

    from buildcheck.configure.why import Explanation

#: Sections that only a wish file has.
_WISHES = ("wish", "owned", "avoid", "prices")


@click.command("why")
@click.argument("file", metavar="BUILD|WISH")
@click.option(
    "--prices",
    multiple=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="A file of prices over the shipped ones, for a wish; may be given again.",
)
@FORMAT
@TODAY
@PARTS
def main(
    file: str,
    prices: tuple[Path, ...],
    form: str,
    today: datetime.date,
    folders: tuple[Path, ...],
) -> None:
    """Say why a build or a wish is not possible, and what would have to be otherwise.

    Prints which choices cannot stand together, by which rules, and every small way out.

    A file with a section `wish` is a wish, any other a build; `-` reads standard input. The exit
    code is 0 if nothing is in the way, 1 if something is, and 2 if the file cannot be used.
    """
    try:
        found = _explained(file, prices, today, folders)
    except BuildcheckError as error:
        stop(error, form)
    from buildcheck.configure.why_text import why_data, why_text  # noqa: PLC0415 - help does without

    if form == "json":
        click.echo(json.dumps(why_data(found), indent=2))
    else:
        click.echo(why_text(found), nl=False)
    sys.exit(1 if found.conflicts else 0)


def _explained(
    file: str, prices: tuple[Path, ...], today: datetime.date, folders: tuple[Path, ...]
) -> Explanation:
    """The explanation of a file. Raises `InputError`."""
    from buildcheck.catalog import Catalog  # noqa: PLC0415 - keeps --help and --version quick
    from buildcheck.rulebook import load_rulebook  # noqa: PLC0415
    from buildcheck.source import read  # noqa: PLC0415

    catalog, rulebook = Catalog(labs=part_folders(folders, (file,))), load_rulebook()
    raw, name = read_build(file), shown(file)
    data = read(raw, name).data
    if isinstance(data, dict) and any(section in data for section in _WISHES):
        from buildcheck.configure.engine import Engine  # noqa: PLC0415 - slow to import
        from buildcheck.configure.why_wish import why_wish  # noqa: PLC0415
        from buildcheck.configure.wish import read_wish  # noqa: PLC0415
        from buildcheck.configure.wish_names import check_names  # noqa: PLC0415

        wish = read_wish(raw, name)
        if problems := check_names(wish, catalog):
            raise InputError(problems)
        return why_wish(wish, Engine(catalog, rulebook, today, prices))
    from buildcheck.check import check  # noqa: PLC0415
    from buildcheck.configure.why_build import why_build  # noqa: PLC0415

    return why_build(check(raw, name, catalog, rulebook, today), catalog, rulebook, today)
