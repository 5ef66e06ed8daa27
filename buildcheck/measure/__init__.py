"""Graph → facts: each asked for by name, computed once, with what it was made from."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from buildcheck.facts import FACTS
from buildcheck.logic.quantity import UNKNOWN, Interval
from buildcheck.measure.definitions import load_definitions
from buildcheck.measure.shapes import OPTIONAL, field_of, kind_of, only_helps, shape_of
from buildcheck.model.graph import Graph, Subject
from buildcheck.model.part import Sourced

Key = tuple[str, str]
#: What a fact is worth before it is computed, and while it is.
_NOT_YET, _ASKED = object(), object()


class Missing(NamedTuple):
    """A missing value: its subject and field.

    `narrows` is true where a range is used instead, which the value would narrow.
    """

    subject: str
    part: str
    field: str
    narrows: bool


@dataclass
class Facts:
    """Every fact of one build, computed when first asked for."""

    graph: Graph
    _values: dict[Key, Any] = field(default_factory=dict)
    _used: dict[Key, dict[Key, None]] = field(default_factory=dict)
    _rests: dict[str, dict[Key, bool]] = field(default_factory=dict)
    _usual: dict[Key, dict[Key, Sourced]] = field(default_factory=dict)
    #: What the fact that is computed right now was made from so far.
    _noted: dict[Key, None] = field(default_factory=dict)

    def __call__(self, name: str, subject: Subject | None = None) -> Any:
        """A fact of a subject, or of the one subject of its kind; None if not known."""
        if subject is None:
            subject = self.graph.the(kind_of(name))
        key = (name, subject.id)
        self._noted[key] = None
        value = self._values.get(key, _NOT_YET)
        if value is _NOT_YET and name not in FACTS:
            value = self._values[key] = subject.value(field_of(name))
        elif value is _NOT_YET:
            self._values[key] = _ASKED
            value = self._values[key] = self._compute(name, subject, key)
        elif value is _ASKED:
            raise RuntimeError(f"the fact {name} of {subject.id} asks for itself")
        return value

    def number(self, name: str, subject: Subject | None = None) -> Interval:
        """A quantity; as wide as nature allows if it is not known."""
        value = self(name, subject)
        return UNKNOWN if value is None else value

    def holder(self, name: str, subject: Subject) -> Subject:
        """Whose fact a claim about a subject names: its own, or that of the one of its kind."""
        kind = kind_of(name)
        return subject if kind == subject.kind else self.graph.the(kind)

    def worth(self, name: str, subject: Subject) -> Any:
        """A fact in a claim about a subject; a quantity that is not known is as wide as nature."""
        value = self(name, subject if kind_of(name) == subject.kind else None)
        return UNKNOWN if value is None and isinstance(shape_of(name), tuple) else value

    def _compute(self, name: str, subject: Subject, key: Key) -> Any:
        noted, self._noted = self._noted, {}
        try:
            return FACTS[name].compute(subject, self)
        finally:
            self._used[key], self._noted = self._noted, noted

    def source(self, name: str, subject: Subject) -> Sourced | None:
        """Where a field's value comes from."""
        return None if name in FACTS else subject.facts.get(name.partition(".")[2])

    def used(self, name: str, subject: Subject) -> list[Key]:
        """What a fact is computed from, one step down, in the order asked.

        A fact whose name begins with `_` only helps others: what it is made from is named instead.
        """
        self(name, subject)
        return list(dict.fromkeys(self._shown((name, subject.id))))

    def _shown(self, key: Key) -> Iterator[Key]:
        for used in self._used.get(key, ()):
            yield from self._shown(used) if only_helps(used[0]) else (used,)

    def missing(self, name: str, subject: Subject) -> list[Missing]:
        """The data a fact lacks, found by following what it was computed from."""
        found: dict[Missing, None] = {}
        self._follow((name, subject.id), found, set(), narrows=False)
        return sorted(found, key=lambda m: m.narrows)

    def usual(self, key: Key) -> dict[Key, Sourced]:
        """What a fact rests on that is only usual: name, subject and value of each such field."""
        known = self._usual.get(key)
        if known is None:
            fact = self.graph.subjects[key[1]].facts.get(field_of(key[0]))
            is_usual = key[0] not in FACTS and fact is not None and fact.is_usual
            known = {key: fact} if is_usual and fact else {}
            for used in self._used.get(key, ()):
                known |= self.usual(used)
            if key in self._values:
                self._usual[key] = known
        return known

    def _follow(
        self, key: Key, found: dict[Missing, None], seen: set[Key], *, narrows: bool
    ) -> None:
        name, subject_id = key
        value, helps = self._values.get(key), only_helps(name)
        if key in seen or (_settled(value) and not helps):
            return
        seen.add(key)
        bounded = narrows or (isinstance(value, Interval) and value.is_known and not helps)
        subject = self.graph.subjects[subject_id]
        if name not in FACTS and (name not in OPTIONAL or value is not None):
            field = name.partition(".")[2]
            found[Missing(subject_id, subject.name, field, bounded or value is not None)] = None
        for inner in self._used.get(key, ()):
            self._follow(inner, found, seen, narrows=bounded)

    def rests_on(self, key: Key, subject: str) -> bool:
        """Was a fact made from any of a subject?"""
        known = self._rests.setdefault(subject, {})
        if key not in known:
            known[key] = key[1] == subject or any(
                self.rests_on(used, subject) for used in self._used.get(key, ())
            )
        return known[key]

    def known(self) -> dict[Key, Any]:
        """Every fact computed so far, by name and subject."""
        return dict(self._values)


@dataclass
class VariedFacts(Facts):
    """Facts where some subjects are others; what does not rest on it is what it is in `base`."""

    base: Facts = field(kw_only=True)
    changed: tuple[str, ...] = field(kw_only=True)

    def _compute(self, name: str, subject: Subject, key: Key) -> Any:
        if subject.id not in self.changed:
            found = self.base(name, subject)
            if not any(self.base.rests_on(key, other) for other in self.changed):
                return found
        return super()._compute(name, subject, key)


def _settled(value: Any) -> bool:
    """Is there nothing left to learn about a value?"""
    if value is None:
        return False
    if isinstance(value, dict):
        return all(number.is_exact for number in value.values())
    if isinstance(value, tuple):
        # Positions of slots and lanes that are not listed are still missing.
        return all(
            getattr(s, n, 0) is not None for s in value for n in ("position", "lanes", "owner")
        )
    return value.is_exact if isinstance(value, Interval) else True


def measure(graph: Graph) -> Facts:
    """The facts of a graph, none computed yet."""
    return Facts(graph)


load_definitions()
