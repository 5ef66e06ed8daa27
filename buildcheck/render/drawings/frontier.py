"""A Pareto front: one panel for each further measure against the first, every build a dot."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from buildcheck.logic.quantity import number_text
from buildcheck.render.drawings.chart import Axis, grid, steps
from buildcheck.render.drawings.pen import WIDTH, Drawing, Pen, folded
from buildcheck.render.templates import words

if TYPE_CHECKING:
    from buildcheck.configure.answer import ConfigureAnswer, ProposedBuild

_LEFT, _RIGHT, _PANEL, _LINE, _DOT = 72.0, 20.0, 200.0, 15.0, 4.5
#: Where the number of a dot may be, from the dot: sideways, down, and which end is there.
_SPOTS = ((-7.0, -6.0, "end"), (7.0, 15.0, ""), (-7.0, 15.0, "end"), (7.0, -6.0, ""))
_DIGIT, _TALL, _GAP = 8.5, 12.0, 2.0


def frontier_drawing(frontier: ConfigureAnswer) -> Drawing | None:
    """The panels, and below them the list of builds; None where there is none."""
    builds, (first, *others) = frontier.builds, frontier.measures
    if not builds:
        return None
    pen, y, say = Pen(), 0.0, words("measures")
    across = steps(_value(b, first) for b in builds)
    x = Axis(across[0], across[-1], _LEFT, WIDTH - _RIGHT)
    marks = {value: number_text(value) for value in across}
    for measure in others:
        pen.write(8, y + 14, say.axis(frontier, measure), "head")
        values = [_value(b, measure) for b in builds]
        up = grid(pen, x, marks, values, (y + 24, y + 24 + _PANEL))
        dots = [(x.at(_value(b, first)), up.at(v)) for b, v in zip(builds, values, strict=True)]
        if len(others) == 1:
            pen.line("curve", dots[0], *(p for a, b in pairwise(dots) for p in ((b[0], a[1]), b)))
        for dot in dots:
            pen.dot(*dot, _DOT, "dot")
        _numbers(pen, dots)
        y += 24 + _PANEL + 40
        pen.write(WIDTH - _RIGHT, y - 8, say.axis(frontier, first), "head", to="end")
    for number, build in enumerate(builds, 1):
        pen.write(28, y + 14, str(number), "strong", to="end")
        texts = ((say.values(frontier, build), "strong"), (say.called(build), "small"))
        for text, style in texts:
            for line in folded(text, WIDTH - 44, style):
                pen.write(36, y + 14, line, style)
                y += _LINE
        y += 6
    return pen.drawn("frontier", y + 8)


def _value(build: ProposedBuild, measure: str) -> float:
    return build.measures[measure] or 0.0


def _numbers(pen: Pen, dots: list[tuple[float, float]]) -> None:
    """Write the number of each dot next to it, where there is space."""
    taken = [(x - _DOT, y - _DOT, x + _DOT, y + _DOT) for x, y in dots]
    for number, (x, y) in enumerate(dots, 1):
        wide = _DIGIT * len(str(number))
        for right, down, end in _SPOTS:
            left = x + right - (wide if end else 0.0)
            box = (left - _GAP, y + down - _TALL, left + wide + _GAP, y + down)
            if all(
                box[2] <= a or c <= box[0] or box[3] <= b or d <= box[1] for a, b, c, d in taken
            ):
                pen.write(x + right, y + down, str(number), "strong aside", to=end)
                taken.append(box)
                break
