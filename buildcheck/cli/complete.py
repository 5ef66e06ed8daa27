"""The command that fills in what a build file lacks, and leaves what is there."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from buildcheck.cli.build import build_argument, build_text, command
from buildcheck.cli.frame import PRICES, Frame, framed
from buildcheck.cli.search import TIME_LIMIT, Watch, answered, check_outputs
from buildcheck.configure.wish.names import checked_problem
from buildcheck.configure.wish.options import wish_from, wish_options
from buildcheck.configure.wish.reading import OptionValue
from buildcheck.errors import InputError, Problem
from buildcheck.model.finding import PASSING
from buildcheck.streams import check_writable, path_option, shown, write_out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from buildcheck.configure.answer import CompleteAnswer
    from buildcheck.configure.common import FindingBrief
    from buildcheck.configure.engine import Engine


#: What is wished for where no option says otherwise.
_CHEAPEST = (OptionValue("--best", ("wish", "best"), "price"),)


@command("complete")
@build_argument()
@wish_options
@path_option("-o", "--output", help="Write the whole build to this file.")
@click.option("--in-place", is_flag=True, help="Write it into the build file itself.")
@framed(PRICES, TIME_LIMIT)
def main(
    frame: Frame,
    *,
    build: str,
    output: Path | None,
    in_place: bool,
    limit: float | None,
    **words: Any,
) -> int:
    """Add the parts that a build file lacks, the best that pass, and leave what is there.

    A case, CPU, cooler, memory, PSU, storage, board or GPUs that the file does not give are
    proposed, the cheapest unless --best says otherwise; comments and layout are kept. Prints the
    parts with prices, with --verbose also the diff, and writes only with -o or --in-place.

    The exit code is 0 where the whole build passes, 1 where it cannot or the search was stopped,
    and 2 where the file cannot be used.
    """
    if in_place and (output is not None or build == "-"):
        what = "the build file is to be changed, and the result is to go elsewhere"
        if output is None:
            what = "standard input cannot be changed"
        raise InputError([Problem("--in-place", 0, 0, what, "Give -o FILE alone")])
    check_outputs({"-o": output}, (build, *frame.lists))
    if in_place:
        check_writable(Path(build))
    with Watch(limit) as watch:
        raw, name = build_text(build, frame.lab.catalog(build))
        if in_place and name != shown(build):
            what = "this is a part list, and no build file"
            raise InputError([Problem(name, 0, 0, what, "Give -o FILE in place of --in-place")])
        run = _Run(frame, raw, name, frame.engine(build))
        run.target, run.is_own = (Path(build), True) if in_place else (output, False)
        show = run.found(words, watch)
    return show()


class _Run:
    """One build file on its way to being whole."""

    #: The file to write, and whether it is the build file itself.
    target: Path | None = None
    is_own = False

    def __init__(self, frame: Frame, raw: bytes, path: str, engine: Engine) -> None:
        self.frame, self.raw, self.path, self.engine = frame, raw, path, engine

    def found(self, words: dict[str, Any], watch: Watch) -> Callable[[], int]:
        """Fill in and write; what then shows it and gives the exit code. Raises `InputError`."""
        from buildcheck.configure import completing

        loaded = completing.open_file(self.raw, self.path)
        before = completing.judged(self.raw, self.path, self.engine)
        asked, given_options = wish_from(None, self.path, words, _CHEAPEST)
        if asked is None:
            raise AssertionError("something is always wished for")
        wish = completing.wish_of(loaded, asked, given_options)
        lacks = completing.lacking({**wish.fixed, **wish.owned})
        if before and not lacks:
            return partial(self._plain, before.verdict)
        problem = checked_problem(self.engine, wish, asked)
        conflicts = completing.conflicts(problem, before)
        if conflicts:
            return partial(self._plain, "fail", conflicts)
        found = answered(problem, watch)
        given = completing.given_number(problem.data)
        text, answer = completing.completed(self.raw, found, lacks, given, self.engine)
        if self.target and text is not None:
            write_out(text, self.target, read=self.raw if self.is_own else None)
        return partial(self._show, answer)

    def _show(self, answer: CompleteAnswer) -> int:
        self.frame.answer("complete", answer)
        search = answer.search
        if self.target and not (search and search.builds):
            click.echo("Nothing was written: no build is known to pass.", err=True)
        passes = search and search.builds and answer.verdict in PASSING
        return int(not passes or search is None or search.stopped)

    def _plain(self, verdict: str, conflicts: Iterable[FindingBrief] = ()) -> int:
        """Nothing is added, as nothing is missing or what the file lists conflicts."""
        from buildcheck.configure.answer import CompleteAnswer

        answer = CompleteAnswer(self.path, verdict, conflicts=tuple(conflicts))
        self.frame.answer("complete", answer)
        return int(verdict not in PASSING)
