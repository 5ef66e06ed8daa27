"""Relative speed of cards at deep learning: a stated model, and its error.

A step takes, as shares of its time on a reference card (a Tesla V100 module at 16 bit),

    arithmetic x R0 / R  +  traffic x B0 / B  +  the rest,

with the peak rate R of products of matrices and the bandwidth B of the card's memory. The rest
(launches, small operations) is taken to change with neither. The shares are fitted to published
throughput, `standard/generic/speed` says how well. At 8 bit the rate is the one for 8 bit, and
half as many bytes move.

For inference the batch is not known: large ones are bound by arithmetic, one request at a time by
traffic. So the answer is a range between the two, and the estimate lies between as in training.

What is off beyond that is a spread: a factor within which nine of ten pairs lie. Range and spread
are joined as independent factors are, not multiplied: 45 of 46 published pairs of serving lie
within.
"""

import math
from functools import lru_cache
from typing import Any, NamedTuple

from buildcheck import units
from buildcheck.facts.registry import DATA, Ask, graph
from buildcheck.logic.quantity import Interval, exact
from buildcheck.model.graph import Subject

USES = ("training", "inference")
BITS = ("16bit", "8bit")
NETS = ("transformer", "vision")
#: Tensor units of the card that shares of the rate in training are of, an A100 module.
_UTILISED_UNITS = "Ampere data centre"


class Work(NamedTuple):
    """What a speed is of: one of `USES`, one of `BITS`, one of `NETS`."""

    use: str = "training"
    bits: str = "16bit"
    net: str = "transformer"


class Speed(NamedTuple):
    """How fast a card works, the reference card at 16 bit being 1.

    `cases` is the same where something that nobody knows of the work is decided, in one order for
    all cards: wholly bound by arithmetic or by traffic, or with all that 8 bit brings. `bonus` is a
    factor from 1 up of what may come on top on this card: a cache that holds a layer, what large
    models gain on it, or units for 8 bit that software may not use. Cards of the same `units`
    differ by less than others do.
    """

    usual: float
    cases: tuple[float, ...]
    bonus: float
    units: str


class Compared(NamedTuple):
    """One speed over another: the estimate, and the range that nine of ten such pairs lie in."""

    usual: float
    range: Interval


class Spread(NamedTuple):
    """Factors by which the estimate for two cards is off, of other and of the same units."""

    other: float
    alike: float


@lru_cache(maxsize=1024)  # cards of one model are compared one by one
def compare(one: Speed, other: Speed, spread: Spread) -> Compared:
    """How many times as fast one card is as the other, at the same work.

    What nobody knows of the work, what the model is off and what a card may have on top have
    nothing to do with each other. Where all of them count, their logarithms add up as squares do,
    so that none is spread by the others; each by itself is as wide as it is.
    """
    usual = one.usual / other.usual
    if one == other:
        return Compared(1.0, Interval(1.0, 1.0))
    up, down = _off(one, other, spread)
    if not one.cases:
        return Compared(usual, Interval(usual / down.alone, usual * up.alone))
    cases = [usual, *(a / b for a, b in zip(one.cases, other.cases, strict=True))]
    low, high = usual / min(cases), max(cases) / usual
    return Compared(
        usual, Interval(usual / _joint(low, *down.each), usual * _joint(high, *up.each))
    )


class _Off(NamedTuple):
    """Factors by which an estimate is off: together where no case is open, and each by itself."""

    alone: float
    each: tuple[float, float]


def _off(one: Speed, other: Speed, spread: Spread) -> tuple[_Off, _Off]:
    """Upper and lower error of an estimate."""
    bonuses, error = (one.bonus, other.bonus), spread.other
    if one.units == other.units != "":
        bonuses = (max(1.0, one.bonus / other.bonus), max(1.0, other.bonus / one.bonus))
        error = spread.alike
    # A bonus is part of why other units differ from the model, and does not come on top of it.
    up, down = (_Off(max(error, spread.alike * more), (error, more)) for more in bonuses)
    return up, down


def _joint(*factors: float) -> float:
    """Factors of which none depends on another, as one."""
    return math.exp(math.hypot(*map(math.log, factors)))


@graph("gpu.speeds", DATA)
def speeds(card: Subject, ask: Ask) -> dict[Work, Speed]:
    """The card's speed at each kind of work that it is known for, at its default power."""
    works = (Work(use, bits, net) for use in USES for bits in BITS for net in NETS)
    found = {work: _speed(card, ask, work) for work in works}
    return {work: speed for work, speed in found.items() if speed}


@graph("gpu.over_utilised", units.NUMBER)
def over_utilised(card: Subject, ask: Ask) -> Any:
    """Speed in training transformers relative to the card with known utilisation."""
    work = Work()
    speed, spread = ask("gpu.speeds", card).get(work), spread_of(work.net, ask)
    other = ask("standard._utilised_speed")
    if speed is None or spread is None or other is None:
        return None
    return compare(speed, Speed(other.middle, (), 1.0, _UTILISED_UNITS), spread).range


@graph("gpu.estimated_speed", units.NUMBER)
def estimated_speed(card: Subject, ask: Ask) -> Any:
    """Estimated speed at its limit in training transformers at 16 bit; a Tesla V100 is 1."""
    speed, share = ask("gpu.speeds", card).get(Work()), ask("gpu.limited_speed", card)
    return None if speed is None or share is None else exact(speed.usual) * share


def spread_of(net: str, ask: Ask) -> Spread | None:
    """Error of estimates for a kind of net; None if not stated."""
    other, alike = ask(f"standard.{net}_spread"), ask(f"standard.{net}_spread_alike")
    return None if other is None or alike is None else Spread(other.high, alike.high)


def _speed(card: Subject, ask: Ask, work: Work) -> Speed | None:
    plain, cached, full, full_cached = (
        ask(f"gpu._speed_{work.use}_{work.net}_{of}", card)
        for of in ("16bit", "16bit_cached", "8bit", "8bit_cached")
    )
    has_fp8 = ask("gpu.fp8", card)
    if plain is None or (work.bits == BITS[1] and has_fp8 is None):
        return None
    code = ask("gpu.tensor_units", card) or ""
    # Large models may train faster than estimated; by how much, where it was measured.
    gain = ask("gpu.large_model_gain", card) if (work.use, work.net) == (USES[0], NETS[0]) else None
    bonus = max(cached.middle / plain.middle, float(gain.high) if gain else 1.0)
    if work.bits == BITS[0]:
        return Speed(plain.middle, _cases(card, ask, work), bonus, code)
    if work.use == USES[0]:
        # From nothing to all that 8 bit could bring; without floating point there is no training.
        return Speed(plain.middle, (full.middle,), bonus, code) if has_fp8 else None
    if has_fp8:
        bonus = full_cached.middle / full.middle
        return Speed(full.middle, _cases(card, ask, work, "8bit"), bonus, code)
    bonus *= max(1.0, full.middle / plain.middle)
    return Speed(plain.middle, _cases(card, ask, work), bonus, code)


def _cases(card: Subject, ask: Ask, work: Work, bits: str = "16bit") -> tuple[float, ...]:
    """Serving large batches is bound by arithmetic, serving one request by traffic."""
    names = (f"gpu._rate_{bits}", f"gpu._bandwidth_{bits}") if work.use == USES[1] else ()
    return tuple(ask(name, card).middle for name in names)
