"""Power limits on GPUs: what is set, what the GPU accepts, what it costs."""

import math
from typing import Any, NamedTuple

from buildcheck.facts.registry import DATA, Ask, graph
from buildcheck.facts.supplies import fed
from buildcheck.logic.quantity import Interval, exact, read_off
from buildcheck.model.graph import Subject


def speed_at(card: Subject, ask: Ask, limit: Interval) -> Any:
    """Training speed at a limit as a share of full speed; None if the curve is not known."""
    return _read_off(ask("gpu.speed_at_limit", card), card, ask, limit)


def decoding_speed_at(card: Subject, ask: Ask, limit: Interval) -> Any:
    """Decoding speed at a power limit as a share of full speed, by one curve for all GPUs."""
    return _read_off(ask("standard.decoding_at_limit"), card, ask, limit)


def _read_off(curve: Any, card: Subject, ask: Ask, limit: Interval) -> Any:
    full = ask("gpu._full_power", card)
    return None if full is None or curve is None else read_off(curve, limit / full)


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
    default, lowest = ask("gpu.board_power", card), ask("gpu._lowest_share", card)
    if default is None or lowest is None or ask("gpu.speed_at_limit", card) is None:
        return None
    limits = [(s, default * exact(s)) for s in _shares(lowest.low)]
    return tuple(Setting(s, limit, speed_at(card, ask, limit)) for s, limit in limits)


@graph("psu.limit_sweep", DATA)
def load_sweep(psu: Subject, ask: Ask) -> Any:
    """Sustained load of the PSU with all its cards at one share of their default limit."""
    cards = fed(psu, ask)
    lowest = [ask("gpu._lowest_share", card) for card in cards]
    if not cards or None in lowest:
        return None
    drawn, rest = ask("psu._carried_card_power", psu), ask("psu._carried_system_power", psu)
    shares = _shares(max(share.low for share in lowest))
    return tuple(Setting(s, exact(s) * drawn + rest, None) for s in shares)


def _shares(lowest: float) -> list[float]:
    """The lowest share, and every step above it up to the default."""
    first = math.floor(lowest * STEPS + 1e-9) + 1
    return [lowest, *(n / STEPS for n in range(first, STEPS + 1))] if lowest < 1 else [1.0]
