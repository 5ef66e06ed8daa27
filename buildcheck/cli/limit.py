"""The command that finds the best power limit of a build for a goal."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from buildcheck.cli.build import build_text, check_output
from buildcheck.cli.declared import Frame, command, framed
from buildcheck.cli.search import Watch
from buildcheck.errors import InputError, Problem
from buildcheck.model.finding import PASSING
from buildcheck.model.vocabulary import refused
from buildcheck.streams import write_out

if TYPE_CHECKING:
    from pathlib import Path

    from buildcheck.configure.sweep.answer import LimitAnswer
    from buildcheck.configure.sweep.limit import Limits


@command("limit")
@framed
def main(
    frame: Frame,
    *,
    build: str,
    goal: str,
    work: str | None,
    rack: str | None,
    output: Path | None,
    limit: float | None,
) -> int:
    """Find the best power limit for the GPUs of a build."""
    power = _power(goal, rack)
    check_output(output, (build,))
    with Watch(limit) as watch:
        from buildcheck.configure.progress import Progress
        from buildcheck.configure.sweep.limit import Aim, limits
        from buildcheck.edit import edit

        judging = frame.lab.judging(frame.today, build)
        raw, name, _ = build_text(build, judging.catalog)
        report = judging.check(raw, name)
        kind = work or ("inference" if report.facts("workload.kind") == "inference" else "training")

        def judged(done: int, number: int) -> None:
            watch.progress = partial(Progress, "limits", done, number)

        found = limits(report, judging, Aim(goal, kind, power), stop=watch, progress=judged)
    answer = _with_unit(found)
    if output and answer.best:
        write_out(edit(raw, name, found.changes), output)
    frame.answer("limit", answer)
    return int(answer.best is None or answer.best.verdict not in PASSING)


def _with_unit(found: Limits) -> LimitAnswer:
    """The answer with the unit that sets the best limit, or why there is none."""
    from buildcheck.checklist.power_limits import NoLimitError, power_limits
    from buildcheck.render.documents import limit_files

    answer = found.answer
    if found.report is None or answer.best is None or not answer.best.limits:
        return answer
    try:
        return replace(answer, unit=limit_files(power_limits(found.report)))
    except NoLimitError as error:
        return replace(answer, no_unit=error.problems[0].message)


def _power(goal: str, rack: str | None) -> float:
    """The power of a rack in W; zero where none is asked for. Raises `InputError`."""
    from buildcheck import units
    from buildcheck.logic.quantity import read

    if (goal == "rack") is not (rack is not None):
        raise refused("--rack", "rack-and-goal")
    if rack is None:
        return 0.0
    try:
        power = read(rack, units.POWER)
    except ValueError as error:
        raise InputError([Problem("--rack", 0, 0, str(error))]) from None
    if power.low <= 0:
        raise refused("--rack", "rack-empty", text=rack.strip())
    return power.low
