"""The wall: input power of the supplies, current on the circuit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.power import along
from buildcheck.facts.registry import TRUTH, Ask, graph, total
from buildcheck.model.quantity import UNKNOWN, Interval

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

total("circuit.supply_input", units.POWER, over="supplies", of="psu.input_power")
total("circuit.supply_input_worst", units.POWER, over="supplies", of="psu.input_power_worst")


@graph("circuit.is_stated", TRUTH)
def is_stated(circuit: Subject, ask: Ask) -> bool:
    """Does the build file say what outlet the machine will have?"""
    return (
        ask("circuit.voltage", circuit) is not None and ask("circuit.breaker", circuit) is not None
    )


@graph("circuit.is_low_line", TRUTH)
def is_low_line(circuit: Subject, ask: Ask) -> bool | None:
    """Is its voltage in the low range, 100 to 127 V?"""
    voltage, most = ask("circuit.voltage", circuit), ask("standard.low_line_max")
    if voltage is None or most is None:
        return None
    answer: bool | None = voltage.is_at_most(most)
    return answer


def _input(psu: Subject, ask: Ask, load: Interval) -> Interval:
    """Input power for an output load, by the supply's efficiency curve."""
    rated = ask.number("psu.rated_power", psu)
    # Without a site the low line is taken, where supplies are less efficient.
    high_line = ask("circuit.is_low_line") is False
    curve = ask("psu.efficiency_high_line" if high_line else "psu.efficiency_low_line", psu)
    if curve is None or not load.is_known:
        return UNKNOWN
    share = load / rated
    return Interval(load.low / _best(curve, share), load.high / _least(curve, share))


def _ends(curve: tuple[tuple[float, float], ...], share: Interval) -> list[float]:
    inside = [y for x, y in curve if share.low <= x <= share.high]
    return [along(curve, share.low), along(curve, share.high), *inside]


def _best(curve: tuple[tuple[float, float], ...], share: Interval) -> float:
    return max(_ends(curve, share))


def _least(curve: tuple[tuple[float, float], ...], share: Interval) -> float:
    return min(_ends(curve, share))


@graph("psu.input_power", units.POWER)
def input_power(psu: Subject, ask: Ask) -> Interval:
    """What it takes from the wall for hours."""
    return _input(psu, ask, ask.number("psu.train_load", psu))


@graph("psu.input_power_worst", units.POWER)
def input_power_worst(psu: Subject, ask: Ask) -> Interval:
    """What it takes from the wall for seconds."""
    return _input(psu, ask, ask.number("psu.worst_load", psu))


@graph("circuit.power", units.POWER)
def power(circuit: Subject, ask: Ask) -> Interval:
    """All supplies and whatever else hangs on the circuit, for hours."""
    supply = ask.number("circuit.supply_input", circuit)
    if not ask.graph.out("supplies", circuit):
        # Whatever supply it will be, it takes at least what the cards and the CPU draw.
        supply = Interval(ask.number("build.least_power").low, math.inf)
    return supply + ask.number("circuit.other_load", circuit)


def _current(circuit: Subject, ask: Ask, watts: Interval) -> Any:
    voltage, factor = ask("circuit.voltage", circuit), ask("standard.power_factor")
    return None if voltage is None or factor is None else watts / (voltage * factor)


@graph("circuit.current", units.CURRENT)
def current(circuit: Subject, ask: Ask) -> Any:
    """Current drawn for hours."""
    return _current(circuit, ask, ask.number("circuit.power", circuit))


@graph("circuit.worst_current", units.CURRENT)
def worst_current(circuit: Subject, ask: Ask) -> Any:
    """Current drawn for seconds with everything flat out."""
    if not ask.graph.out("supplies", circuit):
        return None
    watts = ask.number("circuit.supply_input_worst", circuit) + ask.number(
        "circuit.other_load", circuit
    )
    return _current(circuit, ask, watts)


@graph("psu.input_range_is_stated", TRUTH)
def input_range_is_stated(psu: Subject, ask: Ask) -> bool:
    """Is the lowest mains voltage it runs on known?"""
    return ask("psu.input_voltage_min", psu) is not None


@graph("circuit.has_supplies", TRUTH)
def has_supplies(circuit: Subject, ask: Ask) -> bool:
    """Does the build list any supply?"""
    return bool(ask.graph.out("supplies", circuit))
