"""The command that says which cards to buy for a use, or at least what to ask of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from buildcheck.cli_frame import PRICES, RATES, Frame, framed
from buildcheck.streams import path_option, write_files

if TYPE_CHECKING:
    from pathlib import Path

#: So many cards are listed unless said.
_TOP = 8


def _told(*names: str, said: str, metavar: str = "", several: bool = False) -> Any:
    return click.option(*names, metavar=metavar or None, multiple=several, help=said)


@click.command("advise")
@framed(
    _told("--use", metavar="KIND", said="What the cards are for; without it the kinds are listed."),
    _told("--budget", metavar="MONEY", said="Most the cards may cost, such as '2000 USD'."),
    _told("--count", metavar="N", said="How many cards; one unless given."),
    _told("--memory", metavar="AMOUNT", said="Least memory of a card, in place of the guide's."),
    click.option(
        "--bits",
        type=click.Choice(["16", "8"]),
        default="16",
        show_default=True,
        help="Number format that speed is ranked by.",
    ),
    click.option("--used", is_flag=True, help="Used cards will do; prices you give are theirs."),
    _told(
        "--price",
        metavar="CARD=MONEY",
        said="A price, such as 'RTX 3090=750 USD'; may be given again.",
        several=True,
    ),
    _told("--outlet", metavar="NAME", said="The wall outlet, such as 'NEMA 5-15'."),
    _told("--desktop", metavar="MONEY", said="What the machine around the cards costs."),
    _told("--electricity", metavar="PRICE", said="Such as '0.30 EUR/kWh'."),
    _told(
        "--answer",
        metavar="QUESTION=yes|no",
        said="An answer to a question of the chart; may be given again.",
        several=True,
    ),
    click.option("--chart", is_flag=True, help="Print the chart by numbers, and follow it."),
    click.option(
        "--top",
        type=click.IntRange(1, 1000),
        default=_TOP,
        show_default=True,
        metavar="N",
        help="How many cards are listed.",
    ),
    path_option("--svg", help="Also draw the chart to this file."),
    path_option("--html", "page", help="Also write all of it as a page to this file."),
    PRICES,
    RATES,
)
def main(
    frame: Frame, *, chart: bool, top: int, svg: Path | None, page: Path | None, **said: Any
) -> int:
    """Say which cards to buy for a use and a budget, with the reasons and how old they are.

    The memory that a use needs is what published advice asks for, by year; `--memory` says
    otherwise. Of the cards that have it the one that does most for the money stands first. The
    chart is a decision to print and follow: what nobody answers is assumed, and said to be.

    Prices are those of lists that come with the program, of `--prices`, or given by `--price`.
    The exit code is 0 whatever was found, and 2 if what is asked cannot be used.
    """
    from buildcheck.advise import advise, asked  # noqa: PLC0415 - keeps --help and --version quick
    from buildcheck.cli_search import check_outputs  # noqa: PLC0415
    from buildcheck.price_book import price_book  # noqa: PLC0415
    from buildcheck.render.advise_data import advise_data, chart_data, guide_data  # noqa: PLC0415
    from buildcheck.render.advise_text import advise_text, chart_text, guide_text  # noqa: PLC0415

    check_outputs({"--svg": svg, "--html": page}, frame.lists)
    catalog = frame.catalog()
    told = asked(catalog, said)
    book = price_book(catalog, frame.lists, told.prices, rates=told.rates)
    found = advise(told, catalog, book)
    made: dict[Path, str | bytes] = {}
    if svg:
        from buildcheck.render.drawings.chart import chart_drawing  # noqa: PLC0415
        from buildcheck.render.picture import picture  # noqa: PLC0415

        made[svg] = picture(chart_drawing(found.path))
    if page:
        from buildcheck.render.advise_page import advise_page  # noqa: PLC0415 - jinja2 is slow

        made[page] = advise_page(found, frame.today, top)
    write_files(made)
    if chart:
        frame.show(lambda: chart_text(found.path), lambda: chart_data(found.path))
    elif told.is_open:
        frame.show(guide_text, guide_data)
    else:
        frame.show(
            lambda: advise_text(found, frame.today, top),
            lambda: advise_data(found, frame.today, top),
        )
    return 0
