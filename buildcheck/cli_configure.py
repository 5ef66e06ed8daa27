"""The command that proposes the best build for a wish, with the proof that there is no better."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from buildcheck.cli_frame import PRICES, Frame, framed
from buildcheck.cli_search import TIME_LIMIT, Watch, check_outputs, problem_of, wish_said
from buildcheck.configure.wish.options import wish_options
from buildcheck.errors import InputError, Problem
from buildcheck.streams import path_option, read_build, shown, write_files, write_out

if TYPE_CHECKING:
    from pathlib import Path

    from buildcheck.configure.answer import Answer, Proposal
    from buildcheck.configure.engine import Engine
    from buildcheck.configure.pareto import Frontier
    from buildcheck.configure.wish.wish import Wish

#: More builds than anybody reads.
MOST_TOP = 100


@click.command("configure")
@click.argument("wish_file", metavar="[WISH]", required=False)
@wish_options
@click.option(
    "--top",
    type=click.IntRange(1, MOST_TOP),
    default=1,
    show_default=True,
    help="How many builds to propose, which differ in the chips of their cards or in the board.",
)
@click.option(
    "--pareto",
    metavar="MEASURES",
    help="All builds that none beats in measures such as price,gpu_memory: two or more of price,"
    " gpu_memory, speed, headroom and power.",
)
@path_option("--svg", help="Also write a drawing of what --pareto found.")
@path_option("-o", "--output", help="Also write the best build as a build file.")
@path_option("--report", "page", help="Also write the HTML report of the best build.")
@framed(PRICES, TIME_LIMIT)
def main(  # noqa: PLR0913 - one per option
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
    """Propose the best build for a wish, with the proof that there is no better.

    WISH is a file such as `wish: {gpus: 4x RTX 3090, budget: 9000 USD}`; the same words work as
    options, over the file or alone. Only what `buildcheck validate` passes is proposed. The exit
    code is 0 with a proven answer, 1 where there is no such build or the search was stopped, and
    2 where the wish cannot be used.
    """
    measures = _measures(pareto, svg, top, (output, page))
    raw = None if wish_file is None else read_build(wish_file)
    name = shown(wish_file) if wish_file else "your wish"
    wish, _ = wish_said(raw, name, words)
    if wish is None:
        what, advice = "nothing is wished for", "Name a wish file, or wish with options"
        raise InputError([Problem("configure", 0, 0, what, advice)])
    inputs = (wish_file,) if wish_file else ()
    check_outputs({"-o": output, "--report": page, "--svg": svg}, (*inputs, *frame.lists))
    engine = frame.engine(*inputs)
    with Watch(limit) as watch:
        if measures:
            frontier = _frontier(engine, wish, measures, watch)
        else:
            problem = watch.problem = problem_of(engine, wish)
            answer = problem.answer(top=top, stop=watch)
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
    from buildcheck.configure.pareto import measures_of  # noqa: PLC0415 - few runs need it

    if top > 1 or any(builds):
        what = "a frontier is all builds that none beats, and none of them is the best"
        advice = "Leave out --top, -o and --report, or --pareto"
        raise InputError([Problem("--pareto", 0, 0, what, advice)])
    return measures_of(pareto)


def _frontier(engine: Engine, wish: Wish, measures: tuple[str, ...], watch: Watch) -> Frontier:
    from buildcheck.configure.pareto import frontier  # noqa: PLC0415 - few runs need it

    # Names and prices are looked at first, as the frontier asks of another wish.
    problem_of(engine, wish)

    def begun(problem: Any) -> None:
        watch.problem = problem

    return frontier(engine, wish, measures, stop=watch, begun=begun)


def _named(answer: Answer, output: Path | None, engine: Engine) -> Answer:
    """The answer with its best build called by the file that it is written to."""
    if output is None or not answer.solutions:
        return answer
    from buildcheck.check import check  # noqa: PLC0415

    best, *others = answer.solutions
    report = check(
        best.text.encode(), shown(str(output)), engine.catalog, engine.rulebook, engine.today
    )
    return replace(answer, solutions=(replace(best, report=report), *others))


def _show(frame: Frame, answer: Answer, name: str, output: Path | None, page: Path | None) -> int:
    """Write files, print the answer, and give the exit code. Raises `InputError`."""
    from buildcheck.render.answer_data import answer_data  # noqa: PLC0415 - help does without
    from buildcheck.render.answer_text import answer_text  # noqa: PLC0415

    if answer.solutions:
        _write(answer.solutions[0], output, page)
    elif output or page:
        click.echo("Nothing was written: there is no build.", err=True)
    frame.show(lambda: answer_text(answer, name), lambda: answer_data(answer))
    return int(answer.stopped or not answer.solutions)


def _write(best: Proposal, output: Path | None, page: Path | None) -> None:
    made: dict[Path, str | bytes] = {}
    if output:
        made[output] = best.text
    if page:
        from buildcheck.render import to_html  # noqa: PLC0415 - jinja2 is slow to import

        made[page] = to_html(best.report)
    write_files(made)


def _show_frontier(frame: Frame, frontier: Frontier, name: str, svg: Path | None) -> int:
    """The same of a frontier."""
    from buildcheck.render.answer_data import frontier_data  # noqa: PLC0415 - few runs need it
    from buildcheck.render.frontier_text import frontier_text  # noqa: PLC0415

    if svg:
        from buildcheck.render.drawings.frontier import frontier_drawing  # noqa: PLC0415
        from buildcheck.render.picture import picture  # noqa: PLC0415

        write_out(picture(frontier_drawing(frontier)), svg)
    frame.show(lambda: frontier_text(frontier, name), lambda: frontier_data(frontier))
    return int(frontier.stopped or not frontier.points)
