"""Slots, thickness, length, and what the case has room for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.connect.seating import FULL_LENGTH, TOWERS, Spacing
from buildcheck.facts.registry import CODE, TRUTH, Ask, graph
from buildcheck.model.quantity import ANYTHING, ZERO, Interval, exact

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject


def seat(card: Subject, ask: Ask) -> dict[str, Any] | None:
    """The slot a card sits in, or None if none was found or the board has none known."""
    edges = ask.graph.out("seated", card)
    return edges[0].data if edges else None


@graph("gpu.is_on_riser", TRUTH)
def is_on_riser(card: Subject, ask: Ask) -> bool:
    """Does it hang on a riser cable instead of sitting in the board?"""
    return ask("gpu.riser", card) not in (None, False)


@graph("gpu.slot", CODE)
def slot(card: Subject, ask: Ask) -> Any:
    """Label of the slot it is assigned to."""
    found = seat(card, ask)
    return None if found is None else found["slot"]


def slot_reach(card: Subject, ask: Ask) -> Any:
    """The longest edge the card's slot takes, in lanes: any, if its end is open."""
    ask("motherboard.slots")
    found = seat(card, ask)
    if found is None:
        return None
    closed, is_open = float(found["mechanical"]), found["open_ended"]
    if is_open is None and closed < FULL_LENGTH:
        return Interval(closed, FULL_LENGTH)
    return exact(float(FULL_LENGTH) if is_open else closed)


@graph("addin.sits_in_short_slot", TRUTH)
def sits_in_short_slot(card: Subject, ask: Ask) -> bool:
    """Is its slot shorter than the longest edge there is? Not if its end is open."""
    reach = slot_reach(card, ask)
    return reach is not None and reach.low < FULL_LENGTH


graph("gpu.slot_reach", units.NUMBER)(slot_reach)
graph("addin.slot_reach", units.NUMBER)(slot_reach)


def spacing(ask: Ask) -> Spacing:
    """The constants of slots."""
    return Spacing(*(ask.number(f"standard.slot_{name}").low for name in Spacing._fields))


def covers(card: Subject, ask: Ask) -> Interval | None:
    """Bracket openings a graphics or another card needs."""
    thickness = ask(f"{card.kind}.thickness", card)
    if thickness is None:
        return None
    return Interval(*(float(spacing(ask).covers(t)) for t in (thickness.low, thickness.high)))


@graph("gpu.last_opening", units.NUMBER)
def last_opening(card: Subject, ask: Ask) -> Any:
    """The bracket position at which the card ends, counted from the CPU."""
    ask("motherboard.slots")
    found, taken = seat(card, ask), covers(card, ask)
    if found is None or found["position"] is None or taken is None:
        return None
    return exact(found["position"] - 1.0) + taken


@graph("gpu.has_card_below", TRUTH)
def has_card_below(card: Subject, ask: Ask) -> bool | None:
    """Is there another card on the side its cooler faces? None if slots are not known."""
    if ask("gpu.hangs", card):
        return False
    if ask.graph.out("above", card):
        return True
    others = [c for c in in_the_board(ask) if c.id != card.id]
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


def in_the_board(ask: Ask) -> list[Subject]:
    """The graphics cards that sit in the board itself, not on a riser or in a bracket."""
    return [c for c in ask.graph.of("gpu") if not ask("gpu.hangs", c)]


@graph("gpu.hangs", TRUTH)
def hangs(card: Subject, ask: Ask) -> bool:
    """Does it sit away from the board, on a riser or in a vertical bracket?"""
    return ask("gpu.is_on_riser", card) or ask("gpu.vertical", card) is True


@graph("build.seats_are_known", TRUTH)
def seats_are_known(build: Subject, ask: Ask) -> bool:  # noqa: ARG001 - a fact's signature
    """Does every card that sits in the board have a slot whose place is known?"""
    seats = [seat(card, ask) for card in in_the_board(ask)]
    return all(found is not None and found["position"] is not None for found in seats)


def board_spans(ask: Ask) -> float:
    """The most openings at which the board can have slots; without end if nothing bounds it.

    That is what boards of its form have. One of unknown form has slots behind the openings
    of its case at most, if that is a tower, desktop or cube.
    """
    spans, walled = ask("motherboard.openings"), ask("case.is_tower")
    if spans is None and walled:
        spans = ask("case.expansion_slots")
    return math.inf if spans is None else float(spans.high)


@graph("build.smallest_gap_at_best", units.LENGTH)
def smallest_gap_at_best(build: Subject, ask: Ask) -> Interval:
    """The tightest gap between neighbouring cards, or the most it can be on such a board.

    Where places are known it is the smallest gap there is. Elsewhere k cards on a board of
    B openings have B - 1 pitches between them at most, so the closest two have no more
    than the whole part of (B - 1) / (k - 1).
    """
    ask("motherboard.slots")
    cards = in_the_board(ask)
    if len(cards) < 2:  # noqa: PLR2004 - a gap is between two
        return ANYTHING
    if ask("build.seats_are_known", build):
        gaps = [ask.number("gpu.gap", c) for c in cards if ask.graph.out("above", c)]
        return Interval(min(g.low for g in gaps), min(g.high for g in gaps))
    spans = board_spans(ask)
    if math.isinf(spans):
        return ANYTHING
    pitches = exact(float((spans - 1) // (len(cards) - 1)))
    thinnest = exact(min(ask.number("gpu.thickness", c).low for c in cards))
    most = pitches * ask.number("standard.slot_pitch") - thinnest
    return Interval(-math.inf, most.high)


@graph("case.is_open", TRUTH)
def is_open(case: Subject, ask: Ask) -> bool | None:
    """Is it an open frame, without walls to hit?"""
    kind = ask("case.kind", case)
    return None if kind is None else kind == "open frame"


@graph("case.is_listed", TRUTH)
def case_is_listed(case: Subject, ask: Ask) -> bool:  # noqa: ARG001 - a fact's signature
    """Does the build name a case?"""
    return case.listed


@graph("motherboard.states_slots", TRUTH)
def states_slots(board: Subject, ask: Ask) -> bool:  # noqa: ARG001 - a fact's signature
    """Are its slots known, beyond where the build file pins cards?"""
    return board.value("slots") is not None


@graph("gpu.is_lowest", TRUTH)
def is_lowest(card: Subject, ask: Ask) -> bool | None:
    """Is it the card in the board that is farthest from the CPU?"""
    if ask("gpu.hangs", card):
        return False
    below = ask("gpu.has_card_below", card)
    return None if below is None else not below and ask("gpu.is_seated", card)


@graph("case.is_shrouded", TRUTH)
def is_shrouded(case: Subject, ask: Ask) -> bool | None:
    """Is there a shroud or floor right below its last opening?"""
    if ask("case.shroud_gap", case) is not None:
        return True
    shroud: bool | None = ask("case.psu_shroud", case)
    return shroud


@graph("gpu.room_below", units.LENGTH)
def room_below(card: Subject, ask: Ask) -> Any:
    """Free air between the lowest card and the shroud or floor of the case.

    A shroud whose distance nobody gives begins where the openings end.
    """
    last, openings = ask("gpu.last_opening", card), ask("case.expansion_slots")
    if last is None or openings is None:
        return ANYTHING
    gap = ask("case.shroud_gap") or ZERO
    return (openings - last) * ask.number("standard.slot_pitch") + gap


@graph("motherboard.lower_edge", units.NUMBER)
def lower_edge(board: Subject, ask: Ask) -> Any:
    """The opening at which the board ends, at the least, counted from the CPU."""
    slots, spans = ask("motherboard.slots", board), ask("motherboard.openings", board)
    places = [float(s.position) for s in slots or () if s.position]
    ends = places + ([spans.low] if spans is not None else [])
    return exact(max(ends)) if ends else None


@graph("gpu.thinnest", units.LENGTH)
def thinnest(card: Subject, ask: Ask) -> Any:
    """How thick it is at the least, where several cards go by its name."""
    thickness = ask("gpu.thickness", card)
    return None if thickness is None else exact(thickness.low)


@graph("gpu.is_vertical", TRUTH)
def is_vertical(card: Subject, ask: Ask) -> bool:
    """Does the build put it into a vertical bracket?"""
    return ask("gpu.vertical", card) is True


@graph("case.is_tower", TRUTH)
def is_tower(case: Subject, ask: Ask) -> bool | None:
    """Is it a tower, desktop or cube, with openings in its rear wall alone?"""
    kind = ask("case.kind", case)
    return None if kind is None else kind in TOWERS
