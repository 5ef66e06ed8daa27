"""What the commands that search the catalogue are told alike, how they answer, and how they end.

A command is framed by `framed`: it is called with a `Frame` and its own options, gives its exit
code, and lets out what is wrong, which is told here.
"""

from __future__ import annotations

import functools
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from buildcheck.cli_build import TODAY
from buildcheck.errors import BuildcheckError
from buildcheck.settings import part_folders
from buildcheck.streams import FORMAT, PARTS, path_option, stop

if TYPE_CHECKING:
    import datetime
    from collections.abc import Callable
    from pathlib import Path

    from buildcheck.catalog import Catalog
    from buildcheck.configure.engine import Engine
    from buildcheck.model.rate import Rates
    from buildcheck.rulebook import Rulebook

PRICES = path_option(
    "--prices",
    "lists",
    multiple=True,
    help="A file with prices of your own, over the shipped ones; may be given again.",
)


def _rates(_ctx: click.Context, _param: click.Parameter, texts: tuple[str, ...]) -> Rates:
    from buildcheck.model.rate import read_rates  # noqa: PLC0415 - few give rates

    try:
        return read_rates(texts)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


RATES = click.option(
    "--rate",
    "rates",
    multiple=True,
    metavar="RATE",
    callback=_rates,
    help="What a currency is worth, such as '1 USD = 0.92 EUR': the first is turned into the"
    " second; may be given again.",
)


@dataclass(frozen=True)
class Frame:
    """What a command was told beside what it is about: the options that all have, or several."""

    form: str
    today: datetime.date
    folders: tuple[Path, ...]
    lists: tuple[Path, ...] = ()

    def catalog(self, *inputs: str) -> Catalog:
        """The catalogue under the parts of these files and of `--parts`. Raises `InputError`."""
        from buildcheck.catalog import Catalog  # noqa: PLC0415 - help does without

        return Catalog(labs=part_folders(self.folders, inputs))

    def rulebook(self) -> Rulebook:
        """The rules. Raises `RulebookError`."""
        from buildcheck.rulebook import load_rulebook  # noqa: PLC0415 - help does without

        return load_rulebook()

    def engine(self, *inputs: str) -> Engine:
        """What searches are made with. Raises `InputError`."""
        from buildcheck.configure.engine import Engine  # noqa: PLC0415 - slow to import

        return Engine(self.catalog(*inputs), self.rulebook(), self.today, self.lists)

    def show(self, text: Callable[[], str], data: Callable[[], dict[str, Any]]) -> None:
        """Print an answer as text, or its data as JSON; only the one asked for is made."""
        if self.form == "json":
            import json  # noqa: PLC0415 - text does without

            click.echo(json.dumps(data(), indent=2, allow_nan=False))
        else:
            click.echo(text(), nl=False)


def framed(*options: Callable[[Any], Any]) -> Callable[[Callable[..., int]], Callable[..., None]]:
    """Add the options that all these commands have, behind `options` that only some do.

    The command takes a `Frame` first and the rest of its options by name.
    """

    def dress(command: Callable[..., int]) -> Callable[..., None]:
        @functools.wraps(command)
        def run(
            *,
            form: str,
            today: datetime.date,
            folders: tuple[Path, ...],
            lists: tuple[Path, ...] = (),
            **own: Any,
        ) -> None:
            try:
                code = command(Frame(form, today, folders, lists), **own)
            except BuildcheckError as error:
                stop(error, form)
            sys.exit(code)

        dressed: Callable[..., None] = run
        for option in reversed((*options, FORMAT, TODAY, PARTS)):
            dressed = option(dressed)
        return dressed

    return dress
