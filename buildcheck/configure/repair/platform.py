"""Board, CPU, memory and cooler exchanged together: the cheapest with which the rest passes."""

from __future__ import annotations

import copy
import math
from itertools import combinations
from typing import TYPE_CHECKING, Any

from buildcheck.configure.repair.parts import is_described
from buildcheck.configure.search.law import FAIL, Law
from buildcheck.configure.search.space import Hull, Option, Unit
from buildcheck.configure.wish.model import FIXED
from buildcheck.configure.wish.wish import AmountWish, CpuWish, Wish
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.quantity import Interval
from buildcheck.proposals import proposals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.configure.engine import Engine, Problem
    from buildcheck.configure.repair.trial import Outcome
    from buildcheck.configure.search.classes import Classes
    from buildcheck.configure.search.law import Asked
    from buildcheck.configure.standing import Standing

#: What has to match on a board, the firmest first.
PLATFORM = ("motherboard", "cpu", "memory", "cpu_cooler")
#: Boxes of machines that are looked at for each set of parts.
MOST_BOXES = 300
#: What pins a part to a place on the board.
_PLACES = {"gpus": "slots", "add_in_cards": "slots", "storage": "socket"}


def platform(
    outcome: Outcome, engine: Engine, standing: Standing, about: tuple[str, ...]
) -> dict[str, Option] | None:
    """As few of these parts as will do, exchanged for the cheapest; None if none are found.

    They mend the failing rules whose ids begin with one of `about`; the rest is for other moves.
    """
    there = [role for role in PLATFORM if outcome.plain.get(role)]
    asked = [standing.asked[r] for r in sorted(outcome.rules) if r.startswith(about)]
    failing = [a for a in asked if a.scope & set(there)]
    if not failing:
        return None
    hulls = {role: Hull(role, _described(role, standing.laws.classes)) for role in there}
    skip = (outcome.rules - {a.rule.id for a in failing}) | {rule for rule, _ in outcome.excused}
    for number in range(2, len(there) + 1):
        found = [
            machine
            for roles in combinations(there, number)
            if not _is_refused(standing, failing, {role: hulls[role] for role in roles})
            and (machine := _cheapest(outcome, engine, standing, roles, skip))
        ]
        if found:
            return min(found, key=lambda m: sum(o.price for o in m.values()))
    return None


def _is_refused(standing: Standing, failing: list[Asked], hulls: dict[str, Hull]) -> bool:
    """Does one of these rules fail whatever stands in some roles, with the rest as it is?"""
    filled: dict[str, Option | Hull] = {**standing.own, **hulls}
    return any(standing.law.verdict(asked, filled) == FAIL for asked in failing)


def _described(role: str, classes: Classes) -> list[Option]:
    """Every part for a role that could be proposed."""
    sorts = classes.of(SECTION_KIND[role]).classes
    numbers = proposals().kits if role == "memory" else (1,)
    return [
        Option(role, (Unit(sort, n),), sort.price * n)
        for sort in sorts
        if is_described(role, sort)
        for n in numbers
    ]


def unpinned(outcome: Outcome) -> Iterator[tuple[str, int, str]]:
    """Sections, entries and keys that pin parts to places of the present board."""
    for section, key in _PLACES.items():
        for index, entry in enumerate(outcome.entries(section)):
            if key in entry:
                yield section, index, key


def _cheapest(
    outcome: Outcome,
    engine: Engine,
    standing: Standing,
    roles: tuple[str, ...],
    skip: frozenset[str],
) -> dict[str, Option] | None:
    problem = _problem(outcome, engine, standing, roles, skip)
    if not all(problem.lists.values()):
        return None
    boxes = 0

    def stop() -> bool:
        nonlocal boxes
        boxes += 1
        return boxes > MOST_BOXES

    machine = next(problem.search(stop=stop).solutions(), None)
    return machine and {role: machine[role] for role in roles}


def _problem(
    outcome: Outcome,
    engine: Engine,
    standing: Standing,
    roles: tuple[str, ...],
    skip: frozenset[str],
) -> Problem:
    """The build with some roles open, of parts that do no less than the present ones."""
    data: dict[str, Any] = copy.deepcopy(outcome.plain)
    if "motherboard" in roles:
        for section, index, key in unpinned(outcome):
            data[section][index].pop(key)
    wish = Wish(
        document=outcome.loaded.document,
        cpu=CpuWish.model_construct(cores=_at_least(outcome, "cpu.cores")),
        memory=AmountWish.model_construct(total=_at_least(outcome, "memory.total")),
        fixed={n: data[n] for n in FIXED if data.get(n)},
        owned={
            n: data[n] for n in SECTION_KIND if data.get(n) and n not in FIXED and n not in roles
        },
    )
    problem = engine.problem(wish)
    for role, options in problem.lists.items():
        if not outcome.plain.get(role):
            stands = standing.own[role]
            stands.cost = (0, 0)
            problem.lists[role] = [stands]
        elif role in roles:
            problem.lists[role] = [o for o in options if is_described(role, o.units[0].sort)]
    waived = {waiver.rule for waiver in outcome.loaded.build.waivers}
    problem.law = Law(engine.rulebook, problem.ground, skip | waived, standing.law.absent)
    return problem


def _at_least(outcome: Outcome, name: str) -> Interval | None:
    """No less than now, where that is known."""
    kind = name.partition(".")[0]
    now = outcome.facts(name, outcome.graph.the(kind))
    return Interval(now.low, math.inf) if now is not None and now.is_known else None
