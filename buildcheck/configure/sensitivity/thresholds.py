"""How far each value may go before the verdict of a build changes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from buildcheck.configure.common import error_rules, nearest
from buildcheck.configure.sensitivity.answer import ThresholdAnswer
from buildcheck.edit import Change, named
from buildcheck.judge.record import KINDS
from buildcheck.logic.quantity import Interval
from buildcheck.measure.shapes import field_shapes, unit_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.configure.common import ErrorRules
    from buildcheck.configure.trial import Trials
    from buildcheck.model.graph import Subject
    from buildcheck.model.source import Path

#: A value is varied from half to double, in this number of steps.
STEPS = 256


def thresholds(trials: Trials) -> Iterator[ThresholdAnswer]:
    """Each value that error-grade rules read, and how far it may go."""
    for (path, field), (subject, rules) in _data(trials).items():
        now = subject.value(field).high
        unit = unit_of(f"{subject.kind}.{field}")
        is_whole = not unit and now == round(now)
        low, below, falls_to = _edge(trials, path, rules, (now, now / 2), unit, is_whole=is_whole)
        high, above, rises_to = _edge(trials, path, rules, (now, now * 2), unit, is_whole=is_whole)
        if low is None and high is None:
            continue
        yield ThresholdAnswer(
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
    findings = [f for f in trials.report.findings if f.rule.applies_to not in KINDS]
    judged = [f for f in findings if f.severity == "error" or f.rule.severity == "error"]
    spared = {f.rule.id for f in judged if f.verdict == "not-applicable"}
    found: dict[tuple[Path, str], tuple[Subject, set[str]]] = {}
    for name, of, rule in sorted(trials.reads(judged)):
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
    trials: Trials,
    path: Path,
    rules: set[str],
    way: tuple[float, float],
    unit: str,
    *,
    is_whole: bool,
) -> tuple[float | None, tuple[str, ...], str]:
    """The last value on a way with the same verdict, the rules that change it, and to what."""
    base, (now, end) = error_rules(trials.report), way

    def at(step: int) -> float:
        value = now + (end - now) * step / STEPS
        return float(round(value)) if is_whole else float(f"{value:.4g}") if step else now

    def verdict(value: float) -> ErrorRules | None:
        text: Any = int(value) if is_whole else f"{value:.9f}".rstrip("0").rstrip(".") + f" {unit}"
        found = trials.after(trials.data, [Change(path, text)])
        return found.verdict.of(rules, base) if found else None

    far = verdict(at(STEPS))
    if far is None or far.word == base.word:
        return None, (), ""

    def stays(step: int) -> bool:
        found = verdict(at(step))
        return found is not None and found.word == base.word

    good = nearest(0, STEPS, stays)
    turned = verdict(at(good + 1)) or far
    turning = (turned.failed ^ base.failed) or (turned.unknown ^ base.unknown)
    return at(good), tuple(sorted(turning)), turned.word


def nearness(one: ThresholdAnswer) -> tuple[float, str]:
    """By which thresholds are sorted: the share of the value that it is away."""
    ways = [abs(v - one.now) / one.now for v in (one.low, one.high) if v is not None]
    return min(ways), one.path
