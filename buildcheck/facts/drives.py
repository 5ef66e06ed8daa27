"""Drives: their sockets, and what they take from slots and ports."""

import math
from typing import Any

from buildcheck import units
from buildcheck.connect.lanes import Lanes, Wiring, takes, works
from buildcheck.facts.registry import CODE, Ask, graph
from buildcheck.facts.space import seat
from buildcheck.logic.quantity import UNKNOWN, ZERO, Interval, exact, least
from buildcheck.logic.quantity import total as add_up
from buildcheck.model.board import M2, SATA
from buildcheck.model.graph import Subject


def _of_form(ask: Ask, form: str) -> list[Subject]:
    """Listed drives known to be of a form."""
    drives = [s for s in ask.graph.of("storage") if s.listed]
    return [s for s in drives if ask("storage.form", s) == form]


def _used(ask: Ask) -> list[tuple[Subject, M2]]:
    """M.2 drives and the sockets they are in, where the board's sockets are known."""
    sockets = {s.label: s for s in ask("motherboard.m2_slots") or ()}
    plugged = [(d, ask.graph.out("plugged", d)) for d in _of_form(ask, "m.2")]
    labels = [(drive, edges[0].data["socket"]) for drive, edges in plugged if edges]
    return [(drive, sockets[label]) for drive, label in labels if label in sockets]


def _without_drives(ask: Ask) -> Lanes | None:
    """The board's lanes with no drive in it."""
    slots = ask("motherboard.slots")
    if slots is None:
        return None
    cpu = ask.graph.the("cpu")
    wiring = Wiring(
        slots,
        modes=ask("motherboard.lane_modes") or (),
        cpu_lanes=ask("cpu.pcie_lanes"),
        all_lanes=ask("cpu.all_lanes"),
        graphics=ask("cpu.graphics_lanes"),
        cpus=cpu.count if cpu.listed else None,
        split_least=ask.number("standard.split_least").low,
    )
    return Lanes(wiring)


def _populated(ask: Ask) -> frozenset[str]:
    """Labels of the slots that hold cards."""
    board = ask.graph.the("motherboard")
    return frozenset(e.data["slot"] for e in ask.graph.into("seated", board))


@graph("gpu.lanes_taken_by_drives", units.NUMBER)
def lanes_taken_by_drives(card: Subject, ask: Ask) -> Interval:
    """Lanes its slot loses to the M.2 drives in their sockets."""
    found = seat(card, ask)
    if not _of_form(ask, "m.2") or found is None:
        return ZERO
    if ask("motherboard.m2_slots") is None:
        return UNKNOWN
    label, taken = found["slot"], [s.slot_lanes or {} for _, s in _used(ask)]
    limits = [lanes[label] for lanes in taken if label in lanes]
    lanes, used = _without_drives(ask), _populated(ask)
    if not limits or lanes is None or not used <= set(lanes.slots):
        return ZERO
    whole = lanes.of(used)[label]
    left = least(limits) or UNKNOWN
    return Interval(max(0.0, whole.low - left.high), max(0.0, whole.high - left.low))


@graph("gpu.narrowing_socket", CODE)
def narrowing_socket(card: Subject, ask: Ask) -> str:
    """M.2 sockets in use that take lanes from its slot."""
    found = seat(card, ask)
    label = None if found is None else found["slot"]
    return ", ".join(s.label for _, s in _used(ask) if label in (s.slot_lanes or {})) or "none"


@graph("gpu.why_dead", CODE)
def why_dead(card: Subject, ask: Ask) -> str:
    """Why its slot has no lanes; "nothing" if it has any."""
    found = seat(card, ask)
    if found is None or found["lanes"] is None or found["lanes"].high > 0:
        return "nothing"
    if found["owner"] == "cpu2" and ask.graph.the("cpu").count < 2:  # noqa: PLR2004 - the second
        return "the second CPU is missing"
    lanes, used = _without_drives(ask), _populated(ask)
    if lanes is None or not used <= set(lanes.slots):
        return "no lanes are wired to it"
    if lanes.of(used)[found["slot"]].high > 0:
        return f"an M.2 drive in {ask('gpu.narrowing_socket', card)} takes its lanes"
    larger = Lanes(lanes.wiring._replace(cpu_lanes=None, all_lanes=None, graphics=None))
    if larger.of(used)[found["slot"]].high > 0:
        return "the CPU has too few lanes"
    alone = lanes.of(frozenset([found["slot"]]))[found["slot"]]
    return "cards in other slots take its lanes" if alone.high > 0 else "no lanes are wired to it"


@graph("motherboard.m2_sockets", units.NUMBER)
def m2_sockets(board: Subject, ask: Ask) -> Any:
    """M.2 sockets of the board that work with the CPU."""
    sockets = _working(board, ask)
    return ask("motherboard.m2_count", board) if sockets is None else exact(float(len(sockets)))


def _working(board: Subject, ask: Ask) -> list[M2] | None:
    """The sockets that the CPU may have lanes for."""
    sockets = ask("motherboard.m2_slots", board)
    if sockets is None or all(socket.cpu_lanes is None for socket in sockets):
        return None if sockets is None else list(sockets)
    lanes = ask("cpu.pcie_lanes")
    return [socket for socket in sockets if works(socket, lanes)]


@graph("motherboard.m2_sata_sockets", units.NUMBER)
def m2_sata_sockets(board: Subject, ask: Ask) -> Any:
    """M.2 sockets that take drives with SATA; one of which that is not known may."""
    sockets = _working(board, ask)
    if sockets is None:
        return None
    said = [takes(socket, SATA) for socket in sockets]
    return Interval(float(said.count(True)), float(len(said) - said.count(False)))


@graph("build.drive_lanes", units.NUMBER)
def drive_lanes(build: Subject, ask: Ask) -> Interval:
    """CPU lanes of the drives.

    M.2 drives take those of their sockets; in sockets that share with a slot they count there.
    Any other drive with lanes may have them from the CPU or from the chipset, or has them from
    the CPU if there is nothing else: where all slots a card could be in are the CPU's.
    """
    sockets = {drive.id: socket for drive, socket in _used(ask)}
    drives = [s for s in ask.graph.of("storage") if s.listed]
    return add_up([_from_cpu(d, sockets.get(d.id), ask) for d in drives])


def _from_cpu(drive: Subject, socket: M2 | None, ask: Ask) -> Interval:
    """CPU lanes of one drive."""
    if ask("storage.form", drive) == "sata" or (
        socket is not None and (socket.slot_lanes or socket.owner == "chipset")
    ):
        return ZERO
    wide = UNKNOWN if socket is None or socket.lanes is None else socket.lanes
    lanes = min(wide, ask.number("storage.pcie_lanes", drive), key=lambda n: n.high)
    known = socket is not None and socket.owner in ("cpu", "cpu2")
    if not known and ask("storage.form", drive) == "card":
        # In whatever slot it is: all may be connected to a CPU.
        owners = {slot.owner for slot in ask("motherboard.slots") or ()}
        known = bool(owners) and owners <= {"cpu", "cpu2"}
    return lanes if known else Interval(0.0, lanes.high)


@graph("motherboard.slots_left", units.NUMBER)
def slots_left(board: Subject, ask: Ask) -> Any:
    """Slots that no card is in or covers, in the arrangement found.

    A card covers as many openings as it is thick; where its place or size is not known it may
    cover any slot.
    """
    slots = ask("motherboard.slots", board)
    if slots is None:
        return None
    cards = [*ask.graph.of("card"), *ask.graph.of("addin")]
    seats = [(card, found) for card in cards if (found := seat(card, ask)) is not None]
    full = {found["slot"] for _, found in seats}
    empty = [s for s in slots if s.connector is None and s.label not in full]
    ends = [[_span(card, found, ask, end) for card, found in seats] for end in ("low", "high")]
    if not all(s.position for s in empty):
        return Interval(0.0, float(len(empty)))
    free = (sum(not any(a <= s.position < b for a, b in spans) for s in empty) for spans in ends)
    return Interval(*sorted(map(float, free)))


def _span(card: Subject, found: dict[str, Any], ask: Ask, end: str) -> tuple[float, float]:
    """Openings a seated card covers, from and up to, at one end of what is known."""
    place, taken = found["position"], ask(f"{card.kind}._covers", card)
    if card.kind == "gpu" and ask("gpu.is_riser_mounted", card):
        return (0.0, 0.0)
    if place is None or taken is None:
        thin = card.kind == "addin"
        return (0.0, 0.0 if end == "low" or thin else math.inf)
    return (float(place), place + getattr(taken, end))


@graph("motherboard.sata_ports_left", units.NUMBER)
def sata_ports_left(board: Subject, ask: Ask) -> Any:
    """SATA ports that still work with the M.2 drives in their sockets."""
    ports = ask("motherboard.sata_ports", board)
    if ports is None:
        return None
    lost = add_up([socket.sata_lost or ZERO for _, socket in _used(ask)])
    return Interval(max(0.0, ports.low - lost.high), max(0.0, ports.high - lost.low))
