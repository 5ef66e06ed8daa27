"""Board, CPU, memory and cooler exchanged together: the cheapest with which the rest passes."""

from __future__ import annotations

from functools import cached_property
from itertools import combinations, count
from typing import TYPE_CHECKING

from buildcheck.configure.judgement import Judgement
from buildcheck.configure.repair.parts import is_described, kits_for
from buildcheck.configure.search.classes import ROLES
from buildcheck.configure.search.conflicts import Store
from buildcheck.configure.search.law import FAIL, NOT_APPLICABLE, PASS, Law
from buildcheck.configure.search.search import Search
from buildcheck.configure.search.space import Hull, Option, Unit
from buildcheck.edit import Change, changed
from buildcheck.load import rebuilt
from buildcheck.model.build import SECTION_KIND
from buildcheck.resolve import resolve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.configure.judgement import Laws
    from buildcheck.configure.repair.trial import Outcome
    from buildcheck.configure.search.law import Asked
    from buildcheck.load import Loaded

#: What has to match on a board, the firmest first.
PLATFORM = ("motherboard", "cpu", "memory", "cpu_cooler")
#: Nodes that are looked at for each set of parts.
MOST_NODES = 1500
#: What pins a part to a place on the board.
_PLACES = {"gpus": "slots", "add_in_cards": "slots", "storage": "socket"}


def platform(outcome: Outcome, about: tuple[str, ...]) -> dict[str, Option] | None:
    """As few of these parts as will do, exchanged for the cheapest; None if none are found.

    They fix the failing rules whose ids begin with one of `about`; the rest is for other moves, if
    need be also what does not apply before.
    """
    there = [role for role in PLATFORM if outcome.plain.get(role)]
    asked = [outcome.judgement.asked[r] for r in sorted(outcome.rules) if r.startswith(about)]
    failing = [a for a in asked if a.scope & set(there)]
    if not failing:
        return None
    for spared in _spared(outcome.judgement):
        tried = _Platform(outcome, failing, there, spared)
        for number in range(2, len(there) + 1):
            found = [m for roles in combinations(there, number) if (m := tried.cheapest(roles))]
            if found:
                return min(found, key=lambda m: sum(o.price for o in m.values()))
    return None


def _spared(judgement: Judgement) -> Iterator[frozenset[str]]:
    """No rules, and then those about more than the platform that apply to nothing in a build."""
    yield frozenset()
    yield frozenset(
        rule
        for rule, verdict in judgement.verdicts.items()
        if verdict == PASS
        and judgement.asked[rule].rule.guard_reading
        and judgement.asked[rule].scope - {*PLATFORM}
        and all(verdict == NOT_APPLICABLE for _, verdict in judgement.spots(rule))
    )


def unpinned(outcome: Outcome) -> Iterator[tuple[str, int, str]]:
    """Sections, entries and keys that pin parts to places of the present board."""
    for section, key in _PLACES.items():
        for index, entry in enumerate(outcome.entries(section)):
            if key in entry:
                yield section, index, key


class _Platform:
    """A build of which some of these roles are open; some rules are `spared`."""

    def __init__(
        self, outcome: Outcome, failing: list[Asked], roles: list[str], spared: frozenset[str]
    ) -> None:
        self.outcome, self.judgement, self.failing = outcome, outcome.judgement, failing
        self.spared = spared
        self.laws: Laws = outcome.judgement.laws
        self.lists = {role: list(self._options(role)) for role in roles}
        self.hulls = {role: Hull(role, options) for role, options in self.lists.items()}

    def cheapest(self, roles: tuple[str, ...]) -> dict[str, Option] | None:
        """The cheapest parts for these roles with which nothing of that fails, as far as found."""
        hulls: dict[str, Option | Hull] = {role: self.hulls[role] for role in roles}
        filled = {**self.judgement.own, **hulls}
        if any(self.judgement.law.verdict(asked, filled) == FAIL for asked in self.failing):
            return None
        own, law = self._without_pins if "motherboard" in roles else self._as_it_is
        lists = {role: self.lists[role] if role in roles else [own[role]] for role in own}
        if not all(lists.values()):
            return None
        nodes = count(1)
        search = Search(
            Store(law, lists), stop=lambda: next(nodes) > MOST_NODES or self.laws.stop()
        )
        machine = next(search.solutions(), None)
        self.laws.go_on()
        return machine and {role: machine[role] for role in roles}

    def _options(self, role: str) -> Iterator[Option]:
        """Parts for a role that do no less than the present ones."""
        outcome = self.outcome
        number = outcome.plain[role].get("count", 1) if role == "cpu" else 1
        cores = outcome.facts("cpu.cores", outcome.graph.the("cpu"))
        for sort in self.laws.classes.of(SECTION_KIND[role]).classes:
            if not is_described(role, sort) or (
                role == "cpu" and cores is not None and sort.value("cores").low < cores.low
            ):
                continue
            for pieces in kits_for(outcome, sort) if role == "memory" else (number,):
                price = sort.price * pieces
                yield Option(role, (Unit(sort, pieces),), price, (price, 0))

    # Grounds

    @cached_property
    def _as_it_is(self) -> tuple[dict[str, Option], Law]:
        return self._over(self.outcome.loaded)

    @cached_property
    def _without_pins(self) -> tuple[dict[str, Option], Law]:
        """Parts are not held to places of a board that may go."""
        pins = [Change(path, None) for path in unpinned(self.outcome)]
        data = changed(self.outcome.plain, pins)
        return self._over(rebuilt(data, self.outcome.loaded.document))

    def _over(self, loaded: Loaded) -> tuple[dict[str, Option], Law]:
        """The options of a build for each role, at no cost, and the law without what may fail."""
        outcome, laws = self.outcome, self.laws
        own = {
            role: Option(role, given=option.given, cost=(0, 0))
            for role, option in Judgement(loaded, laws).own.items()
            if role in ROLES
        }
        left = (outcome.rules - {a.rule.id for a in self.failing}) | {r for r, _ in outcome.excused}
        waived = self.spared | {waiver.rule for waiver in loaded.build.waivers}
        over = laws.ground(resolve(loaded, laws.catalog).stated())
        return own, Law(laws.rulebook, over, left | waived, self.judgement.law.absent)
