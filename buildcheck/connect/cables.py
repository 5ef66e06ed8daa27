"""Supply outputs → sockets on the board and the cards, one cable per plug.

Each supply first feeds the board (if it runs it), then its cards. A socket takes an
output of its own kind, else an adapter that the build lists or the card comes with.
Where counts are ranges or not known, feeding is tried with the best and the worst of
them, and the number of sockets left without a cable is a range.
"""

from __future__ import annotations

import math
from typing import Any

from buildcheck.model.graph import Edge, Subject
from buildcheck.model.quantity import Interval, exact


def feed(subjects: dict[str, Subject], supply: list[Edge]) -> list[Edge]:
    """Edges `cabled` (supply → what it feeds, with connectors used and sockets unfed)."""
    edges = []
    for psu in (s for s in subjects.values() if s.kind == "psu"):
        fed = [subjects[e.end] for e in supply if e.start == psu.id]
        good = _Outputs(psu, subjects, best=True).serve(fed)
        bad = _Outputs(psu, subjects, best=False).serve(fed)
        for one in fed:
            (used, least, _), (_, most, lacking) = good[one.id], bad[one.id]
            unfed = Interval(min(least, most), max(least, most))
            output = "; ".join(f"{n}x {c}" for c, n in used.items()) or "none"
            data = {"with": used, "unfed": unfed, "output": output, "lacking": lacking}
            edges.append(Edge("cabled", psu.id, one.id, data))
    return edges


class _Outputs:
    """What is left of one supply's outputs while it feeds one thing after another."""

    def __init__(self, psu: Subject, subjects: dict[str, Subject], *, best: bool) -> None:
        plugs: dict[str, Interval] | None = psu.value("plugs")
        self.subjects, self.best = subjects, best
        self.stock = {c: self._end(n) for c, n in (plugs or {}).items()}
        #: Outputs of kinds that are not listed: none, unless nobody lists any.
        self.unlisted = math.inf if plugs is None and best else 0.0

    def _end(self, number: Interval) -> float:
        return number.high if self.best else number.low

    def serve(self, fed: list[Subject]) -> dict[str, tuple[dict[str, int], float, dict[str, int]]]:
        """Per thing fed: connectors used, sockets without a cable, and of which kinds.

        The board comes first; then the cards whose adapters eat most outputs, because
        they gain most from a native one.
        """
        return {one.id: self._serve(one) for one in sorted(fed, key=self._turn)}

    def _turn(self, one: Subject) -> tuple[bool, float, float, str]:
        # Sockets and name only settle ties, so that the order of entries never matters.
        sockets = sum(n.high for n in (one.value("plugs") or {}).values())
        return (one.kind != "motherboard", -self._appetite(one), -sockets, one.name)

    def _appetite(self, one: Subject) -> float:
        inputs = [a.value("inputs") or {} for a in self._adapters(one)]
        return max((sum(n.high for n in i.values()) for i in inputs), default=0.0)

    def _adapters(self, one: Subject) -> list[Subject]:
        """The adapter the build lists for it, else the one it comes with."""
        name = one.value("adapter") or one.value("bundled_adapter")
        found = self.subjects.get(f"adapter:{name}")
        return [found] if found else []

    def _serve(self, one: Subject) -> tuple[dict[str, int], float, dict[str, int]]:
        plugs: dict[str, Interval] | None = one.value("plugs")
        if plugs is None:
            # Nobody says which sockets it has: at best none is left over.
            return {}, 0.0 if self.best else math.inf, {}
        used: dict[str, int] = {}
        lacking: dict[str, int] = {}
        for socket, number in plugs.items():
            # At best a card has few sockets and the supply many outputs.
            count = number.low if self.best else number.high
            unfed = sum(not self._fill(one, socket, used) for _ in range(int(count)))
            if unfed:
                lacking[socket] = unfed
        return used, float(sum(lacking.values())), lacking

    def _fill(self, one: Subject, socket: str, used: dict[str, int]) -> bool:
        """Give one socket a cable, if there is one for it."""
        through = [
            a.value("inputs")
            for a in self._adapters(one)
            if a.value("output") == socket and a.value("inputs")
        ]
        direct = [{plug: exact(1.0)} for plug in self._plugs_into(socket)]
        ways = [*through, *direct] if one.value("adapter") and through else [*direct, *through]
        return any(self._take(way, used) for way in ways)

    def _plugs_into(self, socket: str) -> list[str]:
        """Cable plugs that go into a socket: its own first."""
        others = [
            name
            for name in self.stock
            if socket in (self._connector(name, "fits") or ()) and name != socket
        ]
        return [socket, *others]

    def _connector(self, name: str, fact: str) -> Any:
        found = self.subjects.get(f"connector:{name}")
        return found.value(fact) if found else None

    def _take(self, wanted: dict[str, Interval], used: dict[str, int]) -> bool:
        if any(self.stock.get(c, self.unlisted) < n.high for c, n in wanted.items()):
            return False
        for connector, number in wanted.items():
            self.stock[connector] = self.stock.get(connector, self.unlisted) - number.high
            used[connector] = used.get(connector, 0) + int(number.high)
        return True
