"""What a build consists of once its parts are known and put together.

A `Subject` is one thing rules speak of: a card, a supply, the board, the wall
circuit. A `Graph` holds them and the edges between: which supply feeds which card,
which slot it sits in, which card is below. It is kept in plain dictionaries because
importing networkx takes longer than checking a build.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from buildcheck.model.frozen import Frozen
from buildcheck.model.part import USUAL, Sourced

if TYPE_CHECKING:
    from buildcheck.model.source import Path

Key = TypeVar("Key")
Value = TypeVar("Value")


class Subject(Frozen):
    """One thing that can be judged, with its facts and where the build file names it."""

    id: str
    kind: str
    name: str
    facts: dict[str, Sourced] = field(default_factory=dict)
    path: Path = ()
    listed: bool = True
    count: int = 1
    part: str | None = None
    #: Nearest names, if its own is in no catalogue or is that of several parts.
    near: tuple[str, ...] | None = None
    could_be: tuple[str, ...] = ()
    #: Ranges that are certain, where narrower ones that are only usual are among `facts`.
    wide: dict[str, Sourced] = field(default_factory=dict)

    def value(self, name: str) -> Any:
        """The plain value of a fact of its own, or None."""
        found = self.facts.get(name)
        return None if found is None else found.value

    @cached_property
    def texts(self) -> tuple[str, str]:
        """Its facts as text but for the power limit, and how they are known."""
        plain = {n: stable_text(f.value) for n, f in self.facts.items() if n != "power_limit"}
        return stable_text(plain), stable_text({n: f.confidence for n, f in self.facts.items()})


#: Fields of GPUs that are not in the case, with the areas of rules that say nothing of such.
_APART = {
    "module": ("cable", "cooling", "pcie", "space"),
    "enclosure": ("cable", "cooling", "pcie", "power", "space"),
}


def is_apart(subject: Subject, area: str = "space") -> bool:
    """Is it a GPU that is not in the case, so that an area of rules says nothing of it?"""
    areas_of = _APART.items() if subject.kind == "gpu" else ()
    return any(area in areas and subject.value(name) for name, areas in areas_of)


def by_facts(subjects: Iterable[Subject]) -> list[Subject]:
    """Subjects in an order of what they are, whatever their order in the build file."""
    found = list(subjects)
    if all(s.facts is found[0].facts for s in found):
        return found
    known = {(s.name, id(s.facts)): s for s in found}
    if len({s.name for s in known.values()}) == len(known):
        return sorted(found, key=lambda s: s.name)
    # Limits come after the other facts, as nothing is moved when one changes.
    likeness = {
        key: (s.name, s.texts[0], str(s.value("power_limit")), s.texts[1])
        for key, s in known.items()
    }
    return sorted(found, key=lambda s: likeness[s.name, id(s.facts)])


def stable_text(value: Any) -> str:
    """A value as text, which equal mappings and sets have in common."""
    if isinstance(value, (dict, frozenset)):
        return str(sorted(map(str, value.items() if isinstance(value, dict) else value)))
    return str(value)


def certain(subjects: dict[str, Subject], left_out: frozenset[str] = USUAL) -> dict[str, Subject]:
    """The subjects without facts of such confidence; copies of one part still share its facts."""
    known: dict[int, dict[str, Sourced]] = {}
    for one in subjects.values():
        if id(one.facts) not in known:
            usual = {n for n, fact in one.facts.items() if fact.confidence in left_out}
            kept = {n: fact for n, fact in one.facts.items() if n not in usual}
            known[id(one.facts)] = {**kept, **one.wide} if usual or one.wide else one.facts
    return {key: replace(s, facts=known[id(s.facts)]) for key, s in subjects.items()}


def by_key(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """Values by their keys, in the order in which they come."""
    found: dict[Key, list[Value]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


@dataclass(frozen=True)
class Edge:
    """A relation between two subjects, by id."""

    kind: str
    start: str
    end: str
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Graph:
    """Subjects by id, and the edges between them. Made once, never changed."""

    subjects: dict[str, Subject]
    edges: tuple[Edge, ...] = ()
    _out: dict[tuple[str, str], list[Edge]] = field(default_factory=dict, repr=False)
    _into: dict[tuple[str, str], list[Edge]] = field(default_factory=dict, repr=False)
    _kinds: dict[str, list[Subject]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if not self._kinds:
            self._kinds.update(by_key((s.kind, s) for s in self.subjects.values()))
        self._add(() if self._out else self.edges)

    def _add(self, edges: Iterable[Edge]) -> None:
        for edge in edges:
            self._out.setdefault((edge.kind, edge.start), []).append(edge)
            self._into.setdefault((edge.kind, edge.end), []).append(edge)

    def _find(self, kind: str) -> None:
        """Add the edges of a kind where they are found when first asked for."""

    def with_subject(self, subject: Subject) -> Graph:
        """The same graph with a subject instead of the one of its id."""
        alike = [subject if s.id == subject.id else s for s in self.of(subject.kind)]
        subjects, kinds = (
            {**self.subjects, subject.id: subject},
            {**self._kinds, subject.kind: alike},
        )
        return Graph(subjects, self.edges, self._out, self._into, kinds)

    def of(self, kind: str) -> list[Subject]:
        """All subjects of a kind, in their order in the build file; `card` are GPUs in the case."""
        found = self._kinds.get("gpu" if kind == "card" else kind, [])
        return [one for one in found if not is_apart(one)] if kind == "card" else found

    def the(self, kind: str) -> Subject:
        """The one subject of a kind of which every build has one."""
        (only,) = self._kinds[kind]
        return only

    def out(self, kind: str, start: Subject) -> list[Edge]:
        """Edges of a kind that start at a subject."""
        self._find(kind)
        return self._out.get((kind, start.id), [])

    def into(self, kind: str, end: Subject) -> list[Edge]:
        """Edges of a kind that end at a subject."""
        self._find(kind)
        return self._into.get((kind, end.id), [])

    def ends(self, kind: str, start: Subject) -> list[Subject]:
        """The subjects that edges of a kind lead to."""
        return [self.subjects[e.end] for e in self.out(kind, start)]


#: Kinds of which every build has exactly one subject.
SINGLE = (
    *("build", "cpu", "motherboard", "memory", "case", "cooler", "cooling", "firmware", "ups"),
    *("circuit", "workload", "network", "cost", "standard"),
)
