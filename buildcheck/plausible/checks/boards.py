"""Do a motherboard's slots and lanes go together, and with its socket? And an add-in card's?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.model.quantity import number_text
from buildcheck.plausible.checks.sockets import sockets
from buildcheck.plausible.look import count_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.plausible.look import Checks, Doubt, Look

CONNECTOR_LENGTHS = (1, 4, 8, 16)
#: PCI Express Card Electromechanical Specification: widths of links.
_LINKS = (1, 2, 4, 8, 16)
#: PCI Express Base Specification: GB/s of one lane and direction by generation, coding included.
LANE_RATE = {1: 0.25, 2: 0.5, 3: 0.985, 4: 1.969, 5: 3.938, 6: 7.563}
#: Cards with two ports are sold that fill their link with one, the other as a spare.
MOST_PORTS = 2


def board_socket(look: Look) -> Iterator[Doubt]:
    """Memory and chipset are those of the socket."""
    found = sockets(look.catalog).get(look.of("socket") or "")
    if found is None:
        return
    for field, known in (("memory_generation", found.generations), ("chipset", found.chipsets)):
        value = look.of(field)
        if value is not None and known and value not in known:
            message = f"{value} does not go with the socket {look.of('socket')}"
            yield look.doubt(field, message, f"With it go: {', '.join(sorted(known))}")


def board_places(look: Look) -> Iterator[Doubt]:
    """Slots are in order, each with its own position and label."""
    slots = look.of("slots") or ()
    labels = [s.label for s in slots]
    twice = sorted({x for x in labels if labels.count(x) > 1})
    if twice:
        message = f"more than one slot is called {', '.join(twice)}"
        yield look.doubt("slots", message, "Give each slot the label printed on the board")
    apart = look.of("slot_positions") or {}
    for lost in sorted(set(apart) - set(labels)):
        message = f"there is no slot {lost} to be at a position"
        yield look.doubt("slot_positions", message, f"Slots: {', '.join(labels)}")
    found = (s.position or (int(apart[s.label].low) if s.label in apart else None) for s in slots)
    places = [place for place in found if place is not None]
    if places != sorted(set(places)):
        message = f"positions {', '.join(map(str, places))} are not in order, each once"
        yield look.doubt("slots", message, "List slots from the CPU on, each at its own position")
    openings = look.of("openings")
    if places and openings is not None and max(places) > openings.high:
        shown = look.text("openings")
        message = f"a slot stands at position {max(places)} of a board that spans {shown}"
        yield look.doubt("slots", message, "Check the positions and the form factor")


def board_widths(look: Look) -> Iterator[Doubt]:
    """No slot has more lanes than contacts, nor a width that links do not have."""
    for slot in look.of("slots") or ():
        if slot.mechanical not in CONNECTOR_LENGTHS:
            message = f"{slot.label} has a connector of {slot.mechanical} lanes"
            yield look.doubt("slots", message, "Connectors have 1, 4, 8 or 16 lanes")
        if slot.lanes is None:
            continue
        if slot.lanes.high > slot.mechanical:
            message = (
                f"{slot.label} has {count_text(slot.lanes)} lanes on {slot.mechanical} contacts"
            )
            yield look.doubt("slots", message, "Check whether the two are mixed up")
        if not {slot.lanes.low, slot.lanes.high} <= {0, *_LINKS}:
            message = f"{slot.label} has {count_text(slot.lanes)} lanes"
            yield look.doubt("slots", message, "Links are x1, x2, x4, x8 or x16")


def board_lanes(look: Look) -> Iterator[Doubt]:
    """Slots of one CPU have the lanes it has, unless something says how they share them."""
    found = sockets(look.catalog).get(look.of("socket") or "")
    slots, fact = look.of("slots"), look.part.facts.get("slots")
    shared = look.of("lane_modes") or look.of("switches")
    if not (found and found.lanes and slots and fact) or shared or "share" in fact.note:
        return
    for owner in ("cpu", "cpu2"):
        least = sum(s.lanes.low for s in slots if s.owner == owner and s.lanes is not None)
        if least > found.lanes:
            message = (
                f"its slots have {number_text(least)} lanes of the {owner.upper()}, and "
                f"{look.of('socket')} has {number_text(found.lanes)}"
            )
            yield look.doubt("slots", message, "State lane_modes, or a range of lanes with a note")


def board_modes(look: Look) -> Iterator[Doubt]:
    """Lane modes speak of the slots there are, and give none more than it has."""
    by_label = {s.label: s for s in look.of("slots") or ()}
    for mode in look.of("lane_modes") or ():
        unknown = sorted({*mode.populate, *mode.lanes} - set(by_label))
        if unknown:
            message = f"there is no slot {', '.join(unknown)}"
            yield look.doubt("lane_modes", message, f"Slots: {', '.join(by_label)}")
        for label, lanes in mode.lanes.items():
            slot = by_label.get(label)
            if slot is not None and slot.lanes is not None and lanes.high > slot.lanes.high:
                message = f"{label} gets {count_text(lanes)} lanes and has {count_text(slot.lanes)}"
                yield look.doubt("lane_modes", message, "Check the mode and the slot")


def add_in_card(look: Look) -> Iterator[Doubt]:
    """Its link carries its rate, and its edge has the lanes it splits."""
    rate, lanes, gen = map(look.of, ("rate", "pcie_lanes", "pcie_gen"))
    if None not in (rate, lanes, gen) and gen.high in LANE_RATE:
        link = lanes.high * LANE_RATE[int(gen.high)]
        if rate.low > MOST_PORTS * link:
            message = f"{look.text('rate')} is far more than its link carries, {link:.3g} GB/s"
            yield look.doubt("rate", message, "Check bits and bytes, lanes and generation")
    split, edge = look.of("needs_bifurcation"), look.of("edge")
    if split is not None and edge is not None:
        parts = [p.strip().removeprefix("x") for p in split.split("/")]
        if not all(p.isdigit() for p in parts) or sum(map(int, parts)) > edge.high:
            message = f"{split} does not go into an edge of {look.text('edge')} lanes"
            yield look.doubt("needs_bifurcation", message, "Write it like x4/x4/x4/x4")


CHECKS: Checks = {
    "add-in-card": (add_in_card,),
    "motherboard": (board_socket, board_places, board_widths, board_lanes, board_modes),
}
