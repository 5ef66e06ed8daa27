"""Peaks of GPUs above their sustained power, and which PSU and which rail of it carries them."""

import math
from typing import Any, NamedTuple

from buildcheck import units
from buildcheck.facts.registry import Ask, graph
from buildcheck.facts.supplies import fed
from buildcheck.logic.quantity import ANYTHING, ONE, UNKNOWN, Interval, least, total
from buildcheck.model.graph import Subject

#: Durations for which excursion ratios of GPUs and PSUs are known.
WINDOWS = ("100us", "1ms", "10ms", "100ms")


class Margin(NamedTuple):
    """At one duration, the headroom of the PSU and the excursions of the GPUs on it, in W."""

    room: Interval
    excursions: list[Interval]

    @property
    def coincidence(self) -> Interval:
        """How far in phase the excursions may be before the PSU's own ability ends.

        0: only excursions that come independently fit; 1: all at once fit. Below 0 not
        even independent ones do. Excursions e_i above the sustained power add up to
        sqrt((1 - c) Σe² + c (Σe)²) at coincidence c; this solves for c.
        """
        low = _solve(self.room.low, [e.high for e in self.excursions])
        return Interval(low, max(low, _solve(self.room.high, [e.low for e in self.excursions])))


def _margins(psu: Subject, ask: Ask, tail: str = "") -> list[Margin]:
    """The margin at each of the durations for which the PSU's ability is known."""
    cards, found = fed(psu, ask), []
    for window in [w for w in WINDOWS if ask(f"psu._survived_{w}", psu) is not None]:
        room, part = ask(f"psu._room_{window}", psu), cards and ask("psu._part", psu)
        found.append(Margin(room, [part * ask(f"gpu._above_{window}{tail}", c) for c in cards]))
    return found


def _tightest(psu: Subject, ask: Ask) -> Margin:
    """The margin at the duration at which the PSU tolerates least."""
    margins = _margins(psu, ask)
    return min(margins, key=lambda m: m.coincidence.low, default=Margin(ANYTHING, [UNKNOWN]))


def _tolerated(psu: Subject, ask: Ask, tail: str) -> Interval:
    """The tightest coincidence of all durations the PSU's standard speaks of."""
    return least([m.coincidence for m in _margins(psu, ask, tail)]) or ANYTHING


graph("psu.tolerated_coincidence", units.NUMBER)(lambda psu, ask: _tolerated(psu, ask, ""))
graph("psu.tolerated_coincidence_locked", units.NUMBER)(
    lambda psu, ask: _tolerated(psu, ask, "_locked")
)


# Headroom at the duration with the lowest margin, and the GPUs' excursions if all come at once.
graph("psu.room_for_peaks", units.POWER)(lambda psu, ask: _tightest(psu, ask).room)
graph("psu.peaks_together", units.POWER)(lambda psu, ask: total(_tightest(psu, ask).excursions))


@graph("psu.peaks_apart", units.POWER)
def peaks_apart(psu: Subject, ask: Ask) -> Interval:
    """Sum of independent transients, in W: the root of the sum of their squares."""
    heights = _tightest(psu, ask).excursions
    return Interval(math.hypot(*(h.low for h in heights)), math.hypot(*(h.high for h in heights)))


def _solve(room: float, excursions: list[float]) -> float:
    """The coincidence at which excursions fill `room` W; -1 and 2 are far out."""
    alone, together = math.fsum(e * e for e in excursions), math.fsum(excursions) ** 2
    if room < 0 or math.isinf(alone):
        return -1.0
    if math.isinf(room) or room * room >= together:
        return 2.0 if together == 0 or math.isinf(room) else min(2.0, room * room / together)
    if together - alone <= 1e-9 * together:
        return -1.0
    return max(-1.0, (room * room - alone) / (together - alone))


#: Peaks count at the duration that a rail's protection may still see.
_PEAK = "gpu._above_1ms"


@graph("psu.rail_peak", units.POWER)
def rail_peak(psu: Subject, ask: Ask) -> Any:
    """Peak on the fullest rail, the GPUs spread over the rails as evenly as they go.

    Whole GPUs are spread, and one rail is left to board and CPU. Those that share the
    fullest rail peak together.
    """
    rails = ask("psu.rails", psu)
    if rails is None:
        return None
    free = rails - ONE if ask.graph.out("runs", psu) else rails
    cards = ask.graph.ends("feeds", psu)
    peaks = [ask.number("gpu.cable_power", c) + ask(_PEAK, c) for c in cards]
    # On the fullest rail, where they are spread evenly.
    many, few = (math.ceil(len(cards) / max(1.0, n)) for n in (free.low, free.high))
    low = sorted((p.low for p in peaks), reverse=True)[:few]
    return Interval(math.fsum(low), math.fsum(sorted((p.high for p in peaks), reverse=True)[:many]))
