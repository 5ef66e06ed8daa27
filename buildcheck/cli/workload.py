"""The commands on the work of a build: how fast it is, what fits, how a job scales, the cost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from buildcheck.cli.build import QUOTES, build_argument, command, judged
from buildcheck.cli.frame import KIND, PRICES, RATES, Frame, field_option, framed
from buildcheck.errors import InputError, Problem
from buildcheck.model.rate import Rates
from buildcheck.streams import choice, read_build, shown

#: How the names of build files end.
_BUILDS = (".yaml", ".yml")
#: Options that a build does not take.
_OF_MONEY = ("price", "desktop", "electricity")
_SHAPE = (
    field_option("layers", "Layers of the model; estimated unless given."),
    field_option("hidden-size", "Width of its layers; estimated unless given."),
)


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
def speed(frame: Frame, *, what: tuple[str, ...], **options: Any) -> int:
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


@command("fit")
@build_argument()
@framed(
    KIND,
    field_option("parameters", "Parameters of the model, such as 7B or 350M."),
    field_option("precision", "Format of the weights: fp32, fp16, bf16, int8, int4.", "NAME"),
    field_option("optimizer", "Optimizer: adam, adam-8bit, sgd, sgd-momentum.", "NAME"),
    click.option(
        "--method",
        type=click.Choice(["full", "lora", "qlora"]),
        help="What is trained: all weights, adapters, or adapters on 4-bit weights.",
    ),
    field_option("lora-rank", "Rank of the adapters  [default: 64]"),
    field_option("batch", "Sequences a GPU works on at once."),
    field_option("context", "Tokens of a sequence, the answer included."),
    *_SHAPE,
    field_option("heads", "Attention heads of a layer."),
    field_option("kv-heads", "Key-value heads of a layer."),
    field_option("vocabulary", "Entries of its vocabulary."),
    click.option(
        "--checkpointing/--no-checkpointing",
        default=None,
        help="Whether activations are recomputed instead of kept.",
    ),
    click.option(
        "--flash-attention/--no-flash-attention",
        default=None,
        help="Whether attention scores are never stored; the default.",
    ),
)
def fit(frame: Frame, *, build: str, **options: Any) -> int:
    """Tell whether a model fits the GPUs and the RAM of a build, and what makes it fit.

    A served model that is larger than one GPU is split over all. Memory is a range where the
    shape of the model is estimated. Options replace fields of `workload:` in the build file.
    Without --parameters, there or here, the answer is how large a model fits.

    `-` reads standard input. The exit code is 0 whatever was found, and 2 if the build or the
    model cannot be used.
    """
    from buildcheck.workload.fit import read_fit

    catalog = frame.lab.catalog(build)
    frame.answer("fit", read_fit(read_build(build), shown(build), catalog, options))
    return 0


@command("scale")
@build_argument()
@framed(
    KIND,
    field_option("parameters", "Parameters of the model, such as 7B or 350M."),
    field_option("precision", "Format of the weights: fp32, fp16, bf16.", "NAME"),
    field_option("step-time", "Time of a training step on one GPU, such as '0.3 s'.", "TIME"),
    field_option("batch", "Sequences a GPU works on at once."),
    field_option("context", "Tokens of a sequence."),
    *_SHAPE,
)
def scale(frame: Frame, *, build: str, **options: Any) -> int:
    """Tell how much faster a job is on all GPUs of a build, and with faster links.

    A measured --step-time narrows the answer. Several machines and the link between them are
    stated under `network:` in the build file.

    `-` reads standard input. The exit code is 0 whatever was found, and 2 if the build or the
    model cannot be used.
    """
    from buildcheck.workload.scale import read_scale

    catalog = frame.lab.catalog(build)
    frame.answer("scale", read_scale(read_build(build), shown(build), catalog, options))
    return 0


@command("cost")
@build_argument()
@framed(
    QUOTES,
    PRICES,
    field_option("use", "Share of the time it works, such as '15 %'.", "SHARE"),
    field_option("country", "Country whose grid and household price apply, such as DE.", "NAME"),
    field_option("electricity-price", "Price of electricity, such as '0.12 USD/kWh'.", "PRICE"),
    field_option("carbon-intensity", "Carbon dioxide of the grid, such as '380 g/kWh'.", "AMOUNT"),
    field_option("years", "Years it is owned."),
    field_option("machine", "Price of the whole machine, such as '2200 USD'.", "PRICE"),
    field_option("wall-power", "Measured power from the wall, such as '450 W'.", "POWER"),
    field_option("cloud", "Machine to rent instead, such as 'AWS p3.2xlarge'.", "NAME"),
    field_option("hourly-price", "Rent of any other machine, such as '2.14 USD/h'.", "PRICE"),
    field_option("instances", "Rented machines that do the work of this one."),
    RATES,
)
def cost(
    frame: Frame,
    *,
    build: str,
    quotes: tuple[Path, ...],
    rates: Rates,
    **options: Any,
) -> int:
    """Tell what a build costs to buy and to run, and when renting costs as much.

    Parts without a price in the build file or a quote get their shipped list price, with its
    date. Electricity is priced by the `country:` or `electricity_price:` under `site:`. Use, years
    and what is rented instead are stated under `workload:` and `cost:`; options replace them.
    Money of different currencies is compared only with a --rate.

    `-` reads standard input. The exit code is 0 whatever was found, and 2 if the build cannot be
    used.
    """
    from buildcheck.purchasing.cost import cost_answer, with_overrides

    (report,) = judged((build,), frame.lab, frame.today, quotes)
    answer = cost_answer(with_overrides(report, options), rates=rates, lists=frame.lists)
    frame.answer("cost", answer)
    return 0
