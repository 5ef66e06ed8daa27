"""Slots, thickness, length, and what the case has room for."""

import math
from typing import Any

from buildcheck import units
from buildcheck.connect.seating import Spacing
from buildcheck.facts.registry import CODE, TRUTH, Ask, graph
from buildcheck.logic.quantity import ANYTHING, Interval, exact, least
from buildcheck.model.graph import Subject


def seat(card: Subject, ask: Ask) -> dict[str, Any] | None:
    """The slot assigned to a GPU or add-in card; None if there is none."""
    edges = ask.graph.out("seated", card)
    return edges[0].data if edges else None


@graph("gpu.slot_name", CODE)
@graph("addin.slot_name", CODE)
def slot_name(card: Subject, ask: Ask) -> str | None:
    """Its slot for a sentence: `slot PCIE1`, `x16 slot 2`."""
    label = ask(f"{card.kind}.slot", card)
    return label if label is None or "slot" in label.lower() else f"slot {label}"


@graph("gpu.has_card_below", TRUTH)
def has_card_below(card: Subject, ask: Ask) -> bool | None:
    """Is there another GPU on the side its cooler faces? None if slots are not known."""
    if ask("gpu.is_riser_mounted", card):
        return False
    if below := ask.graph.ends("above", card):
        # That no riser is listed is no proof that both are in the board.
        mounted = [ask("gpu.is_riser_mounted", one) for one in (card, *below)]
        return None if None in mounted else True
    others = [c for c in in_the_board(ask) if c.id != card.id]
    found, slots = seat(card, ask), ask("motherboard.slots")
    if not others or (found is None and slots is not None):
        return False
    return None if found is None or found["position"] is None else False


@graph("gpu.gap", units.LENGTH)
def gap(card: Subject, ask: Ask) -> Any:
    """Free air between its cooler and the next GPU."""
    ask("motherboard.slots")
    thickness = ask("gpu.thickness", card)
    below, found = ask.graph.out("above", card), seat(card, ask)
    end = ask("build._end_at_worst", ask.graph.the("build"))
    if thickness and found and found["position"] is None and math.isfinite(end.low):
        # As close as they can sit, which is no closer than they fit.
        slots = Spacing(*(ask.number(f"standard.slot_{n}").low for n in Spacing._fields))
        least = slots.covers(thickness.low) * slots.pitch - thickness.low
        tightest = slots.clearance - slots.tolerance
        return Interval(least if thickness.is_exact else tightest, math.inf)
    if not below or thickness is None:
        return ANYTHING
    return exact(below[0].data["pitches"]) * ask.number("standard.slot_pitch") - thickness


def in_the_board(ask: Ask) -> list[Subject]:
    """The GPUs in the board itself, not on a riser or in a vertical bracket."""
    return [c for c in ask.graph.of("card") if not ask("gpu.is_riser_mounted", c)]


def board_spans(ask: Ask) -> float:
    """The most slot positions the board can have; infinite if nothing bounds it.

    That is what boards of its form have. One of unknown form has at most the expansion slots
    of its case, if that is a tower, desktop or cube.
    """
    spans, walled = ask("motherboard.openings"), ask("case.is_tower")
    if spans is None and walled:
        spans = ask("case.expansion_slots")
    return math.inf if spans is None else float(spans.high)


@graph("build.smallest_gap_at_best", units.LENGTH)
def smallest_gap_at_best(build: Subject, ask: Ask) -> Interval:
    """The tightest gap between neighbouring GPUs, or the most it can be on such a board.

    Where slot positions are listed it is the smallest gap. Elsewhere k GPUs on a board of
    B positions have B - 1 pitches between them at most, so the closest two have no more
    than the whole part of (B - 1) / (k - 1).
    """
    ask("motherboard.slots")
    cards = in_the_board(ask)
    if len(cards) < 2:  # noqa: PLR2004 - a gap is between two
        return ANYTHING
    if ask("build.placement_is_known", build):
        gaps = [ask.number("gpu.gap", c) for c in cards if ask.graph.out("above", c)]
        return least(gaps) or ANYTHING
    spans = board_spans(ask)
    if math.isinf(spans):
        return ANYTHING
    pitches = exact(float((spans - 1) // (len(cards) - 1)))
    thinnest = exact(min(ask.number("gpu.thickness", c).low for c in cards))
    most = pitches * ask.number("standard.slot_pitch") - thinnest
    return Interval(-math.inf, most.high)


@graph("motherboard.lower_edge", units.NUMBER)
def lower_edge(board: Subject, ask: Ask) -> Any:
    """The expansion slot at which the board ends, counted from the CPU; at least its last one."""
    slots, spans = ask("motherboard.slots", board), ask("motherboard.openings", board)
    last = max((s.position for s in slots or () if s.position), default=0)
    if spans is None:
        return exact(float(last)) if last else None
    return Interval(max(last, spans.low), max(last, spans.high))
