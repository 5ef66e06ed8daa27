"""How far each value may go before the verdict of a build changes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.configure.common import nearest
from buildcheck.configure.sensitivity.answer import ThresholdAnswer
from buildcheck.edit import Change, named
from buildcheck.logic.quantity import Interval
from buildcheck.measure.shapes import field_shapes, unit_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.configure.what_if import Verdict, WhatIf
    from buildcheck.model.graph import Subject
    from buildcheck.model.source import Path

#: A value is varied from half to double, in this number of steps.
STEPS = 256


class _Edge(NamedTuple):
    """The last value with the same verdict, the rules that change it beyond, and to what."""

    value: float | None = None
    rules: tuple[str, ...] = ()
    to: str = ""


def thresholds(what_if: WhatIf) -> Iterator[ThresholdAnswer]:
    """Each value that error-grade rules read, and how far it may go."""
    for (path, field), (subject, rules) in _data(what_if).items():
        now = subject.value(field).high
        unit = unit_of(f"{subject.kind}.{field}")
        is_whole = not unit and now == round(now)
        low = _edge(what_if, path, rules, (now, now / 2), unit, is_whole=is_whole)
        high = _edge(what_if, path, rules, (now, now * 2), unit, is_whole=is_whole)
        if low.value is None and high.value is None:
            continue
        yield ThresholdAnswer(
            field=field,
            path=named(path),
            now=now,
            unit=unit.replace("degC", "°C"),
            part=" ".join(subject.name.split()) if subject.part else None,
            low=low.value,
            high=high.value,
            below=low.rules,
            above=high.rules,
            falls_to=low.to,
            rises_to=high.to,
        )


def _data(what_if: WhatIf) -> dict[tuple[Path, str], tuple[Subject, set[str]]]:
    """Exact numbers of the build or its parts, each once, with the error-grade rules that read it.

    A rule that does not apply may read anything once it does.
    """
    facts, findings = what_if.report.facts, what_if.report.findings
    judged = [f for f in findings if f.severity == "error" or f.rule.severity == "error"]
    spared = {f.rule.id for f in judged if f.verdict == "not-applicable"}
    queue = [(used.name, used.subject, f.rule.id) for f in judged for used in f.numbers]
    seen: set[tuple[str, str, str]] = set()
    found: dict[tuple[Path, str], tuple[Subject, set[str]]] = {}
    while queue:
        key = queue.pop()
        if key in seen:
            continue
        seen.add(key)
        name, subject, rule = key[0], facts.graph.subjects[key[1]], key[2]
        queue += ((inner, of, rule) for inner, of in facts.used(name, subject))
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
            of = found.setdefault(((*subject.path, field), field), (subject, {*spared}))
            of[1].add(rule)
    return dict(sorted(found.items(), key=lambda item: named(item[0][0])))


def _edge(
    what_if: WhatIf,
    path: Path,
    rules: set[str],
    way: tuple[float, float],
    unit: str,
    *,
    is_whole: bool,
) -> _Edge:
    """How far a value may go from one value towards another, by the rules that read it."""
    base, (now, end) = what_if.base, way

    def at(step: int) -> float:
        value = now + (end - now) * step / STEPS
        return float(round(value)) if is_whole else float(f"{value:.4g}") if step else now

    def verdict(value: float) -> Verdict | None:
        text: Any = int(value) if is_whole else f"{value:.9f}".rstrip("0").rstrip(".") + f" {unit}"
        found = what_if.judged([Change(path, text)])
        return found and found.of(rules, base)

    far = verdict(at(STEPS))
    if far is None or far.word == base.word:
        return _Edge()

    def stays(step: int) -> bool:
        found = verdict(at(step))
        return found is not None and found.word == base.word

    good = nearest(0, STEPS, stays)
    turned = verdict(at(good + 1)) or far
    turning = (turned.failed ^ base.failed) or (turned.unknown ^ base.unknown)
    return _Edge(at(good), tuple(sorted(turning)), turned.word)


def nearness(one: ThresholdAnswer) -> tuple[float, str]:
    """By which thresholds are sorted: the share of the value that it is away."""
    ways = [abs(v - one.now) / one.now for v in (one.low, one.high) if v is not None]
    return min(ways), one.path
