"""How far a build is from its limits, and what of it may change before its verdict does.

Margins come from the findings themselves; everything else from builds that were changed as
plain data and judged again.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from buildcheck.configure.decisions import error_rules
from buildcheck.configure.stopping import StoppedError
from buildcheck.configure.sweep.answer import MarginAnswer, SensitivityAnswer
from buildcheck.configure.sweep.thresholds import limit_needs, more_gpus, nearness, thresholds
from buildcheck.configure.trial import Trials
from buildcheck.logic.interval import evaluate
from buildcheck.logic.parse import Compare
from buildcheck.logic.quantity import UNKNOWN, Interval
from buildcheck.model.answer import Figure
from buildcheck.model.finding import Finding, Report
from buildcheck.rulebook.wording import Wording
from buildcheck.units import BASE

_VERDICTS: dict[Any, str] = {True: "pass", False: "fail", None: "unknown"}


def sensitivity(trials: Trials) -> SensitivityAnswer:
    """What a judged build is sensitive to; where it is stopped, what was found until then."""
    report = trials.report
    found: tuple[list[Any], ...] = ([], [], [])
    stopped = False
    try:
        for answers, find in zip(found, (more_gpus, limit_needs, thresholds), strict=True):
            answers.extend(find(trials))
    except StoppedError:
        stopped = True
    return SensitivityAnswer(
        name=" ".join(report.name.split()),
        file=report.document.path,
        verdict=report.verdict,
        gpu=" ".join(report.graph.of("gpu")[0].name.split()),
        fails=tuple(sorted(error_rules(report).failed)),
        margins=tuple(margins(report)),
        more_gpus=tuple(found[0]),
        power_limits=tuple(found[1]),
        thresholds=tuple(sorted(found[2], key=nearness)),
        stopped=stopped,
    )


def margins(report: Report) -> list[MarginAnswer]:
    """The margin of every numeric comparison, the tightest first; equal ones once."""
    found: dict[MarginAnswer, dict[str, None]] = {}
    for finding in report.findings:
        one = _margin(finding, report)
        if one is not None:
            found.setdefault(one, {})[finding.subject] = None

    def tightness(row: MarginAnswer) -> tuple[Any, ...]:
        share = math.copysign(math.inf, row.margin) if row.share is None else row.share
        return row.severity != "error", share, row.rule, row.subjects

    return sorted((replace(row, subjects=tuple(s)) for row, s in found.items()), key=tightness)


def _margin(finding: Finding, report: Report) -> MarginAnswer | None:
    """What is left at the worst grade of a rule, whatever the two sides are within their ranges."""
    claim, subject = finding.rule.claim, report.graph.subjects.get(finding.subject)
    if finding.verdict == "not-applicable" or subject is None or not isinstance(claim, Compare):
        return None
    words = Wording(finding.rule, subject, report.facts, report.document)
    grade, sides = finding.rule.grades[0], (claim.left, claim.right, claim)
    left, right, holds = (evaluate(side, lambda n: words.value(n, grade)) for side in sides)
    if claim.op[0] not in "<>" or not (isinstance(left, Interval) and isinstance(right, Interval)):
        return None
    is_most, shape = claim.op[0] == "<", words.dimension(claim.left)
    rest, limit = (
        (right.low - left.high, right.low) if is_most else (left.low - right.high, right.high)
    )
    if UNKNOWN in (left, right) or not math.isfinite(rest):
        return None
    return MarginAnswer(
        rule=finding.rule.id,
        subjects=(),
        severity=grade.severity,
        verdict=_VERDICTS[holds],
        value=_figure(left, shape),
        relation=claim.op,
        limit=_figure(right, shape),
        margin=round(rest, 6),
        share=round(rest / abs(limit), 4) if limit else None,
    )


def _figure(value: Interval, shape: Any) -> Figure:
    low, high = (None if math.isinf(end) else round(end, 6) for end in (value.low, value.high))
    return Figure(low, high, BASE.get(shape, "").replace("degC", "°C"))
