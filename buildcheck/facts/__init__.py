"""What is: every fact rules can ask for, one module per domain of physics."""

from buildcheck.facts import circuit, cooling, excursions, machine, pcie, plugs, power, space
from buildcheck.facts.registry import FACTS

__all__ = [
    "FACTS",
    "circuit",
    "cooling",
    "excursions",
    "machine",
    "pcie",
    "plugs",
    "power",
    "space",
]
