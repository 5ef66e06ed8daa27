"""The command that says why a build or a wish is not possible, and what would have to give."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from buildcheck.cli_frame import PRICES, Frame, framed
from buildcheck.cli_search import TIME_LIMIT, Watch
from buildcheck.errors import InputError
from buildcheck.streams import read_build, shown

if TYPE_CHECKING:
    from buildcheck.configure.why.machines import Machines
    from buildcheck.configure.why.oracle import Oracle
    from buildcheck.configure.why.why import Explanation

#: Sections that only a wish file has.
_WISHES = ("wish", "owned", "avoid", "prices")


@click.command("why")
@click.argument("file", metavar="BUILD|WISH")
@framed(PRICES, TIME_LIMIT)
def main(frame: Frame, *, file: str, limit: float | None) -> int:
    """Say why a build or a wish is not possible, and what would have to be otherwise.

    Prints which choices cannot stand together, by which rules, and every small way out.

    A file with a section `wish` is a wish, any other a build; `-` reads standard input. Ctrl-C or
    the time limit ends the search with what was found until then. The exit code is 0 if nothing is
    in the way, 1 if something is or that was not known when the search was stopped, and 2 if the
    file cannot be used.
    """
    with Watch(limit) as watch:
        found = _explained(frame, file, watch)
    from buildcheck.render.why_text import why_data, why_text  # noqa: PLC0415 - help does without

    frame.show(lambda: why_text(found), lambda: why_data(found))
    return int(not found.is_possible)


def _explained(frame: Frame, file: str, watch: Watch) -> Explanation:
    """The explanation of a file. Raises `InputError`."""
    from buildcheck.render.why_text import judged, searched  # noqa: PLC0415 - keeps --help quick
    from buildcheck.source import read  # noqa: PLC0415

    raw, name = read_build(file), shown(file)
    data = read(raw, name).data
    if isinstance(data, dict) and any(section in data for section in _WISHES):
        from buildcheck.configure.why.wish import why_wish  # noqa: PLC0415 - slow to import
        from buildcheck.configure.wish.names import check_names  # noqa: PLC0415
        from buildcheck.configure.wish.wish import read_wish  # noqa: PLC0415

        wish, engine = read_wish(raw, name), frame.engine(file)
        if problems := check_names(wish, engine.catalog):
            raise InputError(problems)

        def begun(oracle: Oracle) -> None:
            watch.told = lambda: searched(oracle.searches)

        return why_wish(wish, engine, watch, begun)
    from buildcheck.check import check  # noqa: PLC0415
    from buildcheck.configure.why.build import why_build  # noqa: PLC0415

    catalog, rulebook = frame.catalog(file), frame.rulebook()
    report = check(raw, name, catalog, rulebook, frame.today)

    def at(machines: Machines) -> None:
        watch.told = lambda: judged(machines.bench.judged)

    return why_build(report, catalog, rulebook, frame.today, watch, at)
