"""What the builds of a frontier are called: by their cards, and by what else tells them apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.render.words import Words

if TYPE_CHECKING:
    from buildcheck.configure.answer import Chosen
    from buildcheck.configure.pareto import Frontier

SAY = Words("answer")
_CARDS = "gpus"
_Line = tuple[str, str, int]


def build_words(frontier: Frontier) -> list[str]:
    """The name of each build; with the parts that an earlier one of the same cards lacks."""
    seen: dict[tuple[_Line, ...], set[_Line]] = {}
    said = []
    for point in frontier.points:
        lines = {_line(one): one for one in point.proposal.chosen}
        cards = tuple(line for line in lines if line[0] == _CARDS)
        name = point.proposal.report.name
        if cards in seen:
            other = [_called(one) for line, one in lines.items() if line not in seen[cards]]
            name = SAY("frontier_apart", name=name, parts=", ".join(other)) if other else name
        seen[cards] = set(lines)
        said.append(name)
    return said


def _line(one: Chosen) -> _Line:
    return one.section, one.part, one.count


def _called(one: Chosen) -> str:
    return one.name if one.count == 1 else f"{one.count}x {one.name}"
