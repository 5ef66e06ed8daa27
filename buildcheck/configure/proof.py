"""What a search proves, and the data and prices it lacks."""

# Annotations of answers are read at run time, by pydantic when JSON is made of them.
from dataclasses import field

from buildcheck.model.frozen import dataclass


@dataclass(frozen=True)
class Proof:
    """What became of every candidate build, in exact numbers.

    `candidates` is the sum of `excluded_by`, `not_better` and `equivalent`; `unknown_by` are those
    of the excluded that a rule cannot judge for missing data.
    """

    candidates: int
    excluded_by: dict[str, int]
    not_better: int
    #: What comes to what was found, with parts that no rule tells apart.
    equivalent: int
    #: Nothing is left that could be better than what was found.
    complete: bool
    #: The least that anything not looked at could have of what was wished for, such as a price.
    bound: float | None = None
    #: The least price of anything beyond the budget.
    min_price: float | None = None
    unknown_by: dict[str, int] = field(default_factory=dict)

    @property
    def excluded(self) -> int:
        """All that rules exclude."""
        return sum(self.excluded_by.values())

    @property
    def unknown(self) -> int:
        """All that cannot be judged for missing data."""
        return sum(self.unknown_by.values())


@dataclass(frozen=True)
class NeededDatum:
    """A datum to look up: of which part, which field, and for which rules."""

    part: str
    field: str
    rules: tuple[str, ...] = ()


@dataclass(frozen=True)
class Unpriced:
    """A section that needs a part without a price, one that would do, and how many more may."""

    section: str
    part: str
    name: str
    count: int
    others: int
