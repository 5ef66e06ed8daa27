"""Board, CPU, memory and cooler exchanged together: the cheapest with which the rest passes."""

from __future__ import annotations

from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

from buildcheck.configure.repair.parts import is_described, numbers_for, unpinned
from buildcheck.configure.search.classes import ROLES
from buildcheck.configure.search.conflicts import Store
from buildcheck.configure.search.ground import ground_of
from buildcheck.configure.search.law import FAIL, NOT_APPLICABLE, PASS, Law
from buildcheck.configure.search.search import Search
from buildcheck.configure.search.space import Hull, Option, options_of
from buildcheck.configure.stopping import go_on
from buildcheck.edit import Change
from buildcheck.model.build import SECTION_KIND

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.configure.search.law import Asked
    from buildcheck.configure.trial import Trial
    from buildcheck.rulebook.moves import MoveRules

#: What has to match on a board, the firmest first.
PLATFORM = ("motherboard", "cpu", "memory", "cpu_cooler")
#: Nodes that are looked at for each set of parts.
MOST_NODES = 1500


def platform(trial: Trial, of: MoveRules) -> dict[str, Option] | None:
    """As few of these parts as will do, exchanged for the cheapest; None if none are found.

    They fix the failing rules that `of` is about; the rest is for other moves, if need be also
    what does not apply before.
    """
    there = [role for role in PLATFORM if trial.plain.get(role)]
    asked = [trial.asked[r] for r in sorted(trial.rules) if of.concerns((r,))]
    failing = [a for a in asked if a.scope & set(there)]
    if not failing:
        return None
    for spared in _spared(trial):
        tried = _Platform(trial, failing, there, spared)
        for number in range(2, len(there) + 1):
            found = [m for roles in combinations(there, number) if (m := tried.cheapest(roles))]
            if found:
                return min(found, key=lambda m: sum(o.price for o in m.values()))
    return None


def _spared(trial: Trial) -> Iterator[frozenset[str]]:
    """No rules, and then those about more than the platform that apply to nothing in a build."""
    yield frozenset()
    yield frozenset(
        rule
        for rule, verdict in trial.verdicts.items()
        if verdict == PASS
        and trial.asked[rule].rule.guard_reading
        and trial.asked[rule].scope - {*PLATFORM}
        and all(verdict == NOT_APPLICABLE for _, verdict in trial.spots(rule))
    )


class _Platform:
    """A build of which some of these roles are open; some rules are `spared`."""

    def __init__(
        self, trial: Trial, failing: list[Asked], roles: list[str], spared: frozenset[str]
    ) -> None:
        self.trial, self.failing = trial, failing
        self.spared = spared
        self.laws = trial.trials.laws
        self.lists = {role: self._options(role) for role in roles}
        self.hulls = {role: Hull(role, options) for role, options in self.lists.items()}

    def cheapest(self, roles: tuple[str, ...]) -> dict[str, Option] | None:
        """The cheapest parts for these roles with which nothing of that fails, as far as found."""
        hulls: dict[str, Option | Hull] = {role: self.hulls[role] for role in roles}
        filled = {**self.trial.own, **hulls}
        if any(self.trial.law.verdict(asked, filled) == FAIL for asked in self.failing):
            return None
        own, law = self._without_pins if "motherboard" in roles else self._as_it_is
        lists = {role: self.lists[role] if role in roles else [own[role]] for role in own}
        if not all(lists.values()):
            return None
        search = Search(Store(law, lists), nodes=MOST_NODES, stop=self.laws.stop)
        machine = next(search.solutions(), None)
        go_on(self.laws.stop)
        return machine and {role: machine[role] for role in roles}

    def _options(self, role: str) -> list[Option]:
        """Parts for a role that do no less than the present ones."""
        cores = self.trial.facts("cpu.cores", self.trial.graph.the("cpu"))
        least = cores.low if cores is not None and role == "cpu" else 0
        sorts = (
            sort
            for sort in self.laws.classes.of(SECTION_KIND[role]).classes
            if is_described(role, sort) and (not least or sort.value("cores").low >= least)
        )
        found = options_of(role, sorts, lambda sort: numbers_for(self.trial, role, sort))
        for option in found:
            option.cost = (option.price, 0)
        return found

    @cached_property
    def _as_it_is(self) -> tuple[dict[str, Option], Law]:
        return self._over(self.trial)

    @cached_property
    def _without_pins(self) -> tuple[dict[str, Option], Law]:
        """Parts are not held to places of a board that may go."""
        pins = [Change(path, None) for path in unpinned(self.trial)]
        free = self.trial.trials.after(self.trial.plain, pins) if pins else None
        return self._over(free or self.trial)

    def _over(self, free: Trial) -> tuple[dict[str, Option], Law]:
        """The options of a build for each role, at no cost, and the law without what may fail."""
        trial, laws = self.trial, self.laws
        own = {r: Option(r, given=free.own[r].given, cost=(0, 0)) for r in ROLES}
        left = (trial.rules - {a.rule.id for a in self.failing}) | {r for r, _ in trial.excused}
        waived = self.spared | {waiver.rule for waiver in free.loaded.build.waivers}
        over = ground_of(trial.trials.assembly(free.loaded), laws.classes)
        return own, Law(laws.rulebook, over, left | waived, trial.law.absent)
