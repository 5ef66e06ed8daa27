"""Build + catalogue → the subjects of the build, each with its facts and sources.

A fact is taken from the build file first, then from the part it names, then from the
parts that refers to, and last from the entry for unlisted parts of that kind, which
only books power. Every unknown name is reported, with the nearest names, together
with what was wrong with the file already.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from buildcheck.catalog import Catalog, NameUnknownError, references
from buildcheck.errors import InputError, Problem
from buildcheck.model.build import SECTION_KIND, Build, Entry, Site, Workload
from buildcheck.model.graph import Subject
from buildcheck.model.part import USER, Source, Sourced
from buildcheck.model.quantity import ZERO

if TYPE_CHECKING:
    from pydantic import BaseModel

    from buildcheck.load import Loaded
    from buildcheck.source import Path

#: What people call a part of each kind in a message.
KIND_WORDS = {"gpu": "GPU", "cpu": "CPU", "psu": "power supply", "cooler": "CPU cooler", "workload-kind": "kind of work", "psu-standard": "supply standard", "memory-kind": "kind of memory", "efficiency": "efficiency grade"}  # fmt: skip
#: Power every machine draws for things nobody lists.
ALWAYS = ("case fans", "peripherals")
_SETTINGS = {"part", "count", "slots", "psu"}
_ASSUMED = Source("default of this program", "", "assumption")


@dataclass(frozen=True)
class Assembly:
    """All subjects of a build, not yet put together."""

    build: Build
    subjects: dict[str, Subject]
    slots: dict[str, int | str] = field(default_factory=dict)
    supplies: dict[str, int] = field(default_factory=dict)


def resolve(loaded: Loaded, catalog: Catalog) -> Assembly:
    """Find every part. Raises `InputError` with all problems of the build file."""
    return _Resolver(loaded, catalog).assembly()


class _Resolver:
    def __init__(self, loaded: Loaded, catalog: Catalog) -> None:
        self.build = loaded.build
        self.document = loaded.document
        self.catalog = catalog
        self.problems: list[Problem] = list(loaded.problems)
        self.subjects: dict[str, Subject] = {}
        self.slots: dict[str, int | str] = {}
        self.supplies: dict[str, int] = {}

    def assembly(self) -> Assembly:
        self._add(
            Subject(
                "build",
                "build",
                self.build.name or "the build",
                self._given(self.build, ("psu_sync",)),
                (),
            )
        )
        for section in ("gpus", "psus", "memory", "storage", "risers"):
            self._several(section, getattr(self.build, section))
        for section in ("cpu", "motherboard", "cpu_cooler", "case"):
            self._single(section, getattr(self.build, section))
        for section in ("memory", "storage"):
            if not getattr(self.build, section):
                self._single(section, None)
        self._surroundings()
        self._helpers()
        self._check_pins()
        if self.problems:
            raise InputError(self.problems)
        return Assembly(self.build, self.subjects, self.slots, self.supplies)

    def _add(self, subject: Subject) -> None:
        self.subjects[subject.id] = subject

    # -- parts ---------------------------------------------------------------

    def _several(self, section: str, entries: tuple[Any, ...]) -> None:
        index = 0
        for number, entry in enumerate(entries):
            path: Path = (section, number)
            subject = self._subject(section, entry, path)
            if section == "memory":
                self._add(
                    Subject(
                        f"memory[{number}]",
                        "module",
                        subject.name,
                        subject.facts,
                        path,
                        count=entry.count,
                        part=subject.part,
                    )
                )
                continue
            for copy in range(entry.count):
                key = f"{section}[{index}]"
                self._add(
                    Subject(key, subject.kind, subject.name, subject.facts, path, part=subject.part)
                )
                self._pin(key, entry, copy)
                index += 1
        if section == "memory" and entries:
            self._add(
                Subject(
                    "memory",
                    "memory",
                    " + ".join(s.name for s in self.subjects.values() if s.kind == "module"),
                    {},
                    ("memory",),
                )
            )

    def _pin(self, key: str, entry: Any, copy: int) -> None:
        slots = getattr(entry, "slots", None)
        if slots and copy < len(slots):
            self.slots[key] = slots[copy]
        if getattr(entry, "psu", None):
            self.supplies[key] = entry.psu

    def _single(self, section: str, entry: Entry | None) -> None:
        kind = SECTION_KIND[section]
        if entry is None:
            name = f"no {KIND_WORDS.get(kind, kind)} listed"
            subject = Subject(
                section, kind, name, self._unlisted(kind, {}), (section,), listed=False
            )
            if section in ("memory", "storage"):
                subject = Subject(
                    f"{section}[0]",
                    "module" if section == "memory" else kind,
                    name,
                    subject.facts,
                    (section,),
                    listed=False,
                )
                if section == "memory":
                    self._add(Subject("memory", "memory", name, {}, (section,), listed=False))
            self._add(subject)
            return
        found = self._subject(section, entry, (section,))
        self._add(
            Subject(
                section,
                kind,
                found.name,
                found.facts,
                (section,),
                count=entry.count,
                part=found.part,
            )
        )

    def _subject(self, section: str, entry: Any, path: Path) -> Subject:
        """One entry with its facts: given, then of its part, then for unlisted parts."""
        kind = SECTION_KIND[section]
        given = self._fill(type(entry), self._given(entry, (), path), path)
        name, facts, part_id = "", given, None
        if entry.part:
            part_id = self._find(kind, entry.part, (*path, "part"))
            if part_id:
                part = self.catalog.part(part_id)
                name, facts = part.name, {**part.facts, **given}
        name = name or entry.part or f"unnamed {KIND_WORDS.get(kind, kind)}"
        return Subject("", kind, name, self._unlisted(kind, facts), path, part=part_id)

    def _given(
        self, entry: BaseModel, only: tuple[str, ...] = (), path: Path = ()
    ) -> dict[str, Sourced]:
        """The facts an entry gives itself, as the user's."""
        names = [
            n
            for n in type(entry).model_fields
            if n in entry.model_fields_set and n not in _SETTINGS and (not only or n in only)
        ]
        origin = ":".join(map(str, (self.document.path, self.document.position(path)[0])))
        return {
            n: Sourced(getattr(entry, n), USER, USER.confidence, origin)
            for n in names
            if getattr(entry, n) is not None
        }

    def _unlisted(self, kind: str, facts: dict[str, Sourced]) -> dict[str, Sourced]:
        """What is booked for parts that say nothing of it themselves."""
        part_id = f"{kind}/generic/unlisted"
        if part_id not in self.catalog.ids(kind):
            return facts
        return {**self.catalog.part(part_id).facts, **facts}

    def _fill(
        self, model: type[BaseModel], facts: dict[str, Sourced], path: Path
    ) -> dict[str, Sourced]:
        """`facts` with those of the parts the user refers to; unknown names are problems."""
        usable = dict(facts)
        for name, of in references(model).items():
            if name in usable and not self._find(of, usable[name].value, (*path, name)):
                del usable[name]
        return self.catalog.fill(model, usable)

    def _find(self, kind: str, name: str, path: Path) -> str | None:
        try:
            return self.catalog.find(kind, name)
        except NameUnknownError as error:
            word = KIND_WORDS.get(kind, kind)
            choices = ", ".join(f"'{n}'" for n in error.near)
            if error.ambiguous:
                text, advice = (
                    f"'{name[:60]}' could be more than one {word}",
                    f"Write one of: {choices}",
                )
            else:
                text = f"there is no {word} '{name[:60]}' in the catalogue"
                inline = (
                    ", or give its facts here instead of naming it"
                    if kind in SECTION_KIND.values()
                    else ""
                )
                advice = (
                    f"Did you mean {choices}?{inline and ' Otherwise give its facts here instead of naming it'}"
                    if choices
                    else f"Check the name{inline}"
                )
            self.problems.append(self.document.problem(path, text, advice))
            return None

    # -- surroundings --------------------------------------------------------

    def _surroundings(self) -> None:
        """The wall circuit, the work, the network: from the file, or by default."""
        site, work, network = self.build.site, self.build.workload, self.build.network
        facts = self._fill(Site, self._given(site, (), ("site",)), ("site",)) if site else {}
        if site and "voltage" in facts and "breaker" in facts and "continuous_current" not in facts:
            facts = self._like_outlets(facts)
        facts.setdefault(
            "other_load", Sourced(ZERO, _ASSUMED, "assumption", "", "nothing else on the circuit")
        )
        self._add(
            Subject("site", "circuit", "wall circuit", facts, ("site",), listed="voltage" in facts)
        )
        given = self._given(work, (), ("workload",)) if work else {}
        given.setdefault(
            "kind", Sourced("training", _ASSUMED, "assumption", "", "no workload is stated")
        )
        self._add(
            Subject(
                "workload",
                "workload",
                "workload",
                self._fill(Workload, given, ("workload",)),
                ("workload",),
                listed=bool(work),
            )
        )
        self._add(
            Subject(
                "network",
                "network",
                "network",
                self._given(network, (), ("network",)) if network else {},
                ("network",),
                listed=bool(network),
            )
        )

    def _like_outlets(self, facts: dict[str, Sourced]) -> dict[str, Sourced]:
        """What all known outlets of the given voltage and breaker agree on."""
        alike = [
            p
            for p in map(self.catalog.part, self.catalog.ids("outlet"))
            if all(
                n in p.facts and p.facts[n].value == facts[n].value for n in ("voltage", "breaker")
            )
        ]
        result = dict(facts)
        for name in ("continuous_current", "continuous_is_code"):
            found = [p.facts[name] for p in alike if name in p.facts]
            if found and len(found) == len(alike) and all(f.value == found[0].value for f in found):
                result[name] = found[0]
        return result

    def _helpers(self) -> None:
        """Standards, connectors, adapters and what is always booked."""
        standard: dict[str, Sourced] = {}
        for part_id in self.catalog.ids("standard"):
            standard |= self.catalog.part(part_id).facts
        self._add(Subject("standard", "standard", "standards", standard))
        for name in ALWAYS:
            part_id = self._find("allowance", name, ())
            if part_id:
                self._add(
                    Subject(
                        f"allowance:{name}",
                        "allowance",
                        name,
                        self.catalog.part(part_id).facts,
                        listed=False,
                    )
                )
        codes: set[str] = set()
        for subject in list(self.subjects.values()):
            for fact in ("plugs", "slot_power_plugs"):
                codes |= set(subject.value(fact) or ())
            if subject.value("cable"):
                codes.add(subject.value("cable"))
            for fact in ("adapter", "bundled_adapter"):
                if subject.value(fact):
                    codes |= self._adapter(subject, fact)
        for code in sorted(codes):
            part_id = self._find("connector", code, self._first_path(code))
            if part_id:
                self._add(
                    Subject(
                        f"connector:{code}",
                        "connector",
                        code,
                        self.catalog.part(part_id).facts,
                        listed=False,
                    )
                )

    def _adapter(self, subject: Subject, fact: str) -> set[str]:
        part_id = self._find("adapter", subject.value(fact), (*subject.path, fact))
        if not part_id:
            return set()
        part = self.catalog.part(part_id)
        self._add(
            Subject(
                f"adapter:{subject.value(fact)}",
                "adapter",
                part.name,
                part.facts,
                listed=False,
                part=part_id,
            )
        )
        inputs = part.facts.get("inputs")
        return set(inputs.value if inputs else ())

    def _first_path(self, code: str) -> Path:
        """Where the build file writes a connector code, if it does."""
        for subject in self.subjects.values():
            for fact in ("plugs", "slot_power_plugs", "cable"):
                sourced = subject.facts.get(fact)
                if (
                    sourced
                    and sourced.source is USER
                    and (
                        code in sourced.value
                        if isinstance(sourced.value, dict)
                        else code == sourced.value
                    )
                ):
                    return (*subject.path, fact)
        return ()

    # -- settings that point at other entries --------------------------------

    def _check_pins(self) -> None:
        for number, entry in enumerate(self.build.gpus):
            where: Path = ("gpus", number)
            if entry.slots is not None and len(entry.slots) != entry.count:
                self._complain(
                    (*where, "slots"),
                    f"{len(entry.slots)} slots are given for {entry.count} cards",
                    "Give one slot per card, or none",
                )
            if entry.psu and self.build.psus and entry.psu > sum(p.count for p in self.build.psus):
                self._complain(
                    (*where, "psu"),
                    f"there is no supply number {entry.psu}",
                    "Supplies are counted from 1 in the order of 'psus'",
                )
        self._check_slots()

    def _check_slots(self) -> None:
        board = self.subjects.get("motherboard")
        known = board.value("slots") if board else None
        taken: dict[Any, str] = {}
        for key, slot in self.slots.items():
            path = (*self.subjects[key].path, "slots")
            place: Any = slot
            if known is not None:
                match = [s.label for s in known if slot in (s.label, s.position)]
                if not match and (isinstance(slot, str) or all(s.position for s in known)):
                    names = ", ".join(f"{s.position or '?'} ({s.label})" for s in known)
                    self._complain(
                        path,
                        f"{board.name if board else ''} has no slot {slot!r}",
                        f"It has: {names}",
                    )
                place = match[0] if match else slot
            if place in taken and not self.subjects[key].value("riser"):
                self._complain(
                    path,
                    f"slot {slot!r} is given to two cards, {taken[place]} and {key}",
                    "Give each card a slot of its own",
                )
            taken[place] = key

    def _complain(self, path: Path, message: str, suggestion: str = "") -> None:
        self.problems.append(self.document.problem(path, message, suggestion))
