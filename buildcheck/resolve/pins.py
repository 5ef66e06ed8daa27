"""What the build file pins: cards to slots, things to supplies, and whether that can be."""

import re
from dataclasses import field
from typing import Any

from buildcheck.model.board import Slot, is_socket
from buildcheck.model.build import Build
from buildcheck.model.frozen import Frozen
from buildcheck.model.graph import Subject
from buildcheck.model.labels import subject_label
from buildcheck.model.source import Path, Unread
from buildcheck.model.vocabulary import worded
from buildcheck.resolve.naming import Naming
from buildcheck.words.names import squashed

#: Sections whose entries may say in which slots their cards are.
_SLOTTED = ("gpus", "add_in_cards")
#: Sections whose entries may say on which supply they hang.
_FED = ("gpus", "risers", "cables", "motherboard")
#: A slot by its number or, with a word for it, position; what in labels is no number of a slot.
_NUMBER = re.compile(r"(?i)(position |bracket |opening )?(?:(?:pci-?e? ?)?slot |#)?(\d{1,2})")
_NO_NUMBER = re.compile(
    r"(?i)\(.*?\)|(?:cpu|pch|gen)[ _]?\d|pci-?e? \d\.\d|x ?\d+(?:/x?\d+)*|\d+x(?![a-z\d])"
    r"|(?:mcio|slim).*"
)
#: Lanes of the connector that GPUs need without a riser.
_LONG = 16
#: A bridge joins this many cards.
_PAIR = 2


class Pins(Frozen):
    """What is fixed by the build file, by subject.

    `slots`: position or label; `supplies` and `circuits`: a number counted from 1;
    `sockets`: label of a drive's M.2 socket; `bridges`: the cards a bridge joins.
    """

    slots: dict[str, int | str] = field(default_factory=dict)
    supplies: dict[str, int] = field(default_factory=dict)
    circuits: dict[str, int] = field(default_factory=dict)
    sockets: dict[str, str] = field(default_factory=dict)
    bridges: dict[str, tuple[str, ...]] = field(default_factory=dict)
    #: What no build file says is left open.
    is_certain: bool = False
    #: The cards whose slots the build file itself pins, where others are fixed as well.
    stated: frozenset[str] | None = None
    #: What is on one of several supplies only because no other place is better.
    shared: frozenset[str] = frozenset()


def pins(build: Build, subjects: dict[str, Subject], naming: Naming) -> Pins:
    """Everything pinned; what cannot be is a problem."""
    found, psus = Pins(), sum(s.kind == "psu" for s in subjects.values())
    for section in (*_SLOTTED, "psus", "risers", "cables", "storage", "nvlink"):
        number = 0
        for index, entry in enumerate(getattr(build, section)):
            _check(entry, (section, index), build, psus, naming)
            for copy in range(entry.count):
                _pin(f"{section}[{number}]", entry, copy, section, found)
                number += 1
    if build.motherboard:
        _check(build.motherboard, ("motherboard",), build, psus, naming)
        _pin("motherboard", build.motherboard, 0, "motherboard", found)
    _check_board(subjects["motherboard"], naming)
    _check_slots(found.slots, subjects, naming)
    _check_sockets(found.sockets, subjects, naming)
    _check_bridges(build, subjects, found.bridges, naming)
    return found


def _pin(key: str, entry: Any, copy: int, section: str, found: Pins) -> None:
    if section in _SLOTTED and entry.slots and copy < len(entry.slots):
        found.slots[key] = entry.slots[copy]
    if section in _FED and entry.psu:
        found.supplies[key] = entry.psu
    if section == "psus" and entry.circuit:
        found.circuits[key] = entry.circuit
    if section == "storage" and entry.socket and copy == 0:
        found.sockets[key] = entry.socket
    if section == "nvlink" and entry.cards:
        found.bridges[key] = tuple(f"gpus[{n - 1}]" for n in entry.cards)


def _check(entry: Any, path: Path, build: Build, psus: int, naming: Naming) -> None:
    section = str(path[0])
    if section in _SLOTTED and entry.slots is not None and len(entry.slots) != entry.count:
        words: dict[str, Any] = {
            "slots": len(entry.slots),
            "what": "GPUs" if section == "gpus" else "cards",
        }
        naming.complain((*path, "slots"), "slots-number", count=entry.count, **words)
    if section in _FED and entry.psu and entry.psu > psus:
        naming.complain((*path, "psu"), "no-psu", psu=entry.psu)
    circuits = vars(build.site)["circuits"] if build.site else None
    if section == "psus" and entry.circuit and (not circuits or entry.circuit > circuits.high):
        given = "one circuit" if not circuits else f"{circuits.high:g} circuits"
        naming.complain((*path, "circuit"), "no-circuit", given=given, circuit=entry.circuit)
    if section == "storage" and entry.socket and entry.count > 1:
        naming.complain((*path, "socket"), "socket-of-several", count=entry.count)


def _check_board(board: Subject, naming: Naming) -> None:
    """Slots given in the build file can be: no two at one place, none wider than long."""
    complain, at = naming.complain, ("motherboard", "slots")
    known: tuple[Slot, ...] = board.value("slots") or ()
    for what in ("label", "position"):
        given = [getattr(s, what) for s in known if getattr(s, what) is not None]
        for twice in sorted({g for g in given if given.count(g) > 1}, key=str):
            complain(at, "slots-alike", what=what, twice=twice)
    for wide in known:
        if wide.lanes is not None and wide.lanes.high > wide.mechanical:
            complain(at, "slot-too-wide", slot=wide.label)
    labels = {s.label for s in known}
    switches = {s.label for s in board.value("switches") or ()}
    for lost in sorted({s.switch for s in known if s.switch} - switches):
        complain(at, "no-switch", switch=lost)
    for mode in board.value("lane_modes") or ():
        for label in sorted({*mode.populate, *mode.lanes} - labels):
            complain(("motherboard", "lane_modes"), "no-slot-to-split", slot=label)
    for socket in board.value("m2_slots") or ():
        for label in sorted(set(socket.slot_lanes or ()) - labels):
            words = {"slot": label, "socket": socket.label}
            complain(("motherboard", "m2_slots"), "no-slot-for-socket", **words)


def _check_slots(
    pinned: dict[str, int | str], subjects: dict[str, Subject], naming: Naming
) -> None:
    """Each pinned slot exists on the board and holds one card, or several on risers."""
    board = subjects["motherboard"]
    known: tuple[Slot, ...] | None = board.value("slots")
    is_usual = known is not None and board.facts["slots"].is_usual
    taken: dict[Any, str] = {}
    pinned |= _by_label(pinned, known or ())
    for card, slot in list(pinned.items()):
        path = (*subjects[card].path, "slots")
        match = [s.label for s in known or () if slot in (s.label, s.position)]
        placed = known is not None and not is_usual and all(s.position for s in known)
        certain = placed or (known is not None and isinstance(slot, str))
        if certain and not match and not is_socket(slot):
            each = (f"{s.position} ({s.label})" if s.position else s.label for s in known or ())
            words: dict[str, Any] = {"board": board.name, "slot": slot, "listed": ", ".join(each)}
            if isinstance(slot, str):
                # Shops and manuals label slots in ways of their own: the place is worked out.
                line, hint = naming.document.position(path)[0], worded("no-slot", **words)
                naming.document.unread.append(Unread("slot", line, ". ".join(hint)))
                del pinned[card]
                continue
            naming.complain(path, "no-slot", **words)
        place = match[0] if match else slot
        is_split = subjects[card].value("riser") and subjects[taken.get(place, card)].value("riser")
        if place in taken and not is_split:
            both = " and ".join(map(subject_label, (taken[place], card)))
            naming.complain(path, "slot-pinned-twice", slot=slot, both=both)
        taken[place] = card


def _by_label(pinned: dict[str, int | str], slots: tuple[Slot, ...]) -> dict[str, int | str]:
    """The labels of the slots of cards, whose numbers all mean slots in one way.

    A number is that in a label, else it counts slots from the CPU, else it is a position.
    """
    ways, labels = _ways(slots), {squashed(slot.label): slot for slot in slots}
    numbers = {c: n for c, slot in pinned.items() if (n := _NUMBER.fullmatch(f"{slot}"))}
    free = {int(n[2]) for n in numbers.values() if not n[1]}
    has_all = [way for way in ways if way.keys() >= free]
    is_long = (way for way in has_all if all(way[n].mechanical == _LONG for n in free))
    chosen = next(is_long, next(iter(has_all), ways[-1]))
    found: dict[str, Slot | None] = {}
    for card, slot in pinned.items():
        number = numbers.get(card)
        way = ways[-1] if number and number[1] else chosen
        found[card] = way.get(int(number[2])) if number else labels.get(squashed(f"{slot}"))
    return {card: slot.label for card, slot in found.items() if slot}


def _ways(slots: tuple[Slot, ...]) -> list[dict[int, Slot]]:
    """What numbers mean: slots by their labels, counted from the CPU, and by position."""
    named: dict[int, list[Slot]] = {}
    for slot in sorted(slots, key=lambda s: -s.mechanical):
        label = _NO_NUMBER.sub("", slot.label)
        if written := re.search(r"(?i)slot[ _:-]*(\d+)", label) or re.search(r"(\d+)\D*$", label):
            named.setdefault(int(written[1]), []).append(slot)
    own = {n: s[0] for n, s in named.items() if not s[1:] or s[0].mechanical > s[1].mechanical}
    at = {slot.position: slot for slot in slots if slot.position}
    return [
        own,
        dict(enumerate((at[p] for p in sorted(at)), 1)) if len(at) == len(slots) else {},
        at,
    ]


def _check_sockets(pinned: dict[str, str], subjects: dict[str, Subject], naming: Naming) -> None:
    """Each named M.2 socket exists on the board and holds one drive."""
    sockets = subjects["motherboard"].value("m2_slots")
    taken: set[str] = set()
    for drive, label in pinned.items():
        path = (*subjects[drive].path, "socket")
        if sockets is not None and label not in {s.label for s in sockets}:
            listed = ", ".join(s.label for s in sockets) or "none"
            naming.complain(path, "no-socket", socket=label, listed=listed)
        if label in taken:
            naming.complain(path, "socket-pinned-twice", socket=label)
        taken.add(label)


def _check_bridges(
    build: Build, subjects: dict[str, Subject], joined: dict[str, tuple[str, ...]], naming: Naming
) -> None:
    """Each bridge joins two cards that are there."""
    first = 0
    entries: tuple[Any, ...] = build.nvlink
    for index, entry in enumerate(entries):
        number, first = first, first + entry.count
        if entry.cards is None:
            continue
        path = ("nvlink", index, "cards")
        if entry.count > 1:
            naming.complain(path, "pair-for-bridges", count=entry.count)
        good = [c for c in joined.get(f"nvlink[{number}]", ()) if c in subjects]
        if len(set(good)) != _PAIR or len(entry.cards) != _PAIR:
            naming.complain(path, "no-pair")
