"""The words of a wish as options of a command line.

Each option has a place in a wish file, where it overrides the file; `--avoid` adds
to it. Its text is read as the file's would be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from buildcheck.configure.wish.model import OBJECTIVES
from buildcheck.configure.wish.reading import OptionValue
from buildcheck.errors import InputError, Problem
from buildcheck.load.forms import entry
from buildcheck.model.build import LISTS
from buildcheck.model.part import CONFIDENCE
from buildcheck.model.rate import EXAMPLE
from buildcheck.model.vocabulary import vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from buildcheck.model.source import Path

_Command = TypeVar("_Command", bound="Callable[..., Any]")
#: How what an option takes ends where it may be repeated, and how its help does.
_SEVERAL, _AGAIN = "...", "; may be given again."


class _Option(NamedTuple):
    """An option, its place in a wish file, and what it takes; `...` where it may be repeated."""

    flag: str
    place: str
    metavar: str
    help: str

    @property
    def name(self) -> str:
        """What its value is called where the command is called."""
        return self.flag.removeprefix("--").replace("-", "_")

    @property
    def path(self) -> Path:
        """Its place by steps."""
        return tuple(self.place.split("."))

    @property
    def several(self) -> bool:
        """May it be given again?"""
        return self.metavar.endswith(_SEVERAL)


_SAID = vocabulary("wish-options")
_LISTED = {
    "{objectives}": ", ".join(OBJECTIVES),
    "{confidence}": ", ".join(CONFIDENCE),
    "{rate}": EXAMPLE,
}


def _filled(text: str) -> str:
    """A help with the words that are listed elsewhere."""
    for mark, words in _LISTED.items():
        text = text.replace(mark, words)
    return text


_OPTIONS = tuple(
    _Option(f"--{name}", place, metavar, _filled(text))
    for name, (place, metavar, text) in _SAID["options"].items()
)
_SWITCHES = tuple(
    (name.replace("-", "_"), tuple(place.split(".")), text)
    for name, (place, text) in _SAID["switches"].items()
)


def wish_options(command: _Command) -> _Command:
    """Give a command the options of a wish; `wish_from_options` reads their values."""
    for name, _, text in reversed(_SWITCHES):
        flag = name.replace("_", "-")
        command = click.option(f"--{flag}/--no-{flag}", name, default=None, help=text)(command)
    for option in reversed(_OPTIONS):
        command = click.option(
            option.flag,
            option.name,
            metavar=option.metavar.removesuffix(_SEVERAL),
            multiple=option.several,
            help=option.help[:-1] + _AGAIN if option.several else option.help,
        )(command)
    return command


def wish_from_options(**values: Any) -> tuple[OptionValue, ...]:
    """What options say, for `read_wish` to lay over a file. None and `()` say nothing.

    Raises `InputError` for text that lacks its `=`, and `TypeError` for a name of no option.
    """
    problems: list[Problem] = []
    found: list[OptionValue] = []
    for option in _OPTIONS:
        given = values.pop(option.name, None)
        if given not in (None, ()):
            found += _read(option, given, problems)
    for name, path, _ in _SWITCHES:
        given = values.pop(name, None)
        if given is not None:
            flag = ("" if given else "no-") + name.replace("_", "-")
            found.append(OptionValue(f"--{flag}", path, given))
    if values:
        raise TypeError(f"no options of a wish: {', '.join(sorted(values))}")
    if problems:
        raise InputError(problems)
    return tuple(found)


def _read(option: _Option, given: Any, problems: list[Problem]) -> Iterator[OptionValue]:
    if option.flag in ("--own", "--price"):
        yield from _pairs(option, given, problems)
    elif option.flag == "--best":
        yield OptionValue(option.flag, option.path, _weights(given, problems))
    elif option.flag == "--avoid":
        yield OptionValue(option.flag, option.path, list(given))
    elif option.several:
        # One is written as in a file, where a list of one case is a list of kinds.
        yield OptionValue(option.flag, option.path, list(given) if len(given) > 1 else given[0])
    else:
        yield OptionValue(option.flag, option.path, given)


def _pairs(
    option: _Option, given: tuple[str, ...], problems: list[Problem]
) -> Iterator[OptionValue]:
    """Values by key; those of a section with several entries as a list."""
    found: dict[str, list[str]] = {}
    for text in given:
        key, sign, value = map(str.strip, text.partition("="))
        if not (key and sign and value):
            what = f"'{text[:60]}' needs the form {option.metavar[:-3]}"
            example = option.help.partition(", such as ")[2].removesuffix(".")
            problems.append(Problem(option.flag, 0, 0, what, f"As in {example}"))
            continue
        found.setdefault(key, []).append(value)
    for key, texts in found.items():
        if len(texts) > 1 and not (option.flag == "--own" and key in LISTS):
            what = f"'{key[:60]}' is given {len(texts)} times"
            problems.append(Problem(option.flag, 0, 0, what, "Give it once"))
        entries = [entry(text) for text in texts] if key in LISTS else texts[-1]
        yield OptionValue(
            option.flag, (*option.path, key), entries if option.flag == "--own" else texts[-1]
        )


def _weights(text: str, problems: list[Problem]) -> Any:
    """One word, or weights as a mapping."""
    if "=" not in text:
        return text.strip()
    found: dict[str, str] = {}
    for pair in text.split(","):
        key, sign, weight = map(str.strip, pair.partition("="))
        if not (key and sign and weight) or key in found:
            what = f"'{text[:60]}' needs weights, each once"
            problems.append(Problem("--best", 0, 0, what, "As in price=1,gpu_memory=0.5"))
            return "price"
        found[key] = weight
    return found
