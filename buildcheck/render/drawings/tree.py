"""Rows that branch from each other, from the top down: power, lanes, and the flowchart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from buildcheck.model.answer import link
from buildcheck.model.labels import subject_label
from buildcheck.render.drawings.pen import WIDTH, Drawing, Pen, folded
from buildcheck.report.answer import BuildAnswer
from buildcheck.report.placement_answer import SeatAnswer, SlotAnswer

if TYPE_CHECKING:
    from buildcheck.advise.guide_answer import FlowchartAnswer

_EDGE, _STEP, _LINE, _PAD, _APART = 4.0, 26.0, 14.0, 8.0, 6.0
#: What lanes come from, in the order of the drawing.
_OWNERS = {"cpu": "CPU", "cpu2": "CPU 2", "switch": "PCIe switch", "chipset": "chipset"}


class _Row(NamedTuple):
    """How deep a row is, its lines with their styles, how its box looks, and what leads to it."""

    depth: int
    lines: tuple[tuple[str, str], ...]
    style: str = ""
    #: Thickness of the line that leads to it, and the word at that.
    thick: float = 1.5
    word: str = ""


def _tree(name: str, rows: Sequence[_Row]) -> Drawing:
    """Each row under the line of the one it branches from; lines are cut to the width."""
    pen, y = Pen(), _EDGE
    #: Where the last box of each depth ends.
    ends: dict[int, float] = {}
    for row in rows:
        x, height = _EDGE + row.depth * _STEP, len(row.lines) * _LINE + _PAD
        if row.depth:
            bus = x - _STEP + 4
            pen.line("wire", (bus, ends[row.depth - 1]), (bus, y + height / 2))
            pen.box(bus, y + (height - row.thick) / 2, _STEP - 4, row.thick, "lane")
            pen.write(bus + 2, y + height / 2 - 3, row.word, "small aside")
        pen.box(x, y, WIDTH - x - _EDGE, height, f"node {row.style}".strip())
        if row.style == "bad":
            pen.hatch(x, y, WIDTH - x - _EDGE, height, "hatch bad")
        for number, (text, style) in enumerate(row.lines, 1):
            pen.write(x + 8, y + number * _LINE + 1, text, style, room=WIDTH - x - 20)
        ends[row.depth] = y + height
        y += height + _APART
    return pen.drawn(name, y)


def _two(depth: int, name: str, about: str, style: str = "", thick: float = 1.5) -> _Row:
    lines = ((name, "strong aside"), (about, "small aside"))
    return _Row(depth, lines if about else lines[:1], style, thick)


def power_tree(build: BuildAnswer) -> Drawing | None:
    """From the wall through the PSUs to the board and the GPUs; None where no PSU is listed."""
    circuit, edges = build.placement.circuit, build.placement.power
    if not any(e.end.startswith("psus") for e in edges):
        return None
    names = {part.subject: part.name for part in build.parts}
    bad = {s for f in build.of("fail", "error") for s in (f.subject, *f.subjects)}

    def below(start: str, depth: int) -> Iterator[_Row]:
        for edge in (e for e in edges if e.start == start):
            style = "bad" if edge.end in bad else "supply" if edge.end[:3] in ("psu", "ups") else ""
            name = f"{subject_label(edge.end)} {names.get(edge.end, '')}".strip()
            by = "no cable left" if edge.by == "none" else edge.by
            load = " · ".join([by, *(str(value) for value in (edge.watts, edge.amps) if value)])
            yield _two(depth, name, load, style)
            if not edge.end.startswith("gpus"):
                yield from below(edge.end, depth + 1)

    about = (circuit.outlet, circuit.voltage, circuit.breaker and f"{circuit.breaker} breaker")
    wall = _two(0, "wall", " · ".join(str(a) for a in about if a), "supply")
    return _tree("power", [wall, *below("site", 1)])


def lane_tree(build: BuildAnswer) -> Drawing | None:
    """From CPU, switch and chipset to slots and sockets; None where no slot is known."""
    placement = build.placement
    if not placement.slots:
        return None
    guests = [(s.slot, s) for s in placement.seats] + [(d.socket, d) for d in placement.drives]
    holds = {place: f"{subject_label(g.subject)} {g.name}" for place, g in guests if place}
    seats = {s.slot: s for s in placement.seats if s.slot}
    rows, places = list[_Row](), (*placement.slots, *placement.sockets)
    for owner, name in (*_OWNERS.items(), ("", "not known")):
        own = [s for s in places if (s.owner if s.owner in _OWNERS else "") == owner]
        if own:
            used = owner == "cpu" and placement.cpu_lanes_used and placement.cpu_lanes
            lanes = f"{placement.cpu_lanes_used} of {placement.cpu_lanes} lanes" if used else ""
            rows.append(_two(0, name, lanes, "supply"))
        rows += [_branch(s, seats.get(s.label), holds.get(s.label)) for s in own]
    return _tree("lanes", rows)


def _branch(slot: SlotAnswer, seat: SeatAnswer | None, guest: str | None) -> _Row:
    """A slot or socket with its link as it comes up, what it is made for, and what is in it."""
    most = link(slot.lanes, slot.gen)
    if guest is None:
        return _two(1, slot.label, f"{most} · empty", "idle")
    now = link(seat.lanes, seat.gen) if seat else ""
    about = f"{now} of {most}" if now not in ("", most) else most
    width = (seat.lanes.high if seat and seat.lanes else None) or 2.0
    return _two(1, slot.label, f"{about} · {guest}", "", 1 + width / 4)


def flowchart_drawing(chart: FlowchartAnswer) -> Drawing:
    """The questions for choosing GPUs with their ends; answers elsewhere as numbers."""
    nodes, depth, rows = {node.number: node for node in chart.nodes}, {0: -1}, []
    for node in chart.nodes:
        depth[node.number] = level = depth[node.parent] + 1
        parent = nodes.get(node.parent)
        word = ("yes" if parent.yes == node.number else "no") if parent else ""
        style = "card" if not node.yes else "supply" if node.on_path else ""
        face, thick = ("strong", 4.0) if node.on_path else ("small", 1.5)
        ways = {"yes": node.yes, "no": node.no}.items()
        # Answers whose node is drawn elsewhere have its number.
        apart = (f" {way}→{n}" for way, n in ways if n and nodes[n].parent != node.number)
        text = f"{node.number} {node.text.replace('`', '')}{''.join(apart)}"
        lines = folded(text, WIDTH - level * _STEP - 24, face)
        rows.append(_Row(level, tuple((line, face) for line in lines), style, thick, word))
    return _tree("flowchart", rows)
