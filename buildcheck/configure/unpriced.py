"""What a wish lacks a price of: parts without one, with which something would pass.

Where nothing that has a price is known to pass, the search is run once more with parts without a
price as well, each more expensive than anything, so that as few of them are taken as will do.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterator, Mapping
from itertools import takewhile
from typing import Any

from buildcheck.configure.answer import Unpriced
from buildcheck.configure.engine import SearchProblem
from buildcheck.configure.search.classes import Classes, classed
from buildcheck.configure.search.law import FAIL, UNKNOWN, Law
from buildcheck.configure.search.lists import Lists
from buildcheck.configure.search.space import Hull, Option
from buildcheck.configure.stopping import Stop
from buildcheck.configure.wish.model import CHEAPEST

#: What is booked for an entry without a price, in hundredths: more than any machine costs.
NOMINAL = 10**9
#: Boxes after which it is left at that.
MOST_NODES = 2000
#: GPUs are wished for by name, and most of those without a price are not sold.
_LEFT_OUT = frozenset({"gpus"})
#: What is said of a machine that is not known to pass.
_BAD = (FAIL, UNKNOWN)


class _All(Classes):
    """The classes of all parts: those without a price cost more than anything."""

    def _data(self, kind: str) -> dict[str, Any]:
        prices = self.prices(kind)
        for part in self.catalog.ids(kind):
            prices.setdefault(part, NOMINAL)
        return classed(kind, self.catalog, prices, self.trust)


def short(problem: SearchProblem, stop: Stop) -> dict[str, Any]:
    """What a wish is short of that nothing is known to meet, as the answer has it.

    Where what is given blocks everything, no part without a price is looked for.
    """
    if not all(problem.lists.values()):
        return {}
    held = tuple(_refusing(problem.law, problem.open_machine))
    empty = unmet(problem, held)
    lacks = unpriced(problem, empty, stop) if empty and not held else ()
    return {"blocked_by": held, "unmet": empty, "unpriced": lacks}


def unmet(problem: SearchProblem, blocked: Collection[str]) -> dict[str, tuple[str, ...]]:
    """The open sections of which no part is known to pass with what is given, and by which rules.

    Each part is asked for with everything that is still open; `blocked` rules refuse all of them.
    """
    law, hulls = problem.law, problem.open_machine
    found: dict[str, tuple[str, ...]] = {}
    for role, options in problem.lists.items():
        if options[0].given or role in _LEFT_OUT:
            continue
        machines = [{**hulls, role: option} for option in options]
        firsts = (next(_refusing(law, machine, blocked), "") for machine in machines)
        rules = [*takewhile(bool, firsts)]
        if len(rules) == len(machines):
            shared = (a for a in law.asked if all(law.verdict(a, m) in _BAD for m in machines))
            named = tuple(a.rule.id for a in shared if a.rule.id not in blocked)
            found[role] = named or tuple(dict.fromkeys(rules))
    return found


def _refusing(
    law: Law, machine: Mapping[str, Option | Hull], but: Collection[str] = ()
) -> Iterator[str]:
    """The rules but some by which a machine, roles still open, is not known to pass."""
    asked = (a for a in law.asked if a.rule.id not in but)
    return (a.rule.id for a in asked if law.verdict(a, machine) in _BAD)


def unpriced(problem: SearchProblem, empty: Collection[str], stop: Stop) -> tuple[Unpriced, ...]:
    """The parts without a price, of `empty` sections, that a machine known to pass needs.

    Empty if no such machine is found.
    """
    old, asked = problem.classes, copy.copy(problem)
    classes = _All(old.catalog, old.book, old.currency, old.trust)
    asked.text, asked.wish = "", problem.wish.but(budget=None, best=CHEAPEST)
    more = Lists(asked.wish, old.catalog, classes, problem.ground)
    lists = {r: more.of(r) if r in empty else list(o) for r, o in problem.lists.items()}
    asked.lists = asked.valued(lists)
    machine = next(asked.search(nodes=MOST_NODES, stop=stop).solutions(), {})
    name = old.catalog.index.name
    return tuple(
        Unpriced(role, u.sort.part, name(u.sort.part), u.number, _fitting(asked, role) - 1)
        for role, option in machine.items()
        for u in option.units
        if u.sort.price >= NOMINAL
    )


def _fitting(problem: SearchProblem, role: str) -> int:
    """How many parts without a price no rule refuses with what is given."""
    law, hulls = problem.law, problem.open_machine
    options = [o for o in problem.lists[role] if o.units[0].sort.price >= NOMINAL]
    fitting = [o for o in options if not any(_refusing(law, {**hulls, role: o}))]
    return len({member.part for o in fitting for member in o.units[0].sort.members})
