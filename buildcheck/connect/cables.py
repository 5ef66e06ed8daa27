"""Supply outputs → sockets on the board, the cards and the risers, by the cables there are.

Each supply first feeds the board (if it runs it), then its cards, then the risers and
what feeds the slots. A socket takes an output of its own kind, else one that fits, else an adapter
that the build lists or the card comes with; since plugs that fit further sockets are nested
(6+2 pins go into 6), taking the own kind first loses nothing. What counts are the heads of its
cables, however many share one. Where counts are ranges or not known, feeding is tried with the
best and the worst of them, and what is left without a cable is a range.

Where only what is certain counts, the best also has what lists leave out: a second head on a PCIe
cable, the adapter for a socket, and any other split of the cards over several supplies.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from buildcheck.connect.outputs import GPU, Load, Outputs, Pool
from buildcheck.logic.quantity import Interval, exact
from buildcheck.model.graph import Edge, Subject, by_facts

if TYPE_CHECKING:
    from buildcheck.resolve.pins import Pins

#: The edges to what is no GPU or riser.
_BOARD_EDGE = "board_cabled"
_KIND = {"motherboard": _BOARD_EDGE, "slots": "slot_fed"}


def feed_board(subjects: dict[str, Subject], supply: list[Edge]) -> list[Edge]:
    """Edges `board_cabled` (supply → board), as `cabled`; what else it feeds comes after."""
    board = [e for e in supply if e.end == "motherboard"]
    return [e for e in _fed(subjects, supply, board) if e.kind == _BOARD_EDGE]


def feed(subjects: dict[str, Subject], supply: list[Edge], pins: Pins) -> list[Edge]:
    """Edges `cabled` (supply → what it feeds, with connectors used and sockets unfed).

    `cables` is how many cables serve it where the build lists cables, else None, and `runs`
    how many heads of which: a cable of several heads may serve several things. The extra
    sockets of the board that feed the slots have an edge of their own, `slot_fed`. Risers of
    a `chain` share what its first one, whose id it is, has got.
    """
    supply = [e for e in supply if e.end in subjects]
    edges = [e for e in _fed(subjects, supply, supply) if e.kind != _BOARD_EDGE]
    if not pins.is_certain:
        return edges
    least = _least_unfed(subjects, supply, anywhere=bool(pins.shared))
    for edge in edges:
        if edge.kind == "cabled":
            unfed = edge.data["unfed"]
            edge.data["unfed"] = Interval(min(unfed.low, least.get(edge.end, math.inf)), unfed.high)
    return edges


def _least_unfed(
    subjects: dict[str, Subject], supply: list[Edge], *, anywhere: bool
) -> dict[str, float]:
    """Sockets of each card that stay empty whatever the build does not list.

    With `anywhere` all supplies together feed all cards, which no split of them can better.
    """
    found: dict[str, float] = {}
    psus = [s for s in subjects.values() if s.kind == "psu"]
    for group in [psus] if anywhere else [[psu] for psu in psus]:
        pool = Pool(group, subjects, [_stock(psu, subjects, supply) for psu in group])
        served = [load for psu in group for load in _loads(psu, subjects, supply)]
        found |= {key: fed.unfed for (key, kind), fed in pool.serve(served).items() if kind == GPU}
    return found


def _stock(psu: Subject, subjects: dict[str, Subject], supply: list[Edge]) -> list[Subject]:
    """The cables that the build lists for a supply."""
    return [subjects[e.end] for e in supply if e.kind == "stocks" and e.start == psu.id]


def _fed(subjects: dict[str, Subject], supply: list[Edge], fed: list[Edge]) -> list[Edge]:
    """What each supply feeds by the edges `fed`, with the cables that `supply` stocks."""
    edges = []
    for psu in (s for s in subjects.values() if s.kind == "psu"):
        loads, stock = list(_loads(psu, subjects, fed)), _stock(psu, subjects, supply)
        chains = _chains(psu, subjects, supply)
        served = [load for load in loads if chains.get(load.key, load.key) == load.key]
        good = Outputs(psu, subjects, stock, best=True).serve(served)
        bad = Outputs(psu, subjects, stock, best=False).serve(served)
        for load in loads:
            first = chains.get(load.key, load.key)
            best, worst = good[first, load.kind], bad[first, load.kind]
            data = {
                "with": best.used,
                "unfed": Interval(min(best.unfed, worst.unfed), max(best.unfed, worst.unfed)),
                "output": "; ".join(f"{n}x {c}" for c, n in best.into.items()) or "none",
                "lacking": worst.lacking,
                "cables": float(len(best.cables)) if stock else None,
                "runs": {f"{c} {n}": heads for (c, n), heads in best.cables.items() if n >= 0},
            }
            if load.key in chains:
                data["chain"] = first
            if load.key != first:
                # One cable: what it takes from the supply is the first one's.
                data |= {"with": {}, "runs": {}, "output": f"{data['output']} of {first}"}
            edges.append(Edge(_KIND.get(load.kind, "cabled"), psu.id, load.key, data))
    return edges


def _chains(psu: Subject, subjects: dict[str, Subject], supply: list[Edge]) -> dict[str, str]:
    """Chained risers of a supply, each with the first one of its entry."""
    firsts: dict[tuple[str, str, Any], str] = {}
    found = {}
    for edge in supply:
        one = subjects[edge.end]
        if edge.start == psu.id and one.kind == "riser" and one.value("chained") is True:
            key = (one.facts["chained"].origin, one.name, one.value("feed"))
            found[one.id] = firsts.setdefault(key, one.id)
    return found


def _loads(psu: Subject, subjects: dict[str, Subject], supply: list[Edge]) -> Iterable[Load]:
    fed = [subjects[e.end] for e in supply if e.start == psu.id and e.kind != "stocks"]
    kinds = (by_facts(s for s in fed if s.kind == kind) for kind in (GPU, "riser"))
    rank = {one.id: number for group in kinds for number, one in enumerate(group)}
    for one in fed:
        plugs, feed_by = one.value("plugs"), one.value("feed")
        if one.kind == "riser":
            plugs = {feed_by: exact(1.0)} if feed_by not in (None, "none") else {}
        adapters = (one.value("adapter"), one.value("bundled_adapter"))
        yield Load(one.id, one.kind, rank.get(one.id, 0), plugs, *adapters)
        if one.kind == "motherboard" and one.value("slot_power_plugs"):
            yield Load(one.id, "slots", 0, one.value("slot_power_plugs"))
