"""What reads the text of an option, and what completes it in a shell."""

import datetime
import math
import re
from pathlib import Path
from typing import Any

import click

from buildcheck.cli.settings import Lab
from buildcheck.model.vocabulary import shipped as rules_file
from buildcheck.model.vocabulary import vocabulary
from buildcheck.store import data_folder

#: A count in front of a name, and how many names a shell shows at most.
_COUNT, _MOST = re.compile(r"^\d+\s*x\s+"), 100
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


def _rates(_ctx: click.Context, _param: click.Parameter, texts: tuple[str, ...]) -> Any:
    from buildcheck.model.rate import read_rates  # reads what currencies there are

    try:
        return read_rates(texts)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def _seconds(_ctx: click.Context, _param: click.Parameter, value: float | None) -> float | None:
    if value is not None and not (value > 0 and math.isfinite(value)):
        raise click.BadParameter(f"{value} is not a number of seconds above zero")
    return value


def _color(ctx: click.Context, _param: click.Parameter, value: str) -> None:
    ctx.color = {"always": True, "never": False}.get(value)


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


def _rule_ids(typed: str) -> list[str]:
    """Ids and domains that begin with what is typed behind the last comma."""
    from buildcheck.model.rule import rule_files

    folders = (data_folder("rules"), *Lab().folders("rules"))
    ids = sorted({rule_id for folder in folders for rule_id, _ in rule_files(folder)})
    before, comma, last = typed.rpartition(",")
    names = [*dict.fromkeys(rule_id.partition("/")[0] for rule_id in ids), *ids]
    return [before + comma + name for name in names if name.startswith(last)]


def _parts(own: str, typed: str) -> list[str]:
    """Names of parts with the words that are typed, or ids that begin so, behind a count.

    They are of one kind if that is given.
    """
    from buildcheck.catalog.layers import shipped

    text, among = _COUNT.sub("", typed), [own] if own else _words("kinds", "")
    count = typed.removesuffix(text)
    found = [f"{one}/" for one in among if one.startswith(text)]
    if not found:
        index, is_id = shipped(labs=tuple(Lab().folders("parts"))), "/" in text
        parts = index.typed([k for k in among if not is_id or k == text.partition("/")[0]], text)
        found = [*parts] if is_id else [*parts.values()]
    return [count + one for one in found[:_MOST]]


def _words(what: str, typed: str) -> list[str]:
    """Words that a shell offers, by the name of a list, or one by one."""
    commands = vocabulary("commands")["commands"].items()
    answers = [name.replace(" ", "-") for name, stated in commands if "answer" in stated]
    kinds = [kind for kind in vocabulary("part-kinds") if not kind.endswith("-state")]
    lists = {"kinds": kinds, "uses": rules_file("rules", "advice")["uses"]}
    words = [*lists.get(what, what.split(", ")), *answers * what.endswith("config")]
    return [word for word in words if word.lower().startswith(typed.lower())]


def _of_key(what: str, typed: str) -> list[str]:
    """What a key of a build file may be, such as `case.kind`."""
    from buildcheck.docs.fields import words_of

    *keys, name = what.split(".")
    return words_of(keys, name, typed)[:_MOST]


def completing(what: str) -> Any:
    """What completes an option in a shell, as the table of commands has it."""
    how, _, of = what.partition(": ")
    reader = {"key": _of_key, "parts": _parts, "words": _words}.get(how)
    return lambda _ctx, _param, typed: reader(of, typed) if reader else _rule_ids(typed)


#: By the names that the table of commands has for them.
READ: dict[str, Any] = {
    "color": _color,
    "day": day,
    "rates": _rates,
    "seconds": _seconds,
    "outputs": _outputs,
    "names": lambda _ctx, _param, given: tuple(n for n in ",".join(given).split(",") if n),
}
