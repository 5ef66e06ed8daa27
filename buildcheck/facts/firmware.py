"""Firmware: address space, ReBAR, IOMMU, and what copies from GPU to GPU need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.registry import TRUTH, Ask, graph, is_surely, is_true, states
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

#: Sockets that only CPUs of servers and workstations have.
_SERVER_SOCKETS = frozenset({"SP3", "SP5", "SP6", "sWRX8", "LGA3647", "LGA4189", "LGA4677"})

is_true("motherboard.has_management", "bmc")
states("motherboard.has_firmware_quirk", "bios_note")
states("firmware.states_csm", "csm")
states("firmware.states_resizable_bar", "resizable_bar")
is_true("firmware.resizes_bars", "resizable_bar")
is_true("firmware.is_updated", "updated")
states("firmware.states_iommu", "iommu")
# On for the GPUs' own transfers, not in passthrough.
is_surely("firmware.translates_addresses", "iommu", "on")


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


@graph("firmware.states_above_4g", TRUTH)
def states_above_4g(firmware: Subject, ask: Ask) -> bool:
    """Is it known whether Above 4G decoding is on, or that the board has none?"""
    stated = ask("firmware.above_4g", firmware) is not None
    return stated or ask("motherboard.above_4g") is False


@graph("firmware.maps_above_4g", TRUTH)
def maps_above_4g(firmware: Subject, ask: Ask) -> bool | None:
    """Is Above 4G decoding on? A board without it cannot."""
    if ask("motherboard.above_4g") is False:
        return False
    on: bool | None = ask("firmware.above_4g", firmware)
    return on


@graph("motherboard.is_older_than_large_cards", TRUTH)
def is_older_than_large_cards(board: Subject, ask: Ask) -> bool:
    """Is its chipset known as one from before GPUs that map all their memory?"""
    return ask("motherboard.chipset", board) in _BEFORE_LARGE_BARS


@graph("motherboard.is_for_servers", TRUTH)
def is_for_servers(board: Subject, ask: Ask) -> bool:
    """Is it known as a board for servers or workstations, by itself or by its socket?"""
    is_large = ask("motherboard.power_class", board) == "workstation board"
    sockets = {ask("motherboard.socket", board), ask("cpu.socket")}
    return ask("motherboard.bmc", board) is True or is_large or bool(sockets & _SERVER_SOCKETS)


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
