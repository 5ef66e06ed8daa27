"""What became of every machine of a search."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from buildcheck.configure.search.space import Cost


@dataclass
class Tally:
    """Machines by what became of them.

    `excluded` counts them by rule, and `unknown` those of them that a rule would let pass or not
    as soon as data were known. `like` differ from one that was found in no more than a colour;
    `worse` are those left when the search ended, none of which is better than what was found.
    """

    machines: int = 0
    excluded: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    found: int = 0
    like: int = 0
    worse: int = 0
    bound: Cost = ()
    boxes: int = 0
    needs: float = math.inf

    def exclude(self, rule: str, number: int, *, waits: bool) -> None:
        """Count machines that a rule excludes, or that it waits for data of."""
        self.excluded[rule] += number
        if waits:
            self.unknown[rule] += number
