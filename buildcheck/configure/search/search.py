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
from itertools import count as counting
from math import prod
from typing import TYPE_CHECKING

from buildcheck.configure.proof import Proof
from buildcheck.configure.search.asking import RuleOrder
from buildcheck.configure.search.boxes import (
    LEADS,
    LED,
    Box,
    BoxPart,
    Domain,
    Left,
    Tally,
    added,
    machine_of,
    size,
)
from buildcheck.configure.search.classes import CENTS, FINE, ROLES
from buildcheck.configure.search.costs import PRICE, Costs
from buildcheck.configure.search.listing import domains_of, known_enough
from buildcheck.configure.search.shrinking import Shrinking
from buildcheck.configure.search.some import some
from buildcheck.configure.search.splitting import Culprit, Splitting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from buildcheck.configure.search.boxes import Filled, Machine, PartialMachine
    from buildcheck.configure.search.law import Law
    from buildcheck.configure.search.space import Cost, Option

#: The role of which `beaten` is asked.
CARDS = "gpus"


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
        apart: Callable[[Option], object] = id,
        beaten: Callable[[Option], bool] | None = None,
        dominance: bool = True,
        reads: Mapping[str, frozenset[str]] | None = None,
    ) -> None:
        """Of machines whose options are all equal in `apart` the best alone is given.

        `beaten` says of cards that no machine with them is wanted; each machine that is given may
        beat more of them.
        `reads` is what rules are known to read of each role before they are asked.
        """
        self.law, self.strict, self.most = law, strict, most
        self.lists = {r: lists[r] for r in ROLES if r in lists}
        self.roles = list(self.lists)
        self.stop, self.apart, self.beaten, self.dominance = stop, apart, beaten, dominance
        self.asking = RuleOrder(law, strict=strict)
        self.tally = Tally(
            machines=prod(sum(o.members for o in options) for options in lists.values())
        )
        self.stopped = False
        self._learned, self._reads = reads or {}, dict[str, frozenset[str]]()
        self._shown: set[object] = set()
        self._likes: dict[int, set[object]] = {}
        self._heap: list[tuple[Cost, int, int, Box]] = []
        self._number = counting()
        self._given = 0
        self._unbeaten: dict[tuple[int, int], BoxPart] = {}

    def proof(self) -> Proof:
        """What is proven so far."""
        tally = self.tally
        bound = tally.bound[0] if tally.bound else 0
        unit = CENTS if len(tally.bound) == -PRICE else FINE
        return Proof(
            candidates=tally.machines,
            excluded_by=dict(tally.excluded.most_common()),
            unknown_by=dict(tally.unknown.most_common()),
            not_better=tally.worse + tally.like,
            equivalent=tally.found,
            complete=not self.stopped,
            bound=bound / unit if abs(bound) < math.inf else None,
            min_price=tally.needs / CENTS if tally.needs < math.inf else None,
        )

    def left(self, role: str) -> int:
        """How many parts of a role are in a box that is still to be looked at."""
        found: dict[int, int] = {}
        seen: set[tuple[int, int]] = set()
        for *_, box in self._heap:
            if role in box.filled:
                found[box.filled[role].serial] = box.filled[role].members
                continue
            domain, at = box.left[role]
            if (id(domain), at) not in seen:
                seen.add((id(domain), at))
                found |= {o.serial: o.members for o in domain.options[at:]}
        return sum(found.values())

    # The search

    def solutions(self) -> Iterator[Machine]:
        """Machines that pass, the best first; `tally` is exact whenever one is given."""
        if not all(self.lists.values()):
            return
        self._learn()
        given: set[tuple[int, ...]] = set()
        while True:
            again = False
            for machine in self._run():
                if self._has_grown():
                    again = True
                    break
                which = tuple(option.serial for option in machine.values())
                if which not in given:
                    given.add(which)
                    yield machine
            if self.stopped or not (again or self._has_grown()):
                return

    def demand(self, warned: str = "") -> None:
        """Give none from here on that any rule warns of.

        `warned` is a rule that warns of what was given last, the first that was.
        """
        self.law.demand(careful=True)
        if warned:
            self.tally.exclude(warned, self.tally.found + self.tally.like, waits=False)
            self.tally.found = self.tally.like = 0
            self._shown = set()
        for *_, box in self._heap:
            box.sure = set()
        self.costs.forget()
        self.asking.forget()
        self._learn()

    def _learn(self) -> None:
        """Ask every rule once, so that it is known which roles each is about."""
        whole: Filled = {r: options[0] for r, options in self.lists.items()}
        for asked in self.law.asked:
            self.law.verdict(asked, whole)

    def _has_grown(self) -> bool:
        """Has a rule read more of a part than when options were taken to be alike?"""
        return any(self._read_of(role) - known for role, known in self._reads.items())

    def _read_of(self, role: str) -> frozenset[str]:
        return self.law.reads(role) | self._learned.get(role, frozenset())

    def _begin(self) -> bool:
        """Begin with what is known to be read by now; are there any machines?"""
        self.tally = Tally(machines=self.tally.machines)
        self._shown, self._heap = set(), []
        self.asking.forget()
        for options in self.lists.values():
            for option in options:
                option.weight = option.members
        lists = self.lists
        if self.strict:
            lists = known_enough(self.law, lists, self.tally)
            if not all(lists.values()):
                return False
        self._reads = {r: self._read_of(r) for r in self.roles} if self.dominance else {}
        self.costs = Costs(self.asking, lists)
        found = domains_of(self.costs, lists, self._reads or None, capped=self.most is not None)
        domains = {r: found[r] for r in self.roles}
        short = {r: domain.options for r, domain in domains.items()}
        self.shrinking = Shrinking(self.asking, self.costs, short, self.tally)
        self.splitting = Splitting(self.asking, self.costs, self.roles)
        self._put(Box({}, {r: Left(domains[r], 0) for r in self.roles}))
        return True

    def _run(self) -> Iterator[Machine]:
        """The search once, with what is known to be read when it begins."""
        if not self._begin():
            return
        while self._heap:
            cost, *_ = self._heap[0]
            self.tally.bound = cost
            if self.stop and self.stop():
                self.stopped = True
                break
            *_, box = heapq.heappop(self._heap)
            self.tally.boxes += 1
            if self._shown and self._is_shown(box):
                self.tally.like += size(box)
                continue
            if self.beaten and self._given:
                left = self._wanted(box, self.beaten)
                self.tally.like += size(box) - (size(left) if left else 0)
                if left is None:
                    continue
                box = left
            if not self.shrinking.shrink(box):
                continue
            now = self.costs.bound(box)
            if self.most is not None and self.costs.least_price(box, now) > self.most:
                self.tally.exclude("budget", size(box), waits=False)
                self.tally.needs = min(self.tally.needs, self.costs.least_price(box, now))
            elif now > cost:
                self._put(box)
            else:
                yield from self._look(box, now)
        self._close()

    def _look(self, box: Box, bound: Cost) -> Iterator[Machine]:
        """The best machine of a box if it costs no more than it must; else the box is split."""
        found = self._dive(box)
        if isinstance(found, dict) and added([o.cost for o in found.values()]) > bound:
            lead = next((r for r in self.roles if r in LEADS and r in box.left), "")
            if lead:
                found = Culprit(lead, None, found)
        if found is None:
            self._put(box)
        elif isinstance(found, Culprit):
            if found.rule and self.asking.refuses(found.rule, machine_of(box)):
                self._exclude(box, found)
            elif self.splitting.lift(box, found, bound):
                self._put(box)
            else:
                self._cut(box, found)
        else:
            self._keep_rest(box, found)
            self.tally.bound = bound
            if self.most is not None and sum(o.price for o in found.values()) > self.most:
                self.tally.exclude("budget", prod(o.weight for o in found.values()), waits=False)
                price = float(sum(o.price for o in found.values()))
                self.tally.needs = min(self.tally.needs, price)
                return
            number = prod(o.members for o in found.values())
            self.tally.like += prod(o.weight for o in found.values()) - number
            like = tuple(self.apart(found[r]) for r in self.roles)
            if like in self._shown:
                self.tally.like += number
                return
            self._shown.add(like)
            self.tally.found += number
            self._close()
            yield found
            self._given += 1

    def _is_shown(self, box: Box) -> bool:
        """Is every machine of a box like one that was given?"""
        likes = []
        for role in self.roles:
            if role in box.filled:
                likes.append({self.apart(box.filled[role])})
                continue
            domain = box.left[role].domain
            if domain.hull.serial not in self._likes:
                self._likes[domain.hull.serial] = set(map(self.apart, domain.options))
            likes.append(self._likes[domain.hull.serial])
        return all(len(found) == 1 for found in likes) and (
            tuple(next(iter(found)) for found in likes) in self._shown
        )

    def _wanted(self, box: Box, beaten: Callable[[Option], bool]) -> Box | None:
        """A box without the cards that are beaten by now; None if they all are."""
        if CARDS in box.filled:
            return None if beaten(box.filled[CARDS]) else box
        domain, at = box.left[CARDS]
        key = (domain.hull.serial, self._given)
        if key not in self._unbeaten:
            places = [p for p, option in enumerate(domain.options) if not beaten(option)]
            full = len(places) == len(domain.options)
            self._unbeaten[key] = BoxPart(domain if full else domain.part(places), places)
        part = self._unbeaten[key]
        if part.domain is domain:
            return box
        at = bisect_left(part.places, at)
        return box.narrowed(CARDS, Left(part.domain, at)) if at < len(part.places) else None

    def _cut(self, box: Box, culprit: Culprit) -> None:
        """Put the parts of a box in its place."""
        if culprit.rule is not None:
            less = self.shrinking.support(box, culprit.rule, culprit.machine)
            if less is not None:
                self._put(less)
                return
        parts = self.splitting.split(box, culprit)
        if not parts:
            self._exclude(box, culprit)
        for part in parts:
            self._put(part)

    def _exclude(self, box: Box, culprit: Culprit) -> None:
        """Count all machines of a box as excluded by a rule."""
        rule = culprit.rule
        waits = rule is not None and self.asking.waits(rule, culprit.machine)
        self.tally.exclude(rule.rule.id if rule else "", size(box), waits=waits)

    def _close(self) -> None:
        self.tally.worse = sum(size(box) for *_, box in self._heap)

    def _put(self, box: Box) -> None:
        if all(left.size for left in box.left.values()):
            row = (self.costs.bound(box), -len(box.filled), next(self._number), box)
            heapq.heappush(self._heap, row)

    def _dive(self, box: Box) -> Machine | Culprit | None:
        """Fill the roles one after another; what was in the way where that costs more.

        None if a rule was woken, so that the box is to be looked at anew.
        """
        machine = machine_of(box)
        chosen = dict(box.filled)
        for role in self.roles:
            if role in chosen:
                continue
            found = self._next(box, role, machine, chosen)
            if isinstance(found, Culprit):
                return found
            chosen[role] = machine[role] = found
        chosen = {r: chosen[r] for r in self.roles}
        broken = [a for a in self.law.asked if self.asking.refuses(a, chosen)]
        if self.asking.wake(broken):
            return None
        if broken:
            least = min(broken, key=lambda a: sum(r in box.left for r in a.scope))
            role = next((r for r in reversed(self.roles) if r in box.left and r in least.scope), "")
            return Culprit(role, least, chosen)
        return chosen

    def _next(
        self, box: Box, role: str, machine: PartialMachine, chosen: Machine
    ) -> Option | Culprit:
        """The first option of a role that stands with what is chosen and costs what it must."""
        domain, at = box.left[role]
        lead = LED.get(role, "")
        if lead in box.left:
            most = self.costs.least(lead, chosen[lead], domain, at)
            places = [p for p in range(at, len(domain.options)) if domain.whole[p] <= most]
        else:
            places = self.costs.cheapest(box, role)[1]
        rules = self.asking.rules(role)
        culprit: Culprit | None = None
        hull = machine[role]
        for place in places:
            option = domain.options[place]
            machine[role] = option
            broken = next((a for a in rules if self.asking.refuses(a, machine)), None)
            if broken is None:
                return option
            culprit = Culprit(role, broken, dict(machine))  # type: ignore[arg-type]
        machine[role] = hull
        return culprit or Culprit(lead, None, chosen)

    def _keep_rest(self, box: Box, whole: Machine) -> None:
        """Boxes of all machines of a box except its best."""
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

    def some(self) -> Machine | None:
        """Some machine that passes of those that a stopped search has left, not the best."""
        boxes = [box for *_, box in sorted(self._heap)]
        return some(boxes, self.roles, self.shrinking, self.most)
