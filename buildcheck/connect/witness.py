"""Why cards find no seat: which of them are in each other's way, and what would help.

After Hall's theorem there is a set of cards that qualify for fewer places than they are.
The set shown is the GPUs that take most openings and do not fit even by themselves; if
those do, it is all GPUs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from buildcheck.connect.seating import Card, Frame, Search
from buildcheck.model.quantity import exact

if TYPE_CHECKING:
    from buildcheck.model.kinds import Slot


class Witness(NamedTuple):
    """The cards that do not all fit, and what is there for them.

    `covers` is how many openings each takes, at most, `fit` how many of them find a seat,
    `positions` the slots they qualify for, `ways` what would seat them all.
    """

    cards: tuple[str, ...]
    covers: int
    fit: int
    positions: tuple[str, ...]
    ways: tuple[str, ...]


def witness(cards: list[Card], frame: Frame, pinned: dict[str, Slot]) -> Witness:
    """The cards that cannot all be seated at the thick end of their thickness."""
    gpus = [c for c in cards if c.is_gpu]
    crowd = _crowd(gpus, frame, pinned)
    left = _left(crowd, frame, pinned)
    ways = _ways(gpus, frame) if left else _around(cards, frame, pinned)
    qualify = [s for s in frame.slots if any(c.goes_into(s) for c in crowd)]
    return Witness(
        tuple(c.id for c in crowd),
        max(c.covers("high", frame.spacing) for c in crowd),
        # GPUs that fit by themselves have another card in their way.
        len(crowd) - (left or _left(cards, frame, pinned)),
        tuple(str(s.position or f"? ({s.label})") for s in qualify),
        tuple(ways),
    )


def _left(cards: list[Card], frame: Frame, pinned: dict[str, Slot]) -> int:
    return int(Search(cards, frame, pinned).left_over().high)


def _crowd(gpus: list[Card], frame: Frame, pinned: dict[str, Slot]) -> list[Card]:
    """The thickest GPUs that do not fit by themselves, or all of them."""
    sizes = sorted({c.covers("high", frame.spacing) for c in gpus}, reverse=True)
    for size in sizes:
        crowd = [c for c in gpus if c.covers("high", frame.spacing) >= size]
        if _left(crowd, frame, pinned):
            return crowd
    return gpus


def _around(cards: list[Card], frame: Frame, pinned: dict[str, Slot]) -> list[str]:
    """Which other cards to move or leave out, so that every GPU finds a seat."""
    found = []
    for other in (c for c in cards if not c.is_gpu):
        free = {card: slot for card, slot in pinned.items() if card != other.id}
        if other.id in pinned and not _left(cards, frame, free):
            found.append(f"another slot for {other.id}")
        elif not _left([c for c in cards if c.id != other.id], frame, free):
            found.append(f"no {other.id}")
    return [*found, "another board"]


def _ways(gpus: list[Card], frame: Frame) -> list[str]:
    """Changes after which every GPU finds a seat."""
    found = []
    for slots, words in ((2, "cards of 2 slots"), (1, "water blocks of 1 slot")):
        thick = exact(slots * frame.spacing.pitch - frame.spacing.clearance)
        thin = [c._replace(thickness=thick) for c in gpus]
        if not _left(thin, frame, {}):
            found.append(words)
            break
    for number in range(1, len(gpus) + 1):
        # Those that take most room go on risers first.
        order = sorted(gpus, key=lambda c: -c.covers("high", frame.spacing))
        hung = [c._replace(hangs=True) if i < number else c for i, c in enumerate(order)]
        if not _left(hung, frame, {}):
            found.append(f"risers for {number} of them")
            break
    return [*found, "another board"]
