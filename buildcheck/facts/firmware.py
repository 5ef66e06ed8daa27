"""Firmware: address space, ReBAR, IOMMU, and what copies from GPU to GPU need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.registry import Ask, graph
from buildcheck.logic.quantity import Interval
from buildcheck.logic.quantity import total as add_up

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject


# On for the GPUs' own transfers, not in passthrough.


def _next_power(value: float) -> float:
    """The next power of two: the size of a window in the address space."""
    power = 1.0
    while power < value:
        power *= 2
    return power


@graph("build.address_space", units.DATA)
def address_space(build: Subject, ask: Ask) -> Any:
    """Address space for all memory of all GPUs: a window of a power of two for each."""
    windows = []
    for card in ask.graph.ends("cards", build):
        memory = ask("gpu.memory", card)
        if memory is None:
            return None
        windows.append(Interval(_next_power(memory.low), _next_power(memory.high)))
    return add_up(windows)


def _fixed_windows(build: Subject, ask: Ask) -> list[Subject]:
    """GPUs for data centres: they map all their memory, whatever the firmware offers."""
    return [c for c in ask.graph.ends("cards", build) if ask("gpu.is_data_centre_card", c)]


@graph("build.largest_fixed_window", units.DATA)
def largest_fixed_window(build: Subject, ask: Ask) -> Any:
    """The largest window that a GPU needs in one piece; zero without such a GPU."""
    sizes = [ask("gpu.memory", card) for card in _fixed_windows(build, ask)]
    if None in sizes:
        return None
    lows, highs = [_next_power(s.low) for s in sizes], [_next_power(s.high) for s in sizes]
    return Interval(max(lows, default=0.0), max(highs, default=0.0))
