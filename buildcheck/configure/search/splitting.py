"""Where to cut a box, once a rule was in the way of its best machine."""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

from buildcheck.configure.search.boxes import LEADS, LED, Left, chain, machine_of
from buildcheck.configure.search.law import FAIL

if TYPE_CHECKING:
    from buildcheck.configure.search.asking import RuleOrder
    from buildcheck.configure.search.boxes import (
        Box,
        BoxPart,
        Domain,
        Filled,
        Machine,
        PartialMachine,
    )
    from buildcheck.configure.search.costs import Costs
    from buildcheck.configure.search.law import Asked
    from buildcheck.configure.search.space import Cost

#: The share of its least cost by which it is first tried to raise a box.
FIRST_LIFT = 1 / 2048
#: Roles whose lists are cut into parts; the others are few once these are filled.
CUT = ("gpus", "psus")
#: So few options of a role are looked at one by one before those of others.
FEW = 3
#: Options of a role that are tried to see whether another would help.
SAMPLES = 5


class Culprit(NamedTuple):
    """The rule by which an option of a role could not stand with a machine."""

    role: str
    rule: Asked | None
    machine: Machine


class Splitting:
    """Boxes raised to what they must cost, or cut into smaller ones."""

    def __init__(self, asking: RuleOrder, costs: Costs, roles: list[str]) -> None:
        self.asking, self.costs, self.roles = asking, costs, roles
        self.law = asking.law
        self._telling: dict[tuple[str, str], str] = {}

    def lift(self, box: Box, culprit: Culprit, bound: Cost) -> bool:
        """Raise what a box must cost: to where the rule is no longer broken for certain."""
        rule = culprit.rule
        if rule is None or rule.is_local or not rule.scope & set(box.left):
            return False
        least = self.costs.least_of(box)[0]
        if not math.isfinite(least):
            # Nothing goes with an option that leads to others: a rule about those two tells.
            return False
        step = max(2 * (bound[0] - least), abs(least) * FIRST_LIFT)
        raised = None
        while self.law.verdict(rule, self._within(box, step)) == FAIL:
            raised = least + step
            step *= 2
            if step > abs(least):
                break
        if raised is None:
            return False
        dearest = sum(self._dearest(box, role) for role in box.left)
        # Options that cost more than these are compatible with nothing.
        floor = math.floor(raised) + 1 if raised <= dearest else math.inf
        box.floor = (floor, *(-math.inf for _ in bound[1:]))
        return True

    def _dearest(self, box: Box, role: str) -> float:
        """The most that an option of an open role costs that goes with anything."""
        domain, at = box.left[role]
        return max((c[0] for c in domain.whole[at:] if math.isfinite(c[0])), default=0.0)

    def _within(self, box: Box, more: float) -> Filled:
        """A box with the options alone that cost no more than so much above the best."""
        machine: PartialMachine = dict(box.filled)
        most: dict[str, float] = {}
        for role in sorted(box.left, key=lambda r: len(chain(r))):
            domain, at = box.left[role]
            base = most.get(role, domain.whole[at][0])
            end = at + 1
            while end < len(domain.options) and domain.whole[end][0] <= base + more:
                end += 1
            machine[role] = domain.prefix(end)
            for led in LEADS.get(role, ()):
                if led in box.left:
                    costs = (
                        self.costs.least(role, o, *box.left[led])[0] for o in domain.options[at:end]
                    )
                    most[led] = max(costs)
        return {r: machine[r] for r in self.roles}

    def split(self, box: Box, culprit: Culprit) -> list[Box]:
        """Cut a box at the first role that a rule was in the way for.

        Nothing if the rule strikes off the whole box.
        """
        if self._struck(box, culprit):
            return [box]
        role = self._matters(box, culprit)
        if not role:
            # The rule is about filled roles alone.
            return []
        while LED.get(role) in box.left:
            # What it costs counts with what leads to it, which is filled before.
            role = LED[role]
        left = box.left[role]
        parts = self._parts(culprit, left.domain) or left.domain.kin
        if parts:
            return [
                box.narrowed(role, Left(domain, bisect_left(places, left.at)))
                for domain, places in parts
            ]
        found = [box.narrowed(role, option=left.first)]
        if left.at + 1 < len(left.domain.options):
            rest = box.narrowed(role, Left(left.domain, left.at + 1))
            # Its hull is what it was.
            rest.fresh = box.fresh
            found.append(rest)
        return found

    def _parts(self, culprit: Culprit, domain: Domain) -> list[BoxPart]:
        """The parts of a list that the rule distinguishes: bad for one, not for another."""
        if culprit.rule is None or domain.role not in CUT:
            return []
        key = (culprit.rule.rule.id, domain.role)
        names = sorted(
            culprit.rule.fields(domain.role), key=lambda n: (n != self._telling.get(key), n)
        )
        for name in names:
            parts = domain.cut(name)
            known = [
                self.asking.refuses(culprit.rule, {**culprit.machine, domain.role: p.domain.hull})
                for p in parts
            ]
            if True in known and False in known:
                self._telling[key] = name
                return parts
        return []

    def _struck(self, box: Box, culprit: Culprit) -> bool:
        """Is an option out whatever the other roles are filled with? Then the rule tells."""
        if culprit.rule is None or culprit.role not in box.left:
            return False
        option = culprit.machine[culprit.role]
        alone = {**machine_of(box), culprit.role: option}
        if not self.asking.refuses(culprit.rule, alone):
            return False
        if option is not box.left[culprit.role].first:
            return False
        if not self.asking.tell(box, culprit.role, culprit.rule):
            return False
        box.sure = set()
        return True

    def _matters(self, box: Box, culprit: Culprit) -> str:
        """The first open role without which the rule would not be in the way."""
        rule = culprit.rule
        if rule is None:
            return culprit.role
        left = box.left.get(culprit.role)
        if (
            left
            and len(left.domain.options) - left.at <= FEW
            and self._differs(box, culprit.role, rule)
        ):
            # Of few options each is soon looked at, and then more can be said of the others.
            return culprit.role
        whole = machine_of(box)
        scope = [r for r in self.roles if r in box.left and self._differs(box, r, rule)]
        last = [r for r in scope if r == "gpus" and box.left[r].domain.is_kin]
        first = [r for r in scope if r not in last]
        decided = not {"gpus", "motherboard"} & set(first)
        # Which limit the cards are held at is best left to the end.
        own = [culprit.role] if culprit.role in first else []
        first.sort(key=lambda r: r != "motherboard")
        tried = [r for r in first if r != culprit.role] + ([*own, *last] if decided else [])
        for role in tried:
            lifted = {**culprit.machine, role: whole[role]}
            if not self.asking.refuses(rule, lifted) and self._helps(box, culprit, role):
                return role
        # No one role is to blame alone: all that it is about are, one after another.
        return next(iter([*first, *last]), culprit.role)

    def _differs(self, box: Box, role: str, asked: Asked) -> bool:
        """Do the options of an open role differ in what a rule reads?"""
        hull = box.left[role].domain.hull
        return any(hull.is_open(name) for name in asked.fields(role))

    def _helps(self, box: Box, culprit: Culprit, role: str) -> bool:
        """Does the rule let the machine pass with another option of a role? A few are tried."""
        domain, at = box.left[role]
        step = max(1, (len(domain.options) - at - 1) // SAMPLES)
        rule = culprit.rule
        return rule is not None and any(
            not self.asking.refuses(rule, {**culprit.machine, role: option})
            for option in domain.options[at + step :: step]
        )
