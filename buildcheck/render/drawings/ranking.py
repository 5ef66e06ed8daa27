"""A ranking of cards by speed: a bar for each, and the range that its estimate has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.model.quantity import number_text
from buildcheck.render.drawings.pen import Drawing, Pen
from buildcheck.render.drawings.scale import span, ticks
from buildcheck.render.speed_text import SPEED, ratio, said_of, speed_table

if TYPE_CHECKING:
    from buildcheck.speed.answer import Ranked

_LEFT, _WIDTH, _RIGHT = 250.0, 976.0, 60.0
_TOP, _ROW, _BAR, _FOOT = 34.0, 24.0, 12.0, 28.0


def ranking_drawing(found: Ranked) -> Drawing:
    """All cards, fastest first; without a picture where there is none."""
    against = found.names.get(found.against, "")
    title = SPEED("drawn", **said_of(found.work), against=against)
    table = speed_table(found)
    if not found.rows:
        return Drawing("ranking", title, "", table, why_not=SPEED("nothing"))
    least, most, step = span([0.0, *(row.ratio.range.high for row in found.rows)])
    bottom = _TOP + _ROW * len(found.rows)
    pen = Pen()

    def x(speed: float) -> float:
        return _LEFT + (speed - least) / (most - least) * (_WIDTH - _LEFT - _RIGHT)

    pen.write(8, _TOP - 14, SPEED("axis", against=against), "head")
    for tick in ticks(least, most, step):
        pen.line("grid", (x(tick), _TOP), (x(tick), bottom))
        pen.write(x(tick), bottom + 16, number_text(tick), "head", to="middle")
    for number, row in enumerate(found.rows):
        middle = _TOP + _ROW * (number + 0.5)
        ends = row.ratio.range
        pen.write(_LEFT - 8, middle + 4, found.names[row.id], "small", room=_LEFT - 16, to="end")
        pen.box(_LEFT, middle - _BAR / 2, x(row.ratio.usual) - _LEFT, _BAR, "card")
        pen.line("curve", (x(ends.low), middle), (x(ends.high), middle))
        pen.write(x(ends.high) + 8, middle + 4, ratio(row.ratio)[0], "strong")
    return Drawing(
        "ranking",
        title,
        SPEED("describes"),
        table,
        _WIDTH,
        bottom + _FOOT,
        tuple(pen.shapes),
    )
