"""How far each comparison of a judged build is from failing."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from buildcheck.configure.sensitivity.answer import MarginAnswer
from buildcheck.logic.interval import evaluate
from buildcheck.logic.parse import Compare
from buildcheck.logic.quantity import UNKNOWN, Interval
from buildcheck.model.answer import Figure
from buildcheck.rulebook.wording import Wording
from buildcheck.units import BASE

if TYPE_CHECKING:
    from buildcheck.model.finding import Finding, Report

_NUMERIC = ("<=", "<", ">=", ">")
_VERDICTS = {True: "pass", False: "fail", None: "unknown"}


def margins(report: Report) -> list[MarginAnswer]:
    """The margin of every numeric comparison, the tightest first; equal ones once."""
    found: dict[MarginAnswer, dict[str, None]] = {}
    for finding in report.findings:
        one = _margin(finding, report)
        if one is not None:
            found.setdefault(one, {})[finding.subject] = None
    return sorted((replace(row, subjects=tuple(s)) for row, s in found.items()), key=_tightness)


def _tightness(row: MarginAnswer) -> tuple[Any, ...]:
    share = math.copysign(math.inf, row.margin) if row.share is None else row.share
    return row.severity != "error", share, row.rule, row.subjects


def _margin(finding: Finding, report: Report) -> MarginAnswer | None:
    """What is left at the worst grade of a rule, whatever the two sides are within their ranges."""
    claim, subject = finding.rule.claim, report.graph.subjects.get(finding.subject)
    if finding.verdict == "not-applicable" or subject is None:
        return None
    words = Wording(finding.rule, subject, report.facts, report.document)
    if not isinstance(claim, Compare) or claim.op not in _NUMERIC:
        return None
    grade = finding.rule.grades[0]
    left, right = (evaluate(s, lambda n: words.value(n, grade)) for s in (claim.left, claim.right))
    if not isinstance(left, Interval) or not isinstance(right, Interval):
        return None
    if UNKNOWN in (left, right):
        return None
    left_rest = right.low - left.high if claim.op[0] == "<" else left.low - right.high
    if math.isinf(left_rest) or math.isnan(left_rest):
        return None
    shape = words._dimension(claim.left)  # noqa: SLF001 - as its messages say it
    limit = right.low if claim.op[0] == "<" else right.high
    return MarginAnswer(
        rule=finding.rule.id,
        subjects=(),
        severity=grade.severity,
        verdict=_VERDICTS[claim_holds(claim.op, left, right)],
        value=_figure(left, shape),
        relation=claim.op,
        limit=_figure(right, shape),
        margin=round(left_rest, 6),
        share=round(left_rest / abs(limit), 4) if limit else None,
    )


def _figure(value: Interval, shape: Any) -> Figure:
    low, high = (None if math.isinf(end) else round(end, 6) for end in (value.low, value.high))
    return Figure(low, high, BASE.get(shape, "").replace("degC", "°C"))


def claim_holds(relation: str, left: Interval, right: Interval) -> bool | None:
    """Does a comparison hold, whatever the two sides are within their ranges?"""
    if relation[0] == ">":
        left, right = right, left
    return left.is_at_most(right) if relation.endswith("=") else left.is_below(right)
