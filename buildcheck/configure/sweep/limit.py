"""The best power limit of a build for a goal: what turns the verdict, and the best, are judged.

GPUs are held at one share of their default power, in whole steps of watts. The rest of the build
stays as it is, so a limit is proposed only where the build passes with it; that something sets it
at every start is assumed, and the unit that does is part of the answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from buildcheck import units
from buildcheck.configure import decisions
from buildcheck.configure.common import file_change
from buildcheck.configure.stopping import Stop, StoppedError, never
from buildcheck.configure.sweep.answer import APART, JudgedLimit, LimitAnswer, LimitedGpus
from buildcheck.configure.trial import Trial, Trials, judged
from buildcheck.edit import Change, named
from buildcheck.facts.limits import decoding_speed_at, speed_at
from buildcheck.logic.quantity import Interval, exact
from buildcheck.logic.quantity import total as add_up
from buildcheck.measure import Facts
from buildcheck.model.answer import Figure, figure
from buildcheck.model.finding import Report
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
    stop: Stop = never,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> Limits:
    """What limits do to a judged build; `progress` gets how many are judged, and of how many."""
    entries, unknown = decisions.limited_entries(report.facts)
    unknown += [e.gpus[0].name for e in entries if e.lowest is None]
    firsts = [entry.gpus[0] for entry in entries]
    without_curve = {g.name: 0 for g in firsts if report.facts("gpu.speed_at_limit", g) is None}
    steps = [] if unknown or not entries else [(1.0, {}), *decisions.common_limits(entries)]
    sweep = _LimitSweep(Trials(report, judging, stop), entries, steps, aim).looked(progress)
    best, changes, then = (None, (), None) if without_curve else sweep.best()
    settings, left = tuple(filter(None, sweep.settings)), steps[len(sweep.settings) :]
    answer = LimitAnswer(
        name=" ".join(report.name.split()),
        file=report.document.path,
        verdict=report.verdict,
        goal=aim.goal,
        workload=aim.work,
        rack=Figure(aim.rack, aim.rack, "W") if aim.goal == "rack" else None,
        gpus=tuple(
            LimitedGpus(named(("gpus", e.number)), gpu.name, len(e.gpus), e.default)
            for e, gpu in zip(entries, firsts, strict=True)
        ),
        best=best,
        changes=tuple(map(file_change, changes)),
        settings=settings,
        always_fails=tuple(sorted(_in_all(one.fails for one in settings))),
        always_unknown=tuple(sorted(_in_all(one.unknown for one in settings))),
        without_range=tuple(unknown),
        without_curve=tuple(without_curve),
        stopped=bool(left),
        untried=tuple(
            {named(("gpus", n)): limit for n, limit in watts.items()} for _, watts in left
        ),
    )
    return Limits(answer, then, changes)


@dataclass
class _LimitSweep:
    """The limits of a build, from none down, with what each comes to in `settings`.

    `reports` are of those that were judged; where one is no build there is None.
    """

    trials: Trials
    entries: list[decisions.LimitedEntry]
    steps: list[tuple[float, dict[int, int]]]
    aim: Aim
    settings: list[JudgedLimit | None] = field(default_factory=list)
    reports: dict[int, Report | None] = field(default_factory=dict)

    def looked(self, progress: Callable[[int, int], None]) -> _LimitSweep:
        """Judge about each tenth of the default, and where the verdict turns between."""
        last, known = len(self.steps) - 1, self.settings
        tenth = sum(share > 1 - APART for share, _ in self.steps)
        with suppress(StoppedError):
            for end in (*range(0, last, tenth), last) if self.steps else ():
                progress(len(known), last + 1)
                decisions.turns(max(len(known) - 1, 0), end, self._verdict)
                known += [self._measured(number) for number in range(len(known), end + 1)]
        return self

    def best(self) -> tuple[JudgedLimit | None, tuple[Change, ...], Report | None]:
        """The best of the limits, which is judged itself, with its changes and report."""
        while best := _best(tuple(filter(None, self.settings)), self.aim):
            number = self.settings.index(best)
            if number in self.reports:
                return best, self._changes(number), self.reports[number]
            self._verdict(number)
            self.settings[number] = self._measured(number)
        return None, (), None

    def _changes(self, number: int) -> tuple[Change, ...]:
        watts = self.steps[number][1] or dict.fromkeys(e.number for e in self.entries)
        return tuple(decisions.limit_changes(self.trials.data, watts))

    def _trial(self, number: int) -> Trial | None:
        """The build at a limit; None if it is none. Raises `StoppedError` if it is time to."""
        return self.trials.after(self.trials.data, self._changes(number))

    def _verdict(self, number: int) -> dict[str, Any]:
        """What `check` says of the build at a limit; nothing where it is no build."""
        if number not in self.reports:
            trial = self._trial(number)
            self.reports[number] = trial.report if trial else None
        report = self.reports[number]
        if report is None:
            return {}
        found = {
            "fails": report.failing,
            "unknown": report.errors("unknown"),
            "warns": decisions.circuit_warnings(report),
        }
        ids = {name: tuple(sorted({f.rule.id for f in of})) for name, of in found.items()}
        return {"verdict": report.verdict, **ids}

    def _measured(self, number: int) -> JudgedLimit | None:
        """What a limit comes to, with its verdict or that of the judged limit above."""
        report, judging = self.reports.get(number), self.trials.judging
        if report is None and (trial := self._trial(number)):
            report = judged(trial.data, judging._replace(rulebook=judging.rulebook.only(())))
        found = self._verdict(max(n for n in self.reports if n <= number))
        return self._setting(number, report.facts, found) if report and found else None

    def _setting(self, number: int, facts: Facts, found: dict[str, Any]) -> JudgedLimit:
        """What a limit comes to, and what was `found` of the build with it."""
        (share, watts), aim = self.steps[number], self.aim
        wall = facts.number("circuit.heat")
        held = {e.number: exact(float(watts.get(e.number, e.default))) for e in self.entries}
        speeds = {work: _gpus_at_full_speed(work, held, self.entries, facts) for work in _SPEED}
        power = add_up([held[e.number] * exact(float(len(e.gpus))) for e in self.entries])
        setting = JudgedLimit(
            share=round(share, 4),
            gpu_power=Figure(power.low, power.high, "W"),
            limits={named(("gpus", number)): limit for number, limit in watts.items()},
            training=figure(speeds["training"]),
            serving=figure(speeds["inference"]),
            wall_power=figure(wall, units.POWER) if wall.high > 0 else None,
            **found,
        )
        speed, first = _speed(setting, aim.work), next(filter(None, self.settings), setting)
        value, over = (_per_watt(one, aim.work) for one in (setting, first))
        machines = math.floor(aim.rack / wall.high) if aim.goal == "rack" and wall.high else None
        return replace(
            setting,
            efficiency=round(value / over, 4) if value and over else None,
            machines=machines,
            in_rack=None if machines is None or speed is None else machines * speed,
        )


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
    work: str, held: dict[int, Interval], entries: list[decisions.LimitedEntry], facts: Facts
) -> Interval | None:
    """The GPUs at full speed that those of a build are worth at these limits."""
    found = []
    for entry in entries:
        each = _SPEED[work](entry.gpus[0], facts, held[entry.number])
        if each is None:
            return None
        found.append(each * exact(float(len(entry.gpus))))
    return add_up(found)
