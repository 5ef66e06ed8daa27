"""The command that says how far a build is from its limits."""

from __future__ import annotations

import click

from buildcheck.cli_frame import Frame, framed
from buildcheck.streams import read_build, shown


@click.command("sensitivity")
@click.argument("build", metavar="BUILD")
@click.option("--all", "whole", is_flag=True, help="Print every margin, not the tightest alone.")
@framed()
def main(frame: Frame, *, build: str, whole: bool) -> int:
    """Say how far a build is from its limits, and what may change before its verdict does.

    Prints the margin of every rule, what blocks one more card, the least supply and circuit for
    each power limit, and how far each datum may go.

    `-` reads standard input. The exit code is 0 whatever was found, and 2 if the build cannot be
    used; `buildcheck validate` says by its exit code whether the build works.
    """
    from buildcheck.check import check  # noqa: PLC0415 - keeps --help and --version quick
    from buildcheck.configure.sensitivity.sensitivity import sensitivity  # noqa: PLC0415
    from buildcheck.render.sensitivity_text import (  # noqa: PLC0415
        sensitivity_data,
        sensitivity_text,
    )

    catalog, rulebook = frame.catalog(build), frame.rulebook()
    report = check(read_build(build), shown(build), catalog, rulebook, frame.today)
    found = sensitivity(report, catalog, rulebook, frame.today)
    frame.show(lambda: sensitivity_text(found, whole=whole), lambda: sensitivity_data(found))
    return 0
