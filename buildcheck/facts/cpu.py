"""CPUs: threads and cores for each card, how many go together, and their memory nodes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.registry import TRUTH, Ask, graph
from buildcheck.model.quantity import ONE, Interval, exact

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

#: One or more: what is known of a count nobody gives.
_AT_LEAST_ONE = Interval(1.0, math.inf)


def _per_card(cpu: Subject, ask: Ask, name: str) -> Any:
    number = ask(name, cpu)
    cards = len(ask.graph.of("gpu"))
    return None if number is None or not cards else number * exact(cpu.count) / exact(cards)


@graph("cpu.threads_per_card", units.NUMBER)
def threads_per_card(cpu: Subject, ask: Ask) -> Any:
    """Hardware threads for each card."""
    return _per_card(cpu, ask, "cpu.threads")


@graph("cpu.cores_per_card", units.NUMBER)
def cores_per_card(cpu: Subject, ask: Ask) -> Any:
    """Cores for each card."""
    return _per_card(cpu, ask, "cpu.cores")


@graph("cpu.count", units.NUMBER)
def cpu_count(cpu: Subject, ask: Ask) -> Interval:  # noqa: ARG001 - a fact's signature
    """CPUs listed."""
    return exact(cpu.count if cpu.listed else 0)


@graph("cpu.most_together", units.NUMBER)
def most_together(cpu: Subject, ask: Ask) -> Interval:
    """How many of them work in one machine; one always does."""
    return ask("cpu.sockets_max", cpu) or _AT_LEAST_ONE


@graph("motherboard.sockets", units.NUMBER)
def sockets(board: Subject, ask: Ask) -> Interval:
    """CPU sockets; every board has one."""
    return ask("motherboard.cpu_sockets", board) or _AT_LEAST_ONE


@graph("motherboard.has_several_sockets", TRUTH)
def has_several_sockets(board: Subject, ask: Ask) -> bool:
    """Is it said to be made for more than one CPU?"""
    return ONE.is_below(ask("motherboard.sockets", board)) is True


@graph("cpu.states_memory_nodes", TRUTH)
def states_memory_nodes(cpu: Subject, ask: Ask) -> bool:
    """Is it known that there may be several memory nodes, by its data or by their number?"""
    return ask("cpu.numa_nodes", cpu) is not None or cpu.count > 1


@graph("cpu.all_memory_nodes", units.NUMBER)
def all_memory_nodes(cpu: Subject, ask: Ask) -> Interval:
    """Memory nodes of all CPUs; each has one at least."""
    nodes = ask("cpu.numa_nodes", cpu) or _AT_LEAST_ONE
    found: Interval = nodes * exact(cpu.count)
    return found
