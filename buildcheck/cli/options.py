"""What reads the text of an option, and what completes it in a shell."""

from __future__ import annotations

import datetime
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from buildcheck.cli.settings import Lab
from buildcheck.model.vocabulary import vocabulary

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from buildcheck.model.rate import Rates

#: Days that anything here can be judged by: a year outside of this century is a slip of the pen.
_FIRST, _LAST = datetime.date(2000, 1, 1), datetime.date(2099, 12, 31)


def day(_ctx: click.Context, _param: click.Parameter | None, text: str | None) -> datetime.date:
    """The day that an option gives, or the current one."""
    if not text:
        return datetime.datetime.now(tz=datetime.UTC).date()
    try:
        day = datetime.date.fromisoformat(text)
    except ValueError:
        raise click.BadParameter(f"'{text}' is not a date such as 2026-11-20") from None
    if not _FIRST <= day <= _LAST:
        what = f"'{text}' is no day to judge by; give one from {_FIRST} to {_LAST}"
        raise click.BadParameter(what)
    return day


def _rates(_ctx: click.Context, _param: click.Parameter, texts: tuple[str, ...]) -> Rates:
    from buildcheck.model.rate import read_rates  # few give rates

    try:
        return read_rates(texts)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def _seconds(_ctx: click.Context, _param: click.Parameter, value: float | None) -> float | None:
    if value is not None and not (value > 0 and math.isfinite(value)):
        raise click.BadParameter(f"{value} is not a number of seconds above zero")
    return value


def _outputs(
    _ctx: click.Context, _param: click.Parameter, given: tuple[str, ...]
) -> dict[Path, str]:
    found: dict[Path, str] = {}
    forms = (*choices("validate", "form"), "html")
    for one in given:
        form, _, name = one.partition("=")
        if form not in forms or not name:
            what = f"'{one}' is no format with a file, as in sarif=findings.sarif"
            raise click.BadParameter(f"{what}; formats: {', '.join(forms)}")
        if Path(name) in found:
            raise click.BadParameter(f"'{name}' is given twice")
        found[Path(name)] = form
    return found


def choices(of: str, option: str) -> tuple[str, ...]:
    """The words that an option of a command takes."""
    options = vocabulary("commands")["commands"][of]["options"]
    return next(tuple(o[option]["type"]) for o in options if isinstance(o, dict) and option in o)


def _rule_ids(_ctx: click.Context, _param: click.Parameter, typed: str) -> list[str]:
    """Ids and domains that begin with what is typed behind the last comma, for shells."""
    rules = Lab().rulebook().rules
    before, comma, last = typed.rpartition(",")
    names = [*dict.fromkeys(rule.domain for rule in rules), *(rule.id for rule in rules)]
    return [before + comma + name for name in names if name.startswith(last)]


def _part_ids(_ctx: click.Context, param: click.Parameter, typed: str) -> list[CompletionItem]:
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


#: By the names that the table of commands has for them.
READ: dict[str, Any] = {
    "day": day,
    "rates": _rates,
    "seconds": _seconds,
    "outputs": _outputs,
    "names": lambda _ctx, _param, given: tuple(n for n in ",".join(given).split(",") if n),
}
COMPLETED: dict[str, Any] = {"rules": _rule_ids, "parts": _part_ids}
