"""The air in the case, and an estimate of what each GPU breathes and reaches.

The air in the case is warmer than the room by the heat that stays in it over what the fans
carry out; a GPU warms the intake of the one above it, less with every millimetre between
them; from there the chip is warmer in proportion to the GPU's power. What each kind of
cooler does is data of that kind. The model was set on machines of 250 to 350 W GPUs:

- four RTX 2080 Ti with open coolers and no gap come to 104 °C and lose 26 % of their speed,
  where 10 to 30 % are reported; two with one free slot between them come to 87 °C;
- four RTX 3090 blowers come to 90 °C at 350 W each and to 81 °C at 300 W, where they ran;
- of two GTX 1080 Ti close together the upper one stands at 84 °C.

Speed falls with the square root of the power a GPU has to give up, between two published
exponents (0.23 on a power limit of 280 of 350 W, 1.7 on one of 250 of 300 W).
"""

import math
from typing import Any

from buildcheck import units
from buildcheck.facts.registry import TRUTH, Ask, graph
from buildcheck.facts.space import in_the_board
from buildcheck.logic.quantity import ZERO, Interval, exact
from buildcheck.model.graph import Subject

#: The GPU in `neighbour_heat`.
_NEIGHBOUR = exact(300.0)
#: Enclosures whose fans are mostly strong, and often ducted without saying so.
_RACK = ("2U", "3U", "4U", "5U")


@graph("gpu.neighbour_rise", units.TEMPERATURE)
def neighbour_rise(card: Subject, ask: Ask) -> Any:
    """Temperature rise of its intake by the GPU below, in K; 0 above a water-cooled one.

    Where slots are not known, any other GPU in the board may be below it, or none.
    """
    heat, below = ask("gpu.neighbour_heat", card), ask("gpu.has_card_below", card)
    if below is False or heat is None or heat == ZERO:
        return ZERO if below is False else heat
    known = ask.graph.ends("above", card)
    others = known or [c for c in in_the_board(ask) if c.id != card.id]
    # What goes to a radiator is no air behind the GPU.
    behind = [c for c in others if not ask("gpu.needs_radiator", c)]
    warmth = [ask.number("gpu.sustained_power", c) for c in behind]
    hottest = max([ZERO, *warmth], key=lambda heat: heat.high)
    reach, gap = ask.number("gpu.neighbour_reach", card), ask.number("gpu.gap", card)
    rise = heat * hottest / _NEIGHBOUR * ask.number("gpu.cooler_scale", card) * _fading(gap, reach)
    return rise if known else Interval(0.0, rise.high)


def _fading(gap: Interval, reach: Interval) -> Interval:
    """Share of a neighbour's heat that crosses a gap."""
    if not reach.is_known or reach.low <= 0:
        return Interval(0.0, 1.0)
    ends = ((gap.high, reach.low), (gap.low, reach.high))
    low, high = (math.exp(-max(0.0, g) / r) for g, r in ends)
    return Interval(low, high)


@graph("gpu.yields_air_to_cooler_card", TRUTH)
def yields_air_to_cooler_card(card: Subject, ask: Ask) -> bool:
    """Is there a GPU in the board that certainly draws less and has more air below it?"""
    power, gap = ask.number("gpu.sustained_power", card), ask.number("gpu.gap", card)
    for other in in_the_board(ask):
        below = ask("gpu.has_card_below", other)
        freer = gap.is_below(ask.number("gpu.gap", other)) if below else below is False
        if freer and ask.number("gpu.sustained_power", other).is_below(power):
            return True
    return False


@graph("case.may_be_rack", TRUTH)
def may_be_rack(case: Subject, ask: Ask) -> bool:
    """Is it a rack chassis, or a case in no catalogue whose kind is not stated?"""
    kind = ask("case.kind", case)
    return kind in _RACK or (kind is None and case.near is not None)
