"""Conflicts: what a rule refuses of one machine, widened to all machines it refuses as surely.

This is conflict generalisation as in logic-based Benders decomposition (Hooker and Ottosson
2003). A conflict is a set of options for each of some roles; no machine takes all its roles from
these sets. It is widened role by role and field by field, and each time the rule is asked about
the whole set at once, as a hull. So no conflict says more than the rule does.
"""

from __future__ import annotations

import copy
from bisect import bisect_left
from functools import cached_property, reduce
from itertools import accumulate
from operator import and_, or_
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.configure.search.law import UNKNOWN
from buildcheck.configure.search.recall import COUNT, ROOM
from buildcheck.configure.search.space import Hull
from buildcheck.logic.quantity import ZERO, Interval
from buildcheck.rulebook.proposals import proposals

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from buildcheck.configure.search.law import Asked, Law
    from buildcheck.configure.search.space import Option

    #: For each role the options that are left of it, as the bits of a number.
    Sets = dict[str, int]


class Conflict(NamedTuple):
    """No machine takes all these roles from these sets.

    One that `waits` lacks data, and is none for whoever hopes for the best; one that is `careful`
    takes a warning for an error.
    """

    rule: str
    sets: tuple[tuple[str, int], ...]
    waits: bool = False
    careful: bool = False


class Column:
    """A field of the options of a role: which have a value, and which numbers lie in a range."""

    def __init__(self, cells: list[object], heights: list[float | None]) -> None:
        """From the value of each option, and the number it comes to, if to any."""
        self.cells, self.heights = cells, heights
        self.same: dict[object, int] = {}
        sets: dict[float, int] = {}
        for place, (cell, height) in enumerate(zip(cells, heights, strict=True)):
            self.same[cell] = self.same.get(cell, 0) | 1 << place
            if height is not None:
                sets[height] = sets.get(height, 0) | 1 << place
        self.values = sorted(sets)
        self._up_to = list(accumulate((sets[v] for v in self.values), or_, initial=0))

    def between(self, low: int, high: int) -> int:
        """The options whose value is from one place in the list of values to another."""
        return self._up_to[high + 1] & ~self._up_to[low]


def _columns(options: list[Option], name: str) -> list[Column]:
    """A field of all options; one of several counts, such as plugs, has a column for each."""
    bare = name.removeprefix(ROOM)
    values = [[] if bare == COUNT else _values(option, bare) for option in options]
    counts = [v for row in values for v in row if isinstance(v, dict)]
    keys = {key for v in counts for key in v}
    if not keys or not all(isinstance(n, Interval) for v in counts for n in v.values()):
        return [Column([option.cell(name) for option in options], [_height(v) for v in values])]
    found = []
    for key in sorted(keys):
        of_key = [[None if v is None else v.get(key, ZERO) for v in row] for row in values]
        found.append(Column([tuple(row) for row in of_key], [_height(row) for row in of_key]))
    return found


def _values(option: Option, name: str) -> list[Any]:
    """What the units of an option have of a field; for a power limit, what they are held at."""
    if name != "power_limit":
        return option.values(name)
    held = (next((v for n, _, v in u.settings if n == name), None) for u in option.units)
    return [h or u.sort.value("board_power") for h, u in zip(held, option.units, strict=True)]


def _height(values: list[Any]) -> float | None:
    """What the values of an option come to; None where they are no numbers, or not known."""
    if not values or not all(isinstance(v, Interval) for v in values):
        return None
    return float(sum(v.high for v in values))


class Domain:
    """The options of a role, the best first, and sets of them as the bits of a number."""

    def __init__(self, role: str, options: list[Option]) -> None:
        self.role, self.options = role, options
        self.full = (1 << len(options)) - 1
        self._columns: dict[str, list[Column]] = {}
        self._hulls: dict[int, Option | Hull] = {}
        self._sizes: dict[int, int] = {}

    @cached_property
    def _planes(self) -> list[int]:
        """For each binary digit of the numbers of members, the options that have it."""
        numbers = [option.members for option in self.options]
        return [
            sum(1 << place for place, number in enumerate(numbers) if number >> digit & 1)
            for digit in range(max(numbers, default=0).bit_length())
        ]

    def size(self, of: int) -> int:
        """How many sets of parts the options of a set stand for."""
        found = self._sizes.get(of)
        if found is None:
            planes = enumerate(self._planes)
            found = self._sizes[of] = sum((of & p).bit_count() << digit for digit, p in planes)
        return found

    def first(self, of: int) -> Option:
        """The best option of a set."""
        return self.options[(of & -of).bit_length() - 1]

    def members(self, of: int) -> list[Option]:
        """The options of a set."""
        found = []
        while of:
            found.append(self.first(of))
            of &= of - 1
        return found

    def where(self, serials: Collection[int]) -> int:
        """The set of the options with these numbers."""
        return sum(1 << place for place, o in enumerate(self.options) if o.serial in serials)

    def columns(self, name: str) -> list[Column]:
        """A field of all options."""
        if name not in self._columns:
            self._columns[name] = _columns(self.options, name)
        return self._columns[name]

    def hull(self, of: int) -> Option | Hull:
        """A set of options as one."""
        found = self._hulls.get(of)
        if found is None:
            members = self.members(of)
            found = members[0] if len(members) == 1 else Hull(self.role, members)
            self._hulls[of] = found
        return found


def _lacking(law: Law, lists: Mapping[str, list[Option]]) -> Iterator[tuple[str, str, set[int]]]:
    """The serials of options that lack a value without which no machine passes, by rule."""
    asked = {a.rule.id for a in law.asked}
    for role, name, rule in proposals().needed_to_pass:
        options = lists.get(role, [])
        if rule in asked and not any(o.given for o in options):
            lacks = {o.serial for o in options if None in o.values(name)}
            if lacks:
                yield rule, role, lacks


class Store:
    """The options of each role, and every conflict that was learned of them by one law.

    What a search learns holds for all that follow, whatever they are for.
    """

    def __init__(self, law: Law, lists: Mapping[str, list[Option]]) -> None:
        self.law, self.lists = law, lists
        self.domains = {r: Domain(r, sorted(o, key=lambda o: o.cost)) for r, o in lists.items()}
        #: With options of which too little is known nothing is known to pass.
        self.conflicts = [
            Conflict(rule, ((role, self.domains[role].where(lacks)),), waits=True)
            for rule, role, lacks in _lacking(law, lists)
        ]
        if all(lists.values()):
            # Which roles each rule is about shows as it is asked.
            whole = {r: d.options[0] for r, d in self.domains.items()}
            for asked in law.asked:
                law.verdict(asked, whole)

    def holding(self, *, strict: bool) -> list[Conflict]:
        """The conflicts that hold as the law is taken now; strict, those that wait as well."""
        careful = {a.rule.id for a in self.law.asked if a.is_careful}
        return [
            c
            for c in self.conflicts
            if (strict or not c.waits) and (not c.careful or c.rule in careful)
        ]

    def narrowed(self, rules: Collection[str]) -> Store:
        """What some of the rules alone say, with what was learned of them."""
        some, law = copy.copy(self), copy.copy(self.law)
        law.asked = [asked for asked in law.asked if asked.rule.id in rules]
        some.law, some.conflicts = law, [c for c in self.conflicts if c.rule in rules]
        return some

    def machine(self, sets: Sets) -> dict[str, Option | Hull]:
        """The machine that stands for all whose options are of these sets."""
        return {role: domain.hull(sets[role]) for role, domain in self.domains.items()}

    def learn(self, asked: Asked, point: Sets) -> Conflict:
        """The widest conflict found around one machine that a rule refuses."""
        verdict = self.law.verdict(asked, self.machine(point))

        def refuses(sets: Sets) -> bool:
            return self.law.verdict(asked, self.machine(sets)) == verdict

        sets = dict(point)
        far = {r: sets[r] if r in asked.scope else d.full for r, d in self.domains.items()}
        sets = far if refuses(far) else sets
        roles = [r for r, d in self.domains.items() if sets[r] != d.full]
        # What has the fewest options says the most about the others: it is widened last.
        roles.sort(key=lambda r: -len(self.domains[r].options))
        for role in roles:
            if refuses(whole := {**sets, role: self.domains[role].full}):
                sets = whole
        for role in roles:
            if sets[role] != self.domains[role].full:
                sets[role] = self._widened(asked, sets, role, refuses)
        kept = [(r, s) for r, s in sets.items() if s != self.domains[r].full]
        # The smallest first: that is what most machines are outside of.
        kept.sort(key=lambda row: row[1].bit_count() / len(self.domains[row[0]].options))
        rule, careful = asked.which
        found = Conflict(rule, tuple(kept), waits=verdict == UNKNOWN, careful=careful)
        self.conflicts.append(found)
        return found

    def _widened(self, asked: Asked, sets: Sets, role: str, refuses: Callable[[Sets], bool]) -> int:
        """The options of a role that a rule refuses for the same values, or a range of them."""
        domain = self.domains[role]
        place = sets[role].bit_length() - 1
        columns = [c for name in sorted(asked.fields(role)) for c in domain.columns(name)]
        limits = [column.same[column.cells[place]] for column in columns]
        found = reduce(and_, limits, domain.full)
        if found != sets[role] and not refuses({**sets, role: found}):
            return sets[role]
        for number, column in enumerate(columns):
            rest = reduce(and_, [*limits[:number], *limits[number + 1 :]], domain.full)

            def stands(limit: int, rest: int = rest, found: int = found) -> bool:
                wider = rest & limit
                return wider == found or refuses({**sets, role: wider})

            limits[number] = _limit(column, place, domain.full, stands)
            found = rest & limits[number]
        return found


def _limit(column: Column, place: int, full: int, stands: Callable[[int], bool]) -> int:
    """All options, else the longest range of values up or down from its own, else its own."""
    if stands(full):
        return full
    height = column.heights[place]
    if height is not None and len(column.values) > 1:
        at, last = bisect_left(column.values, height), len(column.values) - 1
        # Most rules are about a least or a most: how far up does it stand, or else down?
        for step, most in ((1, last - at), (-1, at)):

            def reach(by: int, step: int = step, at: int = at) -> int:
                return column.between(min(at, at + step * by), max(at, at + step * by))

            if most and stands(reach(1)):
                beyond = range(2, most + 1)
                return reach(1 + bisect_left(beyond, True, key=lambda by: not stands(reach(by))))
    return column.same[column.cells[place]]
