"""Entries of the parts list → subjects: one per card, supply, drive; one per single part."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import ceil
from typing import Any

from buildcheck.catalog.typical import in_line
from buildcheck.logic.quantity import ZERO
from buildcheck.model.board import Slot, Switch
from buildcheck.model.build import SECTION_KIND, SECTIONS, SINGLES, SUBJECT_KIND, Build
from buildcheck.model.graph import Subject, by_facts, by_key
from buildcheck.model.part import CONFIDENCE, NO_WORD, USER, Sourced, is_same_model
from buildcheck.model.source import Path
from buildcheck.resolve.circuit import standards
from buildcheck.resolve.described import described
from buildcheck.resolve.naming import Naming, word
from buildcheck.words.keys import hint_of

#: Lanes of the slots for GPUs.
_LONG = 16
#: Sections with a subject for each copy of each entry; the GPUs last.
_SEVERAL = ("psus", "storage", "risers", "add_in_cards", "cables", "nvlink", "gpus")


def parts(build: Build, naming: Naming) -> Iterator[Subject]:
    """The subjects of all sections, listed or not."""
    found = {section: [*_copies(section, getattr(build, section), naming)] for section in _SEVERAL}
    _adapt(found, naming)
    found["gpus"] = _spared(found["gpus"], naming)
    board = _single("motherboard", build, naming)
    build = naming.with_cpu_of(board.value("socket"), build)
    single = {one: _single(one, build, naming) for one in SINGLES if one != "motherboard"}
    single = {one: single.get(one, board) for one in SINGLES}
    is_whole = is_same_model(single["case"].part, board.part)
    if is_whole and single["cpu_cooler"].value("comes_with_cpu"):
        # That of a machine sold as one came with the machine.
        single["cpu_cooler"] = _absent("cpu_cooler", "cooler", ("cpu_cooler",), naming)
    # Where no other PSU is listed, those that come with the case.
    case, of = single["case"], SECTIONS["psus"]
    own_psus = (case.value("own_psus") or {}).items()
    entries = tuple(of(part=name, count=int(many.low)) for name, many in own_psus)
    found["psus"] = found["psus"] or [*_copies("psus", entries, naming, case.path)]
    sync = build.psu_sync
    own = {"psu_sync": Sourced(sync, USER, USER.confidence, naming.document.path)} if sync else {}
    yield Subject("build", "build", build.name or "the build", own)
    for section in _SEVERAL[:-1]:
        yield from found[section]
    # A GPU whose slot is stated next to others on risers is in that slot itself.
    silent = not any(gpu.riser is not None for gpu in build.gpus)
    is_free = silent or not any(gpu.slots for gpu in build.gpus if gpu.riser is None)
    hung = case.value("hangs_gpus") is True
    mounted = _on_risers(found, single["motherboard"], naming, hung=hung)
    yield from mounted if is_free else found["gpus"]
    if not build.storage:
        yield _absent("storage[0]", "storage", ("storage",), naming)
    yield from _memory(build, naming)
    yield from (_placed(one) for one in single.values())


def _adapt(found: dict[str, list[Subject]], naming: Naming) -> None:
    """Put adapters that are listed as cables on the GPUs that have a socket for them."""
    kept: list[Subject] = []
    for cable in found["cables"]:
        adapter = naming.catalog.known("adapter", cable.name) if cable.near is not None else None
        if adapter is None:
            kept.append(replace(cable, id=f"cables[{len(kept)}]"))
            continue
        part = naming.catalog.part(adapter)
        of = (
            g for g in by_facts(found["gpus"]) if part.value("output") in (g.value("plugs") or ())
        )
        free = next((gpu for gpu in of if "adapter" not in gpu.facts), None)
        if free is None:
            naming.aside(cable.name, cable.path, "no GPU has a socket for it")
            continue
        line = naming.document.position(cable.path)[0]
        named = Sourced(part.name, USER, USER.confidence, f"{naming.document.path}:{line}")
        new = replace(free, facts={**free.facts, "adapter": named})
        found["gpus"] = [new if gpu.id == free.id else gpu for gpu in found["gpus"]]
    found["cables"] = kept


def _spared(gpus: list[Subject], naming: Naming) -> list[Subject]:
    """The GPUs; of a limit that is said once for several, those that never reach it have none."""
    said = by_key((naming.document.position((*gpu.path, "power_limit")), gpu) for gpu in gpus)
    spared = set[str]()
    for same in said.values():
        ends = ((g.id, g.value("board_power"), g.value("power_limit")) for g in same)
        least = {gpu for gpu, own, limit in ends if own and limit and own.high < limit.low}
        spared |= least if len(least) < len(same) else set()
    bare = ({n: f for n, f in gpu.facts.items() if n != "power_limit"} for gpu in gpus)
    return [replace(g, facts=f) if g.id in spared else g for g, f in zip(gpus, bare, strict=True)]


def _single(section: str, build: Build, naming: Naming) -> Subject:
    """The subject of a section that has one part, listed or not."""
    entry = getattr(build, section)
    if entry is None:
        return _absent(section, SECTION_KIND[section], (section,), naming)
    count = getattr(entry, "count", 1)
    return replace(_subject(section, entry, (section,), naming), id=section, count=count)


def _placed(board: Subject) -> Subject:
    """A board with its slots where `slot_positions` says; certain of them is what they say."""
    facts, slots = placed(board.facts), board.facts.get("slots")
    is_usual = slots is not None and facts["slots"].is_usual and not slots.is_usual
    known = {"slots": slots} if slots is not None and is_usual else {}
    return replace(board, facts=facts, wide={**board.wide, **known})


def placed(facts: Mapping[str, Sourced]) -> dict[str, Sourced]:
    """The facts of a board with its slots where and as they are said to be apart from them."""
    slots, *apart = (facts.get(name) for name in ("slots", "slot_positions", "open_slots"))
    if slots is None or not any(apart):
        return {**facts}
    places, is_open = (fact.value if fact else None for fact in apart)
    at = {label: int(where.low) for label, where in (places or {}).items()}
    put = []
    for slot in slots.value:
        own = {"position": slot.position or at.get(slot.label)}
        own |= {"open_ended": is_open} if slot.open_ended is None else {}
        put.append(slot.model_copy(update=own))
    ranks = (USER.confidence, *CONFIDENCE)
    weaker = max(filter(None, (slots, *apart)), key=lambda fact: ranks.index(fact.confidence))
    return {**facts, "slots": weaker._replace(value=tuple(put))}


def _on_risers(
    found: dict[str, list[Subject]], board: Subject, naming: Naming, *, hung: bool
) -> Iterator[Subject]:
    """The GPUs; all on risers if those carry as many, and where not all fit the thickest.

    Those for which a board has connectors for cables in place of slots are on cables. Where some
    are stated to be on risers, or not, the others are if all are.
    """
    gpus = [gpu for gpu in found["gpus"] if gpu.value("riser") is None]
    stated = [gpu for gpu in found["gpus"] if gpu.value("riser") is not None]
    carried = (riser.value("cards") for riser in found["risers"])
    most = sum(int(cards.low) if cards else 1 for cards in carried)
    most -= sum(gpu.value("riser") for gpu in stated)
    gpus = [] if stated and most < len(gpus) else gpus
    note = "a riser is listed for each card"
    thick = {gpu.id: (gpu.value("thickness") or ZERO).low for gpu in by_facts(gpus)}
    if 0 < most < len(gpus):
        most = 0 if _fit([*thick.values()], board, naming) else most
        note = "not all GPUs fit on the board without the listed risers"
    slots = board.value("slots") or ()
    cabled = sum(slot.connector is not None for slot in slots)
    if cabled and most < len(gpus) - (len(slots) - cabled):
        most = len(gpus) - (len(slots) - cabled)
        note = "the board has connectors for cables in place of slots"
    mounted = [g.id for g in sorted(by_facts(gpus), key=lambda g: -thick[g.id])][:most]
    line = naming.document.position(("risers",))[0]
    riser = Sourced(True, USER, USER.confidence, f"{naming.document.path}:{line}", note)
    hangs = hung and not (found["risers"] or stated)
    usual = "in such a frame GPUs are on risers" if hangs else "no riser is listed for it"
    none = Sourced(hangs, NO_WORD, NO_WORD.confidence, "", usual)
    made: dict[tuple[int, bool], dict[str, Sourced]] = {}
    for gpu in found["gpus"]:
        # Copies of one GPU share their facts.
        key = id(gpu.facts), gpu.id in mounted
        facts = made.setdefault(key, {**gpu.facts, "riser": riser if key[1] else none})
        yield replace(gpu, facts=facts) if gpus and gpu.value("riser") is None else gpu


def switched(subjects: dict[str, Subject]) -> tuple[dict[str, Subject], dict[str, str]]:
    """The subjects with a board of the slots of listed switch boards, and the GPUs in those.

    Each uplink takes a slot of the CPU, if it can one whose lanes nothing else changes.
    """
    board, behind = subjects["motherboard"], dict[str, str]()
    boards = [s for s in subjects.values() if s.value("kind") == "switch" and s.value("cards")]
    slots, switches = list(board.value("slots") or ()), list(board.value("switches") or ())
    shared = {label for m in _value(board.facts, "lane_modes") for label in (*m.populate, *m.lanes)}
    shared |= {n for m in _value(board.facts, "m2_slots") for n in m.slot_lanes or ()}
    gpus = [s.id for s in subjects.values() if s.kind == "gpu" and s.value("riser")]
    for number, switch in enumerate(boards if slots and not switches else (), 1):
        free = [s for s in slots if s.owner == "cpu" and s.mechanical == _LONG]
        if not free:
            break
        uplink = max(free, key=lambda s: (s.label not in shared, s.lanes.low if s.lanes else 0))
        name, given = f"switch {number}", {n: switch.value(n) for n in ("lanes", "gen")}
        switches.append(Switch(label=name, uplink=uplink.lanes, gen=uplink.gen))
        slots.remove(uplink)
        for place in range(1, int(switch.value("cards").low) + 1):
            label = f"{name}, slot {place}"
            slots.append(Slot(label=label, mechanical=_LONG, owner="switch", switch=name, **given))
            behind |= dict(zip(gpus[len(behind) : len(behind) + 1], [label], strict=False))
    if not behind:
        return subjects, {}
    known = board.facts["slots"]
    facts = {"slots": known._replace(value=tuple(slots))}
    facts["switches"] = known._replace(value=tuple(switches))
    made = replace(board, facts=_of_these_slots({**board.facts, **facts}))
    return {**subjects, board.id: made}, behind


def _fit(thick: list[float], board: Subject, naming: Naming) -> bool:
    """Could GPUs of a thickness, in mm, all be in the slots of a board?"""
    slots = board.value("slots") or ()
    places = [s.position for s in slots if s.position]
    if not places or len(places) < len(slots):
        return not slots or len(thick) <= len(slots)
    pitch = standards(naming.catalog)["slot_pitch"].value.high
    taken = [max(1, ceil(mm / pitch)) for mm in thick]
    return len(thick) <= len(slots) and sum(taken) <= (max(places) - min(places) + max(taken))


def _copies(
    section: str, entries: tuple[Any, ...], naming: Naming, path: Path = ()
) -> Iterator[Subject]:
    """One subject for each copy of each entry, numbered through, at a path or at their own."""
    number = 0
    for index, entry in enumerate(entries):
        subject = _subject(section, entry, path or (section, index), naming)
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
    name = f"no {word(kind)} listed"
    return Subject(key, kind, name, naming.booked(kind, {}), path, listed=False)


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
    kind, means = SECTION_KIND[section], described(section, entry, path, naming)
    facts, part_id = naming.given(means.entry, path), means.part_id
    name = entry.part or f"unnamed {word(kind)}"
    if part_id:
        part = naming.catalog.part(part_id)
        if means.near is None:
            name = part.name
        facts = naming.over(kind, facts, part.facts)
        if facts.get("slots") is not part.facts.get("slots"):
            facts = _of_these_slots(facts)
    elif means.could_be:
        facts = naming.over(kind, facts, naming.shared(means.could_be))
    if share := facts.pop("power_limit_share", None):
        if board := facts.get("board_power"):
            facts = {"power_limit": share._replace(value=board.value * share.value), **facts}
        else:
            naming.aside("power limit in %", path, hint_of("gpus", "share"))
    could_be = means.could_be
    if part_id or means.near is None:
        could_be = naming.designs(kind, facts, part_id, entry.part or "")
    facts |= in_line(name, naming.catalog.ranges.declared(kind, "lines"))
    of = SUBJECT_KIND.get(kind, kind)
    return Subject(
        "",
        of,
        name,
        naming.usual(kind, facts),
        path,
        part=part_id,
        near=means.near,
        could_be=could_be,
    )
