"""The chart for choosing cards: an outline of questions and ends, the way taken drawn stronger."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from buildcheck.facts.outline import outline
from buildcheck.render.advise_rows import ADVISE
from buildcheck.render.chart_rows import chart_table, end_line
from buildcheck.render.drawings.pen import Drawing, Pen, width_of

if TYPE_CHECKING:
    from buildcheck.advise import Path
    from buildcheck.facts.outline import Line

_WIDTH, _EDGE, _LEFT = 976.0, 12.0, 30.0
#: Height of a line, of its box, and how far each answer is set in: all of it fits one sheet.
_ROW, _BOX, _STEP = 30.0, 24.0, 30.0
_NUMBER = 34.0


class _Spot(NamedTuple):
    line: Line
    x: float
    y: float


def chart_drawing(path: Path) -> Drawing:
    """Every question and end with its number, and the way that was taken."""
    lines = outline(path.chart)
    taken = {step.question for step in path.steps} | {path.at}
    spots = [_Spot(one, _LEFT + one.depth * _STEP, _EDGE + n * _ROW) for n, one in enumerate(lines)]
    pen = Pen()
    for n, spot in enumerate(spots):
        if spot.line.answer is not None:
            above = next(s for s in reversed(spots[:n]) if s.line.depth == spot.line.depth - 1)
            _branch(pen, above, spot, taken=_is_taken(path, above, spot))
    for spot in spots:
        _box(pen, path, spot, taken=spot.line.name in taken and not spot.line.link)
    return Drawing(
        "chart",
        ADVISE("drawn"),
        ADVISE("describes"),
        chart_table(path),
        _WIDTH,
        _EDGE * 2 + len(lines) * _ROW,
        tuple(pen.shapes),
        key=(("wire", ADVISE("key_way")), ("card", ADVISE("key_end"))),
    )


def _is_taken(path: Path, above: _Spot, spot: _Spot) -> bool:
    return any(s.question == above.line.name and s.yes == spot.line.answer for s in path.steps)


def _branch(pen: Pen, above: _Spot, spot: _Spot, *, taken: bool) -> None:
    """From a box down and across to one that an answer leads to, with the answer beside it."""
    x, y = above.x + _STEP / 3, spot.y + _BOX / 2
    pen.line("mains" if taken else "wire", (x, above.y + _BOX), (x, y), (spot.x, y))
    words = ADVISE("drawn_yes" if spot.line.answer else "drawn_no")
    pen.write(x - 3, y - 3, words, "small aside", to="end")


def _box(pen: Pen, path: Path, spot: _Spot, *, taken: bool) -> None:
    line, room = spot.line, _WIDTH - _EDGE - spot.x
    if line.link:
        words, style = ADVISE("go_to", number=line.number), "small"
        pen.write(spot.x + 6, spot.y + _BOX / 2 + 4, words, style)
        return
    question = path.chart.questions.get(line.name)
    words = question.ask if question else end_line(path.chart.ends[line.name], path)
    bold = "strong" if taken else "small"
    wide = min(room, _NUMBER + width_of(words, bold) + 10)
    style = "node supply" if question and taken else "node" if question else "node card"
    pen.box(spot.x, spot.y, wide, _BOX, style)
    pen.write(spot.x + 8, spot.y + _BOX / 2 + 4, str(line.number), "strong")
    pen.write(spot.x + _NUMBER, spot.y + _BOX / 2 + 4, words, bold, room=wide - _NUMBER - 6)
