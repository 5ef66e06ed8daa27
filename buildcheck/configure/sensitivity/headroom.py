"""What blocks more GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.configure.sensitivity.answer import BlockerAnswer, MoreGpusAnswer
from buildcheck.configure.what_if import verdict_of
from buildcheck.edit import Change
from buildcheck.logic.parse import names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.configure.what_if import WhatIf
    from buildcheck.model.finding import Finding, Report

#: The part that blocks by rules of a domain, where their subject is the GPU.
_BLOCKING = {"cable": "psu", "space": "motherboard", "pcie": "motherboard", "power": "psu"}
#: GPUs that are added to see what blocks them.
MORE = (1, 2)


def more_gpus(what_if: WhatIf) -> Iterator[MoreGpusAnswer]:
    """What blocks one more of the first GPUs, and two."""
    base = what_if.base
    entry = what_if.data["gpus"][0]
    pinned = "slots" in entry
    for number in MORE:
        changes = [Change(("gpus", 0, "count"), entry.get("count", 1) + number)]
        changes += [Change(("gpus", 0, "slots"), None)] if pinned else []
        what_if.laws.go_on()
        report = what_if.report_of(what_if.data, changes)
        if report is None:
            yield MoreGpusAnswer(number)
            continue
        found = verdict_of(report)
        blockers = (
            *_blockers(report, "fail", found.failed - base.failed),
            *_blockers(report, "unknown", found.unknown - base.unknown - base.failed),
        )
        yield MoreGpusAnswer(number, report.verdict, blockers, pinned)


def _blockers(report: Report, verdict: str, rules: frozenset[str]) -> Iterator[BlockerAnswer]:
    for rule in sorted(rules):
        findings = [f for f in report.findings if f.rule.id == rule and f.verdict.endswith(verdict)]
        first = findings[0]
        subjects = tuple(dict.fromkeys(f.subject for f in findings))
        part = _blocking(first, report)
        title, message = first.grade.title, first.message
        yield BlockerAnswer(rule, first.severity, verdict, part, subjects, title, message)


def _blocking(finding: Finding, report: Report) -> str:
    """The part a finding is about that is no GPU: its subject, or what its rule reads."""
    kind = report.graph.subjects[finding.subject].kind
    others = [n.partition(".")[0] for n in names(finding.rule.claim)]
    others = [k for k in others if k not in ("gpu", "build", "standard")]
    if kind not in ("gpu", "build"):
        return finding.subject_name
    for other in (*others, _BLOCKING.get(finding.rule.domain, kind)):
        found = report.graph.of(other)
        if found:
            return found[0].name
    return finding.subject_name
