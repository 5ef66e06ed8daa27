"""Best first over boxes of machines: the cheapest that the law lets pass, and the proof of it.

A box is some roles filled and, for each of the others, the options from a place in its list on;
lists run from the best to the worst. A box can cost no less than what is filled and the first
option of every other list. The law is asked whether each first option can stand with what is
filled, the roles still open being hulls; one that cannot is struck off the list, and the box
with it shrinks. Then the roles are filled one after another with what stands with those before.
If that costs no more than the box must, it is the best machine of the box. If not, the rule that
was in the way says at which role the box is to be split.

Boxes never overlap and nothing is dropped uncounted, so that in the end every machine there
is has been excluded by a rule, or is known to be no better than those that were found.
"""

from __future__ import annotations

import heapq
import math
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from itertools import count as counting
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.configure.answer import Proof
from buildcheck.configure.classes import CENTS, FINE, ROLES
from buildcheck.configure.law import FAIL, UNKNOWN
from buildcheck.configure.space import Hull
from buildcheck.model.quantity import Interval

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from buildcheck.configure.law import Asked, Law
    from buildcheck.configure.space import Cost, Option

    Machine = dict[str, Option]

#: A role without which another cannot be chosen: what the cheapest for it costs counts with it.
LEADS = {"motherboard": ("cpu", "memory"), "cpu": ("cpu_cooler",)}
LED = {role: lead for lead, roles in LEADS.items() for role in roles}
#: Roles of which, as soon as one is filled, those lists are sifted by it that few options are left
#: of then. Other lists are looked at from the top alone.
MATCHED = {"motherboard": ("cpu", "case"), "cpu": ("motherboard", "cpu_cooler")}
#: The share of its least cost by which it is first tried to raise a box.
FIRST_LIFT = 1 / 2048
#: Roles whose lists are cut into parts; the others are few once these are filled.
CUT = ("gpus", "psus")
#: Into more parts a list is not cut at once.
MOST_PARTS = 12
#: What has to be known of a part for a rule to be judged of any machine that it is in.
KNOWN = {
    ("gpus", "board_power"): "power/psu-overload",
    ("motherboard", "slots"): "pcie/fewer-slots-than-cards",
    ("motherboard", "plugs"): "cable/board-plug-without-cable",
    ("psus", "rated_power"): "power/psu-overload",
    ("psus", "plugs"): "cable/board-plug-without-cable",
    ("cpu", "base_power"): "power/psu-overload",
    ("cpu", "turbo_power"): "power/psu-overload-worst-case",
}
#: So many options of a role are tried to see whether another would help.
SAMPLES = 5
#: So often a rule is asked in vain about a role, while the same roles are open, before it is left
#: alone until those are filled.
MOST_VAIN = 12
#: Fields that say what a part draws: no machine is worse for less of it.
DRAWS = ("typical_power", "max_power", "base_power", "turbo_power")
#: Groups of about one size into which a list is cut, to be struck off whole.
GROUPS = 16
#: The place of money in what an option costs; its order among equals comes last.
PRICE = -2


class Domain:
    """Options of a role with what each costs, led roles included; the best first."""

    def __init__(self, role: str, options: list[Option], whole: list[Cost]) -> None:
        self.role, self.options, self.whole = role, options, whole
        self.sizes = [0]
        for option in reversed(options):
            self.sizes.append(self.sizes[-1] + option.weight)
        self.sizes.reverse()
        self.hull = Hull(role, options)
        self._cuts: dict[str, list[Part]] = {}
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

    def cut(self, name: str) -> list[Part]:
        """The list in parts that differ in a field; numbers at the middle of those there are.

        Nothing if all are equal in it, or too many differ.
        """
        if name not in self._cuts:
            rows: dict[object, list[int]] = {}
            for place, option in enumerate(self.options):
                rows.setdefault(option.cell(name), []).append(place)
            if len(rows) > MOST_PARTS:
                rows = self._halves(name)
            parts = [Part(self.part(places), places) for places in rows.values()]
            self._cuts[name] = parts if len(parts) > 1 else []
        return self._cuts[name]

    @cached_property
    def kin(self) -> list[Part]:
        """The list in groups of the same parts, which differ in their settings alone.

        Nothing if they are all of one group, or each is one of its own.
        """
        rows: dict[object, list[int]] = {}
        for place, option in enumerate(self.options):
            rows.setdefault(option.parts, []).append(place)
        if len(rows) in {1, len(self.options)}:
            return []
        return [Part(self.part(places), places) for places in rows.values()]

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


class Part(NamedTuple):
    """A part of a list, and the places its options have in it."""

    domain: Domain
    places: list[int]


class Matching(NamedTuple):
    """What of a list goes with what fills another role, with its places in the list.

    `struck` are by rule the places of what does not, and how many parts there are from each on.
    """

    domain: Domain
    places: list[int]
    struck: dict[str, tuple[list[int], list[int]]]


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


@dataclass
class Tally:
    """What became of every machine of a search.

    `like` differ from one that was found in no more than a colour; `worse` are those left when
    it ended, none of which is better than what was found.
    """

    machines: int = 0
    excluded: Counter[str] = field(default_factory=Counter)
    found: int = 0
    like: int = 0
    worse: int = 0
    bound: Cost = ()
    boxes: int = 0
    needs: float = math.inf


class Culprit(NamedTuple):
    """The rule by which an option of a role could not stand with a machine."""

    role: str
    rule: Asked | None
    machine: Machine


class Search:
    """The machines of a product of lists, the best that pass first."""

    def __init__(  # noqa: PLR0913 - what is searched, and how
        self,
        law: Law,
        lists: dict[str, list[Option]],
        *,
        strict: bool = True,
        most: int | None = None,
        stop: Callable[[], bool] | None = None,
        apart: Callable[[Machine], object] | None = None,
        dominance: bool = True,
        reads: Mapping[str, frozenset[str]] | None = None,
    ) -> None:
        self.law, self.full, self.lists = law, lists, lists
        self.strict, self.bad = strict, (FAIL, UNKNOWN) if strict else (FAIL,)
        self.most, self.stop, self.apart = most, stop, apart
        self.roles = [r for r in ROLES if r in lists]
        self.tally = Tally(
            machines=prod(sum(o.members for o in options) for options in lists.values())
        )
        self.stopped, self.dominance = False, dominance
        self.told = 0
        self.telling: dict[tuple[str, str], str] = {}
        self.reads: dict[str, frozenset[str]] = {}
        #: What rules are known to read before they are asked.
        self.learnt = reads or {}
        self.shown: set[object] = set()
        self.awake: set[str] = set()
        self.used: dict[tuple[str, str, frozenset[str]], list[int]] = {}
        self._heap: list[tuple[Cost, int, int, Box]] = []
        self._number = counting()
        self._least_known: dict[tuple[object, ...], Cost] = {}
        self._pairs: dict[tuple[str, str], tuple[int, tuple[list[Asked], list[str]]]] = {}
        self._matches: dict[tuple[object, ...], Matching] = {}
        self._cheapest_known: dict[tuple[int, ...], tuple[Cost, list[int]]] = {}
        self._asking: dict[tuple[object, ...], tuple[tuple[int, int], list[Asked]]] = {}

    def proof(self) -> Proof:
        """What is proven so far."""
        tally = self.tally
        bound = tally.bound[0] if tally.bound else 0
        unit = CENTS if len(tally.bound) == -PRICE else FINE
        return Proof(
            candidates=tally.machines,
            excluded_by=dict(tally.excluded.most_common()),
            not_better=tally.worse + tally.like,
            found=tally.found,
            optimal=not self.stopped,
            bound=bound / unit if abs(bound) < math.inf else None,
            needs=tally.needs / CENTS if tally.needs < math.inf else None,
        )

    # The search

    def solutions(self) -> Iterator[Machine]:
        """Machines that pass, the best first; `tally` is exact whenever one is given."""
        if not all(self.lists.values()):
            return
        self._learn()
        while True:
            again = False
            for machine in self._run():
                if self._has_grown():
                    again = True
                    break
                yield machine
            if self.stopped or not (again or self._has_grown()):
                return

    def _has_grown(self) -> bool:
        """Has a rule read more of a part than when options were taken to be alike?"""
        return any(self._reads(role) - known for role, known in self.reads.items())

    def _reads(self, role: str) -> frozenset[str]:
        known = self.learnt.get(role, frozenset())
        return known.union(*(a.fields(role) for a in self.law.asked))

    def _run(self) -> Iterator[Machine]:
        """The search once, with what is known to be read when it begins."""
        self.tally = Tally(machines=self.tally.machines)
        self.shown, self._heap, self.used, self._matches = set(), [], {}, {}
        for options in self.full.values():
            for option in options:
                option.weight = option.members
        self.lists = {role: list(options) for role, options in self.full.items()}
        if self.strict:
            self._leave_out()
            if not all(self.lists.values()):
                return
        domains = self._order()
        self.groups = _groups(self.lists)
        self._put(Box({}, {r: Left(domains[r], 0) for r in self.roles}))
        while self._heap:
            cost, *_ = self._heap[0]
            self.tally.bound = cost
            if self.stop and self.stop():
                self.stopped = True
                break
            *_, box = heapq.heappop(self._heap)
            self.tally.boxes += 1
            if not self._shrink(box):
                continue
            now = self.bound(box)
            if self.most is not None and self._least_price(box, now) > self.most:
                self.tally.excluded["budget"] += size(box)
                self.tally.needs = min(self.tally.needs, self._least_price(box, now))
            elif now > cost:
                self._put(box)
            else:
                yield from self._look(box, now)
        self._close()

    def _look(self, box: Box, bound: Cost) -> Iterator[Machine]:
        """The best machine of a box if it costs no more than it must; else the box is split."""
        found = self._dive(box)
        if isinstance(found, dict) and _sum([o.cost for o in found.values()]) > bound:
            lead = next((r for r in self.roles if r in LEADS and r in box.left), "")
            if lead:
                found = Culprit(lead, None, found)
        if found is None:
            self._put(box)
        elif isinstance(found, Culprit):
            if self._lift(box, found, bound):
                self._put(box)
            else:
                self._split(box, found)
        else:
            self._keep_rest(box, found)
            self.tally.bound = bound
            if self.most is not None and sum(o.price for o in found.values()) > self.most:
                self.tally.excluded["budget"] += prod(o.weight for o in found.values())
                price = float(sum(o.price for o in found.values()))
                self.tally.needs = min(self.tally.needs, price)
                return
            number = prod(o.members for o in found.values())
            self.tally.like += prod(o.weight for o in found.values()) - number
            like = self.apart(found) if self.apart else None
            if like is not None and like in self.shown:
                self.tally.like += number
                return
            self.shown.add(like)
            self.tally.found += number
            self._close()
            yield found

    def _least_price(self, box: Box, bound: Cost) -> float:
        """No machine of a box costs less money, whatever it is to be best at."""
        if len(bound) == -PRICE:
            return bound[PRICE]
        filled = sum(o.price for o in box.filled.values())
        return filled + sum(left.domain.cheapest[left.at] for left in box.left.values())

    def _close(self) -> None:
        self.tally.worse = sum(size(box) for *_, box in self._heap)

    def bound(self, box: Box) -> Cost:
        """No machine of a box costs less."""
        return max(self._least_of(box), box.floor)

    def _least_of(self, box: Box) -> Cost:
        """The sum of the best that is left."""
        parts = [o.cost for o in box.filled.values()]
        parts += [self._cheapest(box, r)[0] for r in box.left if LED.get(r) not in box.left]
        return _sum(parts)

    def _cheapest(self, box: Box, role: str) -> tuple[Cost, list[int]]:
        """What the best option of an open role costs with those it leads to, and which do so.

        Where what is left of a led list begins later than the best that goes with an option, that
        costs more.
        """
        domain, at = box.left[role]
        led = [box.left[r] for r in LEADS.get(role, ()) if r in box.left]
        if not led:
            return domain.whole[at], [at]
        key = (
            self.law.version,
            domain.hull.serial,
            at,
            *(n for o in led for n in (o.domain.hull.serial, o.at)),
        )
        found = self._cheapest_known.get(key)
        if found is None:
            found = self._cheapest_known[key] = self._scan(domain, at, led)
        return found

    def _scan(self, domain: Domain, at: int, led: list[Left]) -> tuple[Cost, list[int]]:
        """The same, option by option."""
        role = domain.role
        best: Cost | None = None
        places: list[int] = []
        for place in range(at, len(domain.options)):
            if best is not None and domain.whole[place] > best:
                break
            option = domain.options[place]
            cost = _sum([option.cost, *(self._least(role, option, o.domain, o.at) for o in led)])
            if best is None or cost < best:
                best, places = cost, [place]
            elif cost == best:
                places.append(place)
        return best or domain.whole[at], places

    def _put(self, box: Box) -> None:
        if all(left.size for left in box.left.values()):
            row = (self.bound(box), -len(box.filled), next(self._number), box)
            heapq.heappush(self._heap, row)

    # Lists

    def _learn(self) -> None:
        """Ask every rule once, so that it is known which roles each is about."""
        whole = {r: self.lists[r][0] for r in self.roles}
        for asked in self.law.asked:
            self.law.verdict(asked, whole)

    def _leave_out(self) -> None:
        """Leave out options of which something is not known without which no machine passes."""
        for (role, name), rule in KNOWN.items():
            options = self.lists.get(role, [])
            if not any(a.rule.id == rule for a in self.law.asked) or any(o.given for o in options):
                continue
            silent = [o for o in options if None in o.values(name)]
            others = prod(
                sum(o.members for o in found) for r, found in self.lists.items() if r != role
            )
            if silent:
                self.tally.excluded[rule] += sum(o.members for o in silent) * others
                self.lists[role] = [o for o in options if None not in o.values(name)]

    def _order(self) -> dict[str, Domain]:
        """Sort each list by what its options cost with the cheapest of what each leads to."""
        self.hulls = {r: Hull(r, options) for r, options in self.lists.items()}
        domains: dict[str, Domain] = {}
        for role in sorted(self.roles, key=lambda r: -len(_chain(r))):
            led = [r for r in LEADS.get(role, ()) if r in domains]
            rows = [
                (_sum([o.cost, *(self._least(role, o, domains[r]) for r in led)]), o)
                for o in self.lists[role]
            ]
            rows.sort(key=lambda row: row[0])
            if self.dominance:
                rows = self._undominated(role, rows)
            self.lists[role] = [option for _, option in rows]
            domains[role] = Domain(role, self.lists[role], [cost for cost, _ in rows])
        return domains

    def _undominated(self, role: str, rows: list[tuple[Cost, Option]]) -> list[tuple[Cost, Option]]:
        """The options without those for which another does as well in every way and costs less.

        Two options are alike if they are equal in all that any rule was seen to read, but for
        what they draw: who draws less does as well.
        """
        reads = self.reads[role] = self._reads(role)
        draws = [n for n in DRAWS if n in reads]
        alike = sorted(reads - set(draws))
        kept: list[tuple[Cost, Option]] = []
        groups: dict[object, list[Option]] = {}
        for cost, option in rows:
            rivals = groups.setdefault(option.cells(tuple(alike)), [])
            better = next(
                (
                    r
                    for r in rivals
                    if r.cost <= option.cost
                    and _draws_no_more(r, option, draws)
                    and (self.most is None or r.price <= option.price)
                ),
                None,
            )
            if better is None:
                rivals.append(option)
                kept.append((cost, option))
            else:
                better.weight += option.weight
        return kept

    def _least(self, role: str, option: Option, other: Domain, at: int = 0) -> Cost:
        """What the cheapest option of another role costs, from a place on, that matches one."""
        rules, fields = self._pair(role, other.role)
        key = (role, other.hull.serial, at, *(option.cell(n) for n in fields))
        known = self._least_known
        if key in known:
            return known[key]
        machine = {r: option if r == role else self.hulls[r] for r in self.roles}
        found = tuple(math.inf for _ in option.cost)
        for cost, candidate in zip(other.whole[at:], other.options[at:], strict=True):
            machine[other.role] = candidate
            if all(self.law.verdict(a, machine) not in self.bad for a in rules):
                found = cost
                break
        if self._pair(role, other.role) != (rules, fields):
            # More was read than before: what looked equal may not be.
            known.clear()
        known[key] = found
        return found

    def _pair(self, role: str, other: str) -> tuple[list[Asked], list[str]]:
        """The rules that are about two roles and no more, and what they read of the first."""
        key = (role, other)
        found = self._pairs.get(key)
        if found is None or found[0] != self.law.version:
            rules = [a for a in self.law.asked if a.scope == {role, other}]
            found = self._pairs[key] = (self.law.version, (rules, _fields(rules, role)))
        return found[1]

    # Boxes

    def _machine(self, box: Box) -> dict[str, Option | Hull]:
        return {
            r: box.filled[r] if r in box.filled else box.left[r].domain.hull for r in self.roles
        }

    def _shrink(self, box: Box) -> bool:
        """Strike off first options that cannot stand with the rest; is anything left?"""
        if box.woken != len(self.awake):
            box.sure, box.woken = set(), len(self.awake)
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
                        self.tally.excluded[rule] += sums[place] * rest
                at = bisect_left(found.places, left.at)
                if at >= len(found.places):
                    return False
                box.left[other] = Left(found.domain, at)
                box.sure.discard(other)
        return True

    def _matching(self, role: str, with_: Option | Hull, domain: Domain) -> Matching:
        """What of a list goes with what fills a role, by the rules about these two."""
        rules, fields = self._pair(role, domain.role)
        key = (self.law.version, role, domain.hull.serial, with_.cells(tuple(fields)))
        found = self._matches.get(key)
        if found is None:
            found = self._sift(role, with_, domain, rules)
            if self._pair(role, domain.role) != (rules, fields):
                # More was read than before.
                return self._matching(role, with_, domain)
            self._matches[key] = found
        return found

    def _sift(
        self, role: str, with_: Option | Hull, domain: Domain, rules: list[Asked]
    ) -> Matching:
        """The same, group by group of options that are equal in what the rules read."""
        machine = {**self.hulls, role: with_}
        names = tuple(_fields(rules, domain.role))
        known: dict[int, Asked | None] = {}
        kept: list[int] = []
        struck: dict[str, list[int]] = {}
        for place, option in enumerate(domain.options):
            cells = option.cells(names)
            if cells not in known:
                machine[domain.role] = option
                known[cells] = next(
                    (a for a in rules if self.law.verdict(a, machine) in self.bad), None
                )
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
        machine = self._machine(box)
        for role in self.roles:
            if role not in box.left:
                continue
            rules = self._rules(box, role)
            if role in box.sure:
                rules = [a for a in rules if box.fresh & a.scope]
            options = box.left[role].domain.options
            rest = size(box, role)
            at = box.left[role].at
            hull = machine[role]
            while at < len(options):
                option = options[at]
                machine[role] = option
                broken = box.dead.get((role, option.bin)) or self._breaks(box, role, machine, rules)
                if broken is None:
                    break
                self._bury(box, role, option.bin, broken, machine)
                self.tally.excluded[broken.rule.id] += option.weight * rest
                at += 1
                if role in box.sure:
                    box.sure.discard(role)
                    rules = self._rules(box, role)
            machine[role] = hull
            box.left[role] = Left(box.left[role].domain, at)
            if at >= len(options):
                return False
        return True

    def _bury(
        self, box: Box, role: str, bin_: int, broken: Asked, machine: dict[str, Option | Hull]
    ) -> None:
        """Where a rule strikes off an option, see whether it does so to all of about its size."""
        group = self.groups.get((role, bin_))
        if group is None or broken.is_local or (role, bin_) in box.dead:
            return
        if self.law.verdict(broken, {**machine, role: group}) in self.bad:
            box.dead = {**box.dead, (role, bin_): broken}

    def _rules(self, box: Box, role: str) -> list[Asked]:
        """The rules to ask about the first option of a role, those that fail most often first.

        A rule about many roles is left alone until it has failed a machine.
        """
        key = (role, tuple(box.left))
        state = (self.law.version, len(self.awake) + self.told)
        known = self._asking.get(key)
        if known is not None and known[0] == state:
            return known[1]
        found = [
            a
            for a in self.law.asked
            if role in a.scope
            and (a.is_local or (a.rule.id in self.awake and self._tells(box, role, a)))
        ]
        found.sort(key=lambda a: -a.failed)
        self._asking[key] = (state, found)
        return found

    def _tells(self, box: Box, role: str, asked: Asked) -> bool:
        """May a rule say something of a role while others that it is about are open?"""
        tried, failed = self._use(box, role, asked)
        return failed > 0 or tried < MOST_VAIN

    def _use(self, box: Box, role: str, asked: Asked) -> list[int]:
        open_ = frozenset(r for r in asked.scope if r in box.left)
        return self.used.setdefault((asked.rule.id, role, open_), [0, 0])

    def _breaks(
        self, box: Box, role: str, machine: dict[str, Option | Hull], rules: list[Asked]
    ) -> Asked | None:
        """The rule by which an option cannot stand with the rest of a machine."""
        for asked in rules:
            bad = self.law.verdict(asked, machine) in self.bad
            if not asked.is_local:
                use = self._use(box, role, asked)
                use[0] += 1
                use[1] += bad
                self.told += use[0] == MOST_VAIN and not use[1]
            if bad:
                return asked
        return None

    # Machines

    def _dive(self, box: Box) -> Machine | Culprit | None:
        """Fill the roles one after another; what was in the way where that costs more.

        None if a rule was woken, so that the box is to be looked at anew.
        """
        machine = self._machine(box)
        chosen = dict(box.filled)
        for role in self.roles:
            if role in chosen:
                continue
            found = self._next(box, role, machine, chosen)
            if isinstance(found, Culprit):
                return found
            chosen[role] = machine[role] = found
        chosen = {r: chosen[r] for r in self.roles}
        broken = [a for a in self.law.asked if self.law.verdict(a, chosen) in self.bad]
        new = {a.rule.id for a in broken} - self.awake
        if new:
            self.awake |= new
            return None
        if broken:
            least = min(broken, key=lambda a: sum(r in box.left for r in a.scope))
            role = next((r for r in reversed(self.roles) if r in box.left and r in least.scope), "")
            return Culprit(role, least, chosen)
        return chosen

    def _next(
        self, box: Box, role: str, machine: dict[str, Option | Hull], chosen: Machine
    ) -> Option | Culprit:
        """The first option of a role that stands with what is chosen and costs what it must."""
        domain, at = box.left[role]
        lead = LED.get(role, "")
        if lead in box.left:
            most = self._least(lead, chosen[lead], domain, at)
            places = [p for p in range(at, len(domain.options)) if domain.whole[p] <= most]
        else:
            places = self._cheapest(box, role)[1]
        rules = self._all_rules(role)
        culprit: Culprit | None = None
        hull = machine[role]
        for place in places:
            option = domain.options[place]
            machine[role] = option
            broken = next((a for a in rules if self.law.verdict(a, machine) in self.bad), None)
            if broken is None:
                return option
            culprit = Culprit(role, broken, dict(machine))  # type: ignore[arg-type]
        machine[role] = hull
        return culprit or Culprit(lead, None, chosen)

    def _lift(self, box: Box, culprit: Culprit, bound: Cost) -> bool:
        """Raise what a box must cost: to where the rule is no longer broken for certain.

        A machine that costs so much more than the least has in no role an option that alone costs
        more than that above the best. If the rule breaks for all of those at once, there is none.
        """
        rule = culprit.rule
        if rule is None or rule.is_local or not rule.scope & set(box.left):
            return False
        least = self._least_of(box)[0]
        step = max(2 * (bound[0] - least), abs(least) * FIRST_LIFT)
        raised = None
        while self.law.verdict(rule, self._within(box, step)) == FAIL:
            raised = least + step
            step *= 2
            if step > abs(least):
                break
        if raised is None:
            return False
        box.floor = (math.floor(raised) + 1, *(-math.inf for _ in bound[1:]))
        return True

    def _within(self, box: Box, more: float) -> dict[str, Option | Hull]:
        """A box with the options alone that cost no more than so much above the best."""
        machine: dict[str, Option | Hull] = dict(box.filled)
        most: dict[str, float] = {}
        for role in sorted(box.left, key=lambda r: len(_chain(r))):
            domain, at = box.left[role]
            base = most.get(role, domain.whole[at][0])
            end = at + 1
            while end < len(domain.options) and domain.whole[end][0] <= base + more:
                end += 1
            machine[role] = domain.prefix(end)
            for led in LEADS.get(role, ()):
                if led in box.left:
                    costs = (
                        self._least(role, o, *box.left[led])[0] for o in domain.options[at:end]
                    )
                    most[led] = max(costs)
        return {r: machine[r] for r in self.roles}

    def _all_rules(self, role: str) -> list[Asked]:
        """Every rule that is about a role and is awake."""
        state = (self.law.version, len(self.awake))
        known = self._asking.get((role,))
        if known is not None and known[0] == state:
            return known[1]
        found = [
            a for a in self.law.asked if role in a.scope and (a.is_local or a.rule.id in self.awake)
        ]
        found.sort(key=lambda a: -a.failed)
        self._asking[role,] = (state, found)
        return found

    def _split(self, box: Box, culprit: Culprit) -> None:
        """Cut a box at the first role that a rule was in the way for."""
        if self._struck(box, culprit):
            self._put(box)
            return
        role = self._matters(box, culprit)
        if not role:
            # The rule is about filled roles alone.
            self.tally.excluded[culprit.rule.rule.id if culprit.rule else ""] += size(box)
            return
        while LED.get(role) in box.left:
            # What it costs counts with what leads to it, which is filled before.
            role = LED[role]
        left = box.left[role]
        parts = self._parts(culprit, left.domain) or left.domain.kin
        for domain, places in parts:
            self._put(box.narrowed(role, Left(domain, bisect_left(places, left.at))))
        if parts:
            return
        self._put(box.narrowed(role, option=left.first))
        if left.at + 1 < len(left.domain.options):
            rest = box.narrowed(role, Left(left.domain, left.at + 1))
            # Its hull is what it was.
            rest.fresh = box.fresh
            self._put(rest)

    def _parts(self, culprit: Culprit, domain: Domain) -> list[Part]:
        """The parts of a list of which the rule can be told apart: bad for one, not for another."""
        if culprit.rule is None or domain.role not in CUT:
            return []
        key = (culprit.rule.rule.id, domain.role)
        names = sorted(
            culprit.rule.fields(domain.role), key=lambda n: (n != self.telling.get(key), n)
        )
        for name in names:
            parts = domain.cut(name)
            said = [
                self.law.verdict(culprit.rule, {**culprit.machine, domain.role: p.domain.hull})
                in self.bad
                for p in parts
            ]
            if True in said and False in said:
                self.telling[key] = name
                return parts
        return []

    def _struck(self, box: Box, culprit: Culprit) -> bool:
        """Is an option out whatever the other roles are filled with? Then the rule tells."""
        if culprit.rule is None or culprit.role not in box.left:
            return False
        alone = {**self._machine(box), culprit.role: culprit.machine[culprit.role]}
        if self.law.verdict(culprit.rule, alone) not in self.bad:
            return False
        use = self._use(box, culprit.role, culprit.rule)
        first = box.left[culprit.role].first
        if use[1] or culprit.machine[culprit.role] is not first:
            return False
        use[1] = 1
        self.told += 1
        box.sure = set()
        return True

    def _matters(self, box: Box, culprit: Culprit) -> str:
        """The first open role without which the rule would not be in the way."""
        rule = culprit.rule
        if rule is None:
            return culprit.role
        whole = self._machine(box)
        scope = [r for r in self.roles if r in box.left and self._differs(box, r, rule)]
        last = [r for r in scope if r == "gpus" and box.left[r].domain.is_kin]
        first = [r for r in scope if r not in last]
        decided = not {"gpus", "motherboard"} & set(first)
        # Which limit the cards are held at is best left to the end.
        own = [culprit.role] if culprit.role in first else []
        tried = [r for r in first if r != culprit.role] + ([*own, *last] if decided else [])
        for role in tried:
            lifted = {**culprit.machine, role: whole[role]}
            if self.law.verdict(rule, lifted) not in self.bad and self._helps(box, culprit, role):
                return role
        # No one role is to blame alone: all that it is about are, one after another.
        return next(iter([*first, *last]), culprit.role)

    def _differs(self, box: Box, role: str, asked: Asked) -> bool:
        """Do the options of an open role differ in what a rule reads?"""
        hull = box.left[role].domain.hull
        return any(hull.is_open(name) for name in asked.fields(role))

    def _helps(self, box: Box, culprit: Culprit, role: str) -> bool:
        """Does the rule let the machine pass with another option of a role? A few are tried."""
        domain, at = box.left[role]
        step = max(1, (len(domain.options) - at - 1) // SAMPLES)
        return any(
            self.law.verdict(culprit.rule, {**culprit.machine, role: option}) not in self.bad
            for option in domain.options[at + step :: step]
            if culprit.rule
        )

    def _keep_rest(self, box: Box, whole: Machine) -> None:
        """What a box holds beside its best machine, as boxes."""
        filled = box.filled
        left = dict(box.left)
        for role in [r for r in self.roles if r in left]:
            mine = left.pop(role)
            options = mine.domain.options
            place = options.index(whole[role], mine.at)
            for part in ((mine.at, place), (place + 1, len(options))):
                if part[0] < part[1]:
                    domain = mine.domain
                    if part[1] < len(options):
                        domain = Domain(role, options[: part[1]], domain.whole[: part[1]])
                    self._put(Box(filled, {**left, role: Left(domain, part[0])}))
            filled = {**filled, role: whole[role]}


def size(box: Box, without: str = "") -> int:
    """How many machines a box holds, one role left out."""
    number = prod(o.weight for o in box.filled.values())
    return number * prod(left.size for r, left in box.left.items() if r != without)


def _height(values: list[Any]) -> float | None:
    """What a field of an option comes to; None where that is no number, or not known."""
    if not values or not all(isinstance(v, Interval) for v in values):
        return None
    return float(sum(v.high for v in values))


def _draws_no_more(one: Option, other: Option, names: list[str]) -> bool:
    """Does an option draw at most what another does, whatever the two draw?"""
    for name in names:
        if one.cell(name) == other.cell(name):
            continue
        for a, b in zip(one.values(name), other.values(name), strict=True):
            if a is None or b is None or a.low > b.low or a.high > b.high:
                return False
    return True


def _fields(rules: list[Asked], role: str) -> list[str]:
    return sorted(frozenset().union(*(a.fields(role) for a in rules)))


def _groups(lists: dict[str, list[Option]]) -> dict[tuple[str, int], Hull]:
    """The options of each list in groups of alike ones; each option is told its own.

    Alike are the same parts in other settings, else those of about one size.
    """
    found: dict[tuple[str, int], Hull] = {}
    for role, options in lists.items():
        for number, group in enumerate(_of_kin(options) or _of_size(options), 1):
            for option in group:
                option.bin = number
            found[role, number] = Hull(role, group)
    return found


def _of_kin(options: list[Option]) -> list[list[Option]]:
    """The options by their parts; nothing if no two are of the same."""
    rows: dict[object, list[Option]] = {}
    for option in options:
        rows.setdefault(option.parts, []).append(option)
    return list(rows.values()) if len(rows) < len(options) else []


def _of_size(options: list[Option]) -> list[list[Option]]:
    """The options by their size, as far as that is known."""
    sized = [(size, o) for o in options if (size := o.size) is not None]
    sized.sort(key=lambda row: row[0])
    width = max(1, -(-len(sized) // GROUPS))
    return [[o for _, o in sized[n : n + width]] for n in range(0, len(sized), width)]


def _chain(role: str) -> list[str]:
    """A role and those that lead to it."""
    return [role, *_chain(LED[role])] if role in LED else [role]


def _sum(costs: list[Cost]) -> Cost:
    return tuple(map(sum, zip(*costs, strict=True)))
