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

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.cooling import OPEN
from buildcheck.facts.registry import Ask, graph
from buildcheck.facts.space import in_the_board
from buildcheck.logic.quantity import UNKNOWN, ZERO, Interval, exact

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

#: Of the fans a case comes with, those that blow out: the others are in series with them.
_OUT = exact(0.5)

#: What warm air moves by itself where no fan does, in CFM.
_DRAUGHT = Interval(0.0, 10.0)
#: The GPU in `neighbour_heat`, and the largest the model was set on: coolers of larger
#: GPUs are larger, and move more air, in proportion.
_NEIGHBOUR, _LARGEST = exact(300.0), exact(350.0)
#: Where in its range the resistance of a cooler lies: at the top for open coolers of two
#: slots, at the bottom for those of three (in mm); for blowers from 250 to 350 W.
_THIN, _THICK = 39.04, 59.36
_WEAK, _STRONG = 250.0, 350.0


@graph("cooling.moved_air", units.AIRFLOW)
def moved_air(cooling: Subject, ask: Ask) -> Any:
    """Air through the case: as stated, by its exhaust fans, or what usual fans move.

    Fans may be added to those a case comes with, of which half blow in and half blow out of
    the case at best. A rack chassis has fans of any strength. Where no air is said to be moved,
    warm air still rises out of the case.
    """
    air, fans = ask("cooling.airflow", cooling), ask("cooling.exhaust_fans", cooling)
    if air is not None:
        return air if air.high > 0 else _DRAUGHT
    each = ask.number("standard.fan_airflow")
    if fans is not None and fans.low > 0:
        return fans * each
    usual, bundled = ask.number("standard.usual_airflow"), ask("case.fans")
    least = usual.low if bundled is None else max(usual.low, (bundled * each * _OUT).low)
    any_fans = ask("case.may_be_rack")
    return Interval(least, math.inf if any_fans else max(usual.high, least))


@graph("gpu.neighbour_rise", units.TEMPERATURE)
def neighbour_rise(card: Subject, ask: Ask) -> Any:
    """Temperature rise of its intake by the GPU below, in K; 0 above a water-cooled one.

    Where slots are not known, any other GPU in the board may be below it, or none.
    """
    heat = ask("gpu.neighbour_heat", card)
    below = ask("gpu.has_card_below", card)
    if below is False or heat is None or heat == ZERO:
        return ZERO if below is False else heat
    known = ask.graph.ends("above", card)
    others = known or [c for c in in_the_board(ask) if c.id != card.id]
    hottest = max((_warmth(c, ask) for c in others), key=lambda heat: heat.high)
    reach, gap = ask.number("gpu.neighbour_reach", card), ask.number("gpu.gap", card)
    rise = heat * hottest / _NEIGHBOUR * _larger(card, ask) * _fading(gap, reach)
    return rise if known else Interval(0.0, rise.high)


def _warmth(card: Subject, ask: Ask) -> Interval:
    """Power a GPU gives to the air behind it."""
    return ZERO if ask("gpu.needs_radiator", card) else ask.number("gpu.sustained_power", card)


def _larger(card: Subject, ask: Ask) -> Interval:
    """By how much the cooler of a GPU beyond the model's range moves more air: one or less."""
    share = _LARGEST / ask.number("gpu.board_power", card)
    return Interval(min(1.0, share.low), min(1.0, share.high))


def _fading(gap: Interval, reach: Interval) -> Interval:
    """Share of a neighbour's heat that crosses a gap."""
    if not reach.is_known or reach.low <= 0:
        return Interval(0.0, 1.0)
    ends = ((gap.high, reach.low), (gap.low, reach.high))
    low, high = (math.exp(-max(0.0, g) / r) for g, r in ends)
    return Interval(low, high)


@graph("gpu.resistance", units.NUMBER)
def resistance(card: Subject, ask: Ask) -> Any:
    """Kelvin per watt from its intake air to the chip.

    That of its kind of cooler, by size; at most what lets the GPU hold its default power
    by itself, since makers see to that.
    """
    kind, spread = ask("gpu.cooling", card), ask("gpu.thermal_resistance", card)
    default = ask("gpu.board_power", card)
    if spread is None or default is None:
        return None
    if kind in OPEN:
        spread = _within(spread, ask.number("gpu.thickness", card), _THIN, _THICK)
    elif kind == "blower":
        spread = _within(spread, default, _WEAK, _STRONG)
    spread = spread * _larger(card, ask)
    limit = ask("gpu.throttle_temperature", card)
    if limit is None:
        return spread
    alone = (limit - ask.number("standard.intake_design")) / default
    return Interval(min(spread.low, alone.low), min(spread.high, alone.high))


def _within(spread: Interval, size: Interval, small: float, large: float) -> Interval:
    """The part of a range that falls to a size: its top for small ones, its bottom for large."""

    def at(value: float) -> float:
        share = min(1.0, max(0.0, (value - small) / (large - small)))
        return spread.high - share * (spread.high - spread.low)

    return Interval(at(size.high), at(size.low))


@graph("gpu.temperature", units.TEMPERATURE)
def temperature(card: Subject, ask: Ask) -> Any:
    """Chip temperature without throttling, in °C."""
    kelvin = ask("gpu.resistance", card)
    power = ask.number("gpu.sustained_power", card)
    return UNKNOWN if kelvin is None else ask.number("gpu.intake", card) + kelvin * power


@graph("gpu.thermal_loss", units.NUMBER)
def thermal_loss(card: Subject, ask: Ask) -> Any:
    """Share of its speed that the chip gives up to stay below its limit."""
    limit, kelvin = ask("gpu.throttle_temperature", card), ask("gpu.resistance", card)
    if limit is None or kelvin is None:
        return Interval(0.0, 1.0)
    power = (limit - ask.number("gpu.intake", card)) / (
        kelvin * ask.number("gpu.sustained_power", card)
    )
    low, high = (1 - math.sqrt(min(1.0, max(0.0, p))) for p in (power.high, power.low))
    return Interval(low, high)
