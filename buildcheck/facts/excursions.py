"""Power excursions: peaks of the GPUs above their sustained power, and which PSU carries them."""

from __future__ import annotations

import math
from functools import cache

from buildcheck import units
from buildcheck.facts.plugs import SIXTEEN_PIN, has_socket
from buildcheck.facts.registry import TRUTH, Ask, graph
from buildcheck.facts.supplies import fed, part_of
from buildcheck.logic.quantity import ANYTHING, UNKNOWN, Interval, exact, least, total
from buildcheck.model.graph import Subject

#: Durations for which excursion ratios of GPUs and PSUs are known.
WINDOWS = ("100us", "1ms", "10ms", "100ms")
#: The only one of them that its charge does not carry.
_LASTING = "100ms"
#: The standard of a PSU that does not state one.
_UNSTATED = "unknown standard"


def _tolerated(psu: Subject, ask: Ask, *, locked: bool) -> Interval:
    """How far in phase GPU excursions may be before the PSU's own ability ends.

    0: only excursions that come independently fit; 1: all at once fit. Below 0 not
    even independent ones do. The tightest of all time windows the PSU's standard
    speaks of. Excursions e_i above the sustained power add up to
    sqrt((1 - c) Σe² + c (Σe)²) at coincidence c; this solves for c.
    """
    share = cache(lambda: (part_of(psu, ask), fed(psu, ask)))
    found = [
        _coincidence(
            _room(psu, window, ask),
            [share()[0] * excursion(card, window, ask, locked=locked) for card in share()[1]],
        )
        for window in _windows(psu, ask)
    ]
    return least(found) or ANYTHING


graph("psu.tolerated_coincidence", units.NUMBER)(
    lambda psu, ask: _tolerated(psu, ask, locked=False)
)
# With clocks locked at the power limit.
graph("psu.tolerated_coincidence_locked", units.NUMBER)(
    lambda psu, ask: _tolerated(psu, ask, locked=True)
)


@graph("psu.excursions_are_documented", TRUTH)
def excursions_are_documented(psu: Subject, ask: Ask) -> bool:
    """Does anybody state its standard, or what it survives above its rating?"""
    if ask("psu.standard", psu) not in (None, _UNSTATED):
        return True
    return any(psu.value(f"excursion_{w}") is not None for w in WINDOWS)


def _peak(name: str, window: str) -> None:
    """Declare its sustained load with the excursions of all its GPUs on top at once."""
    graph(name, units.POWER)(
        lambda psu, ask: ask.number("psu.train_load", psu) + total(_excursions(psu, window, ask))
    )


_peak("psu.peak_load", "1ms")
_peak("psu.peak_load_100ms", "100ms")


def _windows(psu: Subject, ask: Ask) -> list[str]:
    """The durations for which the PSU's ability is known."""
    return [w for w in WINDOWS if _survived(psu, w, ask) is not None]


def _survived(psu: Subject, window: str, ask: Ask) -> Interval | None:
    """Load it survives for so long as a multiple of its rating.

    What it states itself holds; else what its standard asks of a unit of its size and outputs.
    """
    own: Interval | None = ask(f"psu.excursion_{window}", psu)
    high: Interval | None = ask(f"psu.high_excursion_{window}", psu)
    plain: Interval | None = ask(f"psu.plain_excursion_{window}", psu)
    if own is not None or high is None or plain is None:
        return high if own is None else own
    held_high = ask("psu.is_held_to_high_table", psu)
    if held_high is None:
        return plain.hull(high)
    return high if held_high else plain


@graph("psu.is_held_to_high_table", TRUTH)
def is_held_to_high_table(psu: Subject, ask: Ask) -> bool | None:
    """Is it large enough, and has it a 16-pin output, for its standard to ask most of it?"""
    up_to = ask.number("psu.plain_up_to", psu)
    large = up_to.is_below(ask.number("psu.rated_power", psu))
    sixteen_pin = has_socket(ask("psu.plugs", psu), SIXTEEN_PIN)
    if large is False or sixteen_pin is False:
        return False
    return True if large and sixteen_pin else None


def _room(psu: Subject, window: str, ask: Ask) -> Interval:
    survived = _survived(psu, window, ask)
    base = "psu.usable_power" if window == _LASTING else "psu.nominal_power"
    ability = (UNKNOWN if survived is None else survived) * ask.number(base, psu)
    return ability - ask.number("psu.train_load", psu)


def _excursions(psu: Subject, window: str, ask: Ask) -> list[Interval]:
    """The GPUs' excursions that this PSU has to carry."""
    part = part_of(psu, ask)
    return [part * excursion(card, window, ask) for card in fed(psu, ask)]


def _tightest(psu: Subject, ask: Ask) -> str | None:
    """The duration at which the PSU tolerates least."""
    windows = _windows(psu, ask)
    worst = {w: _coincidence(_room(psu, w, ask), _excursions(psu, w, ask)).low for w in windows}
    return min(windows, key=lambda w: worst[w]) if windows else None


@graph("psu.room_for_peaks", units.POWER)
def room_for_peaks(psu: Subject, ask: Ask) -> Interval:
    """Headroom of the PSU for transients, in W, at the duration with the lowest margin."""
    window = _tightest(psu, ask)
    return ANYTHING if window is None else _room(psu, window, ask)


@graph("psu.peaks_together", units.POWER)
def peaks_together(psu: Subject, ask: Ask) -> Interval:
    """The GPUs' excursions above their load if all come at once, at that duration."""
    window = _tightest(psu, ask)
    return UNKNOWN if window is None else total(_excursions(psu, window, ask))


@graph("psu.peaks_apart", units.POWER)
def peaks_apart(psu: Subject, ask: Ask) -> Interval:
    """Sum of independent transients, in W: the root of the sum of their squares."""
    window = _tightest(psu, ask)
    heights = [UNKNOWN] if window is None else _excursions(psu, window, ask)
    return Interval(math.hypot(*(h.low for h in heights)), math.hypot(*(h.high for h in heights)))


def excursion(card: Subject, window: str, ask: Ask, *, locked: bool = False) -> Interval:
    """Height of one GPU's excursion above its sustained power, in W.

    The limiter holds an average, so a power limit alone does not lower the peaks;
    locked clocks do.
    """
    ratio = ask(f"gpu.excursion_{window}", card)
    if ratio is None:
        return UNKNOWN
    locked = locked or ask("gpu.clock_lock", card) is True
    of = "gpu.sustained_power" if locked else "gpu.board_power"
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
