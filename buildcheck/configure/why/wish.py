"""Why a wish cannot be met: which wishes, by which rules, and what each could be instead.

The oracle is the search itself, with some of the wishes left out. Where rules say for certain
that there is no machine, the wishes that they refuse are a conflict. Where there is none only
because something is not known, those are named with which nothing is known to pass.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from buildcheck.configure.search.classes import CENTS, ROLES, currency_of
from buildcheck.configure.search.listing import KNOWN
from buildcheck.configure.stopping import StoppedError, never
from buildcheck.configure.why.conflicts import explain, shrunk_conflict
from buildcheck.configure.why.oracle import BUDGET, MOST_BOXES, Oracle
from buildcheck.configure.why.why import (
    WHY,
    Broken,
    Conflict,
    Explanation,
    Way,
    called,
    way,
)
from buildcheck.configure.why.wishes import EIGHTHS, WISHED, wishes_of
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.quantity import Interval, exact, number_text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from buildcheck.configure.engine import Engine
    from buildcheck.configure.stopping import Stop
    from buildcheck.configure.why.oracle import Found
    from buildcheck.configure.why.wishes import Wished
    from buildcheck.configure.wish.wish import Wish
    from buildcheck.source import Path

#: So many rules are named that cannot be judged.
MOST_UNSURE = 1
#: So many wishes are given up together.
AT_ONCE = 2
#: So many rules are asked alone before several are asked together.
MOST_ALONE = 3
#: Parts that are named of which something is not known.
MOST_WANTED = 2
#: Rules that are named by which machines within a budget are excluded.
MOST_NAMED = 3
#: What stands where the rules are, if it is no rule that is in the way.
NO_PART = "catalogue"
_ROLE = {
    **{n: n for n in ("gpus", "cpu", "memory", "storage", "psus", "case", "motherboard")},
    "board": "motherboard",
    "platform": "motherboard",
}


def why_wish(
    wish: Wish,
    engine: Engine,
    stop: Stop = never,
    begun: Callable[[Oracle], None] = lambda _: None,
) -> Explanation:
    """What stands in the way of a wish. Raises `InputError`.

    `stop` is asked between the steps whether to end with what there is; `begun` is told of what
    is asked again and again.
    """
    asked = _WhyWish(wish, engine, stop)
    begun(asked.oracle)
    return asked.explanation()


class _WhyWish:
    def __init__(self, wish: Wish, engine: Engine, stop: Stop = never) -> None:
        self.wish = replace(wish, best={"price": 1.0})
        self.engine = engine
        self.currency = currency_of(wish)
        self.wishes = list(wishes_of(self.wish))
        self.oracle = Oracle(self.wish, self.wishes, engine, stop)
        self.budget = self.oracle.budget
        #: Sets of wishes that were given up, of which it is not known whether that helps.
        self.open: list[frozenset[Wished]] = []
        self.stopped = False

    def explanation(self) -> Explanation:
        """Conflicts with their ways out."""
        name = self.wish.document.path
        try:
            found = self.oracle.best(self.wishes, boxes=MOST_BOXES)
        except StoppedError:
            return Explanation(name, "wish", (), (), is_whole=False, stopped=True)
        if not found.is_refuted:
            return Explanation(name, "wish", (), (), said=self._said(found))
        try:
            certain = self._conflict(self.wishes, strict=False)
            first = certain or self._conflict(self.wishes, strict=True)
        except StoppedError:
            return self._begun(name)
        if not first:
            said = WISHED("no_machine")
            empty = Conflict((), self._rules((), strict=certain is None), certain=certain == ())
            return Explanation(name, "wish", (empty,), (), said=said)
        explained = explain(
            self.wishes,
            lambda kept: self._conflict(kept, strict=True),
            self._works,
            [first],
            AT_ONCE,
        )
        sets = [s for s in explained.ways if s not in self.open]
        conflicts = tuple(self._told(c, sets) for c in explained.conflicts)
        return Explanation(
            name=name,
            what="wish",
            conflicts=conflicts,
            counted=self._counted(found, conflicts[0]),
            ways=(ways := tuple(map(self._way, sets))),
            warned=self.wish.careful is None and any(way.price for way in ways),
            is_whole=explained.is_whole and not self.open,
            said=self._unsearched(),
            stopped=explained.stopped or self.stopped,
            untried=tuple(self._named(s) for s in explained.untried),
        )

    @staticmethod
    def _counted(found: Found, first: Conflict) -> str:
        """The rule that `configure` counts most builds under, if it is none that is told first."""
        rule = next(iter(found.rules), "")
        named = {broken.id for broken in first.rules}
        return rule if named and rule not in named and rule != BUDGET else ""

    def _begun(self, name: str) -> Explanation:
        """The wishes that are known to be in each other's way; fewer of them may be as well."""
        known = self.oracle.refuted(self.wishes)
        members = known.core if known else tuple(self.wishes)
        certain = known is not None and not known.strict
        conflict = Conflict(tuple(w.member for w in members), (), certain=certain, minimal=False)
        return Explanation(name, "wish", (conflict,), (), is_whole=False, stopped=True)

    def _named(self, given_up: frozenset[Wished]) -> str:
        return WHY("and").join(w.text for w in self.wishes if w in given_up)

    def _said(self, found: Found) -> str:
        if found.machine is None:
            return WISHED("search_ended")
        return WISHED("nothing_in_the_way", price=self._money(found.price))

    def _unsearched(self) -> str:
        if not self.open:
            return ""
        ways = "; ".join(map(self._named, self.open))
        least = [self._below(s) for s in self.open if self.budget in s]
        known = [WISHED("budget_below", price=self._money(cents)) for cents in least if cents > 0]
        return WISHED("may_help", ways=ways, number=MOST_BOXES) + "".join(known[:1])

    def _below(self, given_up: frozenset[Wished]) -> float:
        """No machine costs less with these given up; zero where it was stopped."""
        kept = [w for w in self.wishes if w not in given_up]
        try:
            return self.oracle.best(kept, boxes=MOST_BOXES).bound
        except StoppedError:
            self.stopped = True
            return 0.0

    def _money(self, cents: float) -> str:
        return f"{cents / CENTS:.2f} {self.currency}"

    # Conflicts

    def _conflict(self, kept: Sequence[Wished], *, strict: bool) -> tuple[Wished, ...] | None:
        """A minimal set of these wishes with which nothing passes; None if there is no such."""

        def stands(some: Sequence[Wished]) -> bool:
            return self.oracle.meets(some, strict=strict) is not False

        def core(some: Sequence[Wished]) -> Sequence[Wished]:
            known = self.oracle.refuted(some, strict=strict)
            return known.core if known else some

        # A way out is looked for as long as it is below.
        if self.oracle.meets(kept, strict=strict, boxes=MOST_BOXES) is not False:
            return None
        return shrunk_conflict(kept, stands, core)

    def _told(self, conflict: tuple[Wished, ...], sets: list[frozenset[Wished]]) -> Conflict:
        rules: tuple[Broken, ...] = ()
        certain = self.oracle.refuted(conflict, strict=False) is not None
        try:
            certain = self.oracle.meets(conflict, strict=False) is False
            rules = self._rules(conflict, strict=not certain)
        except StoppedError:
            self.stopped = True
        return Conflict(
            members=tuple(w.member for w in conflict),
            rules=rules,
            ways_out=tuple(n for n, s in enumerate(sets) if s & set(conflict)),
            certain=certain,
        )

    def _rules(self, conflict: Sequence[Wished], *, strict: bool) -> tuple[Broken, ...]:
        """What refuses these wishes: a least set of rules, or a price, or that there is no part."""
        known = self.oracle.refuted(conflict, strict=strict)
        found = known.found if known else self.oracle.best(conflict, strict=strict)
        if set(found.empty) == set(ROLES):
            return (Broken(NO_PART, WISHED("no_prices", currency=self.currency)),)
        if found.empty:
            return tuple(self._missing(role) for role in found.empty)
        if self.budget in conflict:
            return (Broken(BUDGET, self._least(conflict, found)),)
        # With more wishes there is less to look through, and the same is read of what decides.
        asked = known.kept - {self.budget} if known else conflict
        return tuple(self._ruled(asked, found, strict=strict))

    def _ruled(self, conflict: Collection[Wished], found: Found, *, strict: bool) -> list[Broken]:
        """The rules by which nothing passes, or is known to."""
        if strict and (unsure := self._unsure(conflict, found)):
            return unsure
        broken = []
        for name in self._needed(conflict, found, strict=strict):
            rule = self.engine.rulebook.get(name)
            if rule:
                text = WISHED("unsure_rule", title=rule.title) if strict else rule.title
                broken.append(Broken(rule.id, text))
        return broken

    def _needed(self, conflict: Collection[Wished], found: Found, *, strict: bool) -> list[str]:
        """Rules that refuse every machine, none of which can be left out."""
        needed = [r for r in found.rules if self.engine.rulebook.get(r)]
        for rule in needed[:MOST_ALONE]:
            if self.oracle.best(conflict, strict=strict, rules=[rule]).is_refuted:
                return [rule]
        for rule in reversed(found.rules):
            # Of parts that there are some machine passes where no rule is asked.
            if rule in needed and len(needed) > 1:
                rest = [r for r in needed if r != rule]
                without = self.oracle.best(conflict, strict=strict, rules=rest)
                if without.is_refuted:
                    needed = [r for r in rest if r in without.rules]
        return needed

    def _unsure(self, conflict: Collection[Wished], found: Found) -> list[Broken]:
        """The rules that cannot be judged of many parts, and for want of what.

        They are told from those that refuse: nobody knows what these parts would come to.
        """
        told: dict[str, list[str]] = {}
        for (role, name), rule in KNOWN.items():
            if rule in found.rules:
                parts, number = self.oracle.silent(conflict, role, name)
                if parts:
                    told.setdefault(rule, []).append(self._silent(role, name, parts, number))
        order = [rule for rule in found.rules if rule in told][:MOST_UNSURE]
        broken = []
        for name in order:
            law = self.engine.rulebook.get(name)
            if law:
                silent = "; ".join(told[law.id])
                text = WISHED("silent_rule", title=law.title, silent=silent)
                broken.append(Broken(law.id, text))
        return broken + self._of_the_rest(conflict, found, order) if broken else broken

    def _of_the_rest(
        self, conflict: Collection[Wished], found: Found, silent: list[str]
    ) -> list[Broken]:
        """The rule that refuses all parts of which enough is known, if it is a single one."""
        for name in found.rules:
            law = self.engine.rulebook.get(name)
            if law is None or name not in found.judged or name in silent:
                continue
            rules = [*(r for r in KNOWN.values() if r not in found.judged), name]
            if self.oracle.best(conflict, rules=rules).is_refuted:
                return [Broken(name, WISHED("rule_of_the_rest", title=law.title))]
        return []

    def _silent(self, role: str, name: str, silent: list[str], number: int) -> str:
        names = [self.engine.catalog.index.name(p) for p in silent[:MOST_WANTED]]
        told = {"field": name.replace("_", " "), "parts": WHY("and").join(names)}
        if len(silent) == number:
            return WISHED("silent_all", **told, what=called(SECTION_KIND[role]))
        what = called(SECTION_KIND[role], number)
        return WISHED("silent_some", **told, what=what, silent=len(silent), all=number)

    @staticmethod
    def _missing(role: str) -> Broken:
        return Broken(NO_PART, WISHED("no_part", what=called(SECTION_KIND[role])))

    def _least(self, conflict: Sequence[Wished], within: Found) -> str:
        """The least price at which the rest of a conflict can be had, as far as it is known.

        Where that is no more than the budget, what refuses the machines `within` it.
        """
        most = self.wish.budget.amount * CENTS if self.wish.budget else 0
        found = self.oracle.best([w for w in self.wishes if w is not self.budget], boxes=MOST_BOXES)
        what = WISHED.table("machines")["others"]
        if found.is_refuted:
            # There is no such machine for another reason, which is told beside this.
            others = [w for w in conflict if w is not self.budget]
            found = self.oracle.best(others, boxes=MOST_BOXES)
            what = WISHED.table("machines")["these" if others else "any"]
        if found.machine is not None:
            return WISHED("cheapest", what=what, price=self._money(found.price))
        if found.is_refuted:
            return WISHED("none_known", what=what)
        if found.bound <= most:
            rules = [r for r in within.rules if self.engine.rulebook.get(r)][:MOST_NAMED]
            return WISHED("within", rules=", ".join(rules)) if rules else WISHED("within_unknown")
        return WISHED("at_least", what=what, price=self._money(found.bound))

    # Ways out

    def _works(
        self, given_up: frozenset[Wished], _known: Sequence[tuple[Wished, ...]]
    ) -> Sequence[Wished] | None:
        kept = [w for w in self.wishes if w not in given_up]
        if self.oracle.meets(kept, boxes=MOST_BOXES) is None:
            self.open.append(given_up)
        return None

    def _way(self, given_up: frozenset[Wished]) -> Way:
        kept = [w for w in self.wishes if w not in given_up]
        changes: dict[Path, tuple[str, Any]] = {}
        price = 0.0
        wishes = [w for w in self.wishes if w in given_up]
        for wished in wishes:
            try:
                text, value, cents = self._become(wished, kept, is_last=wished is wishes[-1])
            except StoppedError:
                # That there is a machine is known, and no more.
                self.stopped = True
                text, value, cents = self._gone(wished), None, 0.0
            changes[wished.path] = (text, value)
            price = max(price, cents)
        return way(changes, self._money(price) if price else "")

    def _become(
        self, wished: Wished, kept: Sequence[Wished], *, is_last: bool
    ) -> tuple[str, Any, float]:
        """What a wish would have to be, as words and value, and what the machine costs then.

        Of several that are given up together the last is told with the price.
        """
        if wished.is_budget:
            found = self.oracle.best(kept, boxes=MOST_BOXES)
            cents = math.ceil(found.price / CENTS) * CENTS
            money = f"{cents // CENTS} {self.currency}"
            return WISHED("budget_from", price=money), money, found.price
        less = None
        if wished.path[-1] == "count" and wished.path[1] == "gpus":
            less = self._fewer(wished, kept)
        elif wished.path[-1] == "memory_total":
            less = self._less(wished, kept)
        if less is not None:
            return less
        text = self._gone(wished)
        found = self.oracle.any(self.oracle.made(kept))
        return f"{text}{self._instead(wished, found, is_last=is_last)}", None, found.price

    @staticmethod
    def _gone(wished: Wished) -> str:
        """A wish given up, in words."""
        if wished.path == ("site",):
            return WISHED("another_outlet", outlet=wished.text)
        return wished.gone or WHY("without", what=wished.text)

    def _fewer(self, wished: Wished, kept: Sequence[Wished]) -> tuple[str, Any, float] | None:
        index = int(wished.path[2])
        for count in range(int(self.wish.gpus[index].number.low) - 1, 0, -1):
            tried = self._with(kept, index, count=exact(float(count)))
            if tried.machine is not None:
                text = WISHED("cards_or_fewer", count, price=self._costs(tried))
                return text, count, tried.price
        return None

    def _less(self, wished: Wished, kept: Sequence[Wished]) -> tuple[str, Any, float] | None:
        """The most memory, in eighths of what is wished for, that can be had."""
        index = int(wished.path[2])
        total = self.wish.gpus[index].memory_total
        best: tuple[float, Found] | None = None
        low, high, is_most = 0, EIGHTHS, True
        while high - low > 1:
            middle = (low + high) // 2
            least = (total.low if total else 0.0) * middle / EIGHTHS
            tried = self._with(kept, index, memory_total=Interval(least, math.inf))
            if tried.machine is not None:
                low, best = middle, (least, tried)
            else:
                high, is_most = middle, tried.is_refuted
        if best is None:
            return None
        amount = f"{number_text(best[0])} GB"
        told = {"amount": amount, "price": self._costs(best[1])}
        text = WISHED("memory_or_less" if is_most else "memory", **told)
        return text, amount, best[1].price

    def _costs(self, found: Found) -> str:
        """What a machine costs, and whether there may be a cheaper one."""
        money = self._money(found.price)
        return money if found.is_best else WISHED("at_most", price=money)

    def _with(self, kept: Sequence[Wished], index: int, **changes: Any) -> Found:
        """The search with other words for one card."""
        made = self.oracle.made(kept)
        card = made.gpus[index].model_copy(update=changes)
        gpus = tuple(card if n == index else c for n, c in enumerate(made.gpus))
        return self.oracle.any(replace(made, gpus=gpus))

    def _instead(self, wished: Wished, found: Found, *, is_last: bool) -> str:
        """What the cheapest machine has where something else was wished for."""
        if found.machine is None:
            return ""
        price = WISHED("then_costs", price=self._costs(found)) if is_last else ""
        role = _ROLE.get(str(wished.path[1] if len(wished.path) > 1 else wished.path[0]))
        option = found.machine.get(role) if role else None
        if option is None or not option.units:
            return price
        names = [(u.number, self.engine.catalog.index.name(u.sort.part)) for u in option.units]
        units = WHY("and").join(WHY("times", n, part=m) if n > 1 else m for n, m in names)
        return WISHED("with_parts", price=price, parts=units)
