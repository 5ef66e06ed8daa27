"""A rule: what ought to be, how bad it is if not, and where that comes from.

`RuleDocument` is the file as a pydantic model, used when a rulebook is proven.
`Rule` is the same, proven, as the judge uses it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from buildcheck import store
from buildcheck.logic import dimension
from buildcheck.logic.interval import Reading, Value, reading
from buildcheck.logic.parse import Tree, names, parse, unpack
from buildcheck.logic.quantity import read_any
from buildcheck.model.frozen import Frozen

Severity = Literal["error", "warning", "note"]
#: Worst first.
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
#: Keys of a grade that are no limits.
GRADE_KEYS = {"severity", "title", "why", "source", "message", "fix"}
BASES = ("standard", "datasheet", "measured", "rule-of-thumb", "assumption")


class Grade(Frozen):
    """One severity, and the limits at which it begins."""

    severity: Severity
    title: str
    limits: dict[str, str]
    why: str
    source: str
    #: Sentences of this grade alone; empty where those of the rule hold.
    message: str = ""
    fix: str = ""

    @cached_property
    def values(self) -> dict[str, Value]:
        """The limits as the interval reading takes them."""
        return {name: read_any(text)[0] for name, text in self.limits.items()}


class Rule(Frozen):
    """A proven rule. `sources` maps a key to title, url and day read.

    `trees` holds `when` and `require` parsed, as plain data, where they come from a cache.
    """

    id: str
    applies_to: str
    require: str
    grades: tuple[Grade, ...] = ()
    basis: str = ""
    why: str = ""
    impact: str = ""
    remedy: str = ""
    when: str = ""
    message: str = ""
    passes: str = ""
    fix: str = ""
    #: Rules of whose failures this one's is a consequence.
    follows: tuple[str, ...] = ()
    terms: dict[str, dict[str, str]] = field(default_factory=dict)
    sources: dict[str, dict[str, str]] = field(default_factory=dict)
    trees: dict[str, list[Any]] = field(default_factory=dict, repr=False)

    @property
    def domain(self) -> str:
        """The folder it lies in."""
        return self.id.partition("/")[0]

    @property
    def title(self) -> str:
        """What its worst grade finds."""
        return self.grades[0].title

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
    def compared(self) -> tuple[str, ...]:
        """The facts in the claim, each once."""
        limits = {*self.grades[0].limits, *self.terms}
        return tuple(n for n in dict.fromkeys(names(self.claim)) if n not in limits)

    @cached_property
    def used(self) -> tuple[str, ...]:
        """The facts in the claim and the guard, each once; a guard has no limits."""
        guard = [n for n in names(self.guard) if n not in self.terms] if self.guard else []
        return tuple(dict.fromkeys([*self.compared, *guard]))

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
    def shapes(self) -> dict[str, dimension.Shape]:
        """What each limit and term is."""
        texts = {name: text for grade in self.grades[:1] for name, text in grade.limits.items()}
        texts |= {name: term["value"] for name, term in self.terms.items()}
        return {name: dimension.of(text) for name, text in texts.items()}

    @cached_property
    def term_values(self) -> dict[str, Value]:
        """Named numbers, equal for all grades."""
        return {name: read_any(term["value"])[0] for name, term in self.terms.items()}


def rule_files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Every rule of builds, as (id, path): files in the folders of domains."""
    return (
        (i, p)
        for i, p in store.files(folder)
        if "/" in i and not i.startswith(("part/", "definitions/"))
    )


def plain_rule(data: dict[str, Any]) -> dict[str, Any]:
    """A proven document as plain data to make a rule of with `rule_from`, texts in one line."""
    texts = ("why", "impact", "remedy", "when", "require", "message", "passes", "fix")
    grades = [_plain_grade(grade) for grade in data["limits"]]
    return {
        "id": data["id"],
        "applies_to": data["applies_to"],
        "grades": sorted(grades, key=lambda g: SEVERITIES.index(g["severity"])),
        "follows": data.get("follows", []),
        "basis": data["basis"],
        "terms": {n: {k: _text(v) for k, v in t.items()} for n, t in data.get("terms", {}).items()},
        "sources": {n: {k: str(v) for k, v in s.items()} for n, s in data["sources"].items()},
        **_lines(data, texts),
    }


def rule_from(plain: dict[str, Any]) -> Rule:
    """A rule from the plain data that `plain_rule` made."""
    grades = tuple(Grade(**grade) for grade in plain["grades"])
    return Rule(**{**plain, "grades": grades, "follows": tuple(plain["follows"])})


def _text(value: str | float) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _lines(data: dict[str, Any], names: Iterable[str]) -> dict[str, str]:
    return {name: " ".join(str(data.get(name, "")).split()) for name in names}


def _plain_grade(data: dict[str, Any]) -> dict[str, Any]:
    limits = {n: _text(v) for n, v in data.items() if n not in GRADE_KEYS}
    lines = _lines(data, ("title", "why", "message", "fix"))
    return {"severity": data["severity"], "source": data["source"], "limits": limits, **lines}
