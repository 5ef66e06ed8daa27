"""How large a model fits: a bar for each way to save memory, over parameters on a log scale."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from buildcheck.render.drawings.pen import Drawing, Pen, Table
from buildcheck.render.fit_text import FIT, size_table, size_text, way_name
from buildcheck.sizes import MOST

if TYPE_CHECKING:
    from collections.abc import Callable

    from buildcheck.model.quantity import Interval
    from buildcheck.sizes import Sizes

_LEFT, _WIDTH, _RIGHT = 300.0, 976.0, 190.0
_TOP, _ROW, _BAR, _HEAD = 30.0, 26.0, 14.0, 30.0
#: The scale begins at a tenth of a thousand million, and has a line at each power of ten.
_FIRST = -1
_TEN = 10.0


def sizes_drawing(name: str, found: tuple[Sizes, ...]) -> Drawing:
    """Bars for each kind of work; without a picture where no way has an answer."""
    table = _table(found)
    title = FIT("drawn", name=name)
    ends = [way.parameters for one in found for way in one.ways if way.parameters]
    if not ends:
        short = FIT.table("short_lacks")
        whose = dict.fromkeys(whose for one in found for whose in one.lacks)
        why = FIT("not_drawn", lacks="; ".join(short[one] for one in whose))
        return Drawing("sizes", title, "", table, why_not=why)
    last = max(1, math.ceil(math.log10(max(end.high for end in ends))))
    last = min(last, math.ceil(math.log10(MOST)))
    height = _TOP + sum(_HEAD + _ROW * len(one.ways) for one in found)
    pen = Pen()

    def x(billions: float) -> float:
        share = (math.log10(max(billions, _TEN**_FIRST)) - _FIRST) / (last - _FIRST)
        return _LEFT + min(1.0, share) * (_WIDTH - _LEFT - _RIGHT)

    pen.write(8, _TOP - 12, FIT("axis"), "head")
    for power in range(_FIRST, last + 1):
        at = x(_TEN**power)
        pen.line("grid", (at, _TOP), (at, height))
        pen.write(at, _TOP - 12, size_text(_TEN**power, up=True), "head", to="middle")
    y = _TOP
    for one in found:
        pen.write(8, y + _HEAD - 10, FIT.table("drawn_work")[one.kind], "strong")
        y += _HEAD
        for way in one.ways:
            pen.write(20, y + _BAR - 2, way_name(way.key), "small", room=_LEFT - 32)
            _bar(pen, way.parameters, y, x)
            y += _ROW
    key = (("fits", FIT("fits_key")), ("fits most", FIT("may_key")))
    shapes = tuple(pen.shapes)
    return Drawing("sizes", title, FIT("describes"), table, _WIDTH, height, shapes, key=key)


def _bar(pen: Pen, ends: Interval | None, y: float, x: Callable[[float], float]) -> None:
    """A bar up to what surely fits, lighter up to what may, and both in words behind it."""
    start = x(0.0)
    if ends is None:
        pen.write(start + 6, y + _BAR - 2, FIT("not_known"), "small")
        return
    pen.box(start, y, x(ends.high) - start, _BAR, "fits most")
    pen.box(start, y, x(ends.low) - start, _BAR, "fits")
    least, most = size_text(ends.low, up=False), size_text(ends.high, up=True)
    words = least if least == most else FIT("bar_end", sure=least, perhaps=most)
    pen.write(x(ends.high) + 8, y + _BAR - 2, words, "small aside")


def _table(found: tuple[Sizes, ...]) -> Table:
    """One table for all kinds of work."""
    tables = [size_table(one) for one in found]
    work = FIT.table("largest_work")
    rows = [
        (f"{row[0]}, {work[one.kind]}", *row[1:])
        for one, table in zip(found, tables, strict=True)
        for row in table.rows
    ]
    head = tuple(FIT.table("largest_columns").values())
    return Table(FIT("axis"), head, tuple(rows))
