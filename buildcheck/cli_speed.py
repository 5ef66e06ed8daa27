"""The command that says how fast cards are beside each other, and for their money."""

from __future__ import annotations

from pathlib import Path

import click

from buildcheck.cli_build import check_output, judged
from buildcheck.cli_frame import PRICES, Frame, framed
from buildcheck.errors import InputError, Problem
from buildcheck.streams import path_option, write_out

#: How the names of build files end.
_BUILDS = (".yaml", ".yml")


@click.command("speed")
@click.argument("what", nargs=-1, metavar="[BUILD] [GPU...]")
@click.option(
    "--for",
    "use",
    type=click.Choice(["training", "inference"]),
    default="training",
    show_default=True,
    help="What the cards do.",
)
@click.option(
    "--at",
    "bits",
    type=click.Choice(["16bit", "8bit"]),
    default="16bit",
    show_default=True,
    help="The numbers they compute with.",
)
@click.option(
    "--net",
    type=click.Choice(["transformer", "vision"]),
    default="transformer",
    show_default=True,
    help="The kind of net.",
)
@click.option("--against", metavar="GPU", help="The card that is 1; the fastest unless given.")
@click.option(
    "--price",
    metavar="CARD=MONEY",
    multiple=True,
    help="A price, such as 'RTX 3090=750 USD'; may be given again.",
)
@click.option("--desktop", metavar="PRICE", help="What the machine around a card costs.")
@click.option("--electricity", metavar="PRICE", help="Such as '0.30 EUR/kWh'.")
@framed(PRICES, path_option("--svg", help="Also draw the ranking to this file."))
def main(  # noqa: PLR0913 - one per option
    frame: Frame,
    *,
    what: tuple[str, ...],
    use: str,
    bits: str,
    net: str,
    against: str | None,
    price: tuple[str, ...],
    desktop: str | None,
    electricity: str | None,
    svg: Path | None,
) -> int:
    """Estimate how fast cards are at deep learning, one over another, and for their money.

    With names of cards it ranks these, without any all that are known. With a build file, whose
    name ends in .yaml, it says how fast its cards are at each kind of work, each at its limit;
    with names of cards behind it, also how fast they are over each of those.

    Speeds are estimates of a stated model, with the range that nine of ten pairs of cards lie in
    and the places each may have. Speed for money is that of a card in a desktop, owned for five
    years at 15 % use.

    The exit code is 0 whatever was found, and 2 if a name or build cannot be used.
    """
    builds = [one for one in what if one == "-" or Path(one).suffix in _BUILDS]
    if builds:
        cards = [one for one in what if one not in builds]
        money = {"--price": price, "--desktop": desktop, "--electricity": electricity}
        said = [*(name for name, value in money.items() if value), *(["--svg"] if svg else [])]
        return _of_machine(frame, builds, [*cards, *([against] if against else [])], said)
    from buildcheck.price_book import price_book  # noqa: PLC0415 - keeps --help quick
    from buildcheck.render.speed_text import ranked_data, ranked_text  # noqa: PLC0415
    from buildcheck.speed import Work  # noqa: PLC0415
    from buildcheck.speed.answer import ranked  # noqa: PLC0415
    from buildcheck.told import told_prices  # noqa: PLC0415

    check_output(svg, tuple(map(str, frame.lists)))
    catalog = frame.catalog()
    wrong: list[Problem] = []
    given = told_prices(price, wrong)
    if wrong:
        raise InputError(wrong)
    prices = price_book(catalog, frame.lists, given)
    order = ranked(catalog, prices, Work(use, bits, net), what, against, (desktop, electricity))
    if svg:
        from buildcheck.render.drawings.ranking import ranking_drawing  # noqa: PLC0415
        from buildcheck.render.picture import picture  # noqa: PLC0415

        write_out(picture(ranking_drawing(order)), svg)
    frame.show(lambda: ranked_text(order), lambda: ranked_data(order))
    return 0


def _of_machine(frame: Frame, builds: list[str], names: list[str], said: list[str]) -> int:
    """Say how fast the cards of a build are, and beside cards of these names."""
    from buildcheck.render.speed_text import machine_data, machine_text  # noqa: PLC0415
    from buildcheck.speed import Speeds, Work, machine_speed  # noqa: PLC0415
    from buildcheck.speed.answer import found  # noqa: PLC0415

    advice = "Name cards alone, without a build file"
    problems = [
        Problem(one, 0, 0, "a build is not ranked for money or drawn", advice) for one in said
    ]
    for extra in builds[1:]:
        what, advice = "builds are not compared with each other", "Give one build file, and cards"
        problems.append(Problem(extra, 0, 0, what, advice))
    if problems:
        raise InputError(problems)
    catalog = frame.catalog(*builds)
    others = Speeds(catalog, found(catalog, names, Work())) if names else None
    (report,) = judged(tuple(builds), frame.folders, frame.today)
    machine = machine_speed(report, others)
    frame.show(lambda: machine_text(machine), lambda: machine_data(machine))
    return 0
