"""What several answers about changed builds are made of."""

# Annotations of answers are read at run time, by pydantic when JSON is made of them.
from dataclasses import field
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.edit import named
from buildcheck.logic.parse import names
from buildcheck.model.finding import TROUBLES, state_of
from buildcheck.model.frozen import dataclass
from buildcheck.report.findings import finding_answers

if TYPE_CHECKING:
    from collections.abc import Callable

    from buildcheck.edit import Change
    from buildcheck.model.finding import Finding, Report, Verdict


#: What rules on the sustained limit of a circuit compare.
_SUSTAINED = {"circuit.current", "circuit.continuous_current"}


@dataclass(frozen=True)
class Phrase:
    """Something to say: a code, and the values that a template words it with."""

    code: str
    values: dict[str, Any] = field(default_factory=dict)


def phrase(code: str, **values: Any) -> Phrase:
    """A phrase with its values."""
    return Phrase(code, values)


@dataclass(frozen=True)
class Action(Phrase):
    """Something done to a build: a code, and the values that `templates/text/actions.j2` words.

    `kind` is setting, accessory or swap.
    """

    kind: str = ""


def action(code: str, **values: Any) -> Action:
    """An action with its values."""
    return Action(code, values)


@dataclass(frozen=True)
class FindingBrief:
    """A finding of a build that is proposed or explained."""

    rule: str
    severity: str
    verdict: str
    subject: str
    title: str
    message: str = ""
    #: Every subject, where there are several.
    subjects: tuple[str, ...] = ()

    @property
    def state(self) -> str:
        """One word for it, as `validate` has it."""
        return state_of(self.verdict, self.severity)


def brief_finding(f: "Finding") -> FindingBrief:
    """One finding, its subject numbered in the title."""
    return FindingBrief(f.rule.id, f.severity, f.verdict, f.subject, f.title, f.message)


def brief_findings(report: "Report", *verdicts: "Verdict") -> tuple[FindingBrief, ...]:
    """The findings with one of these verdicts, worst first."""
    return tuple(
        FindingBrief(f.rule, f.severity, f.verdict, f.subject, f.title, f.message, f.subjects)
        for f in finding_answers(report, *verdicts)
    )


def unjudged(report: "Report") -> tuple[str, ...]:
    """The rules that could find an error and cannot be judged."""
    return tuple(dict.fromkeys(f.rule.id for f in report.errors("unknown")))


class ErrorRules(NamedTuple):
    """The error-grade rules by which a build fails, and those left open."""

    failed: frozenset[str]
    unknown: frozenset[str] = frozenset()

    @property
    def word(self) -> str:
        """The verdict of the build."""
        return "fail" if self.failed else "unknown" if self.unknown else "pass"

    def of(self, rules: set[str], other: "ErrorRules") -> "ErrorRules":
        """The verdict of these rules, and of others that in another one."""
        return ErrorRules(
            self.failed & rules | other.failed - rules,
            self.unknown & rules | other.unknown - rules,
        )


def error_rules(report: "Report") -> ErrorRules:
    """The error-grade rules that make the verdict of a report."""
    found = (report.failing, report.errors("unknown"))
    return ErrorRules(*(frozenset(f.rule.id for f in some) for some in found))


def circuit_warnings(report: "Report") -> "list[Finding]":
    """What warns of the sustained limit of a circuit, or may."""
    warnings = (f for f in report.findings if f.severity == "warning" and f.verdict in TROUBLES)
    return [f for f in warnings if set(names(f.rule.claim)) >= _SUSTAINED]


@dataclass(frozen=True)
class FileChange:
    """A change of a build file; None takes away what is at the path."""

    path: str
    value: Any

    @property
    def entry(self) -> str:
        """The path without its last key."""
        return self.path.rpartition(".")[0]

    @property
    def key(self) -> str:
        """The last key of the path."""
        return self.path.rpartition(".")[2]


def file_change(change: "Change") -> FileChange:
    """A change as the answer has it."""
    return FileChange(named(change.path), change.value)


def nearest(good: int, bad: int, works: "Callable[[int], bool]") -> int:
    """The whole number nearest to `bad` that works, as far as bisection tells."""
    while abs(bad - good) > 1:
        middle = (good + bad) // 2
        if works(middle):
            good = middle
        else:
            bad = middle
    return good
