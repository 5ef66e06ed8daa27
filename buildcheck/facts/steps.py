"""How long a step takes on several cards, and how much more they do than one.

Times are in seconds. The time of a step alone stands on both sides of the fraction of a speed-up,
and is the same on both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.registry import Ask, graph
from buildcheck.logic.quantity import ONE, Interval, exact, least
from buildcheck.logic.quantity import total as add_up

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject


@graph("build.mixed_efficiency", units.NUMBER)
def mixed_efficiency(build: Subject, ask: Ask) -> Any:
    """What cards that wait for the slowest do, as a share of what each could do by itself.

    Each at its limit, by its estimated training speed; by single-precision rates where that of
    one of them is not known.
    """
    cards = ask.graph.ends("cards", build)
    paces = [ask("gpu.estimated_speed", card) for card in cards]
    if None in paces:
        paces = [ask("gpu.plain_speed", card) for card in cards]
    slowest = least(paces)
    if slowest is None:
        return None
    if len(set(paces)) == 1:
        return ONE
    share: Interval = exact(float(len(paces))) * slowest / add_up(paces)
    return Interval(share.low, min(1.0, share.high))
