"""Power limits on GPUs: what is set, what the GPU accepts, what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.power import along
from buildcheck.facts.registry import TRUTH, Ask, gives, graph
from buildcheck.logic.quantity import Interval, exact

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

gives("gpu.states_lowest_limit", "power_limit_min")


@graph("gpu.is_limited", TRUTH)
def is_limited(card: Subject, ask: Ask) -> bool | None:
    """Is a limit below the default set on it?"""
    limit, default = ask("gpu.power_limit", card), ask("gpu.board_power", card)
    if limit is None:
        return False
    if default is None:
        return None
    answer: bool | None = limit.is_below(default)
    return answer


@graph("gpu.is_raised", TRUTH)
def is_raised(card: Subject, ask: Ask) -> bool | None:
    """Is its limit set above its default?"""
    limit, default = ask("gpu.power_limit", card), ask("gpu.board_power", card)
    if limit is None:
        return False
    if default is None:
        return None
    answer: bool | None = default.is_below(limit)
    return answer


@graph("gpu.likely_lowest_limit", units.POWER)
def likely_lowest_limit(card: Subject, ask: Ask) -> Any:
    """The lowest limit that GPUs of its architecture usually accept."""
    share, default = ask("gpu.limit_floor_share", card), ask("gpu.board_power", card)
    return None if share is None or default is None else share * default


@graph("gpu.limited_speed", units.NUMBER)
def limited_speed(card: Subject, ask: Ask) -> Any:
    """Training speed at the limit as a share of full speed, by the architecture's curve."""
    limit = ask("gpu.power_limit", card)
    return exact(1.0) if limit is None else speed_at(card, ask, limit)


@graph("gpu.limited_decoding_speed", units.NUMBER)
def limited_decoding_speed(card: Subject, ask: Ask) -> Any:
    """Speed at the limit where the GPU's memory is what bounds it, as text made word by word."""
    limit = ask("gpu.power_limit", card)
    return exact(1.0) if limit is None else decoding_speed_at(card, ask, limit)


@graph("gpu.limited_serving_speed", units.NUMBER)
def limited_serving_speed(card: Subject, ask: Ask) -> Any:
    """Speed at the limit as a share of full speed in serving, which is bound by either."""
    computing, decoding = ask("gpu.limited_speed", card), ask("gpu.limited_decoding_speed", card)
    return None if computing is None or decoding is None else computing.hull(decoding)


@graph("gpu.plain_speed", units.ARITHMETIC)
def plain_speed(card: Subject, ask: Ask) -> Any:
    """Peak single-precision rate at the limit; no prediction of training time.

    Unknown where a limit is set and the curve of the architecture is not known. Across
    architectures the order can be another: tensor units, which training uses most, are left
    out, and chips that issue two instructions at once seldom reach the rate that counts both.
    """
    rate, share = ask("gpu.fp32_rate", card), ask("gpu.limited_speed", card)
    return None if rate is None or share is None else rate * share


def speed_at(card: Subject, ask: Ask, limit: Interval) -> Any:
    """Training speed at a limit as a share of full speed; None if the curve is not known."""
    return _read_off(ask("gpu.speed_at_limit", card), card, ask, limit)


def decoding_speed_at(card: Subject, ask: Ask, limit: Interval) -> Any:
    """Decoding speed at a power limit as a share of full speed, by one curve for all GPUs."""
    return _read_off(ask("standard.decoding_at_limit"), card, ask, limit)


def _read_off(curve: Any, card: Subject, ask: Ask, limit: Interval) -> Any:
    # What a GPU draws beyond the reference buys next to no speed.
    reference = ask("gpu.reference_power", card) or ask("gpu.board_power", card)
    if reference is None or curve is None:
        return None
    share = limit / reference
    return Interval(along(curve, share.low), along(curve, share.high))
