"""The words of a wish as options of a command line.

Each option has a place in a wish file, where it overrides the file; `--avoid` adds
to it. Its text is read as the file's would be.
"""

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
from buildcheck.model.vocabulary import problem, vocabulary

_Command = TypeVar("_Command", bound="Callable[..., Any]")
#: How what an option takes ends where it may be repeated, and how its help does.
_SEVERAL, _AGAIN = "...", "; may be given again."
#: Words of the helps that are listed elsewhere.
_LISTED = {"objectives": ", ".join(OBJECTIVES), "confidence": ", ".join(CONFIDENCE)}
_SAID = vocabulary("wish-options")


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

    def added_to(self, command: _Command, completing: Callable[[str], Any]) -> _Command:
        """A command with it; `completing` makes what completes it in a shell."""
        several = self.metavar.endswith(_SEVERAL)
        text = (self.help[:-1] + _AGAIN if several else self.help).format(rate=EXAMPLE, **_LISTED)
        metavar = self.metavar.removesuffix(_SEVERAL) or None
        takes = {"metavar": metavar, "multiple": several} if metavar else {"default": None}
        if offered := _SAID["completed"].get(self.name):
            takes["shell_complete"] = completing(offered)
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
            example = self.help.partition(", such as ")[2].removesuffix(".")
            words: Any = {"text": text[:60], "form": self.metavar[:-3], "example": example}
            problems.append(problem(self.flag, "wish-form", **words))
        for key, texts in found.items():
            is_list = self.name == "own" and key in LISTS
            if len(texts) > 1 and not is_list:
                wrong = problem(self.flag, "wish-again", key=key[:60], number=len(texts))
                problems.append(wrong)
            said: Any = [entry(text) for text in texts] if is_list else texts[-1]
            yield OptionValue(self.flag, (*self.path, key), said)


_OPTIONS = tuple(
    _Option(name.replace("-", "_"), tuple(place.split(".")), "".join(metavar), text)
    for kind in ("options", "switches")
    for name, (place, *metavar, text) in _SAID[kind].items()
)


def wish_options(command: _Command, completing: Callable[[str], Any]) -> _Command:
    """Give a command the options of a wish; `wish_from` reads their values."""
    for option in reversed(_OPTIONS):
        command = option.added_to(command, completing)
    return command


def wish_from(
    raw: bytes | None, path: str, words: dict[str, Any], base: tuple[OptionValue, ...] = ()
) -> tuple[Wish | None, tuple[OptionValue, ...]]:
    """A wish from a file and options, and what the options gave; None if neither says anything.

    Options, which say nothing with None and `()`, override `base`, which is always given.
    Raises `InputError` with what is wrong in both.
    """
    problems: list[Problem] = []
    texts = ((option, words.get(option.name)) for option in _OPTIONS)
    own = [v for o, text in texts if text not in (None, ()) for v in o.values(text, problems)]
    given, wish = (*base, *own), None
    with InputError.added_to(problems):
        wish = read_wish(raw, path, given) if raw is not None or given else None
    InputError.raise_any(problems)
    return wish, given


def _weights(text: str, problems: list[Problem]) -> Any:
    """One word, or weights as a mapping."""
    if "=" not in text:
        return text.strip()
    pairs = [tuple(map(str.strip, pair.partition("="))) for pair in text.split(",")]
    found = {key: weight for key, _, weight in pairs}
    if len(found) == len(pairs) and all(key and sign and weight for key, sign, weight in pairs):
        return found
    problems.append(problem("--best", "wish-weights", text=text[:60]))
    return "price"
