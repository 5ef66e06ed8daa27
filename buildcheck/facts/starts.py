"""Slots that cards start in, by themselves or at the other end of a riser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.connect.seating import FULL_LENGTH
from buildcheck.facts.registry import Ask, graph
from buildcheck.facts.risers import surely_usb
from buildcheck.model.quantity import Interval

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject
    from buildcheck.model.kinds import Slot


def _takes_cards(slot: Slot) -> tuple[bool, bool]:
    """Does a graphics card's edge go in: at the least, and at the most?

    A slot of 4 or 8 lanes may be open-ended if that is not stated; a slot of one lane is closed
    unless it is stated, as nearly all are.
    """
    surely = slot.mechanical >= FULL_LENGTH or slot.open_ended is True
    return surely, surely or (slot.open_ended is None and slot.mechanical > 1)


@graph("motherboard.usable_slots", units.NUMBER)
def usable_slots(board: Subject, ask: Ask) -> Any:
    """Slots that are of use to the cards of the build.

    Slots that take a card's edge, and one more for each card on a mining extender, which starts in
    a slot of any length.
    """
    slots = ask("motherboard.slots", board)
    if slots is None:
        return None
    cards = ask.graph.of("gpu")
    extended = (
        sum(surely_usb(card, ask) for card in cards),
        sum(bool(ask("gpu.is_on_usb_riser", card)) for card in cards),
    )
    long = (sum(end) for end in zip(*map(_takes_cards, slots), strict=True)) if slots else (0, 0)
    ends = [n + min(e, len(slots) - n) for n, e in zip(long, extended, strict=True)]
    return Interval(float(ends[0]), float(ends[1]))
