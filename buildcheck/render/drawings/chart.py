"""One chart for all: rows with ranges, or panels of lines, as wide as a phone."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from buildcheck.logic.quantity import number_text
from buildcheck.render.drawings.pen import WIDTH, Drawing, Pen, width_of

#: Edges of a panel with figures at its left, and of a chart of rows.
_LEFT, _RIGHT, _EDGE = 72.0, 20.0, 12.0
#: Heights: of a line of words, of a row and its bar, of a panel and the figures below it.
_WORDS, _ROW, _BAR, _PANEL, _BELOW = 17.0, 36.0, 12.0, 140.0, 22.0
_APART = 6.0
#: Steps people read off a scale, and about how many there are.
_NICE, _STEPS = (1, 2, 5, 10), 5


class ChartRow(NamedTuple):
    """A name, its value in words, ranges from, to and in a style, an estimate, and a limit."""

    name: str
    words: str
    ranges: tuple[tuple[float, float, str], ...] = ()
    dot: float | None = None
    limit: float | None = None


class ChartLine(NamedTuple):
    """What a line is of, (x, low, high) of its points, a dot on it, and a limit."""

    words: str
    points: tuple[tuple[float, float, float], ...]
    dot: tuple[float, float] | None = None
    limit: float | None = None


class Axis(NamedTuple):
    """Values from first to last, between two places of a drawing."""

    first: float
    last: float
    start: float
    end: float
    is_log: bool = False

    def at(self, value: float) -> float:
        """The place of a value; of one beyond the scale its end."""
        turn = math.log if self.is_log else float
        first, last = turn(self.first), turn(self.last)
        share = (turn(min(self.last, max(self.first, value))) - first) / (last - first)
        return self.start + share * (self.end - self.start)


def steps(values: Iterable[float]) -> list[float]:
    """Values people read off a scale, from below the least to above the most of some."""
    found = list(values)
    least, most = min(found), max(found)
    rough = (most - least or abs(most) or 1.0) / _STEPS
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(n * size for n in _NICE if n * size >= rough * (1 - 1e-9))
    first = math.floor(least / step)
    return [n * step for n in range(first, max(math.ceil(most / step), first + 1) + 1)]


def row_chart(
    name: str,
    axis: str,
    groups: Mapping[str, Sequence[ChartRow]],
    marks: Mapping[float, str],
    *,
    is_log: bool = False,
) -> Drawing:
    """Groups of rows over one scale with these marks, under the words of the axis."""
    pen, top = Pen(), 2 * _WORDS
    x = Axis(min(marks), max(marks), _EDGE, WIDTH - _RIGHT, is_log)
    bottom = top + sum(_WORDS * bool(n) + _ROW * len(rows) for n, rows in groups.items())
    pen.write(_EDGE, 13, axis, "head", room=WIDTH - 2 * _EDGE)
    _mark(pen, x, marks, top, bottom, top - 5)
    y = top
    for title, rows in groups.items():
        if title:
            pen.write(_EDGE, y + 14, title, "strong aside")
            y += _WORDS
        for row in rows:
            _row(pen, row, x, y)
            y += _ROW
    return pen.drawn(name, bottom + 6)


def _row(pen: Pen, row: ChartRow, x: Axis, y: float) -> None:
    end, middle = WIDTH - _EDGE, y + 18 + _BAR / 2
    room = end - _EDGE - width_of(row.words, "small") - 2 * _APART
    pen.write(_EDGE, y + 13, row.name, "small aside", room=room)
    pen.write(end, y + 13, row.words, "small aside", to="end")
    for low, high, style in (one for one in row.ranges if one[1] > x.first):
        pen.box(x.at(low), y + 18, max(x.at(high) - x.at(low), 3.0), _BAR, style)
    if row.dot is not None:
        pen.dot(x.at(row.dot), middle, 4.5, "dot")
    if row.limit is not None:
        pen.line("limit", (x.at(row.limit), y + 15), (x.at(row.limit), y + 33))


def line_chart(
    name: str, axis: str, panels: Mapping[str, Sequence[ChartLine]], marks: Mapping[float, str]
) -> Drawing:
    """Panels by the words of their upward axes, over one axis with these marks."""
    pen, y = Pen(), 0.0
    places = [*marks, *(p[0] for lines in panels.values() for line in lines for p in line.points)]
    x = Axis(min(places), max(places), _LEFT, WIDTH - _RIGHT)
    for title, lines in panels.items():
        pen.write(_EDGE, y + 14, title, "head")
        y += _WORDS
        for number, line in enumerate(lines):
            pen.line(f"curve c{number}", (_EDGE, y + 9), (30, y + 9))
            pen.write(36, y + 13, line.words, "small", room=WIDTH - 44)
            y += _WORDS
        values = [v for line in lines for _, *ends in line.points for v in ends]
        values += [line.limit for line in lines if line.limit is not None]
        up = grid(pen, x, marks, values, (y + _APART, y + _APART + _PANEL))
        for number, line in enumerate(lines):
            _line(pen, line, f"curve c{number}", x, up)
        y += _APART + _PANEL + _BELOW
    pen.write(WIDTH - _RIGHT, y + 8, axis, "head", to="end")
    return pen.drawn(name, y + 16)


def grid(
    pen: Pen, x: Axis, marks: Mapping[float, str], values: list[float], between: tuple[float, float]
) -> Axis:
    """Draw the scales of a panel between two heights; the upward one, which holds the values."""
    top, bottom = between
    found = steps(values)
    y = Axis(found[0], found[-1], bottom, top)
    for value in found:
        pen.line("grid", (x.start, y.at(value)), (x.end, y.at(value)))
        pen.write(x.start - _APART, y.at(value) + 4, number_text(value), "head", to="end")
    _mark(pen, x, marks, top, bottom, bottom + 15)
    return y


def _mark(
    pen: Pen, x: Axis, marks: Mapping[float, str], top: float, bottom: float, y: float
) -> None:
    """Lines at the marks of a scale, with their words where they have room in the drawing."""
    free = 0.0
    for value, words in marks.items():
        at, half = x.at(value), width_of(words, "head") / 2
        pen.line("grid", (at, top), (at, bottom))
        middle = min(max(at, half), WIDTH - half)
        if middle - half >= free:
            pen.write(middle, y, words, "head", to="middle")
            free = middle + half + _APART


def _line(pen: Pen, line: ChartLine, style: str, x: Axis, y: Axis) -> None:
    lower = [(x.at(p), y.at(low)) for p, low, _ in line.points]
    upper = [(x.at(p), y.at(high)) for p, _, high in line.points]
    if lower != upper:
        pen.line("band", *upper, *reversed(lower), close=" Z")
        pen.line(style, *lower)
    pen.line(style, *upper)
    if line.limit is not None:
        pen.line("limit", (x.start, y.at(line.limit)), (x.end, y.at(line.limit)))
    if line.dot:
        pen.dot(x.at(line.dot[0]), y.at(line.dot[1]), 5, "dot")
