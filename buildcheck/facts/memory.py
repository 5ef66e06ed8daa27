"""RAM: how much, over how many channels, what needs it, and which modules go together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.registry import CODES, Ask, graph
from buildcheck.logic.quantity import exact

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject


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
