"""The command that fills in what a build file lacks, and leaves what is there."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from buildcheck.cli_frame import PRICES, Frame, framed
from buildcheck.cli_search import TIME_LIMIT, Watch, check_outputs, problem_of, wish_said
from buildcheck.configure.wish.options import wish_options
from buildcheck.configure.wish.reading import Said
from buildcheck.errors import InputError, Problem
from buildcheck.streams import check_writable, path_option, read_build, shown, write_out

if TYPE_CHECKING:
    from collections.abc import Callable

    from buildcheck.configure.answer import Answer
    from buildcheck.configure.completing import Completed
    from buildcheck.configure.engine import Engine
    from buildcheck.model.finding import Finding, Report


#: What is wished for where no option says more.
_CHEAPEST = (Said("--best", ("wish", "best"), "price"),)


@click.command("complete")
@click.argument("build", metavar="BUILD")
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
    """Fill in what a build file lacks with the best parts that pass, and leave what is there.

    A case, CPU, cooler, memory, supply, storage, board or cards that the file does not give are
    proposed, the cheapest unless --best says otherwise; comments and layout are kept. Prints what
    would change, and writes only with -o or --in-place. The exit code is 0 where the whole build
    passes, 1 where it cannot or the search was stopped, and 2 where the file cannot be used.
    """
    if in_place and (output is not None or build == "-"):
        what = "the build file is to be changed, and the result is to go elsewhere"
        if output is None:
            what = "standard input cannot be changed"
        raise InputError([Problem("--in-place", 0, 0, what, "Give -o FILE alone")])
    raw = read_build(build)
    check_outputs({"-o": output}, (build, *frame.lists))
    if in_place:
        check_writable(Path(build))
    run = _Run(frame, raw, shown(build), frame.engine(build))
    run.target, run.is_own = (Path(build), True) if in_place else (output, False)
    with Watch(limit) as watch:
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
        from buildcheck.configure import completing  # noqa: PLC0415 - help does without

        document = completing.open_file(self.raw, self.path)
        before = completing.judged(self.raw, self.path, self.engine)
        asked, said = wish_said(None, self.path, words, _CHEAPEST)
        if asked is None:
            raise AssertionError("something is always wished for")
        wish = completing.wish_of(document, asked, said)
        lacks = completing.lacking({**wish.fixed, **wish.owned})
        if before and not lacks:
            return partial(self._whole, before)
        problem = watch.problem = problem_of(self.engine, wish, asked)
        conflicts = completing.conflicts(problem, before)
        if conflicts:
            return partial(self._conflict, conflicts)
        answer = problem.answer(stop=watch)
        given = completing.given_number(problem.data)
        if not answer.solutions:
            return partial(self._show, answer, lacks, None, given)
        done = completing.completed(self.raw, self.path, answer.solutions[0], self.engine)
        best = replace(answer.solutions[0], report=done.report)
        answer = replace(answer, solutions=(best, *answer.solutions[1:]))
        if self.target:
            write_out(done.raw, self.target, read=self.raw if self.is_own else None)
        return partial(self._show, answer, lacks, done, given)

    def _show(self, answer: Answer, lacks: list[str], done: Completed | None, given: int) -> int:
        from buildcheck.edit import difference  # noqa: PLC0415 - help does without
        from buildcheck.render.answer_data import completed_data  # noqa: PLC0415
        from buildcheck.render.answer_text import answer_text  # noqa: PLC0415

        diff = difference(self.raw, done.raw, self.path) if done else ""
        changes = [(c.path, c.value) for c in done.changes] if done else []
        more = {"missing": lacks, "diff": diff, "given": given}
        self.frame.show(
            lambda: f"{diff}\n" * bool(diff) + answer_text(answer, self.path, given=given),
            lambda: completed_data(answer, changes, more),
        )
        if self.target and not done:
            click.echo("Nothing was written: there is no build.", err=True)
        passes = done is not None and done.report.verdict == "pass"
        return int(answer.stopped or not passes)

    def _whole(self, report: Report) -> int:
        """There is nothing to fill in."""
        from buildcheck.render.answer_data import whole_data  # noqa: PLC0415 - help does without
        from buildcheck.render.answer_text import whole_text  # noqa: PLC0415

        self.frame.show(lambda: whole_text(report, self.path), lambda: whole_data(report))
        return int(report.verdict != "pass")

    def _conflict(self, conflicts: list[tuple[str, Finding | None]]) -> int:
        """What is there already breaks rules, whatever is added."""
        from buildcheck.render.answer_data import conflict_data  # noqa: PLC0415 - help does without
        from buildcheck.render.answer_text import conflict_text  # noqa: PLC0415

        rows = [(rule, found.message if found else "") for rule, found in conflicts]
        self.frame.show(lambda: conflict_text(rows, self.path), lambda: conflict_data(rows))
        return 1
