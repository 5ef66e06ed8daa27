"""The air in the case: what moves it, what heats it, and how warm it gets."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.registry import TRUTH, Ask, graph, total
from buildcheck.model.quantity import ONE, ZERO, Interval, exact

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

#: Of the fans a case comes with, those that blow out: the others are in series with them.
_OUT = exact(0.5)

#: What warm air moves by itself where no fan does, in CFM.
_DRAUGHT = Interval(0.0, 10.0)

total("build.card_heat", units.POWER, over="cards", of="gpu.heat_into_case")


@graph("circuit.usual_ambient", units.TEMPERATURE)
def usual_ambient(circuit: Subject, ask: Ask) -> Any:
    """Room temperature: as stated, else that of a usual room."""
    stated = ask("circuit.ambient", circuit)
    return ask("standard.usual_ambient") if stated is None else stated


@graph("case.is_closed", TRUTH)
def is_closed(case: Subject, ask: Ask) -> bool:
    """Is it anything but an open frame? An unlisted case counts as closed."""
    kind: str | None = ask("case.kind", case)
    return kind != "open frame"


@graph("cooling.lists_fans", TRUTH)
def lists_fans(cooling: Subject, ask: Ask) -> bool:
    """Does the build say what moves the air through the case?"""
    fans = ask("cooling.exhaust_fans", cooling)
    return ask("cooling.airflow", cooling) is not None or (fans is not None and fans.low > 0)


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


@graph("gpu.heat_into_case", units.POWER)
def heat_into_case(card: Subject, ask: Ask) -> Interval:
    """Heat the case fans have to carry out for it.

    Only what the cooler is known to send out elsewhere does not stay. On a riser it stands
    outside, or may, unless a closed case is listed.
    """
    case = ask.graph.the("case")
    if not ask("case.is_closed", case):
        return ZERO
    share = ask("gpu.exhaust_share", card)
    heat = ask.number("gpu.sustained_power", card) * (ONE - (share or ZERO))
    return (
        Interval(0.0, heat.high) if ask("gpu.is_riser_mounted", card) and not case.listed else heat
    )


@graph("build.heat_inside", units.POWER)
def heat_inside(build: Subject, ask: Ask) -> Interval:
    """Heat of GPUs and CPUs that the air through the case carries out."""
    return ask.number("build.card_heat", build) + ask.number("cpu.work_power")


@graph("build.air_rise", units.TEMPERATURE)
def air_rise(build: Subject, ask: Ask) -> Interval:
    """Temperature rise of the air through the case, in K."""
    carried = ask.number("standard.air_heat_capacity") * ask.number("cooling.moved_air")
    return ask.number("build.heat_inside", build) / carried
