"""Cards → slots: the arrangement with the fewest collisions, then most lanes, then air.

A card covers the bracket positions its thickness needs, counted away from the CPU.
Cards on risers take a slot's lanes but no room. Thickness may be a range: the search
asks for the thick end and, if that does not fit, for the thin end; what it could not
decide is left as a range for the facts. Positions a board's data do not give stay
unknown, and so does everything measured from them.
"""

from __future__ import annotations

import math
from itertools import combinations, islice, pairwise, permutations
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.model.graph import Edge, Subject
from buildcheck.model.quantity import UNKNOWN, Interval, exact

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.model.kinds import LaneMode, Slot

Choice = dict[str, "Slot"]
#: A graphics card has an x16 edge, whatever it uses of it.
FULL_LENGTH = 16
#: Arrangements looked at before the search settles for the best so far.
MOST_ARRANGEMENTS = 50_000


class _Spacing(NamedTuple):
    """The constants of slots, in mm."""

    pitch: float
    clearance: float
    tolerance: float

    def covers(self, thickness: float) -> int:
        """Positions a card of that thickness takes."""
        return max(1, math.ceil((thickness + self.clearance - self.tolerance) / self.pitch - 1e-9))


class _Frame(NamedTuple):
    """What the cards go into: slots, how their lanes change, and how far apart they are."""

    slots: tuple[Slot, ...]
    modes: tuple[LaneMode, ...]
    cpu_lanes: Interval
    openings: float
    spacing: _Spacing
    split_least: float


def place(subjects: dict[str, Subject], pinned: dict[str, int | str]) -> list[Edge]:
    """Edges that say where the cards are.

    `seated`: card → board, with slot, lanes and generation. `above`: card → next card.
    `placed`: build → board, with how many cards find no slot.
    """
    cards = [s for s in subjects.values() if s.kind == "gpu"]
    board = subjects["motherboard"]
    frame = _frame(subjects, set(pinned.values()))
    if not frame.slots:
        return [Edge("placed", "build", board.id, {"left_over": Interval(0.0, float(len(cards)))})]
    search = _Search(cards, frame, pinned)
    choice = search.best()
    return [
        Edge("placed", "build", board.id, {"left_over": search.left_over()}),
        *_seated(choice, search, board),
        *_stacked(choice, cards),
    ]


def _frame(subjects: dict[str, Subject], pinned: set[int | str]) -> _Frame:
    board, cpu, case = (subjects[n] for n in ("motherboard", "cpu", "case"))
    slots = board.value("slots") or ()
    standard = subjects["standard"].value
    distances = (standard(f"slot_{n}") for n in ("pitch", "clearance", "tolerance"))
    lanes, openings = cpu.value("pcie_lanes"), case.value("expansion_slots")
    return _Frame(
        tuple(s for s in slots if s.mechanical >= FULL_LENGTH or {s.label, s.position} & pinned),
        board.value("lane_modes") or (),
        lanes * exact(float(cpu.count)) if lanes else UNKNOWN,
        openings.high if openings else math.inf,
        _Spacing(*(d.low if d else 0.0 for d in distances)),
        standard("split_least").low if standard("split_least") else 0.0,
    )


class _Search:
    """All ways to seat the cards, and the best of them."""

    def __init__(self, cards: list[Subject], frame: _Frame, pinned: dict[str, int | str]) -> None:
        self.cards, self.frame = cards, frame
        self.fixed: Choice = {}
        for card in cards:
            where = pinned.get(card.id)
            slot = next((s for s in frame.slots if where in (s.label, s.position)), None)
            if where is not None and slot is not None:
                self.fixed[card.id] = slot
        self.free = sorted((c for c in cards if c.id not in pinned), key=lambda c: _end(c, "high"))

    def best(self) -> Choice:
        """The best arrangement; cards for which no slot is left are not in it."""
        best: Choice = {}
        best_score: tuple[float, ...] | None = None
        for number in range(self._most(), -1, -1):
            for choice in self._arrangements(number):
                score = self._score(choice)
                if best_score is None or score < best_score:
                    best, best_score = choice, score
            if best_score and best_score[0] == 0:
                break
        return best

    def left_over(self) -> Interval:
        """Cards that find no slot: at best (thin cards) and at worst (thick ones)."""
        if any(s.position is None for s in self.frame.slots) and len(self.cards) > 1:
            surplus = float(max(0, len(self.cards) - len(self.frame.slots)))
            return Interval(surplus, max(surplus, float(len(self.cards) - 1)))
        return Interval(self._fewest_left("low"), self._fewest_left("high"))

    def _fewest_left(self, end: str) -> float:
        cards = {c.id: c for c in self.cards}
        for number in range(self._most(), -1, -1):
            for choice in self._arrangements(number):
                if not self._collisions(choice, cards, end)[0]:
                    return float(len(self.cards) - len(choice))
        return float(len(self.cards))

    def _most(self) -> int:
        return min(len(self.free), len(self.frame.slots) - len(self.fixed))

    def _arrangements(self, number: int) -> Iterator[Choice]:
        """Every way to seat `number` of the cards that are not pinned, thin ones first."""
        taken = {s.label for s in self.fixed.values()}
        open_slots = [s for s in self.frame.slots if s.label not in taken]
        group = self.free[:number]
        alike = len({(c.part, c.name, str(c.value("thickness"))) for c in group}) <= 1
        ways = (
            (slots, order)
            for slots in combinations(open_slots, number)
            for order in ([tuple(group)] if alike else permutations(group))
        )
        for slots, order in islice(ways, MOST_ARRANGEMENTS):
            yield {**self.fixed, **dict(zip((c.id for c in order), slots, strict=True))}

    def _score(self, choice: Choice) -> tuple[float, ...]:
        """Smaller is better: collisions, cards left over, overhang, lanes, air."""
        cards = {c.id: c for c in self.cards}
        thick = self._collisions(choice, cards, "high")
        thin = self._collisions(choice, cards, "low")
        lanes = [self.lanes(choice)[c].low for c in choice]
        gaps = self._gaps(choice, cards)
        return (
            thin[0],
            len(self.cards) - len(choice),
            thick[0],
            thin[1],
            -min(lanes, default=0.0),
            -sum(lanes),
            -min(gaps, default=math.inf) if gaps else 0.0,
            sum(s.position or 0 for s in choice.values()),
        )

    def _room(self, choice: Choice, cards: dict[str, Subject], end: str) -> list[tuple[int, int]]:
        rows = []
        for card_id, slot in choice.items():
            if slot.position is None:
                continue
            first = slot.position
            thickness = 0.0 if cards[card_id].value("riser") else _end(cards[card_id], end)
            rows.append((first, first + self.frame.spacing.covers(thickness) - 1))
        return sorted(rows)

    def _collisions(self, choice: Choice, cards: dict[str, Subject], end: str) -> tuple[int, float]:
        rows = self._room(choice, cards, end)
        clashes = sum(1 for a, b in pairwise(rows) if b[0] <= a[1])
        over = max((last for _, last in rows), default=0) - self.frame.openings
        return clashes, max(0.0, over)

    def _gaps(self, choice: Choice, cards: dict[str, Subject]) -> list[float]:
        rows = self._room(choice, cards, "low")
        return [float(b[0] - a[1]) for a, b in pairwise(rows)]

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


def _end(card: Subject, end: str) -> float:
    thickness = card.value("thickness")
    if thickness is None:
        return 0.0
    return float(getattr(thickness, end))


def _seated(choice: Choice, search: _Search, board: Subject) -> list[Edge]:
    lanes = search.lanes(choice)
    return [
        Edge(
            "seated",
            card,
            board.id,
            {
                "slot": slot.label,
                "position": slot.position,
                "lanes": lanes[card],
                "slot_lanes": slot.lanes,
                "gen": slot.gen,
                "owner": slot.owner,
            },
        )
        for card, slot in sorted(choice.items(), key=lambda item: item[1].position or 0)
    ]


def _stacked(choice: Choice, cards: list[Subject]) -> list[Edge]:
    """Card → the next card away from the CPU, where both sit in the board."""
    places: list[tuple[int, Any]] = sorted(
        (choice[c.id].position or 0, c.id)
        for c in cards
        if c.id in choice and choice[c.id].position and not c.value("riser")
    )
    return [
        Edge("above", a, b, {"pitches": low - high}) for (high, a), (low, b) in pairwise(places)
    ]
