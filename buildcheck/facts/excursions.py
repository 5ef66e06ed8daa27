"""Power excursions: peaks of the cards above what they sustain, and who rides them out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from buildcheck import units
from buildcheck.facts.registry import Ask, graph
from buildcheck.model.quantity import ANYTHING, UNKNOWN, Interval, exact

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

#: Durations for which excursion ratios of cards and supplies are known.
WINDOWS = ("100us", "1ms", "10ms", "100ms")


@graph("psu.tolerated_coincidence", units.NUMBER)
def tolerated_coincidence(psu: Subject, ask: Ask) -> Interval:
    """How far in phase card excursions may be before the supply's own ability ends.

    0: only excursions that come independently fit; 1: all at once fit. Below 0 not
    even independent ones do. The tightest of all time windows the supply's standard
    speaks of. Excursions e_i above the sustained power add up to
    sqrt((1 - c) Σe² + c (Σe)²) at coincidence c; this solves for c.
    """
    result: Interval | None = None
    for window in WINDOWS:
        ability = ask(f"psu.excursion_{window}", psu)
        if ability is None:
            continue
        room = ability * ask.number("psu.usable_power", psu) - ask.number("psu.train_load", psu)
        tolerated = _coincidence(
            room, [_excursion(card, window, ask) for card in ask.graph.ends("feeds", psu)]
        )
        result = (
            tolerated
            if result is None
            else Interval(min(result.low, tolerated.low), min(result.high, tolerated.high))
        )
    return ANYTHING if result is None else result


def _excursion(card: Subject, window: str, ask: Ask) -> Interval:
    """Height of one card's excursion above what it sustains, in W.

    The limiter holds an average, so a power limit alone does not lower the peaks;
    locked clocks do.
    """
    ratio = ask(f"gpu.excursion_{window}", card)
    if ratio is None:
        return UNKNOWN
    of = "gpu.sustained_power" if ask("gpu.clock_lock", card) is True else "gpu.board_power"
    above = ratio - exact(1.0)
    return Interval(max(above.low, 0.0), above.high) * ask.number(of, card)


def _coincidence(room: Interval, excursions: list[Interval]) -> Interval:
    low = _solve(room.low, [e.high for e in excursions])
    return Interval(low, max(low, _solve(room.high, [e.low for e in excursions])))


def _solve(room: float, excursions: list[float]) -> float:
    """The coincidence at which excursions fill `room` W; -1 and 2 are far out."""
    alone = math.fsum(e * e for e in excursions)
    together = math.fsum(excursions) ** 2
    if room < 0 or math.isinf(alone):
        return -1.0
    if math.isinf(room) or room * room >= together:
        return 2.0 if together == 0 or math.isinf(room) else min(2.0, room * room / together)
    if together - alone <= 1e-9 * together:
        return -1.0
    return max(-1.0, (room * room - alone) / (together - alone))
