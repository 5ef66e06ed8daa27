"""Facts of parts that are no comparison: lists of slots, what sockets have, curves, days."""

from __future__ import annotations

import math
from collections import Counter
from datetime import date, datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from buildcheck.importers.lint.boards import (
    disorder,
    labels,
    lanes_used,
    mode_lanes,
    odd_splits,
    of_socket,
    places,
)
from buildcheck.importers.lint.gpus import chip_ranges, needed_plugs, sibling_sizes
from buildcheck.model.money import Tariff

if TYPE_CHECKING:
    from buildcheck.importers.lint.facts import Derived, PartFacts

Items = list[dict[str, Any]]
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
