"""Populated slots and drives → electrical lanes of each slot.

A board's lane modes say how widths change with what is populated and with the CPU's
lanes; M.2 sockets in use take lanes away; slots of a second CPU are dead without it. What a
CPU with few lanes for graphics leaves to the slots a board without a mode for it says is a range.
Where a board must split lanes in a way that is not documented, lanes are a range.
"""

from collections.abc import Iterable
from functools import reduce
from itertools import combinations
from typing import NamedTuple

from buildcheck.logic.quantity import UNKNOWN, ZERO, Interval
from buildcheck.model.board import M2, NVME, SATA, LaneMode, Slot
from buildcheck.model.graph import by_key

#: Ways to put drives into sockets that are looked at; beyond, the first free ones are taken.
MOST_WAYS = 200


class Wiring(NamedTuple):
    """A board's slots and sockets, and the CPUs and drives that are there.

    `cpu_lanes` are those of one CPU, `all_lanes` those of all in their sockets, both None if not
    known, and `graphics` those of them that graphics slots can have, None if as many as these are
    wide; `cpus` is None where no CPU is listed. `drives` counts M.2 drives with no socket of their
    own, `sata` those of them that speak SATA, and `pinned` names the sockets of the others.
    """

    slots: tuple[Slot, ...]
    modes: tuple[LaneMode, ...] = ()
    sockets: tuple[M2, ...] = ()
    cpu_lanes: Interval | None = None
    all_lanes: Interval | None = None
    graphics: Interval | None = None
    cpus: int | None = None
    drives: int = 0
    sata: int = 0
    pinned: tuple[str, ...] = ()
    split_least: float = 0.0
    uplinks: dict[str, Interval | None] = {}  # noqa: RUF012 - fields of a tuple are not shared state


class Lanes:
    """The lanes of populated slots, worked out once for each set of them."""

    def __init__(self, wiring: Wiring) -> None:
        self.wiring = wiring
        self.slots = {s.label: s for s in wiring.slots}
        self._sockets = [s for s in wiring.sockets if works(s, wiring.cpu_lanes)]
        self._known: dict[frozenset[str], dict[str, Interval]] = {}
        self._kinds = {
            s.label: str(sorted((n, v.low, v.high) for n, v in (s.slot_lanes or {}).items()))
            for s in wiring.sockets
        }

    def of(self, used: frozenset[str]) -> dict[str, Interval]:
        """Lanes by slot label while exactly these slots are populated."""
        if used not in self._known:
            lanes = {label: self._alive(label, n) for label, n in self._wired(used).items()}
            fixed = [s for s in self.wiring.sockets if s.label in self.wiring.pinned]
            others = (socket for found in self.sockets_of(used).values() for socket in found)
            self._known[used] = _less_drives(lanes, [*fixed, *others])
        return self._known[used]

    def sockets_of(self, used: frozenset[str]) -> dict[str, list[M2]]:
        """By what they speak, the sockets of the drives that have none of their own.

        Those that take least from the populated slots. Drives with SATA choose first, as
        fewer sockets take them, and of these what is known to; none goes where it cannot work.
        """
        wiring = self.wiring
        taken = [s for s in wiring.sockets if s.label in wiring.pinned]
        free = [s for s in self._sockets if takes(s, SATA) is not False and s not in taken]
        sure = [s for s in free if takes(s, SATA)]
        fits = sure if len(sure) >= wiring.sata else free
        sata = self._cheapest(used, taken, fits, wiring.sata)
        taken = taken + sata
        free = [s for s in self._sockets if takes(s, NVME) is not False and s not in taken]
        return {SATA: sata, NVME: self._cheapest(used, taken, free, wiring.drives - wiring.sata)}

    def _cheapest(
        self, used: frozenset[str], taken: list[M2], free: list[M2], number: int
    ) -> list[M2]:
        """The `number` free M.2 sockets that cost the slots the fewest lanes."""
        number = min(number, len(free))
        harmless = [s for s in free if not used & set(s.slot_lanes or ())]
        # Those that take nothing from any slot come first, so that a slot stays free to use.
        harmless.sort(key=lambda s: bool(s.slot_lanes))
        if len(harmless) >= number or not number:
            return harmless[:number]
        # Sockets that take the same from the same slots are one choice; what is left is few.
        alike = by_key((self._kinds[socket.label], socket) for socket in free)
        return self._least_harm(used, taken, list(alike.values()), number)

    def _least_harm(
        self, used: frozenset[str], fixed: list[M2], alike: list[list[M2]], number: int
    ) -> list[M2]:
        """The `number` sockets that leave populated slots most lanes; kinds are tried whole.

        A second drive in a socket of the same kind takes nothing more, so kinds are chosen.
        """
        lanes = self._wired(used)

        def harm(kinds: tuple[list[M2], ...]) -> float:
            left = _less_drives(lanes, [*fixed, *(k[0] for k in kinds)])
            return sum(lanes[label].high - left[label].high for label in lanes)

        ways = (
            kinds
            for size in range(1, len(alike) + 1)
            for kinds in combinations(alike, size)
            if sum(map(len, kinds)) >= number
        )
        looked = [way for way, _ in zip(ways, range(MOST_WAYS), strict=False)]
        return [socket for kind in min(looked, key=harm) for socket in kind][:number]

    def _wired(self, used: frozenset[str]) -> dict[str, Interval]:
        """Lanes by the board's modes, or as wide as the slots are."""
        found = self._by_modes(used)
        if found is not None:
            return found
        wide = {label: self._widest(self.slots[label]) for label in used}
        sharing = [label for label in used if self.slots[label].owner in ("cpu", "cpu2", None)]
        wanted = sum(wide[label].high for label in sharing)
        budget = self.wiring.all_lanes or UNKNOWN
        if len(sharing) > 1 and (self.wiring.modes or wanted > budget.low):
            # The board must split lanes, in a way that is not documented.
            wide |= {label: self._split(self.slots[label], wide[label]) for label in sharing}
        return self._graphics(wide)

    def _graphics(self, lanes: dict[str, Interval]) -> dict[str, Interval]:
        """What a CPU with few lanes for graphics leaves, where the board has no mode for it.

        The first of its widest slots has them; others may have some of them, others or none.
        """
        most = self.wiring.graphics
        mine = [s for s in self.wiring.slots if s.owner == "cpu"]
        if most is None or not mine:
            return lanes
        first, left = max(mine, key=lambda s: self._widest(s).high), dict(lanes)
        for slot in mine:
            if slot.label in left:
                now = left[slot.label]
                low = min(now.low, most.low) if slot is first else 0.0
                left[slot.label] = Interval(low, min(now.high, most.high))
        return left

    def _by_modes(self, used: frozenset[str]) -> dict[str, Interval] | None:
        modes, ours = self._modes_for_cpu()
        alike = by_key((str(m.cpu_lanes), m) for m in modes if used <= set(m.populate))
        # Of those for one number of lanes, the mode that is for fewest slots.
        fitting = [min(each, key=lambda mode: len(mode.populate)) for each in alike.values()]
        if not fitting:
            return None
        result = {}
        for label in used:
            wide = self._widest(self.slots[label])
            result[label] = reduce(Interval.hull, (m.lanes.get(label, wide) for m in fitting))
        return result if ours else self._graphics(result)

    def _modes_for_cpu(self) -> tuple[list[LaneMode], bool]:
        """The modes that may hold for the CPU, and whether they are for CPUs of its lanes.

        A mode for a number of lanes goes before a mode for any CPU where the CPU's lanes are
        known, after it where they are not known, and with it where they are a range.
        """
        have = self.wiring.cpu_lanes
        fitting = [mode for mode in self.wiring.modes if _meets(mode.cpu_lanes, have)]
        ours = [mode for mode in fitting if mode.cpu_lanes is not None]
        others = [mode for mode in fitting if mode.cpu_lanes is None]
        if have is None:
            return others or ours, False
        return (ours, True) if ours and have.is_exact else (fitting, False)

    def _widest(self, slot: Slot) -> Interval:
        return slot.lanes or Interval(0.0, float(slot.mechanical))

    def _split(self, slot: Slot, wide: Interval) -> Interval:
        low = 0.0 if slot.lanes is None else min(self.wiring.split_least, wide.low)
        return Interval(low, wide.high)

    def _alive(self, label: str, lanes: Interval) -> Interval:
        """Slots have no lanes behind a CPU that is not there or has none, or a dead switch."""
        slot = self.slots[label]
        uplink = self.wiring.uplinks.get(slot.switch or "")
        if slot.owner == "cpu2" and (self.wiring.cpus or 0) <= 1:
            return Interval(0.0, lanes.high) if self.wiring.cpus is None else ZERO
        source = uplink if slot.owner == "switch" else self.wiring.cpu_lanes
        if slot.owner != "chipset" and source is not None and source.high == 0:
            return ZERO
        return lanes


def takes(socket: M2, protocol: str) -> bool | None:
    """Does a drive that speaks so work in a socket? One with lanes takes NVMe."""
    if socket.protocols is not None:
        return protocol in socket.protocols
    return True if protocol == NVME and socket.lanes is not None and socket.lanes.low > 0 else None


def works(socket: M2, cpu_lanes: Interval | None) -> bool:
    """May a socket have lanes from a CPU with `cpu_lanes` lanes?"""
    return _meets(socket.cpu_lanes, cpu_lanes)


def _meets(wanted: Interval | None, have: Interval | None) -> bool:
    """May a CPU have the lanes a mode is for?"""
    return wanted is None or have is None or (have.high >= wanted.low and have.low <= wanted.high)


def _less_drives(lanes: dict[str, Interval], sockets: Iterable[M2]) -> dict[str, Interval]:
    """Lanes per slot after the drives in these sockets have taken theirs."""
    left = dict(lanes)
    for socket in sockets:
        for label, most in (socket.slot_lanes or {}).items():
            if label in left:
                now = left[label]
                left[label] = Interval(min(now.low, most.low), min(now.high, most.high))
    return left
