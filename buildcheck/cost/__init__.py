"""A report → what the machine costs to run and own, and when renting would have cost as much."""

from __future__ import annotations

from buildcheck.cost.assuming import assuming
from buildcheck.cost.cost import Cost, Stated, cost
from buildcheck.cost.owning import BreakEven, Owning, Price, Year, hours_in
from buildcheck.cost.renting import Rented, Renting
from buildcheck.cost.where import Where

__all__ = [
    "BreakEven",
    "Cost",
    "Owning",
    "Price",
    "Rented",
    "Renting",
    "Stated",
    "Where",
    "Year",
    "assuming",
    "cost",
    "hours_in",
]
