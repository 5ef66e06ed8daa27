"""The UPS: its load, and what it can carry."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.circuit import makes_current
from buildcheck.facts.registry import Ask, gives, graph, is_listed
from buildcheck.logic.quantity import ZERO, Interval
from buildcheck.logic.quantity import total as add_up

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

is_listed("ups.is_listed")
# On battery it gives steps instead of a sine.
gives("ups.states_plug", "outlet_current")


def _load(ups: Subject, ask: Ask, name: str) -> Interval:
    """Its load: the PSUs it backs up, and the other load stated."""
    backed = ask.graph.ends("backs", ups)
    other = ask.number("ups.added_load", ups)
    if not backed:
        # Any PSU draws at least the power of GPUs and CPU.
        return other + Interval(ask.number("build.least_power").low, math.inf)
    return add_up([other, *(ask.number(name, psu) for psu in backed)])


def _loaded(name: str, of: str) -> None:
    """Declare its load where its PSUs draw a power."""
    graph(name, units.POWER)(lambda ups, ask: _load(ups, ask, of))


# Sustained, and in the GPUs' excursions of 100 ms; and the current through its own mains plug.
_loaded("ups.load", of="psu.input_power")
_loaded("ups.peak_load", of="psu.input_power_peak")
makes_current("ups.current", of="ups.load")


@graph("ups.added_load", units.POWER)
def added_load(ups: Subject, ask: Ask) -> Interval:
    """Watts of other devices on it, which reach the wall through it; none unless stated."""
    return ZERO if ups.value("other_load") is None else ask.number("ups.other_load", ups)


# Volt-amperes are plain numbers here, so that they are not mistaken for watts.


@graph("ups.volt_amperes", units.NUMBER)
def volt_amperes(ups: Subject, ask: Ask) -> Any:
    """Volt-amperes it is made for."""
    return ask("ups.apparent_power", ups)


@graph("ups.volt_amperes_drawn", units.NUMBER)
def volt_amperes_drawn(ups: Subject, ask: Ask) -> Any:
    """Sustained volt-amperes on it."""
    factor = ask("standard.power_factor")
    return None if factor is None else ask.number("ups.load", ups) / factor


@graph("ups.voltage_distance", units.NUMBER)
def voltage_distance(ups: Subject, ask: Ask) -> Any:
    """Distance of the site's voltage from the rated voltage, as a share of it; 0 within."""
    made_for, site = ask("ups.voltage", ups), ask("circuit.voltage")
    if made_for is None or site is None:
        return None
    ends = [_distance(volts, made_for) for volts in (site.low, site.high)]
    overlap = site.low <= made_for.high and made_for.low <= site.high
    return Interval(0.0 if overlap else min(ends), max(ends))


def _distance(volts: float, made_for: Interval) -> float:
    if volts < made_for.low:
        return (made_for.low - volts) / made_for.low
    return max(0.0, volts - made_for.high) / made_for.high


@graph("ups.output_voltage", units.VOLTAGE)
def output_voltage(ups: Subject, ask: Ask) -> Any:
    """Voltage on battery, in V: of several rated ones, the nearest to the site's."""
    made_for, site = ask("ups.voltage", ups), ask("circuit.voltage")
    if made_for is None or site is None:
        return made_for
    return Interval(_nearest(site.low, made_for), _nearest(site.high, made_for))


def _nearest(volts: float, made_for: Interval) -> float:
    return min(max(volts, made_for.low), made_for.high)


@graph("psu.least_voltage", units.VOLTAGE)
def least_voltage(psu: Subject, ask: Ask) -> Interval:
    """The lowest nominal voltage a PSU gets: the outlet's, or that of the UPS behind it.

    Many UPS units pass the mains on as it is, and give their own voltage on battery.
    """
    least = ask.number("circuit.voltage")
    for edge in ask.graph.into("backs", psu):
        gives = ask.number("ups.output_voltage", ask.graph.subjects[edge.start])
        least = Interval(min(least.low, gives.low), min(least.high, gives.high))
    return least
