"""Cards → slots: the arrangement that seats most cards, then has most lanes, then air.

A card covers the bracket positions its thickness needs, counted away from the CPU.
Cards on risers take a slot's lanes and one opening. Thickness may be a range: the search
asks for the thick end and, if that does not fit, for the thin end; what it could not
decide is left as a range for the facts. Positions a board's data do not give stay
unknown, and so does everything measured from them.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from buildcheck.connect.seating import Choice, Frame, Search, Spacing
from buildcheck.model.graph import Edge, Subject
from buildcheck.model.quantity import UNKNOWN, Interval, exact

#: A graphics card has an x16 edge, whatever it uses of it.
FULL_LENGTH = 16


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
    search = Search(cards, frame, pinned)
    choice = search.best()
    return [
        Edge("placed", "build", board.id, {"left_over": search.left_over()}),
        *_seated(choice, search, board),
        *_stacked(choice, cards),
    ]


def _frame(subjects: dict[str, Subject], pinned: set[int | str]) -> Frame:
    board, cpu, case = (subjects[n] for n in ("motherboard", "cpu", "case"))
    slots = board.value("slots") or ()
    standard = subjects["standard"].value
    distances = (standard(f"slot_{n}") for n in ("pitch", "clearance", "tolerance"))
    lanes, openings = cpu.value("pcie_lanes"), case.value("expansion_slots")
    return Frame(
        tuple(s for s in slots if s.mechanical >= FULL_LENGTH or {s.label, s.position} & pinned),
        board.value("lane_modes") or (),
        lanes * exact(float(cpu.count)) if lanes else UNKNOWN,
        openings.high if openings else math.inf,
        Spacing(*(d.low if d else 0.0 for d in distances)),
        standard("split_least").low if standard("split_least") else 0.0,
    )


def _seated(choice: Choice, search: Search, board: Subject) -> list[Edge]:
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
                "mechanical": slot.mechanical,
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
