"""What the judge says: findings, each with its numbers and places, and the report."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from buildcheck.model.order import Order

if TYPE_CHECKING:
    from buildcheck.catalog import Catalog
    from buildcheck.measure import Facts, Missing
    from buildcheck.model.build import Waiver
    from buildcheck.model.graph import Graph
    from buildcheck.model.part import Sourced
    from buildcheck.model.rule import Grade, Rule, Severity
    from buildcheck.source import Document

Verdict = Literal["pass", "fail", "unknown", "not-applicable", "waived"]
VERDICTS: tuple[Verdict, ...] = ("fail", "unknown", "waived", "pass", "not-applicable")


class Used(NamedTuple):
    """One number of a finding, with what it was made from."""

    name: str
    subject: str
    value: Any
    unit: str
    trail: str
    #: The trail without sources, if it was reckoned from other facts.
    sum_of: str


class Step(NamedTuple):
    """A number on the way to a finding: of what, how large, and where from.

    `made_from` names what it was worked out from; `sourced` is set where it was looked up.
    """

    depth: int
    name: str
    of: str
    value: str
    made_from: str
    sourced: Sourced | None


class PlaceOf(NamedTuple):
    """A spot in the build file that takes part in a finding."""

    path: str
    line: int
    column: int
    label: str


class Words(Protocol):
    """What puts a finding into words when somebody reads it."""

    def message(self, verdict: Verdict, grade: Grade, answer: bool | None) -> str:
        """The sentence."""

    def numbers(self) -> tuple[Used, ...]:
        """The facts used."""

    def steps(self) -> tuple[Step, ...]:
        """How the facts came about."""

    def places(self) -> tuple[PlaceOf, ...]:
        """Where the build file names what takes part."""

    def missing(self) -> tuple[Missing, ...]:
        """The data that are lacking."""


@dataclass(frozen=True)
class Finding:
    """One rule's word on one subject. Its words are made when they are read."""

    rule: Rule
    subject: str
    subject_name: str
    verdict: Verdict
    grade: Grade
    answer: bool | None
    words: Words
    waived: Waiver | None = None

    @property
    def severity(self) -> Severity:
        """The severity of the grade it speaks of."""
        return self.grade.severity

    @cached_property
    def message(self) -> str:
        """The finding as a sentence with the build's own numbers."""
        return "" if self._silent else self.words.message(self.verdict, self.grade, self.answer)

    @cached_property
    def numbers(self) -> tuple[Used, ...]:
        """The facts the rule used, with what they were made from."""
        return () if self._silent else self.words.numbers()

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """How the numbers came about, step by step, each number once."""
        return () if self._silent else self.words.steps()

    @cached_property
    def places(self) -> tuple[PlaceOf, ...]:
        """Where the build file names what takes part, the subject first."""
        return () if self._silent else self.words.places()

    @cached_property
    def missing(self) -> tuple[Missing, ...]:
        """For an unknown: the data that are lacking."""
        return self.words.missing() if self.answer is None and not self._silent else ()

    @property
    def _silent(self) -> bool:
        return self.verdict == "not-applicable"


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
    order: Order = field(default_factory=Order)
    counts: dict[Verdict, int] = field(default_factory=dict)
    #: The parts it was judged with, for whoever tries changes.
    catalog: Catalog | None = None

    @property
    def verdict(self) -> Literal["pass", "fail", "unknown"]:
        """Fail if an error stands, unknown if one could not be judged, else pass."""
        grave = {f.verdict for f in self.findings if f.severity == "error"}
        return "fail" if "fail" in grave else "unknown" if "unknown" in grave else "pass"
