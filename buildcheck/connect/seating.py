"""The search for the best seats: which card in which slot, for one end of their thickness.

Goes through the slots from the CPU outwards and tries a card of each sort that fits, and
leaving the slot empty; branches that cannot seat as much as the best so far are cut.
What counts, in this order: seats (GPUs before other cards), brackets in openings of the case,
live lanes, bridges that reach from card to card, coolers within the openings, coolers that do not
touch, direct lanes, link rate up to what the work can use, air below open coolers, air, lanes, the
hottest cards where they breathe best.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import groupby, pairwise
from typing import NamedTuple

from buildcheck.connect.lanes import Lanes
from buildcheck.logic.quantity import Interval, exact
from buildcheck.model.board import Slot, is_cabled
from buildcheck.model.graph import Subject, by_key

Choice = dict[str, "Slot"]
#: Steps after which the search settles for the best so far.
MOST_STEPS = 12_000
#: Openings of air to count for where there is no card to breathe for.
AIR = 99
#: Cases with openings in their rear wall alone.
TOWERS = ("tower", "desktop", "cube")
#: A graphics card has an x16 edge, whatever it uses of it.
FULL_LENGTH = 16
_OPEN = ("open-air", "flow-through")


class Spacing(NamedTuple):
    """The constants of slots, in mm."""

    pitch: float
    clearance: float
    tolerance: float

    def covers(self, thickness: float) -> int:
        """Positions a card of that thickness takes."""
        return max(1, math.ceil((thickness + self.clearance - self.tolerance) / self.pitch - 1e-9))


class SeatFrame(NamedTuple):
    """Slots, case and board that cards are placed in.

    `openings` are those of the case, `spans` the most the board can have, `bracket` those that a
    card needs at least; `rates` is GB/s per lane by generation and `useful` the link rate beyond
    which the work gains nothing. `apart` are the slots from one card to the other that bridges
    between them span.
    """

    slots: tuple[Slot, ...]
    lanes: Callable[[], Lanes]
    openings: float
    spans: float
    bracket: float
    spacing: Spacing
    rates: dict[float, float]
    useful: float
    apart: dict[tuple[str, ...], float] = {}  # noqa: RUF012 - fields of a tuple are not shared state


class Card(NamedTuple):
    """What the search knows of a card; `rate` is all its link can use, in GB/s."""

    id: str
    is_gpu: bool
    edge: int
    is_riser_mounted: bool
    thickness: Interval
    watts: float
    is_open: bool
    rate: float
    #: May it be on a cable and an adapter?
    cabled: bool = False

    def covers(self, end: str, spacing: Spacing) -> int:
        """Openings it takes at one end of its thickness; a hanging card takes one."""
        return 1 if self.is_riser_mounted else spacing.covers(getattr(self.thickness, end))


def goes_into(card: Card | CardShape, slot: Slot) -> bool:
    """Does its edge, or that of its riser, go into the slot; or its cable into the connector?"""
    if slot.connector is not None and not card.cabled:
        return False
    return slot.mechanical >= card.edge or slot.open_ended is True


def card_of(
    subject: Subject, edge: int, rate: float, *, is_alike: bool = False, linked: bool = True
) -> Card:
    """A GPU or another card as the search sees it; of cards that are all alike none is hotter.

    Heat and air are of those that are `linked`: without, only the room is looked for.
    """
    thickness = subject.value("thickness") or Interval(0.0, 0.0)
    # Its default limit: cards are not moved when a limit changes.
    power = exact(1.0) if is_alike or not linked else subject.value("board_power")
    return Card(
        subject.id,
        subject.kind == "gpu",
        edge,
        bool(subject.value("riser")) or bool(subject.value("vertical")),
        thickness,
        power.low if power else 0.0,
        linked and subject.value("cooling") in _OPEN,
        rate,
    )


class CardShape(NamedTuple):
    """What decides where a card can go; cards of one shape can change seats."""

    is_gpu: bool
    covers: int
    edge: int
    is_riser_mounted: bool
    rate: float
    thickness: float
    cabled: bool


class Seat(NamedTuple):
    """A card's openings in a slot, first and last; without a known place they are 0."""

    card: Card
    slot: Slot
    first: int
    last: int


class _Place(NamedTuple):
    """A seat for any card of a shape."""

    shape: CardShape
    slot: Slot
    first: int
    last: int


class SeatSearch:
    """The best way to seat the cards, and how many find no seat."""

    def __init__(self, cards: list[Card], frame: SeatFrame, pinned: dict[str, Slot]) -> None:
        self.cards, self.frame = cards, frame
        self.fixed = [(card, pinned[card.id]) for card in cards if card.id in pinned]
        self.free = [card for card in cards if card.id not in pinned]
        taken = {slot.label for _, slot in self.fixed}
        self.open = sorted(
            (s for s in frame.slots if s.label not in taken), key=lambda s: s.position or math.inf
        )
        self.gpus = [c for c in cards if c.is_gpu]
        self._walks: dict[tuple[str, bool], _Walk] = {}

    def best(self) -> Choice:
        """The best arrangement; cards for which no slot is left are not in it."""
        seats = self._walk("high", scored=True).best
        # Thick cards do not all fit, or only on slots without lanes or of the chipset; if those in
        # the middle of the range do, or for want of any other slot thin ones, show how.
        is_range = any(not card.thickness.is_exact for card in self.cards)
        for end, counted in (("middle", 4), ("low", 3)) if is_range else ():
            worth = self._worth(seats)[:counted]
            if any(worth):
                other = self._walk(end, scored=True).best
                seats = other if self._worth(other)[:counted] < worth else seats
        return {seat.card.id: seat.slot for seat in seats}

    def may_seat_more(self, choice: Choice) -> bool:
        """Is there, or may there be, an arrangement with more cards at the thin end?"""
        if len(choice) == len(self.cards):
            return False
        walk = self._walk("low", scored=False)
        gpus = sum(c.is_gpu and c.id in choice for c in self.cards)
        return walk.was_cut or _weight(walk.best) > (gpus, len(choice) - gpus)

    def _worth(self, seats: list[Seat]) -> tuple[float, ...]:
        """GPUs and other cards without a seat, and GPUs on dead slots and on the chipset."""
        lanes = self.frame.lanes().of(frozenset(s.slot.label for s in seats))
        slots = [s.slot for s in seats if s.card.is_gpu]
        gpus = len(self.gpus) - len(slots)
        return (
            float(gpus),
            float(len(self.cards) - len(seats) - gpus),
            float(sum(lanes[slot.label].high == 0 for slot in slots)),
            float(sum(slot.owner == "chipset" for slot in slots)),
        )

    def left_over(self) -> Interval:
        """GPUs that find no slot: at best (thin cards) and at worst (thick ones)."""
        slots = [s for s in self.frame.slots if any(goes_into(c, s) for c in self.gpus)]
        surplus = float(max(0, len(self.gpus) - len(slots)))
        if any(not (s.position or s.connector) for s in slots) and len(self.gpus) > 1:
            standing = [c for c in self.gpus if not c.is_riser_mounted]
            hanging = len(self.gpus) - len(standing)
            most = hanging + self._in_a_row(standing, "low", self.frame.spans)
            least = max(surplus, float(len(self.gpus) - most))
            # An M.2 or OCuLink socket is in no row of slots, and no GPU covers it.
            sure = 1 + sum(card.is_gpu and is_cabled(slot) for card, slot in self.fixed)
            if self.is_free:
                # As many openings as there are slots, at the least, are those of slots.
                sure = max(sure, self._in_a_row(self.gpus, "high", self.sure_slots))
            return Interval(least, max(least, float(len(self.gpus) - sure)))
        thin, thick = self._left("low", surplus), self._left("high", surplus)
        return Interval(thin.low, max(thin.high, thick.high))

    @cached_property
    def sure_slots(self) -> int:
        """Long slots that work whatever else is filled."""
        long = [s for s in self.frame.slots if s.mechanical >= FULL_LENGTH]
        lanes = self.frame.lanes().of(frozenset(s.label for s in self.frame.slots))
        return sum(lanes[s.label].low > 0 and not is_cabled(s) for s in long)

    @property
    def is_free(self) -> bool:
        """May the cards go anywhere, and is known how thick they are?"""
        return not self.fixed and all(c.thickness.high or c.is_riser_mounted for c in self.gpus)

    def end_at_worst(self) -> float:
        """The opening at which the last GPU ends at worst where they sit as high as slots allow.

        Of S long slots on a board of B openings the k-th is at B - S + k at most, wherever the
        slots are, and a GPU that covers n of them makes the next one start n slots further on.
        """
        standing = [c for c in self.gpus if not c.is_riser_mounted]
        sizes = [c.covers("high", self.frame.spacing) for c in standing]
        fits = self.is_free and sum(sizes) - max(sizes, default=0) < self.sure_slots
        return self.frame.spans - self.sure_slots + sum(sizes) if fits else math.inf

    def _in_a_row(self, cards: list[Card], end: str, openings: float) -> int:
        """How many cards go into openings in a row, of which the last may reach beyond them."""
        sizes = sorted(c.covers(end, self.frame.spacing) for c in cards)
        fitting = (n for n in range(1, len(sizes) + 1) if sum(sizes[: n - 1]) < openings)
        return max(fitting, default=0)

    def _left(self, end: str, surplus: float) -> Interval:
        """GPUs left over at one end of their thickness; a range if the search was cut."""
        walk = self._walk(end, scored=False)
        seated = [s for s in walk.best if s.card.is_gpu]
        # Cards pinned onto others; those on risers of one slot share it.
        rows = sorted({(s.first, s.last) for s in walk.best if s.first})
        found = float(len(self.gpus) - len(seated) + sum(b[0] <= a[1] for a, b in pairwise(rows)))
        return Interval(min(found, surplus) if walk.was_cut else found, found)

    def _walk(self, end: str, *, scored: bool) -> _Walk:
        """A walk, made once; of one to the end that is scored no other seats more cards."""
        if all(c.is_riser_mounted or c.thickness.is_exact for c in self.cards):
            end = "high"
        best = self._walks.get((end, True))
        walk = best if best and not best.was_cut else self._walks.get((end, scored))
        if walk is None:
            walk = self._walks[end, scored] = _Walk(self, end, scored=scored)
            walk.go(0, [], {shape: len(cards) for shape, cards in walk.shapes.items()})
        return walk

    def shape(self, card: Card, end: str) -> CardShape:
        """What decides where a card can go, at one end of its thickness."""
        most = self.frame.useful if card.is_gpu else math.inf
        covers = card.covers(end, self.frame.spacing)
        thickness = 0.0 if card.is_riser_mounted else getattr(card.thickness, end)
        rate, mounted = min(card.rate, most), card.is_riser_mounted
        return CardShape(card.is_gpu, covers, card.edge, mounted, rate, thickness, card.cabled)

    def link_score(self, places: list[_Place], bridges: float) -> tuple[float, ...]:
        """What keeps a card from working, then overhang, touch, the chipset, link rates.

        Smaller is better. Of links alike at worst the fastest at best are taken.
        """
        frame = self.frame
        lanes = frame.lanes().of(frozenset([p.slot.label for p in places]))
        rates = [self._rate(p, lanes[p.slot.label].low) for p in places]
        at_best = (self._rate(p, lanes[p.slot.label].high) for p in places)
        gpus = [p for p in places if p.shape.is_gpu]
        brackets = [min(p.last, p.first + frame.bracket - 1) for p in places]
        dead = sum(lanes[p.slot.label].high == 0 for p in gpus)
        # Neighbours of which the upper is thicker than the room there is, give left aside.
        rows = sorted((p.first, p.shape.thickness) for p in places if p.first)
        touching = sum((b[0] - a[0]) * frame.spacing.pitch < a[1] for a, b in pairwise(rows))
        return (
            # A card that does not fit anyway is no reason for a dead slot.
            float(dead + sum(last > frame.openings for last in brackets)),
            max(0.0, max(brackets, default=0) - frame.openings),
            bridges,
            max(0.0, max((p.last for p in places), default=0) - frame.openings),
            float(touching),
            float(sum(p.slot.owner == "chipset" for p in gpus)),
            -min((r for p, r in zip(places, rates, strict=True) if p.shape.is_gpu), default=0.0),
            -math.fsum(rates),
            -math.fsum(at_best),
        )

    def _rate(self, place: _Place, lanes: float) -> float:
        """Link rate that is of use, in GB/s; without a generation the lowest is taken."""
        per_lane = self.frame.rates.get(place.slot.gen.low if place.slot.gen else 0.0, 0.25)
        return min(lanes * per_lane, place.shape.rate)


def air_score(seats: list[Seat]) -> tuple[float, ...]:
    """Air below open coolers, air below any, the hottest below others; smaller is better."""
    rows = sorted(
        (s.first, s.last, s.card.is_open)
        for s in seats
        if s.first and s.card.is_gpu and not s.card.is_riser_mounted
    )
    gaps = [(low[0] - high[1] - 1, high[2]) for high, low in pairwise(rows)]
    middle = sum(s.first for s in seats)
    return (
        -float(min((gap for gap, is_open in gaps if is_open), default=AIR)),
        -float(min((gap for gap, _ in gaps), default=AIR)),
        -float(sum(gap for gap, _ in gaps)),
        -math.fsum(
            (s.first * len(seats) - middle) * s.card.watts * (1 + s.card.is_open) for s in seats
        ),
    )


class _Walk:
    """One walk over the slots, keeping the best seats found."""

    def __init__(self, search: SeatSearch, end: str, *, scored: bool) -> None:
        self.search, self.end, self.scored = search, end, scored
        free = sorted(search.free, key=lambda card: not card.is_gpu)
        self.shapes = by_key((search.shape(card, end), card) for card in free)
        self.fixed = [self._place(search.shape(c, end), slot) for c, slot in search.fixed]
        self.places: list[_Place] = []
        self._airs: dict[object, tuple[float, ...]] = {}
        self.worth: tuple[float, ...] | None = None
        self.steps = 0
        self.slots = search.open

    @property
    def was_cut(self) -> bool:
        """Did it settle for the best so far?"""
        return self.steps > MOST_STEPS

    def _place(self, shape: CardShape, slot: Slot) -> _Place:
        first = slot.position or 0
        return _Place(shape, slot, first, first + shape.covers - 1 if first else 0)

    def go(self, index: int, places: list[_Place], left: dict[CardShape, int]) -> None:
        """Branch on the shapes that fit slot `index`, then on the slots after it."""
        self.steps += 1
        if self.was_cut or self._is_hopeless(places, left, len(self.slots) - index):
            return
        if index == len(self.slots) or not any(left.values()):
            self._look(places)
            return
        slot = self.slots[index]
        for shape, count in left.items():
            if count and goes_into(shape, slot):
                place = self._place(shape, slot)
                # It meets none that is seated; slots are walked from the CPU outwards.
                others = [*self.fixed, *places[-1:]] if place.first else ()
                if all(place.last < o.first or o.last < place.first for o in others):
                    self.go(index + 1, [*places, place], {**left, shape: count - 1})
        self.go(index + 1, places, left)

    def _is_hopeless(self, places: list[_Place], left: dict[CardShape, int], slots: int) -> bool:
        """Can this branch no longer seat as much as the best (or more, if that is all)?"""
        if self.worth is None:
            return False
        now = _weight([*self.fixed, *places])
        gpus = min(slots, sum(n for shape, n in left.items() if shape.is_gpu))
        others = min(slots - gpus, sum(n for shape, n in left.items() if not shape.is_gpu))
        reach = (-now[0] - gpus, -now[1] - others)
        return reach > self.worth[:2] or (reach == self.worth[:2] and not self.scored)

    def _look(self, places: list[_Place]) -> None:
        whole = [*self.fixed, *places]
        gpus, others = _weight(whole)
        worth: tuple[float, ...] = (-gpus, -others)
        if self.scored:
            worth += self.search.link_score(whole, self._bridge_score(places))
        if self.worth is not None and worth > self.worth[: len(worth)]:
            return
        if self.scored:
            *air, hot = self._air_score(places)
            lanes = self.search.frame.lanes().of(frozenset([p.slot.label for p in whole]))
            # Lanes of all places, whatever use they are.
            least = math.fsum(lanes[p.slot.label].low for p in whole)
            worth += (*air, -least, hot, float(sum(p.first for p in whole)))
        if self.worth is None or worth < self.worth:
            self.places, self.worth = places, worth

    def _air_score(self, places: list[_Place]) -> tuple[float, ...]:
        """Score of the airflow; cached, as only GPUs count."""
        key = tuple([(p.first, p.shape) for p in places if p.shape.is_gpu])
        if key not in self._airs:
            self._airs[key] = air_score(self._seats([p for p in places if p.shape.is_gpu]))
        return self._airs[key]

    def _bridge_score(self, places: list[_Place]) -> float:
        """Bridges that do not reach from one of their cards to the other."""
        apart = self.search.frame.apart
        if not apart:
            return 0.0
        rows = {
            s.card.id: s.first
            for s in self._seats(places)
            if s.first and not s.card.is_riser_mounted
        }
        pairs = [(rows.get(a), rows.get(b), slots) for (a, b), slots in apart.items()]
        return float(sum(bool(a and b and abs(a - b) != slots) for a, b, slots in pairs))

    @property
    def best(self) -> list[Seat]:
        """The best seats found."""
        return [] if self.worth is None else self._seats(self.places)

    def _seats(self, places: list[_Place]) -> list[Seat]:
        """The cards of each shape on its places: open and hot ones where there is most air."""
        # Free openings below each GPU in the board, by its first opening.
        gpus = (p for p in (*self.fixed, *places) if p.first and p.shape.is_gpu)
        spans = sorted((p.first, p.last) for p in gpus if not p.shape.is_riser_mounted)
        air = {high[0]: low[0] - high[1] - 1 for high, low in pairwise(spans)}
        seats = [
            Seat(card, *place[1:])
            for (card, _), place in zip(self.search.fixed, self.fixed, strict=True)
        ]
        for shape, cards in self.shapes.items():
            mine = [p for p in places if p.shape == shape]
            mine.sort(key=lambda p: (-air.get(p.first, AIR), -p.first))
            # Cards that are alike are numbered from the CPU outwards.
            for _, alike in groupby(sorted(cards, key=_heat), key=_heat):
                group = list(alike)
                taken, mine = mine[: len(group)], mine[len(group) :]
                rows = sorted(taken, key=lambda p: p.first)
                seats += [Seat(c, *p[1:]) for c, p in zip(group, rows, strict=False)]
        return seats


def _heat(card: Card) -> tuple[bool, float]:
    """Cards that need most air first."""
    return not card.is_open, -card.watts


def _weight(places: Sequence[_Place | Seat]) -> tuple[float, float]:
    """GPUs placed, and other cards."""
    gpus = sum((p.shape if isinstance(p, _Place) else p.card).is_gpu for p in places)
    return float(gpus), float(len(places) - gpus)
