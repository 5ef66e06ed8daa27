"""The command that ranks GPUs by speed and value, or tells the speed of a build."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from buildcheck.cli.build import command, judged
from buildcheck.cli.frame import PRICES, Frame, field_option, framed
from buildcheck.errors import InputError, Problem
from buildcheck.streams import choice

#: How the names of build files end.
_BUILDS = (".yaml", ".yml")
#: Options that a build does not take.
_OF_MONEY = ("price", "desktop", "electricity")


@command("speed")
@click.argument("what", nargs=-1, metavar="[BUILD] [GPU...]")
@choice("What the GPUs do.", "--for", "use", among=("training", "inference"))
@choice("The precision.", "--at", "bits", among=("16bit", "8bit"))
@choice("The architecture.", "--net", among=("transformer", "vision"))
@click.option("--against", metavar="GPU", help="The baseline, which is 1  [default: the fastest]")
@field_option(
    "price", "A price, such as 'RTX 3090=750 USD'; repeatable.", "GPU=PRICE", multiple=True
)
@field_option("desktop", "Price of the machine around one GPU.", "PRICE")
@field_option("electricity", "Price of electricity, such as '0.30 EUR/kWh'.", "PRICE")
@framed(PRICES)
def main(frame: Frame, *, what: tuple[str, ...], **options: Any) -> int:
    """Estimate how fast GPUs are at deep learning, and for their money.

    Names of GPUs rank these, no names all that are known. A build file (.yaml) gives the speed of
    its GPUs at each kind of work, each at its limit; names after it are compared with the build.

    Estimates have the range that nine of ten such estimates lie in. Speed for money is that of a
    GPU in a desktop, owned for five years at 15 % use.

    The exit code is 0 whatever was found, and 2 if a name or build cannot be used.
    """
    builds = [one for one in what if one == "-" or Path(one).suffix in _BUILDS]
    names, against = [one for one in what if one not in builds], options["against"]
    if builds:
        given = [f"--{name}" for name in _OF_MONEY if options[name]]
        others = [*names, *([against] if against else [])]
        return _of_build(frame, builds, others, given)
    from buildcheck.load.price_list import price_book
    from buildcheck.workload.overrides import parse_prices
    from buildcheck.workload.speed.ranked import ranking_answer

    catalog = frame.lab.catalog()
    wrong: list[Problem] = []
    prices = parse_prices(options["price"], wrong)
    if wrong:
        raise InputError(wrong)
    book = price_book(catalog, frame.lists, prices)
    work = (options["use"], options["bits"], options["net"])
    money = (options["desktop"], options["electricity"])
    answer = ranking_answer(catalog, book, work, names, against, money)
    frame.answer("speed", answer)
    return 0


def _of_build(frame: Frame, builds: list[str], names: list[str], given: list[str]) -> int:
    """The speed of a build, and relative to GPUs of these names."""
    from buildcheck.workload.speed.machine import build_speed
    from buildcheck.workload.speed.ranked import speeds_of

    advice = "Name GPUs alone, without a build file"
    problems = [Problem(one, 0, 0, "a build is not ranked for money", advice) for one in given]
    for extra in builds[1:]:
        what, advice = "builds are not compared with each other", "Give one build file, and GPUs"
        problems.append(Problem(extra, 0, 0, what, advice))
    if problems:
        raise InputError(problems)
    catalog = frame.lab.catalog(*builds)
    others = speeds_of(catalog, names) if names else None
    (report,) = judged(tuple(builds), frame.lab, frame.today)
    frame.answer("speed", build_speed(report, others))
    return 0
