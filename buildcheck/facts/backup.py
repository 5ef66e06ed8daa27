"""The UPS: its load, and what it can carry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck import units
from buildcheck.facts.registry import Ask, graph
from buildcheck.logic.quantity import Interval

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject


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
