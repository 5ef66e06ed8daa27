"""Firmware: address space, ReBAR, IOMMU, and what copies from GPU to GPU need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.registry import TRUTH, Ask, graph
from buildcheck.logic.quantity import Interval
from buildcheck.logic.quantity import total as add_up

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

#: Chipsets whose firmware is older than GPUs that map all their memory.
_BEFORE_LARGE_BARS = frozenset(
    {
        *("X79", "C602", "C606", "X99", "C612", "X299", "C422", "C621", "X399"),
        *("Z77", "Z87", "Z97", "H97", "B85", "Z170", "H170", "B150", "Z270", "B250"),
        *("X370", "B350"),
    }
)

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


@graph("build.has_fixed_window", TRUTH)
def has_fixed_window(build: Subject, ask: Ask) -> bool:
    """Is there a GPU that always maps all its memory?"""
    return bool(_fixed_windows(build, ask))


@graph("build.largest_fixed_window", units.DATA)
def largest_fixed_window(build: Subject, ask: Ask) -> Any:
    """The largest window that a GPU needs in one piece; zero without such a GPU."""
    sizes = [ask("gpu.memory", card) for card in _fixed_windows(build, ask)]
    if None in sizes:
        return None
    lows, highs = [_next_power(s.low) for s in sizes], [_next_power(s.high) for s in sizes]
    return Interval(max(lows, default=0.0), max(highs, default=0.0))


@graph("motherboard.is_older_than_large_cards", TRUTH)
def is_older_than_large_cards(board: Subject, ask: Ask) -> bool:
    """Is its chipset known as one from before GPUs that map all their memory?"""
    return ask("motherboard.chipset", board) in _BEFORE_LARGE_BARS


@graph("build.copies_between_cards", TRUTH)
def copies_between_cards(build: Subject, ask: Ask) -> bool:
    """Does one job copy directly from GPU to GPU, as far as the build states?

    Several GPUs, all of them able to by their stock driver, on a job that exchanges data;
    or a build that states it relies on such copies. GPUs not stated to be able are not.
    """
    cards = ask.graph.ends("cards", build)
    if len(cards) == 1 or not cards:
        return False
    if ask("workload.relies_on_peers"):
        return True
    if any(ask("gpu.peer_to_peer", card) is not True for card in cards):
        return False
    return ask("workload.trains_together") is True
