"""The command that proposes the best build for a wish, with the proof that there is no better."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from buildcheck.cli.build import command, page_of
from buildcheck.cli.frame import PRICES, Frame, framed
from buildcheck.cli.search import TIME_LIMIT, Watch, answered, check_outputs
from buildcheck.configure.wish.command import problem_of, wish_from
from buildcheck.configure.wish.options import wish_options
from buildcheck.errors import InputError, Problem
from buildcheck.streams import path_option, read_build, shown, write_files, write_out

if TYPE_CHECKING:
    from pathlib import Path

    from buildcheck.configure.engine import Engine
    from buildcheck.configure.pareto import Frontier
    from buildcheck.configure.result import Proposal, SearchResult
    from buildcheck.configure.wish.wish import Wish

#: More builds than anybody reads.
MOST_TOP = 100


@command("configure")
@click.argument("wish_file", metavar="[WISH]", required=False)
@wish_options
@click.option(
    "--top",
    type=click.IntRange(1, MOST_TOP),
    default=1,
    show_default=True,
    help="How many builds to propose, which differ in the chips of their GPUs or in the board.",
)
@click.option(
    "--pareto",
    metavar="MEASURES",
    help="All builds that no other beats in measures such as price,gpu_memory: two or more of"
    " price, gpu_memory, speed, headroom and power.",
)
@path_option("--svg", help="Also write a drawing of what --pareto found.")
@path_option("-o", "--output", help="Also write the best build as a build file.")
@path_option("--report", "page", help="Also write the HTML report of the best build.")
@framed(PRICES, TIME_LIMIT)
def main(
    frame: Frame,
    *,
    wish_file: str | None,
    top: int,
    pareto: str | None,
    svg: Path | None,
    output: Path | None,
    page: Path | None,
    limit: float | None,
    **words: Any,
) -> int:
    """Propose the best build for a wish, proven to be the best.

    WISH is a file such as `wish: {gpus: 4x RTX 3090, budget: 9000 USD}`; the same words work as
    options, over the file or alone. Only what `buildcheck validate` passes is proposed. Prints the
    parts with prices, the total and the verdict; --verbose adds placement, data and the proof.

    The exit code is 0 with a proven answer, 1 where there is no such build or the search was
    stopped, and 2 where the wish cannot be used.
    """
    measures = _measures(pareto, svg, top, (output, page))
    raw = None if wish_file is None else read_build(wish_file)
    name = shown(wish_file) if wish_file else "your wish"
    wish, _ = wish_from(raw, name, words)
    if wish is None:
        what, advice = "nothing is wished for", "Name a wish file, or wish with options"
        raise InputError([Problem("configure", 0, 0, what, advice)])
    inputs = (wish_file,) if wish_file else ()
    check_outputs({"-o": output, "--report": page, "--svg": svg}, (*inputs, *frame.lists))
    with Watch(limit) as watch:
        engine = frame.engine(*inputs)
        if measures:
            frontier = _frontier(engine, wish, measures, watch)
        else:
            answer = answered(problem_of(engine, wish), watch, top)
    if measures:
        return _show_frontier(frame, frontier, name, svg)
    return _show(frame, _named(answer, output, engine), name, output, page)


def _measures(
    pareto: str | None, svg: Path | None, top: int, builds: tuple[Path | None, ...]
) -> tuple[str, ...]:
    """The measures of a frontier; none without one. Raises `InputError`."""
    if pareto is None:
        if svg is not None:
            what, advice = "a drawing is made of a frontier", "Give --pareto price,gpu_memory too"
            raise InputError([Problem("--svg", 0, 0, what, advice)])
        return ()
    from buildcheck.configure.pareto import measures_of

    if top > 1 or any(builds):
        what = "a frontier is all builds that none beats, and none of them is the best"
        advice = "Leave out --top, -o and --report, or --pareto"
        raise InputError([Problem("--pareto", 0, 0, what, advice)])
    return measures_of(pareto)


def _frontier(engine: Engine, wish: Wish, measures: tuple[str, ...], watch: Watch) -> Frontier:
    from buildcheck.configure.pareto import frontier
    from buildcheck.configure.progress import search_progress

    # Names and prices are looked at first, as the frontier asks of another wish.
    problem_of(engine, wish)

    def begun(problem: Any) -> None:
        watch.progress = partial(search_progress, problem)

    return frontier(engine, wish, measures, stop=watch, begun=begun)


def _named(answer: SearchResult, output: Path | None, engine: Engine) -> SearchResult:
    """The answer with its best build called by the file that it is written to."""
    if output is None or not answer.solutions:
        return answer
    best, *others = answer.solutions
    report = engine.judging.check(best.text.encode(), shown(str(output)))
    return replace(answer, solutions=(replace(best, report=report), *others))


def _show(
    frame: Frame, answer: SearchResult, name: str, output: Path | None, page: Path | None
) -> int:
    """Write files, print the answer, and give the exit code. Raises `InputError`."""
    from buildcheck.configure.answering import configure_answer

    if answer.solutions:
        _write(answer.solutions[0], output, page)
    elif output or page:
        click.echo("Nothing was written: no build is known to pass.", err=True)
    frame.answer("configure", configure_answer(answer, name))
    return int(answer.stopped or not answer.solutions)


def _write(best: Proposal, output: Path | None, page: Path | None) -> None:
    made: dict[Path, str | bytes] = {}
    if output:
        made[output] = best.text
    if page:
        made[page] = page_of(best.report)
    write_files(made)


def _show_frontier(frame: Frame, frontier: Frontier, name: str, svg: Path | None) -> int:
    """Write the drawing, print the front, and give the exit code. Raises `InputError`."""
    from buildcheck.configure.answering import pareto_answer

    answer = pareto_answer(frontier, name)
    if svg:
        from buildcheck.render.drawings.frontier import frontier_drawing
        from buildcheck.render.html import picture

        write_out(picture(frontier_drawing(answer), "measures", answer), svg)
    frame.answer("configure", answer)
    return int(frontier.stopped or not frontier.points)
