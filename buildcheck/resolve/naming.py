"""Names in a build file → parts of the catalogue, and the facts an entry ends up with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from buildcheck.catalog import Catalog, NameUnknownError, references
from buildcheck.model.build import (
    SECTION_KIND,
    AddInEntry,
    BridgeEntry,
    CableEntry,
    GpuEntry,
    PsuEntry,
    RiserEntry,
)
from buildcheck.model.kinds import KINDS
from buildcheck.model.part import USER, Sourced

if TYPE_CHECKING:
    from pydantic import BaseModel

    from buildcheck.errors import Problem
    from buildcheck.source import Document, Path

#: What people call a part of each kind in a message.
_WORDS = {
    "add-in-card": "add-in card",
    "cloud-instance": "cloud instance",
    "cooler": "CPU cooler",
    "cpu": "CPU",
    "efficiency": "efficiency grade",
    "gpu": "GPU",
    "form-factor": "form factor",
    "gpu-cooling": "kind of cooler",
    "memory-kind": "kind of memory",
    "nvlink-bridge": "NVLink bridge",
    "psu": "power supply",
    "precision": "number format",
    "parallelism": "way to use several cards",
    "psu-standard": "supply standard",
    "ups": "UPS",
    "workload-kind": "kind of work",
}
#: Keys of entries that say how many of a part are used, where, and at what price; no facts of it.
_ALWAYS_SETTINGS = {"part", "count", "price"}
_SETTINGS: dict[type[BaseModel], set[str]] = {
    GpuEntry: {"slots", "psu"},
    AddInEntry: {"slots"},
    BridgeEntry: {"cards"},
    CableEntry: {"psu"},
    PsuEntry: {"circuit"},
    RiserEntry: {"psu"},
}
#: Facts that are connectors, or counts of them.
_CONNECTORS = {"plugs", "slot_power_plugs", "cable", "connector", "feed", "inputs", "output"}
_LONGEST = 60


def word(kind: str) -> str:
    """A kind of part in words."""
    return _WORDS.get(kind, kind)


@dataclass(frozen=True)
class Naming:
    """The catalogue and the build file, and every problem found between them."""

    catalog: Catalog
    document: Document
    problems: list[Problem]

    def complain(self, path: Path, message: str, suggestion: str = "") -> None:
        """Note a problem at a place of the build file."""
        self.problems.append(self.document.problem(path, message, suggestion))

    def find(self, kind: str, name: str, path: Path) -> str | None:
        """The id of the part called `name`; None, and a problem, if there is no such one."""
        try:
            return self.catalog.find(kind, name)
        except NameUnknownError as error:
            self.complain(path, *_unknown(kind, name[:_LONGEST], error))
            return None

    def given(self, entry: BaseModel, path: Path) -> dict[str, Sourced]:
        """The facts an entry gives itself, as the user's, with what they refer to."""
        settings = _ALWAYS_SETTINGS | _SETTINGS.get(type(entry), set())
        origin = f"{self.document.path}:{self.document.position(path)[0]}"
        facts = {
            name: Sourced(getattr(entry, name), USER, USER.confidence, origin)
            for name in type(entry).model_fields
            if name not in settings
            and getattr(entry, name, None) is not None
            and name in entry.model_fields_set
        }
        for name, kind in references(type(entry)).items():
            if name in facts and not self.find(kind, facts[name].value, (*path, name)):
                del facts[name]
        for name in _CONNECTORS & set(facts):
            facts[name] = facts[name]._replace(value=self._codes(facts[name].value, (*path, name)))
        return self.catalog.fill(type(entry), facts)

    def _codes(self, value: Any, path: Path) -> Any:
        """Connectors by the one code each has, whatever they are called in the build file."""
        if isinstance(value, str):
            if value == "none":
                return value
            found = self.find("connector", value, path)
            return found.rpartition("/")[2] if found else value
        return {self._codes(name, path): number for name, number in value.items()}

    def booked(self, kind: str, facts: dict[str, Sourced]) -> dict[str, Sourced]:
        """`facts` with what is booked for parts of a kind that do not say it themselves."""
        part_id = f"{kind}/generic/unlisted"
        if not self.catalog.has(part_id):
            return facts
        return self.over(kind, facts, self.catalog.part(part_id).facts)

    def over(
        self, kind: str, facts: dict[str, Sourced], under: dict[str, Sourced]
    ) -> dict[str, Sourced]:
        """`facts` laid over those of a part.

        What the part only has from a standard, chip or the like goes with it when another is named.
        """
        replaced = {
            self.catalog.find(of, under[name].value)
            for name, of in references(KINDS[kind]).items()
            if name in facts and name in under and facts[name].value != under[name].value
        }
        return {**{n: f for n, f in under.items() if f.origin not in replaced}, **facts}


def _unknown(kind: str, name: str, error: NameUnknownError) -> tuple[str, str]:
    """What is wrong with a name, and what to write instead."""
    choices = ", ".join(f"'{n}'" for n in error.near)
    if error.ambiguous:
        return f"'{name}' could be more than one {word(kind)}", f"Write one of: {choices}"
    inline = kind in SECTION_KIND.values()
    instead = "give its facts here instead of naming it"
    message = f"there is no {word(kind)} '{name}' in the catalogue"
    if choices:
        return message, f"Did you mean {choices}?" + (f" Otherwise {instead}" if inline else "")
    return message, f"Check the name, or {instead}" if inline else "Check the name"
