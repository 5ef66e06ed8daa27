"""The command that fills in what a build file lacks, and leaves what is there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from buildcheck.cli.build import build_argument, build_text, command
from buildcheck.cli.frame import PRICES, Frame, framed
from buildcheck.cli.search import TIME_LIMIT, Watch, answered, check_outputs
from buildcheck.configure.answer import CompleteAnswer
from buildcheck.configure.engine import Engine
from buildcheck.configure.wish.names import checked_problem
from buildcheck.configure.wish.options import wish_from, wish_options
from buildcheck.configure.wish.reading import OptionValue
from buildcheck.errors import InputError, Problem
from buildcheck.model.finding import PASSING
from buildcheck.streams import check_writable, path_option, shown, write_out

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
        elsewhere = "the build file is to be changed, and the result is to go elsewhere"
        what = elsewhere if output else "standard input cannot be changed"
        raise InputError([Problem("--in-place", 0, 0, what, "Give -o FILE alone")])
    check_outputs({"-o": output}, (build, *frame.lists))
    if in_place:
        check_writable(Path(build))
    with Watch(limit) as watch:
        raw, name, _ = build_text(build, frame.lab.catalog(build))
        if in_place and name != shown(build):
            what = "this is a part list, and no build file"
            raise InputError([Problem(name, 0, 0, what, "Give -o FILE in place of --in-place")])
        text, answer = _completed(frame.engine(build), raw, name, words, watch)
        target = Path(build) if in_place else output
        if target and text is not None:
            write_out(text, target, read=raw if in_place else None)
    frame.answer("complete", answer)
    search = answer.search
    if target and search and not search.builds:
        click.echo("Nothing was written: no build is known to pass.", err=True)
    is_found = search is None or (search.builds and not search.stopped)
    return int(not is_found or answer.verdict not in PASSING)


def _completed(
    engine: Engine, raw: bytes, path: str, words: dict[str, Any], watch: Watch
) -> tuple[bytes | None, CompleteAnswer]:
    """The build file with what it lacked, if that is found, and the answer. Raises `InputError`.

    Nothing is searched for where nothing is missing, or what the file lists conflicts.
    """
    from buildcheck.configure import completing
    from buildcheck.configure.answer import CompleteAnswer

    loaded = completing.open_file(raw, path)
    # Without GPUs there is nothing to judge yet.
    before = engine.judging.check(raw, path) if loaded.document.data.get("gpus") else None
    asked, given_options = wish_from(None, path, words, _CHEAPEST)
    if asked is None:
        raise AssertionError("something is always wished for")
    wish = completing.wish_of(loaded, asked, given_options)
    lacks = completing.lacking({**wish.fixed, **wish.owned})
    if before and not lacks:
        return None, CompleteAnswer(path, before.verdict)
    problem = checked_problem(engine, wish, asked)
    if conflicts := completing.conflicts(problem, before):
        return None, CompleteAnswer(path, "fail", conflicts=tuple(conflicts))
    found = answered(problem, watch)
    return completing.completed(raw, found, lacks, completing.given_number(problem.data), engine)
