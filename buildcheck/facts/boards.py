"""Compatibility of CPU, board, case and PSU; the display's connection."""

from __future__ import annotations

import math
from typing import Any

from buildcheck import units
from buildcheck.facts.registry import CODES, TRUTH, Ask, graph
from buildcheck.logic.quantity import UNKNOWN, Interval
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
#: Openings of an ATX case, by its specification: boards above that reach down to an eighth.
_ATX_OPENINGS = 7
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
