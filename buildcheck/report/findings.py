"""Findings as they are shown: one for each rule, verdict and severity, folded under their cause."""

import math
from collections.abc import Container
from dataclasses import replace
from itertools import groupby

from buildcheck.facts.registry import DATA
from buildcheck.logic.interval import evaluate
from buildcheck.logic.parse import Compare
from buildcheck.logic.quantity import Interval
from buildcheck.measure.shapes import shape_of
from buildcheck.model.answer import made_of
from buildcheck.model.finding import FAILING, RECORDS, VERDICTS, Finding, Report, Step, Verdict
from buildcheck.model.graph import SINGLE, by_key
from buildcheck.model.rule import SEVERITIES
from buildcheck.report.answer import (
    DrawnAnswer,
    FindingAnswer,
    FindingDetail,
    NumberAnswer,
    OtherAnswer,
    PlaceAnswer,
    StepAnswer,
    WaiverAnswer,
)
from buildcheck.report.choices import choice_answer
from buildcheck.report.missing import usual_answers
from buildcheck.report.rules import source_answers
from buildcheck.report.values import plain_value

#: Places in the file that a short answer gives of a finding: the first are what it is about.
_PLACES = 4


def finding_answers(
    report: Report,
    *verdicts: Verdict,
    in_a_line: Container[str] = ("unknown",),
    detail: bool = False,
) -> tuple[FindingAnswer, ...]:
    """The findings with one of these verdicts, worst first, consequences marked.

    Those `in_a_line` have title and message only; errors that are open the place of their subject
    as well, and others that are open no message.
    """
    chosen = sorted((f for f in report.findings if f.verdict in verdicts), key=_key)
    groups = [sorted(g, key=lambda f: -_excess(f)) for _, g in groupby(chosen, _key)]
    # Of errors what is certain comes first, of others what is worst; what is of papers alone last.
    groups.sort(key=lambda g: (g[0].rule.applies_to in RECORDS, -_excess(g[0]), _id(g[0])))
    groups.sort(key=lambda g: _key(g[0])[: 3 if g[0].severity == SEVERITIES[0] else 2])
    causes = _causes(groups)
    return tuple(
        replace(
            _answer(g, report, detail=detail, in_a_line=g[0].verdict in in_a_line),
            cause=causes.get(_id(g[0])) if g[0].verdict == "fail" else None,
        )
        for g in groups
    )


def _key(finding: Finding) -> tuple[int, int, int, str]:
    """What is wrong by severity, and at each what is certain before what is likely."""
    verdict, severity = VERDICTS.index(finding.verdict), SEVERITIES.index(finding.severity)
    return (0 if (finding.verdict in FAILING) else verdict, severity, verdict, finding.rule.id)


def _id(finding: Finding) -> str:
    return f"{finding.rule.id} {finding.subject}"


def _excess(finding: Finding) -> float:
    """By which share of its limit a comparison is missed, at the worst; 1 of what has no limit."""
    claim = finding.rule.claim
    if not isinstance(claim, Compare) or claim.op not in ("<", "<=", ">", ">="):
        return 1.0
    sides = [evaluate(tree, finding.worth) for tree in (claim.left, claim.right)]
    low, high = sides if claim.op in ("<", "<=") else sides[::-1]
    if not (isinstance(low, Interval) and isinstance(high, Interval)):
        return 0.0
    limit = high.low if claim.op in ("<", "<=") else low.high
    excess = (low.high - high.low) / max(abs(limit), abs(low.high) / 1000, 1e-9)
    return excess if math.isfinite(excess) else 0.0


def _causes(groups: list[list[Finding]]) -> dict[str, str]:
    """Failed findings that follow from others, to the first cause of each."""
    failed, rank = [g for g in groups if g[0].verdict == "fail"], SEVERITIES.index
    by_rule = by_key((group[0].rule.id, group) for group in failed)
    found: dict[str, str] = {}
    for group in failed:
        worse = (
            cause
            for rule in group[0].rule.follows
            for cause in by_rule.get(rule, ())
            if rank(cause[0].severity) <= rank(group[0].severity) and _are_related(cause, group)
        )
        if cause := next(worse, None):
            found[_id(group[0])] = _id(cause[0])
    for consequence, cause_id in found.items():
        root = cause_id
        while root in found:
            root = found[root]
        found[consequence] = root
    return found


def _are_related(cause: list[Finding], group: list[Finding]) -> bool:
    """Are they about the same subject, or is one about something a build has one of?"""
    kinds = {cause[0].rule.applies_to, group[0].rule.applies_to}
    is_apart = len(kinds) > 1 or not kinds.isdisjoint(SINGLE)
    return is_apart or not {f.subject for f in cause}.isdisjoint(f.subject for f in group)


def _answer(
    group: list[Finding], report: Report, *, detail: bool, in_a_line: bool
) -> FindingAnswer:
    first = group[0]
    waiver, is_open = first.waived, (first.verdict, first.severity) == ("unknown", SEVERITIES[0])
    subjects = sorted({f.subject: None for f in group}, key=lambda s: (len(s), s))
    answer = FindingAnswer(
        rule=first.rule.id,
        severity=first.severity,
        verdict=first.verdict,
        subject=first.subject,
        title=first.title,
        subjects=tuple(subjects) if len(subjects) > 1 else (),
        subject_count=len(subjects),
        message="" if in_a_line and first.verdict == "unknown" and not is_open else first.message,
        choice=choice_answer(group, report),
        drawn=DrawnAnswer(*first.drawn[:3]) if first.drawn else None,
        not_read=first.not_read,
    )
    if in_a_line and not is_open:
        return answer
    places = {
        p.line: PlaceAnswer(p.line, p.column, p.label, *report.document.written((p.line, p.column)))
        for f in group
        for p in f.places
    }
    if in_a_line:
        return replace(answer, named_at=next(iter(places.values()), None))
    return replace(
        answer,
        others=tuple(
            OtherAnswer(f.subject, f.message) for f in group[1:] if f.message != first.message
        ),
        fix=first.fix,
        numbers=_numbers(first, detail=detail),
        places=tuple(places.values())[: None if detail else _PLACES],
        waived=made_of(WaiverAnswer, waiver) if waiver else None,
        rests_on=usual_answers(first, report, detail=detail),
        detail=_detail(first) if detail else None,
    )


def _numbers(finding: Finding, *, detail: bool) -> tuple[NumberAnswer, ...]:
    said = finding.words
    return tuple(
        NumberAnswer(
            name, of, plain_value(value, shape_of(name)), (detail and said.sum_of(name)) or ""
        )
        for name, of, value in said.values()
        if shape_of(name) != DATA
    )


def _detail(finding: Finding) -> FindingDetail:
    rule, grade = finding.rule, finding.grade
    terms = {name: term["value"] for name, term in rule.terms.items()}
    return made_of(
        FindingDetail,
        rule,
        limits=grade.limits | terms,
        limit_why=grade.why,
        steps=tuple(_step(step, finding) for step in finding.steps),
        sources=source_answers(rule),
    )


def _step(step: Step, finding: Finding) -> StepAnswer:
    of, known = "" if step.of == finding.subject_name else step.of, step.sourced
    own = {"source": known.source.title, "confidence": known.confidence} if known else {}
    return made_of(StepAnswer, step, known and known.source, of=of, **own)
