"""The command that says how far a build is from its limits."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from buildcheck.cli_build import TODAY
from buildcheck.errors import BuildcheckError
from buildcheck.settings import part_folders
from buildcheck.streams import FORMAT, PARTS, read_build, shown, stop

if TYPE_CHECKING:
    import datetime
    from pathlib import Path

    from buildcheck.configure.sensitivity import Sensitivity


@click.command("sensitivity")
@click.argument("build", metavar="BUILD")
@FORMAT
@click.option("--all", "whole", is_flag=True, help="Print every margin, not the tightest alone.")
@TODAY
@PARTS
def main(
    build: str, form: str, today: datetime.date, folders: tuple[Path, ...], *, whole: bool
) -> None:
    """Say how far a build is from its limits, and what may change before its verdict does.

    Prints the margin of every rule, what blocks one more card, the least supply and circuit for
    each power limit, and how far each datum may go.

    `-` reads standard input. The exit code is 0 whatever was found, and 2 if the build cannot be
    used; `buildcheck validate` says by its exit code whether the build works.
    """
    try:
        found = _found(build, today, folders)
    except BuildcheckError as error:
        stop(error, form)
    from buildcheck.configure.sensitivity_text import (  # noqa: PLC0415 - help does without
        sensitivity_data,
        sensitivity_text,
    )

    if form == "json":
        click.echo(json.dumps(sensitivity_data(found), indent=2))
    else:
        click.echo(sensitivity_text(found, whole=whole), nl=False)


def _found(build: str, today: datetime.date, folders: tuple[Path, ...]) -> Sensitivity:
    """What a build is sensitive to. Raises `InputError`."""
    from buildcheck.catalog import Catalog  # noqa: PLC0415 - keeps --help and --version quick
    from buildcheck.check import check  # noqa: PLC0415
    from buildcheck.configure.sensitivity import sensitivity  # noqa: PLC0415
    from buildcheck.rulebook import load_rulebook  # noqa: PLC0415

    catalog, rulebook = Catalog(labs=part_folders(folders, (build,))), load_rulebook()
    report = check(read_build(build), shown(build), catalog, rulebook, today)
    return sensitivity(report, catalog, rulebook, today)
