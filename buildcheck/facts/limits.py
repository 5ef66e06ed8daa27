"""Power limits on GPUs: what is set, what the GPU accepts, what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.power import along
from buildcheck.facts.registry import Ask, graph
from buildcheck.logic.quantity import Interval, exact

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject


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
