"""RAM: how much, over how many channels, what needs it, and which modules go together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.registry import CODE, CODES, TRUTH, Ask, graph
from buildcheck.logic.interval import either
from buildcheck.logic.quantity import Interval, exact

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject


@graph("module.amount", units.DATA)
def amount(entry: Subject, ask: Ask) -> Any:
    """Memory of one entry: its total times its count, or its modules."""
    whole, size = ask("module.total", entry), ask("module.module", entry)
    if whole is not None:
        return whole * exact(entry.count)
    modules = ask("module.count", entry)
    return None if size is None or modules is None else size * modules


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


#: Kinds of module that are full-length ones.
_FULL_LENGTH = frozenset({"rdimm", "lrdimm"})


@graph("module.is_plain", TRUTH)
def is_plain(entry: Subject, ask: Ask) -> bool:
    """Is it of unstated kind, on a board for which only unbuffered modules are sold?"""
    return ask("module.kind", entry) is None and ask("motherboard.module_kinds") == {"udimm"}


def _stated(memory: Subject, ask: Ask, name: str) -> list[Any]:
    return [ask(f"module.{name}", entry) for entry in ask.graph.ends("holds", memory)]


def _different(values: list[Any]) -> Interval:
    """Number of different values; a range where some are not known."""
    known = set(values) - {None}
    unknown = values.count(None)
    return Interval(max(1.0, len(known)), max(1.0, len(known) + unknown))


@graph("memory.kinds", units.NUMBER)
def kinds(memory: Subject, ask: Ask) -> Interval:
    """Number of kinds of listed modules, by generation or buffering."""
    buffers, ages = (_different(_stated(memory, ask, name)) for name in ("kind", "generation"))
    return Interval(max(buffers.low, ages.low), max(buffers.high, ages.high))


@graph("memory.sizes", units.NUMBER)
def sizes(memory: Subject, ask: Ask) -> Interval:
    """Number of different sizes of listed modules."""
    return _different(_stated(memory, ask, "module"))


@graph("memory.module_kind", CODE)
def module_kind(memory: Subject, ask: Ask) -> Any:
    """udimm, rdimm or lrdimm, if all entries are the same."""
    found = set(_stated(memory, ask, "kind"))
    return found.pop() if len(found) == 1 else None


def _is_buffered(entry: Subject, ask: Ask) -> bool | None:
    if ask("module.is_plain", entry):
        return False
    module = ask("module.kind", entry)
    return None if module is None else module != "udimm"


@graph("memory.generation", CODE)
def generation(memory: Subject, ask: Ask) -> Any:
    """Generation of the modules, such as DDR4, if all entries say the same."""
    found = set(_stated(memory, ask, "generation"))
    return found.pop() if len(found) == 1 else None


@graph("memory.is_unbuffered_ddr5", TRUTH)
def is_unbuffered_ddr5(memory: Subject, ask: Ask) -> bool | None:
    """Is it desktop memory of the fifth generation, in all entries?

    Not so where the CPU takes no such modules.
    """
    taken = (ask("cpu.memory_generations"), "DDR5"), (ask("cpu.memory_modules"), "udimm")
    if any(among is not None and code not in among for among, code in taken):
        return False
    agreed = ask("memory.generation", memory)
    buffered = [_is_buffered(entry, ask) for entry in ask.graph.ends("holds", memory)]
    wrong = either([None if agreed is None else agreed != "DDR5", *buffered])
    return None if wrong is None else not wrong


@graph("motherboard.module_kinds", CODES)
def module_kinds(board: Subject, ask: Ask) -> Any:
    """Kinds of memory module that both the board and the CPU's platform take."""
    own, platform = ask("motherboard.memory_modules", board), ask("cpu.memory_modules")
    if own is None or platform is None:
        return platform if own is None else own
    return own & platform


@graph("motherboard.module_form", CODE)
def module_form(board: Subject, ask: Ask) -> Any:
    """Form of module that its slots take, by its sheet or its size, or by the kinds it takes."""
    said = ask("motherboard.memory_form", board)
    registered = _FULL_LENGTH & (ask("motherboard.module_kinds", board) or frozenset())
    return "DIMM" if said is None and registered else said
