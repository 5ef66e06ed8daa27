"""What became of the machines of a search, in exact numbers."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from buildcheck.configure.proof import Proof
from buildcheck.configure.search.classes import CENTS, FINE
from buildcheck.configure.search.space import PRICE

if TYPE_CHECKING:
    from buildcheck.configure.search.space import Cost

#: Names of conflicts that are no rule's: what is beyond the budget, and what was given already.
BUDGET, GIVEN = "budget", ""


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
    nodes: int = 0
    needs: float = math.inf

    def exclude(self, rule: str, number: int, *, waits: bool = False) -> None:
        """Count machines that a rule excludes, or that it waits for data of."""
        if rule == GIVEN:
            self.like += number
            return
        self.excluded[rule] += number
        if waits:
            self.unknown[rule] += number

    def proof(self, *, complete: bool) -> Proof:
        """What is proven by it."""
        bound = self.bound[0] if self.bound else 0
        unit = CENTS if len(self.bound) == -PRICE else FINE
        return Proof(
            candidates=self.machines,
            excluded_by=dict(self.excluded.most_common()),
            unknown_by=dict(self.unknown.most_common()),
            not_better=self.worse + self.like,
            equivalent=self.found,
            complete=complete,
            bound=bound / unit if abs(bound) < math.inf else None,
            min_price=self.needs / CENTS if self.needs < math.inf else None,
        )
