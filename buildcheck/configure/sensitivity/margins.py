"""How far each comparison of a judged build is from failing."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from buildcheck.configure.sensitivity.model import Margin
from buildcheck.logic.interval import evaluate
from buildcheck.logic.parse import Compare
from buildcheck.model.quantity import UNKNOWN, Interval, show
from buildcheck.units import BASE
from buildcheck.wording import Wording, span

if TYPE_CHECKING:
    from buildcheck.model.finding import Finding, Report

_NUMERIC = ("<=", "<", ">=", ">")
_WORDS = {True: "pass", False: "fail", None: "unknown"}


def margins(report: Report) -> list[Margin]:
    """The margin of every numeric comparison, the tightest first."""
    found: dict[Margin, list[str]] = {}
    for finding in report.findings:
        one = _margin(finding)
        if one is not None:
            found.setdefault(one._replace(subject=""), []).append(finding.subject)
    rows = [row._replace(subject=span(tuple(subjects))) for row, subjects in found.items()]
    return sorted(rows, key=_tightness)


def _tightness(row: Margin) -> tuple[bool, float, str, str]:
    share = math.copysign(math.inf, row.margin) if row.share is None else row.share
    return row.severity != "error", share, row.rule, row.subject


def _margin(finding: Finding) -> Margin | None:
    """What is left at the worst grade of a rule, whatever the two sides are within their ranges."""
    claim, words = finding.rule.claim, finding.words
    if finding.verdict == "not-applicable" or not isinstance(words, Wording):
        return None
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
    return Margin(
        rule=finding.rule.id,
        subject="",
        severity=grade.severity,
        verdict=_WORDS[claim_holds(claim.op, left, right)],
        value=show(left, shape),
        relation=claim.op,
        limit=show(right, shape),
        margin=round(left_rest, 6),
        unit=BASE.get(shape, ""),
        share=round(left_rest / abs(limit), 4) if limit else None,
    )


def claim_holds(relation: str, left: Interval, right: Interval) -> bool | None:
    """Does a comparison hold, whatever the two sides are within their ranges?"""
    if relation[0] == ">":
        left, right = right, left
    return left.is_at_most(right) if relation.endswith("=") else left.is_below(right)
