"""Conflicts: what a rule refuses of one machine, widened to all machines it refuses as surely.

This is conflict generalisation as in logic-based Benders decomposition (Hooker and Ottosson
2003). A conflict is a set of options for each of some roles; no machine takes all its roles from
these sets. It is widened role by role and field by field, and each time the rule is asked about
the whole set at once, as a hull. So no conflict says more than the rule does.

What was learned at each machine is kept on disk, and what each search gave, so that the same one
made again asks no rule and looks at no node.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, reduce
from itertools import product
from math import prod
from operator import and_, or_
from typing import Any, NamedTuple

from buildcheck import store
from buildcheck.configure.search.columns import beyond, widest
from buildcheck.configure.search.law import FAIL, UNKNOWN, Asked, Law
from buildcheck.configure.search.space import Domain, Hull, Option
from buildcheck.rulebook.proposals import proposals

#: For each role the options that are left of it, as the bits of a number.
Sets = dict[str, int]

#: Groups of options that are looked at for one conflict, each with each of other roles.
MOST_ASKED = 30
#: What the name of a file begins with that keeps what was learned.
NAME = "conflicts"
WALKS = "walks"


class Conflict(NamedTuple):
    """No machine takes all these roles from these sets.

    One that `waits` lacks data, and is none for whoever hopes for the best; one that is `careful`
    takes a warning for an error.
    """

    rule: str
    sets: tuple[tuple[str, int], ...]
    waits: bool = False
    careful: bool = False


def _lacking(law: Law, domains: Mapping[str, Domain]) -> Iterator[Conflict]:
    """The options that lack a value without which no machine passes, by rule."""
    asked = {a.rule.id for a in law.asked}
    for role, name, rule in proposals().needed_to_pass:

        def lacks(option: Option, name: str = name) -> bool:
            return not option.given and None in option.values(name)

        if rule in asked and role in domains and (found := domains[role].where(lacks)):
            yield Conflict(rule, ((role, found),), waits=True)


class Store:
    """The options of each role, and every conflict that was learned of them by one law.

    What a search learns holds for all that follow, whatever they are for and however they take the
    law. `text` tells the law and the lists from others: what was learned of equal ones in an
    earlier run is kept by it.
    """

    def __init__(self, law: Law, lists: Mapping[str, list[Option]], text: str = "") -> None:
        self.text = text
        self.domains = {r: Domain(r, sorted(o, key=lambda o: o.cost)) for r, o in lists.items()}
        #: With options of which too little is known nothing is known to pass.
        self.conflicts = [*_lacking(law, self.domains)]
        #: For each machine that was asked about, as the law was taken then, what refuses it.
        self.refused: dict[str, list[Conflict]] = {}
        #: The machines that each search gave so far, and its counts at each.
        self.walks: dict[str, list[Any]] = (store.remembered(WALKS, text) or {}) if text else {}

    @cached_property
    def kept(self) -> dict[str, list[Any]]:
        """What refused each machine that was asked about in earlier runs."""
        return (store.remembered(NAME, self.text) or {}) if self.text else {}

    def holding(self, law: Law) -> list[Conflict]:
        """The conflicts that hold as a law is taken."""
        rules = {a.rule.id for a in law.asked}
        return [
            c
            for c in self.conflicts
            if c.rule in (rules & law.careful if c.careful else rules)
            and not (c.waits and c.rule in law.hopeful)
        ]

    def remember(self) -> None:
        """Keep what was learned for a later run."""
        if self.text and self.refused:
            plain = {
                key: [[c.rule, [[r, hex(m)] for r, m in c.sets], c.waits, c.careful] for c in found]
                for key, found in self.refused.items()
            }
            store.remember(NAME, self.text, self.kept | plain)
            store.remember(WALKS, self.text, self.walks)

    def machine(self, sets: Sets) -> dict[str, Option | Hull]:
        """The machine that stands for all whose options are of these sets."""
        return {role: domain.hull(sets[role]) for role, domain in self.domains.items()}

    def size(self, sets: Sets) -> int:
        """How many machines there are in a product of sets."""
        return prod(self.domains[role].size(m) for role, m in sets.items())

    def over_budget(self, point: Sets, over: int) -> Conflict:
        """All machines none of whose parts costs less: one of them may, by less than it is over."""
        prices = {role: domain.first(point[role]).price for role, domain in self.domains.items()}
        prices[next(iter(prices))] -= over - 1
        sets = {r: d.where(lambda o: o.price >= prices[o.role]) for r, d in self.domains.items()}
        kept = ((role, m) for role, m in sets.items() if m != self.domains[role].full)
        return Conflict(BUDGET, tuple(kept))

    def refusing(self, law: Law, point: Sets, near: Sets) -> list[Conflict]:
        """Some conflicts that a machine is in; options are asked one by one if they are `near`."""
        key = f"{law.taken} {[m.bit_length() for m in point.values()]}"
        if key in self.refused:
            return self.refused[key]
        if key in self.kept:
            found = [
                Conflict(rule, tuple((role, int(m, 16)) for role, m in sets), *marks)
                for rule, sets, *marks in self.kept[key]
            ]
        else:
            asked = self._refusing(law, self.machine(point))
            found = [self._learned(law, asked, point, near)] if asked else []
        self.conflicts += found
        self.refused[key] = found
        return found

    def _refusing(self, law: Law, machine: dict[str, Option | Hull]) -> Asked | None:
        """A rule that refuses a machine, of those about few roles and that fail most the first.

        What fails for certain does so for more machines than what waits for data of one.
        """
        waits = None
        for asked in sorted(law.asked, key=lambda a: (not a.scope, len(a.scope), -a.failed)):
            verdict = law.verdict(asked, machine)
            if verdict == FAIL:
                return asked
            if verdict == UNKNOWN and asked.rule.id not in law.hopeful:
                waits = waits or asked
        return waits

    def _learned(self, law: Law, asked: Asked, point: Sets, near: Sets) -> Conflict:
        """The widest conflict found around one machine that a rule refuses."""
        verdict = law.verdict(asked, self.machine(point))

        def refuses(sets: Sets) -> bool:
            return law.verdict(asked, self.machine(sets)) == verdict

        far = {r: point[r] if r in asked.scope else d.full for r, d in self.domains.items()}
        sets = far if refuses(far) else dict(point)
        roles = [r for r, d in self.domains.items() if sets[r] != d.full]
        # What has the fewest options says the most about the others: it is widened last.
        roles.sort(key=lambda r: -len(self.domains[r].options))
        for role in roles:
            if refuses(whole := {**sets, role: self.domains[role].full}):
                sets = whole
        groups = {}
        for role in roles:
            if sets[role] != self.domains[role].full:
                sets[role], groups[role] = self._widened(asked, sets, role, refuses)
        # Each block of each role is refused with each of all others.
        blocks = {role: [m] for role, m in sets.items()}
        groups = {r: [m for m in those if m & near[r]] for r, those in groups.items()}
        for role, those in sorted(groups.items(), key=lambda row: -len(row[1])):
            others = [[(r, m) for m in ms] for r, ms in blocks.items() if r != role]
            if len(those) * prod(map(len, others)) <= MOST_ASKED:
                blocks[role] += [
                    m
                    for m in those
                    if all(refuses({role: m, **dict(rest)}) for rest in product(*others))
                ]
                sets[role] = reduce(or_, blocks[role])
        kept = [(r, s) for r, s in sets.items() if s != self.domains[r].full]
        # The smallest first: that is what most machines are outside of.
        kept.sort(key=lambda row: row[1].bit_count() / len(self.domains[row[0]].options))
        rule = asked.rule.id
        return Conflict(rule, tuple(kept), verdict == UNKNOWN, rule in law.careful)

    def _widened(
        self, asked: Asked, sets: Sets, role: str, refuses: Callable[[Sets], bool]
    ) -> tuple[int, list[int]]:
        """The options of a role that a rule refuses for the same values, or a range of them.

        And the others, in groups of those with equal values.
        """
        domain = self.domains[role]
        place = sets[role].bit_length() - 1
        columns = [c for name in sorted(asked.fields(role)) for c in domain.columns(name)]
        limits = [column.like(place) for column in columns]
        found = reduce(and_, limits, domain.full)
        if found != sets[role] and not refuses({**sets, role: found}):
            return sets[role], []
        for number, column in enumerate(columns):
            rest = reduce(and_, [*limits[:number], *limits[number + 1 :]], domain.full)

            def stands(limit: int, rest: int = rest, found: int = found) -> bool:
                wider = rest & limit
                return wider == found or refuses({**sets, role: wider})

            limits[number] = widest(column, place, domain.full, stands)
            found = rest & limits[number]
        return found, beyond(columns, limits, domain.full)


#: Names of conflicts that are no rule's: what is beyond the budget, and what was given already.
BUDGET, GIVEN = "budget", ""
