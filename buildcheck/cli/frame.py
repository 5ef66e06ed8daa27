"""What commands that search share: options, answers, exit codes; `framed` calls one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from buildcheck.cli.build import TODAY, lab_options
from buildcheck.cli.settings import Lab
from buildcheck.model.frozen import dataclass
from buildcheck.streams import FORMAT, VERBOSE, gathered, path_option, show_answer

if TYPE_CHECKING:
    import datetime
    from collections.abc import Callable
    from pathlib import Path

    from click.shell_completion import CompletionItem

    from buildcheck.configure.engine import Engine
    from buildcheck.model.rate import Rates
    from buildcheck.rulebook import Selection

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

    #: None where the ending of the output file decides.
    form: str | None
    today: datetime.date
    lab: Lab
    lists: tuple[Path, ...] = ()
    verbose: bool = False

    def engine(self, *inputs: str) -> Engine:
        """What searches are made with. Raises `InputError`."""
        from buildcheck.configure.engine import Engine

        return Engine(*self.lab.judging(self.today, *inputs), self.lists)

    def answer(self, command: str, answer: Any) -> None:
        """Print a command's answer: by its template, or as JSON."""
        show_answer(command, answer, self.form or "text", verbose=self.verbose)


def framed(
    *options: Callable[[Any], Any], form: Callable[[Any], Any] = FORMAT
) -> Callable[[Any], Any]:
    """Add the options that all these commands have, behind `options` that only some do.

    The command takes a `Frame` and the rest of its options by name.
    """
    return gathered("frame", Frame, *options, form, VERBOSE, TODAY, lab_options)


def field_option(name: str, text: str, metavar: str = "N", **more: Any) -> Callable[[Any], Any]:
    """An option with the name of a field of the build file."""
    return click.option(f"--{name}", metavar=metavar, help=text, **more)


KIND = click.option(
    "--for", "kind", type=click.Choice(["training", "inference"]), help="What the model is for."
)


def rule_ids(_ctx: click.Context, _param: click.Parameter, typed: str) -> list[str]:
    """Ids and domains that begin with what is typed behind the last comma, for shells."""
    rules = Lab().rulebook().rules
    before, comma, last = typed.rpartition(",")
    names = [*dict.fromkeys(rule.domain for rule in rules), *(rule.id for rule in rules)]
    return [before + comma + name for name in names if name.startswith(last)]


def part_ids(_ctx: click.Context, param: click.Parameter, typed: str) -> list[CompletionItem]:
    """Ids of parts that begin with what is typed, of one kind where an option names a section."""
    from click.shell_completion import CompletionItem

    from buildcheck.catalog.layers import kinds, shipped
    from buildcheck.model.build import SECTION_KIND

    kind = SECTION_KIND.get(param.name or "", typed.partition("/")[0])
    if kind not in typed.split("/")[:-1]:
        found = [kind] if kind in SECTION_KIND.values() else kinds()
        return [CompletionItem(f"{one}/") for one in found if one.startswith(typed)]
    index = shipped(labs=tuple(Lab().folders("parts")))
    found = [one for one in index.listed(kind) if one.startswith(typed)]
    return [CompletionItem(one, help=index.name(one)) for one in found]


def _rule_option(name: str, text: str) -> Callable[[Any], Any]:
    more: Any = {
        "multiple": True,
        "callback": lambda _ctx, _param, given: tuple(n for n in ",".join(given).split(",") if n),
        "shell_complete": rule_ids,
    }
    return click.option(name, metavar="RULES", help=text, **more)


def _selection(select: Any, extend_select: Any, ignore: Any) -> Selection:
    from buildcheck.rulebook import Selection

    return Selection(select, extend_select, ignore)


#: Adds the options that select rules.
rule_options = gathered(
    "chosen",
    _selection,
    _rule_option(
        "--select", "Judge by these rules alone: ids or domains, with commas; may be given again."
    ),
    _rule_option("--extend-select", "Judge by these rules as well."),
    _rule_option("--ignore", "Leave these rules out."),
)
