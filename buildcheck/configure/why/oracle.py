"""What machines meet some of the wishes of a wish: the search, asked again and again.

Verdicts of rules are kept from one search to the next, and so is what each came to: a machine that
was found meets every wish it is asked about that it meets, and wishes that cannot be met cannot
be with more. Where nothing passes, those rules read some roles and no others: the
wishes about those alone cannot be met either, and no search is needed to know. A search is cut
short by a number of nodes, never by time, so that the answer is the same on every machine.
"""

from __future__ import annotations

import copy
import math
from collections import Counter
from dataclasses import dataclass, replace
from itertools import count
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.configure.repair.parts import is_described
from buildcheck.configure.search.candidates import lacking
from buildcheck.configure.search.classes import CENTS, ROLES
from buildcheck.configure.search.lists import Lists
from buildcheck.configure.search.tally import Tally
from buildcheck.configure.stopping import go_on, never

if TYPE_CHECKING:
    from collections.abc import Collection

    from buildcheck.configure.engine import Engine, SearchProblem
    from buildcheck.configure.search.law import Law
    from buildcheck.configure.search.search import Search
    from buildcheck.configure.search.space import Option
    from buildcheck.configure.stopping import Stop
    from buildcheck.configure.why.wishes import Wished
    from buildcheck.configure.wish.wish import Wish

    Machine = dict[str, Option]

#: Name of a price limit among rules.
BUDGET = "budget"
#: Nodes that a search looks at before a machine counts as possible: while
#: conflicts and rules are looked for, and for the wish itself and each way out.
FEW_NODES, MOST_NODES = 3000, 3000
#: Options of a role where any machine will do; before that, the number of roomy options and of
#: nodes for them.
SOME, FEWEST, ROOMY_NODES = 40, 8, 250
#: Number of options from which a list of cards is long, and the nodes searched for such lists.
LONG, LONG_NODES = 500, 1500
#: Roles whose options need no others to match them.
_APART = ("gpus", "psus", "case")
#: What a wish asks of each role; equal words make equal lists.
_SAYS = {
    "gpus": ("gpus", "quiet", "limits"),
    "motherboard": ("board", "boards", "platforms"),
    "psus": ("psus",),
    "cpu": ("cpu", "platforms"),
    "memory": ("memory",),
    "case": ("case",),
    "cpu_cooler": (),
    "storage": ("storage",),
}


@dataclass(frozen=True)
class Found:
    """What a search came to: the price of the best machine in hundredths, and the machine.

    No machine costs less than `bound`. `rules` are those by which machines were excluded, the
    most first, and `judged` those that were asked for it; parts of roles that are `silent` had
    too little known of them. `empty` are the roles for which nothing that has a price is what is
    wished for. One that is not `is_sure` was cut short: there may be a machine, and the price is
    zero.
    """

    price: float
    machine: Machine | None
    bound: float = 0.0
    rules: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()
    judged: tuple[str, ...] = ()
    silent: frozenset[str] = frozenset()
    is_sure: bool = True
    is_best: bool = True

    @property
    def is_refuted(self) -> bool:
        """Is it known that there is no machine?"""
        return self.price == math.inf


class Refuted(NamedTuple):
    """Wishes that nothing meets, and those of them on which that rests: `core`, in their order."""

    kept: frozenset[Wished]
    core: tuple[Wished, ...]
    strict: bool
    found: Found


class Oracle:
    """What can be had of a wish.

    Raises `StoppedError` for questions that need a new search when it is time to stop.
    """

    def __init__(
        self, wish: Wish, wishes: list[Wished], engine: Engine, stop: Stop = never
    ) -> None:
        self.wish, self.wishes, self.engine, self.stop = wish, wishes, engine, stop
        #: How many searches were made.
        self.searches = 0
        self.budget = next((w for w in wishes if w.is_budget), None)
        self._bases: dict[str, SearchProblem] = {}
        self._lists: dict[str, list[Option]] = {}
        self._members: dict[int, frozenset[object]] = {}
        self._problems: dict[str, SearchProblem] = {}
        self._known: dict[tuple[Any, ...], tuple[int, Found]] = {}
        self._refuted: list[Refuted] = []
        self._machines: list[tuple[Law, bool, Found]] = []

    def best(
        self,
        kept: Collection[Wished],
        *,
        strict: bool = True,
        nodes: int = FEW_NODES,
        rules: Collection[str] | None = None,
    ) -> Found:
        """The cheapest machine that meets these wishes within their budget.

        Strict, none passes that is not known to. `rules` are all that are asked, of the whole
        rulebook unless given.
        """
        found = self.of(self.made(kept), strict=strict, nodes=nodes, rules=rules)
        if found.is_refuted and rules is None:
            self._refuted.append(self._rests_on(frozenset(kept), found, strict=strict))
        return found

    def meets(
        self, kept: Collection[Wished], *, strict: bool = True, nodes: int = FEW_NODES
    ) -> bool | None:
        """Is there a machine that meets these wishes within their budget? None if cut short."""
        there = frozenset(kept)
        if self.refuted(there, strict=strict):
            return False
        # The lists of what is asked for at least are shorter, and soon made.
        eased = self.made(there, eased=True)
        if self.of(eased, strict=strict, some=True).machine is not None:
            return True
        made = self.made(there)
        cheapest = self._cheapest(self._problem(made), strict=strict)
        if cheapest is not None and cheapest <= _most(made):
            return True
        found = self.best(there, strict=strict, nodes=nodes)
        return False if found.is_refuted else None if found.machine is None else True

    def made(self, kept: Collection[Wished], *, eased: bool = False) -> Wish:
        """The wish with some of its wishes alone; `eased`, with as little of the others."""
        made = self.wish
        for wished in self.wishes:
            if wished not in kept:
                less = wished.eased if eased else None
                made = (less or wished.without)(made)
        return made

    def of(
        self,
        made: Wish,
        *,
        strict: bool = True,
        nodes: int = FEW_NODES,
        rules: Collection[str] | None = None,
        some: bool = False,
    ) -> Found:
        """Result for a wish with some of its wishes changed.

        With `some`, a few well described parts alone are looked at: where a machine is found of
        those there is one, and sooner.
        """
        key = (repr(_words(made)), strict, some, None if rules is None else frozenset(rules))
        looked, found = self._known.get(key, (0, None))
        if found is None or (not found.is_sure and nodes > looked):
            found = self._look(made, strict=strict, nodes=nodes, rules=rules, some=some)
            self._known[key] = nodes, found
            if found.machine and rules is None:
                self._machines.append((self._problem(made).law, strict, found))
        return found

    def any(self, made: Wish) -> Found:
        """A machine of a wish that is known to pass, not always the cheapest; soonest found."""
        found = self.of(made, some=True)
        return found if found.machine is not None else self.of(made, nodes=MOST_NODES)

    def silent(self, kept: Collection[Wished], role: str, name: str) -> tuple[list[str], int]:
        """The parts for a role of which a field is not known, and how many parts there are."""
        options = self._problem(self.made(kept)).lists[role]
        units = {u.sort.part: u.sort for o in options for u in o.units}
        return [part for part, sort in units.items() if sort.value(name) is None], len(units)

    def refuted(self, kept: Collection[Wished], *, strict: bool = True) -> Refuted | None:
        """What is known by which nothing meets some wishes, resting on as few as is known."""
        there = frozenset(kept)
        known = (r for r in self._refuted if there.issuperset(r.core) and (strict or not r.strict))
        return min(known, key=lambda r: len(r.core), default=None)

    def _rests_on(self, kept: frozenset[Wished], found: Found, *, strict: bool) -> Refuted:
        """Wishes that nothing meets with those that are about what was read to know that."""
        roles = self._about(kept, found)
        if found.empty and set(found.empty) != set(ROLES):
            # One list in which there is nothing is enough.
            least = min(found.empty, key=lambda r: len(self._touching(kept, {r})))
            roles, found = (least,), replace(found, empty=(least,))
        core = tuple(w for w in self.wishes if w in kept)
        if roles is not None:
            core = self._touching(kept, roles)
        return Refuted(kept, core, strict, found)

    def _about(self, kept: Collection[Wished], found: Found) -> Collection[str] | None:
        """The roles that were read to exclude every machine; None if all counted."""
        if found.empty:
            return set(found.empty)
        asked = {a.rule.id: a for a in self._problem(self.made(kept)).law.asked}
        if not set(found.judged) <= set(asked):
            # A price adds up over all roles.
            return None
        return found.silent.union(*(asked[rule].scope for rule in found.judged))

    def _touching(self, kept: frozenset[Wished], roles: Collection[str]) -> tuple[Wished, ...]:
        return tuple(
            w for w in self.wishes if w in kept and not self._touches(w, kept).isdisjoint(roles)
        )

    def _touches(self, wished: Wished, kept: frozenset[Wished]) -> set[str]:
        """The roles whose options a wish is about, of those that are kept; all for a section."""
        with_, without = self.made(kept), self.made(kept - {wished})
        if wished.path[0] == "owned" and _is_plain(wished.value):
            return {str(wished.path[1])}
        if self._ground(with_) != self._ground(without):
            return set(ROLES)
        return {role for role in ROLES if _said_of(role, with_) != _said_of(role, without)}

    # The search

    def _look(
        self, made: Wish, *, strict: bool, nodes: int, rules: Collection[str] | None, some: bool
    ) -> Found:
        """The search as it is asked for; of a short list all are soon looked at."""
        if some:
            found = self._search(made, strict=strict, nodes=ROOMY_NODES, rules=None, some=True)
            if found.machine is not None or not self._is_long(made):
                return found
        return self._search(made, strict=strict, nodes=nodes, rules=rules, some=some)

    def _search(
        self, made: Wish, *, strict: bool, nodes: int, rules: Collection[str] | None, some: bool
    ) -> Found:
        go_on(self.stop)
        self.searches += 1
        problem = self._problem(made)
        empty = tuple(r for r in ROLES if not problem.lists.get(r))
        if empty:
            return Found(math.inf, None, math.inf, (), empty)
        if rules is not None:
            problem = copy.copy(problem)
            problem.law = _narrowed(problem.law, rules)
        lists = problem.lists
        if some:
            pick = _roomy if nodes == ROOMY_NODES else _few
            lists = {r: pick(r, options) for r, options in lists.items()}
        elif self._is_long(made):
            nodes = min(nodes, LONG_NODES)
        looked = count(1)
        most = self._limit(made, problem, strict=strict, whole=rules is None)
        quiet, silent = Tally(), frozenset[str]()
        for rule, role, lacks in lacking(problem.law, lists) if strict else ():
            quiet.exclude(rule, prod(len(lacks if r == role else o) for r, o in lists.items()))
            lists = {**lists, role: [o for o in lists[role] if o.serial not in lacks]}
            silent |= {role}
        cheap = lists if most is None else _within(lists, most)
        if not all(cheap.values()):
            # No option is left of a role: too little is known of any, or each is too expensive.
            over_budget = (BUDGET,) if all(lists.values()) else ()
            rules_ = (*_by_number(quiet), *over_budget)
            return Found(math.inf, None, math.inf, rules_, judged=over_budget, silent=silent)
        search = problem.search(
            strict=strict,
            stop=lambda: next(looked) > nodes or self.stop(),
            most=most,
            only=cheap,
        )
        machine = next(search.solutions(), None)
        if search.stopped:
            go_on(self.stop)
        found = _came_to(search, machine, quiet, silent)
        if machine is not None:
            return replace(found, is_best=not some)
        # Options above the budget from the start count as well.
        is_dear = any(len(cheap[role]) < len(lists[role]) for role in lists)
        return replace(found, judged=(*found.judged, BUDGET)) if is_dear else found

    def _limit(
        self, made: Wish, problem: SearchProblem, *, strict: bool, whole: bool
    ) -> int | None:
        """The budget, or what the cheapest machine costs that is known to pass the whole law."""
        known = self._cheapest(problem, strict=strict) if whole else None
        most = min(_most(made), math.inf if known is None else known)
        return None if math.isinf(most) else int(most)

    def _is_long(self, made: Wish) -> bool:
        return len(self._problem(made).lists.get("gpus", ())) > LONG

    def _problem(self, made: Wish) -> SearchProblem:
        """A wish made ready, over what was read and listed for others like it."""
        key = repr(_words(replace(made, budget=None)))
        if key not in self._problems:
            base = self._base(made)
            lists = Lists(made, self.engine.catalog, base.classes, base.ground)
            problem = self._problems[key] = copy.copy(base)
            problem.wish = replace(made, budget=None)
            problem.lists = {role: self._list(role, lists, problem) for role in ROLES}
        return self._problems[key]

    def _base(self, made: Wish) -> SearchProblem:
        """The problem shared by all wishes over one ground."""
        key = self._ground(made)
        if key not in self._bases:
            # The budget has the currency of the prices, and is asked of each search. Lists are
            # made of the wish that is searched: these here are of the whole, which are short.
            ground = {n: getattr(made, n) for n in ("fixed", "owned", "trust", "psus", "careful")}
            self._bases[key] = self.engine.problem(replace(self.wish, **ground))
        return self._bases[key]

    @staticmethod
    def _ground(made: Wish) -> str:
        """Key of the ground and the law that wishes are searched by."""
        several = made.psus.count.high > 1
        return f"{made.fixed} {made.owned} {made.trust} {several} {made.careful}"

    def _list(self, role: str, lists: Lists, problem: SearchProblem) -> list[Option]:
        key = f"{id(problem.law)} {role} {_said_of(role, problem.wish)}"
        if key not in self._lists:
            self._lists[key] = lists.of(role)
            for option in self._lists[key]:
                option.cost = (option.price, option.order)
        return self._lists[key]

    # What was found before

    def _has(self, problem: SearchProblem, found: Found) -> bool:
        """Is a machine among those of a wish?"""
        return found.machine is not None and all(
            _same(option) in self._of_list(problem.lists[role])
            for role, option in found.machine.items()
        )

    def _cheapest(self, problem: SearchProblem, *, strict: bool) -> int | None:
        """What the cheapest machine costs that was found and is one of those of a wish."""
        prices = [
            int(found.price)
            for law, how, found in self._machines
            if law is problem.law and (how or not strict) and self._has(problem, found)
        ]
        return min(prices, default=None)

    def _of_list(self, options: list[Option]) -> frozenset[object]:
        if id(options) not in self._members:
            self._members[id(options)] = frozenset(map(_same, options))
        return self._members[id(options)]


def _most(made: Wish) -> float:
    """The budget in hundredths."""
    return int(made.budget.amount * CENTS) if made.budget else math.inf


def _within(lists: dict[str, list[Option]], most: float) -> dict[str, list[Option]]:
    """The options within the budget with the cheapest of each other role."""
    cheapest = {r: min((o.price for o in options), default=0) for r, options in lists.items()}
    rest = most - sum(cheapest.values())
    return {
        role: [o for o in options if o.price - cheapest[role] <= rest]
        for role, options in lists.items()
    }


def _is_plain(value: Any) -> bool:
    """Is a section no more than parts and their numbers, so that nothing else refers to it?"""
    entries = value if isinstance(value, list) else [value]
    return all(not isinstance(e, dict) or e.keys() <= {"part", "count"} for e in entries)


def _said_of(role: str, made: Wish) -> str:
    """What a wish asks of a role; equal words make equal lists."""
    return repr([getattr(made, name) for name in (*_SAYS[role], "avoid")])


def _came_to(
    search: Search, machine: Machine | None, quiet: Tally, silent: frozenset[str]
) -> Found:
    """What a search came to that ended, over lists without what `quiet` counts."""
    if machine is not None:
        price = float(sum(o.price for o in machine.values()))
        return Found(price, machine, price)
    judged = tuple(r for r, n in search.tally.excluded.items() if n)
    rules = _by_number(quiet, search.tally)
    if search.stopped:
        # A search that was ended early has refuted nothing.
        bound = (search.proof().bound or 0.0) * CENTS
        return Found(0.0, None, bound, rules, (), judged, silent, is_sure=False)
    return Found(math.inf, None, math.inf, rules, (), judged, silent)


def _by_number(*tallies: Tally) -> tuple[str, ...]:
    """The rules by which machines were excluded, the most first."""
    total = sum((tally.excluded for tally in tallies), Counter[str]())
    return tuple(rule for rule, number in total.most_common() if number)


def _words(made: Wish) -> list[Any]:
    """All that a wish asks."""
    return [v for n, v in vars(made).items() if n != "document"]


def _same(option: Option) -> object:
    """Equal for options of equal parts, used in the same way."""
    if option.given:
        return ()
    return tuple(
        (u.sort.part, u.number, tuple((n, t) for n, t, _ in u.settings)) for u in option.units
    )


def _few(role: str, options: list[Option]) -> list[Option]:
    """The well-described options that matter most.

    Of PSUs and cases, from cheapest to most expensive; of cards also those with least power.
    """
    known = _described(role, options)
    if role not in _APART:
        return known or options
    some = known[:: -(-len(known) // SOME) or 1] or options[:SOME]
    if role == "gpus" and len(known) > SOME:
        modest = sorted(known, key=lambda o: (o.size or math.inf, o.price))[:SOME]
        some = sorted({id(o): o for o in (*some, *modest)}.values(), key=lambda o: o.cost)
    return some


def _roomy(role: str, options: list[Option]) -> list[Option]:
    """The few options of a role with which most of the others go."""
    known = _described(role, options)
    if role == "gpus":
        known.sort(key=lambda o: (o.size or math.inf, o.price))
    elif role == "psus":
        known.sort(key=lambda o: (-(o.size or 0.0), o.price))
    elif role == "case":
        known.sort(key=lambda o: (-sum(v.high for v in o.values("expansion_slots") if v), o.price))
    else:
        return known or options
    return sorted((known or options)[:FEWEST], key=lambda o: o.cost)


def _described(role: str, options: list[Option]) -> list[Option]:
    """The options of which enough is known."""
    return [o for o in options if all(is_described(role, unit.sort) for unit in o.units)]


def _narrowed(law: Law, rules: Collection[str]) -> Law:
    """A law of some of its rules alone, which remembers what the whole one does."""
    some = copy.copy(law)
    some.asked = [asked for asked in law.asked if asked.rule.id in rules]
    return some
