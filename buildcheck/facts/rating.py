"""Usable power of a PSU at its site: rating, mains voltage, temperature, the maker's minimum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.power import along
from buildcheck.facts.registry import Ask, graph
from buildcheck.facts.supplies import fed
from buildcheck.logic.quantity import UNKNOWN, ZERO, Interval, exact, least

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

#: Mains voltage of a standard's cap for data sheets that state none.
_CAP_VOLTAGE = exact(120.0)
#: An unknown efficiency.
_SOME = Interval(0.0, 1.0)


@graph("psu.mains_power", units.POWER)
def mains_power(psu: Subject, ask: Ask) -> Interval:
    """Continuous output at the voltage of the site, in air no warmer than it is rated for."""
    rated = ask.number("psu.rated_power", psu)
    low_line = ask("circuit.is_low_line")
    if low_line is False:
        return rated
    if low_line is None and (lowest := ask("psu.input_voltage_min", psu)) is not None:
        most = ask("standard.low_line_max")
        if most is not None and most.is_below(lowest):
            return rated  # That the voltage may be too low for it is another rule.
    lower = _low_line_power(psu, ask, rated)
    return lower if low_line else lower.hull(rated)


def _low_line_power(psu: Subject, ask: Ask, rated: Interval) -> Interval:
    """Output at 100 to 127 V, in W: as stated, otherwise assumed."""
    stated: Interval | None = ask("psu.rated_power_low_line", psu)
    if stated is not None:
        return stated
    cap = ask("psu.low_line_allowance", psu)
    if cap is None:
        return Interval(0.0, rated.high)
    return least([rated, cap]) or rated


@graph("psu.low_line_allowance", units.POWER)
def low_line_allowance(psu: Subject, ask: Ask) -> Any:
    """Output assumed at the site's low voltage: no more than standard and inlet allow.

    What limits is the current, so that a lower voltage leaves less power.
    """
    voltage = ask("circuit.voltage") or _CAP_VOLTAGE
    allowed = [limit(psu, ask, voltage) for limit in (_standard_power, _inlet_power)]
    known = [power for power in allowed if power is not None]
    return least(known)


def _standard_power(psu: Subject, ask: Ask, voltage: Interval) -> Interval | None:
    """A cap for units of its standard that goes with the voltage."""
    cap: Interval | None = ask("psu.low_line_cap", psu)
    if cap is None:
        return None
    return least([cap, cap * (voltage / _CAP_VOLTAGE)])


def _inlet_power(psu: Subject, ask: Ask, voltage: Interval) -> Interval | None:
    """Output that the current of the mains inlet allows at full load."""
    current = psu.value("current") or _some_inlet(psu, ask, voltage)
    factor, curve = ask("standard.power_factor"), ask("psu.efficiency_low_line", psu)
    if current is None or factor is None:
        return None
    efficiency = _SOME if curve is None else exact(along(curve, 1.0))
    power: Interval = voltage * current * factor * efficiency
    return power


def _some_inlet(psu: Subject, ask: Ask, voltage: Interval) -> Interval | None:
    """Current of an inlet that is not stated: the smallest, or any larger one.

    A PSU capped by its standard is assumed to have a larger inlet.
    """
    rated, cap = ask.number("psu.rated_power", psu), _standard_power(psu, ask, voltage)
    smallest = ask("standard.inlet_least")
    if smallest is None or cap is None or not rated.is_at_most(cap):
        return None
    ask("psu.inlet", psu)
    return Interval(smallest.low, UNKNOWN.high)


@graph("psu.recommended_power", units.POWER)
def recommended_power(psu: Subject, ask: Ask) -> Any:
    """The largest PSU that the maker of a GPU on it asks for."""
    asked = [ask("gpu.recommended_psu", card) for card in fed(psu, ask)]
    if not asked:
        return ZERO
    if None in asked:
        return None
    return Interval(max(a.low for a in asked), max(a.high for a in asked))
