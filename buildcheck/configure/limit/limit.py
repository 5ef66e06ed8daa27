"""The best power limit of a build for a goal: every limit is judged before it counts.

GPUs are held at one share of their default power, in whole steps of watts. The rest of the build
stays as it is, so a limit is proposed only where the build passes with it; that something sets it
at every start is assumed, and the unit that does is part of the answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple

from buildcheck import units
from buildcheck.configure.common import file_change
from buildcheck.configure.decisions import (
    LimitedEntry,
    circuit_warnings,
    common_limits,
    limit_changes,
    limited_entries,
)
from buildcheck.configure.limit.answer import JudgedLimit, LimitAnswer, LimitedGpus
from buildcheck.configure.stopping import Stop, StoppedError, never
from buildcheck.configure.trial import Trials
from buildcheck.edit import Change, named
from buildcheck.facts.limits import decoding_speed_at, speed_at
from buildcheck.logic.quantity import Interval, exact
from buildcheck.logic.quantity import total as add_up
from buildcheck.measure import Facts
from buildcheck.model.answer import Figure, figure
from buildcheck.model.finding import Finding, Report
from buildcheck.pipeline import Judging

#: Share of full speed at a limit, by kind of work.
_SPEED = {"training": speed_at, "inference": decoding_speed_at}


class Aim(NamedTuple):
    """What the best limit is sought for: a goal, a kind of work, and what a rack gives in W."""

    goal: str
    work: str
    rack: float = 0.0


class Limits(NamedTuple):
    """The answer, and the report and the changes of the best."""

    answer: LimitAnswer
    report: Report | None
    changes: tuple[Change, ...]


def limits(
    report: Report,
    judging: Judging,
    aim: Aim,
    *,
    stop: Stop = never,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> Limits:
    """What limits do to a judged build; `progress` gets how many are judged, and of how many."""
    trials = Trials(report, judging, stop)
    entries, unknown = limited_entries(report.facts)
    unknown += [e.gpus[0].name for e in entries if e.lowest is None]
    firsts = [entry.gpus[0] for entry in entries]
    without_curve = [g.name for g in firsts if report.facts("gpu.speed_at_limit", g) is None]
    left = [] if unknown or not entries else [(1.0, {}), *common_limits(entries)]
    tried = _tried(trials, entries, left, aim, progress)
    settings = tuple(_compared(setting, tried[0][0], aim.work) for setting, *_ in tried)
    best = None if without_curve else _best(settings, aim)
    _, changes, report_then = tried[settings.index(best)] if best else (None, (), None)
    answer = LimitAnswer(
        name=" ".join(report.name.split()),
        file=report.document.path,
        verdict=report.verdict,
        goal=aim.goal,
        workload=aim.work,
        rack=Figure(aim.rack, aim.rack, "W") if aim.goal == "rack" else None,
        gpus=tuple(map(_gpus, entries)),
        best=best,
        changes=tuple(map(file_change, changes)),
        settings=settings,
        always_fails=tuple(sorted(_in_all(one.fails for one in settings))),
        always_unknown=tuple(sorted(_in_all(one.unknown for one in settings))),
        without_range=tuple(unknown),
        without_curve=tuple(dict.fromkeys(without_curve)),
        stopped=bool(left),
        untried=tuple(_by_path(watts) for _, watts in left),
    )
    return Limits(answer, report_then, changes)


def _gpus(entry: LimitedEntry) -> LimitedGpus:
    path = named(("gpus", entry.number))
    return LimitedGpus(path, entry.gpus[0].name, len(entry.gpus), entry.default)


def _tried(
    trials: Trials,
    entries: list[LimitedEntry],
    left: list[tuple[float, dict[int, int]]],
    aim: Aim,
    progress: Callable[[int, int], None],
) -> list[tuple[JudgedLimit, tuple[Change, ...], Report]]:
    """Every step as it is judged; what is not when it is stopped stays in `left`."""
    tried, number = [], len(left)
    while left:
        progress(number - len(left), number)
        share, watts = left[0]
        changes = tuple(
            limit_changes(trials.data, watts or dict.fromkeys(e.number for e in entries))
        )
        try:
            trial = trials.after(trials.data, changes)
        except StoppedError:
            break
        if trial is not None and (then := trial.report) is not None:
            tried.append((_setting(share, watts, then, entries, aim), changes, then))
        del left[0]
    return tried


def _compared(setting: JudgedLimit, first: JudgedLimit, work: str) -> JudgedLimit:
    """A setting with its speed per watt over that without a limit."""
    value, over = (_per_watt(one, work) for one in (setting, first))
    return replace(setting, efficiency=round(value / over, 4)) if value and over else setting


def _best(settings: tuple[JudgedLimit, ...], aim: Aim) -> JudgedLimit | None:
    """The setting worth most with which nothing fails; of equals the lowest limit.

    Rules that cannot be judged at any limit do not keep the others from being compared. None is
    the best above the sustained limit of the circuit where a lower one keeps it.
    """
    always = _in_all(one.unknown for one in settings)
    fit = [
        one
        for one in reversed(settings)
        if _worth(one, aim) and not one.fails and set(one.unknown) <= always
    ]
    clear = [one for one in fit if not one.warns]
    return max(clear or fit, key=lambda one: _worth(one, aim) or 0.0, default=None)


def _in_all(rules: Iterable[tuple[str, ...]]) -> set[str]:
    """The rules that are in each of some."""
    found = [set(one) for one in rules]
    return set.intersection(*found) if found else set()


def _by_path(watts: dict[int, int]) -> dict[str, int]:
    return {named(("gpus", number)): limit for number, limit in watts.items()}


def _setting(
    share: float, watts: dict[int, int], then: Report, entries: list[LimitedEntry], aim: Aim
) -> JudgedLimit:
    wall = then.facts.number("circuit.heat")
    held = {e.number: exact(float(watts.get(e.number, e.default))) for e in entries}
    speeds = {work: _gpus_at_full_speed(work, held, entries, then.facts) for work in _SPEED}
    power = add_up([held[e.number] * exact(float(len(e.gpus))) for e in entries])
    setting = JudgedLimit(
        share=round(share, 4),
        verdict=then.verdict,
        gpu_power=Figure(power.low, power.high, "W"),
        limits=_by_path(watts),
        training=figure(speeds["training"]),
        serving=figure(speeds["inference"]),
        wall_power=figure(wall, units.POWER) if wall.high > 0 else None,
        fails=_ids(then.failing),
        unknown=_ids(then.errors("unknown")),
        warns=_ids(circuit_warnings(then)),
    )
    if aim.goal == "rack" and wall.high:
        machines, speed = math.floor(aim.rack / wall.high), _speed(setting, aim.work)
        in_rack = None if speed is None else machines * speed
        setting = replace(setting, machines=machines, in_rack=in_rack)
    return setting


def _speed(setting: JudgedLimit, work: str) -> float | None:
    """The least speed at a kind of work, in GPUs at full speed; None if not known."""
    found = setting.training if work == "training" else setting.serving
    return found.low if found else None


def _per_watt(setting: JudgedLimit, work: str) -> float | None:
    """The least speed for each watt from the wall; None if not known."""
    speed, wall = _speed(setting, work), setting.wall_power
    return None if speed is None or wall is None or not wall.high else speed / wall.high


def _worth(setting: JudgedLimit, aim: Aim) -> float | None:
    """What is to be as large as can be, at the least it may be; None if not known."""
    if aim.goal == "rack":
        return setting.in_rack
    return (_speed if aim.goal == "speed" else _per_watt)(setting, aim.work)


def _gpus_at_full_speed(
    work: str, held: dict[int, Interval], entries: list[LimitedEntry], facts: Facts
) -> Interval | None:
    """The GPUs at full speed that those of a build are worth at these limits."""
    found = []
    for entry in entries:
        each = _SPEED[work](entry.gpus[0], facts, held[entry.number])
        if each is None:
            return None
        found.append(each * exact(float(len(entry.gpus))))
    return add_up(found)


def _ids(findings: Iterable[Finding]) -> tuple[str, ...]:
    return tuple(sorted({f.rule.id for f in findings}))
