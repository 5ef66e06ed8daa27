"""The commands that change a build file: its waivers, and how it is laid out."""

from __future__ import annotations

import datetime
from pathlib import Path

import click

from buildcheck.cli.batch import Bar, build_files, with_bar
from buildcheck.cli.build import check_output
from buildcheck.cli.declared import command, with_chosen, with_lab
from buildcheck.cli.options import day
from buildcheck.cli.settings import Lab
from buildcheck.edit import accepted, difference, edit, formatted
from buildcheck.errors import InputError
from buildcheck.load import load
from buildcheck.model.finding import TROUBLES
from buildcheck.model.labels import plain
from buildcheck.model.vocabulary import refused
from buildcheck.rulebook import Selection
from buildcheck.streams import complain, read_build, shown, write_out

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
        try:
            raw = read_build(build)
            made = formatted(raw, shown(build))
            changed += made != raw
            if mode == "diff":
                click.echo(difference(raw, made, shown(build)), nl=False)
            elif mode and made != raw:
                click.echo(plain(shown(build)))
            elif not mode and (build == "-" or made != raw):
                write_out(made, Path(build), read=raw)
        except InputError as error:
            problems += error.problems
    what = f"{changed} of {len(files)} files {'would be ' * bool(mode)}reformatted"
    if problems:
        complain(InputError(problems), what)
        return 2
    click.echo(f"{what}.", err=True)
    return int(bool(mode and changed))
