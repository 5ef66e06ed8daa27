"""NVLink bridges and copies between GPUs."""

from itertools import product
from typing import Any

from buildcheck import units
from buildcheck.facts.registry import CODE, TRUTH, Ask, graph
from buildcheck.facts.space import seat
from buildcheck.logic.interval import either
from buildcheck.logic.quantity import exact
from buildcheck.model.graph import Subject

_PAIR = 2
_NONE = "none"


def _pair(bridge: Subject, ask: Ask) -> list[Subject]:
    """The two GPUs it joins; none if it is a spare, or a second bridge of one pair."""
    joined = ask.graph.ends("joins", bridge)
    return joined if len(joined) == _PAIR else []


@graph("gpu.model", CODE)
def model(card: Subject, ask: Ask) -> str | None:
    """The name of its chip, or its own where it is of no other maker."""
    return ask("gpu.chip", card) or (card.name if card.part else None)


@graph("bridge.joins_like_cards", TRUTH)
def joins_like_cards(bridge: Subject, ask: Ask) -> bool | None:
    """Are the two GPUs of one model, or at least of one chip?"""
    cards = _pair(bridge, ask)
    if len({card.path for card in cards}) == 1:
        # Two of one entry of the build file.
        return True
    models = [ask("gpu.model", card) for card in cards]
    if None in models or not models:
        return None
    one, other = map(str, models)
    # A GPU of no maker goes by its chip's name, in full or short.
    return one.endswith(other) or other.endswith(one)


@graph("bridge.joined_cards", CODE)
def joined_cards(bridge: Subject, ask: Ask) -> Any:
    """The cards it joins, by id."""
    return " and ".join(card.id for card in ask.graph.ends("joins", bridge)) or None


#: Edges of GPUs that have several of them, for several bridges of a pair.
_SEVERAL_EDGES = frozenset({"volta", "ampere data-centre", "hopper"})


@graph("bridge.has_edges_of_its_own", TRUTH)
def has_edges_of_its_own(bridge: Subject, ask: Ask) -> bool | None:
    """Is it the only bridge on each of its GPUs that have one NVLink edge?"""
    mine = _pair(bridge, ask)
    taken = {c.id for b in ask.graph.of("bridge") if b.id != bridge.id for c in _pair(b, ask)}
    edges = (ask("gpu.nvlink", card) for card in mine if card.id in taken)
    # A single edge is filled by one bridge.
    shared = either([None if e is None else e not in (_NONE, *_SEVERAL_EDGES) for e in edges])
    return None if shared is None else not shared


@graph("bridge.distance", units.NUMBER)
def distance(bridge: Subject, ask: Ask) -> Any:
    """Slots from one of its GPUs to the other.

    Where the slot assignment has another distance, the build does not pin the GPUs, and the
    board has a pair of long slots at the bridge's, they may be moved: the distance is a range.
    """
    slots, spacing = ask("motherboard.slots"), ask("bridge.spacing", bridge)
    seats = [s for s in (seat(card, ask) for card in _pair(bridge, ask)) if s is not None]
    places = [s["position"] for s in seats if s["position"] is not None]
    if len(places) < _PAIR:
        return None
    now = exact(float(abs(places[0] - places[1])))
    if spacing is None or now == spacing:
        return now
    where = [
        s.position for s in slots or () if s.position and s.mechanical >= seats[0]["mechanical"]
    ]
    choices = [[s["position"]] if s["pinned"] else where for s in seats]
    apart = {float(abs(a - b)) for a, b in product(*choices)}
    return now.hull(spacing) if apart & {spacing.low, spacing.high} else now
