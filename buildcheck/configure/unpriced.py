"""What a wish lacks a price of: parts without one, with which something would pass.

Where nothing that has a price is known to pass, the search is run once more with parts without a
price as well, each more expensive than anything, so that as few of them are taken as will do.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import takewhile
from typing import Any

from buildcheck.configure.answer import Unpriced
from buildcheck.configure.engine import SearchProblem
from buildcheck.configure.search.classes import Classes, classed
from buildcheck.configure.search.law import Law
from buildcheck.configure.search.lists import Lists
from buildcheck.configure.stopping import Stop
from buildcheck.configure.wish.model import CHEAPEST

#: What is booked for an entry without a price, in hundredths: more than any machine costs.
NOMINAL = 10**9
#: Boxes after which it is left at that.
MOST_NODES = 2000
#: GPUs are wished for by name, and most of those without a price are not sold.
_LEFT_OUT = frozenset({"gpus"})


class _All(Classes):
    """The classes of all parts: those without a price cost more than anything."""

    def made(self, kind: str) -> tuple[str, Callable[[], dict[str, Any]]]:
        """As of those with a price, under another key."""
        key, _ = super().made(kind)
        prices = dict.fromkeys(self.catalog.ids(kind), NOMINAL) | self.prices(kind)
        return f"{key} all", lambda: classed(kind, self.catalog, prices, self.trust)


def short(problem: SearchProblem, stop: Stop) -> dict[str, Any]:
    """What a wish is short of that nothing is known to meet, as the answer has it.

    Where what is given blocks everything, no part without a price is looked for.
    """
    if not all(problem.lists.values()):
        return {}
    held = tuple(rule.id for rule in problem.law.refusing(problem.open_machine))
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
        each = ([r.id for r in law.refusing(m) if r.id not in blocked] for m in machines)
        refusing = [*takewhile(bool, each)]
        if len(refusing) == len(machines):
            shared = [rule for rule in refusing[0] if all(rule in rules for rules in refusing)]
            found[role] = tuple(shared or dict.fromkeys(rules[0] for rules in refusing))
    return found


def unpriced(problem: SearchProblem, empty: Collection[str], stop: Stop) -> tuple[Unpriced, ...]:
    """The parts without a price, of `empty` sections, that a machine known to pass needs.

    Empty if no such machine is found.
    """
    old = problem.classes
    classes = _All(old.catalog, old.book, old.currency, old.trust)
    asked = problem.asking(problem.wish.but(budget=None, best=CHEAPEST))
    more = Lists(asked.wish, old.catalog, classes, problem.ground)
    lists = {r: more.of(r) if r in empty else list(o) for r, o in problem.lists.items()}
    # What is remembered of parts with a price goes by their place among those.
    law, spared = problem.law, problem.spared
    asked.law = Law(problem.engine.rulebook, law.ground, careful=law.is_careful, spared=spared)
    asked.law.log = law.log
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
    fitting = [o for o in options if not any(law.refusing({**hulls, role: o}))]
    return len({member.part for o in fitting for member in o.units[0].sort.members})
