"""The UPS: its load, and what it can carry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.registry import Ask, graph
from buildcheck.logic.quantity import Interval

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject


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
