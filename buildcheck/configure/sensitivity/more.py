"""What is in the way of more cards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.configure.sensitivity.desk import verdict_of
from buildcheck.configure.sensitivity.model import Blocker, More
from buildcheck.edit import Change
from buildcheck.logic.parse import names
from buildcheck.wording import span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.configure.sensitivity.desk import Desk
    from buildcheck.model.finding import Finding, Report

#: What stands in the way by rules of a domain, where it is the cards that they speak of.
_IN_THE_WAY = {"cable": "psu", "space": "motherboard", "pcie": "motherboard", "power": "psu"}
#: Cards that are added to see what blocks them.
MORE = (1, 2)


def more(desk: Desk) -> tuple[More, ...]:
    """What blocks one more of the first cards, and two."""
    base = desk.base
    entry = desk.data["gpus"][0]
    found = []
    for number in MORE:
        changes = [Change(("gpus", 0, "count"), entry.get("count", 1) + number)]
        note = ""
        if "slots" in entry:
            changes.append(Change(("gpus", 0, "slots"), None))
            note = "slots_left_open"
        report = desk.report_of(changes)
        if report is None:
            found.append(More(number, "", ()))
            continue
        said = verdict_of(report)
        blockers = [
            *_blockers(report, "fail", said.failed - base.failed),
            *_blockers(report, "unknown", said.unknown - base.unknown - base.failed),
        ]
        found.append(More(number, report.verdict, tuple(blockers), note))
    return tuple(found)


def _blockers(report: Report, verdict: str, rules: frozenset[str]) -> Iterator[Blocker]:
    for rule in sorted(rules):
        findings = [f for f in report.findings if f.rule.id == rule and f.verdict == verdict]
        first = findings[0]
        subjects = span(tuple(f.subject for f in findings))
        yield Blocker(rule, _blocking(first, report), subjects, verdict, first.message)


def _blocking(finding: Finding, report: Report) -> str:
    """The part a finding is about that is not the card: its subject, or what its rule reads."""
    kind = report.graph.subjects[finding.subject].kind
    others = [n.partition(".")[0] for n in names(finding.rule.claim)]
    others = [k for k in others if k not in ("gpu", "build", "standard")]
    if kind not in ("gpu", "build"):
        return finding.subject_name
    for other in (*others, _IN_THE_WAY.get(finding.rule.domain, kind)):
        found = report.graph.of(other)
        if found:
            return found[0].name
    return finding.subject_name
