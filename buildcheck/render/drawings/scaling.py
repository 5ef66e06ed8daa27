"""How much more several cards do than one: speed-ups against the number of cards."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from buildcheck.model.quantity import ONE, Interval, exact, number_text
from buildcheck.render.drawings.pen import Drawing, Pen
from buildcheck.render.drawings.scale import span, ticks
from buildcheck.render.scale_text import SCALE, ratio, share_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from buildcheck.scale import Scale

_LEFT, _WIDTH, _RIGHT = 78.0, 976.0, 230.0
_TOP, _HEIGHT, _FOOT = 34.0, 230.0, 44.0
#: How far apart labels beside the ends of lines, and numbers of cards, stand at least.
_LABEL, _APART = 36.0, 24.0
_PAIR = 2


class _Line(NamedTuple):
    """One way to share the work: its name, its style, and times the work of one card."""

    name: str
    style: str
    values: tuple[Interval, ...]


def scaling_drawing(found: Scale) -> Drawing:
    """Lines from one card to all; without a picture for one card, or without a step to compare."""
    table, title = share_table(found), SCALE("drawn", name=found.name)
    lines = _lines(found)
    if found.cards < _PAIR or len(lines) == 1:
        return Drawing("scaling", title, "", table, why_not=_why_not(found))
    _, most, step = span([0.0, float(found.cards)])
    bottom = _TOP + _HEIGHT
    pen = Pen()

    def x(cards: float) -> float:
        return _LEFT + (cards - 1) / (found.cards - 1) * (_WIDTH - _LEFT - _RIGHT)

    def y(times: float) -> float:
        return bottom - times / most * _HEIGHT

    pen.write(8, _TOP - 14, SCALE("axis"), "head")
    for times in ticks(0.0, most, step):
        pen.line("grid", (_LEFT, y(times)), (x(found.cards), y(times)))
        pen.write(_LEFT - 8, y(times) + 4, number_text(times), "head", to="end")
    free = 0.0
    for cards in _numbers(found):
        pen.line("grid", (x(cards), _TOP), (x(cards), bottom))
        if x(cards) >= free:
            pen.write(x(cards), bottom + 16, str(cards), "head", to="middle")
            free = x(cards) + _APART
    pen.write(_LEFT, bottom + 36, SCALE("axis_cards"), "head")
    _draw(pen, lines, [x(number) for number in _numbers(found)], y)
    _labels(pen, lines, x(found.cards) + 12, y)
    shapes = tuple(pen.shapes)
    return Drawing("scaling", title, SCALE("describes"), table, _WIDTH, bottom + _FOOT, shapes)


def _numbers(found: Scale) -> list[int]:
    """The numbers of cards that are told, one first."""
    return [1, *(share.cards for share in found.shares)]


def _why_not(found: Scale) -> str:
    if found.cards < _PAIR:
        return SCALE("alone_only")
    return SCALE("no_step") if found.times.alone is None else SCALE("no_link")


def _lines(found: Scale) -> list[_Line]:
    """What would be without an exchange, and each way of which all numbers of cards are known."""
    ideal = tuple(exact(float(number)) for number in _numbers(found))
    lines = [_Line(SCALE("drawn_ideal"), "curve c2", ideal)]
    ways = (
        (SCALE("drawn_data"), "curve", [s.times.speedup for s in found.shares]),
        (SCALE("drawn_tensor"), "curve c1", [s.times.tensor_speedup for s in found.shares]),
    )
    for name, style, values in ways:
        known = [v for v in values if v is not None]
        if known and len(known) == len(values):
            lines.append(_Line(name, style, (ONE, *known)))
    return lines


def _draw(pen: Pen, lines: list[_Line], places: list[float], y: Callable[[float], float]) -> None:
    """Areas first, so that none lies over a line."""
    ends = {
        line.name: tuple(
            [(x, y(getattr(v, end))) for x, v in zip(places, line.values, strict=True)]
            for end in ("low", "high")
        )
        for line in lines
    }
    for lower, upper in ends.values():
        if lower != upper:
            pen.area("band", *upper, *reversed(lower))
    for line in lines:
        lower, upper = ends[line.name]
        pen.line(line.style, *upper)
        if lower != upper:
            pen.line(line.style, *lower)


def _labels(pen: Pen, lines: list[_Line], x: float, y: Callable[[float], float]) -> None:
    """Names and last values beside the ends of the lines, apart from each other."""
    lowest = _TOP + _HEIGHT
    for line in sorted(lines, key=lambda one: (one.values[-1].low + one.values[-1].high) / 2):
        last = line.values[-1]
        at = min(y((last.low + last.high) / 2), lowest)
        lowest = at - _LABEL
        pen.line(line.style, (x, at), (x + 22, at))
        pen.write(x + 28, at - 4, line.name, "small")
        pen.write(x + 28, at + 12, SCALE("times_of", times=ratio(last)), "strong")
