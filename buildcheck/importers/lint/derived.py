"""Facts of parts that are no comparison: lists of slots, sockets, plugs, siblings, curves, days."""

import math
import re
from collections import Counter
from datetime import date, datetime
from functools import lru_cache
from itertools import pairwise
from statistics import median
from typing import Any

from buildcheck.catalog import Catalog
from buildcheck.errors import CatalogError
from buildcheck.importers.lint.facts import Derived, PartFacts
from buildcheck.logic.quantity import ZERO, Interval, ends_text
from buildcheck.model.codec import unpack
from buildcheck.model.money import Tariff

Items = list[dict[str, Any]]
#: Fewest GPUs of one maker and chip that another is compared with, and the sizes compared.
_SIBLINGS, _SIZES = 3, ("thickness", "board_power", "length")
_SPLIT = re.compile(r"x(?:1|2|4|8|16)(?:/x(?:1|2|4|8|16))*")
#: The day these rules were written: a clock that is behind it is wrong.
_FIRST_DAY = date(2026, 11, 21)


def needed_plugs(part: PartFacts) -> Any:
    """What a GPU needs of a PSU: behind the 12-pin, the plugs of the adapter it comes with."""
    plugs = part.of("plugs")
    inputs = part.value("bundled_adapter.inputs") if "nvidia-12-pin" in (plugs or ()) else None
    return plugs if inputs is None else inputs


def chip_ranges(part: PartFacts) -> Items:
    """Each quantity that a GPU states, with what its chip has, and each connector of either."""
    chip, found = part.other("chip"), []
    for field, fact in part.own().items() if chip else ():
        has, may = fact.value, chip and chip.value(field)
        if isinstance(may, Interval):
            found.append((field, has, may, part.text(field, has), part.text(field, may)))
        elif field == "plugs" and may is not None:
            plugs = needed_plugs(part)
            for one in sorted({*plugs, *may}):
                a, b = plugs.get(one, ZERO), may.get(one, ZERO)
                found.append((field, a, b, f"{ends_text(a)} {one}", ends_text(b)))
    # With room for the rounding of decimal values.
    return [
        {"field": n, "has": has, "may": Interval(may.low - 1e-9, may.high + 1e-9), **more}
        for n, has, may, shown, usual in found
        for more in ({"shown": shown, "usual": usual},)
    ]


def sibling_sizes(part: PartFacts) -> Items:
    """How far each size of a GPU is from the nearest of its siblings, and what they have."""
    key = _family(part.catalog, part.part.id, part.of("chip"))
    family, found = _families(part.catalog).get(key or "", {}), []
    for field, fact in part.own().items():
        others = [v[field] for i, v in family.items() if i != part.part.id and field in v]
        if len(others) >= _SIBLINGS:
            usual = Interval(min(o.low for o in others), max(o.high for o in others))
            near = min(max(fact.value.low - o.high, o.low - fact.value.high) for o in others)
            found.append(
                {
                    "field": field,
                    "apart": near,
                    "median": median((o.low + o.high) / 2 for o in others),
                    "number": len(others),
                    "shown": part.text(field, fact.value),
                    "usual": part.text(field, usual),
                }
            )
    return found


@lru_cache(maxsize=2)
def _families(catalog: Catalog) -> dict[str, dict[str, dict[str, Any]]]:
    """What GPUs state of themselves, by maker and chip and by id.

    Those of open data are left out: too many of their sizes are rounded.
    """
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for part_id, row in catalog.index.written("gpu"):
        own = row.plain
        if key := _family(catalog, part_id, own.get("chip")):
            family = found.setdefault(key, {})
            values = {n: unpack(own[n]) for n in _SIZES if n in own}
            family[part_id] = values | family.get(part_id, {})
    return found


def _family(catalog: Catalog, part_id: str, chip: str | None) -> str | None:
    found = catalog.known("gpu", chip) if chip else None
    return found and f"{part_id.split('/')[1]} {found}"


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
    how.__name__.lstrip("_"): how
    for how in (
        *(chip_ranges, disorder, lanes_used, mode_lanes, needed_plugs, odd_splits, sibling_sizes),
        *(_both_lines, _sources, _speed_rises, _split_lanes),
    )
} | {
    # A note at the standard of a PSU, or an assumption.
    "is_explained": lambda p: bool(
        (of := p.part.facts.get("standard")) and (of.note or of.confidence == "assumption")
    ),
    "is_upright": lambda p: not (p.of("kind") or "").endswith(("U", "open frame")),
    "labels": lambda p: frozenset(labels(p)),
    "last_place": lambda p: max(places(p), default=None),
    "mode_labels": lambda p: {x for m in p.of("lane_modes") or () for x in (*m.populate, *m.lanes)},
    "rack_units": lambda p: int(k[:-1]) if (k := p.of("kind") or "").endswith("U") else None,
    "repeated_labels": lambda p: frozenset(Counter(labels(p)) - Counter({*labels(p)})) or None,
    "socket_chipsets": lambda p: of_socket(p, "chipsets"),
    "socket_generations": lambda p: of_socket(p, "memory_generations"),
    "socket_lanes": lambda p: of_socket(p, "lanes"),
    "states_draw": lambda p: {"board_power", "plugs"} <= {*p.own()},
    "today": lambda _: max(datetime.now().astimezone().date(), _FIRST_DAY).toordinal(),
}
