"""Power excursions: peaks of the cards above what they sustain, and who rides them out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from buildcheck import units
from buildcheck.facts.registry import Ask, graph
from buildcheck.model.quantity import ANYTHING, UNKNOWN, Interval, exact, total

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
    found = [
        _coincidence(_room(psu, window, ask), _excursions(psu, window, ask))
        for window in _windows(psu, ask)
    ]
    if not found:
        return ANYTHING
    return Interval(min(f.low for f in found), min(f.high for f in found))


def _windows(psu: Subject, ask: Ask) -> list[str]:
    """The durations for which the supply's ability is known."""
    return [w for w in WINDOWS if ask(f"psu.excursion_{w}", psu) is not None]


def _room(psu: Subject, window: str, ask: Ask) -> Interval:
    ability = ask.number(f"psu.excursion_{window}", psu) * ask.number("psu.usable_power", psu)
    return ability - ask.number("psu.train_load", psu)


def _excursions(psu: Subject, window: str, ask: Ask) -> list[Interval]:
    return [_excursion(card, window, ask) for card in ask.graph.ends("feeds", psu)]


def _tightest(psu: Subject, ask: Ask) -> str | None:
    """The duration at which the supply tolerates least."""
    windows = _windows(psu, ask)
    worst = {w: _coincidence(_room(psu, w, ask), _excursions(psu, w, ask)).low for w in windows}
    return min(windows, key=lambda w: worst[w]) if windows else None


@graph("psu.room_for_peaks", units.POWER)
def room_for_peaks(psu: Subject, ask: Ask) -> Interval:
    """What the supply survives above its load, at the duration where it is tightest."""
    window = _tightest(psu, ask)
    return ANYTHING if window is None else _room(psu, window, ask)


@graph("psu.peaks_together", units.POWER)
def peaks_together(psu: Subject, ask: Ask) -> Interval:
    """The cards' excursions above their load if all come at once, at that duration."""
    window = _tightest(psu, ask)
    return UNKNOWN if window is None else total(_excursions(psu, window, ask))


@graph("psu.peaks_apart", units.POWER)
def peaks_apart(psu: Subject, ask: Ask) -> Interval:
    """The same if they come independently: the root of the sum of their squares."""
    window = _tightest(psu, ask)
    if window is None:
        return UNKNOWN
    heights = _excursions(psu, window, ask)
    return Interval(math.hypot(*(h.low for h in heights)), math.hypot(*(h.high for h in heights)))


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
