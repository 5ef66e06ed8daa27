"""A rule: what ought to be, how bad it is if not, and where that comes from.

`RuleDocument` is the file as a pydantic model, used when a rulebook is proven.
`Rule` is the same, proven, as the judge uses it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from buildcheck.logic.interval import reading
from buildcheck.logic.parse import Tree, parse, unpack
from buildcheck.model.quantity import read_any

if TYPE_CHECKING:
    from buildcheck.logic.interval import Reading, Value
    from buildcheck.units import Dimension

Severity = Literal["error", "warning", "note"]
#: Worst first.
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
BASES = ("standard", "datasheet", "measured", "rule-of-thumb", "assumption")


@dataclass(frozen=True)
class Grade:
    """One severity, and the limits at which it begins."""

    severity: Severity
    limits: dict[str, str]
    why: str
    source: str

    @cached_property
    def values(self) -> dict[str, Value]:
        """The limits as the interval reading takes them."""
        return {name: read_any(text)[0] for name, text in self.limits.items()}

    @property
    def shapes(self) -> dict[str, Dimension | None]:
        """The dimension of each limit; None for a code."""
        return {name: read_any(text)[1] for name, text in self.limits.items()}


@dataclass(frozen=True)
class Rule:
    """A proven rule. `sources` maps a key to title, url and day read.

    `trees` holds `when` and `require` parsed, as plain data, where they come from a cache.
    """

    id: str
    title: str
    applies_to: str
    require: str
    grades: tuple[Grade, ...]
    basis: str
    why: str
    impact: str
    remedy: str
    when: str = ""
    message: str = ""
    terms: dict[str, dict[str, str]] = field(default_factory=dict)
    sources: dict[str, dict[str, str]] = field(default_factory=dict)
    trees: dict[str, list[Any]] = field(default_factory=dict, repr=False)

    @property
    def domain(self) -> str:
        """The folder it lies in."""
        return self.id.partition("/")[0]

    @property
    def severity(self) -> Severity:
        """The worst it can find."""
        return self.grades[0].severity

    @cached_property
    def claim(self) -> Tree:
        """What must hold."""
        packed = self.trees.get("require")
        return unpack(packed) if packed else parse(self.require)

    @cached_property
    def guard(self) -> Tree | None:
        """When it applies, or None for always."""
        packed = self.trees.get("when")
        return unpack(packed) if packed else parse(self.when) if self.when else None

    @cached_property
    def claim_reading(self) -> Reading:
        """The claim as a function of what its names are worth."""
        return reading(self.claim)

    @cached_property
    def guard_reading(self) -> Reading | None:
        """The guard likewise, or None for always."""
        return reading(self.guard) if self.guard else None

    @property
    def term_shapes(self) -> dict[str, Dimension | None]:
        """The dimension of each term; None for a code."""
        return {name: read_any(term["value"])[1] for name, term in self.terms.items()}

    @cached_property
    def term_values(self) -> dict[str, Value]:
        """Named numbers that are the same for every grade."""
        return {name: read_any(term["value"])[0] for name, term in self.terms.items()}


def rule_from(data: dict[str, Any]) -> Rule:
    """A rule from the plain data of a proven document."""
    grades = sorted((_grade(g) for g in data["limits"]), key=lambda g: SEVERITIES.index(g.severity))
    text = {
        n: " ".join(str(data.get(n, "")).split())
        for n in ("title", "why", "impact", "remedy", "when", "require", "message")
    }
    return Rule(
        id=data["id"],
        applies_to=data["applies_to"],
        grades=tuple(grades),
        basis=data["basis"],
        terms={n: {k: _text(v) for k, v in t.items()} for n, t in data.get("terms", {}).items()},
        trees=data.get("trees", {}),
        sources={n: {k: str(v) for k, v in s.items()} for n, s in data["sources"].items()},
        **text,
    )


def _text(value: str | float) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _grade(data: dict[str, Any]) -> Grade:
    limits = {n: _text(v) for n, v in data.items() if n not in ("severity", "why", "source")}
    return Grade(data["severity"], limits, " ".join(str(data["why"]).split()), data["source"])
