"""A choice of cards as one self-contained page, to print and to follow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck import __version__
from buildcheck.guide import guide
from buildcheck.render import advise_rows as rows
from buildcheck.render import chart_rows
from buildcheck.render.advise_rows import ADVISE
from buildcheck.render.drawings.chart import chart_drawing
from buildcheck.render.html import sheet

if TYPE_CHECKING:
    import datetime

    from buildcheck.advise import Advice


def advise_page(advice: Advice, today: datetime.date, top: int) -> str:
    """The page's text; the same advice gives the same bytes."""
    use = guide().uses[advice.told.use].name if advice.told.use else ADVISE("any_use")
    budget = advice.told.budget
    foot = ADVISE("page_foot", version=__version__, today=today)
    return sheet(
        "advise.html.j2",
        foot,
        styles=("css/report.css", "css/drawings.css"),
        kicker=ADVISE("page_title"),
        title=ADVISE("headed", use=use),
        apart=rows.apart(advice) if advice.choices else "",
        asked=[*rows.asked(advice), rows.age(today.year), rows.need_line(advice)],
        differs=ADVISE("memory_differs") if rows.disagree(advice) else "",
        memory=rows.memory_table(advice.need.said),
        choices=rows.choices_table(advice, top) if advice.choices else None,
        no_choices=rows.no_choices(advice),
        under=list(rows.under_ranking(advice, today, top)),
        warns=(ADVISE("warns"), list(rows.warned(advice, top))),
        conditions=(ADVISE("conditions"), list(rows.conditions(advice, top))),
        left=(ADVISE("left"), list(rows.left_out(advice.left))),
        used=rows.used_table(advice),
        used_line=rows.used_line(advice) if advice.used else ADVISE("used_hint"),
        against=rows.against(advice.general),
        counts=(ADVISE("counts"), list(rows.counts())),
        way=chart_rows.way_table(advice.path),
        assumed=[chart_rows.today_line(advice), chart_rows.assumed_line(advice.path)],
        chart=chart_drawing(advice.path),
        chart_title=ADVISE("chart"),
        split=rows.split_table(advice.splits, budget.currency if budget else ""),
        cluster=rows.cluster_line() if advice.splits else "",
        named=rows.named_table(advice.named, general=not advice.told.use),
        caveats=[ADVISE("caveats"), *(ADVISE("next", command=c) for c in rows.commands(advice))],
        sources=(ADVISE("sources"), list(rows.sources(advice))),
        made_by=foot,
    )
