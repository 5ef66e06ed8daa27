"""What the judge says: findings, each with its numbers and places, and the report."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from buildcheck.measure import Facts, Missing
    from buildcheck.model.build import Waiver
    from buildcheck.model.graph import Graph
    from buildcheck.model.rule import Rule, Severity
    from buildcheck.source import Document

Verdict = Literal["pass", "fail", "unknown", "not-applicable", "waived"]
VERDICTS: tuple[Verdict, ...] = ("fail", "unknown", "waived", "pass", "not-applicable")


@dataclass(frozen=True)
class Used:
    """One number of a finding, with what it was made from."""

    name: str
    subject: str
    value: Any
    unit: str
    trail: str
    #: Was it reckoned from other facts, rather than looked up?
    made_of: bool


@dataclass(frozen=True)
class PlaceOf:
    """A spot in the build file that takes part in a finding."""

    path: str
    line: int
    column: int
    label: str


@dataclass(frozen=True)
class Finding:
    """One rule's word on one subject."""

    rule: Rule
    subject: str
    subject_name: str
    verdict: Verdict
    severity: Severity
    message: str
    grade_why: str = ""
    numbers: tuple[Used, ...] = ()
    places: tuple[PlaceOf, ...] = ()
    missing: tuple[Missing, ...] = ()
    waived: Waiver | None = None


@dataclass(frozen=True)
class Report:
    """Everything known about one build after judging."""

    document: Document
    name: str
    findings: tuple[Finding, ...]
    graph: Graph
    facts: Facts
    rulebook_digest: str
    catalog_digest: str
    version: str
    checked: str
    counts: dict[Verdict, int] = field(default_factory=dict)

    @property
    def verdict(self) -> Literal["pass", "fail", "unknown"]:
        """Fail if an error stands, unknown if one could not be judged, else pass."""
        grave = {f.verdict for f in self.findings if f.severity == "error"}
        return "fail" if "fail" in grave else "unknown" if "unknown" in grave else "pass"
