"""Power limits on GPUs: what is set, what the GPU accepts, what it costs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from buildcheck import units
from buildcheck.facts.power import along, drawn_by_cards
from buildcheck.facts.registry import DATA, Ask, graph
from buildcheck.facts.supplies import carried, fed
from buildcheck.logic.quantity import Interval, exact
from buildcheck.model.graph import Subject


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


def _limited(name: str, speed: Callable[[Subject, Ask, Interval], Any]) -> None:
    """Declare a speed at the limit that is set as a share of full speed."""

    @graph(name, units.NUMBER)
    def limited(card: Subject, ask: Ask) -> Any:
        limit = ask("gpu.power_limit", card)
        return exact(1.0) if limit is None else speed(card, ask, limit)


# In training, and where memory bounds it, as text made word by word.
_limited("gpu.limited_speed", speed_at)
_limited("gpu.limited_decoding_speed", decoding_speed_at)


#: Settings looked at between nothing and the default: every twentieth of it.
STEPS = 20


class Setting(NamedTuple):
    """A power limit as a share of the default, and what comes of it, None if not known."""

    share: float
    #: Sustained power of the card at its limit or of the PSU, in W.
    watts: Interval
    #: Training speed as a share of full speed; None for a supply.
    speed: Interval | None


@graph("gpu.limit_sweep", DATA)
def limit_sweep(card: Subject, ask: Ask) -> Any:
    """Power and speed of the card at limits from the lowest it takes up to its default."""
    default, lowest = ask("gpu.board_power", card), _lowest(card, ask)
    if default is None or lowest is None or ask("gpu.speed_at_limit", card) is None:
        return None
    return tuple(
        Setting(s, default * exact(s), speed_at(card, ask, default * exact(s)))
        for s in _shares(lowest)
    )


@graph("psu.limit_sweep", DATA)
def load_sweep(psu: Subject, ask: Ask) -> Any:
    """Sustained load of the PSU with all its cards at one share of their default limit."""
    cards = fed(psu, ask)
    lowest = [_lowest(card, ask) for card in cards]
    known = [share for share in lowest if share is not None]
    if not cards or len(known) < len(cards):
        return None

    def at(share: float) -> Interval:
        return carried(psu, ask, lambda s: _held(s, ask, share))

    return tuple(Setting(s, at(s), None) for s in _shares(max(known)))


def _held(psu: Subject, ask: Ask, share: float) -> Interval:
    part = exact(share)
    cards = drawn_by_cards(
        psu,
        ask,
        lambda c: ask.number("gpu.board_power", c) * part,
        lambda c: ask.number("gpu.slot_draw_unlimited", c) * part,
    )
    return cards + ask.number("psu.system_power", psu)


def _lowest(card: Subject, ask: Ask) -> float | None:
    """The lowest limit as a share of the default: as read off such a card, else as usual."""
    default = ask("gpu.board_power", card)
    least = ask("gpu.power_limit_min", card) or ask("gpu.likely_lowest_limit", card)
    if default is None or least is None:
        return None
    share: Interval = least / default
    return min(1.0, max(0.0, share.high))


def _shares(lowest: float) -> list[float]:
    """The lowest share, and every step above it up to the default."""
    first = math.floor(lowest * STEPS + 1e-9) + 1
    return [lowest, *(n / STEPS for n in range(first, STEPS + 1))] if lowest < 1 else [1.0]
