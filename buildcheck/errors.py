"""What can go wrong before anything is judged.

    BuildcheckError
    ├── InputError       the build file, or a name in it
    ├── CatalogError     a part file
    └── RulebookError    a rule file

Each carries every problem found, not the first one. Findings about a build are
values (`model.finding`), never errors. Anything else that is raised is a bug.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


class Problem(NamedTuple):
    """One thing wrong at one spot: where, what, and what to do about it."""

    path: str
    line: int
    column: int
    message: str
    suggestion: str = ""

    def __str__(self) -> str:
        where = f"{self.path}:{self.line}:{self.column}" if self.line else self.path
        tail = f" {self.suggestion}" if self.suggestion else ""
        return f"{where}: {self.message}.{tail}"


class BuildcheckError(Exception):
    """Something could not be read or used; `problems` says all that is wrong."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = sorted(set(problems))
        super().__init__("\n".join(map(str, self.problems)))


class InputError(BuildcheckError):
    """The build file cannot be used as it stands."""


class CatalogError(BuildcheckError):
    """A part file cannot be used as it stands."""


class RulebookError(BuildcheckError):
    """A rule file cannot be used as it stands."""
