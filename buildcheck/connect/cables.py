"""Supply outputs → sockets on the board, the cards and the risers, by the cables there are.

Each supply first feeds the board (if it runs it), then its cards, then the risers and
what feeds the slots. A socket takes an output of its own kind, else one that fits, else an adapter
that the build lists or the card comes with; since plugs that fit further sockets are nested
(6+2 pins go into 6), taking the own kind first loses nothing. Every output is one cable with
one head unless the build lists its cables. Where counts are ranges or not known, feeding is
tried with the best and the worst of them, and what is left without a cable is a range.

Where only what is certain counts, the best also has what lists leave out: a second head on a PCIe
cable, the adapter for a socket, and any other split of the cards over several supplies.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.logic.quantity import UNKNOWN, ZERO, Interval, exact
from buildcheck.model.graph import Edge, Subject, by_facts

if TYPE_CHECKING:
    from buildcheck.resolve.pins import Pins

#: What only a board takes, and what it shares with some cards.
_BOARD = ("atx-24-pin", "eps-8-pin")
_BOARD_EDGE = "board_cabled"
_KIND = {"motherboard": _BOARD_EDGE, "slots": "slot_fed"}
_GPU = "gpu"
#: Plugs of which a cable often has two, and the input of adapters for all others of a card.
_SPLIT = ("pcie-6-pin", "pcie-8-pin")
#: What a supply feeds, in this order.
_TURN = {"motherboard": 0, "gpu": 1, "riser": 2, "slots": 3}


#: Heads used of each cable, by connector and number; outputs that are no listed cable are
#: numbered below zero.
_Taken = dict[tuple[str, int], int]


class _Fed(NamedTuple):
    """Power feed of one consumer: connectors and cables used, sockets without one, and kinds.

    `into` is what is used in words, with the socket where the plug goes into one of another kind.
    """

    used: dict[str, int]
    into: dict[str, int]
    cables: _Taken
    unfed: float
    lacking: dict[str, int]


class _Way(NamedTuple):
    """Plugs of a supply that can feed a socket, by themselves or through an adapter."""

    plugs: dict[str, Interval]
    is_direct: bool


class _Load(NamedTuple):
    """A consumer of power: its sockets by connector, None if not known.

    `rank` is its place among those that are fed, whatever their order in the build file.
    """

    key: str
    kind: str
    rank: int
    plugs: dict[str, Interval] | None
    adapter: str | None = None
    bundled: str | None = None


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
    edges = [e for e in _fed(subjects, supply, supply) if e.kind != _BOARD_EDGE]
    if not pins.is_certain:
        return edges
    least = _least_unfed(subjects, supply, anywhere=bool(pins.shared))
    return [
        replace(e, data={**e.data, "unfed": Interval(low, unfed.high)})
        if e.kind == "cabled"
        and (low := least.get(e.end, math.inf)) < (unfed := e.data["unfed"]).low
        else e
        for e in edges
    ]


def _least_unfed(
    subjects: dict[str, Subject], supply: list[Edge], *, anywhere: bool
) -> dict[str, float]:
    """Sockets of each card that stay empty whatever the build does not list.

    With `anywhere` all supplies together feed all cards, which no split of them can better.
    """
    found: dict[str, float] = {}
    psus = [s for s in subjects.values() if s.kind == "psu"]
    for group in [psus] if anywhere else [[psu] for psu in psus]:
        pool = _Pool(group, subjects, [_stock(psu, subjects, supply) for psu in group])
        served = [load for psu in group for load in _loads(psu, subjects, supply)]
        found |= {key: fed.unfed for (key, kind), fed in pool.serve(served).items() if kind == _GPU}
    return found


def _stock(psu: Subject, subjects: dict[str, Subject], supply: list[Edge]) -> list[Subject]:
    """The cables that the build lists for a supply."""
    return [subjects[e.end] for e in supply if e.kind == "stocks" and e.start == psu.id]


def _fed(subjects: dict[str, Subject], supply: list[Edge], fed: list[Edge]) -> list[Edge]:
    """What each supply feeds by the edges `fed`, with the cables that `supply` stocks."""
    edges = []
    for psu in (s for s in subjects.values() if s.kind == "psu"):
        loads = list(_loads(psu, subjects, fed))
        stock = _stock(psu, subjects, supply)
        chains = _chains(psu, subjects, supply)
        served = [load for load in loads if chains.get(load.key, load.key) == load.key]
        good = _Outputs(psu, subjects, stock, best=True).serve(served)
        bad = _Outputs(psu, subjects, stock, best=False).serve(served)
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


def _loads(psu: Subject, subjects: dict[str, Subject], supply: list[Edge]) -> Iterable[_Load]:
    fed = [subjects[e.end] for e in supply if e.start == psu.id and e.kind != "stocks"]
    kinds = (by_facts(s for s in fed if s.kind == kind) for kind in (_GPU, "riser"))
    rank = {one.id: number for group in kinds for number, one in enumerate(group)}
    for one in fed:
        if one.kind == "riser":
            feed_by = one.value("feed")
            plugs = {feed_by: exact(1.0)} if feed_by not in (None, "none") else {}
            yield _Load(one.id, "riser", rank[one.id], plugs)
            continue
        yield _Load(
            *(one.id, one.kind, rank.get(one.id, 0), one.value("plugs")),
            *(one.value("adapter"), one.value("bundled_adapter")),
        )
        if one.kind == "motherboard" and one.value("slot_power_plugs"):
            yield _Load(one.id, "slots", 0, one.value("slot_power_plugs"))


class _Outputs:
    """What is left of one supply's cables while it feeds one thing after another."""

    def __init__(
        self, psu: Subject, subjects: dict[str, Subject], cables: list[Subject], *, best: bool
    ) -> None:
        plugs: dict[str, Interval] | None = psu.value("plugs")
        self.subjects, self.best = subjects, best
        #: Heads left on each cable, by connector; outputs are cables of one head.
        self.heads: dict[str, list[float]] = {}
        self.loose = {} if cables else {c: self._end(n) for c, n in (plugs or {}).items()}
        for cable in cables:
            connector, heads = cable.value("connector"), cable.value("heads") or exact(1.0)
            if connector and len(self.heads.get(connector, ())) < self._outlets(plugs, connector):
                self.heads.setdefault(connector, []).append(self._end(heads))
        silent = (plugs is None and not cables) or any(not c.value("connector") for c in cables)
        #: Outputs of kinds that are not listed: none, unless none are listed at all.
        self.unlisted = math.inf if silent and best else 0.0
        if best and plugs is not None and _BOARD[0] not in plugs and not cables:
            # Who lists the plugs for cards alone leaves those of the board open.
            self.loose |= {c: math.inf for c in _BOARD if c not in plugs}
        if cables and not set(_BOARD) & set(self.heads):
            # Who lists the cables of the cards takes those of the board for granted.
            board = dict.fromkeys(_BOARD, UNKNOWN) if plugs is None else plugs
            self.loose = {c: self._end(n) for c, n in board.items() if c in _BOARD}

    def _outlets(self, plugs: dict[str, Interval] | None, connector: str) -> float:
        """Sockets on the supply for cables of a kind; no more of them can be plugged in."""
        return math.inf if plugs is None else self._end(plugs.get(connector, ZERO))

    def _end(self, number: Interval) -> float:
        return number.high if self.best else number.low

    def serve(self, loads: list[_Load]) -> dict[tuple[str, str], _Fed]:
        """Each load fed, those first whose adapters eat most outputs.

        They gain most from a native one.
        """
        return {(one.key, one.kind): self._serve(one) for one in sorted(loads, key=self._turn)}

    def _turn(self, one: _Load) -> tuple[int, float, float, int]:
        sockets = sum(n.high for n in (one.plugs or {}).values())
        return (_TURN[one.kind], -self._appetite(one), -sockets, one.rank)

    def _appetite(self, one: _Load) -> float:
        inputs = [a.value("inputs") or {} for a in self._adapters(one)]
        return max((sum(n.high for n in i.values()) for i in inputs), default=0.0)

    def _adapters(self, one: _Load) -> list[Subject]:
        """The adapter the build lists for it, else the one it comes with."""
        found = self.subjects.get(f"adapter:{one.adapter or one.bundled}")
        return [found] if found else []

    def _serve(self, one: _Load) -> _Fed:
        if one.plugs is None:
            # Sockets are not known: at best all outputs are left, at worst it takes every output of
            # the kinds that fit.
            if not self.best:
                self._drain(board=one.kind == "motherboard")
            return _Fed({}, {}, {}, 0.0 if self.best else math.inf, {})
        used: dict[str, int] = {}
        into: dict[str, int] = {}
        lacking: dict[str, int] = {}
        taken: _Taken = {}
        for socket, number in one.plugs.items():
            # At best a card has few sockets and the supply many outputs.
            count = number.low if self.best else number.high
            ways = self._ways(one, socket)
            unfed = 0
            for _ in range(int(count)):
                way = next((w for w in ways if self._take(w.plugs, used, taken)), None)
                if way is None:
                    unfed += 1
                    continue
                for plug, heads in way.plugs.items():
                    words = f"{plug} into {socket}" if way.is_direct and plug != socket else plug
                    into[words] = into.get(words, 0) + int(heads.high)
            if unfed:
                lacking[socket] = unfed
        return _Fed(used, into, taken, float(sum(lacking.values())), lacking)

    def _drain(self, *, board: bool) -> None:
        for connector in {*self.loose, *self.heads}:
            if (connector in _BOARD) if board else (connector != _BOARD[0]):
                self.loose[connector] = 0.0
                self.heads[connector] = []

    def _ways(self, one: _Load, socket: str) -> list[_Way]:
        """The plugs that can feed one socket, those to try first first."""
        through = [
            _Way(a.value("inputs"), is_direct=False)
            for a in self._adapters(one)
            if a.value("output") == socket and a.value("inputs")
        ]
        direct = [_Way({plug: exact(1.0)}, is_direct=True) for plug in self._plugs_into(socket)]
        return [*through, *direct] if one.adapter and through else [*direct, *through]

    def _plugs_into(self, socket: str) -> list[str]:
        """Cable plugs that go into a socket: its own first."""
        others = [
            name
            for name in (*self.loose, *self.heads)
            if socket in (self._connector(name, "fits") or ()) and name != socket
        ]
        return [socket, *others]

    def _connector(self, name: str, fact: str) -> Any:
        found = self.subjects.get(f"connector:{name}")
        return found.value(fact) if found else None

    def _left(self, connector: str) -> float:
        return self.loose.get(connector, self.unlisted) + sum(self.heads.get(connector, ()))

    def _take(self, wanted: dict[str, Interval], used: dict[str, int], taken: _Taken) -> bool:
        if any(self._left(c) < n.high for c, n in wanted.items()):
            return False
        for connector, number in wanted.items():
            for _ in range(int(number.high)):
                self._draw(connector, taken)
            used[connector] = used.get(connector, 0) + int(number.high)
        return True

    def _draw(self, connector: str, taken: _Taken) -> None:
        """Use one head: of a cable that does not serve this thing yet, if there is one."""
        heads = self.heads.get(connector, [])
        free = [i for i, left in enumerate(heads) if left >= 1]
        if not free:
            self.loose[connector] = self.loose.get(connector, self.unlisted) - 1
            taken[connector, -1 - len(taken)] = 1
            return
        fresh = [i for i in free if (connector, i) not in taken]
        # An unused cable comes before one that feeds another card.
        cable = max(fresh or free, key=lambda i: heads[i])
        heads[cable] -= 1
        taken[connector, cable] = taken.get((connector, cable), 0) + 1


class _Pool(_Outputs):
    """The most that the outputs of supplies together can feed, with what lists leave out."""

    def __init__(
        self, psus: list[Subject], subjects: dict[str, Subject], stocks: list[list[Subject]]
    ) -> None:
        self.subjects, self.best = subjects, True
        self.loose, self.heads, self.unlisted = {}, {}, 0.0
        for psu, stock in zip(psus, stocks, strict=True):
            one = _Outputs(psu, subjects, stock, best=True)
            self.unlisted = max(self.unlisted, one.unlisted)
            for plug, number in one.loose.items():
                heads = number * 2 if plug in _SPLIT else number
                self.loose[plug] = self.loose.get(plug, 0.0) + heads
            for plug, cables in one.heads.items():
                self.heads[plug] = [*self.heads.get(plug, []), *cables]

    def _ways(self, one: _Load, socket: str) -> list[_Way]:
        ways = super()._ways(one, socket)
        if one.kind == _GPU and socket not in _SPLIT:
            ways.append(_Way({_SPLIT[1]: exact(1.0)}, is_direct=False))
        return ways
