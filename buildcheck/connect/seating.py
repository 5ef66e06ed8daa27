"""The search for the best seats: which card in which slot, for one end of their thickness.

Goes through the slots from the CPU outwards and tries a card of each sort that fits, and
leaving the slot empty; branches that cannot seat as many cards as the best so far are cut.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.model.quantity import UNKNOWN, Interval

if TYPE_CHECKING:
    from collections.abc import Callable

    from buildcheck.model.graph import Subject
    from buildcheck.model.kinds import LaneMode, Slot

Choice = dict[str, "Slot"]
#: Steps after which the search settles for the best so far.
MOST_STEPS = 12_000


class Spacing(NamedTuple):
    """The constants of slots, in mm."""

    pitch: float
    clearance: float
    tolerance: float

    def covers(self, thickness: float) -> int:
        """Positions a card of that thickness takes."""
        return max(1, math.ceil((thickness + self.clearance - self.tolerance) / self.pitch - 1e-9))


class Frame(NamedTuple):
    """What the cards go into: slots, how their lanes change, and how far apart they are."""

    slots: tuple[Slot, ...]
    modes: tuple[LaneMode, ...]
    cpu_lanes: Interval
    openings: float
    spacing: Spacing
    split_least: float


class _Seat(NamedTuple):
    """A card's openings in a slot, first and last; without a known place they are 0."""

    card: Subject
    slot: Slot
    first: int
    last: int


class Search:
    """The best way to seat the cards, and how many find no seat."""

    def __init__(self, cards: list[Subject], frame: Frame, pinned: dict[str, int | str]) -> None:
        self.cards, self.frame = cards, frame
        self.fixed: list[tuple[Subject, Slot]] = []
        for card in cards:
            where = pinned.get(card.id)
            slot = next((s for s in frame.slots if where in (s.label, s.position)), None)
            if where is not None and slot is not None:
                self.fixed.append((card, slot))
        taken = {slot.label for _, slot in self.fixed}
        self.open = sorted(
            (s for s in frame.slots if s.label not in taken), key=lambda s: s.position or math.inf
        )
        self.sorts: dict[tuple[Any, ...], list[Subject]] = {}
        for card in cards:
            if card.id not in pinned:
                self.sorts.setdefault(_sort(card), []).append(card)

    def best(self) -> Choice:
        """The best arrangement; cards for which no slot is left are not in it."""
        seats = self._walk("high", self._score).best
        if len(seats) < len(self.cards):
            # Thick cards do not all fit; if thin ones do, show how.
            thin = self._walk("low", self._score).best
            seats = thin if len(thin) > len(seats) else seats
        return {seat.card.id: seat.slot for seat in seats}

    def left_over(self) -> Interval:
        """Cards that find no slot: at best (thin cards) and at worst (thick ones)."""
        if any(s.position is None for s in self.frame.slots) and len(self.cards) > 1:
            surplus = float(max(0, len(self.cards) - len(self.frame.slots)))
            return Interval(surplus, max(surplus, float(len(self.cards) - 1)))
        thin, thick = self._left("low"), self._left("high")
        return Interval(thin.low, max(thin.high, thick.high))

    def _left(self, end: str) -> Interval:
        """Cards left over at one end of their thickness; a range if the search was cut."""
        walk = self._walk(end, None)
        found = float(len(self.cards) - len(walk.best) + _clashes(walk.best))
        surplus = float(max(0, len(self.cards) - len(self.frame.slots)))
        return Interval(min(found, surplus) if walk.was_cut else found, found)

    def _walk(self, end: str, score: Callable[[list[_Seat]], tuple[float, ...]] | None) -> _Walk:
        """Seats for most cards, and of those the best by `score`, or any without one."""
        walk = _Walk(self, end, score)
        walk.go(0, [], {sort: len(cards) for sort, cards in self.sorts.items()})
        return walk

    def seat(self, card: Subject, slot: Slot, end: str) -> _Seat:
        """The openings a card takes from a slot on."""
        if slot.position is None:
            return _Seat(card, slot, 0, 0)
        thickness = 0.0 if card.value("riser") else _end(card, end)
        return _Seat(
            card, slot, slot.position, slot.position + self.frame.spacing.covers(thickness) - 1
        )

    def _score(self, seats: list[_Seat]) -> tuple[float, ...]:
        """Smaller is better: overhang, cards behind the chipset, lanes, air, order."""
        choice = {seat.card.id: seat.slot for seat in seats}
        lanes = [value.low for value in self.lanes(choice).values()]
        rows = sorted((s.first, s.last) for s in seats if s.first)
        gaps = [b[0] - a[1] for a, b in pairwise(rows)]
        return (
            max(0.0, max((last for _, last in rows), default=0) - self.frame.openings),
            float(sum(slot.owner == "chipset" for slot in choice.values())),
            -min(lanes, default=0.0),
            -sum(lanes),
            -float(min(gaps, default=0)),
            float(sum(first for first, _ in rows)),
        )

    def lanes(self, choice: Choice) -> dict[str, Interval]:
        """Electrical lanes each seated card gets in this arrangement."""
        used = {s.label for s in choice.values()}
        fitting = [m for m in self.frame.modes if used <= set(m.populate)]
        if fitting:
            mode = min(fitting, key=lambda m: len(m.populate))
            return {c: mode.lanes.get(s.label, s.lanes or UNKNOWN) for c, s in choice.items()}
        wide = {c: s.lanes or Interval(0.0, float(s.mechanical)) for c, s in choice.items()}
        sharing = [c for c, s in choice.items() if s.owner in ("cpu", "cpu2", None)]
        wanted = sum(wide[c].high for c in sharing)
        if len(sharing) > 1 and (self.frame.modes or wanted > self.frame.cpu_lanes.low):
            # The board must split lanes, and nobody says how.
            return {c: self._split(choice[c], w) if c in sharing else w for c, w in wide.items()}
        return wide

    def _split(self, slot: Slot, wide: Interval) -> Interval:
        known = slot.lanes is not None and slot.owner is not None
        return Interval(min(self.frame.split_least, wide.low) if known else 0.0, wide.high)


class _Walk:
    """One walk over the slots, keeping the best seats found."""

    def __init__(
        self, search: Search, end: str, score: Callable[[list[_Seat]], tuple[float, ...]] | None
    ) -> None:
        self.search, self.end, self.score = search, end, score
        self.fixed = [search.seat(card, slot, end) for card, slot in search.fixed]
        self.best: list[_Seat] = []
        self.worth: tuple[float, ...] | None = None
        self.steps = 0

    @property
    def was_cut(self) -> bool:
        """Did it settle for the best so far?"""
        return self.steps > MOST_STEPS

    def go(self, index: int, seats: list[_Seat], left: dict[tuple[Any, ...], int]) -> None:
        """Try what can stand in slot `index` and beyond."""
        waiting = sum(left.values())
        reach = len(self.fixed) + len(seats) + min(waiting, len(self.search.open) - index)
        enough = self.worth is not None and reach <= len(self.best) and self.score is None
        self.steps += 1
        if enough or reach < len(self.best) or self.was_cut:
            return
        if not waiting or index == len(self.search.open):
            self._look(seats)
            return
        slot = self.search.open[index]
        for sort, count in left.items():
            if count:
                cards = self.search.sorts[sort]
                seat = self.search.seat(cards[len(cards) - count], slot, self.end)
                if self._free(seat, seats):
                    self.go(index + 1, [*seats, seat], {**left, sort: count - 1})
        self.go(index + 1, seats, left)

    def _free(self, seat: _Seat, seats: list[_Seat]) -> bool:
        """Does the card meet none that is seated? Slots are walked from the CPU outwards."""
        if not seat.first:
            return True
        others = [*self.fixed, *seats[-1:]]
        return all(seat.last < o.first or o.last < seat.first for o in others)

    def _look(self, seats: list[_Seat]) -> None:
        whole = [*self.fixed, *seats]
        worth = (-float(len(whole)), *(self.score(whole) if self.score else ()))
        if self.worth is None or worth < self.worth:
            self.best, self.worth = whole, worth


def _clashes(seats: list[_Seat]) -> int:
    """Cards pinned onto others."""
    rows = sorted((s.first, s.last) for s in seats if s.first)
    return sum(b[0] <= a[1] for a, b in pairwise(rows))


def _sort(card: Subject) -> tuple[Any, ...]:
    """Cards of one sort are the same to the search."""
    facts = (
        "thickness",
        "cooling",
        "pcie_lanes",
        "pcie_gen",
        "board_power",
        "power_limit",
        "riser",
    )
    return (card.part, card.name, *(str(card.value(fact)) for fact in facts))


def _end(card: Subject, end: str) -> float:
    thickness = card.value("thickness")
    if thickness is None:
        return 0.0
    return float(getattr(thickness, end))
