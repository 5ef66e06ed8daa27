"""A changed build, judged by the rules that can make it fail: what fails, and what is not known.

It serves to find repairs. What is shown is judged again by `check`, with every rule.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.connect import connect
from buildcheck.edit import Change, changed
from buildcheck.errors import InputError
from buildcheck.judge import judge
from buildcheck.load import Loaded, spelt_out, validated
from buildcheck.measure import measure
from buildcheck.model.build import Build
from buildcheck.model.order import Order
from buildcheck.record import KINDS, Record
from buildcheck.resolve import resolve
from buildcheck.rulebook import Rulebook

if TYPE_CHECKING:
    import datetime
    from collections.abc import Callable, Iterable

    from buildcheck.catalog import Catalog
    from buildcheck.measure import Facts
    from buildcheck.model.graph import Graph
    from buildcheck.source import Document

#: A rule and what it speaks of.
Spot = tuple[str, str]


class Bought(NamedTuple):
    """So many of a part; without an id it is one that the catalogue does not know."""

    part: str | None
    pieces: int
    name: str


class Way(NamedTuple):
    """One way to make a move: changes of the build file, and what is bought or left out for it."""

    changes: tuple[Change, ...]
    text: str
    buys: tuple[Bought, ...] = ()
    leaves: tuple[Bought, ...] = ()


@dataclass(frozen=True)
class Move:
    """What can be done about a failing build, the least first.

    `about` are the beginnings of the ids of rules it may mend. Where it is `graded`, a later
    way mends whatever an earlier one does. `pick` finds a way for the machine it is given.
    """

    family: str
    kind: str
    about: tuple[str, ...]
    ways: tuple[Way, ...] = ()
    graded: bool = False
    pick: Callable[[Outcome], Way | None] | None = None

    def concerns(self, rules: Iterable[str]) -> bool:
        """May it mend one of these rules?"""
        return any(rule.startswith(self.about) for rule in rules)


@dataclass(frozen=True)
class Outcome:
    """A build as the error grades see it. `data` are those of the file, as they are written."""

    data: dict[str, Any]
    loaded: Loaded
    graph: Graph
    facts: Facts
    fails: frozenset[Spot]
    unknown: frozenset[Spot]
    #: What cannot be judged in the build as it was given, and need not be in a repaired one.
    excused: frozenset[Spot] = frozenset()

    @cached_property
    def wrong(self) -> frozenset[Spot]:
        """What is to be mended: what fails, and what changes have made unknown."""
        return self.fails | (self.unknown - self.excused)

    @cached_property
    def rules(self) -> frozenset[str]:
        """The rules of that."""
        return frozenset(rule for rule, _ in self.wrong)

    @cached_property
    def plain(self) -> dict[str, Any]:
        """The file with its short forms spelt out."""
        return spelt_out(self.data)

    def entries(self, section: str) -> list[dict[str, Any]]:
        """The entries of a section of several."""
        return [e for e in self.plain.get(section, []) if isinstance(e, dict)]

    def part(self, section: str, number: int = 0) -> str | None:
        """The id of the part of an entry; None if it is not of the catalogue."""
        for subject in self.graph.subjects.values():
            if subject.part and subject.path[:2] in ((section, number), (section,)):
                return subject.part
        return None

    def bought(self, section: str) -> tuple[Bought, ...]:
        """What stands in a section, as something that is bought or not."""
        plain: Any = self.plain.get(section)
        entries = plain if isinstance(plain, list) else [plain] if plain else []
        return tuple(
            Bought(self.part(section, i), e.get("count", 1), str(e.get("part", section)))
            for i, e in enumerate(entries)
            if isinstance(e, dict)
        )

    def section(self, name: str) -> dict[str, Any]:
        """A section of one entry; empty if it is not there."""
        found = self.plain.get(name)
        return found if isinstance(found, dict) else {}


class Bench:
    """Judges builds, each once."""

    def __init__(
        self, document: Document, catalog: Catalog, rulebook: Rulebook, today: datetime.date
    ) -> None:
        self.document, self.catalog, self.today = document, catalog, today
        grave = [r for r in rulebook.rules if r.severity == "error"]
        self.rulebook = Rulebook(
            tuple(r for r in grave if r.applies_to not in (*KINDS, "waiver")), rulebook.digest
        )
        self.judged = 0
        self.excused: frozenset[Spot] = frozenset()
        self._seen: dict[str, Outcome | None] = {}

    def start(self) -> Outcome | None:
        """The build as it is given, whose unknowns are excused from then on."""
        first = self._judged(self.document.data)
        if first is not None:
            self.excused = first.unknown
        return self.outcome(self.document.data)

    def after(self, data: dict[str, Any], changes: Iterable[Change]) -> Outcome | None:
        """The build after changes; None if that is no build."""
        try:
            return self.outcome(changed(data, list(changes)))
        except ValueError:
            return None

    def outcome(self, data: dict[str, Any]) -> Outcome | None:
        """A build as it is judged; None if it is none."""
        key = json.dumps(data, sort_keys=True, default=str)
        if key not in self._seen:
            self._seen[key] = self._judged(data)
        return self._seen[key]

    def _judged(self, data: dict[str, Any]) -> Outcome | None:
        self.judged += 1
        build, problems = validated(spelt_out(data), self.document, Build)
        if problems:
            return None
        loaded = Loaded(build, self.document)
        try:
            graph = connect(resolve(loaded, self.catalog))
        except InputError:
            return None
        facts = measure(graph)
        record = Record(self.today, build.waivers, Order())
        found = judge(self.rulebook, facts, self.document, record)
        grave = [f for f in found if f.severity == "error"]
        return Outcome(
            data,
            loaded,
            graph,
            facts,
            frozenset((f.rule.id, f.subject) for f in grave if f.verdict == "fail"),
            frozenset((f.rule.id, f.subject) for f in grave if f.verdict == "unknown"),
            self.excused,
        )
