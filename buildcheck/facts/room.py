"""The room: heat, and energy over a year."""

from __future__ import annotations

from buildcheck.logic.quantity import Interval, exact

#: Conversions, not limits: BTU/h in a watt and in a ton of refrigeration, hours in a year.
_BTU_PER_WATT = exact(3.412)
_HOURS = exact(8_760.0)
_PER_KILO = exact(1e-3)


def btu_per_hour(power: Interval) -> Interval:
    """Watts as BTU per hour."""
    return power * _BTU_PER_WATT


def over_a_year(power: Interval, use: Interval) -> Interval:
    """The energy, in kWh, of a power, in W, over a share of the year."""
    return power * _PER_KILO * _HOURS * use
