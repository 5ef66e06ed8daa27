"""How far a build is from its limits, and what of it may change before its verdict does.

Margins come from the findings themselves; everything else from builds that were changed as
plain data and judged again.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from buildcheck.configure.common import FindingBrief, brief_findings
from buildcheck.configure.decisions import ErrorRules, edge, error_rules, reads_of
from buildcheck.configure.stopping import StoppedError
from buildcheck.configure.sweep import answer as answers
from buildcheck.configure.trial import Trials
from buildcheck.edit import Change, named
from buildcheck.logic.interval import evaluate
from buildcheck.logic.parse import Compare, names
from buildcheck.logic.quantity import UNKNOWN, Interval
from buildcheck.measure.shapes import field_shapes, unit_of
from buildcheck.model.answer import Figure
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.finding import FAILING, RECORDS, Finding, Report
from buildcheck.model.graph import Subject, by_key
from buildcheck.model.source import Path
from buildcheck.rulebook.moves import moves
from buildcheck.rulebook.wording import Wording
from buildcheck.units import BASE

#: A value is varied from half to double, in this number of steps.
STEPS = 256
#: GPUs that are added to see what blocks them.
MORE = (1, 2)
_VERDICTS: dict[Any, str] = {True: "pass", False: "fail", None: "unknown"}


def sensitivity(trials: Trials) -> answers.SensitivityAnswer:
    """What a judged build is sensitive to; where it is stopped, what was found until then."""
    report = trials.report
    more, edges = list[answers.MoreGpusAnswer](), list[answers.ThresholdAnswer]()
    stopped = False
    try:
        more.extend(more_gpus(trials))
        edges.extend(thresholds(trials))
    except StoppedError:
        stopped = True
    return answers.SensitivityAnswer(
        name=" ".join(report.name.split()),
        file=report.document.path,
        verdict=report.verdict,
        gpu=" ".join(report.graph.of("gpu")[0].name.split()),
        fails=tuple(sorted(error_rules(report).failed)),
        margins=tuple(margins(report)),
        more_gpus=tuple(more),
        thresholds=tuple(sorted(edges, key=nearness)),
        stopped=stopped,
    )


def margins(report: Report) -> list[answers.MarginAnswer]:
    """The margin of every numeric comparison, the tightest first; equal ones once."""
    margins_of = ((_margin(finding, report), finding.subject) for finding in report.findings)
    found = by_key((row, subject) for row, subject in margins_of if row)
    rows = (replace(row, subjects=tuple(dict.fromkeys(of))) for row, of in found.items())
    shares = ((math.copysign(math.inf, r.margin) if r.share is None else r.share, r) for r in rows)
    order = sorted(shares, key=lambda s: (s[1].severity != "error", s[0], s[1].rule, s[1].subjects))
    return [row for _, row in order]


def _margin(finding: Finding, report: Report) -> answers.MarginAnswer | None:
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
    return answers.MarginAnswer(
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


def thresholds(trials: Trials) -> Iterator[answers.ThresholdAnswer]:
    """Each value that error-grade rules read, and how far it may go."""
    for (path, field), (subject, rules) in _data(trials).items():
        now, unit = subject.value(field).high, unit_of(f"{subject.kind}.{field}")
        (low, below, falls_to), (high, above, rises_to) = (
            _edge(trials, path, rules, (now, end), unit) for end in (now / 2, now * 2)
        )
        if low is None and high is None:
            continue
        yield answers.ThresholdAnswer(
            field=field,
            path=named(path),
            now=now,
            unit=unit.replace("degC", "°C"),
            part=" ".join(subject.name.split()) if subject.part else None,
            low=low,
            high=high,
            below=below,
            above=above,
            falls_to=falls_to,
            rises_to=rises_to,
        )


def _data(trials: Trials) -> dict[tuple[Path, str], tuple[Subject, set[str]]]:
    """Exact numbers of the build or its parts, each once, with the error-grade rules that read it.

    A rule that does not apply may read anything once it does.
    """
    facts = trials.report.facts
    findings = [f for f in trials.report.findings if f.rule.applies_to not in RECORDS]
    judged = [f for f in findings if f.severity == "error" or f.rule.severity == "error"]
    spared = {f.rule.id for f in judged if f.verdict == "not-applicable"}
    found: dict[tuple[Path, str], tuple[Subject, set[str]]] = {}
    for name, of, rule in sorted(reads_of(trials.report, judged)):
        subject = facts.graph.subjects[of]
        field = name.partition(".")[2]
        value = subject.value(field)
        if (
            facts.source(name, subject) is not None
            and isinstance(value, Interval)
            and value.is_exact
            and 0 < value.high < math.inf
            and subject.listed
            and subject.path
            and field in field_shapes(subject.kind)
        ):
            key = ((*subject.path, field), field)
            found.setdefault(key, (subject, {*spared}))[1].add(rule)
    return dict(sorted(found.items(), key=lambda item: named(item[0][0])))


def _edge(
    trials: Trials, path: Path, rules: set[str], way: tuple[float, float], unit: str
) -> tuple[float | None, tuple[str, ...], str]:
    """The last value on a way with the same verdict, the rules that change it, and to what."""
    base, (now, end) = error_rules(trials.report), way
    # What only `check` finds likely to pass is left out.
    rules = rules - (trials.base.verdict.unknown - base.unknown if trials.base else frozenset())
    is_whole = not unit and now == round(now)

    def at(step: int) -> float:
        value = now + (end - now) * step / STEPS
        return float(round(value)) if is_whole else float(f"{value:.4g}") if step else now

    def verdict(step: int) -> ErrorRules | None:
        value = at(step)
        text: Any = int(value) if is_whole else f"{value:.9f}".rstrip("0").rstrip(".") + f" {unit}"
        found = trials.after(trials.data, [Change(path, text)])
        return found.verdict.of(rules, base) if found else None

    def stays(step: int) -> bool:
        return (then := verdict(step)) is not None and then.word == base.word

    far, good = verdict(STEPS), edge(0, STEPS, stays) or 0
    if far is None or good == STEPS:
        return None, (), ""
    turned = verdict(good + 1) or far
    turning = (turned.failed ^ base.failed) or (turned.unknown ^ base.unknown)
    return at(good), tuple(sorted(turning)), turned.word


def nearness(one: answers.ThresholdAnswer) -> tuple[float, str]:
    """By which thresholds are sorted: the share of the value that it is away."""
    ways = [abs(v - one.now) / one.now for v in (one.low, one.high) if v is not None]
    return min(ways), one.path


def more_gpus(trials: Trials) -> Iterator[answers.MoreGpusAnswer]:
    """What blocks one more of the first GPUs, and two."""
    base = error_rules(trials.report)
    entry = trials.data["gpus"][0]
    pinned = "slots" in entry
    for number in MORE:
        changes = [Change(("gpus", 0, "count"), entry.get("count", 1) + number)]
        changes += [Change(("gpus", 0, "slots"), None)] if pinned else []
        trial = trials.after(trials.data, changes)
        report = trial.report if trial else None
        if report is None:
            yield answers.MoreGpusAnswer(number)
            continue
        found = error_rules(report)
        fresh = {*found.failed - base.failed, *found.unknown - base.unknown - base.failed}
        blockers = (
            answers.BlockerAnswer(**vars(one), part=_blocking(one, report))
            for one in brief_findings(report, *FAILING, "unknown")
            if one.rule in fresh and one.severity == "error"
        )
        yield answers.MoreGpusAnswer(number, report.verdict, tuple(blockers), pinned)


def _blocking(one: FindingBrief, report: Report) -> str:
    """The part a finding is about that is no GPU: its subject, or what its rule reads."""
    finding = next(f for f in report.findings if (f.rule.id, f.subject) == (one.rule, one.subject))
    others = [n.partition(".")[0] for n in names(finding.rule.claim)]
    others = [k for k in others if k not in ("gpu", "build", "standard")]
    if report.graph.subjects[one.subject].kind not in ("gpu", "build"):
        return finding.subject_name
    usual = [
        SECTION_KIND[section]
        for name in ("by PSU", "by board")
        for section in moves()[name].sections
        if moves()[name].concerns((one.rule,))
    ]
    for other in (*others, *usual):
        found = report.graph.of(other)
        if found:
            return found[0].name
    return finding.subject_name
