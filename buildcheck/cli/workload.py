"""The commands on work: GPUs for a use, how fast a build is, what fits, how it scales, its cost."""

from pathlib import Path
from typing import Any

from buildcheck.cli.build import judged
from buildcheck.cli.declared import Frame, command, framed
from buildcheck.errors import InputError, Problem
from buildcheck.model.rate import Rates
from buildcheck.model.vocabulary import problem
from buildcheck.streams import read_build, shown, write_files

#: How the names of build files end.
_BUILDS = (".yaml", ".yml")
#: Options that a build does not take.
_OF_MONEY = ("price", "desktop", "electricity")


@command("speed")
@framed
def speed(frame: Frame, *, what: tuple[str, ...], **options: Any) -> None:
    """Estimate how fast GPUs are at deep learning, and for their money."""
    builds = [one for one in what if one == "-" or Path(one).suffix in _BUILDS]
    names, against = [one for one in what if one not in builds], options["against"]
    if builds:
        given = [f"--{name}" for name in _OF_MONEY if options[name]]
        _of_build(frame, builds, [*names, *([against] if against else [])], given)
        return
    from buildcheck.load.price_list import price_book
    from buildcheck.workload.overrides import parse_prices
    from buildcheck.workload.speed.ranked import ranking_answer

    catalog = frame.lab.catalog()
    wrong: list[Problem] = []
    prices = parse_prices(options["price"], wrong)
    InputError.raise_any(wrong)
    book = price_book(catalog, frame.lists, prices)
    work = (options["use"], options["bits"], options["net"])
    money = (options["desktop"], options["electricity"])
    frame.answer("speed", ranking_answer(catalog, book, work, names, against, money))


def _of_build(frame: Frame, builds: list[str], names: list[str], given: list[str]) -> None:
    """The speed of a build, and relative to GPUs of these names."""
    from buildcheck.workload.speed.machine import build_speed
    from buildcheck.workload.speed.ranked import speeds_of

    problems = [problem(one, "build-for-money") for one in given]
    problems += [problem(extra, "two-builds") for extra in builds[1:]]
    InputError.raise_any(problems)
    others = speeds_of(frame.lab.catalog(*builds), names) if names else None
    (report,) = judged(frame, *builds)
    frame.answer("speed", build_speed(report, others))


@command("fit")
@framed
def fit(frame: Frame, *, build: str, **options: Any) -> None:
    """Tell whether a model fits the GPUs and the RAM of a build, and what makes it fit."""
    from buildcheck.workload.fit.answer import read_fit

    catalog = frame.lab.catalog(build)
    frame.answer("fit", read_fit(read_build(build), shown(build), catalog, options))


@command("scale")
@framed
def scale(frame: Frame, *, build: str, **options: Any) -> None:
    """Tell how much faster a job is on all GPUs of a build, and with faster links."""
    from buildcheck.workload.scale.answer import read_scale

    catalog = frame.lab.catalog(build)
    frame.answer("scale", read_scale(read_build(build), shown(build), catalog, options))


@command("cost")
@framed
def cost(frame: Frame, *, build: str, rates: Rates, **options: Any) -> None:
    """Tell what a build costs to buy and to run, and when renting costs as much."""
    from buildcheck.purchasing.cost import cost_answer, with_overrides

    (report,) = judged(frame, build)
    answer = cost_answer(with_overrides(report, options), rates=rates, lists=frame.lists)
    frame.answer("cost", answer)


@command("advise")
@framed
def advise(
    frame: Frame, *, chart: bool, top: int, svg: Path | None, page: Path | None, **options: Any
) -> None:
    """Propose GPUs for a use and a budget, with reasons and prices."""
    from buildcheck.advise import advice_answer, advice_request, part_shown
    from buildcheck.cli.search import Watch, check_outputs
    from buildcheck.load.price_list import price_book

    check_outputs({"--svg": svg, "--html": page}, frame.lists)
    with Watch():
        catalog = frame.lab.catalog()
        request = advice_request(catalog, options)
        book = price_book(catalog, frame.lists, request.prices, rates=request.rates)
        answer = advice_answer(request, catalog, book, frame.today, top, verbose=frame.verbose)
    made: dict[Path, str | bytes] = {}
    if svg or page:
        from buildcheck.render.drawings.tree import flowchart_drawing
        from buildcheck.render.html import picture
        from buildcheck.render.page import advice_page

        if svg and answer.flowchart:
            made[svg] = picture(flowchart_drawing(answer.flowchart), "advise", answer.flowchart)
        made |= {page: advice_page(answer)} if page else {}
    write_files(made)
    is_open = request.is_open and not chart
    frame.answer("advise", part_shown(answer, uses=is_open, chart=chart, verbose=frame.verbose))
