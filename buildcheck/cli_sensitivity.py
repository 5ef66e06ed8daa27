"""The command that says how far a build is from its limits."""

from __future__ import annotations

from dataclasses import replace

import click

from buildcheck.cli_frame import Frame, framed
from buildcheck.cli_search import TIME_LIMIT, Watch
from buildcheck.streams import read_build, shown


@click.command("sensitivity")
@click.argument("build", metavar="BUILD")
@click.option("--all", "whole", is_flag=True, help="Print every margin, as --verbose does.")
@framed(TIME_LIMIT)
def main(frame: Frame, *, build: str, whole: bool, limit: float | None) -> int:
    """Show how far a build is from its limits, and what may change before its verdict does.

    Prints the tightest margins, what blocks one more GPU, the least PSU and outlet for each power
    limit, and how far each value may go. Ctrl-C ends it with what was found until then.

    `-` reads standard input. The exit code is 0 whatever was found, and 2 if the build cannot be
    used; `buildcheck validate` says by its exit code whether the build works.
    """
    with Watch(limit) as watch:
        from buildcheck.check import check
        from buildcheck.configure.progress import Progress
        from buildcheck.configure.sensitivity.sensitivity import WhatIf, sensitivity

        catalog, rulebook = frame.catalog(build), frame.rulebook()
        report = check(read_build(build), shown(build), catalog, rulebook, frame.today)
        what_if = WhatIf(report, catalog, rulebook, frame.today, watch)
        watch.progress = lambda: Progress("sensitivity", what_if.trials.judged)
        found = sensitivity(what_if)
    replace(frame, verbose=frame.verbose or whole).answer("sensitivity", found)
    return 0
