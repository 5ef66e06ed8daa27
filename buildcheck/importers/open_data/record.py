"""One record of BuildCores OpenDB, and how its fields are asked for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from buildcheck.importers.open_data.rows import TABLES
from buildcheck.model.frozen import dataclass

if TYPE_CHECKING:
    from collections import Counter

    from buildcheck.importers.open_data.rows import Facts

#: Words that mean "not known".
_UNKNOWN = frozenset({"", "unknown", "none", "n/a", "-"})
#: No number of a part is as large.
_TOO_LARGE = 1e12


def plain(value: Any) -> str:
    """A word without surrounding blanks; empty if it is no word or means "not known"."""
    word = value.strip() if isinstance(value, str) else ""
    return word if word.isprintable() and word.lower() not in _UNKNOWN else ""


@dataclass(frozen=True)
class OpenRecord:
    """What the source says of one part, and whether a person there checked it."""

    key: str
    name: str
    maker: str
    series: str
    part_numbers: tuple[str, ...]
    checked: bool
    spec: dict[str, Any]

    def text(self, name: str) -> str:
        """A field that is a word; empty if it is not known."""
        return plain(self.spec.get(name))

    def number(self, *path: str) -> float:
        """A field that is a number; zero if it is not known."""
        value: Any = self.spec
        for step in path:
            value = value.get(step) if isinstance(value, dict) else None
        if isinstance(value, bool) or not isinstance(value, int | float):
            return 0
        return value if 0 < value < _TOO_LARGE else 0

    def listed(self, name: str) -> list[str]:
        """A field that is a list of words."""
        value = self.spec.get(name)
        return [word for v in value if (word := plain(v))] if isinstance(value, list) else []

    def says(self, pattern: str) -> bool:
        """Does its name contain that, in capitals or not?"""
        return re.search(pattern, self.name, re.IGNORECASE) is not None

    def is_numbered(self, pattern: str) -> bool:
        """Does one of its part numbers begin with that, in capitals or not?"""
        return any(re.match(pattern, number, re.IGNORECASE) for number in self.part_numbers)


class Gate:
    """Facts of one record on their way through: puts in what is believed, counts the rest."""

    def __init__(self, gated: Counter[str]) -> None:
        self.facts: Facts = {}
        self._gated = gated

    def put(self, name: str, value: Any) -> None:
        """A value as a part file writes it; `None` and empty text are not known."""
        if value is not None and value != "":
            self.facts[name] = value

    def put_unless(self, name: str, value: Any, reasons: dict[str, bool]) -> None:
        """The same, unless one of the reasons against it holds."""
        if value is None or value == "":
            return
        reason = next((reason for reason, holds in reasons.items() if holds), None)
        if reason is None:
            self.facts[name] = value
        else:
            self.refuse(name, reason)

    def refuse(self, name: str, reason: str) -> None:
        """A value that is there and not believed."""
        self._gated[f"{name}: {reason}"] += 1


def socket(word: str) -> str:
    """A socket in the words of the catalogue.

    >>> socket("LGA 1151v2"), socket("2 x LGA 2011-3 Narrow"), socket("sTR4")
    ('LGA1151', 'LGA2011-3', 'TR4')
    """
    bare = re.sub(r"^\d x ", "", word).replace("LGA ", "LGA")
    bare = bare.removesuffix("v2").removesuffix(" Narrow")
    return "" if bare.startswith("Integrated") else {"sTR4": "TR4"}.get(bare, bare)


FORM_FACTORS: dict[str, str] = TABLES["form_factors"]


def measured(value: float, unit: str) -> str:
    """A quantity as part files write it; empty if it is zero, which means not known."""
    return f"{value:g} {unit}" if value else ""


def gigabytes(size: float) -> str:
    """A size of memory or of a drive, in the unit people use.

    >>> gigabytes(24), gigabytes(2000)
    ('24 GB', '2 TB')
    """
    if size >= 1000 and size % 10 == 0:  # noqa: PLR2004 - drives are made in powers of ten
        return f"{size / 1000:g} TB"
    return f"{size:g} GB"


def whole(value: float) -> int | None:
    """A count; `None` if it is zero, which means not known."""
    return int(value) or None
