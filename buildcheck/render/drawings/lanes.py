"""The lane tree: from each root (CPU, chipset, switch) to its slots and M.2 sockets.

The thickness of a line is the number of lanes; beside it stand width and generation as they
come up in this arrangement, and who sits at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from buildcheck.model.quantity import Interval, ends_text
from buildcheck.render.data import covered_openings
from buildcheck.render.drawings.pen import Drawing, Pen, Table

if TYPE_CHECKING:
    from buildcheck.model.finding import Report
    from buildcheck.model.graph import Edge
    from buildcheck.model.kinds import M2, Slot

#: Roots in the order they are drawn; lanes whose root nobody gives come last.
_ROOTS = {"cpu": "CPU", "cpu2": "second CPU", "switch": "PCIe switch", "chipset": "chipset"}
_UNKNOWN = "root not known"
_ROOT, _SLOT, _GUEST, _WIDTH = 8.0, 330.0, 560.0, 976.0
_ROOT_WIDTH, _SLOT_WIDTH, _ROW, _BOX = 170.0, 190.0, 36.0, 28.0
#: Thickness of a line for one lane.
_PER_LANE = 0.5


class Branch(NamedTuple):
    """A slot or socket with its root, its lanes as they come up, and who sits in it."""

    root: str
    label: str
    lanes: Interval | None
    gen: Interval | None
    guest: str
    most: Interval | None
    #: The card that lies over an empty slot, if one does.
    cover: str = ""
    is_socket: bool = False

    @property
    def made_for(self) -> str:
        """What it could carry."""
        return f"{_count(self.most, 'x')} {_count(self.gen, 'Gen')}"

    @property
    def runs_at(self) -> str:
        """What it carries here; a drive may be of an older generation than its socket."""
        gen = _count(self.gen, "Gen")
        return f"{_count(self.lanes, 'x')} {f'socket {gen}' if self.is_socket else gen}"

    @property
    def holds(self) -> str:
        """Who sits in it, or why nobody can."""
        return self.guest or (f"nothing, covered by {self.cover}" if self.cover else "nothing")


def lane_tree(report: Report) -> Drawing:
    """The tree of a build; without a picture where the board's slots are not known."""
    branches = _branches(report)
    table = Table(
        "Slots and sockets with their lanes",
        ("Slot", "Root", "Runs at", "Made for", "Holds"),
        tuple(
            (
                b.label,
                b.root,
                b.runs_at if b.guest else "none in use",
                b.made_for,
                b.holds,
            )
            for b in branches
        ),
    )
    if not report.graph.the("motherboard").value("slots"):
        why = "The slots of the motherboard are not known, so nothing can be said of lanes."
        return Drawing("lanes", "Lane tree", "", table, why_not=why)
    pen, y = Pen(), 10.0
    for root in (*_ROOTS.values(), _UNKNOWN):
        own = [b for b in branches if b.root == root]
        if own:
            y = _root(pen, report, root, own, y)
    return Drawing(
        "lanes",
        f"Lane tree of {report.name}",
        "Which slots and M.2 sockets get lanes from where, with width and generation in this "
        "arrangement, and what sits in each. The table says the same in words.",
        table,
        _WIDTH,
        y,
        tuple(pen.shapes),
        key=(("lane", "in use"), ("lane idle", "empty")),
    )


def _root(pen: Pen, report: Report, root: str, branches: list[Branch], y: float) -> float:
    height = len(branches) * _ROW - (_ROW - _BOX)
    pen.box(_ROOT, y, _ROOT_WIDTH, height, "node root")
    pen.write(_ROOT + 10, y + 18, root, "strong", room=_ROOT_WIDTH - 16)
    if root == _ROOTS["cpu"] and height > _BOX:
        pen.write(_ROOT + 10, y + 36, _lanes_of(report), "small", room=_ROOT_WIDTH - 16)
    for branch in branches:
        _branch(pen, branch, y)
        y += _ROW
    return y + 10


def _lanes_of(report: Report) -> str:
    used = report.facts("build.cpu_lanes_used")
    there = report.facts("cpu.all_lanes", report.graph.the("cpu"))
    if not (used and used.is_known):
        return "lanes not known"
    return f"{_count(used)} of {_count(there)} taken"


def _branch(pen: Pen, branch: Branch, y: float) -> None:
    middle = y + _BOX / 2
    lanes = branch.lanes.high if branch.lanes and branch.lanes.is_known else 0.0
    thick = max(1.0, lanes * _PER_LANE)
    style = "lane" if branch.guest else "lane idle"
    start = _ROOT + _ROOT_WIDTH
    pen.box(start, middle - thick / 2, _SLOT - start, thick, style)
    words = branch.runs_at if branch.guest else ""
    pen.write(start + 10, middle - thick / 2 - 3, words, "small", room=_SLOT - start - 14)
    pen.box(_SLOT, y, _SLOT_WIDTH, _BOX, "node slot" if branch.guest else "node slot idle")
    weight = "strong" if branch.guest else "small"
    pen.write(_SLOT + 8, y + 18, branch.label, weight, room=_SLOT_WIDTH - 14)
    if branch.guest:
        pen.line("wire", (_SLOT + _SLOT_WIDTH, middle), (_GUEST, middle))
        pen.box(_GUEST, y, _WIDTH - _GUEST - 8, _BOX, "node card")
        pen.write(_GUEST + 8, y + 18, branch.guest, "strong", room=_WIDTH - _GUEST - 24)
    else:
        why = f"covered by {branch.cover}" if branch.cover else "empty"
        pen.write(_GUEST, y + 18, f"{why}, made for {branch.made_for}", "small")


def _branches(report: Report) -> list[Branch]:
    board = report.graph.the("motherboard")
    slots, sockets = board.value("slots") or (), board.value("m2_slots") or ()
    seats = {e.data["slot"]: e for e in report.graph.edges if e.kind == "seated"}
    drives = {e.data["socket"]: e.start for e in _plugged(report)}
    found = [_of_slot(report, slot, seats.get(slot.label)) for slot in slots]
    found += [_of_socket(report, socket, drives.get(socket.label)) for socket in sockets]
    named = {socket.label for socket in sockets}
    return found + [_homeless(report, e) for e in _plugged(report) if e.data["socket"] not in named]


def _plugged(report: Report) -> list[Edge]:
    return [e for e in report.graph.edges if e.kind == "plugged"]


def _homeless(report: Report, edge: Edge) -> Branch:
    """A drive in a socket that is not known, or for which none is left."""
    label = edge.data["socket"] or "M.2 socket not known"
    drive = report.graph.subjects[edge.start]
    guest = f"{drive.id} {drive.name}"
    return Branch(_UNKNOWN, label, None, None, guest, None, is_socket=True)


def _of_slot(report: Report, slot: Slot, seat: Edge | None) -> Branch:
    root = _ROOTS.get(slot.owner or "", _UNKNOWN)
    if seat is None:
        cover = covered_openings(report).get(slot.position or 0, "")
        return Branch(root, slot.label, None, slot.gen, "", slot.lanes, cover)
    card = report.graph.subjects[seat.start]
    lanes, gen = (report.facts(f"{card.kind}.link_{n}", card) for n in ("lanes", "gen"))
    return Branch(root, slot.label, lanes, gen, f"{card.id} {card.name}", slot.lanes)


def _of_socket(report: Report, socket: M2, drive: str | None) -> Branch:
    root = _ROOTS.get(socket.owner or "", _UNKNOWN)
    guest = f"{drive} {report.graph.subjects[drive].name}" if drive else ""
    lanes = socket.lanes if drive else None
    return Branch(root, socket.label, lanes, socket.gen, guest, socket.lanes, is_socket=True)


def _count(value: Interval | None, sign: str = "") -> str:
    """Lanes or a generation: `x16`, `Gen4`, `x8..16`, or that nobody says."""
    if value is None or not value.is_known:
        return f"{sign}?"
    return f"{sign}{ends_text(value)}"
