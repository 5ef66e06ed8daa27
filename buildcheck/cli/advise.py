"""The command that proposes GPUs for a use and a budget."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from buildcheck.cli.build import command
from buildcheck.cli.frame import PRICES, RATES, Frame, field_option, framed
from buildcheck.streams import choice, path_option, write_files

#: GPUs that are listed by default.
_TOP = 5


@command("advise")
@framed(
    field_option("use", "What the GPUs are for; without it the kinds are listed.", "KIND"),
    field_option("budget", "The most the GPUs may cost, such as '2000 USD'.", "MONEY"),
    field_option("count", "Number of GPUs; one by default.", "N"),
    field_option("memory", "Least memory of a GPU, in place of what the use needs.", "AMOUNT"),
    choice("Number format that speed is ranked by.", "--bits", among=("16", "8")),
    click.option("--used", is_flag=True, help="Also consider used GPUs; your prices are of those."),
    field_option(
        "price", "A price, such as 'RTX 3090=750 USD'; repeatable.", "GPU=MONEY", multiple=True
    ),
    field_option("outlet", "The wall outlet, such as 'NEMA 5-15'.", "NAME"),
    field_option("desktop", "Price of the rest of the machine.", "MONEY"),
    field_option("electricity", "Such as '0.30 EUR/kWh'.", "PRICE"),
    field_option(
        "answer", "Answers a question of the chart; repeatable.", "QUESTION=yes|no", multiple=True
    ),
    click.option("--chart", is_flag=True, help="Print the flowchart and your path through it."),
    click.option(
        "--top",
        type=click.IntRange(1, 1000),
        default=_TOP,
        show_default=True,
        metavar="N",
        help="Number of GPUs listed.",
    ),
    path_option("--svg", help="Also draw the flowchart to this file."),
    path_option("--html", "page", help="Also write everything as a page to this file."),
    PRICES,
    RATES,
)
def main(
    frame: Frame, *, chart: bool, top: int, svg: Path | None, page: Path | None, **options: Any
) -> int:
    """Propose GPUs for a use and a budget, with reasons and prices.

    A use needs the memory that the latest published advice asks for; `--memory` overrides it. Of
    the GPUs with that memory the one with the most speed for the money is first. The flowchart is
    a decision tree to print; answers that nothing gives are assumed and shown.

    Prices come from the lists that are part of the program, `--prices` or `--price`. The exit code
    is 0 whatever is found, and 2 if an option cannot be used.
    """
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
    return 0
