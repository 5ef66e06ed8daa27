"""The command that finds the best power limit of a build for a goal."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from buildcheck.cli.build import build_argument, build_text, check_output, command
from buildcheck.cli.frame import Frame, framed
from buildcheck.cli.search import TIME_LIMIT, Watch
from buildcheck.errors import InputError, Problem
from buildcheck.model.finding import PASSING
from buildcheck.streams import choice, path_option, write_out

if TYPE_CHECKING:
    from pathlib import Path

    from buildcheck.configure.sweep.answer import LimitAnswer
    from buildcheck.configure.sweep.limit import Limits


@command("limit")
@build_argument()
@choice("What the best limit is best for.", "--goal", among=("speed", "per-watt", "rack"))
@click.option(
    "--for",
    "work",
    type=click.Choice(["training", "inference"]),
    default=None,
    help="What the GPUs do; as in the build file unless given.",
)
@click.option(
    "--rack", metavar="POWER", help="What the rack gives, such as '5 kW', for `--goal rack`."
)
@framed(
    path_option(
        "-o", "--output", help="Also write the build file with the best limit to this file."
    ),
    TIME_LIMIT,
)
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
    """Find the best power limit for the GPUs of a build.

    Each tenth is judged as `validate` does, and each limit where the verdict turns. `speed` finds
    the fastest that passes on its PSU and circuit, `per-watt` the most speed for each watt from the
    wall, `rack` the most speed in a rack of a given power. Speeds are read off measured curves.

    Prints what each limit does, and the change of the build file; with --verbose also the unit that
    sets the limit at every start. Ctrl-C or the time limit ends it with the best of what was tried.

    `-` reads standard input. The exit code is 0 if the build passes with the best limit, or
    without one; 1 if it passes with none, or is not known to; 2 if it cannot be used.
    """
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
        what = "the goal and the power of the rack belong together"
        raise InputError([Problem("--rack", 0, 0, what, "Give --goal rack --rack '5 kW'")])
    if rack is None:
        return 0.0
    try:
        power = read(rack, units.POWER)
    except ValueError as error:
        raise InputError([Problem("--rack", 0, 0, str(error))]) from None
    if power.low <= 0:
        what = f"a rack of '{rack.strip()}' gives no power"
        raise InputError([Problem("--rack", 0, 0, what, "Give an amount above zero, as '5 kW'")])
    return power.low
