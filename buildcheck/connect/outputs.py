"""Plugs of a PSU, and what is left of them while it feeds one thing after another."""

import math
from typing import NamedTuple

from buildcheck.logic.quantity import UNKNOWN, ZERO, Interval, exact
from buildcheck.model.graph import Subject
from buildcheck.model.part import USER

#: What only a board takes, and what it shares with some cards.
BOARD_PLUGS = ("atx-24-pin", "eps-8-pin")
GPU = "gpu"
#: Plugs of which a cable often has two, and the input of adapters for all others of a card.
PCIE, SIXTEEN_PIN = "pcie-8-pin", "16-pin"
_SPLIT = ("pcie-6-pin", PCIE)
#: PCIe heads on one cable, at most.
MOST_HEADS = 2
#: What a supply feeds, in this order.
_TURN = {"motherboard": 0, "gpu": 1, "riser": 2, "slots": 3}
#: Heads used of each cable, by connector and number; outputs that are no listed cable are
#: numbered below zero.
_Taken = dict[tuple[str, int], int]


class Fed(NamedTuple):
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


class Load(NamedTuple):
    """A consumer of power: its sockets by connector, None if not known.

    `rank` is its place among those that are fed, whatever their order in the build file.
    """

    key: str
    kind: str
    rank: int
    plugs: dict[str, Interval] | None
    adapter: str | None = None
    bundled: str | None = None


class Outputs:
    """What is left of one supply's cables while it feeds one thing after another."""

    def __init__(
        self, psu: Subject, subjects: dict[str, Subject], cables: list[Subject], *, best: bool
    ) -> None:
        plugs: dict[str, Interval] | None = psu.value("plugs")
        # Who says of cables only that they are of another PSU has its own as well.
        cables = [] if all(cable.value("reused") for cable in cables) else cables
        self.subjects, self.best = subjects, best
        #: Is there a GPU that lacks an adapter? Nobody knows what one takes.
        self.lacks_adapter = False
        #: Heads left on each cable that the build lists, by connector, and all others.
        self.heads: dict[str, list[float]] = {}
        self.loose = {} if cables else {c: self._end(n) for c, n in (plugs or {}).items()}
        # Of these a cable has one head or two; of drives it has more, in no number that is usual.
        stated = psu.facts.get("cables")
        for connector, count in stated.value.items() if stated and stated.source is USER else ():
            if connector in (PCIE, BOARD_PLUGS[1]) and connector in self.loose:
                self.loose[connector] = min(self.loose[connector], MOST_HEADS * self._end(count))
        for cable in cables:
            connector, heads = cable.value("connector"), cable.value("heads") or exact(1.0)
            if connector and len(self.heads.get(connector, ())) < self._outlets(psu, connector):
                self.heads.setdefault(connector, []).append(self._end(heads))
        #: PCIe heads that each 16-pin one costs, as its cable takes sockets of theirs.
        self.cost = 0.0 if cables else self._cost(psu)
        silent = (plugs is None and not cables) or any(not c.value("connector") for c in cables)
        #: Outputs of kinds that are not listed: none, unless none are listed at all.
        self.unlisted = math.inf if silent and best else 0.0
        if best and plugs is not None and BOARD_PLUGS[0] not in plugs and not cables:
            # Who lists the plugs for cards alone leaves those of the board open.
            self.loose |= {c: math.inf for c in BOARD_PLUGS if c not in plugs}
        if cables and not set(BOARD_PLUGS) & set(self.heads):
            # Who lists the cables of the cards takes those of the board for granted.
            board = dict.fromkeys(BOARD_PLUGS, UNKNOWN) if plugs is None else plugs
            self.loose = {c: self._end(n) for c, n in board.items() if c in BOARD_PLUGS}

    def _cost(self, psu: Subject) -> float:
        heads, sixteen = (self.loose.get(plug, 0.0) for plug in (PCIE, SIXTEEN_PIN))
        each = psu.value("sixteen_pin_sockets")
        if each is None or not sixteen:
            return 0.0
        cables = (psu.value("cables") or {}).get(PCIE)
        sockets = self._end(each, swap=True) * sixteen
        # Cables of one head make room first.
        single = sockets if self.best else MOST_HEADS * cables.low - heads if cables else 0.0
        lost = sockets + max(0.0, sockets - single) * (MOST_HEADS - 1)
        return float(min(lost, heads) / sixteen)

    def _outlets(self, psu: Subject, connector: str) -> float:
        """Sockets on the supply for cables of a kind; no more of them can be plugged in."""
        counted = {**(psu.value("plugs") or {}), **(psu.value("cables") or {})}
        return self._end(counted.get(connector, ZERO)) if psu.value("plugs") else math.inf

    def _end(self, number: Interval, *, swap: bool = False) -> float:
        return number.high if self.best != swap else number.low

    def serve(self, loads: list[Load]) -> dict[tuple[str, str], Fed]:
        """Each load fed, those first whose adapters eat most outputs.

        They gain most from a native one.
        """
        return {(one.key, one.kind): self._serve(one) for one in sorted(loads, key=self._turn)}

    def _turn(self, one: Load) -> tuple[int, float, float, int]:
        sockets = sum(n.high for n in (one.plugs or {}).values())
        inputs = [a.value("inputs") or {} for a in self._adapters(one)]
        appetite = max((sum(n.high for n in i.values()) for i in inputs), default=0.0)
        return (_TURN[one.kind], -appetite, -sockets, one.rank)

    def _adapters(self, one: Load) -> list[Subject]:
        """The adapter the build lists for it, else the one it comes with."""
        found = self.subjects.get(f"adapter:{one.adapter or one.bundled}")
        return [found] if found else []

    def _serve(self, one: Load) -> Fed:
        if one.plugs is None:
            # Sockets are not known: at best all outputs are left, at worst it takes every output of
            # the kinds that fit.
            if not self.best:
                self._drain(board=one.kind == "motherboard")
            return Fed({}, {}, {}, 0.0 if self.best else math.inf, {})
        if one.kind == "slots" and self.lacks_adapter and not self.best:
            self._drain(board=False)
        used: dict[str, int] = {}
        into: dict[str, int] = {}
        lacking: dict[str, int] = {}
        taken: _Taken = {}
        for socket, number in one.plugs.items():
            # At best a card has few sockets and the supply many outputs.
            count = number.low if self.best else number.high
            ways, unfed = self._ways(one, socket), 0
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
                self.lacks_adapter |= one.kind == GPU and socket not in _SPLIT
        return Fed(used, into, taken, float(sum(lacking.values())), lacking)

    def _drain(self, *, board: bool) -> None:
        for connector in {*self.loose, *self.heads}:
            if (connector in BOARD_PLUGS) if board else (connector != BOARD_PLUGS[0]):
                self.loose[connector] = 0.0
                self.heads[connector] = []

    def _ways(self, one: Load, socket: str) -> list[_Way]:
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
        plugs = ((n, self.subjects.get(f"connector:{n}")) for n in (*self.loose, *self.heads))
        fits = ((name, plug.value("fits") or ()) for name, plug in plugs if plug)
        return [socket, *(name for name, into in fits if socket in into and name != socket)]

    def _left(self, connector: str) -> float:
        return self.loose.get(connector, self.unlisted) + sum(self.heads.get(connector, ()))

    def _take(self, wanted: dict[str, Interval], used: dict[str, int], taken: _Taken) -> bool:
        lost = self.cost if SIXTEEN_PIN in wanted else 0.0
        need = {c: n.high + lost * (c == PCIE) for c, n in {PCIE: ZERO, **wanted}.items()}
        if any(self._left(c) < number for c, number in need.items()):
            return False
        if lost:
            self.loose[PCIE] -= lost
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


class Pool(Outputs):
    """The most that the outputs of supplies together can feed, with what lists leave out."""

    def __init__(
        self, psus: list[Subject], subjects: dict[str, Subject], stocks: list[list[Subject]]
    ) -> None:
        self.subjects, self.best, self.lacks_adapter = subjects, True, False
        self.loose, self.heads, self.unlisted, self.cost = {}, {}, 0.0, 0.0
        for psu, stock in zip(psus, stocks, strict=True):
            one = Outputs(psu, subjects, stock, best=True)
            self.unlisted = max(self.unlisted, one.unlisted)
            for plug, number in one.loose.items():
                heads = number * 2 if plug in _SPLIT else number
                self.loose[plug] = self.loose.get(plug, 0.0) + heads
            for plug, cables in one.heads.items():
                self.heads[plug] = [*self.heads.get(plug, []), *cables]

    def _left(self, connector: str) -> float:
        # One PSU may have what another one lists none of.
        return super()._left(connector) + self.unlisted

    def _ways(self, one: Load, socket: str) -> list[_Way]:
        ways = super()._ways(one, socket)
        if one.kind == GPU and socket not in _SPLIT:
            ways.append(_Way({_SPLIT[1]: exact(1.0)}, is_direct=False))
        return ways
