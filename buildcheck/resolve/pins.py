"""What the build file pins: cards to slots and to supplies, and whether that can be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from buildcheck.model.build import Build, GpuEntry
    from buildcheck.model.graph import Subject
    from buildcheck.model.kinds import Slot
    from buildcheck.resolve.naming import Naming


def pins(
    build: Build, subjects: dict[str, Subject], naming: Naming
) -> tuple[dict[str, int | str], dict[str, int]]:
    """Slot and supply of each pinned card; what cannot be is a problem."""
    slots: dict[str, int | str] = {}
    supplies: dict[str, int] = {}
    number = 0
    for index, entry in enumerate(build.gpus):
        _check(entry, index, build, naming)
        for copy in range(entry.count):
            key = f"gpus[{number}]"
            number += 1
            if entry.slots and copy < len(entry.slots):
                slots[key] = entry.slots[copy]
            if entry.psu:
                supplies[key] = entry.psu
    _check_slots(slots, subjects, naming)
    return slots, supplies


def _check(entry: GpuEntry, index: int, build: Build, naming: Naming) -> None:
    given = len(entry.slots) if entry.slots is not None else entry.count
    if given != entry.count:
        message = f"{given} slots are given for {entry.count} cards"
        naming.complain(("gpus", index, "slots"), message, "Give one slot per card, or none")
    if entry.psu and entry.psu > sum(psu.count for psu in build.psus):
        advice = "Supplies are counted from 1 in the order of 'psus'"
        naming.complain(("gpus", index, "psu"), f"there is no supply number {entry.psu}", advice)


def _check_slots(
    pinned: dict[str, int | str], subjects: dict[str, Subject], naming: Naming
) -> None:
    """Each pinned slot exists on the board and holds one card."""
    board = subjects["motherboard"]
    known: tuple[Slot, ...] | None = board.value("slots")
    for what in ("label", "position"):
        given = [getattr(s, what) for s in known or () if getattr(s, what) is not None]
        for twice in sorted({g for g in given if given.count(g) > 1}, key=str):
            naming.complain(
                ("motherboard", "slots"),
                f"two slots have the {what} {twice!r}",
                "Give each its own",
            )
    for wide in known or ():
        if wide.lanes is not None and wide.lanes.high > wide.mechanical:
            message = f"slot {wide.label!r} has more lanes than its connector is long"
            naming.complain(("motherboard", "slots"), message, "Check 'lanes' and 'mechanical'")
    labels = {s.label for s in known or ()}
    for mode in board.value("lane_modes") or ():
        for label in sorted({*mode.populate, *mode.lanes} - labels):
            naming.complain(("motherboard", "lane_modes"), f"there is no slot {label!r} to split")
    taken: dict[Any, str] = {}
    for card, slot in pinned.items():
        path = (*subjects[card].path, "slots")
        match = [s.label for s in known or () if slot in (s.label, s.position)]
        certain = known is not None and (isinstance(slot, str) or all(s.position for s in known))
        if certain and not match:
            listed = ", ".join(f"{s.position or '?'} ({s.label})" for s in known or ())
            naming.complain(path, f"{board.name} has no slot {slot!r}", f"It has: {listed}")
        place = match[0] if match else slot
        if place in taken:
            message = f"slot {slot!r} is given to two cards, {taken[place]} and {card}"
            naming.complain(path, message, "Give each card a slot of its own")
        taken[place] = card
