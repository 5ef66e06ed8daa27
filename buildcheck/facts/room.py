"""The room: heat, and energy over a year."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.registry import TRUTH, Ask, gives, graph
from buildcheck.logic.quantity import ONE, Interval, exact
from buildcheck.logic.quantity import total as add_up

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

#: Conversions, not limits: BTU/h in a watt and in a ton of refrigeration, hours in a year.
_BTU_PER_WATT = exact(3.412)
_BTU_PER_TON = exact(12_000.0)
_HOURS = exact(8_760.0)
_PER_KILO = exact(1e-3)

gives("circuit.states_room_cooling", "room_cooling")
gives("circuit.states_ambient", "ambient")


@graph("circuit.heat", units.POWER)
def heat(circuit: Subject, ask: Ask) -> Interval:
    """Heat into the room at work: all that the machine takes from the wall."""
    if not ask.graph.out("supplies", circuit):
        return Interval(ask.number("build.least_power").low, math.inf)
    return ask.number("circuit.psu_input", circuit)


@graph("circuit.heat_btu_per_hour", units.NUMBER)
def heat_btu_per_hour(circuit: Subject, ask: Ask) -> Interval:
    """Heat in BTU per hour, as air conditioners are sold."""
    return btu_per_hour(ask.number("circuit.heat", circuit))


def btu_per_hour(power: Interval) -> Interval:
    """Watts as BTU per hour."""
    return power * _BTU_PER_WATT


@graph("workload.states_use", TRUTH)
def states_use(workload: Subject, ask: Ask) -> bool:
    """Does the build say how much of the year the machine works?"""
    return workload.value("use") is not None or ask("workload.runs_nonstop", workload)


@graph("workload.share_of_year", units.NUMBER)
def share_of_year(workload: Subject, ask: Ask) -> Any:
    """Share of the year the machine works, as the build states."""
    return ONE if ask("workload.runs_nonstop", workload) else ask("workload.use", workload)


def over_a_year(power: Interval, use: Interval) -> Interval:
    """The energy, in kWh, of a power, in W, over a share of the year."""
    return power * _PER_KILO * _HOURS * use


@graph("circuit.yearly_energy", units.ENERGY)
def yearly_energy(circuit: Subject, ask: Ask) -> Any:
    """Energy from the wall over a year at work."""
    use = ask("workload.share_of_year")
    return None if use is None else over_a_year(ask.number("cost.work_power"), use)


@graph("circuit.yearly_idle_energy", units.ENERGY)
def yearly_idle_energy(circuit: Subject, ask: Ask) -> Any:
    """Energy that the GPUs alone take over a year while they idle, if never switched off."""
    use = ask("workload.share_of_year")
    if use is None:
        return None
    idle = add_up([ask.number("gpu.idle_power", card) for card in ask.graph.of("gpu")])
    return over_a_year(idle, ONE - use)
