"""One budget as a bar: what is asked, and a line at what there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.render.drawings.pen import Drawing, Pen

if TYPE_CHECKING:
    from buildcheck.render.view import Budget

_WIDTH, _HEIGHT = 220.0, 18.0
#: How far the scale goes beyond what there is.
_BEYOND = 1.2
_STYLES = {"within": "fits", "at the edge": "may", "over": "over"}


def bar(budget: Budget) -> Drawing:
    """A bar from zero; a range is filled up to its least, and outlined up to its most."""
    pen = Pen()
    scale = _WIDTH / max(budget.limit.high * _BEYOND, budget.asked.high, 1e-9)
    style = _STYLES[budget.state]
    pen.box(0, 2, _WIDTH, _HEIGHT - 4, "trough")
    pen.box(0, 2, budget.asked.high * scale, _HEIGHT - 4, f"{style} most")
    pen.box(0, 2, budget.asked.low * scale, _HEIGHT - 4, style)
    for end in sorted({budget.limit.low, budget.limit.high}):
        pen.line("limit", (end * scale, 0), (end * scale, _HEIGHT))
    return Drawing("", budget.what, "", width=_WIDTH, height=_HEIGHT, shapes=tuple(pen.shapes))
