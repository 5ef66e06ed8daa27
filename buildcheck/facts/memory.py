"""RAM: how much, over how many channels, and what needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.registry import TRUTH, Ask, graph, states
from buildcheck.model.quantity import Interval, exact
from buildcheck.model.quantity import total as add_up

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

#: Bytes of one single-precision number, of which each GPU holds a gradient per parameter.
_SINGLE = 4

states("motherboard.states_module_size", "module_max")
states("motherboard.states_memory_per_slot", "memory_per_slot")
states("workload.states_checkpoint", "checkpoint")


@graph("module.amount", units.DATA)
def amount(entry: Subject, ask: Ask) -> Any:
    """Memory of one entry: its total times its count, or its modules."""
    whole, size = ask("module.total", entry), ask("module.module", entry)
    if whole is not None:
        return whole * exact(entry.count)
    modules = ask("module.count", entry)
    return None if size is None or modules is None else size * modules


@graph("module.size", units.DATA)
def size(entry: Subject, ask: Ask) -> Any:
    """Memory of one module; at most that of the whole entry where not stated."""
    said = ask("module.module", entry)
    whole = ask("module.amount", entry) if said is None else None
    return said if whole is None else Interval(0.0, whole.high)


@graph("memory.total", units.DATA)
def memory_total(memory: Subject, ask: Ask) -> Any:
    """All memory of the machine."""
    parts = [ask("module.amount", entry) for entry in ask.graph.ends("holds", memory)]
    return None if None in parts else add_up(parts)


@graph("memory.modules", units.NUMBER)
def memory_modules(memory: Subject, ask: Ask) -> Any:
    """All modules of the machine."""
    parts = [ask("module.count", entry) for entry in ask.graph.ends("holds", memory)]
    return None if None in parts else add_up(parts)


@graph("motherboard.memory_per_slot", units.DATA)
def memory_per_slot(board: Subject, ask: Ask) -> Any:
    """The most memory it supports, shared out over its slots."""
    most, slots = ask("motherboard.memory_max", board), ask("motherboard.memory_slots", board)
    return None if most is None or slots is None else most / slots


@graph("cpu.all_channels", units.NUMBER)
def all_channels(cpu: Subject, ask: Ask) -> Any:
    """Memory channels of all CPUs in their sockets."""
    channels = ask("cpu.memory_channels", cpu)
    return None if channels is None else channels * exact(cpu.count)


@graph("memory.distribution_is_known", TRUTH)
def distribution_is_known(memory: Subject, ask: Ask) -> bool:
    """Are both the modules and the channels known?"""
    return ask("memory.modules", memory) is not None and ask("cpu.all_channels") is not None


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


@graph("memory.per_channel", units.NUMBER)
def per_channel(memory: Subject, ask: Ask) -> Any:
    """Modules on each memory channel, on average."""
    modules, channels = ask("memory.modules", memory), ask("cpu.all_channels")
    return None if modules is None or channels is None else modules / channels


@graph("workload.offload_memory", units.DATA)
def offload_memory(workload: Subject, ask: Ask) -> Any:
    """RAM for training with optimizer state kept there, by DeepSpeed's estimate.

    Sixteen bytes a parameter, or a single-precision gradient for each GPU if that is
    more, plus half of that for buffers. A gigabyte is a billion bytes.
    """
    billions = ask("workload.trained_parameters", workload)
    if billions is None:
        return None
    state, spare = ask.number("standard.bytes_per_parameter"), ask.number("standard.offload_factor")
    gradients = exact(_SINGLE * len(ask.graph.of("gpu")))
    each = Interval(max(state.low, gradients.low), max(state.high, gradients.high))
    return spare * billions * each


@graph("build.process_memory", units.DATA)
def process_memory(build: Subject, ask: Ask) -> Interval:
    """RAM of the processes that drive the GPUs, one for each, before any data."""
    cards = exact(len(ask.graph.ends("cards", build)))
    return cards * ask.number("standard.context_memory")
