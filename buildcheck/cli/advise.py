"""The command that proposes GPUs for a use and a budget."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from buildcheck.cli.declared import Frame, command, framed
from buildcheck.streams import write_files


@command("advise")
@framed
def main(
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
