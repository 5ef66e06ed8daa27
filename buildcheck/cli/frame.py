"""What the commands that search the catalogue share: options, answers, exit codes.

`framed` calls a command with a `Frame` and its own options.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import click

from buildcheck.cli.build import TODAY, lab_options
from buildcheck.model.frozen import dataclass
from buildcheck.streams import FORMAT, VERBOSE, path_option, show_answer

if TYPE_CHECKING:
    import datetime
    from collections.abc import Callable
    from pathlib import Path

    from buildcheck.catalog import Catalog
    from buildcheck.check import Judging
    from buildcheck.cli.settings import Lab
    from buildcheck.configure.engine import Engine
    from buildcheck.model.rate import Rates

PRICES = path_option(
    "--prices",
    "lists",
    multiple=True,
    help="A file with prices of your own, over the shipped ones; may be given again.",
)


def _rates(_ctx: click.Context, _param: click.Parameter, texts: tuple[str, ...]) -> Rates:
    from buildcheck.model.rate import read_rates  # few give rates

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
    """Options that all search commands have, or several."""

    form: str
    today: datetime.date
    lab: Lab
    lists: tuple[Path, ...] = ()
    verbose: bool = False

    def catalog(self, *inputs: str) -> Catalog:
        """The catalogue under the parts of these files and of `--parts`. Raises `InputError`."""
        return self.lab.catalog(*inputs)

    def judging(self, *inputs: str) -> Judging:
        """What builds are judged by. Raises `InputError` and `RulebookError`."""
        from buildcheck.check import Judging

        return Judging(self.catalog(*inputs), self.lab.rulebook(*inputs), self.today)

    def engine(self, *inputs: str) -> Engine:
        """What searches are made with. Raises `InputError`."""
        from buildcheck.configure.engine import Engine

        return Engine(*self.judging(*inputs), self.lists)

    def answer(self, command: str, answer: Any) -> None:
        """Print a command's answer: by its template, or as JSON."""
        show_answer(command, answer, self.form, verbose=self.verbose)


def framed(
    *options: Callable[[Any], Any], form: Callable[[Any], Any] = FORMAT
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Add the options that all these commands have, behind `options` that only some do.

    The command takes a `Frame` first and the rest of its options by name.
    """

    def dress(command: Callable[..., int]) -> Callable[..., int]:
        @functools.wraps(command)
        def run(
            *,
            form: str | None,
            today: datetime.date,
            lab: Lab,
            verbose: bool = False,
            lists: tuple[Path, ...] = (),
            **own: Any,
        ) -> int:
            return command(Frame(form or "", today, lab, lists, verbose), **own)

        dressed: Callable[..., int] = run
        for option in reversed((*options, form, VERBOSE, TODAY, lab_options)):
            dressed = option(dressed)
        return dressed

    return dress


def field_option(name: str, text: str, metavar: str = "N") -> Callable[[Any], Any]:
    """An option with the name of a field of the build file."""
    return click.option(f"--{name}", metavar=metavar, help=text)


KIND = click.option(
    "--for", "kind", type=click.Choice(["training", "inference"]), help="What the model is for."
)
