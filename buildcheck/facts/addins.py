"""Add-in GPUs: their slot, and whether it carries what they need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.registry import CODES, TRUTH, Ask, graph
from buildcheck.facts.space import in_the_board, seat
from buildcheck.logic.quantity import least

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject


@graph("addin.link_lanes", units.NUMBER)
def link_lanes(card: Subject, ask: Ask) -> Any:
    """Lanes between it and the machine."""
    ask("motherboard.slots")
    found = seat(card, ask)
    return None if found is None else least([found["lanes"], ask("addin.pcie_lanes", card)])


@graph("addin.slot_bifurcation", CODES)
def slot_bifurcation(card: Subject, ask: Ask) -> Any:
    """Ways its slot can be split."""
    ask("motherboard.slots")
    found = seat(card, ask)
    return None if found is None else found["bifurcation"]


@graph("addin.has_slot", TRUTH)
def addin_has_slot(card: Subject, ask: Ask) -> bool | None:
    """Is a slot left for it that no GPU covers? None if slot positions are not listed.

    False if the search finds no place for it with all GPUs that fit; None then if the board has
    slots that are not listed or the search was cut short.
    """
    if ask("motherboard.slots") is None:
        return None
    found, cards = seat(card, ask), in_the_board(ask)
    if found is None:
        (placed,) = ask.graph.out("placed", ask.graph.the("build"))
        more = ask("motherboard.more_slots") or placed.data["may_seat_more"]
        return None if more else False
    places = found["position"] is not None and ask("build.placement_is_known")
    sizes = [ask("gpu.thickness", c) for c in cards]
    return True if not cards or (places and None not in sizes) else None
