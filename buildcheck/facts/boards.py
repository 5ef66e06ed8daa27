"""Compatibility of CPU, board, case and PSU; the display's connection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck.facts.registry import CODES, TRUTH, Ask, graph
from buildcheck.logic.interval import either

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
_PROPRIETARY = "proprietary"
#: What platforms list whose CPUs carry all slots and ports themselves.
_NO_CHIPSET = frozenset({"SoC"})

# A tower with fins on the CPU, not a radiator elsewhere.
# There is no chipset that could be wrong.


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


@graph("motherboard.takes_cpu", TRUTH)
def takes_cpu(board: Subject, ask: Ask) -> bool | None:
    """Is the CPU's family among those it takes, as delivered or after a BIOS update?"""
    family = ask("cpu.family")
    lists = [
        ask("motherboard.cpu_families", board),
        ask("motherboard.cpu_families_updated", board),
    ]
    if family is None:
        return None
    return either([None if families is None else family in families for families in lists])


@graph("motherboard.starts_with_cpu", TRUTH)
def starts_with_cpu(board: Subject, ask: Ask) -> bool | None:
    """Does it start with the CPU as delivered?

    A board that only lists the families that need an update takes the others as it is.
    """
    family = ask("cpu.family")
    delivered = ask("motherboard.cpu_families", board)
    updated = ask("motherboard.cpu_families_updated", board)
    if family is None or (delivered is None and updated is None):
        return None
    return family not in updated if delivered is None else family in delivered


@graph("gpu.may_lack_display", TRUTH)
def may_lack_display(card: Subject, ask: Ask) -> bool:
    """Is it stated to have no display output, or made for data centres, where many have none?"""
    said = ask("gpu.display_outputs", card)
    if said is not None:
        return not said
    kinds = ask("gpu.segment", card) == "data-centre", ask("gpu.cooling", card) == "passive"
    return any(kinds)


@graph("build.shows_a_picture", TRUTH)
def shows_a_picture(build: Subject, ask: Ask) -> bool | None:
    """Can a display be connected to a GPU, the motherboard or a management controller?"""
    cards = [ask("gpu.display_outputs", card) for card in ask.graph.ends("cards", build)]
    return either([*cards, ask("cpu.integrated_graphics"), ask("motherboard.bmc")])
