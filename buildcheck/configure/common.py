"""What several answers about changed builds are made of, and how far the work for one is."""

from dataclasses import field
from typing import Any

from buildcheck.edit import Change, named
from buildcheck.model.answer import Amount
from buildcheck.model.finding import Finding, Report, Verdict, state_of
from buildcheck.model.frozen import Frozen
from buildcheck.report.findings import finding_answers


class Phrase(Frozen):
    """Something to say: a code, and the values that a template words it with."""

    code: str
    values: dict[str, Any] = field(default_factory=dict)


def phrase(code: str, **values: Any) -> Phrase:
    """A phrase with its values."""
    return Phrase(code, values)


class Action(Phrase):
    """Something done to a build: a code, and the values that `templates/text/actions.j2` words.

    `kind` is setting, accessory or swap.
    """

    kind: str = ""


class FindingBrief(Frozen):
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


class FileChange(Frozen):
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


class Progress(Frozen):
    """What is done of what there is to do, and what was found so far.

    `step` is what is counted; for a search `done` of `total` parts of `section` are ruled out.
    """

    step: str
    done: int = 0
    total: int = 0
    found: int = 0
    section: str = ""
    best: Amount | None = None
    bound: Amount | None = None
