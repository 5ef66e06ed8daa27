"""What the judge says: findings, each with its numbers and places, and the report."""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from buildcheck.model.frozen import Frozen
from buildcheck.model.labels import headline
from buildcheck.model.order import Order
from buildcheck.model.vocabulary import vocabulary

if TYPE_CHECKING:
    from buildcheck.catalog import Catalog
    from buildcheck.logic.interval import Value
    from buildcheck.measure import Facts, Missing
    from buildcheck.model.build import Waiver
    from buildcheck.model.graph import Graph
    from buildcheck.model.part import Sourced
    from buildcheck.model.rule import Grade, Rule, Severity
    from buildcheck.model.source import Document

#: `not-listed` is what waits for a part that the build does not list.
Verdict = Literal[
    "fail",
    "likely-fail",
    "unknown",
    "waived",
    "not-listed",
    "likely-pass",
    "pass",
    "not-applicable",
]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
#: Of a whole build.
BuildVerdict = Literal["fail", "likely-fail", "unknown", "likely-pass", "pass"]
PASSING = frozenset({"pass", "likely-pass"})
#: Verdicts of a finding that waits for data.
OPEN: tuple[Verdict, ...] = ("unknown", "not-listed")
#: Verdicts of a finding that something is wrong, or may be.
FAILING: tuple[Verdict, ...] = ("fail", "likely-fail")
TROUBLES: tuple[Verdict, ...] = (*FAILING, "unknown")
#: Data named where a finding lacks many.
_MOST_MISSING = 6
#: Kinds that are no part of the machine: their subjects go by name, not by number.
RECORDS = ("price", "quote", "waiver")
#: Sections of what every machine has, by kind.
SECTIONS: dict[str, str] = {
    s["every"]: name for name, s in vocabulary("build-sections").items() if "every" in s
}
#: Those without which a build passes so far, and no more.
ESSENTIAL = frozenset({"gpus", "cpu", "motherboard", "memory", "psus"})


def state_of(verdict: str, severity: str) -> str:
    """One word for a finding: the severity of what fails, else `likely` or the verdict."""
    return {"fail": severity, "likely-fail": "likely"}.get(verdict, verdict)


class Used(NamedTuple):
    """A fact that a finding used, and the subject it is of."""

    name: str
    subject: str


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


class Tried(NamedTuple):
    """The parts that a name could mean, by id: those with which a rule holds, and does not.

    `subject` is the first that goes by the name, `fields` are what the rule lacks of it.
    """

    subject: str
    fields: tuple[str, ...]
    passing: tuple[str, ...]
    failing: tuple[str, ...]
    parts: tuple[str, ...]


class Drawn(NamedTuple):
    """In how many of the machines drawn for a build a rule holds, and does not.

    `bad` are those in which a sum is over its limit, by number.
    """

    passing: int
    failing: int
    machines: int
    bad: frozenset[int] = frozenset()


#: What puts a finding into words when somebody reads it: a `Wording` of the rulebook.
FindingWords = Any


class Finding(Frozen):
    """One rule's word on one subject. Its words are made when they are read."""

    rule: Rule
    subject: str
    subject_name: str
    verdict: Verdict
    grade: Grade
    answer: bool | None
    words: FindingWords
    waived: Waiver | None = None
    #: Where the name of a part could mean several: what each of them makes of it.
    tried: Tried | None = None
    #: Where several parts leave it open together: what machines with such parts make of it.
    drawn: Drawn | None = None
    #: Lines of the build file that were not read and could change it.
    not_read: tuple[int, ...] = ()

    @property
    def severity(self) -> Severity:
        """The severity of the grade it speaks of."""
        return self.grade.severity

    @cached_property
    def message(self) -> str:
        """The finding as a sentence with the build's own numbers."""
        return "" if self._silent else self.words.message(self.verdict, self.grade, self.answer)

    @property
    def title(self) -> str:
        """What its grade finds, of which subject; what is no part of the machine goes by name."""
        if self.rule.applies_to in RECORDS:
            return f"{self.grade.title} ({self.subject_name})"
        return headline(self.grade.title, self.subject)

    @cached_property
    def fix(self) -> str:
        """What to do, as one imperative; empty where nothing is known to be wrong."""
        return self.words.fix(self.grade) if self.answer is False else ""

    def worth(self, name: str) -> Value:
        """What a name of the rule is worth at this grade."""
        found: Value = self.words.value(name, self.grade)
        return found

    @cached_property
    def numbers(self) -> tuple[Used, ...]:
        """The facts the rule used."""
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
        is_open = self.answer is None and not (self._silent or self.not_read)
        return self.words.missing()[:_MOST_MISSING] if is_open else ()

    @cached_property
    def usual(self) -> dict[tuple[str, str], Sourced]:
        """For what is likely: the data it rests on that are only usual, by name and subject."""
        found = self.words.usual() if self.verdict in ("likely-fail", "likely-pass") else {}
        if self.verdict == "likely-fail" and len(found) > 1:
            found = dict(sorted(found.items(), key=self._order))
        return found

    def _order(self, usual: tuple[tuple[str, str], Sourced]) -> tuple[bool, bool]:
        """What decides comes first, and what comparable parts have before what is assumed."""
        (name, subject), fact = usual
        decides = self.words.decides(subject, name.partition(".")[2], self.grade)
        return not decides, fact.confidence == "assumption"

    @property
    def _silent(self) -> bool:
        return self.verdict == "not-applicable"


class Report(Frozen):
    """Everything known about one build after judging."""

    document: Document
    name: str
    findings: tuple[Finding, ...]
    graph: Graph
    facts: Facts
    #: What of the facts is known for certain.
    certain: Facts
    rulebook_digest: str
    catalog_digest: str
    version: str
    checked: str
    #: Rules it was not judged by, as others were selected.
    left_out: tuple[str, ...] = ()
    order: Order = field(default_factory=Order)
    counts: dict[Verdict, int] = field(default_factory=dict)
    #: Lines that no check reads and that may change it: lost values, and remarks on parts.
    open_lines: tuple[int, ...] = ()
    #: The parts it was judged with, to try changes.
    catalog: Catalog | None = None

    @property
    def verdict(self) -> BuildVerdict:
        """The worst that findings of error grade say; a partial list likely passes at best.

        So does one with lines that no check reads and that may change it.
        """
        found = {f.verdict for f in self.errors(*VERDICTS)}
        lacks = bool(ESSENTIAL & {*self.not_listed})
        if "pass" not in found or lacks or self.open_lines:
            found.add("likely-pass")
        if lacks and any(unread.is_part for unread in self.document.unread):
            found.add("unknown")
        order: tuple[BuildVerdict, ...] = get_args(BuildVerdict)
        return next((verdict for verdict in order if verdict in found), "pass")

    @property
    def passes(self) -> bool:
        """Is no error known, likely or open?"""
        return self.verdict in PASSING

    @property
    def failing(self) -> list[Finding]:
        """The errors, certain and likely."""
        return self.errors(*FAILING)

    @property
    def not_listed(self) -> tuple[str, ...]:
        """The sections of parts every machine has of which the build lists none.

        A whole server has its coolers.
        """
        of = self.graph.of
        has = {"cooler"} if any(c.value("complete") is True for c in of("case")) else {}
        kinds = (kind for kind in SECTIONS if kind not in has)
        return tuple(SECTIONS[k] for k in kinds if not any(p.listed for p in of(k)))

    def errors(self, *verdicts: Verdict) -> list[Finding]:
        """The findings of error grade with one of these verdicts."""
        return [f for f in self.findings if f.severity == "error" and f.verdict in verdicts]
