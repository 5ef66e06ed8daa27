"""What the machines of a box cost at least.

A role counts with the cheapest of what it leads to: a board with the CPU and the memory that go
with it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from buildcheck.configure.search.boxes import LEADS, LED, added
from buildcheck.configure.search.space import Hull

if TYPE_CHECKING:
    from buildcheck.configure.search.asking import RuleOrder
    from buildcheck.configure.search.boxes import Box, Domain, Left, PartialMachine
    from buildcheck.configure.search.law import Asked
    from buildcheck.configure.search.space import Cost, Option

#: The place of money in what an option costs; its order among equals comes last.
PRICE = -2


class Costs:
    """Lower bounds over lists of options."""

    def __init__(self, asking: RuleOrder, lists: dict[str, list[Option]]) -> None:
        self.asking, self.law = asking, asking.law
        self.hulls = {r: Hull(r, options) for r, options in lists.items()}
        self._least_known: dict[tuple[object, ...], Cost] = {}
        self._cheapest_known: dict[tuple[int, ...], tuple[Cost, list[int]]] = {}
        self._pairs: dict[tuple[str, str], tuple[int, tuple[list[Asked], tuple[str, ...]]]] = {}

    def forget(self) -> None:
        """Work out anew what goes with what; lists keep what their options cost at least."""
        self._least_known.clear()
        self._cheapest_known.clear()

    def bound(self, box: Box) -> Cost:
        """No machine of a box costs less."""
        return max(self.least_of(box), box.floor)

    def least_price(self, box: Box, bound: Cost) -> float:
        """No machine of a box costs less money, whatever it is to be best at."""
        if len(bound) == -PRICE:
            return bound[PRICE]
        filled = sum(o.price for o in box.filled.values())
        return filled + sum(left.domain.cheapest[left.at] for left in box.left.values())

    def least_of(self, box: Box) -> Cost:
        """The sum of the best that is left."""
        parts = [o.cost for o in box.filled.values()]
        parts += [self.cheapest(box, r)[0] for r in box.left if LED.get(r) not in box.left]
        return added(parts)

    def cheapest(self, box: Box, role: str) -> tuple[Cost, list[int]]:
        """What the best option of an open role costs with those it leads to, and which do so."""
        domain, at = box.left[role]
        led = [box.left[r] for r in LEADS.get(role, ()) if r in box.left]
        if not led:
            return domain.whole[at], [at]
        key = (
            self.law.version,
            domain.hull.serial,
            at,
            *(n for o in led for n in (o.domain.hull.serial, o.at)),
        )
        found = self._cheapest_known.get(key)
        if found is None:
            found = self._cheapest_known[key] = self._scan(domain, at, led)
        return found

    def _scan(self, domain: Domain, at: int, led: list[Left]) -> tuple[Cost, list[int]]:
        """The same, option by option."""
        role = domain.role
        best: Cost | None = None
        places: list[int] = []
        for place in range(at, len(domain.options)):
            if best is not None and domain.whole[place] > best:
                break
            option = domain.options[place]
            cost = added([option.cost, *(self.least(role, option, o.domain, o.at) for o in led)])
            if best is None or cost < best:
                best, places = cost, [place]
            elif cost == best:
                places.append(place)
        return best or domain.whole[at], places

    def least(self, role: str, option: Option, other: Domain, at: int = 0) -> Cost:
        """What the cheapest option of another role costs, from a place on, that matches one."""
        rules, fields = self.pair(role, other.role)
        key = (role, other.hull.serial, at, option.cells(fields))
        known = self._least_known
        if key in known:
            return known[key]
        machine: PartialMachine = {**self.hulls, role: option}
        found = tuple(math.inf for _ in option.cost)
        for cost, candidate in zip(other.whole[at:], other.options[at:], strict=True):
            machine[other.role] = candidate
            if not any(self.asking.refuses(a, machine) for a in rules):
                found = cost
                break
        if self.pair(role, other.role) != (rules, fields):
            # More was read than before: what looked equal may not be.
            known.clear()
        known[key] = found
        return found

    def pair(self, role: str, other: str) -> tuple[list[Asked], tuple[str, ...]]:
        """The rules that are about two roles and no more, and what they read of the first."""
        key = (role, other)
        found = self._pairs.get(key)
        if found is None or found[0] != self.law.version:
            rules = [a for a in self.law.asked if a.scope == {role, other}]
            found = self._pairs[key] = (self.law.version, (rules, tuple(fields_of(rules, role))))
        return found[1]


def fields_of(rules: list[Asked], role: str) -> list[str]:
    """What rules were seen to read of a role."""
    return sorted(frozenset().union(*(a.fields(role) for a in rules)))
