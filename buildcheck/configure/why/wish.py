"""Why a wish cannot be met: which wishes, by which rules, and what each could be instead.

The oracle is the search itself, with some of the wishes left out. Where rules say for certain
that there is no machine, the wishes that they refuse are a conflict. Where there is none only
because something is not known, those are named with which nothing is known to pass.
"""

import math
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from typing import Any

from buildcheck.configure.common import Phrase, phrase
from buildcheck.configure.decisions import edge
from buildcheck.configure.engine import Engine
from buildcheck.configure.search.classes import CENTS, currency_of, money
from buildcheck.configure.search.conflicts import BUDGET
from buildcheck.configure.stopping import Stop, go_on, never
from buildcheck.configure.why import answer as answers
from buildcheck.configure.why.conflicts import explain, minimal_conflict
from buildcheck.configure.why.wishes import EIGHTHS, Found, Oracle, Wished, wishes_of, with_card
from buildcheck.configure.wish.model import CHEAPEST
from buildcheck.configure.wish.wish import Wish
from buildcheck.edit import named
from buildcheck.logic.quantity import Interval, exact, written

#: A wish that is given up as phrases, its value, and what a machine costs in hundredths.
_Become = tuple[tuple[Phrase, ...], Any, float]

#: Rules that are named by which machines within a budget are excluded.
MOST_NAMED = 3
#: What is named in the place of a rule where the catalogue has no part.
NO_PART = "catalogue"
#: The role that a wish is about, where that is called otherwise.
_ROLE = {"board": "motherboard", "platform": "motherboard"}


class WhyWish:
    """What conflicts in a wish; `stop` is asked whether to end with what there is."""

    def __init__(self, wish: Wish, engine: Engine, stop: Stop = never) -> None:
        self.wish = wish.but(best=CHEAPEST)
        self.engine = engine
        self.currency = currency_of(wish)
        self.money = partial(money, currency=self.currency)
        self.wishes = list(wishes_of(self.wish))
        self.oracle = Oracle(self.wish, self.wishes, engine, stop)
        self.budget = next((w for w in self.wishes if w.is_budget), None)

    def explanation(self) -> answers.WhyAnswer:
        """Conflicts with their ways out. Raises `InputError`."""
        name, oracle = self.wish.document.path, self.oracle
        found = oracle.best(self.wishes)
        if not found.is_refuted:
            if oracle.stop():
                return answers.WhyAnswer(name, "wish", None, complete=False, stopped=True)
            costs = phrase("cheapest-build", **self._costs(found)) if found.machine else None
            return answers.WhyAnswer(name, "wish", True, summary=costs or phrase("search-ended"))
        conflicts, ways, is_whole = explain(self.wishes, self._conflict)
        if not conflicts:
            begun = answers.ConflictAnswer(
                answers.conflict_members(self.wishes), (), certain=False, may_be_fewer=True
            )
            return answers.WhyAnswer(name, "wish", False, (begun,), complete=False, stopped=True)
        # It is not known whether it helps to give these up.
        open_ = [given_up for given_up in ways if not self._without(given_up).machine]
        explained = map(self._explained, conflicts)
        ways_out = tuple(self._way(given_up) for given_up in ways if given_up not in open_)
        return answers.WhyAnswer(
            name=name,
            of="wish",
            possible=False,
            conflicts=tuple(sorted(explained, key=lambda c: (not c.certain, len(c.members)))),
            ways_out=ways_out,
            prices_with_warnings=self.wish.careful is None and any(w.prices for w in ways_out),
            complete=is_whole and not open_,
            summary=self._summary(conflicts, open_),
            stopped=oracle.stop(),
        )

    def _summary(
        self, conflicts: Sequence[object], open_: Sequence[frozenset[Wished]]
    ) -> Phrase | None:
        if () in conflicts:
            return phrase("no-machine")
        least = [self._without(given_up).bound for given_up in open_ if self.budget in given_up]
        known = next((self.money(cents) for cents in least if cents > 0), None)
        named = [[w.what for w in self.wishes if w in given_up] for given_up in open_]
        return phrase("may-help", ways=named, budget_from=known) if open_ else None

    def _without(self, given_up: Collection[Wished | None]) -> Found:
        return self.oracle.best([w for w in self.wishes if w not in given_up])

    # Conflicts

    def _conflict(self, kept: Sequence[Wished]) -> tuple[Wished, ...] | None:
        """A minimal set of these wishes with which nothing passes; None if there is no such.

        One that is certain comes first, then one with which nothing is known to pass. Raises
        `StoppedError`.
        """
        found, best = None, self.oracle.best
        if best(kept).is_refuted:
            certain = minimal_conflict(kept, lambda s: not best(s, strict=False).is_refuted)
            found = certain or minimal_conflict(kept, lambda s: not best(s).is_refuted)
        go_on(self.oracle.stop)
        return found

    def _explained(self, conflict: tuple[Wished, ...]) -> answers.ConflictAnswer:
        """A conflict with what refuses it: a least set of rules, or a price, or want of a part."""
        certain = self.oracle.best(conflict, strict=False).is_refuted
        found = self.oracle.best(conflict, strict=not certain)
        lists = self.oracle.problem(self.oracle.made(conflict)).lists
        empty = [role for role, options in lists.items() if not options]
        if len(empty) == len(lists):
            rules = [
                answers.BrokenRule(NO_PART, reason=phrase("no-prices", currency=self.currency))
            ]
        elif empty:
            reasons = (phrase("no-part", section=role) for role in empty)
            rules = [answers.BrokenRule(NO_PART, reason=reason) for reason in reasons]
        elif self.budget in conflict:
            rules = [answers.BrokenRule(BUDGET, reason=self._least(conflict))]
        else:
            rules = self._ruled(conflict, found, strict=not certain)
        return answers.ConflictAnswer(
            answers.conflict_members(conflict), tuple(rules), certain=certain
        )

    def _ruled(
        self, conflict: Collection[Wished], found: Found, *, strict: bool
    ) -> list[answers.BrokenRule]:
        """The rules by which nothing passes, or is known to."""
        rules = [r for r in found.rules if self.engine.rulebook.get(r)]
        reason = phrase("none-known-to-pass") if strict else None
        best = partial(self.oracle.best, conflict, strict=strict)
        least = minimal_conflict(rules, lambda some: not best(rules=some).is_refuted)
        titles = {r.id: r.title for r in self.engine.rulebook.rules}
        return [answers.BrokenRule(r, titles[r], reason=reason) for r in least or rules]

    def _least(self, conflict: Sequence[Wished]) -> Phrase:
        """The least price at which the rest of a conflict can be had, as far as it is known.

        Where that is no more than the budget, what refuses the machines within it.
        """
        others = [w for w in conflict if w is not self.budget]
        found, what = self._without({self.budget}), "other-wishes"
        if found.is_refuted:
            # There is no such machine for another reason, which is shown as well.
            found, what = self.oracle.best(others), "these-wishes" if others else "any"
        if found.machine is not None and found.is_whole:
            return phrase("cheapest", what=what, price=self.money(found.price))
        if found.is_refuted:
            return phrase("none-known", what=what)
        if self.wish.budget and found.bound <= self.wish.budget.amount * CENTS:
            rules = [r for r in found.rules if self.engine.rulebook.get(r)][:MOST_NAMED]
            return phrase("none-within", rules=rules)
        return phrase("at-least", what=what, price=self.money(found.bound))

    # Ways out

    def _way(self, given_up: frozenset[Wished]) -> answers.WayOut:
        kept = [w for w in self.wishes if w not in given_up]
        wishes = [w for w in self.wishes if w in given_up]
        # Of several that are given up together the last comes with the price.
        become = {named(w.path): self._become(w, kept, is_last=w is wishes[-1]) for w in wishes}
        price = max(cents for *_, cents in become.values())
        return answers.WayOut(
            tuple(phrase for phrases, *_ in become.values() for phrase in phrases),
            ", ".join(become),
            {path: value for path, (_, value, _) in become.items()},
            (self.money(price),) if price else (),
        )

    def _become(self, wished: Wished, kept: Sequence[Wished], *, is_last: bool) -> _Become:
        """What a wish would have to be, and what the machine costs then, in hundredths."""
        found = self.oracle.best(kept)
        if wished.is_budget:
            text = f"{math.ceil(found.price / CENTS)} {self.currency}"
            return (phrase("budget-from", money=text),), text, found.price
        if wished.path[1:2] == ("gpus",) and wished.path[-1] in ("count", "memory_total"):
            less = self._less(wished, kept)
            if less is not None:
                return less
        then = self._instead(wished, found, is_last=is_last)
        return (wished.given_up, *then), None, found.price

    def _less(self, wished: Wished, kept: Sequence[Wished]) -> _Become | None:
        """The most GPUs that can be had, or of their memory in eighths of what is wished for."""
        index, name = int(wished.path[2]), str(wished.path[-1])
        card, made = self.wish.gpus[index], self.oracle.made(kept)
        total, is_count = card.memory_total, name == "count"
        steps = int(card.number.low) if is_count else EIGHTHS
        each = total.low / EIGHTHS if total and not is_count else 1.0

        def with_(number: int) -> Found:
            amount = exact(number * each) if is_count else Interval(number * each, math.inf)
            return self.oracle.of(with_card(index, **{name: amount})(made))

        most = edge(1, steps, lambda number: with_(number).machine is not None)
        if most is None:
            return None
        costs, price = self._costs(with_(most)), with_(most).price
        if is_count:
            return (phrase("gpus-at-most", count=most, **costs),), most, price
        is_most = most + 1 == EIGHTHS or with_(most + 1).is_refuted
        amount = f"{written(exact(each * most))} GB"
        return (
            (phrase("gpu-memory-at-most", amount=amount, is_most=is_most, **costs),),
            amount,
            price,
        )

    def _costs(self, found: Found) -> dict[str, Any]:
        """What a machine costs, and whether there is no cheaper one."""
        return {"price": self.money(found.price), "is_best": found.is_whole}

    def _instead(self, wished: Wished, found: Found, *, is_last: bool) -> Iterator[Phrase]:
        """What the cheapest machine costs, and has where something else was wished for."""
        if found.machine is None:
            return
        if is_last:
            yield phrase("then-costs", **self._costs(found))
        place = str(wished.path[min(1, len(wished.path) - 1)])
        option = found.machine.get(_ROLE.get(place, place))
        if option and option.units:
            names = self.engine.catalog.index
            parts = {names.name(unit.sort.part): unit.number for unit in option.units}
            yield phrase("with-parts", parts=parts)
