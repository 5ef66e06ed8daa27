"""The command that fills in what a build file lacks, and leaves what is there."""

from pathlib import Path
from typing import Any

import click

from buildcheck.cli.build import build_text
from buildcheck.cli.declared import Frame, command, framed, options_of
from buildcheck.cli.search import Watch, answered, check_outputs
from buildcheck.configure.answer import CompleteAnswer
from buildcheck.configure.engine import Engine
from buildcheck.configure.wish.names import checked_problem
from buildcheck.configure.wish.options import wish_from, wish_options
from buildcheck.configure.wish.reading import OptionValue
from buildcheck.model.finding import PASSING
from buildcheck.model.vocabulary import refused
from buildcheck.streams import check_writable, shown, write_out

#: What is wished for where no option says otherwise.
_CHEAPEST = (OptionValue("--best", ("wish", "best"), "price"),)


@command("complete", wish=options_of(wish_options))
@framed
def main(frame: Frame, *, build: str, in_place: bool, **words: Any) -> int:
    """Add the parts that a build file lacks, the best that pass, and leave what is there."""
    output = frame.output
    if in_place and (output is not None or build == "-"):
        raise refused("--in-place", "in-place-or-out" if output else "in-place-stdin")
    check_outputs({"-o": output}, (build, *frame.lists))
    if in_place:
        check_writable(Path(build))
    with Watch(frame.limit) as watch:
        raw, name, _ = build_text(build, frame.lab.catalog(build))
        if in_place and name != shown(build):
            raise refused(name, "in-place-list")
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
    problem = checked_problem(engine, wish, asked)
    lacks = completing.lacking(problem)
    if before and not lacks:
        return None, CompleteAnswer(path, before.verdict)
    if conflicts := completing.conflicts(problem, before):
        return None, CompleteAnswer(path, "fail", conflicts=tuple(conflicts))
    found = answered(problem, watch)
    return completing.completed(raw, found, lacks, completing.given_number(problem.data), engine)
