"""A chart as a list to print and follow: each question and end with a number, once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from buildcheck.model.advice import Chart


class Line(NamedTuple):
    """A question or end in the list, `depth` answers behind the first question.

    `answer` is the one that leads here from the line above it at one depth less, None for the
    first. A `link` stands for what has its number further up.
    """

    number: int
    depth: int
    name: str
    answer: bool | None
    link: bool


def outline(chart: Chart) -> tuple[Line, ...]:
    """The chart from its start on: below each question what yes leads to, then what no does."""
    numbers: dict[str, int] = {}
    lines: list[Line] = []

    def on(name: str, depth: int, answer: bool | None) -> None:
        link = name in numbers
        number = numbers.setdefault(name, len(numbers) + 1)
        lines.append(Line(number, depth, name, answer, link))
        if name in chart.questions and not link:
            one = chart.questions[name]
            on(one.then, depth + 1, True)
            on(one.otherwise, depth + 1, False)

    on(chart.start, 0, None)
    return tuple(lines)


def numbers_of(lines: tuple[Line, ...]) -> dict[str, int]:
    """The number of each question and end."""
    return {line.name: line.number for line in lines}
