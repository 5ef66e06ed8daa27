"""Commands as `words/commands.yaml` declares them: options, alone or as one, help, exit codes."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from buildcheck import store
from buildcheck.cli.options import READ, completing
from buildcheck.cli.settings import Lab
from buildcheck.configure.stopping import StoppedError
from buildcheck.errors import BuildcheckError
from buildcheck.model.frozen import Frozen
from buildcheck.model.vocabulary import vocabulary
from buildcheck.streams import EXIT_CODES, answer_text, show_answer, stop

if TYPE_CHECKING:
    import datetime

    from buildcheck.configure.engine import Engine
    from buildcheck.rulebook import Selection

#: Types by the names that the table has for them.
_TYPES: dict[str, click.ParamType[Any]] = {
    "file": click.Path(path_type=Path),
    "build": click.Path(readable=False),
    "float": click.FLOAT,
}


class Command(click.Command):
    """A command that reports what is wrong and leaves with 2; else with the code it returns."""

    def invoke(self, ctx: click.Context) -> NoReturn:
        """Run it."""
        store.waits[:] = [_announce] * (ctx.params.get("only") != "quiet")
        try:
            code = super().invoke(ctx)
        except BuildcheckError as error:
            stop(error, ctx.params.get("form") or "text")
        except StoppedError:
            # Nothing was found yet.
            raise click.Abort from None
        sys.exit(code or 0)


def _announce() -> None:
    """Say that all parts are read first, over what shows how far a search is."""
    start, shown_as = "\r\033[K" * sys.stderr.isatty() if sys.stderr else "", "progress"
    click.echo(start + answer_text(shown_as, {"step": "index"}, "text"), nl=False, err=True)


def exits(codes: Mapping[Any, str]) -> str:
    """What a command leaves with, below its help."""
    lines = (f"  {code}  {words}" for code, words in codes.items())
    return "\n".join(("\b", "Exit codes:", *lines))


def command(
    name: str, group: click.Group | None = None, **made: list[click.Parameter]
) -> Callable[[Callable[..., Any]], Command]:
    """Make a function the command of a name, in a group; `made` are options made elsewhere."""
    stated = vocabulary("commands")["commands"][name]
    taken, codes = _taken(name, stated, made), stated.get("exits", {})

    def dress(function: Callable[..., Any]) -> Command:
        paragraphs = (" ".join((function.__doc__ or "").split()), stated.get("help", ""))
        found = Command(
            name.rpartition(" ")[2],
            callback=function,
            params=taken,
            help="\n\n".join(filter(None, paragraphs)),
            epilog=exits(EXIT_CODES if codes == "usual" else codes) if codes else None,
        )
        if group:
            group.add_command(found)
        return found

    return dress


def parsed(name: str) -> Command | None:
    """A command that only shells complete; None where options of it are made elsewhere."""
    table = vocabulary("commands")
    stated, known = table["commands"].get(name), {*table["options"], *table["groups"]}
    named = [one for one in (stated or {}).get("options", ()) if isinstance(one, str)]
    return Command(name, params=_taken(name, stated, {})) if stated and known >= {*named} else None


def _taken(
    name: str, stated: dict[str, Any], made: Mapping[str, list[click.Parameter]]
) -> list[click.Parameter]:
    """The arguments of a command, and its options, each with a variable called as it is written."""
    listed = [*stated.get("options", ()), *["color"] * ("answer" in stated)]
    options = [*_parameters("options", listed, made)]
    for one in options:
        called = f"buildcheck {name} {max(one.opts, key=len).lstrip('-')}"
        one.envvar = re.sub(r"\W", "_", called).upper()
    return [*_parameters("arguments", stated.get("arguments", ()), {}), *options]


def _parameters(
    what: str, listed: Iterable[Any], made: Mapping[str, list[click.Parameter]]
) -> Iterator[click.Parameter]:
    """Arguments or options: declared here, of several commands, of a group, or made elsewhere."""
    table, groups = vocabulary("commands")[what], vocabulary("commands")["groups"]
    for one in listed:
        if isinstance(one, dict):
            ((name, own),) = one.items()
            yield _parameter(what, name, dict(own))
        elif one in groups or one in made:
            yield from made.get(one) or _parameters(what, groups[one], made)
        else:
            yield _parameter(what, one, dict(table.get(one, {})))


def _parameter(what: str, name: str, stated: dict[str, Any]) -> click.Parameter:
    flags = stated.pop("flags", f"--{name.replace('_', '-')}")
    if "/" in flags:
        stated["default"] = None  # neither on nor off
    for key, known in (("callback", READ.get), ("shell_complete", completing)):
        if key in stated:
            stated[key] = known(stated[key])
    # A flag that a variable turns off is no text.
    kind = stated.get("type", click.UNPROCESSED if "flag_value" in stated else [])
    if not isinstance(kind, list):
        stated["type"] = _TYPES.get(kind, kind)
    elif kind:
        stated["type"] = click.IntRange(*kind) if isinstance(kind[0], int) else click.Choice(kind)
    if what == "options":
        return click.Option([name, *flags.split(", ")], **stated)
    return click.Argument([name], **stated)


def gathered(name: str, make: Callable[..., Any]) -> Callable[[Any], Any]:
    """What gives a function some options as one: `make` takes them by their names."""
    names = make.__annotations__

    def dress(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def run(*given: Any, **named: Any) -> Any:
            own = {one: named.pop(one) for one in names if one in named}
            return function(*given, **{name: make(**own)}, **named)

        return run

    return dress


def options_of(dress: Callable[[Any, Any], Any]) -> list[click.Parameter]:
    """The options that are made elsewhere, as what adds them to a function."""
    return [*reversed(dress(lambda: None, completing).__click_params__)]


#: Gives a function the folders of a lab's own.
with_lab = gathered("lab", Lab)


class Frame(Frozen):
    """Options that all search commands have, or several."""

    today: datetime.date
    lab: Lab
    #: None where the ending of the output file decides.
    form: str | None = None
    verbose: bool = False
    lists: tuple[Path, ...] = ()
    quotes: tuple[Path, ...] = ()
    output: Path | None = None
    #: Seconds after which a search ends.
    limit: float | None = None

    def engine(self, *inputs: str) -> Engine:
        """What searches are made with. Raises `InputError`."""
        from buildcheck.configure.engine import Engine

        return Engine(*self.lab.judging(self.today, *inputs), self.lists)

    def answer(self, command: str, answer: Any) -> None:
        """Print a command's answer: by its template, or as JSON."""
        show_answer(command, answer, self.form or "text", verbose=self.verbose)


def framed(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a function the options that all these commands have as a `Frame`."""
    dressed: Callable[..., Any] = with_lab(gathered("frame", Frame)(function))
    return dressed


def _selection(select: Any, extend_select: Any, ignore: Any) -> Selection:
    from buildcheck.rulebook import Selection

    return Selection(select, extend_select, ignore)


#: Gives a function the options that select rules.
with_chosen = gathered("chosen", _selection)
