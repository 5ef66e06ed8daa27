"""What changed between two builds, or two versions of one: parts, findings, budgets and price."""

from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from buildcheck.model.answer import Figure, made_of
from buildcheck.model.finding import FAILING, TROUBLES, VERDICTS, Finding, Report, state_of
from buildcheck.model.frozen import Frozen
from buildcheck.model.kinds import KINDS
from buildcheck.model.rule import SEVERITIES
from buildcheck.purchasing.cost.answer import NONE
from buildcheck.purchasing.cost.prices import MachinePrice, machine_price
from buildcheck.purchasing.parts_list import parts_list_answer
from buildcheck.report.values import figure_of

#: States of a finding, the worst first; nothing comes last.
_ORDER = ("error", "likely", "unknown", "warning", "note", "waived", "")
#: What is raised or waived of each rule and subject.
_Raised = dict[tuple[str, str], tuple[Finding, str]]


class DiffSide(Frozen):
    """One of the builds; `power` is sustained, from the wall."""

    file: str
    name: str
    verdict: str
    left_out: int = 0
    not_listed: tuple[str, ...] = ()
    power: Figure | None = None
    price: MachinePrice | None = None


class PartChange(Frozen):
    """A part that there are more or fewer of."""

    kind: str
    name: str
    before: int
    after: int


class FindingChange(Frozen):
    """A rule that says something else of these subjects: severity, `likely`, ..., or nothing."""

    rule: str
    title: str
    subjects: tuple[str, ...]
    before: str = ""
    after: str = ""


class DiffAnswer(Frozen):
    """Two builds and what differs."""

    before: DiffSide
    after: DiffSide
    parts: tuple[PartChange, ...]
    findings: tuple[FindingChange, ...]


def diff_answer(before: Report, after: Report) -> DiffAnswer:
    """What changed from one build to another."""
    both = (before, after)
    subjects = ([*report.graph.subjects.values()] for report in both)
    listed = ([s for s in one if s.path and s.listed and s.kind in KINDS] for one in subjects)
    old, new = (Counter((s.kind, s.name) for s in one for _ in range(s.count)) for one in listed)
    return DiffAnswer(
        _side(before),
        _side(after),
        tuple(PartChange(*k, old[k], new[k]) for k in {**old, **new} if old[k] != new[k]),
        tuple(_findings(*map(_states, both))),
    )


def _side(report: Report) -> DiffSide:
    own = {"file": report.document.path, "left_out": len(report.left_out)}
    power = figure_of(report.facts, "circuit.heat")
    price = machine_price(report, parts_list_answer(report), NONE, ())
    return made_of(DiffSide, report, power=power, price=price, **own)


def _rank(finding: Finding) -> tuple[bool, int, int]:
    """Where a finding stands among those of its rule and subject: failures first, by severity."""
    is_open = finding.verdict not in FAILING
    return is_open, SEVERITIES.index(finding.severity), VERDICTS.index(finding.verdict)


def _states(report: Report) -> _Raised:
    """The worst that is raised or waived of each rule and subject, and its state."""
    raised = [f for f in report.findings if f.verdict in (*TROUBLES, "waived")]
    raised.sort(key=_rank, reverse=True)
    return {(f.rule.id, f.subject): (f, state_of(f.verdict, f.severity)) for f in raised}


def _findings(old: _Raised, new: _Raised) -> Iterator[FindingChange]:
    """What is found otherwise, subjects of which the same is said together, errors first."""
    changes = []
    for key in {**old, **new}:
        states = tuple(side[key][1] if key in side else "" for side in (old, new))
        if states[0] != states[1]:
            finding = (new.get(key) or old[key])[0]
            changes.append((finding.rule.id, *states, finding.grade.title, finding.subject))
    changes.sort(key=lambda c: (_ORDER.index(c[2]), _ORDER.index(c[1]), *c))
    for (rule, before, after, title), found in groupby(changes, key=lambda c: c[:4]):
        yield FindingChange(rule, title, tuple(c[4] for c in found), before, after)
