"""Options of each role of a machine, and hulls of roles that are still open.

An `Option` is one way to fill a role: a part, its count and settings. A `Hull` covers all options
of a role: a part with only what they have in common, and with intervals for numbers. What certainly
fails with hulls fails however they are filled; what passes with them may still fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from itertools import count as counting
from math import prod
from typing import Any, NamedTuple

from buildcheck.configure.search.classes import PartClass
from buildcheck.configure.search.columns import Column, FieldValues, columns, set_of
from buildcheck.configure.search.recall import COUNT, DIFFER, ROOM, Filler
from buildcheck.configure.search.watch import Log, Watched, watched
from buildcheck.logic.quantity import Interval
from buildcheck.model.build import SECTION_KIND, SINGLES, SUBJECT_KIND
from buildcheck.model.graph import Subject, by_key
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

    def held(self, name: str) -> Any:
        """What is set of a field; None if nothing is."""
        return next((value for set_, _, value in self.settings if set_ == name), None)

    def value(self, name: str) -> Any:
        """The value of a field of the part; for a power limit, what it is held at."""
        if name == "power_limit":
            return self.held(name) or self.sort.value("board_power")
        return self.sort.value(name)

    def entry(self, part: str) -> dict[str, Any]:
        """The entry of a build file for one of the parts."""
        count = {"count": self.number} if self.number > 1 else {}
        return {"part": part, **count, **{name: text for name, text, _ in self.settings}}


@dataclass(eq=False)
class Option(Filler):
    """One way to fill a role. `cost` is in the order of what is wished for, `price` in hundredths.

    `given` are the subjects of a part that a build file gives; then there are no units, and
    `settings` are what is set besides on entries of the file, by their number.
    """

    role: str
    units: tuple[Unit, ...] = ()
    price: int = 0
    cost: Cost = ()
    given: tuple[Subject, ...] = ()
    settings: dict[int | str, dict[str, Any]] = field(default_factory=dict)
    order: int = 0
    serial: int = field(default_factory=_SERIALS.__next__)
    known: dict[Any, Any] = field(default_factory=dict)

    @property
    def members(self) -> int:
        """Number of sets of parts that no rule distinguishes from this one."""
        return prod(len(unit.sort.members) for unit in self.units)

    @property
    def numbers(self) -> list[int]:
        """Number of parts for each of its units or given subjects."""
        return [unit.number for unit in self.units] or [1] * len(self.given)

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
        return [u.value(name) for u in self.units]

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


class Domain:
    """The options of a role, the best first, and sets of them as the bits of a number."""

    def __init__(self, role: str, options: list[Option]) -> None:
        self.role, self.options = role, options
        self.full = (1 << len(options)) - 1
        self.size, self.hull = cache(self._size), cache(self._hull)
        #: For the values of some fields together the options that have them.
        self.alike = cache(self._alike)
        self.columns = cache(self._columns)

    @cached_property
    def _numbers(self) -> dict[int, int]:
        """The options that have a number of members."""
        found = by_key((option.members, place) for place, option in enumerate(self.options))
        return {number: set_of(places) for number, places in found.items()}

    def _size(self, of: int) -> int:
        """How many sets of parts the options of a set stand for."""
        return sum(number * (of & m).bit_count() for number, m in self._numbers.items())

    def first(self, of: int) -> Option:
        """The best option of a set."""
        return self.options[(of & -of).bit_length() - 1]

    @property
    def whole(self) -> Option | Hull:
        """All options as one."""
        return self.hull(self.full)

    def where(self, holds: Callable[[Option], bool]) -> int:
        """The set of the options of which something holds."""
        return set_of(place for place, option in enumerate(self.options) if holds(option))

    def _alike(self, *names: str) -> dict[int, int]:
        found = by_key((option.cells(names), place) for place, option in enumerate(self.options))
        return {cells: set_of(places) for cells, places in found.items()}

    def _columns(self, name: str) -> list[FieldValues]:
        return columns([(self.first(of), of) for of in self.alike(name).values()], name)

    def each(self, of: int, *names: str) -> list[Option]:
        """An option for each of the values that those of a set have of some fields together."""
        found = self.alike(*names).values()
        return [self.first(mine) for m in found if (mine := m & of)]

    @cached_property
    def held(self) -> dict[tuple[int, str], int]:
        """For each setting of a part, by its place in a row of them, the options with it."""
        found: dict[tuple[int, str], list[int]] = {}
        for place, option in enumerate(self.options):
            for row, unit in enumerate(option.units):
                for name, *_ in unit.settings:
                    found.setdefault((row, name), []).append(place)
        return {key: set_of(places) for key, places in found.items()}

    def _hull(self, of: int) -> Option | Hull:
        """A set of options as one."""
        return Hull(self, of) if of & (of - 1) else self.first(of)


class Hull(Filler):
    """All options of a set at once.

    In a row of different cards each place has a hull of its own. Kits of memory in different
    numbers are one kit of all their modules.
    """

    def __init__(self, domain: Domain, of: int) -> None:
        self.role, self.domain, self.of = domain.role, domain, of
        self.serial = next(_SERIALS)
        self.known: dict[Any, Any] = {}

    @cached_property
    def rows(self) -> list[Column]:
        """A row for each position; none where the options differ in their number of parts.

        Nor for given parts, of which only the settings differ.
        """
        if self.domain.first(self.of).given:
            return []
        counts = {option.cell(COUNT) for option in self._each(COUNT)}
        numbers = next(iter(counts))
        if self.role == "memory":
            numbers = (sum(numbers) if len(counts) == 1 else 1,)
        elif len(counts) > 1:
            return []
        # Each place in a row of different parts has a hull of its own.
        held = {key for key, those in self.domain.held.items() if those & self.of}
        return [
            Column(self.role, c, partial(self._units, n), {name for row, name in held if row == n})
            for n, c in enumerate(numbers)
        ]

    def _each(self, *names: str) -> list[Option]:
        return self.domain.each(self.of, *names)

    def _units(self, place: int, *names: str) -> list[Unit]:
        """A part at one place for each of the values of some fields together."""
        return [option.units[place] for option in self._each(*names)]

    def _cell(self, name: str) -> Any:
        if name == COUNT:
            counts = self._each(COUNT)
            return counts[0].cell(COUNT) if len(counts) == 1 else (DIFFER,)
        # Options that differ may have one value together that a part has alone.
        own = name.removeprefix(ROOM)
        return self.is_open(name), *[row.cell(own) for row in self.rows]

    def is_open(self, name: str) -> bool:
        """Do the options differ in a field?"""
        if name[0] == ROOM:
            return False
        first = self.domain.first(self.of)
        return bool(self.of & ~self.domain.alike(name)[first.cells((name,))])

    def _make(self, log: Log) -> Iterator[Subject]:
        """Subjects for all options; none where these differ in their number of parts."""
        for subject in self.domain.first(self.of).given:
            own = subject.facts
            find = partial(lambda own, name: DIFFER if self.is_open(name) else own.get(name), own)
            yield replace(subject, facts=Watched(self.role, log, own, find), near=None)
        kind, first = SECTION_KIND[self.role], 0
        for row in self.rows:
            facts = Watched(self.role, log, {}, row.find)
            made = _subjects_of(self.role, kind, row.number, first, facts, None)
            first += len(made)
            yield from made
