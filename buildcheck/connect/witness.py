"""Why GPUs find no slot: which of them are in each other's way, and what would help.

By Hall's theorem there is a set of GPUs that fit fewer slots than they are. The set shown
is the thickest GPUs that do not fit even by themselves; if those do, it is all GPUs.
"""

from typing import NamedTuple

from buildcheck.connect.seating import Card, SeatFrame, SeatSearch, goes_into
from buildcheck.logic.quantity import exact
from buildcheck.model.board import Slot


class Witness(NamedTuple):
    """GPUs that do not all fit: ids, most slots one covers, how many fit, where, and remedies."""

    cards: tuple[str, ...]
    covers: int
    fit: int
    positions: tuple[str, ...]
    ways: tuple[str, ...]


def witness(cards: list[Card], frame: SeatFrame, pinned: dict[str, Slot]) -> Witness:
    """The cards that cannot all be seated at the thick end of their thickness."""
    gpus = [c for c in cards if c.is_gpu]
    crowd = _crowd(gpus, frame, pinned)
    left = _left(crowd, frame, pinned)
    ways = _ways(gpus, frame) if left else _around(cards, frame, pinned)
    qualify = [s for s in frame.slots if any(goes_into(c, s) for c in crowd)]
    return Witness(
        tuple(c.id for c in crowd),
        max(c.covers("high", frame.spacing) for c in crowd),
        # GPUs that fit by themselves have another card in their way.
        len(crowd) - (left or _left(cards, frame, pinned)),
        tuple(str(s.position or s.label) for s in qualify),
        tuple(ways),
    )


def _left(cards: list[Card], frame: SeatFrame, pinned: dict[str, Slot]) -> int:
    return int(SeatSearch(cards, frame, pinned).left_over().high)


def _crowd(gpus: list[Card], frame: SeatFrame, pinned: dict[str, Slot]) -> list[Card]:
    """The thickest GPUs that do not fit by themselves, or all of them."""
    sizes = sorted({c.covers("high", frame.spacing) for c in gpus}, reverse=True)
    crowds = ([c for c in gpus if c.covers("high", frame.spacing) >= size] for size in sizes)
    return next((crowd for crowd in crowds if _left(crowd, frame, pinned)), gpus)


def _around(cards: list[Card], frame: SeatFrame, pinned: dict[str, Slot]) -> list[str]:
    """Which other cards to move or leave out, so that every GPU finds a seat."""
    found = []
    for other in (c for c in cards if not c.is_gpu):
        free = {card: slot for card, slot in pinned.items() if card != other.id}
        if other.id in pinned and not _left(cards, frame, free):
            found.append(f"move {other.id} to another slot")
        elif not _left([c for c in cards if c.id != other.id], frame, free):
            found.append(f"leave out {other.id}")
    return [*found, "take another board"]


def _ways(gpus: list[Card], frame: SeatFrame) -> list[str]:
    """Changes after which every GPU finds a seat."""
    found = []
    for slots, words in ((2, "take two-slot GPUs"), (1, "fit single-slot water blocks")):
        thick = exact(slots * frame.spacing.pitch - frame.spacing.clearance)
        if not _left([c._replace(thickness=thick) for c in gpus], frame, {}):
            found.append(words)
            break
    for number in range(1, len(gpus) + 1):
        # Those that take most room go on risers first.
        order = sorted(gpus, key=lambda c: -c.covers("high", frame.spacing))
        riser_mounted = [
            *(c._replace(is_riser_mounted=True, cabled=True) for c in order[:number]),
            *order[number:],
        ]
        if not _left(riser_mounted, frame, {}):
            found.append(f"put {number} of the GPUs on risers")
            break
    return [*found, "take another board"]
