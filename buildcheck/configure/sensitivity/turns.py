"""How far each datum may go before the verdict of a build changes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.configure.sensitivity.model import Turn
from buildcheck.edit import Change, named
from buildcheck.measure import field_shapes, unit_of
from buildcheck.model.quantity import Interval
from buildcheck.wording import label

if TYPE_CHECKING:
    from buildcheck.configure.sensitivity.desk import Desk, Verdict
    from buildcheck.model.graph import Subject
    from buildcheck.source import Path

#: How far a datum is changed: to the double and to the half, in so many steps.
STEPS = 256


class _Edge(NamedTuple):
    """The last value with the same verdict, the rules that turn beyond it, and to what."""

    value: float | None = None
    rules: tuple[str, ...] = ()
    to: str = ""


def turns(desk: Desk) -> list[Turn]:
    """Each datum that error-grade rules read, and how far it may go; the tightest first."""
    found = []
    for (path, field), subject in _data(desk).items():
        now = subject.value(field).high
        unit = unit_of(f"{subject.kind}.{field}")
        is_whole = not unit and now == round(now)
        low = _edge(desk, path, (now, now / 2), unit, is_whole=is_whole)
        high = _edge(desk, path, (now, now * 2), unit, is_whole=is_whole)
        if low.value is None and high.value is None:
            continue
        what = f"{label(field)} of {subject.name}" if subject.part else f"{label(field)}"
        ends = (low.value, high.value, low.rules, high.rules, low.to, high.to)
        found.append(Turn(what, named(path), now, unit, *ends))
    return sorted(found, key=_nearness)


def _data(desk: Desk) -> dict[tuple[Path, str], Subject]:
    """Exact numbers of the build or its parts that error-grade rules read, each once."""
    facts = desk.report.facts
    queue = [
        (used.name, used.subject)
        for finding in desk.report.findings
        if finding.severity == "error" or finding.rule.severity == "error"
        for used in finding.numbers
    ]
    seen: set[tuple[str, str]] = set()
    found: dict[tuple[Path, str], Subject] = {}
    while queue:
        key = queue.pop()
        if key in seen:
            continue
        seen.add(key)
        name, subject = key[0], facts.graph.subjects[key[1]]
        queue += facts.used(name, subject)
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
            found.setdefault(((*subject.path, field), field), subject)
    return dict(sorted(found.items(), key=lambda item: named(item[0][0])))


def _edge(desk: Desk, path: Path, way: tuple[float, float], unit: str, *, is_whole: bool) -> _Edge:
    """How far a datum may go from one value towards another."""
    now, end = way

    def at(step: int) -> float:
        value = now + (end - now) * step / STEPS
        return float(round(value)) if is_whole else float(f"{value:.4g}") if step else now

    def said(value: float) -> Verdict | None:
        text: Any = int(value) if is_whole else f"{value:.9f}".rstrip("0").rstrip(".") + f" {unit}"
        return desk.judged([Change(path, text)])

    base, far = desk.base, said(at(STEPS))
    if far is None or far.word == base.word:
        return _Edge()
    good, bad, turned = 0, STEPS, far
    while bad - good > 1:
        middle = (good + bad) // 2
        found = said(at(middle))
        if found is not None and found.word == base.word:
            good = middle
        else:
            bad, turned = middle, found or turned
    rules = (turned.failed ^ base.failed) or (turned.unknown ^ base.unknown)
    return _Edge(at(good), tuple(sorted(rules)), turned.word)


def _nearness(turn: Turn) -> tuple[float, str]:
    ways = [abs(v - turn.now) / turn.now for v in (turn.low, turn.high) if v is not None]
    return min(ways), turn.path
