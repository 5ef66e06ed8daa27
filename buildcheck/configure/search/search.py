"""Best first over what no conflict forbids: the cheapest machine that passes, and the proof of it.

A node is a set of options for each role; no machine of it costs less than the best options of all
roles together. Where all roles but one are inside a conflict, that one leaves it. If the machine of
the best options is in a conflict still, the node is split along it; if in none, the law is
asked about that machine, and what refuses it is learned as new conflicts.

Nodes never overlap and nothing is dropped uncounted, so that in the end every machine there
is has been excluded by a rule, or is known to be no better than those that were found.
"""

import copy
import heapq
import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from functools import reduce
from itertools import chain
from itertools import count as counting
from operator import or_
from typing import Any, NamedTuple

from buildcheck.configure.answer import Proof
from buildcheck.configure.search.classes import CENTS, FINE
from buildcheck.configure.search.columns import set_of
from buildcheck.configure.search.conflicts import BUDGET, GIVEN, Conflict, Sets, Store
from buildcheck.configure.search.law import Law
from buildcheck.configure.search.space import PRICE, Cost, Option
from buildcheck.configure.stopping import Stop, never
from buildcheck.model.graph import by_key

Machine = dict[str, Option]

#: The role of which `cap` is asked.
CARDS = "gpus"
#: Nodes looked at for some machine that passes.
SOME = 2000


class Cap(NamedTuple):
    """What cards are worth, and the most that a machine with cards of some worth may cost."""

    worth: Callable[[Option], Hashable]
    most: Callable[[Hashable], float]


class Node(NamedTuple):
    """Machines: what is left of each role, and the conflicts that some of them are in.

    `seen` is how many of all conflicts were looked at for that.
    """

    sets: Sets
    live: list[Conflict]
    seen: int


class Search:
    """The machines of a product of lists, the best that pass first."""

    def __init__(  # noqa: PLR0913 - what is searched, and how
        self,
        store: Store,
        law: Law,
        *,
        only: Sets | None = None,
        most: int | None = None,
        stop: Stop = never,
        nodes: float = math.inf,
        apart: Callable[[Option], object] = id,
        cap: Cap | None = None,
    ) -> None:
        """Of machines whose options are all equal in `apart` the best alone is given.

        It is ended when `stop` says so, or after a number of `nodes`.

        `only` are the options of some roles that are wanted, of all if not given. Each
        machine that is given may lower the `cap`.
        """
        self.store, self.law, self.domains = store, law, store.domains
        self.most, self.stop, self.most_nodes = most, stop, nodes
        self.apart, self.cap = apart, cap
        #: The cards of each worth.
        self.worths: dict[Hashable, int] = {}
        if cap:
            cards = self.domains[CARDS].options
            worths = by_key((cap.worth(option), n) for n, option in enumerate(cards))
            self.worths = {worth: set_of(places) for worth, places in worths.items()}
        self.start = {r: d.full for r, d in self.domains.items()} | (only or {})
        self.machines = self.store.size(self.start)
        self.stopped, self.conflicts = False, list[Conflict]()
        #: Equal for searches that give the same.
        wanted = [*map(hex, (only or {}).values())]
        self.name = f"{law.taken} {most} {wanted} {apart.__name__} {cap is not None}"
        self._heap, self._number = list[tuple[Cost, int, Node]](), counting()
        self._count({}, {}, 0, 0, 0, 0, math.inf, ())

    def _count(self, *counts: Any) -> None:
        """Take over the counts of a search that was made."""
        #: Machines by the rule that excludes them, and those of them that wait for data.
        self.excluded, self.unknown = Counter[str](counts[0]), Counter[str](counts[1])
        #: Those found, those like them, and those left that are no better than the last found.
        self.found, self.like, self.worse, self.nodes, self.needs, self.bound = counts[2:]

    def proof(self) -> Proof:
        """What is proven so far."""
        bound = self.bound[0] if self.bound else 0
        unit = CENTS if len(self.bound) == -PRICE else FINE
        return Proof(
            candidates=self.machines,
            excluded_by=dict(self.excluded.most_common()),
            unknown_by=dict(self.unknown.most_common()),
            not_better=self.worse + self.like,
            equivalent=self.found,
            complete=not self.stopped,
            bound=bound / unit if abs(bound) < math.inf else None,
            min_price=self.needs / CENTS if self.needs < math.inf else None,
        )

    def left(self, role: str) -> int:
        """How many parts of a role are in a node that is still to be looked at."""
        found = reduce(or_, (node.sets[role] for *_, node in self._heap), 0)
        return self.domains[role].size(found)

    # The search

    def solutions(self) -> Iterator[Machine]:
        """Machines that pass, the best first; the counts are exact whenever one is given."""
        if not all(self.start.values()):
            return
        walk = self.store.walks.setdefault(self.name, [])
        # What a cap lets pass depends on all that was given.
        kept = walk if not self.cap or (walk and not walk[-1][0]) else []
        for row in (again := [*kept]):
            self.stopped = self.stop()
            if not self.stopped:
                self._count(*row[1:])
            if self.stopped or not row[0]:
                return
            yield {r: self.domains[r].options[place] for r, place in row[0].items()}
        self._count({}, {}, 0, 0, 0, 0, math.inf, ())
        for number, found in enumerate(chain(self._walk(), [{}])):
            if number >= len(again) and not (self.stopped and not found):
                places = {r: self.domains[r].options.index(o) for r, o in found.items()}
                counts = (self.found, self.like, self.worse, self.nodes, self.needs, self.bound)
                walk[number:] = [[places, dict(self.excluded), dict(self.unknown), *counts]]
                if found:
                    yield found

    def _walk(self) -> Iterator[Machine]:
        """Machines that pass, found anew."""
        self.conflicts = self.store.holding(self.law)
        self._put(Node(self.start, [], 0))
        while self._heap:
            cost, _, node = self._heap[0]
            self.bound = cost
            if self.nodes >= self.most_nodes or self.stop():
                self.stopped = True
                break
            heapq.heappop(self._heap)
            if found := self.look(node, cost, self._put):
                self._close()
                yield found
                self._give(found)
        self._close()

    def look(self, node: Node, cost: Cost, put: Callable[[Node], None]) -> Machine | None:
        """The best machine of a node if it is known to pass; what else is in it is put back."""
        self.nodes += 1
        left = self._propagated(node)
        if left is None:
            return None
        if self._bound(left) > cost:
            put(left)
            return None
        point = {role: m & -m for role, m in left.sets.items()}
        around = [c for c in left.live if all(m & point[r] for r, m in c.sets)]
        if around:
            self._split(left, min(around, key=lambda c: len(c.sets)), put)
            return None
        if self._refusing(point, left.sets):
            put(left)
            return None
        machine = {role: self.domains[role].first(m) for role, m in point.items()}
        number = self.store.size(point)
        self._split(left, Conflict(GIVEN, tuple(point.items())), put)
        self.like -= number
        self.found += number
        return machine

    def _refusing(self, point: Sets, sets: Sets) -> bool:
        """Learn what refuses a machine; does anything?"""
        learned = self.store.refusing(self.law, point, sets)
        price = sum(self.domains[r].first(m).price for r, m in point.items())
        if not learned and self.most is not None and price > self.most:
            self.needs = min(self.needs, price)
            learned = [self.store.over_budget(point, price - self.most)]
        if not learned and self.cap:
            most = self.cap.most(self.cap.worth(self.domains[CARDS].first(point[CARDS])))
            if price > most:
                alike = self._capped(most)
                found = dict(self.store.over_budget(point, price - int(most)).sets)
                found[CARDS] = found.get(CARDS, alike) & alike
                learned = [Conflict(GIVEN, tuple(found.items()))]
        self.conflicts += learned
        return bool(learned)

    def _capped(self, most: float) -> int:
        """The cards with which no machine may cost more than this."""
        cap = self.cap
        return reduce(or_, (m for w, m in self.worths.items() if cap and cap.most(w) <= most), 0)

    def _propagated(self, node: Node) -> Node | None:
        """A node without the machines that one role alone keeps out of a conflict, or all of them.

        This is unit propagation, counted. None if nothing is left.
        """
        sets, live = dict(node.sets), [*node.live, *self.conflicts[node.seen :]]
        changed = True
        while changed:
            changed, kept = False, []
            for conflict in live:
                outside = []
                for role, m in conflict.sets:
                    mine = sets[role]
                    if not mine & m:
                        break
                    if mine & ~m:
                        outside.append((role, m))
                else:
                    if len(outside) > 1:
                        kept.append(conflict)
                        continue
                    inside = {**sets, **{role: sets[role] & m for role, m in outside}}
                    self._exclude(conflict, inside)
                    if not outside:
                        return None
                    role, m = outside[0]
                    sets[role] &= ~m
                    changed = True
            live = kept
        return Node(sets, live, len(self.conflicts))

    def _split(self, node: Node, conflict: Conflict, put: Callable[[Node], None]) -> None:
        """Put what is outside a conflict back: in one role, or inside in that and in the next."""
        inside = dict(node.sets)
        shares = {r: (m & inside[r]).bit_count() / inside[r].bit_count() for r, m in conflict.sets}
        for role, m in sorted(conflict.sets, key=lambda row: -shares[row[0]]):
            if out := inside[role] & ~m:
                put(node._replace(sets={**inside, role: out}))
            inside[role] &= m
        self._exclude(conflict, inside)

    def _give(self, machine: Machine) -> None:
        """Let no machine be given that is like one that was, or whose cards are beaten by now."""
        like, domains = {r: self.apart(o) for r, o in machine.items()}, self.domains.items()
        alike = {r: d.where(lambda o: self.apart(o) == like[o.role]) for r, d in domains}
        self.conflicts.append(Conflict(GIVEN, tuple(alike.items())))
        if self.cap:
            self.conflicts.append(Conflict(GIVEN, ((CARDS, self._capped(0)),)))

    def _exclude(self, conflict: Conflict, sets: Sets) -> None:
        """Count machines that are in a conflict, or wait for data of it."""
        number = self.store.size(sets)
        if conflict.rule == GIVEN:
            self.like += number
            return
        self.excluded[conflict.rule] += number
        if conflict.waits:
            self.unknown[conflict.rule] += number

    def _bound(self, node: Node) -> Cost:
        """No machine of a node costs less."""
        costs = [self.domains[role].first(m).cost for role, m in node.sets.items()]
        return tuple(map(sum, zip(*costs, strict=True)))

    def _close(self) -> None:
        self.worse = sum(self.store.size(node.sets) for *_, node in self._heap)

    def _put(self, node: Node) -> None:
        """Keep a node to be looked at in its turn; one beyond the budget is counted."""
        bound = self._bound(node)
        if self.most is not None and len(bound) == -PRICE and bound[PRICE] > self.most:
            self._exclude(Conflict(BUDGET, ()), node.sets)
            self.needs = min(self.needs, bound[PRICE])
        else:
            heapq.heappush(self._heap, (bound, -next(self._number), node))

    def some(self) -> Machine | None:
        """Some machine that passes of those that a stopped search has left, not the best."""
        apart = copy.copy(self)
        apart.excluded, apart.unknown = Counter(), Counter()
        stack = [node for *_, node in sorted(self._heap, key=lambda row: row[:2], reverse=True)]
        worst = (math.inf,) * len(self.domains)
        for _ in range(SOME):
            if stack and (found := apart.look(stack.pop(), worst, stack.append)):
                return found
        return None
