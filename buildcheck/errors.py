"""What can go wrong before anything is judged.

    BuildcheckError
    ├── InputError       the build file, or a name in it
    ├── CatalogError     a part file
    └── RulebookError    a rule file

Each carries every problem found, not the first one. Findings about a build are
values (`model.finding`), never errors. A name that nobody knows is a `NameUnknownError` until
somebody says whose it is. Anything else that is raised is a bug.
"""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from textwrap import wrap
from typing import NamedTuple


class Problem(NamedTuple):
    """One thing wrong at one place: where, what, and what to do about it."""

    path: str
    line: int
    column: int
    message: str
    suggestion: str = ""
    #: Names that were probably meant, the nearest first.
    near: tuple[str, ...] = ()
    #: The line of the file, and how many of its characters are meant.
    source: str = ""
    width: int = 1

    @property
    def advice(self) -> str:
        """What to do, as sentences."""
        names = " or ".join(f"'{name}'" for name in self.near)
        return " ".join(filter(None, (f"Did you mean {names}?" if names else "", self.suggestion)))

    @property
    def where(self) -> str:
        """The file, and the place in it."""
        return f"{self.path}:{self.line}:{self.column}" if self.line else self.path

    def as_data(self) -> dict[str, str | int]:
        """What JSON holds of it: path, line, column, message and suggestion."""
        names = ("path", "line", "column", "message")
        return {**{name: getattr(self, name) for name in names}, "suggestion": self.advice}

    def __str__(self) -> str:
        tail = f" {self.advice}" if self.advice else ""
        return f"{self.where}: {self.message}.{tail}"

    def block(self, level: str = "error") -> str:
        """What is wrong, the line with a caret below it, and what to do, over several lines."""
        lines = _wrapped(f"{self.where}: {level}: ", self.message, 4)
        if self.source:
            lines += marked(self.source, self.line, self.column, self.width)
        heads = ("  did you mean: ", *[" " * 16] * len(self.near))
        lines += [head + name for head, name in zip(heads, self.near, strict=False)]
        if self.suggestion:
            lines += _wrapped("  fix: ", self.suggestion, 7)
        return "\n".join("".join(c if c.isprintable() else "\ufffd" for c in n) for n in lines)


#: Columns of a terminal that errors take.
WIDTH = 100


def marked(source: str, line: int, column: int, width: int = 1, indent: int = 2) -> list[str]:
    """A line of a file, cut to the width of a terminal, and carets below the place in it."""
    number, start = str(line), max(0, column - 1)
    most, text = WIDTH - len(number) - indent - 3, source.rstrip().replace("\t", " ")
    end = start + max(1, width)
    cut = max(0, min(start - most // 4, end - most + 1)) if _columns(text) > most else 0
    shown = "…" * bool(cut) + text[cut + bool(cut) :]
    if _columns(shown) > most:
        shown = _fitting(shown, most - 1) + "…"
    before = _columns(shown[: start - cut])
    marks, head = _columns(shown[start - cut : end - cut]), " " * indent
    return [
        f"{head}{number} | {shown}",
        f"{head}{' ' * len(number)} | {' ' * before}{'^' * max(1, marks)}",
    ]


def _wrapped(head: str, words: str, indent: int) -> list[str]:
    """Words behind a head over several lines, indented from the second on."""
    clean = "".join(c if c.isprintable() else "\ufffd" for c in words)
    if len(head) + _columns(clean) <= WIDTH:
        return [head + clean]
    rest = " " * indent
    return wrap(head + clean, WIDTH, subsequent_indent=rest, break_on_hyphens=False) or [head]


def _fitting(text: str, most: int) -> str:
    """The beginning of a text that fits into a number of columns."""
    text = text[:most]
    while _columns(text) > most:
        text = text[:-1]
    return text


def _columns(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


#: Problems that are shown, and characters of each.
_MOST, _LONGEST = 50, 600


def capped(problems: Sequence[Problem]) -> list[Problem]:
    """The problems to show: the first ones, none longer than people read, and how many are left."""
    shown = [p._replace(message=clipped(p.message)) for p in problems[:_MOST]]
    if more := len(problems) - len(shown):
        shown.append(Problem(problems[-1].path, 0, 0, f"{more} more problems are not shown"))
    return shown


def clipped(text: str) -> str:
    """A text no longer than people read: its begin and its end."""
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]} … {text[-half:]}"


def closing(problems: Sequence[Problem]) -> str:
    """How many problems there are, and in which files; empty for one, which is no list."""
    if not problems[1:]:
        return ""
    files = dict.fromkeys(p.path for p in problems if not p.path.startswith("--"))
    where = f" in {' and '.join(files)}" if files else ""
    return f"{len(problems)} problems{where}"


class BuildcheckError(Exception):
    """Something could not be read or used; `problems` says all that is wrong."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        # What is wrong in several lines alike is said once.
        once = {(p.path, p.message, p.suggestion): p for p in sorted(set(problems), reverse=True)}
        self.problems = sorted(once.values())
        super().__init__("\n".join(map(str, self.problems)))

    @classmethod
    def raise_any(cls, problems: Iterable[Problem]) -> None:
        """Raise it with these problems, if there are any."""
        if found := [*problems]:
            raise cls(found)

    @classmethod
    @contextmanager
    def added_to(cls, problems: list[Problem]) -> Iterator[None]:
        """Add what is wrong within it to these problems; what comes after it goes on."""
        try:
            yield
        except cls as error:
            problems += error.problems


class InputError(BuildcheckError):
    """The build file cannot be used as it stands."""


class CatalogError(BuildcheckError):
    """A part file cannot be used as it stands."""


class RulebookError(BuildcheckError):
    """A rule file cannot be used as it stands."""


class NameUnknownError(LookupError):
    """No part, or each of `ids`, goes by a name; `near`, found when asked for, are candidates."""

    def __init__(
        self, name: str, near: list[str] | Callable[[], list[str]], ids: Iterable[str] = ()
    ) -> None:
        super().__init__(name)
        self._near = near
        self.ids = tuple(ids)

    @property
    def ambiguous(self) -> bool:
        """Do several parts go by the name?"""
        return bool(self.ids)

    @cached_property
    def near(self) -> list[str]:
        """The names people may have meant, the likeliest first."""
        return self._near() if callable(self._near) else self._near
