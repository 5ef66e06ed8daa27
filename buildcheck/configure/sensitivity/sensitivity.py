"""How far a build is from its limits, and what of it may change before its verdict does.

Margins come from the findings themselves; everything else from builds that were changed as
plain data and judged again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.configure.sensitivity.answer import (
    BlockerAnswer,
    LimitNeed,
    MoreGpusAnswer,
    SensitivityAnswer,
    ThresholdAnswer,
)
from buildcheck.configure.sensitivity.margins import margins
from buildcheck.configure.sensitivity.power_limits import limit_needs
from buildcheck.configure.sensitivity.thresholds import nearness, thresholds
from buildcheck.configure.stopping import StoppedError
from buildcheck.configure.trial import verdict_of
from buildcheck.edit import Change
from buildcheck.logic.parse import names
from buildcheck.model.build import SECTION_KIND
from buildcheck.rulebook.moves import moves

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.configure.trial import Trials
    from buildcheck.model.finding import Finding, Report


#: GPUs that are added to see what blocks them.
MORE = (1, 2)


def sensitivity(trials: Trials) -> SensitivityAnswer:
    """What a judged build is sensitive to; where it is stopped, what was found until then."""
    report = trials.report
    more: list[MoreGpusAnswer] = []
    needs: list[LimitNeed] = []
    found: list[ThresholdAnswer] = []
    stopped = False
    try:
        more.extend(more_gpus(trials))
        needs.extend(limit_needs(trials))
        found.extend(thresholds(trials))
    except StoppedError:
        stopped = True
    return SensitivityAnswer(
        name=" ".join(report.name.split()),
        file=report.document.path,
        verdict=report.verdict,
        gpu=" ".join(report.graph.of("gpu")[0].name.split()),
        fails=tuple(sorted(verdict_of(report).failed)),
        margins=tuple(margins(report)),
        more_gpus=tuple(more),
        power_limits=tuple(needs),
        thresholds=tuple(sorted(found, key=nearness)),
        stopped=stopped,
    )


def more_gpus(trials: Trials) -> Iterator[MoreGpusAnswer]:
    """What blocks one more of the first GPUs, and two."""
    base = verdict_of(trials.report)
    entry = trials.data["gpus"][0]
    pinned = "slots" in entry
    for number in MORE:
        changes = [Change(("gpus", 0, "count"), entry.get("count", 1) + number)]
        changes += [Change(("gpus", 0, "slots"), None)] if pinned else []
        trial = trials.after(trials.data, changes)
        report = trial.report if trial else None
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
    usual = [
        SECTION_KIND[section]
        for name in ("by PSU", "by board")
        for section in moves()[name].sections
        if moves()[name].concerns((finding.rule.id,))
    ]
    for other in (*others, *usual):
        found = report.graph.of(other)
        if found:
            return found[0].name
    return finding.subject_name
