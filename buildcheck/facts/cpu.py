"""CPUs: threads and cores for each GPU, how many go together, memory nodes; RAM."""

from __future__ import annotations

from typing import Any

from buildcheck import units
from buildcheck.facts.registry import CODES, TRUTH, Ask, graph
from buildcheck.logic.quantity import exact
from buildcheck.model.graph import Subject

#: Sockets whose CPUs have lids larger than the plates of most coolers.
_LARGE = frozenset({"TR4", "sTRX4", "sWRX8", "sTR5", "SP3", "SP5", "SP6"})
#: Sockets of servers alone; low coolers with strong fans are made for them.
_SERVER = frozenset({"SP3", "SP5", "SP6", "LGA3647", "LGA4189", "LGA4677"})


def _only_for(cooler: Subject, ask: Ask, sockets: frozenset[str]) -> bool:
    made_for = ask("cooler.sockets", cooler)
    return bool(made_for) and made_for <= sockets


@graph("cooler.is_for_servers", TRUTH)
def is_for_servers(cooler: Subject, ask: Ask) -> bool:
    """Is it made for server sockets alone?"""
    return _only_for(cooler, ask, _SERVER)


@graph("cooler.mounts_on_the_cpu", TRUTH)
def mounts_on_the_cpu(cooler: Subject, ask: Ask) -> bool | None:
    """Does it list the CPU's socket, or another one with the same mount?

    Large sockets share mounts with some of each other, so there it has to be known with which.
    """
    if cooler.value("comes_with_cpu") is True:
        return True
    made_for, socket = ask("cooler.sockets", cooler), ask("cpu.socket")
    if made_for is None or socket is None:
        return None
    if socket in made_for:
        return True
    others = ask("cpu.cooler_sockets")
    if others is None:
        return None if socket in _LARGE and made_for & _LARGE else False
    return bool(made_for & others)


@graph("cpu.has_a_large_lid", TRUTH)
def has_a_large_lid(cpu: Subject, ask: Ask) -> bool | None:
    """Is its lid larger than the plates of most coolers?"""
    socket = ask("cpu.socket", cpu) or ask("motherboard.socket")
    return None if socket is None else socket in _LARGE


@graph("cooler.covers_the_lid", TRUTH)
def covers_the_lid(cooler: Subject, ask: Ask) -> bool | None:
    """Does its plate cover a large lid? One made for such sockets alone does."""
    stated: bool | None = ask("cooler.covers_lid", cooler)
    return True if stated is None and _only_for(cooler, ask, _LARGE) else stated


# -- memory --------------------------------------------------------------------


@graph("memory.uneven_modules", units.NUMBER)
def uneven_modules(memory: Subject, ask: Ask) -> Any:
    """Modules left over when as many as possible are spread evenly over the channels.

    An even spread puts the same number on every channel, or one on each channel of an
    equal part of them: 2 of 4 leaves nothing over, 3 of 4 leaves one.
    """
    modules, channels = ask("memory.modules", memory), ask("cpu.all_channels")
    if modules is None or channels is None or not (modules.is_exact and channels.is_exact):
        return None
    listed, there = int(modules.low), int(channels.low)
    if listed >= there:
        return exact(listed % there)
    return exact(listed - max(n for n in range(1, listed + 1) if there % n == 0))


@graph("motherboard.module_kinds", CODES)
def module_kinds(board: Subject, ask: Ask) -> Any:
    """Kinds of memory module that both the board and the CPU's platform take."""
    own, platform = ask("motherboard.memory_modules", board), ask("cpu.memory_modules")
    if own is None or platform is None:
        return platform if own is None else own
    return own & platform
