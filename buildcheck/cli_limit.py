"""The command that finds the best power limit of a build for a goal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from buildcheck.cli_build import check_output
from buildcheck.cli_frame import Frame, framed
from buildcheck.cli_search import TIME_LIMIT, Watch
from buildcheck.errors import InputError, Problem
from buildcheck.streams import path_option, read_build, shown, write_out

if TYPE_CHECKING:
    from pathlib import Path


@click.command("limit")
@click.argument("build", metavar="BUILD")
@click.option(
    "--goal",
    type=click.Choice(["speed", "per-watt", "rack"]),
    default="speed",
    show_default=True,
    help="What the limit is to be the best for.",
)
@click.option(
    "--for",
    "work",
    type=click.Choice(["training", "inference"]),
    default=None,
    help="What the cards do; as the build file says unless given.",
)
@click.option("--rack", metavar="POWER", help="What a rack gives, such as '5 kW', for that goal.")
@framed(
    path_option("-o", "--output", help="Write the build file with the best limit to this one."),
    TIME_LIMIT,
)
def main(  # noqa: PLR0913 - one per option
    frame: Frame,
    *,
    build: str,
    goal: str,
    work: str | None,
    rack: str | None,
    output: Path | None,
    limit: float | None,
) -> int:
    """Find the best power limit of the cards of a build, for a goal.

    Every limit is judged as `validate` does. `speed` seeks the fastest with which the build passes
    on its supply and circuit, `per-watt` the most speed for each watt from the wall, and `rack`
    the most card-equivalents in a rack of so much power. Speeds are read off measured curves.

    Prints what each limit does, the change of the build file, and the unit that sets the limit at
    every start. Ctrl-C or the time limit ends it with the best of what was tried until then.

    `-` reads standard input. The exit code is 0 if the build passes with the best limit, or
    without one; 1 if it passes with none, or is not known to; 2 if it cannot be used.
    """
    from buildcheck.check import check  # noqa: PLC0415 - keeps --help and --version quick
    from buildcheck.configure.limit.limit import limits  # noqa: PLC0415
    from buildcheck.configure.limit.text import limits_data, limits_text, progress  # noqa: PLC0415
    from buildcheck.edit import edit  # noqa: PLC0415

    power = _power(goal, rack)
    check_output(output, (build,))
    catalog, rulebook, raw = frame.catalog(build), frame.rulebook(), read_build(build)
    report = check(raw, shown(build), catalog, rulebook, frame.today)
    kind = work or ("inference" if report.facts("workload.kind") == "inference" else "training")
    law, aim = (catalog, rulebook, frame.today), (goal, kind, power)
    with Watch(limit) as watch:

        def told(done: int, number: int) -> None:
            watch.told = lambda: progress(done, number)

        found = limits(report, *law, aim, stop=watch, told=told)
    if output and found.best:
        write_out(edit(raw, shown(build), found.changes), output)
    frame.show(lambda: limits_text(found), lambda: limits_data(found))
    return int(found.best is None or found.best.verdict != "pass")


def _power(goal: str, rack: str | None) -> float:
    """The power of a rack in W; zero where none is asked for. Raises `InputError`."""
    from buildcheck import units  # noqa: PLC0415 - keeps --help and --version quick
    from buildcheck.model.quantity import read  # noqa: PLC0415

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
