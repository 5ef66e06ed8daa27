"""Machines in boxes: some roles filled, and what is left of the lists of the others.

Boxes never overlap, so that every machine is in one of them until a rule strikes it off.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.configure.search.classes import ROLES
from buildcheck.configure.search.space import Hull
from buildcheck.logic.quantity import Interval

if TYPE_CHECKING:
    from collections.abc import Mapping

    from buildcheck.configure.search.law import Asked
    from buildcheck.configure.search.space import Cost, Option

    Machine = dict[str, Option]
    Filled = Mapping[str, Option | Hull]
    PartialMachine = dict[str, Option | Hull]

#: A role without which another cannot be chosen: what the cheapest for it costs counts with it.
LEADS = {"motherboard": ("cpu", "memory"), "cpu": ("cpu_cooler",)}
LED = {role: lead for lead, roles in LEADS.items() for role in roles}
#: Into more parts a list is not cut at once.
MOST_PARTS = 24
#: Groups of about one size into which a list is cut, to be struck off whole.
GROUPS = 16


class Domain:
    """Options of a role with what each costs, led roles included; the best first."""

    def __init__(self, role: str, options: list[Option], whole: list[Cost]) -> None:
        self.role, self.options, self.whole = role, options, whole
        self.sizes = [0]
        for option in reversed(options):
            self.sizes.append(self.sizes[-1] + option.weight)
        self.sizes.reverse()
        self.hull = Hull(role, options)
        self._cuts: dict[str, list[BoxPart]] = {}
        self._prefixes: dict[int, Hull] = {}
        self._tail: Domain | None = None
        self.is_kin = len({o.parts for o in options}) == 1

    @cached_property
    def cheapest(self) -> list[int]:
        """The least price from each place on."""
        found = list(accumulate((o.price for o in reversed(self.options)), min))
        return found[::-1]

    def prefix(self, end: int) -> Hull:
        """At least the options before a place, as one."""
        size = min(1 << (end - 1).bit_length(), len(self.options))
        if size not in self._prefixes:
            self._prefixes[size] = Hull(self.role, self.options[:size])
        return self._prefixes[size]

    def tail(self, at: int) -> tuple[Domain, int]:
        """The list without most of what comes before a place, and where that place is in it.

        It is cut in half again and again, so that few tails are made of a list.
        """
        domain: Domain = self
        while at >= (half := (len(domain.options) + 1) // 2) > 0 and half < len(domain.options):
            if domain._tail is None:
                domain._tail = domain.part(list(range(half, len(domain.options))))
            domain, at = domain._tail, at - half
        return domain, at

    def cut(self, name: str) -> list[BoxPart]:
        """The list in parts that differ in a field; numbers at the middle of those there are.

        Nothing if all are equal in it, or too many differ.
        """
        if name not in self._cuts:
            rows: dict[object, list[int]] = {}
            for place, option in enumerate(self.options):
                rows.setdefault(option.cell(name), []).append(place)
            if len(rows) > MOST_PARTS:
                rows = self._halves(name)
            parts = [BoxPart(self.part(places), places) for places in rows.values()]
            self._cuts[name] = parts if len(parts) > 1 else []
        return self._cuts[name]

    @cached_property
    def kin(self) -> list[BoxPart]:
        """The list in groups of the same parts, which differ in their settings alone.

        Nothing if they are all of one group, or each is one of its own.
        """
        rows = _of_kin(self.options)
        return [BoxPart(self.part(places), places) for places in rows] if len(rows) > 1 else []

    def _halves(self, name: str) -> dict[object, list[int]]:
        """Places with small values, with large ones, and with none."""
        sizes = [_height(option.values(name)) for option in self.options]
        known = sorted(s for s in sizes if s is not None)
        if not known:
            return {}
        middle = known[(len(known) - 1) // 2]
        rows: dict[object, list[int]] = {}
        for place, size in enumerate(sizes):
            rows.setdefault(None if size is None else size > middle, []).append(place)
        return rows

    def part(self, places: list[int]) -> Domain:
        """The options at some places."""
        return Domain(self.role, [self.options[p] for p in places], [self.whole[p] for p in places])


class BoxPart(NamedTuple):
    """A part of a list, and the places its options have in it."""

    domain: Domain
    places: list[int]


class Left(NamedTuple):
    """What is left of a list: its options from a place on."""

    domain: Domain
    at: int

    @property
    def size(self) -> int:
        """How many parts that is."""
        return self.domain.sizes[self.at]

    @property
    def first(self) -> Option:
        """The best of them."""
        return self.domain.options[self.at]

    @property
    def whole(self) -> Cost:
        """What the best costs, with what it leads to."""
        return self.domain.whole[self.at]


@dataclass
class Box:
    """Machines: some roles filled, and what is left of the lists of the others.

    `sure` are the open roles whose first option was found to stand with the rest before the roles
    `fresh` were narrowed, by the rules that were awake then. `dead` are groups struck off.
    """

    filled: Machine
    left: dict[str, Left]
    sure: set[str] = field(default_factory=set)
    fresh: frozenset[str] = frozenset()
    woken: int = 0
    dead: dict[tuple[str, int], Asked] = field(default_factory=dict)
    floor: Cost = ()

    def narrowed(self, role: str, to: Left | None = None, option: Option | None = None) -> Box:
        """The part of it in which a role is filled, or has a shorter list."""
        filled, left = self.filled, dict(self.left)
        if option is not None:
            filled = {**filled, role: option}
            del left[role]
        elif to is not None:
            left[role] = to
        fresh = self.fresh | {role}
        return Box(filled, left, self.sure - {role}, fresh, self.woken, self.dead, self.floor)


def size(box: Box, without: str = "") -> int:
    """How many machines a box holds, one role left out."""
    number = prod(o.weight for o in box.filled.values())
    return number * prod(left.size for r, left in box.left.items() if r != without)


def machine_of(box: Box) -> PartialMachine:
    """The machine that covers all machines of a box: hulls for open roles."""
    filled, left = box.filled, box.left
    return {
        r: filled[r] if r in filled else left[r].domain.hull
        for r in ROLES
        if r in filled or r in left
    }


def chain(role: str) -> list[str]:
    """A role and those that lead to it."""
    return [role, *chain(LED[role])] if role in LED else [role]


def added(costs: list[Cost]) -> Cost:
    """What several options cost together."""
    return tuple(map(sum, zip(*costs, strict=True)))


def _height(values: list[Any]) -> float | None:
    """What a field of an option comes to; None where that is no number, or not known."""
    if not values or not all(isinstance(v, Interval) for v in values):
        return None
    return float(sum(v.high for v in values))


def groups_of(lists: dict[str, list[Option]]) -> dict[tuple[str, int], Hull]:
    """The options of each list in groups of similar ones, which each option refers to.

    Similar: one part in other settings, otherwise parts of about one size.
    """
    found: dict[tuple[str, int], Hull] = {}
    for role, options in lists.items():
        kin = [[options[place] for place in places] for places in _of_kin(options)]
        for number, group in enumerate(kin or _of_size(options), 1):
            for option in group:
                option.bin = number
            found[role, number] = Hull(role, group)
    return found


def _of_kin(options: list[Option]) -> list[list[int]]:
    """The places of options by their parts; nothing if no two are of the same."""
    rows: dict[object, list[int]] = {}
    for place, option in enumerate(options):
        rows.setdefault(option.parts, []).append(place)
    return list(rows.values()) if len(rows) < len(options) else []


def _of_size(options: list[Option]) -> list[list[Option]]:
    """The options by their size, as far as that is known."""
    sized = [(size, o) for o in options if (size := o.size) is not None]
    sized.sort(key=lambda row: row[0])
    width = max(1, -(-len(sized) // GROUPS))
    return [[o for _, o in sized[n : n + width]] for n in range(0, len(sized), width)]


@dataclass
class Tally:
    """Machines by what became of them.

    `excluded` counts them by rule, and `unknown` those of them that a rule would let pass or not
    as soon as data were known. `like` differ from one that was found in no more than a colour;
    `worse` are those left when the search ended, none of which is better than what was found.
    """

    machines: int = 0
    excluded: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    found: int = 0
    like: int = 0
    worse: int = 0
    bound: Cost = ()
    boxes: int = 0
    needs: float = math.inf

    def exclude(self, rule: str, number: int, *, waits: bool) -> None:
        """Count machines that a rule excludes, or that it waits for data of."""
        self.excluded[rule] += number
        if waits:
            self.unknown[rule] += number
