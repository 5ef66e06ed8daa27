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

from __future__ import annotations

import math
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
#: A number of 8 bit is half of one of 16.
_HALF = 0.5


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


class _Card(NamedTuple):
    """Peak rates in TFLOPS (None: it has none of 8 bit) and bandwidth in GB/s, or their shares."""

    rate: float
    rate_8bit: float | None
    bandwidth: float


class _Mix(NamedTuple):
    arithmetic: float
    traffic: float
    rest: float


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
    if one.units == other.units != "":
        bonuses = (max(1.0, one.bonus / other.bonus), max(1.0, other.bonus / one.bonus))
        up, down = (_Off(spread.alike * more, (spread.alike, more)) for more in bonuses)
        return up, down
    # A bonus is part of why other units differ from the model, and does not come on top of it.
    up, down = (
        _Off(max(spread.other, spread.alike * more), (spread.other, more))
        for more in (one.bonus, other.bonus)
    )
    return up, down


def _joint(*factors: float) -> float:
    """Factors of which none depends on another, as one."""
    return math.exp(math.hypot(*map(math.log, factors)))


@graph("gpu.speeds", DATA)
def speeds(card: Subject, ask: Ask) -> dict[Work, Speed]:
    """The card's speed at each kind of work that it is known for, at its default power."""
    at = _shares(card, ask)
    if at is None:
        return {}
    works = (Work(use, bits, net) for use in USES for bits in BITS for net in NETS)
    found = {work: _speed(card, ask, work, at) for work in works}
    return {work: speed for work, speed in found.items() if speed}


@graph("gpu.over_utilised", units.NUMBER)
def over_utilised(card: Subject, ask: Ask) -> Any:
    """Speed in training transformers relative to the card with known utilisation."""
    work = Work()
    speed, spread = ask("gpu.speeds", card).get(work), spread_of(work.net, ask)
    other = _utilised(ask)
    if speed is None or spread is None or other is None:
        return None
    return compare(speed, other, spread).range


def _utilised(ask: Ask) -> Speed | None:
    """The card that utilisation is known of, in training transformers."""
    mix = _mix(Work(), ask)
    pairs = [
        (ask(f"standard.utilised_{name}"), ask(f"standard.reference_{name}"))
        for name in ("rate", "bandwidth")
    ]
    if mix is None or any(None in pair for pair in pairs):
        return None
    rate, bandwidth = (_middle(own) / _middle(base) for own, base in pairs)
    return Speed(_at(_Card(rate, None, bandwidth), mix), (), 1.0, _UTILISED_UNITS)


@graph("gpu.estimated_speed", units.NUMBER)
def estimated_speed(card: Subject, ask: Ask) -> Any:
    """Estimated speed at its limit in training transformers at 16 bit; a Tesla V100 is 1."""
    speed, share = ask("gpu.speeds", card).get(Work()), ask("gpu.limited_speed", card)
    return None if speed is None or share is None else exact(speed.usual) * share


def spread_of(net: str, ask: Ask) -> Spread | None:
    """Error of estimates for a kind of net; None if not stated."""
    other, alike = ask(f"standard.{net}_spread"), ask(f"standard.{net}_spread_alike")
    return None if other is None or alike is None else Spread(other.high, alike.high)


def _speed(card: Subject, ask: Ask, work: Work, at: _Card) -> Speed | None:
    mix, has_fp8 = _mix(work, ask), ask("gpu.fp8", card)
    if mix is None or (work.bits == BITS[1] and has_fp8 is None):
        return None
    plain = _at(at, mix)
    code = ask("gpu.tensor_units", card) or ""
    cached = max(_cached(card, ask, at, mix), _large_gain(card, ask, work))
    if work.bits == BITS[0]:
        return Speed(plain, _cases(at, work), cached, code)
    # Units without 8 bit compute in 16, and only half as much is moved.
    eight = _Card(at.rate_8bit or at.rate, None, at.bandwidth / _HALF)
    full = _at(eight, mix)
    if work.use == USES[0]:
        # From nothing to all that 8 bit could bring; without floating point there is no training.
        return Speed(plain, (full,), cached, code) if has_fp8 else None
    if has_fp8:
        return Speed(full, _cases(eight, work), _cached(card, ask, eight, mix), code)
    return Speed(plain, _cases(at, work), cached * max(1.0, full / plain), code)


def _cases(card: _Card, work: Work) -> tuple[float, ...]:
    """Serving large batches is bound by arithmetic, serving one request by traffic."""
    return (card.rate, card.bandwidth) if work.use == USES[1] else ()


def _shares(card: Subject, ask: Ask) -> _Card | None:
    """Rates and bandwidth of the card over those of the reference card."""
    rate, bandwidth = ask("gpu.rate_16bit", card), ask("gpu.memory_bandwidth", card)
    base, base_bandwidth = ask("standard.reference_rate"), ask("standard.reference_bandwidth")
    if None in (rate, bandwidth, base, base_bandwidth):
        return None
    eight = ask("gpu.rate_8bit", card)
    whole = _middle(base)
    return _Card(
        _middle(rate) / whole,
        None if eight is None else _middle(eight) / whole,
        _middle(bandwidth) / _middle(base_bandwidth),
    )


def _mix(work: Work, ask: Ask) -> _Mix | None:
    """Shares of the reference card's time; in serving no rest, as its launches are recorded."""
    shares = ask(f"standard.{work.net}_arithmetic"), ask(f"standard.{work.net}_traffic")
    if None in shares:
        return None
    arithmetic, traffic = (_middle(share) for share in shares)
    if work.use == USES[0]:
        return _Mix(arithmetic, traffic, 1 - arithmetic - traffic)
    both = arithmetic + traffic
    return _Mix(arithmetic / both, traffic / both, 0.0)


def _at(card: _Card, mix: _Mix) -> float:
    return 1 / (mix.arithmetic / card.rate + mix.traffic / card.bandwidth + mix.rest)


def _large_gain(card: Subject, ask: Ask, work: Work) -> float:
    """Factor by which it may train large models faster than estimated; 1 if not measured."""
    gain = ask("gpu.large_model_gain", card)
    large = work.use == USES[0] and work.net == NETS[0]
    return float(gain.high) if gain and large else 1.0


def _cached(card: Subject, ask: Ask, at: _Card, mix: _Mix) -> float:
    """Speedup by its cache; 1 for a small cache."""
    cache, needed = ask("gpu.l2_cache", card), ask("standard.cache_for_layer")
    gain = ask("standard.cache_gain")
    if needed is None or gain is None or (cache is not None and cache.is_below(needed)):
        return 1.0
    return _at(at._replace(bandwidth=at.bandwidth * gain.high), mix) / _at(at, mix)


def _middle(value: Interval) -> float:
    return (value.low + value.high) / 2
