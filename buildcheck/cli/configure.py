"""The command that proposes the best build for a wish, with the proof that there is no better."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from buildcheck.cli.build import page_of
from buildcheck.cli.declared import Frame, command, framed, options_of
from buildcheck.cli.search import Watch, answered, check_outputs
from buildcheck.configure.answer import ConfigureAnswer
from buildcheck.configure.engine import Engine
from buildcheck.configure.proposing import PATH
from buildcheck.configure.wish.names import checked_problem
from buildcheck.configure.wish.options import wish_from, wish_options
from buildcheck.model.vocabulary import refused
from buildcheck.streams import read_build, shown, write_files, write_out


@command("configure", wish=options_of(wish_options))
@framed
def main(
    frame: Frame,
    *,
    wish_file: str | None,
    top: int,
    pareto: str | None,
    svg: Path | None,
    page: Path | None,
    **words: Any,
) -> int:
    """Propose the best build for a wish, proven to be the best."""
    output = frame.output
    measures = _measures(pareto, svg, top, (output, page))
    raw = None if wish_file is None else read_build(wish_file)
    name = shown(wish_file) if wish_file else "your wish"
    wish, _ = wish_from(raw, name, words)
    if wish is None:
        raise refused("configure", "no-wish")
    inputs = (wish_file,) if wish_file else ()
    check_outputs({"-o": output, "--report": page, "--svg": svg}, (*inputs, *frame.lists))
    with Watch(frame.limit) as watch:
        engine = frame.engine(*inputs)
        problem = checked_problem(engine, wish)
        if measures:
            from buildcheck.configure.pareto import frontier

            found = frontier(engine, wish, measures, stop=watch, begun=watch.follow)
        else:
            found = answered(problem, watch, top)
    answer = replace(found, name=name)
    _write(engine, answer, svg, output, page)
    frame.answer("configure", answer)
    return int(answer.stopped or not answer.builds)


def _measures(
    pareto: str | None, svg: Path | None, top: int, builds: tuple[Path | None, ...]
) -> tuple[str, ...]:
    """The measures of a frontier; none without one. Raises `InputError`."""
    if pareto is None:
        if svg is not None:
            raise refused("--svg", "no-frontier")
        return ()
    from buildcheck.configure.pareto import measures_of

    if top > 1 or any(builds):
        raise refused("--pareto", "frontier-alone")
    return measures_of(pareto)


def _write(
    engine: Engine,
    answer: ConfigureAnswer,
    svg: Path | None,
    output: Path | None,
    page: Path | None,
) -> None:
    """Write the drawing of a frontier, or the best build and its page. Raises `InputError`."""
    if svg:
        from buildcheck.render.drawings.frontier import frontier_drawing
        from buildcheck.render.html import picture

        write_out(picture(frontier_drawing(answer), "measures", answer), svg)
    builds = answer.builds
    if not builds:
        if output or page:
            click.echo("Nothing was written: no build is known to pass.", err=True)
        return
    text = builds[0].text
    made: dict[Path, str | bytes] = {output: text} if output else {}
    if page:
        name = shown(str(output)) if output else PATH
        made[page] = page_of(engine.judging.check(text.encode(), name))
    write_files(made)
