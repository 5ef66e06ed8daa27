"""CPU, board, case and cooler: what goes with what; RAM; address space."""

import math
from typing import Any

from buildcheck import units
from buildcheck.facts.registry import CODES, TRUTH, Ask, graph
from buildcheck.logic.quantity import UNKNOWN, Interval, exact
from buildcheck.model.graph import Subject

#: Sockets whose CPUs have lids larger than the plates of most coolers.
_LARGE = frozenset({"TR4", "sTRX4", "sWRX8", "sTR5", "SP3", "SP5", "SP6"})


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


_SMALL = frozenset({"microATX", "Mini-ITX"})
#: Boards that fit the holes of a larger form.
_STAND_ON = {
    "microATX": frozenset({"Mini-ITX"}),
    "ATX": _SMALL,
    "SSI CEB": _SMALL | {"ATX"},
    "E-ATX": _SMALL | {"ATX"},
    "XL-ATX": _SMALL | {"ATX"},
    "SSI EEB": _SMALL | {"ATX", "SSI CEB"},
    "HPTX": _SMALL | {"ATX", "E-ATX", "SSI CEB", "SSI EEB"},
}
#: Forms of the size of E-ATX with holes of their own.
_SAME_SIZE = {"E-ATX": frozenset({"SSI CEB", "SSI EEB"})}
#: Openings of an ATX case, by its specification: boards above that reach down to an eighth.
_ATX_OPENINGS = 7


@graph("case.boards_by_holes", CODES)
def boards_by_holes(case: Subject, ask: Ask) -> Any:
    """Forms of board that fit its standoffs: those listed, and smaller ones on the same holes.

    Of a list that may lack forms it is known only that the board is in it.
    """
    listed = ask("case.board_form_factors", case)
    if listed is not None:
        return _with_smaller(listed)
    some = _with_smaller(ask("case.boards_at_least", case) or frozenset())
    return some if ask("motherboard.form_factor") in some else None


def _with_smaller(forms: frozenset[str]) -> frozenset[str]:
    return forms.union(*(_STAND_ON.get(form, frozenset()) for form in forms))


@graph("case.boards_by_size", CODES)
def boards_by_size(case: Subject, ask: Ask) -> Any:
    """Forms of board it has room for, though their holes may lie elsewhere."""
    fitting = ask("case.boards_by_holes", case)
    if fitting is None:
        return None
    fitting = fitting.union(*(_SAME_SIZE.get(form, frozenset()) for form in fitting))
    if "E-ATX" not in fitting or ask("motherboard.form_factor") != "XL-ATX":
        return fitting
    # No standard gives XL-ATX its height: what it needs over E-ATX is the room of more openings.
    openings = ask("case.expansion_slots", case) or UNKNOWN
    if openings.low > _ATX_OPENINGS:
        return fitting | {"XL-ATX"}
    return fitting if openings.high <= _ATX_OPENINGS else None


@graph("gpu.window", units.DATA)
def window(card: Subject, ask: Ask) -> Any:
    """Address space for all its memory: a power of two."""
    memory = ask("gpu.memory", card)
    return memory and Interval(
        *(2.0 ** math.ceil(math.log2(end)) for end in (memory.low, memory.high))
    )
