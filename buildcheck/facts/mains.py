"""A PSU at the wall: what it takes from the mains, and what inlet and voltage allow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.power import along
from buildcheck.facts.registry import TRUTH, Ask, graph, states
from buildcheck.model.quantity import UNKNOWN, Interval

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

states("psu.input_range_is_stated", "input_voltage_min")


@graph("circuit.is_low_line", TRUTH)
def is_low_line(circuit: Subject, ask: Ask) -> bool | None:
    """Is its voltage in the low range, 100 to 127 V?"""
    voltage, most = ask("circuit.voltage", circuit), ask("standard.low_line_max")
    if voltage is None or most is None:
        return None
    answer: bool | None = voltage.is_at_most(most)
    return answer


def mains_current(ask: Ask, watts: Interval) -> Any:
    """The current of a power, in W, at the site."""
    voltage, factor = ask("circuit.voltage"), ask("standard.power_factor")
    return None if voltage is None or factor is None else watts / (voltage * factor)


def _input(psu: Subject, ask: Ask, load: Interval) -> Interval:
    """Input power for an output load, by the PSU's efficiency curve."""
    rated = ask.number("psu.rated_power", psu)
    # Without a site the low mains voltage is assumed, where PSUs are less efficient.
    high_line = ask("circuit.is_low_line") is False
    curve = ask("psu.efficiency_high_line" if high_line else "psu.efficiency_low_line", psu)
    if curve is None:
        # No PSU gives more than it takes.
        return Interval(load.low, UNKNOWN.high)
    share = load / rated
    inside = [y for x, y in curve if share.low <= x <= share.high]
    reached = [along(curve, share.low), along(curve, share.high), *inside]
    return Interval(load.low / max(reached), load.high / min(reached))


@graph("psu.input_power", units.POWER)
def input_power(psu: Subject, ask: Ask) -> Interval:
    """Sustained power from the wall."""
    return _input(psu, ask, ask.number("psu.train_load", psu))


@graph("psu.input_power_worst", units.POWER)
def input_power_worst(psu: Subject, ask: Ask) -> Interval:
    """Power from the wall at full CPU and GPU load."""
    return _input(psu, ask, ask.number("psu.worst_load", psu))


@graph("psu.input_power_peak", units.POWER)
def input_power_peak(psu: Subject, ask: Ask) -> Interval:
    """Power from the wall in GPU excursions of 100 ms."""
    return _input(psu, ask, ask.number("psu.peak_load_100ms", psu))


@graph("psu.input_current", units.CURRENT)
def input_current(psu: Subject, ask: Ask) -> Any:
    """Sustained current through its inlet and cord."""
    return mains_current(ask, ask.number("psu.input_power", psu))


@graph("psu.inlet_current", units.CURRENT)
def inlet_current(psu: Subject, ask: Ask) -> Any:
    """What its mains inlet is made for: North American ratings on low voltage, else IEC's."""
    low_line = ask("circuit.is_low_line")
    if low_line is None:
        return None
    return ask("psu.current" if low_line else "psu.current_iec", psu)


@graph("psu.states_inlet", TRUTH)
def states_inlet(psu: Subject, ask: Ask) -> bool:
    """Is it known which mains inlet it has?"""
    return psu.value("current") is not None and psu.value("current_iec") is not None
