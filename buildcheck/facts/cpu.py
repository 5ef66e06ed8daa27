"""CPUs: threads and cores for each GPU, how many go together, and their memory nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.facts.registry import TRUTH, Ask, graph

if TYPE_CHECKING:
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
