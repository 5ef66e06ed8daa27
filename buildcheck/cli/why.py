"""The commands that show why a build or a wish is not possible, and how far one is from limits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from buildcheck.cli.build import build_argument, build_text, command
from buildcheck.cli.frame import PRICES, Frame, framed
from buildcheck.cli.search import TIME_LIMIT, Watch
from buildcheck.errors import InputError
from buildcheck.streams import shown

if TYPE_CHECKING:
    from buildcheck.configure.trial import Trials
    from buildcheck.configure.why.answer import WhyAnswer
    from buildcheck.pipeline import Judging

#: Sections that only a wish file has.
_WISHES = ("wish", "owned", "avoid", "prices")


@command("why")
@build_argument("file", "BUILD|WISH")
@framed(PRICES, TIME_LIMIT)
def main(frame: Frame, *, file: str, limit: float | None) -> int:
    """Show why a build or a wish is not possible, and what would have to change.

    Prints the smallest sets of choices that conflict, by which rules, and every small way out.

    A file with a section `wish` is a wish, any other a build; `-` reads standard input. Ctrl-C or
    the time limit ends the search with what was found until then. The exit code is 0 if nothing is
    in the way, 1 if something is or that was not known when the search was stopped, and 2 if the
    file cannot be used.
    """
    with Watch(limit) as watch:
        found = _explained(frame, file, watch)
    frame.answer("why", found)
    return int(not found.possible)


def _explained(frame: Frame, file: str, watch: Watch) -> WhyAnswer:
    """The explanation of a file. Raises `InputError`."""
    from buildcheck.model.source import read

    raw, name, _ = build_text(file, frame.lab.catalog(file))
    data = read(raw, name).data
    if isinstance(data, dict) and any(section in data for section in _WISHES):
        from buildcheck.configure.progress import Progress
        from buildcheck.configure.why.wish import WhyWish
        from buildcheck.configure.wish.names import check_names
        from buildcheck.configure.wish.wish import read_wish

        wish, engine = read_wish(raw, name), frame.engine(file)
        if problems := check_names(wish, engine.catalog):
            raise InputError(problems)
        asked = WhyWish(wish, engine, watch)
        watch.progress = lambda: Progress("wish", asked.oracle.searches)
        return asked.explanation()
    from buildcheck.configure.why.build import why_build

    return why_build(_trials(frame.lab.judging(frame.today, file), raw, name, watch, "build"), raw)


def _trials(judging: Judging, raw: bytes, path: str, watch: Watch, step: str) -> Trials:
    """A judged build, of which other decisions are tried. Raises `InputError`."""
    from buildcheck.configure.progress import Progress
    from buildcheck.configure.trial import Trials

    trials = Trials(judging.check(raw, path), judging, watch)
    watch.progress = lambda: Progress(step, trials.judged)
    return trials


@command("sensitivity")
@build_argument()
@click.option("--all", "whole", is_flag=True, help="Print every margin, as --verbose does.")
@framed(TIME_LIMIT)
def sensitivity(frame: Frame, *, build: str, whole: bool, limit: float | None) -> int:
    """Show how far a build is from its limits, and what may change before its verdict does.

    Prints the tightest margins, what blocks one more GPU, the least PSU and outlet for each power
    limit, and how far each value may go. Ctrl-C ends it with what was found until then.

    `-` reads standard input. The exit code is 0 whatever was found, and 2 if the build cannot be
    used; `buildcheck validate` says by its exit code whether the build works.
    """
    with Watch(limit) as watch:
        from buildcheck.configure.sweep.sensitivity import sensitivity as limits_of

        judging = frame.lab.judging(frame.today, build)
        raw, _, _ = build_text(build, judging.catalog)
        found = limits_of(_trials(judging, raw, shown(build), watch, "sensitivity"))
    replace(frame, verbose=frame.verbose or whole).answer("sensitivity", found)
    return 0
