"""Options of each role of a machine, and hulls of roles that are still open.

An `Option` is one way to fill a role: a part, its count and settings. A `Hull` covers all options
of a role: a part with only what they have in common, and with intervals for numbers. What certainly
fails with hulls fails however they are filled; what passes with them may still fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count as counting
from math import prod
from typing import Any, NamedTuple

from buildcheck.configure.search.classes import PartClass
from buildcheck.configure.search.columns import Column
from buildcheck.configure.search.recall import COUNT, DIFFER, ROOM, Filler
from buildcheck.configure.search.watch import Log, Watched, watched
from buildcheck.logic.quantity import Interval
from buildcheck.model.build import SECTION_KIND, SINGLES, SUBJECT_KIND
from buildcheck.model.graph import Subject
from buildcheck.model.part import USER, Sourced

#: Each option and hull has a number of its own, which none after it gets.
_SERIALS = counting()
#: Mark of a value of a given part, which is no number of a list.
_GIVEN = "given"
#: Measures of a machine other than its facts; smaller is better.
Cost = tuple[float, ...]
#: The place of money in what an option costs; its order among equals comes last.
PRICE = -2


class Unit(NamedTuple):
    """A part, its count and the settings it is used with, as plain data and as facts."""

    sort: PartClass
    number: int = 1
    settings: tuple[tuple[str, Any, Any], ...] = ()

    def cell(self, name: str) -> Any:
        """Number of the value of a field: equal for units with equal values."""
        for set_, text, _ in self.settings:
            if set_ == name:
                return text
        return self.sort.cell(name)

    def entry(self, part: str) -> dict[str, Any]:
        """The entry of a build file for one of the parts."""
        count = {"count": self.number} if self.number > 1 else {}
        return {"part": part, **count, **{name: text for name, text, _ in self.settings}}


@dataclass(eq=False)
class Option(Filler):
    """One way to fill a role. `cost` is in the order of what is wished for, `price` in hundredths.

    `given` are the subjects of a part that a build file gives; then there are no units.
    """

    role: str
    units: tuple[Unit, ...] = ()
    price: int = 0
    cost: Cost = ()
    given: tuple[Subject, ...] = ()
    order: int = 0
    serial: int = field(default_factory=_SERIALS.__next__)
    known: dict[Any, Any] = field(default_factory=dict)

    @property
    def members(self) -> int:
        """Number of sets of parts that no rule distinguishes from this one."""
        return prod(len(unit.sort.members) for unit in self.units)

    def _cell(self, name: str) -> Any:
        name = name.removeprefix(ROOM)
        if self.given:
            return tuple([given_key(name, subject) for subject in self.given])
        if name == COUNT:
            return tuple([u.number for u in self.units])
        return tuple([u.cell(name) for u in self.units])

    def values(self, name: str) -> list[Any]:
        """The value of a field for each of its units or given subjects; None where unknown."""
        if self.given:
            return [s.value(name) for s in self.given if s.kind != "memory"]
        return [u.sort.value(name) for u in self.units]

    def _make(self, log: Log) -> Iterable[Subject]:
        yield from (watched(self.role, subject, log) for subject in self.given)
        number = 0
        for unit in self.units:
            kind = SECTION_KIND[self.role]
            own = {n: Sourced(value, USER, USER.confidence, "") for n, _, value in unit.settings}
            facts = Watched(self.role, log, {**unit.sort.facts, **own})
            made = _subjects_of(self.role, kind, unit.number, number, facts, unit.sort.part)
            number += len(made)
            yield from made


def option_of(
    role: str, sort: PartClass, number: int = 1, settings: tuple[tuple[str, Any, Any], ...] = ()
) -> Option:
    """A part for a role in a number and with settings."""
    price = sort.price * number
    return Option(role, (Unit(sort, number, settings),), price, cost=(price, 0))


def options_of(
    role: str,
    sorts: Iterable[PartClass],
    numbers: Callable[[PartClass], Iterable[int]],
    settings: tuple[tuple[str, Any, Any], ...] = (),
) -> list[Option]:
    """Parts for a role in these numbers and with these settings, the cheapest first."""
    found = (option_of(role, sort, number, settings) for sort in sorts for number in numbers(sort))
    return sorted(found, key=lambda option: option.price)


def given_key(name: str, subject: Subject) -> tuple[str, Any]:
    """Key of the value of a field of a given subject, unlike that of any part of a list.

    The key of its count holds everything that a fact may read of it except fields.
    """
    if name == COUNT:
        of = (subject.id, subject.kind, subject.name, subject.path, subject.part)
        return _GIVEN, (*of, subject.listed, subject.count)
    value = subject.value(name)
    if isinstance(value, frozenset):
        value = tuple(sorted(value, key=repr))
    return _GIVEN, value if isinstance(value, Interval | str | bool) else repr(value)


def _subjects_of(
    role: str, kind: str, count: int, first: int, facts: Watched, part: str | None
) -> list[Subject]:
    of, name = SUBJECT_KIND.get(kind, kind), part or kind
    if role in SINGLES:
        return [Subject(role, of, name, facts, (role,), count=count, part=part)]
    if role == "memory":
        path = (role, first)
        return [
            Subject(f"memory[{first}]", "module", name, facts, path, count=count, part=part),
            *([Subject("memory", "memory", name, path=(role,))] if not first else []),
        ]
    return [
        Subject(f"{role}[{first + n}]", of, name, facts, (role, first), part=part)
        for n in range(count)
    ]


class Hull(Filler):
    """All options of a role at once.

    In a row of different cards each place has a hull of its own. Kits of memory in different
    numbers are one kit of all their modules.
    """

    def __init__(self, role: str, options: Sequence[Option]) -> None:
        self.role, self.options = role, options
        self.serial = next(_SERIALS)
        self.known: dict[Any, Any] = {}
        self._open: dict[str, bool] = {}

    @cached_property
    def counts(self) -> set[Any]:
        """How many of its parts the options have, each number once."""
        return {o.cell(COUNT) for o in self.options}

    @cached_property
    def rows(self) -> list[Column]:
        """A row for each position; none where the options differ in their number of parts."""
        if self.role == "memory":
            number = sum(next(iter(self.counts))) if len(self.counts) == 1 else 1
            return [Column(self.role, [u for o in self.options for u in o.units], number)]
        if len(self.counts) > 1:
            return []
        # Each place in a row of different parts has a hull of its own.
        numbers = next(iter(self.counts))
        return [
            Column(self.role, [o.units[n] for o in self.options], c) for n, c in enumerate(numbers)
        ]

    def _cell(self, name: str) -> Any:
        if len(self.options) == 1:
            return self.options[0].cell(name)
        if name == COUNT:
            return next(iter(self.counts)) if len(self.counts) == 1 else (DIFFER,)
        # Options that differ may have one value together that a part has alone.
        own = name.removeprefix(ROOM)
        return self.is_open(name), *[row.cell(own) for row in self.rows]

    def is_open(self, name: str) -> bool:
        """Do the options differ in a field?"""
        found = self._open.get(name)
        if found is None:
            found = self._open[name] = (
                name[0] != ROOM and len({o.cell(name) for o in self.options}) > 1
            )
        return found

    def _make(self, log: Log) -> Iterator[Subject]:
        """Subjects for all options; none where these differ in their number of parts."""
        if len(self.options) == 1:
            # Nothing is open; and what is given has no units to make a hull of.
            yield from self.options[0].subjects(log)
            return
        kind, first = SECTION_KIND[self.role], 0
        for row in self.rows:
            facts = Watched(self.role, log, {}, row.find)
            made = _subjects_of(self.role, kind, row.number, first, facts, None)
            first += len(made)
            yield from made
