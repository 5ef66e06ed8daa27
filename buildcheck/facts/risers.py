"""Risers: what they carry, what feeds their slots, and which slots cards start in."""

import math
from typing import Any

from buildcheck import units
from buildcheck.connect.seating import FULL_LENGTH
from buildcheck.connect.slots import may_be_cabled, riser_edge, room_outside
from buildcheck.facts.plugs import unfed
from buildcheck.facts.registry import Ask, graph
from buildcheck.logic.quantity import ONE, ZERO, Interval, exact
from buildcheck.model.board import is_socket
from buildcheck.model.graph import Subject


def _limit(name: str, of: str) -> None:
    """Declare a limit that every listed riser sets on a riser-mounted GPU; None if none states it.

    Which riser a GPU is on is not stated, so each may be the one; an unstated limit is none.
    """

    @graph(name, units.NUMBER)
    def limit(card: Subject, ask: Ask) -> Any:
        given = [ask(of, r) for r in ask.graph.of("riser")] if ask("gpu.is_on_riser", card) else []
        known = [k for k in given if k is not None]
        if not known:
            return None
        highest = math.inf if None in given else max(k.high for k in known)
        return Interval(min(k.low for k in known), highest)


_limit("gpu._riser_gen", "riser.gen")
_limit("gpu.riser_lanes", "riser._lanes")


@graph("riser.plugs_without_cable", units.NUMBER)
def riser_plugs_without_cable(riser: Subject, ask: Ask) -> Any:
    """Its sockets for which its PSU has no cable left."""
    if not (cabled := ask.graph.into("cabled", riser)):
        return None
    ask("psu.plugs", ask.graph.subjects[cabled[0].start])
    return unfed(cabled[0], ask, ONE)


def _chain(riser: Subject, ask: Ask) -> int:
    """Risers on its PSU cable; without a PSU, every one listed as chained."""
    if not (cabled := ask.graph.into("cabled", riser)):
        return sum(ask("riser.is_chained", r) for r in ask.graph.of("riser"))
    first, psu = cabled[0].data.get("chain"), ask.graph.subjects[cabled[0].start]
    return sum(e.data.get("chain") == first for e in ask.graph.out("cabled", psu)) if first else 1


# Risers that share its PSU cable, itself included.
graph("riser.chain_count", units.NUMBER)(lambda riser, ask: exact(float(_chain(riser, ask))))


@graph("riser.chain_load", units.POWER)
def chain_load(riser: Subject, ask: Ask) -> Interval:
    """12 V that the GPUs on the risers of its chain take through their slots.

    Which GPU is on which riser is not stated: at least those that draw least, at most those
    that draw most, and at least as many as find no riser outside the chain.
    """
    every = ask.graph.of("card")
    mounted = [card for card in every if ask("gpu.is_on_riser", card)]
    draws = [ask.number("gpu.slot_draw_now", card) for card in mounted or every]
    chained = _chain(riser, ask)
    least = min(chained, max(0, len(mounted) - (len(ask.graph.of("riser")) - chained)))
    lows, highs = (sorted(d.low for d in draws), sorted((d.high for d in draws), reverse=True))
    return Interval(sum(lows[:least]), sum(highs[:chained]))


def _edges(ask: Ask) -> list[tuple[float, float]]:
    """The longest and the shortest edge that each card may start in a slot with, in lanes.

    A riser has an edge as long as its lanes, and carries one card unless stated; where it is not
    known whether a card is on one, and there is room outside, it may be on a mining extender.
    """
    cards, out = ask.graph.of("card"), room_outside(ask.graph.subjects["case"])
    may_be = [out and ask("gpu.riser", c) is None for c in cards if not ask("gpu.is_on_riser", c)]
    mounted = len(cards) - len(may_be)
    short = sorted(riser_edge(riser) for riser in ask.graph.of("riser")) or [FULL_LENGTH]
    if len(short) < mounted:
        short = short[:1] * mounted + short[-1:] * mounted
    free = ((FULL_LENGTH, 1 if may else FULL_LENGTH) for may in may_be)
    return [*free, *zip(short[::-1], short[:mounted], strict=False)]


@graph("motherboard.usable_slots", units.NUMBER)
def usable_slots(board: Subject, ask: Ask) -> Any:
    """Slots that are of use to the cards of the build.

    Slots that take a card's edge, one more for each card on a riser that starts in a shorter one,
    one more for each further card of a riser that splits its slot, and M.2 sockets for docks.
    Sets of cables beyond the slots start in slots that a host card splits, as far as it is listed
    that these can be. Connectors for cables are of use to cards on risers alone.
    """
    every, risers = ask("motherboard.slots", board), ask.graph.of("riser")
    if every is None:
        return None
    slots = [slot for slot in every if slot.connector is None]
    surely = [s.mechanical >= FULL_LENGTH or s.open_ended is True for s in slots]
    # A slot of one lane is closed unless it is stated, as nearly all are; a longer one may be open.
    may = [s.open_ended is None and s.mechanical > 1 for s in slots]
    takes = [(one, one or other) for one, other in zip(surely, may, strict=True)]
    edges, ends = _edges(ask), []
    for end in (0, 1):
        short = sorted(s.mechanical for s, t in zip(slots, takes, strict=True) if not t[end])
        thin = iter(sorted(edge[end] for edge in edges if edge[end] < FULL_LENGTH))
        found, edge = sum(t[end] for t in takes), next(thin, None)
        for length in short:
            if edge is not None and edge <= length:
                found, edge = found + 1, next(thin, None)
        ends.append(found)
    if ends[0] < ends[1]:
        # What would tell is among what is missing.
        ask("motherboard.open_slots", board)
    carried = [ask("riser.carries", riser) for riser in risers]
    lows, highs = (sorted((getattr(c, n) for c in carried), reverse=True) for n in ("low", "high"))
    ways = [max((w.count("/") + 1 for w in s.bifurcation or ()), default=1) for s in every]
    parts = zip(lows, sorted(ways, reverse=True), strict=False)
    beyond = max(0, sum(ask("riser.is_cabled", r) is True for r in risers) - len(every))
    most = beyond + sum(n - 1 for n in highs[: len(every)])
    surely = sum(n - 1 for n, fit in parts if n <= fit) + min(beyond, sum(ways) - len(ways))
    split = Interval(min(surely, most), most)
    return Interval(*ends) + split + _connected(len(every) - len(slots), ask)


def _connected(connectors: int, ask: Ask) -> Interval:
    """GPUs on cables of as many connectors, and on docks in M.2 sockets."""
    mounted = [ask("gpu.is_on_riser", card) for card in ask.graph.of("card")]
    if mounted.count(False) == len(mounted):
        return ZERO  # without a look at where they sit
    most = connectors * may_be_cabled(ask.graph.of("riser"))
    sure, may = mounted.count(True), len(mounted) - mounted.count(False)
    found = Interval(float(min(most, sure)), float(min(most, may)))
    docks, board = ask.number("build.cards_in_sockets"), ask.graph.subjects["motherboard"]
    pinned = float(sum(is_socket(e.data["slot"]) for e in ask.graph.into("seated", board)))
    return found + Interval(max(docks.low, pinned), max(docks.high, pinned))
