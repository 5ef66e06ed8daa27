"""A frontier: one panel for each further measure against the first, every build a dot."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from buildcheck.model.quantity import number_text
from buildcheck.render.drawings.pen import Drawing, Pen, Table, folded
from buildcheck.render.drawings.scale import span, ticks
from buildcheck.render.frontier_text import value_text
from buildcheck.render.frontier_words import build_words
from buildcheck.render.proof_text import SAY, UNITS, measure_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from buildcheck.configure.pareto import Frontier, Point

    Scale = Callable[[float], float]

_LEFT, _WIDTH, _RIGHT = 86.0, 976.0, 360.0
_TOP, _PANEL, _APART = 40.0, 240.0, 84.0
#: A line of the list, and what is between two builds.
_LINE, _BETWEEN = 15.0, 6.0
_DOT = 4.5
#: Where the number of a dot may stand, from the dot: sideways, down, and which end is there.
_SPOTS = ((-7.0, -6.0, "end"), (7.0, 15.0, ""), (-7.0, 15.0, "end"), (7.0, -6.0, ""))
_DIGIT, _TALL, _GAP = 8.5, 12.0, 2.0


def frontier_drawing(frontier: Frontier) -> Drawing:
    """The panels with the list of builds; without a picture where there is none."""
    first, *others = frontier.measures
    words = SAY("frontier_and").join(map(measure_words, frontier.measures))
    title = f"Builds that none beats in {words}"
    if not frontier.points:
        return Drawing("frontier", title, "", why_not="No build was found.")
    pen = Pen()
    listed = _list(pen, frontier)
    tall = max(_PANEL, (listed - _TOP - (len(others) - 1) * _APART) / len(others))
    bottom = 0.0
    for number, measure in enumerate(others):
        top = _TOP + number * (tall + _APART)
        bottom = _panel(pen, frontier, (first, measure), (top, tall))
    return Drawing(
        "frontier",
        title,
        "Every dot is a build that passes; its number leads to the list, which gives its values, "
        "its cards, and what else is in it where the cards are those of another. The scales begin "
        "at the least that is found, and not at zero.",
        _table(frontier),
        _WIDTH,
        max(bottom, listed) + 44,
        tuple(pen.shapes),
        key=(("dot", "a build"),),
    )


def _list(pen: Pen, frontier: Frontier) -> float:
    """The list of builds at the right; where it ends."""
    x, y, room = _WIDTH - _RIGHT + 40, _TOP, _RIGHT - 56
    for number, (point, name) in enumerate(
        zip(frontier.points, build_words(frontier), strict=True), 1
    ):
        told = ", ".join(_told(point, m) for m in frontier.measures)
        pen.write(x - 6, y + 8, f"{number}", "strong", to="end")
        said = [(line, "strong") for line in folded(told, room, "strong")]
        said += [(line, "small") for line in folded(name, room, "small")]
        for row, (line, style) in enumerate(said):
            pen.write(x, y + 8 + row * _LINE, line, style)
        y += len(said) * _LINE + _BETWEEN
    return y


def _told(point: Point, measure: str) -> str:
    return value_text(measure, point.value(measure), point.proposal.price.currency)


def _panel(
    pen: Pen, frontier: Frontier, measures: tuple[str, str], where: tuple[float, float]
) -> float:
    """One panel from its upper edge, so tall; where it ends."""
    top, tall = where
    bottom = top + tall
    across, up = measures
    spans = [span([p.value(m) for p in frontier.points]) for m in measures]

    def x(value: float) -> float:
        least, most, _ = spans[0]
        return _LEFT + (value - least) / (most - least) * (_WIDTH - _LEFT - _RIGHT)

    def y(value: float) -> float:
        least, most, _ = spans[1]
        return bottom - (value - least) / (most - least) * tall

    pen.write(8, top - 16, _axis(up, frontier), "head")
    for value in ticks(*spans[1]):
        pen.line("grid", (_LEFT, y(value)), (_WIDTH - _RIGHT, y(value)))
        pen.write(_LEFT - 8, y(value) + 4, number_text(value), "head", to="end")
    for value in ticks(*spans[0]):
        pen.line("grid", (x(value), top), (x(value), bottom))
        pen.write(x(value), bottom + 16, number_text(value), "head", to="middle")
    pen.write(
        (_LEFT + _WIDTH - _RIGHT) / 2, bottom + 34, _axis(across, frontier), "head", to="middle"
    )
    if len(frontier.measures) == len(measures):
        _steps(pen, [(x(p.value(across)), y(p.value(up))) for p in frontier.points])
    dots = [(x(p.value(across)), y(p.value(up))) for p in frontier.points]
    for at in dots:
        pen.dot(*at, _DOT, "dot")
    _numbers(pen, dots)
    return bottom


def _numbers(pen: Pen, dots: list[tuple[float, float]]) -> None:
    """The number of each dot beside it, where no other dot or number is; none if all is taken."""
    taken = [(x - _DOT, y - _DOT, x + _DOT, y + _DOT) for x, y in dots]
    for number, (x, y) in enumerate(dots, 1):
        wide = _DIGIT * len(str(number))
        for right, down, end in _SPOTS:
            left = x + right - (wide if end else 0.0)
            box = (left - _GAP, y + down - _TALL, left + wide + _GAP, y + down)
            if not any(_overlap(box, other) for other in taken):
                pen.write(x + right, y + down, str(number), "strong aside", to=end)
                taken.append(box)
                break


def _overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _steps(pen: Pen, dots: list[tuple[float, float]]) -> None:
    """What is to be had from each build on until the next."""
    points = [dots[0]]
    for (_, y), (x, further) in pairwise(dots):
        points += [(x, y), (x, further)]
    if len(points) > 1:
        pen.line("curve", *points)


def _axis(measure: str, frontier: Frontier) -> str:
    words, unit = measure_words(measure), UNITS[measure]
    unit = unit or frontier.points[0].proposal.price.currency
    return f"{words[0].upper()}{words[1:]}, {unit}"


def _table(frontier: Frontier) -> Table:
    head = ("Build", *map(measure_words, frontier.measures))
    rows = (
        (f"{n}. {name}", *(_told(p, m) for m in frontier.measures))
        for n, (p, name) in enumerate(zip(frontier.points, build_words(frontier), strict=True), 1)
    )
    return Table("The builds of the frontier", head, tuple(rows))
