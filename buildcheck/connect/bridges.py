"""NVLink bridges → the cards they join."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject
    from buildcheck.resolve.pins import Pins

_PAIR = 2


def joined(subjects: dict[str, Subject], pins: Pins) -> dict[str, tuple[str, ...]]:
    """The cards of each bridge; bridges that do not say take the cards in pairs."""
    free = [
        c.id
        for c in subjects.values()
        if c.kind == "gpu" and not any(c.id in pair for pair in pins.bridges.values())
    ]
    found = {}
    for bridge in (s.id for s in subjects.values() if s.kind == "bridge"):
        pair = pins.bridges.get(bridge)
        if pair is None:
            pair, free = tuple(free[:_PAIR]), free[_PAIR:]
        found[bridge] = pair
    return found


def distances(subjects: dict[str, Subject], pins: Pins) -> dict[tuple[str, ...], float]:
    """Slots from one card to the other that the bridges between them span."""
    found = {}
    for bridge, pair in joined(subjects, pins).items():
        spacing = subjects[bridge].value("spacing")
        if spacing is not None and spacing.is_exact and len(pair) == _PAIR:
            found[pair] = spacing.low
    return found
