"""Facts of parts that are no comparison: lists of slots, what sockets have, curves, days."""

from __future__ import annotations

import math
import re
from collections import Counter
from datetime import date, datetime
from functools import lru_cache
from itertools import pairwise
from typing import Any

from buildcheck.catalog import Catalog
from buildcheck.errors import CatalogError
from buildcheck.importers.lint.facts import Derived, PartFacts
from buildcheck.importers.lint.gpus import chip_ranges, needed_plugs, sibling_sizes
from buildcheck.logic.quantity import ZERO
from buildcheck.model.money import Tariff

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


# -- all of them ---------------------------------------------------------------


#: The day these rules were written: a clock that is behind it is wrong.
_FIRST_DAY = date(2026, 11, 21)


def _split_lanes(part: PartFacts) -> float | None:
    """Lanes of all links that a card splits its slot into; infinite if that is not written so."""
    links = [p.strip().removeprefix("x") for p in (part.of("needs_bifurcation") or "").split("/")]
    lanes = sum(map(int, links)) if all(p.isdigit() for p in links) else math.inf
    return lanes if part.of("needs_bifurcation") else None


def _speed_rises(part: PartFacts) -> bool | None:
    """Does speed rise with the power limit, to full speed at full power?"""
    curve = part.of("speed_at_limit")
    rises = all(before[1] <= after[1] for before, after in pairwise(curve or ()))
    return rises and curve[-1] == (1.0, 1.0) if curve else None


def _both_lines(part: PartFacts) -> Items:
    """Efficiency at low and at high mains voltage, for each load that has both."""
    low, high = (dict(part.of(f"efficiency_{line}_line") or ()) for line in ("low", "high"))
    return [{"load": x, "low_line": low[x], "high_line": high[x]} for x in low if x in high]


def _sources(part: PartFacts) -> Items:
    """Each source of what the part states, with its days counted and whether a price is of it."""
    found = part.own().values()
    prices = {fact.source for fact in found if isinstance(fact.value, Tariff)}
    return [
        {"is_of_price": one in prices, "is_dated": bool(one.as_of), **one._asdict()}
        | {"day_read": _day(one.read), "day_meant": _day(one.as_of)}
        for one in sorted({fact.source for fact in found})
    ]


def _day(text: str) -> int:
    """The number of a day, or of the first one of a month or year; 0 for none."""
    try:
        return date.fromisoformat(text + "-01" * (2 - text.count("-"))).toordinal()
    except ValueError:
        return 0


#: Facts by name: quantities, truths, words, and lists whose items rules are about.
DERIVED: Derived = {
    "chip_ranges": chip_ranges,
    "both_lines": _both_lines,
    "disorder": disorder,
    # A note at the standard of a PSU, or an assumption.
    "is_explained": lambda p: bool(
        (of := p.part.facts.get("standard")) and (of.note or of.confidence == "assumption")
    ),
    "is_upright": lambda p: not (p.of("kind") or "").endswith(("U", "open frame")),
    "labels": lambda p: frozenset(labels(p)),
    "lanes_used": lanes_used,
    "last_place": lambda p: max(places(p), default=None),
    "mode_labels": lambda p: {x for m in p.of("lane_modes") or () for x in (*m.populate, *m.lanes)},
    "mode_lanes": mode_lanes,
    "needed_plugs": needed_plugs,
    "odd_splits": odd_splits,
    "rack_units": lambda p: int(k[:-1]) if (k := p.of("kind") or "").endswith("U") else None,
    "repeated_labels": lambda p: frozenset(Counter(labels(p)) - Counter({*labels(p)})) or None,
    "sibling_sizes": sibling_sizes,
    "socket_chipsets": lambda p: of_socket(p, "chipsets"),
    "socket_generations": lambda p: of_socket(p, "memory_generations"),
    "socket_lanes": lambda p: of_socket(p, "lanes"),
    "sources": _sources,
    "speed_rises": _speed_rises,
    "split_lanes": _split_lanes,
    "states_draw": lambda p: {"board_power", "plugs"} <= {*p.own()},
    "today": lambda _: max(datetime.now().astimezone().date(), _FIRST_DAY).toordinal(),
}
