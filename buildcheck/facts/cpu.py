"""CPUs: threads and cores for each GPU, how many go together, and their memory nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.registry import TRUTH, Ask, graph
from buildcheck.logic.interval import either
from buildcheck.logic.quantity import Interval, exact

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject


def _per_card(name: str, of: str) -> None:
    """Declare what there is of the CPUs for each GPU."""

    @graph(name, units.NUMBER)
    def per_card(cpu: Subject, ask: Ask) -> Any:
        number, cards = ask(of, cpu), len(ask.graph.of("gpu"))
        return None if number is None or not cards else number * exact(cpu.count) / exact(cards)


_per_card("cpu.threads_per_card", of="cpu.threads")
_per_card("cpu.cores_per_card", of="cpu.cores")


@graph("cpu.times", units.NUMBER)
def times(cpu: Subject, ask: Ask) -> Interval:
    """CPUs of its entry; one where none is listed."""
    return exact(cpu.count)


@graph("cpu.count", units.NUMBER)
def cpu_count(cpu: Subject, ask: Ask) -> Interval:
    """CPUs listed."""
    return exact(cpu.count if cpu.listed else 0)


def _modules_beyond(board: Subject, ask: Ask, cpus: Interval) -> bool | None:
    """Are there more memory modules than the filled sockets have slots for?"""
    modules, slots = ask("memory.modules"), ask("motherboard.memory_slots", board)
    if modules is None or slots is None:
        return None
    reachable = slots * cpus / ask("motherboard.sockets", board)
    answer: bool | None = reachable.is_below(modules)
    return answer


def _sits_at_second(card: Subject, ask: Ask) -> bool | None:
    """Is its slot one of the second CPU? A GPU without a slot is at none."""
    owners = [edge.data["owner"] for edge in ask.graph.out("seated", card)]
    return either([None if owner is None else owner == "cpu2" for owner in owners])


@graph("motherboard.needs_empty_socket", TRUTH)
def needs_empty_socket(board: Subject, ask: Ask) -> bool | None:
    """Are GPUs or memory modules connected to a socket without a CPU?"""
    cpus, there = ask("cpu.count"), ask("motherboard.sockets", board)
    if there.is_at_most(cpus) is True:
        return False
    cards = [*ask.graph.of("gpu"), *ask.graph.of("addin")]
    at_second = [_sits_at_second(card, ask) for card in cards]
    return either([*at_second, _modules_beyond(board, ask, cpus)])


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
