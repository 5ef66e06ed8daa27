"""Entries of the parts list → subjects: one per card, supply, drive; one per single part."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from buildcheck.model.build import SECTION_KIND, SINGLES, SUBJECT_KIND
from buildcheck.model.graph import Subject
from buildcheck.model.part import USER, Sourced
from buildcheck.resolve.described import Meaning, described
from buildcheck.resolve.naming import word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.model.build import Build
    from buildcheck.resolve.naming import Naming
    from buildcheck.source import Path


def parts(build: Build, naming: Naming) -> Iterator[Subject]:
    """The subjects of all sections, listed or not."""
    sync = build.psu_sync
    own = {"psu_sync": Sourced(sync, USER, USER.confidence, naming.document.path)} if sync else {}
    yield Subject("build", "build", build.name or "the build", own)
    for section in ("psus", "storage", "risers", "add_in_cards", "cables", "nvlink"):
        yield from _copies(section, getattr(build, section), naming)
    yield from _on_risers(build, _copies("gpus", build.gpus, naming), naming)
    if not build.storage:
        yield _absent("storage[0]", "storage", ("storage",), naming)
    yield from _memory(build, naming)
    for section in SINGLES:
        entry = getattr(build, section)
        if entry is None:
            yield _absent(section, SECTION_KIND[section], (section,), naming)
        else:
            count = getattr(entry, "count", 1)
            yield replace(_subject(section, entry, (section,), naming), id=section, count=count)


def _on_risers(build: Build, cards: Iterator[Subject], naming: Naming) -> Iterator[Subject]:
    """The cards; all on risers if none is said to be and there is a riser for each."""
    silent = not any(entry.riser is not None for entry in build.gpus)
    enough = sum(r.count for r in build.risers) >= sum(g.count for g in build.gpus)
    for card in cards:
        if silent and enough and build.risers:
            line = naming.document.position(("risers",))[0]
            note = "a riser is listed for each card"
            riser = Sourced(True, USER, USER.confidence, f"{naming.document.path}:{line}", note)
            yield replace(card, facts={**card.facts, "riser": riser})
        else:
            yield card


def _copies(section: str, entries: tuple[Any, ...], naming: Naming) -> Iterator[Subject]:
    """One subject for each copy of each entry, numbered through."""
    number = 0
    for index, entry in enumerate(entries):
        subject = _subject(section, entry, (section, index), naming)
        for _ in range(entry.count):
            yield replace(subject, id=f"{section}[{number}]")
            number += 1


def _memory(build: Build, naming: Naming) -> Iterator[Subject]:
    """Each memory entry, and the memory of the machine as a whole."""
    if not build.memory:
        absent = _absent("memory[0]", "memory", ("memory",), naming)
        yield replace(absent, kind="module")
        yield Subject("memory", "memory", absent.name, path=("memory",), listed=False)
        return
    names = []
    for index, entry in enumerate(build.memory):
        subject = _subject("memory", entry, ("memory", index), naming)
        names.append(subject.name)
        yield replace(subject, id=f"memory[{index}]", kind="module", count=entry.count)
    yield Subject("memory", "memory", " + ".join(dict.fromkeys(names)), path=("memory",))


def _absent(key: str, kind: str, path: Path, naming: Naming) -> Subject:
    """Placeholder of a part that is not listed: power is booked, nothing else is known."""
    return Subject(
        key, kind, f"no {word(kind)} listed", naming.booked(kind, {}), path, listed=False
    )


def _of_these_slots(facts: dict[str, Sourced]) -> dict[str, Sourced]:
    """How the catalogue's slots share lanes says nothing of the user's, unless they are the same.

    They are where the user gives places or widths to slots of the same labels.
    """
    given = {slot.label for slot in facts["slots"].value} if "slots" in facts else set()
    named = {
        "lane_modes": [{*m.populate, *m.lanes} for m in _value(facts, "lane_modes")],
        "m2_slots": [set(m.slot_lanes or ()) for m in _value(facts, "m2_slots")],
    }
    strange = {name for name, labels in named.items() if any(not one <= given for one in labels)}
    return {n: f for n, f in facts.items() if n not in strange or f.source is USER}


def _value(facts: dict[str, Sourced], name: str) -> Any:
    return facts[name].value if name in facts else ()


def _subject(section: str, entry: Any, path: Path, naming: Naming) -> Subject:
    """One entry with its facts: given, then of its part, then booked for its kind."""
    kind = SECTION_KIND[section]
    means = described(section, entry, path, naming) if entry.part else Meaning(entry)
    facts, part_id = naming.given(means.entry, path), means.part_id
    name = entry.part or f"unnamed {word(kind)}"
    if part_id:
        part = naming.catalog.part(part_id)
        if means.near is None:
            name = f"{part.name} ({means.aside})" if means.aside else part.name
        facts = naming.over(kind, facts, part.facts)
        if facts.get("slots") is not part.facts.get("slots"):
            facts = _of_these_slots(facts)
    elif means.could_be:
        facts = naming.over(kind, facts, naming.shared(means.could_be))
    of = SUBJECT_KIND.get(kind, kind)
    return Subject(
        "",
        of,
        name,
        naming.booked(kind, facts),
        path,
        part=part_id,
        near=means.near,
        could_be=means.could_be,
    )
