"""Cards → slots: the arrangement that seats most cards, then has most lanes, then air.

A card covers the bracket positions its thickness needs, counted away from the CPU.
Cards on risers take a slot's lanes and one opening. Thickness may be a range: the search
asks for the thick end and, if that does not fit, for the thin end; what it could not
decide is left as a range for the facts. Positions a board's data do not give stay
unknown, and so does everything measured from them. A slot pinned on a board whose slots
are not known is taken to be there, at its place and of unknown lanes.
"""

from __future__ import annotations

import math
from collections.abc import Container
from functools import cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from buildcheck.connect.lanes import Lanes, Wiring
from buildcheck.connect.seating import (
    FULL_LENGTH,
    TOWERS,
    Card,
    Choice,
    SeatFrame,
    SeatSearch,
    Spacing,
    card_of,
)
from buildcheck.connect.witness import witness
from buildcheck.logic.quantity import Interval, exact
from buildcheck.model.board import NVME, SATA, Slot, is_socket
from buildcheck.model.graph import Edge, Subject, by_facts, by_key

if TYPE_CHECKING:
    from buildcheck.resolve.pins import Pins

_PAIR = 2
#: What an edge to a slot has of it.
_OF_SLOT = (
    *("position", "mechanical", "open_ended", "bifurcation"),
    *("gen", "owner", "switch", "connector"),
)
#: Lanes of the edge of an extender of mining rigs, and of an adapter to a dock, at most.
_EDGES = {"usb": 1, "dock": 4}
#: Kinds of risers that are cables, at least in part.
_CABLES = ("cabled", "dock", "switch")


def joined(subjects: dict[str, Subject], pins: Pins) -> dict[str, tuple[str, ...]]:
    """The cards of each bridge; bridges that do not say take pairs of one name first."""
    if not any(s.kind == "bridge" for s in subjects.values()):
        return {}
    named = {card for pair in pins.bridges.values() for card in pair}
    cards = by_facts(s for s in subjects.values() if s.kind == "gpu" and s.id not in named)
    groups = by_key((card.name, card) for card in cards)
    pairs = [g[i : i + _PAIR] for g in groups.values() for i in range(0, len(g), _PAIR)]
    pairs.sort(key=lambda pair: (pair[0].value("nvlink") in (None, "none"), -len(pair)))
    free, found = [card.id for pair in pairs for card in pair], {}
    for bridge in (s.id for s in subjects.values() if s.kind == "bridge"):
        pair = pins.bridges.get(bridge)
        if pair is None:
            pair, free = tuple(free[:_PAIR]), free[_PAIR:]
        found[bridge] = pair
    return found


def distances(subjects: dict[str, Subject], pins: Pins) -> dict[tuple[str, ...], float]:
    """Slots from one card to the other that the bridges between them span."""
    pairs = joined(subjects, pins).items()
    found = ((subjects[b].value("spacing"), pair) for b, pair in pairs if len(pair) == _PAIR)
    return {pair: s.low for s, pair in found if s is not None and s.is_exact}


_M2 = "m.2"


def place(subjects: dict[str, Subject], pins: Pins, made: list[Edge]) -> list[Edge]:
    """Edges that say where cards are, after what `room` made.

    `seated`: card → board, with slot, lanes and generation. `above`: GPU → next GPU.
    `placed`: build → board, with what gives the reason where some find no slot, whether there may
    be an arrangement that seats more cards, and where the last GPU ends.
    """
    board = subjects["motherboard"]
    slots, pinned = _slots(board, pins)
    if not slots:
        # Nothing else is looked at: where cards go does not depend on it.
        return [Edge("placed", "build", board.id, {"why": None, "may_seat_more": True})]
    cards = [*_cards(subjects)]
    frame = _frame(subjects, slots, pins)._replace(apart=distances(subjects, pins))
    search = SeatSearch(cards, frame, pinned)
    choice = search.best()
    # Few ask why, and it takes longer to find than the seats.
    is_short = made[0].data["left_over"].high > 0
    data: dict[str, Any] = {
        "why": cache(partial(witness, cards, frame, pinned)) if is_short else None,
        "may_seat_more": search.may_seat_more(choice),
        "end_at_worst": search.end_at_worst(),
    }
    return [
        Edge("placed", "build", board.id, data),
        *_seated(choice, frame, board, subjects, pinned if pins.stated is None else pins.stated),
        *_stacked(choice, search.gpus),
    ]


def room(subjects: dict[str, Subject], pins: Pins) -> list[Edge]:
    """An edge `room`, build → board: how many GPUs find no slot.

    No more than that is looked at, least of all their links. Thinner GPUs leave no more over, so
    that this holds for each of which a range is known.
    """
    slots, pinned = _slots(subjects["motherboard"], pins)
    left_over = Interval(0.0, float(sum(s.kind == "gpu" for s in subjects.values())))
    if slots:
        cards = [*_cards(subjects, linked=False)]
        frame = _frame(subjects, slots, pins, linked=False)
        search = SeatSearch(cards, frame, pinned)
        left_over = _left_over(search, cards, frame, subjects, pins, pinned)
    return [Edge("room", "build", "motherboard", {"left_over": left_over})]


def _left_over(
    search: SeatSearch,
    cards: list[Card],
    frame: SeatFrame,
    subjects: dict[str, Subject],
    pins: Pins,
    pinned: dict[str, Slot],
) -> Interval:
    """How many GPUs find no slot, where some of what decides it is not stated."""
    left_over = search.left_over()
    if left_over.low:
        # Of a short slot it may not be known whether it takes a longer edge.
        may_be = tuple(_opened(slot) for slot in frame.slots)
        least = SeatSearch(cards, frame._replace(slots=may_be), pinned).left_over().low
        left_over = Interval(min(least, left_over.low), left_over.high)
    gpus = [s for s in subjects.values() if s.kind == "gpu"]
    risers = [s for s in subjects.values() if s.kind == "riser"]
    if risers and left_over.low and all(r.value("kind") == "cabled" for r in risers):
        # Their cables may be plugged into connectors of the board that are no slots.
        direct = [card for card in cards if not card.is_riser_mounted]
        least = SeatSearch(direct, frame, pinned).left_over().low
        left_over = Interval(min(least, left_over.low), left_over.high)
    may_be_on_risers = any(gpu.value("riser") is None for gpu in gpus)
    if pins.is_certain and may_be_on_risers and room_outside(subjects["case"]):
        left_over = Interval(0.0, left_over.high)
    return left_over


def _opened(slot: Slot) -> Slot:
    """A slot with an open end if it may have one; one of a single lane is closed unless stated."""
    may_be = slot.open_ended is None and slot.mechanical > 1
    return slot.model_copy(update={"open_ended": True}) if may_be else slot


def room_outside(case: Subject) -> bool:
    """Is there room for cards elsewhere than in the board: in no case, or an open frame?"""
    return not case.listed or case.value("kind") == "open frame"


def plug(subjects: dict[str, Subject], pins: Pins, placed: list[Edge]) -> list[Edge]:
    """Edges `plugged`: M.2 drive → board, with its socket; None where the board has none left."""
    slots, _ = _slots(subjects["motherboard"], pins)
    wiring = _wiring(subjects, slots, pins)
    used = frozenset(e.data["slot"] for e in placed if e.kind == "seated")
    found = Lanes(wiring).sockets_of(used)
    sockets = {protocol: [s.label for s in those] for protocol, those in found.items()}
    edges = []
    for drive in _drives(subjects):
        left = sockets[SATA if drive.value("protocol") == SATA else NVME]
        socket = pins.sockets.get(drive.id) or (left.pop(0) if left else None)
        edges.append(Edge("plugged", drive.id, "motherboard", {"socket": socket}))
    return edges


def _drives(subjects: dict[str, Subject]) -> list[Subject]:
    return [s for s in subjects.values() if s.kind == "storage" and s.value("form") == _M2]


def _slots(board: Subject, pins: Pins) -> tuple[tuple[Slot, ...], dict[str, Slot]]:
    """The board's slots with those that the build says are there, and the slot of pinned cards."""
    slots: list[Slot] = list(board.value("slots") or ())
    pinned = {}
    for card, where in pins.slots.items():
        found = next((s for s in slots if where in (s.label, s.position)), None)
        if found is None and pins.stated is not None and card not in pins.stated:
            continue
        if found is None:
            found = _stated(where, board)
            slots.append(found)
        pinned[card] = found
    for whole in {slot.label: slot for slot in pinned.values()}.values():
        cards = [card for card, slot in pinned.items() if slot.label == whole.label]
        parts = _split(whole, len(cards))
        pinned |= zip(cards, parts, strict=True)
        at = [slot.label for slot in slots].index(whole.label)
        slots[at : at + 1] = parts
    return tuple(slots), pinned


def _split(slot: Slot, ways: int) -> list[Slot]:
    """A slot as its parts, where several cards on risers share its lanes."""
    if ways == 1:
        return [slot]
    lanes = slot.lanes and slot.lanes / exact(2.0 ** math.ceil(math.log2(ways)))
    labels = (slot.label, *(f"{slot.label} part {n}" for n in range(2, ways + 1)))
    return [slot.model_copy(update={"label": label, "lanes": lanes}) for label in labels]


def _stated(where: int | str, board: Subject) -> Slot:
    """A slot that only the build file names; an M.2 socket has four lanes."""
    if isinstance(where, int) or not is_socket(where):
        position = where if isinstance(where, int) else None
        return Slot.model_construct(label=f"{where}", position=position, mechanical=FULL_LENGTH)
    socket = next((s for s in board.value("m2_slots") or () if s.label == where), None)
    known = {n: getattr(socket, n) for n in ("lanes", "gen", "owner") if socket}
    lanes = known.pop("lanes", None) or exact(float(_EDGES["dock"]))
    return Slot.model_construct(label=where, mechanical=_EDGES["dock"], lanes=lanes, **known)


def _cards(subjects: dict[str, Subject], *, linked: bool = True) -> list[Card]:
    """GPUs and other cards, with what their edge asks for and, if they are `linked`, their link."""
    rates = dict(subjects["standard"].value("lane_rate") or ())
    # Which riser a GPU is on is not stated.
    risers = [s for s in subjects.values() if s.kind == "riser"]
    edges, cabled = [riser_edge(riser) for riser in risers], may_be_cabled(risers)

    def rate(subject: Subject, reach: float) -> float:
        if not linked:
            return math.inf
        lanes, gen = subject.value("pcie_lanes"), subject.value("pcie_gen")
        per_lane = rates.get(gen.high, math.inf) if gen else math.inf
        return min(lanes.high, reach) * per_lane if lanes else math.inf

    gpus = [s for s in subjects.values() if s.kind == "gpu"]
    is_alike, found = all(s.facts is gpus[0].facts for s in gpus), []
    for subject in by_facts(s for s in subjects.values() if s.kind in ("gpu", "addin")):
        if subject.kind == "gpu":
            # A riser of few lanes goes where little is lost by it.
            mounted = bool(subject.value("riser"))
            edge = max(edges, default=FULL_LENGTH) if mounted else FULL_LENGTH
            card = card_of(subject, edge, rate(subject, edge), is_alike=is_alike, linked=linked)
            found.append(card._replace(cabled=mounted and cabled))
        else:
            own = subject.value("edge") or subject.value("pcie_lanes") or exact(1.0)
            found.append(card_of(subject, int(own.high), rate(subject, math.inf)))
    return found


def may_be_cabled(risers: list[Subject]) -> bool:
    """May GPUs on these risers be on cables of connectors; on which, where none is listed?"""
    return not risers or any(r.value("kind") in (None, *_CABLES) for r in risers)


def riser_edge(riser: Subject) -> int:
    """Lanes of the edge that a riser plugs in with: by its kind, or those of all its cards."""
    lanes, cards = riser.value("lanes"), riser.value("cards")
    most = _EDGES.get(riser.value("kind"), FULL_LENGTH)
    return most if lanes is None else min(most, int(lanes.high * (cards.high if cards else 1)))


def _wiring(subjects: dict[str, Subject], slots: tuple[Slot, ...], pins: Pins) -> Wiring:
    board, cpu = subjects["motherboard"], subjects["cpu"]
    drives = _drives(subjects)
    own = tuple(pins.sockets[d.id] for d in drives if d.id in pins.sockets)
    named = own + tuple(s for s in pins.slots.values() if isinstance(s, str))
    free = [d for d in drives if d.id not in pins.sockets]
    least = subjects["standard"].value("split_least")
    return Wiring(
        slots,
        board.value("lane_modes") or (),
        board.value("m2_slots") or (),
        cpu.value("pcie_lanes"),
        cpu_lanes(cpu),
        cpu.value("graphics_lanes"),
        cpu.count if cpu.listed else None,
        len(free),
        # One that does not say is taken to speak NVMe.
        sum(drive.value("protocol") == SATA for drive in free),
        named,
        least.low if least else 0.0,
        {s.label: s.uplink for s in board.value("switches") or ()},
    )


def cpu_lanes(cpu: Subject) -> Interval | None:
    """Lanes of all CPUs in their sockets that are free for slots and drives.

    Links between two CPUs take lanes, so two have less than twice those of one.
    """
    one, two = cpu.value("pcie_lanes"), cpu.value("lanes_two_sockets")
    if cpu.count > 1 and two is not None:
        return two  # type: ignore[no-any-return]
    return None if one is None else one * exact(float(cpu.count))


def _frame(
    subjects: dict[str, Subject], slots: tuple[Slot, ...], pins: Pins, *, linked: bool = True
) -> SeatFrame:
    standard = subjects["standard"].value
    distances = (standard(f"slot_{n}") for n in Spacing._fields)
    openings = subjects["case"].value("expansion_slots") if linked else None
    spans = subjects["motherboard"].value("openings")
    if spans is None and subjects["case"].value("kind") in TOWERS:
        spans = subjects["case"].value("expansion_slots")
    useful, bracket = subjects["workload"].value("useful_rate"), standard("bracket_slots")
    return SeatFrame(
        slots,
        # What decides its lanes is read only if one asks for them.
        cache(lambda: Lanes(_wiring(subjects, slots, pins))),
        openings.high if openings else math.inf,
        spans.high if spans else math.inf,
        bracket.low if bracket else 1.0,
        Spacing(*(d.low if d else 0.0 for d in distances)),
        dict(standard("lane_rate") or ()),
        useful.high if useful else math.inf,
    )


def _seated(
    choice: Choice,
    frame: SeatFrame,
    board: Subject,
    subjects: dict[str, Subject],
    pinned: Container[str],
) -> list[Edge]:
    lanes = frame.lanes().of(frozenset(s.label for s in choice.values()))
    cards = sorted(choice, key=lambda c: (subjects[c].kind != "gpu", choice[c].position or 0))
    edges = []
    for card, slot in ((card, choice[card]) for card in cards):
        data = {"slot": slot.label, "lanes": lanes[slot.label], "pinned": card in pinned}
        edges.append(Edge("seated", card, board.id, {n: getattr(slot, n) for n in _OF_SLOT} | data))
    return edges


def _stacked(choice: Choice, gpus: list[Card]) -> list[Edge]:
    """GPU → the next GPU away from the CPU, where both sit in the board."""
    places: list[tuple[int, Any]] = sorted(
        (choice[c.id].position or 0, c.id)
        for c in gpus
        if c.id in choice and choice[c.id].position and not c.is_riser_mounted
    )
    return [
        Edge("above", a, b, {"pitches": low - high}) for (high, a), (low, b) in pairwise(places)
    ]
