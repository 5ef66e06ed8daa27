"""One record of BuildCores OpenDB, and how its fields are asked for."""

import re
from collections.abc import Iterable
from typing import Any

from buildcheck.model.frozen import Frozen

#: Words that mean "not known".
_UNKNOWN = frozenset({"", "unknown", "none", "n/a", "-"})
#: No number of a part is as large.
_TOO_LARGE = 1e12


def plain(value: Any) -> str:
    """A word without surrounding blanks; empty if it is no word or means "not known"."""
    word = value.strip() if isinstance(value, str) else ""
    return word if word.isprintable() and word.lower() not in _UNKNOWN else ""


class OpenRecord(Frozen):
    """What the source says of one part, and whether a person there checked it."""

    key: str
    name: str
    maker: str
    series: str
    part_numbers: tuple[str, ...]
    checked: bool
    spec: dict[str, Any]

    def names(self) -> dict[str, Any]:
        """What expressions of a recipe can ask for."""
        asked = (
            *(self.text, self.number, self.field, self.listed, self.counts),
            *(self.says, self.is_numbered),
        )
        return vars(self) | {method.__name__: method for method in asked}

    def field(self, *path: str) -> Any:
        """A field as it is, or one inside it; `None` if it is not there."""
        value: Any = self.spec
        for step in path:
            value = value.get(step) if isinstance(value, dict) else None
        return value

    def text(self, *path: str) -> str:
        """A field that is a word; empty if it is not known."""
        return plain(self.field(*path))

    def number(self, *path: str) -> float:
        """A field that is a number; zero if it is not known."""
        value = self.field(*path)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return 0
        return value if 0 < value < _TOO_LARGE else 0

    def listed(self, *path: str) -> list[str]:
        """A field that is a list of words."""
        value = self.field(*path)
        return [word for v in value if (word := plain(v))] if isinstance(value, list) else []

    def counts(self, field: str, words: Iterable[str]) -> list[tuple[int, str]]:
        """The numbers of words in a field, where there are any."""
        found = ((int(self.number(field, word)), word) for word in words)
        return [(count, word) for count, word in found if count]

    def says(self, pattern: re.Pattern[str]) -> bool:
        """Does its name contain that?"""
        return pattern.search(self.name) is not None

    def is_numbered(self, pattern: re.Pattern[str]) -> bool:
        """Does one of its part numbers begin with that?"""
        return any(map(pattern.match, self.part_numbers))
