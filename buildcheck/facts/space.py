"""Slots, thickness, length, and what the case has room for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.connect.seating import Spacing
from buildcheck.connect.slots import FULL_LENGTH
from buildcheck.facts.registry import CODE, TRUTH, Ask, graph
from buildcheck.model.quantity import ANYTHING, Interval, exact

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject


def seat(card: Subject, ask: Ask) -> dict[str, Any] | None:
    """The slot a card sits in, or None if none was found or the board has none known."""
    edges = ask.graph.out("seated", card)
    return edges[0].data if edges else None


@graph("build.cards_without_slot", units.NUMBER)
def cards_without_slot(build: Subject, ask: Ask) -> Any:
    """Cards that no arrangement seats clear of the others, as far as there are slots."""
    ask("motherboard.slots")
    for card in ask.graph.of("gpu"):
        ask("gpu.thickness", card)
    placed = ask.graph.out("placed", build)
    if not placed:
        return None
    left: Interval = placed[0].data["left_over"]
    slots = ask("motherboard.long_slots")
    # Cards beyond the number of slots are another matter than cards in each other's way.
    surplus = 0.0 if slots is None else max(0.0, len(ask.graph.of("gpu")) - slots.low)
    return Interval(max(0.0, left.low - surplus), max(0.0, left.high - surplus))


@graph("gpu.is_on_riser", TRUTH)
def is_on_riser(card: Subject, ask: Ask) -> bool:
    """Does it hang on a riser cable instead of sitting in the board?"""
    return ask("gpu.riser", card) not in (None, False)


@graph("gpu.slot", CODE)
def slot(card: Subject, ask: Ask) -> Any:
    """Label of the slot it is assigned to."""
    found = seat(card, ask)
    return None if found is None else found["slot"]


@graph("gpu.slot_length", units.NUMBER)
def slot_length(card: Subject, ask: Ask) -> Any:
    """Length of the slot's connector, in lanes."""
    ask("motherboard.slots")
    found = seat(card, ask)
    return None if found is None else exact(float(found["mechanical"]))


def _covers(card: Subject, ask: Ask) -> Interval | None:
    """Bracket positions the card needs."""
    thickness = ask("gpu.thickness", card)
    if thickness is None:
        return None
    spacing = Spacing(*(ask.number(f"standard.slot_{name}").low for name in Spacing._fields))
    return Interval(float(spacing.covers(thickness.low)), float(spacing.covers(thickness.high)))


@graph("gpu.last_opening", units.NUMBER)
def last_opening(card: Subject, ask: Ask) -> Any:
    """The bracket position at which the card ends, counted from the CPU."""
    ask("motherboard.slots")
    found, covers = seat(card, ask), _covers(card, ask)
    if found is None or found["position"] is None or covers is None:
        return None
    return exact(found["position"] - 1.0) + covers


@graph("gpu.has_card_below", TRUTH)
def has_card_below(card: Subject, ask: Ask) -> bool | None:
    """Is there another card on the side its cooler faces? None if slots are not known."""
    if ask("gpu.is_on_riser", card):
        return False
    if ask.graph.out("above", card):
        return True
    others = [c for c in ask.graph.of("gpu") if c.id != card.id and not ask("gpu.is_on_riser", c)]
    found = seat(card, ask)
    slots = ask("motherboard.slots")
    if not others or (found is None and slots is not None):
        return False
    return None if found is None or found["position"] is None else False


@graph("gpu.gap", units.LENGTH)
def gap(card: Subject, ask: Ask) -> Any:
    """Free air between its cooler and the next card."""
    ask("motherboard.slots")
    thickness = ask("gpu.thickness", card)
    below = ask.graph.out("above", card)
    if not below or thickness is None:
        return ANYTHING
    return exact(below[0].data["pitches"]) * ask.number("standard.slot_pitch") - thickness


@graph("case.is_open", TRUTH)
def is_open(case: Subject, ask: Ask) -> bool | None:
    """Is it an open frame, without walls to hit?"""
    kind = ask("case.kind", case)
    return None if kind is None else kind == "open frame"


@graph("case.is_listed", TRUTH)
def case_is_listed(case: Subject, ask: Ask) -> bool:  # noqa: ARG001 - a fact's signature
    """Does the build name a case?"""
    return case.listed


@graph("build.cards_on_risers", units.NUMBER)
def cards_on_risers(build: Subject, ask: Ask) -> Interval:  # noqa: ARG001 - a fact's signature
    """Cards that hang on risers."""
    return exact(float(sum(ask("gpu.is_on_riser", card) for card in ask.graph.of("gpu"))))


@graph("build.risers", units.NUMBER)
def risers(build: Subject, ask: Ask) -> Interval:  # noqa: ARG001 - a fact's signature
    """Risers listed."""
    return exact(float(len(ask.graph.of("riser"))))


@graph("build.lists_risers", TRUTH)
def lists_risers(build: Subject, ask: Ask) -> bool:  # noqa: ARG001 - a fact's signature
    """Does the build list any riser?"""
    return bool(ask.graph.of("riser"))


@graph("motherboard.long_slots", units.NUMBER)
def long_slots(board: Subject, ask: Ask) -> Any:
    """Full-length slots on the board."""
    slots = ask("motherboard.slots", board)
    return None if slots is None else exact(float(sum(s.mechanical >= FULL_LENGTH for s in slots)))
