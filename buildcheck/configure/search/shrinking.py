"""Strikes off what cannot stand with the rest of a box, and counts it by the rule."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from buildcheck.configure.search.boxes import LED, Left, groups_of, machine_of, size
from buildcheck.configure.search.costs import fields_of

if TYPE_CHECKING:
    from collections import Counter

    from buildcheck.configure.search.asking import Asking
    from buildcheck.configure.search.boxes import Box, Domain, Filled
    from buildcheck.configure.search.costs import Costs
    from buildcheck.configure.search.law import Asked
    from buildcheck.configure.search.space import Hull, Option

#: Roles of which, as soon as one is filled, those lists are sifted by it that few options are left
#: of then. Other lists are looked at from the top alone.
MATCHED = {"motherboard": ("cpu", "case"), "cpu": ("motherboard", "cpu_cooler")}


class Matching(NamedTuple):
    """What of a list goes with what fills another role, with its places in the list.

    `struck` are by rule the places of what does not, and how many parts there are from each on.
    """

    domain: Domain
    places: list[int]
    struck: dict[str, tuple[list[int], list[int]]]


class Shrinking:
    """Boxes made smaller; `excluded` counts what is struck off, by rule."""

    def __init__(
        self,
        asking: Asking,
        costs: Costs,
        lists: dict[str, list[Option]],
        excluded: Counter[str],
    ) -> None:
        self.asking, self.costs, self.excluded = asking, costs, excluded
        self.roles = list(lists)
        self.groups = groups_of(lists)
        self._matches: dict[tuple[object, ...], Matching] = {}

    def shrink(self, box: Box) -> bool:
        """Strike off first options that cannot stand with the rest; is anything left?"""
        if box.woken != len(self.asking.awake):
            box.sure, box.woken = set(), len(self.asking.awake)
        while True:
            if not self._match(box) or not self._strike(box):
                return False
            box.sure, box.fresh = set(box.left), frozenset()
            for role, (domain, at) in list(box.left.items()):
                # What a role costs counts with what leads to it, which is filled before.
                if at == len(domain.options) - 1 and LED.get(role) not in box.left:
                    box.filled = {**box.filled, role: domain.options[at]}
                    del box.left[role]
                    box.fresh |= {role}
                    continue
                tail = Left(*domain.tail(at))
                if tail.domain is not domain:
                    box.left[role] = tail
                    box.fresh |= {role}
            if not box.fresh:
                return True

    def _match(self, box: Box) -> bool:
        """Strike off what does not go with the roles that were narrowed; is anything left?"""
        for role, others in MATCHED.items():
            if role not in box.fresh:
                continue
            with_ = box.filled[role] if role in box.filled else box.left[role].domain.hull
            for other in others:
                if other not in box.left:
                    continue
                left = box.left[other]
                found = self._matching(role, with_, left.domain)
                if not found.struck:
                    continue
                rest = size(box, other)
                for rule, (places, sums) in found.struck.items():
                    place = bisect_left(places, left.at)
                    if place < len(places):
                        self.excluded[rule] += sums[place] * rest
                at = bisect_left(found.places, left.at)
                if at >= len(found.places):
                    return False
                box.left[other] = Left(found.domain, at)
                box.sure.discard(other)
        return True

    def _matching(self, role: str, with_: Option | Hull, domain: Domain) -> Matching:
        """What of a list goes with what fills a role, by the rules about these two."""
        rules, fields = self.costs.pair(role, domain.role)
        key = (self.asking.law.version, role, domain.hull.serial, with_.cells(tuple(fields)))
        found = self._matches.get(key)
        if found is None:
            found = self._sift(role, with_, domain, rules)
            if self.costs.pair(role, domain.role) != (rules, fields):
                # More was read than before.
                return self._matching(role, with_, domain)
            self._matches[key] = found
        return found

    def _sift(
        self, role: str, with_: Option | Hull, domain: Domain, rules: list[Asked]
    ) -> Matching:
        """The same, group by group of options that are equal in what the rules read."""
        machine = {**self.costs.hulls, role: with_}
        names = tuple(fields_of(rules, domain.role))
        known: dict[int, Asked | None] = {}
        kept: list[int] = []
        struck: dict[str, list[int]] = {}
        for place, option in enumerate(domain.options):
            cells = option.cells(names)
            if cells not in known:
                machine[domain.role] = option
                known[cells] = next((a for a in rules if self.asking.refuses(a, machine)), None)
            broken = known[cells]
            if broken is None:
                kept.append(place)
            else:
                struck.setdefault(broken.rule.id, []).append(place)
        sums = {
            rule: list(accumulate(domain.options[p].weight for p in reversed(places)))[::-1]
            for rule, places in struck.items()
        }
        return Matching(
            domain.part(kept) if struck else domain,
            kept,
            {rule: (places, sums[rule]) for rule, places in struck.items()},
        )

    def _strike(self, box: Box) -> bool:
        """Strike off first options that cannot stand with the rest, role by role."""
        machine = machine_of(box)
        for role in self.roles:
            if role not in box.left:
                continue
            rules = self.asking.rules(box, role)
            if role in box.sure:
                rules = [a for a in rules if box.fresh & a.scope]
            options = box.left[role].domain.options
            rest = size(box, role)
            at = box.left[role].at
            hull = machine[role]
            while at < len(options):
                option = options[at]
                machine[role] = option
                broken = box.dead.get((role, option.bin)) or self.asking.breaks(
                    box, role, machine, rules
                )
                if broken is None:
                    break
                self._bury(box, role, option.bin, broken, machine)
                self.excluded[broken.rule.id] += option.weight * rest
                at += 1
                if role in box.sure:
                    box.sure.discard(role)
                    rules = self.asking.rules(box, role)
            machine[role] = hull
            box.left[role] = Left(box.left[role].domain, at)
            if at >= len(options):
                return False
        return True

    def _bury(self, box: Box, role: str, bin_: int, broken: Asked, machine: Filled) -> None:
        """Where a rule strikes off an option, see whether it does so to all of about its size."""
        group = self.groups.get((role, bin_))
        if group is None or broken.is_local or (role, bin_) in box.dead:
            return
        if self.asking.refuses(broken, {**machine, role: group}):
            box.dead = {**box.dead, (role, bin_): broken}
