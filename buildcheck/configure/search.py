"""Best first over boxes of machines: the cheapest that the law lets pass, and the proof of it.

A box is some roles filled and, for each of the others, the options from a place in its list on;
lists run from the best to the worst. A box can cost no less than what is filled and the first
option of every other list. The law is asked whether each first option can stand with what is
filled, the roles still open being hulls; one that cannot is struck off the list, and the box
with it shrinks. Where the first options of all lists pass together, they are the best machine of
the box; where they do not, the box is split at one of the roles that the failing rule is about.
Boxes never overlap and nothing is dropped uncounted, so that in the end every machine there
is has been excluded by a rule, or is known to be no better than those that were found.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from dataclasses import dataclass, field
from itertools import count as counting
from math import prod
from typing import TYPE_CHECKING

from buildcheck.configure.answer import Proof
from buildcheck.configure.classes import CENTS, ROLES
from buildcheck.configure.law import FAIL, UNKNOWN
from buildcheck.configure.space import Hull

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from buildcheck.configure.law import Asked, Law
    from buildcheck.configure.space import Cost, Option


@dataclass
class Box:
    """Machines: some roles filled, and where the lists of the others begin.

    `sure` are the open roles whose first option was found to stand with what was filled before
    the role `fresh` was.
    """

    filled: dict[str, Option]
    first: dict[str, int]
    sure: set[str] = field(default_factory=set)
    fresh: str = ""
    woken: int = 0
    dead: dict[tuple[str, int], Asked] = field(default_factory=dict)


@dataclass
class Tally:
    """What became of every machine of a search.

    `worse` are those left when it ended, none of which is better than what was found.
    """

    machines: int = 0
    excluded: Counter[str] = field(default_factory=Counter)
    found: int = 0
    like: int = 0
    worse: int = 0
    bound: Cost = ()
    boxes: int = 0
    judged: int = 0
    complete: bool = False


import os
DEBUG=bool(os.environ.get('DBG'))
WR=Counter()
#: So often a rule is asked in vain about a role, while the same roles are open, before it is left
#: alone until those are filled.
MOST_VAIN = 12
#: The place of money in what an option costs, from the end: its order among equals is last.
PRICE = -2
#: Groups into which a list is cut by size.
GROUPS = 16
#: A role without which another cannot be chosen: what the cheapest for it costs counts with it.
LEADS = {"motherboard": ("cpu", "memory"), "cpu": ("cpu_cooler",)}
LED = {role: lead for lead, roles in LEADS.items() for role in roles}


class Search:
    """The machines of a product of lists, the best that pass first."""

    def __init__(
        self,
        law: Law,
        lists: dict[str, list[Option]],
        *,
        strict: bool = True,
        most: int | None = None,
        stop: Callable[[], bool] | None = None,
        apart: Callable[[dict[str, Option]], object] | None = None,
    ) -> None:
        self.law, self.lists = law, lists
        self.bad = (FAIL, UNKNOWN) if strict else (FAIL,)
        self.most, self.stop, self.apart = most, stop, apart
        self.stopped = False
        self.shown: set[object] = set()
        self.roles = [r for r in ROLES if r in lists]
        self.whole: dict[str, list[Cost]] = {}
        self.awake: set[str] = set()
        self.woken = 0
        self.used: dict[tuple[str, str, frozenset[str]], list[int]] = {}
        self.hulls = {r: Hull(r, lists[r], f"any of {r}") for r in self.roles}
        self.tally = Tally(machines=prod(self._size(r, 0) for r in self.roles))
        self._heap: list[tuple[Cost, int, Box]] = []
        self._number = counting()

    # Sizes

    def _size(self, role: str, first: int) -> int:
        """How many machines' worth of parts a list holds from a place on."""
        sizes = self.__dict__.setdefault("_sizes", {})
        if role not in sizes:
            found = [0]
            for option in reversed(self.lists[role]):
                found.append(found[-1] + option.members)
            sizes[role] = found[::-1]
        return sizes[role][first]

    def size(self, box: Box, without: str = "") -> int:
        """How many machines a box holds, one role left out."""
        number = prod(o.members for r, o in box.filled.items() if r != without)
        return number * prod(self._size(r, at) for r, at in box.first.items() if r != without)

    def _cost(self, box: Box) -> Cost:
        """No machine of a box costs less."""
        parts = [o.cost for o in box.filled.values()]
        for role, at in box.first.items():
            if LED.get(role) not in box.first:
                parts.append(self.whole[role][at])
        return tuple(map(sum, zip(*parts, strict=True)))

    def _order(self) -> None:
        """Sort each list by what its options cost with the cheapest of what each leads to."""
        for role in sorted(self.roles, key=lambda r: -len(_chain(r))):
            led = [r for r in LEADS.get(role, ()) if r in self.lists]
            known: dict[tuple[object, ...], Cost] = {}
            rows = []
            for option in self.lists[role]:
                costs = [option.cost]
                costs += [self._least(role, option, other, known) for other in led]
                rows.append((_sum(costs), option))
            rows.sort(key=lambda row: row[0])
            self.lists[role] = [option for _, option in rows]
            self.whole[role] = [cost for cost, _ in rows]

    def _least(
        self, role: str, option: Option, other: str, known: dict[tuple[object, ...], Cost]
    ) -> Cost:
        """What the cheapest option of another role costs that matches one."""
        rules = [a for a in self.law.asked if a.scope == {role, other}]
        fields = frozenset().union(*(a.fields(role) for a in rules))
        key = (other, *(option.cell(n) for n in sorted(fields)))
        if key in known:
            return known[key]
        box = Box({role: option}, {})
        costs = zip(self.whole[other], self.lists[other], strict=True)
        found = next((c for c, o in costs if not self._breaks(box, other, o, rules)), None)
        if frozenset().union(*(a.fields(role) for a in rules)) != fields:
            # More was read than before: what looked equal may not be.
            known.clear()
        known[key] = found or tuple(math.inf for _ in option.cost)
        return known[key]

    # The search

    def solutions(self) -> Iterator[dict[str, Option]]:
        """Machines that pass, the best first; `tally` is exact whenever one is given."""
        self._learn()
        self._order()
        self.__dict__.pop("_sizes")
        self.hulls = {r: Hull(r, self.lists[r], f"any of {r}") for r in self.roles}
        self.groups = groups(self.lists)
        self.groups_tried = 0
        self._put(Box({}, dict.fromkeys(self.roles, 0)))
        while self._heap:
            cost, _, box = self._heap[0]
            self.tally.bound = cost
            if self.stop and self.stop():
                self.stopped = True
                self._close()
                return
            heapq.heappop(self._heap)
            self.tally.boxes += 1
            if DEBUG and self.tally.boxes % 500 == 0:
                print(self.tally.boxes, self.law.judged, cost, {r: (box.filled[r].units[0].sort.part, box.filled[r].order) for r in box.filled if box.filled[r].units}, box.first, WR.most_common(6), flush=True)
            if not self._shrink(box):
                continue
            now = self._cost(box)
            if self._beyond(now):
                self.tally.excluded["budget"] += self.size(box)
                continue
            if now > cost and self._heap and now > self._heap[0][0]:
                heapq.heappush(self._heap, (now, next(self._number), box))
                continue
            whole = self._whole(box)
            woken = self.woken
            wrong = self._wrong(box, whole)
            if self.woken > woken:
                # A rule that is asked for the first time may strike off more.
                box.sure = set()
                heapq.heappush(self._heap, (now, next(self._number), box))
            elif wrong is None:
                self._keep_rest(box, whole)
                number = prod(o.members for o in whole.values())
                like = self.apart(whole) if self.apart else None
                if like is not None and like in self.shown:
                    self.tally.like += number
                    continue
                self.shown.add(like)
                self.tally.found += number
                self._close()
                yield whole
            else:
                WR[wrong.rule.id]+=1
                self._split(box, wrong)
        self._close()
        self.tally.complete = True

    def _close(self) -> None:
        self.tally.worse = sum(self.size(box) for _, _, box in self._heap)
        self.tally.judged = self.law.judged
        self.tally.complete = True
        if self._heap:
            self.tally.bound = self._heap[0][0]

    def proof(self) -> Proof:
        """What is proven so far."""
        tally = self.tally
        cents = tally.bound[PRICE] if tally.bound else 0
        return Proof(
            candidates=tally.machines,
            excluded_by=dict(tally.excluded.most_common()),
            not_better=tally.worse + tally.like,
            found=tally.found,
            optimal=not self.stopped,
            bound=cents / CENTS if cents < math.inf else None,
        )

    def _beyond(self, cost: Cost) -> bool:
        return self.most is not None and cost[PRICE] > self.most

    def _put(self, box: Box) -> None:
        if all(self._size(r, at) for r, at in box.first.items()):
            heapq.heappush(self._heap, (self._cost(box), next(self._number), box))

    def _learn(self) -> None:
        """Ask every rule once, so that it is known which roles each is about."""
        if all(self.lists[r] for r in self.roles):
            whole = {r: self.lists[r][0] for r in self.roles}
            for asked in self.law.asked:
                self.law.verdict(asked, whole)

    def _machine(self, box: Box, role: str, option: Option) -> dict[str, Option | Hull]:
        filled = box.filled
        return {
            r: option if r == role else filled.get(r) or self.hulls[r] for r in self.roles
        }

    def _shrink(self, box: Box) -> bool:
        """Strike off first options that cannot stand with what is filled; is anything left?"""
        if box.woken != self.woken:
            box.sure, box.woken = set(), self.woken
        for role in self.roles:
            if role in box.filled:
                continue
            options, rules = self.lists[role], self._rules(box, role)
            if role in box.sure:
                rules = [a for a in rules if box.fresh in a.scope]
            while True:
                if box.first[role] >= len(options):
                    return False
                option = options[box.first[role]]
                broken = box.dead.get((role, option.bin)) or self._breaks(box, role, option, rules)
                if broken is None:
                    break
                self._bury(box, role, option.bin, broken)
                self.tally.excluded[broken.rule.id] += option.members * self.size(box, role)
                box.first[role] += 1
                if role in box.sure:
                    box.sure.discard(role)
                    rules = self._rules(box, role)
        box.sure, box.fresh = set(box.first), ""
        return True

    def _bury(self, box: Box, role: str, bin_: int, broken: Asked) -> None:
        """Where a rule strikes off an option, see whether it does so to all of about its size."""
        group = self.groups.get((role, bin_))
        if group is None or broken.is_local or (role, bin_) in box.dead:
            return
        if self.law.verdict(broken, self._machine(box, role, group)) in self.bad:
            box.dead = {**box.dead, (role, bin_): broken}
            return
        self.groups_tried += 1

    def _rules(self, box: Box, role: str) -> list[Asked]:
        """The rules to ask about the first option of a role, those that fail most often first.

        A rule about many roles is left alone until it has failed a machine.
        """
        found = [
            a
            for a in self.law.asked
            if role in a.scope and (a.is_local or (a.rule.id in self.awake and self._tells(box, role, a)))
        ]
        found.sort(key=lambda a: -a.failed)
        return found

    def _tells(self, box: Box, role: str, asked: Asked) -> bool:
        """May a rule say something of a role while others that it is about are open?"""
        tried, failed = self._use(box, role, asked)
        return failed > 0 or tried < MOST_VAIN

    def _use(self, box: Box, role: str, asked: Asked) -> list[int]:
        open_ = frozenset(r for r in asked.scope if r in box.first)
        return self.used.setdefault((asked.rule.id, role, open_), [0, 0])

    def _breaks(self, box: Box, role: str, option: Option, rules: list[Asked]) -> Asked | None:
        """The rule by which an option cannot stand with what is filled."""
        machine = self._machine(box, role, option)
        for asked in rules:
            bad = self.law.verdict(asked, machine) in self.bad
            if not asked.is_local:
                use = self._use(box, role, asked)
                use[0] += 1
                use[1] += bad
            if bad:
                return asked
        return None

    def _whole(self, box: Box) -> dict[str, Option]:
        return {
            r: box.filled[r] if r in box.filled else self.lists[r][box.first[r]]
            for r in self.roles
        }

    def _wrong(self, box: Box, whole: dict[str, Option]) -> Asked | None:
        """The rule a machine breaks that is about fewest of the open roles; all are woken."""
        broken = [a for a in self.law.asked if self.law.verdict(a, whole) in self.bad]
        new = {a.rule.id for a in broken} - self.awake
        self.awake |= new
        self.woken += bool(new)
        return min(broken, key=lambda a: sum(r in box.first for r in a.scope), default=None)

    def _split(self, box: Box, wrong: Asked) -> None:
        """The first option of one role, and all but it."""
        scope = [r for r in self.roles if r in box.first and r in wrong.scope]
        if not scope:
            self.tally.excluded[wrong.rule.id] += self.size(box)
            return
        role = scope[0]
        at = box.first[role]
        rest = {r: n for r, n in box.first.items() if r != role}
        self._put(
            Box({**box.filled, role: self.lists[role][at]}, rest, set(rest), role, box.woken, box.dead)
        )
        self._put(Box(box.filled, {**box.first, role: at + 1}, set(rest), "", box.woken, box.dead))

    def _keep_rest(self, box: Box, whole: dict[str, Option]) -> None:
        """What a box holds beside its best machine, as boxes."""
        filled = dict(box.filled)
        first = dict(box.first)
        for role in list(first):
            at = first.pop(role)
            self._put(Box(dict(filled), {**first, role: at + 1}))
            filled[role] = whole[role]


def groups(lists: dict[str, list[Option]]) -> dict[tuple[str, int], Hull]:
    """The options of each list in groups of about one size; each option is told its own."""
    found: dict[tuple[str, int], Hull] = {}
    for role, options in lists.items():
        sized = [(size, o) for o in options if (size := o.size) is not None]
        sized.sort(key=lambda row: row[0])
        width = max(1, -(-len(sized) // GROUPS))
        for number in range(0, len(sized), width):
            group = [o for _, o in sized[number : number + width]]
            bin_ = number // width + 1
            for option in group:
                option.bin = bin_
            found[role, bin_] = Hull(role, group, f"{role} of size {bin_}")
    return found


def _chain(role: str) -> list[str]:
    """A role and those that lead to it."""
    return [role, *_chain(LED[role])] if role in LED else [role]


def _sum(costs: list[Cost]) -> Cost:
    return tuple(map(sum, zip(*costs, strict=True)))
