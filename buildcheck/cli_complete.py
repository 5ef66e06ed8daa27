"""The command that fills in what a build file lacks, and leaves what is there."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from buildcheck.cli_build import TODAY, write_out
from buildcheck.cli_search import (
    PRICES,
    TIME_LIMIT,
    Watch,
    check_outputs,
    make_engine,
    problem_of,
    wish_said,
)
from buildcheck.configure.wish_options import wish_options
from buildcheck.configure.wish_reading import Said
from buildcheck.errors import BuildcheckError, InputError, Problem
from buildcheck.streams import FORMAT, PARTS, read_build, shown, stop

if TYPE_CHECKING:
    import datetime

    from buildcheck.configure.answer import Answer
    from buildcheck.configure.completing import Completed
    from buildcheck.configure.engine import Engine
    from buildcheck.model.finding import Finding, Report


#: What is wished for where no option says more.
_CHEAPEST = (Said("--best", ("wish", "best"), "price"),)


@click.command("complete")
@click.argument("build", metavar="BUILD")
@wish_options
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the whole build to this file.",
)
@click.option("--in-place", is_flag=True, help="Write it into the build file itself.")
@PRICES
@TIME_LIMIT
@FORMAT
@TODAY
@PARTS
def main(  # noqa: PLR0913 - one per option
    build: str,
    *,
    output: Path | None,
    in_place: bool,
    lists: tuple[Path, ...],
    limit: float | None,
    form: str,
    today: datetime.date,
    folders: tuple[Path, ...],
    **words: Any,
) -> None:
    """Fill in what a build file lacks with the best parts that pass, and leave what is there.

    A case, CPU, cooler, memory, supply, storage, board or cards that the file does not give are
    proposed, the cheapest unless --best says otherwise; comments and layout are kept. Prints what
    would change, and writes only with -o or --in-place. The exit code is 0 where the whole build
    passes, 1 where it cannot or the search was stopped, and 2 where the file cannot be used.
    """
    try:
        if in_place and (output is not None or build == "-"):
            what = "the build file is to be changed, and the result is to go elsewhere"
            if output is None:
                what = "standard input cannot be changed"
            raise InputError([Problem("--in-place", 0, 0, what, "Give -o FILE alone")])
        raw = read_build(build)
        check_outputs({"-o": output}, (build, *lists))
        engine = make_engine(folders, (build,), lists, today)
        target = Path(build) if in_place else output
        with Watch(limit) as watch:
            code = _Run(raw, shown(build), engine, form, target).run(words, watch)
    except BuildcheckError as error:
        stop(error, form)
    else:
        sys.exit(code)


class _Run:
    """One build file on its way to being whole."""

    def __init__(
        self, raw: bytes, path: str, engine: Engine, form: str, target: Path | None
    ) -> None:
        self.raw, self.path, self.engine = raw, path, engine
        self.form, self.target = form, target

    def run(self, words: dict[str, Any], watch: Watch) -> int:
        """Fill in, write, print; the exit code. Raises `InputError`."""
        from buildcheck.configure import completing  # noqa: PLC0415 - help does without

        document = completing.open_file(self.raw, self.path)
        before = completing.judged(self.raw, self.path, self.engine)
        asked, said = wish_said(None, self.path, words, _CHEAPEST)
        if asked is None:
            raise AssertionError("something is always wished for")
        wish = completing.wish_of(document, asked, said)
        lacks = completing.lacking({**wish.fixed, **wish.owned})
        if before and not lacks:
            return self._whole(before)
        problem = watch.problem = problem_of(self.engine, wish, asked)
        conflicts = completing.conflicts(problem, before)
        if conflicts:
            return self._conflict(conflicts)
        answer = problem.answer(stop=watch)
        if not answer.solutions:
            return self._show(answer, lacks, None, 0)
        done = completing.completed(self.raw, self.path, answer.solutions[0], self.engine)
        best = replace(answer.solutions[0], report=done.report)
        answer = replace(answer, solutions=(best, *answer.solutions[1:]))
        if self.target:
            write_out(done.raw, self.target)
        return self._show(answer, lacks, done, completing.given_number(problem.data))

    def _show(self, answer: Answer, lacks: list[str], done: Completed | None, given: int) -> int:
        from buildcheck.edit import difference  # noqa: PLC0415

        diff = difference(self.raw, done.raw, self.path) if done else ""
        if self.form == "json":
            from buildcheck.render.answer_data import answer_data  # noqa: PLC0415

            changes = (
                [{"path": list(c.path), "value": c.value} for c in done.changes] if done else []
            )
            more = {"missing": lacks, "changes": changes, "diff": diff, "given": given}
            self._print({**answer_data(answer), **more})
        else:
            from buildcheck.render.answer_text import answer_text  # noqa: PLC0415

            click.echo(f"{diff}\n" * bool(diff), nl=False)
            click.echo(answer_text(answer, self.path, given=given), nl=False)
        if self.target and not done:
            click.echo("Nothing was written: there is no build.", err=True)
        passes = done is not None and done.report.verdict == "pass"
        return int(answer.stopped or not passes)

    def _whole(self, report: Report) -> int:
        """There is nothing to fill in."""
        if self.form == "json":
            from buildcheck.render.answer_data import validation  # noqa: PLC0415

            self._print({"missing": [], "solutions": [], "validation": validation(report)})
        else:
            from buildcheck.render.answer_text import whole_text  # noqa: PLC0415

            click.echo(whole_text(report, self.path), nl=False)
        return int(report.verdict != "pass")

    def _conflict(self, conflicts: list[tuple[str, Finding | None]]) -> int:
        """What is there already breaks rules, whatever is added."""
        rows = [(rule, found.message if found else "") for rule, found in conflicts]
        if self.form == "json":
            told = [{"rule": rule, "message": message} for rule, message in rows]
            self._print({"solutions": [], "conflicts": told})
        else:
            from buildcheck.render.answer_text import conflict_text  # noqa: PLC0415

            click.echo(conflict_text(rows, self.path), nl=False)
        return 1

    def _print(self, data: dict[str, Any]) -> None:
        from buildcheck.render.answer_data import to_text  # noqa: PLC0415
        from buildcheck.render.data import FORMAT_VERSION  # noqa: PLC0415

        click.echo(to_text({"format_version": FORMAT_VERSION, **data}), nl=False)
