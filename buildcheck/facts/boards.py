"""Compatibility of CPU, board, case and PSU; the display's connection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.registry import CODES, TRUTH, Ask, graph
from buildcheck.logic.quantity import Interval

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

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
#: What platforms list whose CPUs carry all slots and ports themselves.
_NO_CHIPSET = frozenset({"SoC"})


@graph("cpu.is_without_chipset", TRUTH)
def is_without_chipset(cpu: Subject, ask: Ask) -> bool:
    """Does it carry all slots and ports itself?"""
    return bool(ask("cpu.chipsets", cpu) == _NO_CHIPSET)


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
    return fitting.union(*(_SAME_SIZE.get(form, frozenset()) for form in fitting))


def _next_power(value: float) -> float:
    """The next power of two: the size of a window in the address space."""
    power = 1.0
    while power < value:
        power *= 2
    return power


@graph("gpu.memory_window", units.DATA)
def memory_window(card: Subject, ask: Ask) -> Interval | None:
    """What it takes of the address space to map all its memory, in one piece."""
    memory = ask("gpu.memory", card)
    return memory and Interval(_next_power(memory.low), _next_power(memory.high))


@graph("build.largest_fixed_window", units.DATA)
def largest_fixed_window(build: Subject, ask: Ask) -> Any:
    """That of the largest GPU for data centres: they map all, whatever the firmware offers."""
    cards = [c for c in ask.graph.ends("cards", build) if ask("gpu.is_data_centre_card", c)]
    windows = [ask("gpu.memory_window", card) for card in cards]
    if None in windows:
        return None
    return Interval(*(max((getattr(w, e) for w in windows), default=0.0) for e in ("low", "high")))
