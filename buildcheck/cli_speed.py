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
@click.argument("what", nargs=-1, metavar="[BUILD | GPU...]")
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
    desktop: str | None,
    electricity: str | None,
    svg: Path | None,
) -> int:
    """Estimate how fast cards are at deep learning, one over another, and for their money.

    With names of cards it ranks these, without any all that are known; with a build file, whose
    name ends in .yaml, it says how fast its cards are at each kind of work, each at its limit.

    Speeds are estimates of a stated model, with the range that nine of ten pairs of cards lie in
    and the places each may have. Speed for money is that of a card in a desktop, owned for five
    years at 15 % use.

    The exit code is 0 whatever was found, and 2 if a name or build cannot be used.
    """
    if len(what) == 1 and (what[0] == "-" or Path(what[0]).suffix in _BUILDS):
        return _of_machine(frame, what[0], svg)
    from buildcheck.price_book import price_book  # noqa: PLC0415 - keeps --help quick
    from buildcheck.render.speed_text import ranked_data, ranked_text  # noqa: PLC0415
    from buildcheck.speed import Work  # noqa: PLC0415
    from buildcheck.speed.answer import ranked  # noqa: PLC0415

    check_output(svg, tuple(map(str, frame.lists)))
    catalog = frame.catalog()
    prices = price_book(catalog, frame.lists)
    order = ranked(catalog, prices, Work(use, bits, net), what, against, (desktop, electricity))
    if svg:
        from buildcheck.render.drawings.ranking import ranking_drawing  # noqa: PLC0415
        from buildcheck.render.picture import picture  # noqa: PLC0415

        write_out(picture(ranking_drawing(order)), svg)
    frame.show(lambda: ranked_text(order), lambda: ranked_data(order))
    return 0


def _of_machine(frame: Frame, build: str, svg: Path | None) -> int:
    """Say how fast the cards of a build are."""
    from buildcheck.render.speed_text import machine_data, machine_text  # noqa: PLC0415
    from buildcheck.speed import machine_speed  # noqa: PLC0415

    if svg:
        advice = "Leave out --svg, or name cards"
        raise InputError([Problem("--svg", 0, 0, "only a ranking is drawn", advice)])
    (report,) = judged((build,), frame.folders, frame.today)
    machine = machine_speed(report)
    frame.show(lambda: machine_text(machine), lambda: machine_data(machine))
    return 0
