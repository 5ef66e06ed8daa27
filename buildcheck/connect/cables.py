"""Supply outputs → sockets on the board and the cards, one cable per plug.

Each supply first feeds the board (if it runs it), then its cards. A socket takes an
output of its own kind, else an adapter that the build lists or the card comes with.
Where counts are ranges or not known, feeding is tried with the best and the worst of
them, and the number of sockets left without a cable is a range.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from buildcheck.model.graph import Edge, Subject
from buildcheck.model.quantity import Interval, exact

if TYPE_CHECKING:
    from collections.abc import Iterable

Stock = dict[str, float]


def feed(subjects: dict[str, Subject], supply: list[Edge]) -> list[Edge]:
    """Edges `cabled` (supply → what it feeds, with connectors used and sockets unfed)."""
    edges = []
    for psu in (s for s in subjects.values() if s.kind == "psu"):
        fed = [subjects[e.end] for e in supply if e.start == psu.id]
        good = _serve(psu, fed, subjects, best=True)
        bad = _serve(psu, fed, subjects, best=False)
        for one in fed:
            unfed = Interval(
                min(good[one.id][1], bad[one.id][1]), max(good[one.id][1], bad[one.id][1])
            )
            edges.append(
                Edge(
                    "cabled",
                    psu.id,
                    one.id,
                    {
                        "with": good[one.id][0],
                        "unfed": unfed,
                        "output": "; ".join(f"{n}x {c}" for c, n in good[one.id][0].items())
                        or "none",
                    },
                )
            )
    return edges


def _serve(
    psu: Subject, fed: list[Subject], subjects: dict[str, Subject], *, best: bool
) -> dict[str, tuple[dict[str, int], float]]:
    """Per fed subject: connectors used, and sockets left without a cable."""
    plugs: dict[str, Interval] | None = psu.value("plugs")
    stock: Stock = {c: (n.high if best else n.low) for c, n in (plugs or {}).items()}
    default = 0.0 if plugs is not None or not best else math.inf
    result = {}
    adapters = {one.id: _adapters(one, subjects) for one in fed}

    def turn(one: Subject) -> tuple[bool, float]:
        # The board first; then the cards whose adapters eat most outputs, because
        # they gain most from a native one.
        eats = max(
            (sum(n.high for n in (a.value("inputs") or {}).values()) for a in adapters[one.id]),
            default=0.0,
        )
        return (one.kind != "motherboard", -eats)

    for one in sorted(fed, key=turn):
        result[one.id] = _serve_one(one, stock, default, adapters[one.id], best=best)
    return result


def _adapters(one: Subject, subjects: dict[str, Subject]) -> list[Subject]:
    names = [one.value("adapter")] if one.value("adapter") else [one.value("bundled_adapter")]
    return [subjects[f"adapter:{n}"] for n in names if n and f"adapter:{n}" in subjects]


def _needs(one: Subject, *, best: bool) -> dict[str, float] | None:
    plugs: dict[str, Interval] | None = one.value("plugs")
    if plugs is None:
        return None
    return {c: (n.low if best else n.high) for c, n in plugs.items()}


def _serve_one(
    one: Subject, stock: Stock, default: float, adapters: Iterable[Subject], *, best: bool
) -> tuple[dict[str, int], float]:
    needs = _needs(one, best=best)
    if needs is None:
        # Nobody says which sockets it has: at best none is left over.
        return {}, 0.0 if best else math.inf
    used: dict[str, int] = {}
    unfed = 0.0
    for connector, number in needs.items():
        for _ in range(int(number)):
            if one.value("adapter") and any(a.value("output") == connector for a in adapters):
                done = _through(connector, adapters, stock, default, used)
            else:
                done = _take({connector: exact(1.0)}, stock, default, used) or _through(
                    connector, adapters, stock, default, used
                )
            unfed += not done
    return used, unfed


def _through(
    connector: str, adapters: Iterable[Subject], stock: Stock, default: float, used: dict[str, int]
) -> bool:
    """Feed one socket by an adapter, if one leads to it and its inputs are free."""
    return any(
        a.value("output") == connector
        and a.value("inputs")
        and _take(a.value("inputs"), stock, default, used)
        for a in adapters
    )


def _take(wanted: dict[str, Interval], stock: Stock, default: float, used: dict[str, int]) -> bool:
    if any(stock.get(c, default) < n.high for c, n in wanted.items()):
        return False
    for connector, number in wanted.items():
        stock[connector] = stock.get(connector, default) - number.high
        used[connector] = used.get(connector, 0) + int(number.high)
    return True
