"""A report and the advice on GPUs as self-contained pages; equal answers give equal bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck import __version__
from buildcheck.render.documents import STYLE
from buildcheck.render.drawings import figures
from buildcheck.render.drawings.slots import slot_map
from buildcheck.render.drawings.tree import flowchart_drawing, lane_tree, power_tree
from buildcheck.render.html import page_foot, sheet

if TYPE_CHECKING:
    from buildcheck.advise.answer import AdviceAnswer
    from buildcheck.whole_report.answer import ReportAnswer


def to_html(answer: ReportAnswer, *, full: bool = False) -> str:
    """The page of a report; `full` has every section open."""
    build, scale, fit = answer.build, answer.scale, answer.fit
    return sheet(
        "report.html.j2",
        page_foot(build),
        **vars(answer),
        full=full,
        bars={(b.id, b.subject): figures.bar(b) for b in build.budgets},
        slots=slot_map(build),
        power=power_tree(build),
        lanes=lane_tree(build),
        heat=figures.temperatures(build),
        limit=figures.limit_curves(build),
        owning=figures.owning_drawing(answer.cost),
        known=figures.known_drawing(answer.speed),
        scaling=figures.scaling_drawing(scale) if scale else None,
        largest=figures.largest_drawing(fit) if fit else None,
        styles=("css/report.css", "css/drawings.css", STYLE),
    )


def advice_page(answer: AdviceAnswer) -> str:
    """The page of the advice on GPUs."""
    return sheet(
        "advise.html.j2",
        f"buildcheck {__version__}, {answer.request.checked}",
        styles=("css/report.css", "css/drawings.css"),
        answer=answer,
        drawing=answer.flowchart and flowchart_drawing(answer.flowchart),
        version=__version__,
    )
