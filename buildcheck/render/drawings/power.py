"""The power tree: from the wall through the supplies to the board and each card.

Wall, UPS and supplies stand in a column at the left, cards in one at the right, each in a row
of its own; the board lies between. Every line says by what, how many watts and amperes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from buildcheck.render.data import RISER, SLOT, power_edges
from buildcheck.render.drawings.pen import Drawing, Pen, Table, amount

if TYPE_CHECKING:
    from buildcheck.model.finding import Report
    from buildcheck.model.graph import Subject
    from buildcheck.render.data import PowerEdge

#: Columns: the supplies' own, what leaves them, the board, what leaves it, the cards.
_LEFT, _SUPPLY, _BOARD, _CARD, _WIDTH = 8.0, 40.0, 432.0, 724.0, 976.0
_SUPPLY_WIDTH, _BOARD_WIDTH = 196.0, 142.0
#: Lines that go down: of the wall, of the UPS, and of the board to its slots.
_WALL_BUS, _UPS_BUS, _SLOT_BUS = 16.0, 30.0, 582.0
_BOX, _ROW, _MAINS = 46.0, 60.0, 40.0
_NO_CABLE = "none"
#: What each kind of supply is made for.
_RATINGS = {"ups": "ups.power", "psu": "psu.rated_power"}


@dataclass
class _Page:
    """The drawing while it is made, and where the next box goes."""

    report: Report
    pen: Pen = field(default_factory=Pen)
    y: float = 8.0
    #: Where the board ends; slots are fed from there.
    board: float = 0.0


def power_tree(report: Report) -> Drawing:
    """The tree of a build; without a picture where no supply is listed."""
    edges = power_edges(report)
    table = _table(report, edges)
    if not report.graph.of("psu"):
        return Drawing("power", "Power tree", "", table, why_not="No power supply is listed.")
    page = _Page(report)
    for words, supplies in _walls(report):
        buses = {"site": (_WALL_BUS, _wall(page, words))}
        for edge in (e for e in edges if e.start == "site" and e.end == "ups"):
            page.y = _mains(page, edge, *buses["site"])
            buses["ups"] = (_UPS_BUS, page.y)
        for psu in supplies:
            _supply(page, psu, edges, buses)
    return Drawing(
        "power",
        f"Power tree of {report.name}",
        "From the wall through the supplies to the board and each card, with the watts and "
        "amperes that every connection carries for hours. The table says the same in words.",
        table,
        _WIDTH,
        page.y,
        tuple(page.pen.shapes),
        key=(("wire", "supply cables, 12 V"), ("slot-wire", "through the board and its slots")),
    )


def _walls(report: Report) -> list[tuple[str, list[Subject]]]:
    """The circuits that the supplies hang on, by name; one where nobody says which is which."""
    circuit, supplies = report.graph.the("circuit"), report.graph.of("psu")
    if not report.facts("circuit.is_one_of_several", circuit):
        return [("Wall", supplies)]
    number = report.facts("circuit.circuits", circuit)
    pinned = {e.end: e.data.get("circuit") for e in report.graph.out("supplies", circuit)}
    if None in pinned.values() or report.graph.the("ups").listed:
        return [(f"Wall, {amount(number, 'circuits')}", supplies)]
    return [
        (f"Wall, circuit {one}", [psu for psu in supplies if pinned.get(psu.id) == one])
        for one in sorted({n for n in pinned.values() if n is not None})
    ]


def _wall(page: _Page, name: str) -> float:
    circuit = page.report.graph.the("circuit")
    facts = page.report.facts
    volts, amps = facts("circuit.voltage", circuit), facts("circuit.breaker", circuit)
    outlet = facts("circuit.outlet", circuit)
    page.pen.box(_LEFT, page.y, _SUPPLY + _SUPPLY_WIDTH - _LEFT, _BOX, "node wall")
    room = _SUPPLY_WIDTH + 16
    wall = f"{name}: {outlet or 'outlet not said'}"
    page.pen.write(_LEFT + 10, page.y + 18, wall, "strong", room=room)
    words = f"{amount(volts, 'V')}, breaker {amount(amps, 'A')}" if volts else "voltage not known"
    page.pen.write(_LEFT + 10, page.y + 36, words, "small", room=room)
    page.y += _BOX
    return page.y


def _mains(page: _Page, edge: PowerEdge, bus: float, top: float) -> float:
    """A line down from what feeds it, and the box it leads to; where that ends."""
    pen, subject = page.pen, page.report.graph.subjects[edge.end]
    page.y += _MAINS
    pen.write(_SUPPLY, page.y - 10, f"{edge.by}: {_load(edge)}", "small")
    middle = page.y + _BOX / 2
    pen.line("mains", (bus, top), (bus, middle), (_SUPPLY, middle))
    # What the supplies hang on reaches out to the line that leads down to them.
    left = _SUPPLY if subject.kind == "psu" else _UPS_BUS - 6
    pen.box(left, page.y, _SUPPLY + _SUPPLY_WIDTH - left, _BOX, "node supply")
    room = _SUPPLY_WIDTH - 16
    rated = amount(page.report.facts(_RATINGS[subject.kind], subject), "W")
    pen.write(_SUPPLY + 10, page.y + 18, f"{subject.id}: rated {rated}", "strong", room=room)
    pen.write(_SUPPLY + 10, page.y + 36, subject.name, "small", room=room)
    return page.y + _BOX


def _supply(
    page: _Page,
    psu: Subject,
    edges: list[PowerEdge],
    buses: dict[str, tuple[float, float]],
) -> None:
    (mains,) = [e for e in edges if e.end == psu.id]
    _mains(page, mains, *buses[mains.start])
    first, start = page.y, page.y + _BOX / 2
    rows = [e for e in edges if e.start == psu.id]
    board = next((e for e in rows if e.end == "motherboard"), None)
    y = first
    if board is not None:
        _wire(page, board, start, (_BOARD, y + _BOX / 2), "wire")
        page.pen.box(_BOARD, y, _BOARD_WIDTH, _BOX, "node board")
        name = page.report.graph.the("motherboard").name
        page.pen.line("slot-wire", (_BOARD + _BOARD_WIDTH, y + _BOX / 2), (_SLOT_BUS, y + _BOX / 2))
        page.pen.write(_BOARD + 10, y + 18, "motherboard", "strong")
        page.pen.write(_BOARD + 10, y + 36, name, "small", room=_BOARD_WIDTH - 16)
        page.board = y + _BOX
        y += _ROW
    for edge in (e for e in rows if e is not board and e.by != RISER):
        _fed(page, edge, edges, start, y)
        y += _ROW
    page.y = max(y - _ROW, first) + _BOX + 10


def _fed(page: _Page, edge: PowerEdge, edges: list[PowerEdge], start: float, y: float) -> None:
    """A card with its cables, and what it takes through its slot."""
    pen = page.pen
    card = page.report.graph.subjects[edge.end]
    slot = next((e for e in edges if e.end == card.id and e.by in (SLOT, RISER)), None)
    style = "wire missing" if edge.by == _NO_CABLE else "wire"
    _wire(page, edge, start, (_CARD, y + 32), style)
    if slot is not None:
        middle = page.board - _BOX / 2
        if slot.by == SLOT:
            pen.line("slot-wire", (_SLOT_BUS, middle), (_SLOT_BUS, y + 12), (_CARD, y + 12))
        else:
            pen.line("wire", (_SLOT_BUS, y + 32), (_SLOT_BUS, y + 12), (_CARD, y + 12))
        words = "slot" if slot.by == SLOT else "riser"
        room = _CARD - _SLOT_BUS - 8
        pen.write(_SLOT_BUS + 6, y + 8, f"{words} {amount(slot.watts, 'W')}", "small", room=room)
        pen.write(_SLOT_BUS + 6, y + 25, amount(slot.amps, "A"), "small", room=room)
    pen.box(_CARD, y, _WIDTH - _CARD - 8, _BOX, "node card")
    room = _WIDTH - _CARD - 26
    power = amount(page.report.facts("gpu.sustained_power", card), "W")
    pen.write(_CARD + 10, y + 18, f"{card.id}: {power}", "strong", room=room)
    pen.write(_CARD + 10, y + 36, card.name, "small", room=room)


def _wire(page: _Page, edge: PowerEdge, start: float, end: tuple[float, float], style: str) -> None:
    x = _SUPPLY + _SUPPLY_WIDTH
    bend = x + 14
    points = [(x, start), (bend, start), (bend, end[1]), end]
    page.pen.line(style, *(points if start != end[1] else [(x, start), end]))
    by = "no cable left" if edge.by == _NO_CABLE else edge.by
    room = min(end[0], _SLOT_BUS) - bend - 12
    page.pen.write(bend + 6, end[1] - 5, by, "small", room=room)
    page.pen.write(bend + 6, end[1] + 14, _load(edge), "small", room=room)


def _load(edge: PowerEdge) -> str:
    return f"{amount(edge.watts, 'W')}, {amount(edge.amps, 'A')}"


def _table(report: Report, edges: list[PowerEdge]) -> Table:
    """Every connection, in words."""
    names = report.graph.subjects
    rows = tuple(
        (
            _named(names[e.start]),
            _named(names[e.end]),
            "no cable left" if e.by == _NO_CABLE else e.by,
            amount(e.watts, "W"),
            amount(e.amps, "A"),
        )
        for e in edges
    )
    caption = (
        "What each connection carries for hours; mains current at the voltage of the site, "
        "the rest at 12 V"
    )
    return Table(caption, ("From", "To", "By", "Power", "Current"), rows)


def _named(subject: Subject) -> str:
    if subject.id in ("site", "motherboard", "ups"):
        return {"site": "wall"}.get(subject.id, subject.id)
    return f"{subject.id} {subject.name}"
