"""A changed build, judged by the rules that can make it fail: what fails, and what is not known.

It serves to find repairs. What is shown is judged again by `check`, with every rule.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.configure.judgement import Judgement
from buildcheck.configure.search.law import FAIL, OPEN, PASS, UNKNOWN
from buildcheck.edit import Change, changed
from buildcheck.errors import InputError
from buildcheck.judge import spread
from buildcheck.load import Loaded, rebuilt
from buildcheck.load.forms import spelt_out

if TYPE_CHECKING:
    import datetime
    from collections.abc import Callable, Iterable

    from buildcheck.configure.common import Action
    from buildcheck.configure.judgement import Laws
    from buildcheck.measure import Facts
    from buildcheck.model.graph import Graph
    from buildcheck.model.source import Document

#: A rule and what it speaks of.
Spot = tuple[str, str]


class Bought(NamedTuple):
    """Pieces of a part; what is in no catalogue has a code as `item`, such as `fan`."""

    part: str | None
    pieces: int
    name: str = ""
    item: str = ""


class Way(NamedTuple):
    """One way to make a move: changes of the build file, and what is bought or left out for it."""

    changes: tuple[Change, ...]
    actions: tuple[Action, ...]
    buys: tuple[Bought, ...] = ()
    leaves: tuple[Bought, ...] = ()


@dataclass(frozen=True)
class Move:
    """What can be done about a failing build, the least first.

    `about` are the beginnings of the ids of rules it may fix. Where it is `graded`, a later
    way fixes whatever an earlier one does. `pick` finds a way for the machine it is given. With
    `after` that is the machine after one of those ways, which are then part of what is done.
    """

    family: str
    kind: str
    about: tuple[str, ...]
    ways: tuple[Way, ...] = ()
    graded: bool = False
    pick: Callable[[Outcome], Way | None] | None = None
    after: tuple[Way, ...] = ()

    def concerns(self, rules: Iterable[str]) -> bool:
        """May it fix one of these rules?"""
        return any(rule.startswith(self.about) for rule in rules)


@dataclass(frozen=True)
class Outcome:
    """A build as the error grades see it. `data` are those of the file, as they are written."""

    data: dict[str, Any]
    loaded: Loaded
    judgement: Judgement
    fails: frozenset[Spot]
    unknown: frozenset[Spot]
    #: What cannot be judged in the build as it was given, and need not be in a repaired one.
    excused: frozenset[Spot] = frozenset()

    @property
    def facts(self) -> Facts:
        """The facts of the build."""
        return self.judgement.machine

    @property
    def graph(self) -> Graph:
        """The things in it."""
        return self.judgement.machine.graph

    @cached_property
    def wrong(self) -> frozenset[Spot]:
        """What is to be fixed: what fails, and what changes have made unknown."""
        return self.fails | (self.unknown - self.excused)

    @property
    def is_known(self) -> bool:
        """Is it known to pass?"""
        return not (self.fails or self.unknown)

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
        of = ((section, number), (section,))
        parts = (s.part for s in self.graph.subjects.values() if s.path[:2] in of)
        return next(filter(None, parts), None)

    def bought(self, section: str) -> tuple[Bought, ...]:
        """Entries of a section as purchases: what is bought and what is not."""
        plain: Any = self.plain.get(section)
        entries = plain if isinstance(plain, list) else [plain] if plain else []
        return tuple(
            Bought(self.part(section, i), e.get("count", 1), str(e.get("part", section)))
            for i, e in enumerate(entries)
            if isinstance(e, dict)
        )

    def unset(self, section: str, key: str) -> tuple[Change, ...]:
        """What takes a key out of every entry of a section."""
        entries = enumerate(self.entries(section))
        return tuple(Change((section, n, key), None) for n, entry in entries if key in entry)

    def section(self, name: str) -> dict[str, Any]:
        """A section of one entry; empty if it is not there."""
        found = self.plain.get(name)
        return found if isinstance(found, dict) else {}


class Trials:
    """Judges builds, each once and of each no more than is new in it."""

    def __init__(self, document: Document, laws: Laws, today: datetime.date) -> None:
        self.document, self.catalog, self.laws, self.today = document, laws.catalog, laws, today
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
        """The build after changes; None if that is no build.

        Raises `StoppedError` when it is time to stop.
        """
        self.laws.go_on()
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
        loaded = rebuilt(data, self.document)
        if loaded.problems:
            return None
        try:
            judgement = Judgement(loaded, self.laws)
        except InputError:
            return None
        waived = frozenset(
            (waiver.rule, subject)
            for waiver in loaded.build.waivers
            if self.today <= waiver.until
            for subject in spread(waiver.subject)
        )
        wrong = {rule: v for rule, v in judgement.verdicts.items() if v != PASS}
        spots = {(r, *spot) for r in wrong for spot in judgement.spots(r)}
        return Outcome(
            data,
            loaded,
            judgement,
            frozenset((r, s) for r, s, v in spots if v == FAIL) - waived,
            frozenset((r, s) for r, s, v in spots if v in (UNKNOWN, OPEN)) - waived,
            self.excused,
        )
