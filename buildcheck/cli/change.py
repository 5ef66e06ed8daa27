"""The commands that change a build file: its waivers, its layout, power limits, and repairs."""

from __future__ import annotations

import datetime
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from buildcheck import units
from buildcheck.cli.batch import Bar, build_files, with_bar
from buildcheck.cli.build import build_text, check_output
from buildcheck.cli.declared import Frame, command, framed, with_chosen, with_lab
from buildcheck.cli.options import day
from buildcheck.cli.search import Watch, check_outputs
from buildcheck.cli.settings import Lab
from buildcheck.edit import accepted, difference, edit, formatted
from buildcheck.errors import InputError, Problem
from buildcheck.load import load
from buildcheck.logic.quantity import read
from buildcheck.model.finding import PASSING, TROUBLES
from buildcheck.model.labels import plain
from buildcheck.model.vocabulary import refused
from buildcheck.rulebook import Selection
from buildcheck.streams import check_writable, complain, read_build, shown, write_out

if TYPE_CHECKING:
    from buildcheck.configure.repair.answer import RepairAnswer
    from buildcheck.configure.repair.repair import Repair
    from buildcheck.configure.repair.search import RepairSearch
    from buildcheck.configure.sweep.answer import LimitAnswer
    from buildcheck.configure.sweep.limit import Limits
    from buildcheck.model.rate import Rates

_YEAR = datetime.timedelta(days=365)


@command("baseline")
@with_bar
@with_chosen
@with_lab
def baseline(
    build: str,
    *,
    because: str,
    by: str | None,
    until: str | None,
    output: Path | None,
    bar: Bar,
    today: datetime.date,
    chosen: Selection,
    lab: Lab,
) -> None:
    """Accept what is wrong with a machine that exists: write waivers into its build file."""
    check_output(output, (build,))
    raw = read_build(build)
    report = lab.judging(today, build, chosen=chosen).check(raw, shown(build))
    found = bar.within(lab, (build,)).stopping(report, TROUBLES)
    last = day(click.get_current_context(), None, until) if until else today + _YEAR
    words = {"because": because, "until": last.isoformat(), **({"by": by} if by else {})}
    if last < today:
        raise refused("--until", "past", day=last)
    # What is wrong with a waiver no other covers.
    found = [f for f in found if f.rule.applies_to != "waiver"]
    changes = accepted(found, load(raw, build).build.waivers, today, words)
    if not changes:
        click.echo("There is nothing to accept: nothing is written.", err=True)
        return
    to = output or Path(build)
    made = edit(raw, build, changes)
    if wrong := load(made, build).problems:
        # What the options say is no waiver; its lines are in no file.
        raise InputError(p._replace(path="baseline", line=0, source="") for p in wrong)
    write_out(made, to, read=None if output else raw)
    many = sum(change.value is not None for change in changes)
    gone = f", and {len(changes) - many} expired removed" if many < len(changes) else ""
    where = "standard output" if str(to) == "-" else plain(str(to))
    what = f"{many} waiver{'s' * (many != 1)} until {last} written to {where}{gone}."
    click.echo(what, err=True)


@command("fmt")
def fmt(builds: tuple[str, ...], mode: str | None) -> int:
    """Format build files; of a folder all below it. `-` prints standard input formatted."""
    (files, problems), changed = build_files(builds), 0
    for build in files:
        with InputError.added_to(problems):
            raw = read_build(build)
            made = formatted(raw, shown(build))
            changed += made != raw
            if mode == "diff":
                click.echo(difference(raw, made, shown(build)), nl=False)
            elif mode and made != raw:
                click.echo(plain(shown(build)))
            elif not mode and (build == "-" or made != raw):
                write_out(made, Path(build), read=raw)
    what = f"{changed} of {len(files)} files {'would be ' * bool(mode)}reformatted"
    if problems:
        complain(InputError(problems), what)
        return 2
    click.echo(f"{what}.", err=True)
    return int(bool(mode and changed))


@command("limit")
@framed
def limit(frame: Frame, *, build: str, goal: str, work: str | None, rack: str | None) -> int:
    """Find the best power limit for the GPUs of a build."""
    power = _power(goal, rack)
    check_output(frame.output, (build,))
    with Watch(frame.limit) as watch:
        from buildcheck.configure.common import Progress
        from buildcheck.configure.sweep.limit import Aim, limits

        judging = frame.lab.judging(frame.today, build)
        raw, name, _ = build_text(build, judging.catalog)
        report = judging.check(raw, name)
        kind = work or ("inference" if report.facts("workload.kind") == "inference" else "training")

        def judged(done: int, number: int) -> None:
            watch.progress = partial(Progress, "limits", done, number)

        found = limits(report, judging, Aim(goal, kind, power), stop=watch, progress=judged)
    answer = _with_unit(found)
    if frame.output and answer.best:
        write_out(edit(raw, name, found.changes), frame.output)
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


@command("repair")
@framed
def repair(frame: Frame, *, build: str, number: int | None, rates: Rates) -> int:
    """Find the cheapest changes after which nothing fails. `-` reads standard input."""
    output = frame.output
    _check_usage(build, number, output, frame.lists)
    with Watch(frame.limit) as watch:
        from buildcheck.configure.repair.repair import repair as search

        judging = frame.lab.judging(frame.today, build)
        raw, name, _ = build_text(build, judging.catalog)
        asked = (raw, name, judging, frame.lists)
        found = search(*asked, rates=rates, stop=watch, begun=partial(_begun, watch))
    is_hopeless = found.verdict == "fail" and not found.repairs
    chosen = None if number is None or is_hopeless else _chosen(found, number)
    if chosen is not None:
        # A part list has a build file that is made of it.
        write_out(chosen, output or Path(name), read=None if output else raw)
        found = replace(found, applied=number)
    frame.answer("repair", found)
    if chosen is not None:
        click.echo(f"Way {number} is written to {plain(str(output or name))}.", err=True)
    return int(is_hopeless)


def _begun(watch: Watch, search: RepairSearch) -> None:
    """Show the progress of a search."""
    from buildcheck.configure.common import Progress

    watch.progress = lambda: Progress("repair", search.trials.judged, found=len(search.found))


def _check_usage(
    build: str, number: int | None, output: Path | None, prices: tuple[Path, ...]
) -> None:
    """What can be checked before anything is read. Raises `InputError`."""
    if number is not None and build == "-" and output is None:
        raise refused("--apply", "apply-stdin")
    if output is not None and number is None:
        raise refused("-o", "out-unchosen")
    check_outputs({"-o": output}, (build, *prices))
    if number is not None and output is None:
        check_writable(Path(build))


def _chosen(found: RepairAnswer, number: int) -> bytes:
    """The file after the repair of a number. Raises `InputError` if there is none."""
    if number > len(found.repairs):
        count = len(found.repairs)
        were = "1 was" if count == 1 else f"{count} were"
        code = "no-way" if count else "no-way-at-all"
        raise refused("--apply", code, number=number, found=were)
    return cast("Repair", found.repairs[number - 1]).raw
