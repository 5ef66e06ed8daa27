"""Slots and lanes of a motherboard, and what its socket has."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from buildcheck.errors import CatalogError
from buildcheck.logic.quantity import ZERO

if TYPE_CHECKING:
    from buildcheck.catalog import Catalog
    from buildcheck.importers.lint.facts import PartFacts

Items = list[dict[str, Any]]
_SPLIT = re.compile(r"x(?:1|2|4|8|16)(?:/x(?:1|2|4|8|16))*")


@lru_cache(maxsize=2)
def sockets(catalog: Catalog) -> dict[str, dict[str, Any]]:
    """Most lanes, memory generations and chipsets of all platforms of each socket."""
    found: dict[str, dict[str, Any]] = {}
    for part_id in catalog.ids("platform"):
        try:
            value = catalog.part(part_id).value
        except CatalogError:
            continue
        if value("socket"):
            one = found.setdefault(value("socket"), {})
            one["lanes"] = max(one.get("lanes", 0.0), (value("pcie_lanes") or ZERO).high)
            for field in ("memory_generations", "chipsets"):
                one[field] = one.get(field, frozenset()) | (value(field) or frozenset())
    return found


def of_socket(part: PartFacts, what: str) -> Any:
    """The `lanes`, `memory_generations` or `chipsets` of a board's socket; None if not known."""
    return sockets(part.catalog).get(part.of("socket") or "", {}).get(what) or None


def lanes_used(part: PartFacts) -> Items:
    """Lanes that slots have of each CPU, unless something states how they share them."""
    slots, stated = part.of("slots") or (), part.part.facts.get("slots")
    shared = (
        part.of("lane_modes") or part.of("switches") or "share" in (stated.note if stated else "")
    )
    return [
        {"owner": owner.upper(), "lanes": sum(lanes)}
        for owner in (() if shared else ("cpu", "cpu2"))
        if (lanes := [s.lanes.low for s in slots if s.owner == owner and s.lanes is not None])
    ]


def labels(part: PartFacts) -> list[str]:
    """The labels of slots in their order."""
    return [s.label for s in part.of("slots") or ()]


def places(part: PartFacts) -> list[int]:
    """The positions of slots in their order, as far as they are known."""
    apart = {label: int(n.low) for label, n in (part.of("slot_positions") or {}).items()}
    found = (s.position or apart.get(s.label) for s in part.of("slots") or ())
    return [place for place in found if place is not None]


def disorder(part: PartFacts) -> str | None:
    """Positions of slots that are not in order, each once; None if they are."""
    found = places(part)
    return None if found == sorted(set(found)) else ", ".join(map(str, found))


def mode_lanes(part: PartFacts) -> Items:
    """Lanes that each slot gets in each lane mode, and those it has."""
    has = {s.label: s.lanes for s in part.of("slots") or ()}
    modes = part.of("lane_modes") or ()
    gets = [(label, lanes) for mode in modes for label, lanes in mode.lanes.items()]
    return [{"label": n, "lanes": lanes, "has": has.get(n)} for n, lanes in gets]


def odd_splits(part: PartFacts) -> list[str]:
    """Ways to split a slot that are not written as x8/x8."""
    ways = {way for slot in part.of("slots") or () for way in slot.bifurcation or ()}
    return sorted(way for way in ways if not _SPLIT.fullmatch(way))
