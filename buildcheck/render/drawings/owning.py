"""Owning against renting: money spent over the years by either, and where both cost the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from buildcheck.cost import hours_in
from buildcheck.model.quantity import Interval, exact, number_text, percent
from buildcheck.render.cost import COST_WORDS, amount_text, days_text, year_table
from buildcheck.render.drawings.pen import Drawing, Pen
from buildcheck.render.drawings.scale import span, ticks

if TYPE_CHECKING:
    from collections.abc import Callable

    from buildcheck.cost import Cost

_LEFT, _WIDTH, _RIGHT = 86.0, 976.0, 220.0
_TOP, _HEIGHT, _FOOT = 34.0, 260.0, 44.0
#: How far apart labels beside the ends of lines stand at least.
_LABEL = 34.0
_DAYS = exact(365.0)


class _Line(NamedTuple):
    """One way: its name, its style, and what has been spent by the start and by the end."""

    name: str
    style: str
    start: Interval
    end: Interval


def owning_drawing(cost: Cost) -> Drawing:
    """Both lines over the years; without a picture where one of them is not known."""
    table, use = year_table(cost), percent(cost.use) if cost.use else ""
    title = COST_WORDS("drawn", name=cost.name, use=use)
    lines = _lines(cost)
    if not lines or cost.years is None:
        lacks = COST_WORDS.table("short_lacks")
        words = "; ".join(lacks[lack] for lack in cost.lacks if lacks[lack])
        why = COST_WORDS("not_drawn", lacks=words)
        return Drawing("owning", title, "", table, why_not=why)
    years = cost.years.high
    least, most, step = span([0.0, *(line.end.high for line in lines), lines[0].start.high])
    bottom = _TOP + _HEIGHT
    pen = Pen()

    def x(year: float) -> float:
        return _LEFT + year / years * (_WIDTH - _LEFT - _RIGHT)

    def y(money: float) -> float:
        return bottom - (money - least) / (most - least) * _HEIGHT

    pen.write(8, _TOP - 14, COST_WORDS("axis", currency=cost.currency), "head")
    for money in ticks(least, most, step):
        pen.line("grid", (_LEFT, y(money)), (x(years), y(money)))
        pen.write(_LEFT - 8, y(money) + 4, number_text(money), "head", to="end")
    for year in range(int(years) + 1):
        pen.line("grid", (x(year), _TOP), (x(year), bottom))
        pen.write(x(year), bottom + 16, str(year), "head", to="middle")
    pen.write(_LEFT, bottom + 36, COST_WORDS("axis_years"), "head")
    for line in lines:
        _draw(pen, line, (x(0), x(years)), y)
    _labels(pen, lines, x(years) + 12, y, cost.currency)
    met = _even(pen, cost, x, y)
    return Drawing(
        "owning",
        title,
        COST_WORDS("describes"),
        table,
        _WIDTH,
        bottom + _FOOT,
        tuple(pen.shapes),
        key=(("dot", COST_WORDS("both")),) if met else (),
    )


def _lines(cost: Cost) -> list[_Line]:
    if cost.use is None or cost.years is None:
        return []
    hours = hours_in(exact(cost.years.high), cost.use)
    own, start, rent = cost.owning.owned(hours), cost.owning.price, cost.owning.rented(hours)
    if own is None or start is None or rent is None:
        return []
    nothing = exact(0.0)
    return [
        _Line(COST_WORDS("owned"), "curve", start, own),
        _Line(COST_WORDS("rented"), "curve c1", nothing, rent),
    ]


def _draw(pen: Pen, line: _Line, ends: tuple[float, float], y: Callable[[float], float]) -> None:
    first, last = ends
    upper = [(first, y(line.start.high)), (last, y(line.end.high))]
    lower = [(first, y(line.start.low)), (last, y(line.end.low))]
    if lower != upper:
        pen.area("band", *upper, *reversed(lower))
        pen.line(line.style, *lower)
    pen.line(line.style, *upper)


def _labels(
    pen: Pen, lines: list[_Line], x: float, y: Callable[[float], float], currency: str
) -> None:
    """Names and last values beside the ends of the lines, apart from each other."""
    lowest = _TOP + _HEIGHT
    for line in sorted(lines, key=lambda one: one.end.high):
        at = min(y(line.end.high), lowest)
        lowest = at - _LABEL
        pen.line(line.style, (x, at), (x + 22, at))
        pen.write(x + 28, at - 4, line.name, "small")
        pen.write(x + 28, at + 12, amount_text(line.end, currency), "strong", room=_RIGHT - 44)


def _even(pen: Pen, cost: Cost, x: Callable[[float], float], y: Callable[[float], float]) -> bool:
    """The dot where both have cost the same; is it on the drawing?"""
    even, use, years = cost.owning.break_even, cost.use, cost.years
    if even is None or use is None or years is None or even.hours.high == float("inf"):
        return False
    days = even.days(use)
    middle = (days.low + days.high) / 2 / _DAYS.low
    rented = cost.owning.rented(hours_in(exact(middle), use))
    if middle > years.high or rented is None:
        return False
    spot = (x(middle), y((rented.low + rented.high) / 2))
    pen.dot(*spot, 5, "dot")
    words = COST_WORDS("at_day", day=days_text(days))
    pen.write(spot[0] + 10, spot[1] + 18, words, "strong aside")
    return True
