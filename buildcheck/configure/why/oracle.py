"""What machines meet some of the wishes of a wish: one search for each set of wishes.

Searches over one ground share a law, which judges nothing twice, and those over the same lists
share what they learned. A search is cut short by a number of nodes, never by time, so that the
answer is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from buildcheck.configure.engine import Engine, SearchProblem
from buildcheck.configure.search.classes import CENTS
from buildcheck.configure.search.space import Option
from buildcheck.configure.stopping import Stop, never
from buildcheck.configure.why.wishes import Wished
from buildcheck.configure.wish.wish import Wish, words_of

Machine = dict[str, Option]

#: Nodes that a search looks at before it is left open whether there is a machine.
MOST_NODES = 3000


@dataclass(frozen=True)
class Found:
    """What a search came to: the cheapest machine, if there is one.

    No machine costs less than `bound`, in hundredths. `rules` are those by which machines were
    excluded, the most first. `empty` are the roles for which nothing that has a price is what is
    wished for. One that is not `is_whole` was cut short: its machine need not be the cheapest, and
    without one it is open whether there is any.
    """

    machine: Machine | None = None
    bound: float = 0.0
    rules: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()
    is_whole: bool = True

    @property
    def is_refuted(self) -> bool:
        """Is it known that there is no machine?"""
        return self.is_whole and self.machine is None

    @property
    def price(self) -> float:
        """What the machine costs, in hundredths; zero without one."""
        return float(sum(o.price for o in (self.machine or {}).values()))

    def within(self, most: float) -> Found:
        """What is known of machines that cost no more than this, in hundredths."""
        if self.machine is not None and self.price <= most:
            return self
        return replace(self, machine=None, is_whole=self.is_whole or self.bound > most)


class Oracle:
    """What can be had of a wish. When it is time to stop, what needs a new search is left open."""

    def __init__(
        self, wish: Wish, wishes: list[Wished], engine: Engine, stop: Stop = never
    ) -> None:
        self.wish, self.wishes, self.engine, self.stop = wish, wishes, engine, stop
        #: How many searches were made.
        self.searches = 0
        self._grounds: dict[str, SearchProblem] = {}
        self._problems: dict[str, SearchProblem] = {}
        self._known: dict[tuple[Any, ...], Found] = {}

    def made(self, kept: Collection[Wished]) -> Wish:
        """The wish with some of its wishes alone."""
        made = self.wish
        for wished in self.wishes:
            if wished not in kept:
                made = wished.without(made)
        return made

    def best(
        self, kept: Collection[Wished], *, strict: bool = True, rules: Collection[str] | None = None
    ) -> Found:
        """The cheapest machine that meets these wishes within their budget.

        Strict, none passes that is not known to. `rules` are all that are asked, of the whole
        rulebook unless given.
        """
        return self.of(self.made(kept), strict=strict, rules=rules)

    def of(self, made: Wish, *, strict: bool = True, rules: Collection[str] | None = None) -> Found:
        """The cheapest machine of a wish; one search answers for every budget."""
        key = (words_of(made, "budget"), strict, None if rules is None else frozenset(rules))
        if key not in self._known:
            if self.stop():
                return Found(is_whole=False)
            self._known[key] = self._search(made, strict=strict, rules=rules)
        found = self._known[key]
        return found.within(float(made.budget.amount * CENTS)) if made.budget else found

    # The search

    def _search(self, made: Wish, *, strict: bool, rules: Collection[str] | None) -> Found:
        self.searches += 1
        problem = self.problem(made)
        empty = tuple(role for role, options in problem.lists.items() if not options)
        if empty:
            return Found(empty=empty)
        search = problem.search(strict=strict, nodes=MOST_NODES, stop=self.stop, rules=rules)
        machine = next(search.solutions(), None)
        if search.stopped:
            machine = search.some() if rules is None else None
        named = tuple(rule for rule, number in search.tally.excluded.most_common() if number)
        bound = (search.proof().bound or 0.0) * CENTS
        return Found(machine, bound, named, is_whole=not search.stopped)

    def problem(self, made: Wish) -> SearchProblem:
        """What searches over a wish share; that is the same whatever the budget."""
        key = words_of(made, "budget")
        if key not in self._problems:
            # The whole wish has the currency of the prices.
            ground = {n: getattr(made, n) for n in ("fixed", "owned", "trust", "psus", "careful")}
            several = made.psus.count.high > 1
            of = f"{made.fixed} {made.owned} {made.trust} {several} {made.careful}"
            if of not in self._grounds:
                self._grounds[of] = self.engine.problem(self.wish.but(**ground))
            self._problems[key] = self._grounds[of].asking(made.but(budget=None))
        return self._problems[key]
