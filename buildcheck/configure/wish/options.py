"""The words of a wish as options of a command line.

Each option has a place in a wish file, where it overrides the file; `--avoid` adds
to it. Its text is read as the file's would be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

import click

from buildcheck.configure.wish.model import OBJECTIVES
from buildcheck.configure.wish.reading import OptionValue
from buildcheck.configure.wish.wish import Wish, read_wish
from buildcheck.errors import InputError, Problem
from buildcheck.load.forms import entry
from buildcheck.model.build import LISTS
from buildcheck.model.part import CONFIDENCE
from buildcheck.model.rate import EXAMPLE
from buildcheck.model.source import Path
from buildcheck.model.vocabulary import vocabulary

_Command = TypeVar("_Command", bound="Callable[..., Any]")
#: How what an option takes ends where it may be repeated, and how its help does.
_SEVERAL, _AGAIN = "...", "; may be given again."
#: Words of the helps that are listed elsewhere.
_LISTED = {
    "{objectives}": ", ".join(OBJECTIVES),
    "{confidence}": ", ".join(CONFIDENCE),
    "{rate}": EXAMPLE,
}


class _Option(NamedTuple):
    """An option, its place in a wish file, and its help; what it takes, nothing where on or off.

    What ends in `...` may be repeated.
    """

    name: str
    path: Path
    metavar: str
    help: str

    @property
    def flag(self) -> str:
        """How it is written; with a slash where it is on or off."""
        name = self.name.replace("_", "-")
        return f"--{name}" if self.metavar else f"--{name}/--no-{name}"

    def added_to(self, command: _Command) -> _Command:
        """A command with it."""
        several = self.metavar.endswith(_SEVERAL)
        text = self.help[:-1] + _AGAIN if several else self.help
        for mark, words in _LISTED.items():
            text = text.replace(mark, words)
        metavar = self.metavar.removesuffix(_SEVERAL) or None
        takes = {"metavar": metavar, "multiple": several} if metavar else {"default": None}
        return click.option(self.flag, self.name, help=text, **takes)(command)

    def values(self, given: Any, problems: list[Problem]) -> Iterator[OptionValue]:
        """What it says where it is given."""
        if not self.metavar:
            yield OptionValue(self.flag.split("/")[not given], self.path, given)
        elif self.name in ("own", "price"):
            yield from self._pairs(given, problems)
        elif self.name == "best":
            yield OptionValue(self.flag, self.path, _weights(given, problems))
        elif isinstance(given, str):
            yield OptionValue(self.flag, self.path, given)
        else:
            # One is written as in a file, where a list of one case is a list of kinds.
            several = len(given) > 1 or self.name == "avoid"
            yield OptionValue(self.flag, self.path, list(given) if several else given[0])

    def _pairs(self, given: tuple[str, ...], problems: list[Problem]) -> Iterator[OptionValue]:
        """Values by key; those of a section with several entries as a list."""
        found: dict[str, list[str]] = {}
        for text in given:
            key, sign, value = map(str.strip, text.partition("="))
            if key and sign and value:
                found.setdefault(key, []).append(value)
                continue
            what = f"'{text[:60]}' needs the form {self.metavar[:-3]}"
            example = self.help.partition(", such as ")[2].removesuffix(".")
            problems.append(Problem(self.flag, 0, 0, what, f"As in {example}"))
        for key, texts in found.items():
            is_list = self.name == "own" and key in LISTS
            if len(texts) > 1 and not is_list:
                what = f"'{key[:60]}' is given {len(texts)} times"
                problems.append(Problem(self.flag, 0, 0, what, "Give it once"))
            said: Any = [entry(text) for text in texts] if is_list else texts[-1]
            yield OptionValue(self.flag, (*self.path, key), said)


_SAID = vocabulary("wish-options")
_OPTIONS = tuple(
    _Option(name.replace("-", "_"), tuple(place.split(".")), "".join(metavar), text)
    for kind in ("options", "switches")
    for name, (place, *metavar, text) in _SAID[kind].items()
)


def wish_options(command: _Command) -> _Command:
    """Give a command the options of a wish; `wish_from_options` reads their values."""
    for option in reversed(_OPTIONS):
        command = option.added_to(command)
    return command


def wish_from_options(**values: Any) -> tuple[OptionValue, ...]:
    """What options say, for `read_wish` to lay over a file. None and `()` say nothing.

    Raises `InputError` for text that lacks its `=`, and `TypeError` for a name of no option.
    """
    problems: list[Problem] = []
    given = ((option, values.pop(option.name, None)) for option in _OPTIONS)
    found = [v for o, text in given if text not in (None, ()) for v in o.values(text, problems)]
    if values:
        raise TypeError(f"no options of a wish: {', '.join(sorted(values))}")
    if problems:
        raise InputError(problems)
    return tuple(found)


def wish_from(
    raw: bytes | None, path: str, words: dict[str, Any], base: tuple[OptionValue, ...] = ()
) -> tuple[Wish | None, tuple[OptionValue, ...]]:
    """A wish from a file and options, and what the options given; None if neither says anything.

    Options override `base`, which is always given.
    Raises `InputError` with what is wrong in both.
    """
    problems: list[Problem] = []
    given: tuple[OptionValue, ...] = ()
    wish = None
    try:
        given = base + wish_from_options(**words)
    except InputError as error:
        problems += error.problems
    try:
        if raw is not None or given:
            wish = read_wish(raw, path, given)
    except InputError as error:
        problems += error.problems
    if problems:
        raise InputError(problems)
    return wish, given


def _weights(text: str, problems: list[Problem]) -> Any:
    """One word, or weights as a mapping."""
    if "=" not in text:
        return text.strip()
    pairs = [tuple(map(str.strip, pair.partition("="))) for pair in text.split(",")]
    found = {key: weight for key, _, weight in pairs}
    if len(found) == len(pairs) and all(key and sign and weight for key, sign, weight in pairs):
        return found
    what = f"'{text[:60]}' needs weights, each once"
    problems.append(Problem("--best", 0, 0, what, "As in price=1,gpu_memory=0.5"))
    return "price"
