"""Strikes off what cannot stand with the rest of a box, and counts it by the rule."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from buildcheck.configure.search.boxes import LED, Left, groups_of, machine_of, size
from buildcheck.configure.search.costs import fields_of
from buildcheck.configure.search.law import FAIL, PASS, UNKNOWN

if TYPE_CHECKING:
    from buildcheck.configure.search.asking import RuleOrder
    from buildcheck.configure.search.boxes import Box, Domain, Filled, PartialMachine, Tally
    from buildcheck.configure.search.costs import Costs
    from buildcheck.configure.search.law import Asked
    from buildcheck.configure.search.space import Hull, Option

#: Roles of which, as soon as one is filled, those lists are sifted by it that few options are left
#: of then. Other lists are looked at from the top alone.
MATCHED = {"motherboard": ("cpu", "case"), "cpu": ("motherboard", "cpu_cooler")}
#: So few options of a role that differ in what a rule reads are tried one by one, to see whether
#: any goes with an option of another.
MOST_TRIED = 8
#: A longer list is not looked through for that.
LONGEST = 64


class Matching(NamedTuple):
    """What of a list goes with what fills another role, with its places in the list.

    `struck` are by rule, and whether it waits for data, the places of what does not, and how many
    parts there are from each on.
    """

    domain: Domain
    places: list[int]
    struck: dict[tuple[str, bool], tuple[list[int], list[int]]]


class Shrinking:
    """Boxes made smaller; `tally` counts what is struck off."""

    def __init__(
        self,
        asking: RuleOrder,
        costs: Costs,
        lists: dict[str, list[Option]],
        tally: Tally,
    ) -> None:
        self.asking, self.costs, self.tally = asking, costs, tally
        self.roles = list(lists)
        self.groups = groups_of(lists)
        self._matches: dict[tuple[object, ...], Matching] = {}
        self._runs: dict[tuple[object, ...], tuple[int, bool]] = {}

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
                for (rule, waits), (places, sums) in found.struck.items():
                    place = bisect_left(places, left.at)
                    if place < len(places):
                        self.tally.exclude(rule, sums[place] * rest, waits=waits)
                at = bisect_left(found.places, left.at)
                if at >= len(found.places):
                    return False
                box.left[other] = Left(found.domain, at)
                box.sure.discard(other)
        return True

    def _matching(self, role: str, with_: Option | Hull, domain: Domain) -> Matching:
        """What of a list goes with what fills a role, by the rules about these two."""
        rules, fields = self.costs.pair(role, domain.role)
        key = (self.asking.law.version, role, domain.hull.serial, with_.cells(fields))
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
        known: dict[int, tuple[str, bool] | None] = {}
        kept: list[int] = []
        struck: dict[tuple[str, bool], list[int]] = {}
        for place, option in enumerate(domain.options):
            cells = option.cells(names)
            if cells not in known:
                machine[domain.role] = option
                broken = next((a for a in rules if self.asking.refuses(a, machine)), None)
                known[cells] = None
                if broken is not None:
                    known[cells] = broken.rule.id, self.asking.waits(broken, machine)
            why = known[cells]
            if why is None:
                kept.append(place)
            else:
                struck.setdefault(why, []).append(place)
        sums = {
            why: list(accumulate(domain.options[p].weight for p in reversed(places)))[::-1]
            for why, places in struck.items()
        }
        return Matching(
            domain.part(kept) if struck else domain,
            kept,
            {why: (places, sums[why]) for why, places in struck.items()},
        )

    def support(self, box: Box, rule: Asked, machine: Filled) -> Box | None:
        """Strike off what a rule lets stand with none of the few options left of another role."""
        open_ = {r: n for r, n in box.left.items() if r in rule.scope}
        for other in open_:
            few = self._apart(box, rule, other)
            for role in open_ if few else ():
                if role == other or self._support(box, rule, role, machine[role], few) == PASS:
                    continue
                return self._supported(box, rule, role, other)
        return None

    def _apart(self, box: Box, rule: Asked, role: str) -> list[Option]:
        """One each of the options left of a role that differ in what a rule reads, if few do."""
        domain, at = box.left[role]
        if len(domain.options) - at > LONGEST:
            return []
        names = tuple(fields_of([rule], role))
        found = {option.cells(names): option for option in domain.options[at:]}
        return list(found.values()) if len(found) <= MOST_TRIED else []

    def _support(
        self, box: Box, rule: Asked, role: str, option: Option | Hull, few: list[Option]
    ) -> int:
        """Does a rule let an option of a role stand with any of a few of another?

        `PASS` if it may, `UNKNOWN` if it waits for data of one at least, else `FAIL`.
        """
        machine = {**machine_of(box), role: option}
        found = FAIL
        for one in few:
            verdict = self.asking.law.verdict(rule, {**machine, one.role: one})
            if verdict not in self.asking.bad:
                return PASS
            found = verdict if verdict == UNKNOWN else found
        return found

    def _supported(self, box: Box, rule: Asked, role: str, other: str) -> Box:
        domain, at = box.left[role]
        version, names = self.asking.law.version, tuple(fields_of([rule], role))
        few = self._apart(box, rule, other)
        known: dict[int, int] = {}
        kept, struck = [], {FAIL: 0, UNKNOWN: 0}
        for place in range(at, len(domain.options)):
            option = domain.options[place]
            cells = option.cells(names)
            if cells not in known:
                known[cells] = self._support(box, rule, role, option, few) if few else PASS
            if known[cells] == PASS:
                kept.append(place)
            else:
                struck[known[cells]] += option.weight
        if self.asking.law.version != version:
            # More was read than before: what looked equal may not be.
            return self._supported(box, rule, role, other)
        rest = size(box, role)
        for verdict, number in struck.items():
            if number:
                self.tally.exclude(rule.rule.id, number * rest, waits=verdict == UNKNOWN)
        return box.narrowed(role, Left(domain.part(kept), 0))

    def _strike(self, box: Box) -> bool:
        """Strike off first options that cannot stand with the rest, role by role."""
        machine = machine_of(box)
        for role in self.roles:
            if role not in box.left:
                continue
            rules = self.asking.rules(role, box)
            if role in box.sure:
                rules = [a for a in rules if box.fresh & a.scope]
            domain, at = box.left[role]
            options = domain.options
            rest = size(box, role)
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
                end, waits = self._run(broken, machine, domain, at)
                number = (domain.sizes[at] - domain.sizes[end]) * rest
                self.tally.exclude(broken.rule.id, number, waits=waits)
                at = end
                if role in box.sure:
                    box.sure.discard(role)
                    rules = self.asking.rules(role, box)
            machine[role] = hull
            box.left[role] = Left(domain, at)
            if at >= len(options):
                return False
        return True

    def _run(
        self, broken: Asked, machine: PartialMachine, domain: Domain, at: int
    ) -> tuple[int, bool]:
        """Where the options end that a rule strikes off like the one at a place."""
        role, law = domain.role, self.asking.law
        version = law.version
        key = (
            broken.rule.id,
            version,
            domain.hull.serial,
            at,
            *(machine[r].cells(names) for r, names in broken.read_of if r != role),
        )
        found = self._runs.get(key)
        if found is not None:
            return found
        names = next((names for r, names in broken.read_of if r == role), ())
        first = law.verdict(broken, machine)
        known = {domain.options[at].cells(names): first}
        end = at + 1
        while end < len(domain.options):
            option = domain.options[end]
            cells = option.cells(names)
            if cells not in known:
                machine[role] = option
                known[cells] = law.verdict(broken, machine)
            if known[cells] != first:
                break
            end += 1
        if law.version != version:
            # More was read than before: what looked equal may not be.
            machine[role] = domain.options[at]
            return self._run(broken, machine, domain, at)
        self._runs[key] = end, first == UNKNOWN
        return self._runs[key]

    def _bury(self, box: Box, role: str, bin_: int, broken: Asked, machine: Filled) -> None:
        """Where a rule strikes off an option, see whether it does so to all of about its size."""
        group = self.groups.get((role, bin_))
        if group is None or broken.is_local or (role, bin_) in box.dead:
            return
        if self.asking.refuses(broken, {**machine, role: group}):
            box.dead = {**box.dead, (role, bin_): broken}
