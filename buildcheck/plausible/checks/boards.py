"""Do a motherboard's slots, lanes and memory go together, and with its socket?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.model.quantity import number_text
from buildcheck.plausible.checks.sockets import sockets
from buildcheck.plausible.limits import LINKS
from buildcheck.plausible.look import count_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.plausible.look import Doubt, Look

CONNECTOR_LENGTHS = (1, 4, 8, 16)


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
    places = [s.position for s in slots if s.position is not None]
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
        if not {slot.lanes.low, slot.lanes.high} <= {0, *LINKS}:
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


def board_memory(look: Look) -> Iterator[Doubt]:
    """All slots filled with the largest modules hold what the board takes."""
    slots, module, most = map(look.of, ("memory_slots", "module_max", "memory_max"))
    if None not in (slots, module, most) and most.low > slots.high * module.high:
        message = f"{look.text('memory_max')} is more than all its slots hold"
        yield look.doubt("memory_max", message, "Check memory_slots and module_max")
