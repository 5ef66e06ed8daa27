"""Builds with some choices open, as the law is asked about them, and builds as `check` judges them.

A part that is left open is the hull of the priced parts of its kind, used the same way. What the
law refuses for certain of such a machine it refuses whatever is chosen.
"""

from __future__ import annotations

import json
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

from buildcheck.configure.judgement import Judgement
from buildcheck.configure.search.classes import CURRENCY
from buildcheck.configure.search.law import FAIL, OPEN, PASS
from buildcheck.configure.search.space import Hull, Option, Unit
from buildcheck.configure.what_if import Verdict, WhatIf, verdict_of, verdict_of_machine
from buildcheck.configure.why.answer import money
from buildcheck.configure.why.choices import Chosen, entry_model, matters, opened, settings_of
from buildcheck.configure.why.conflicts import EnoughError
from buildcheck.edit import changed
from buildcheck.errors import InputError
from buildcheck.load import rebuilt
from buildcheck.model.build import OF_ONE_PART, SECTION_KIND
from buildcheck.model.finding import FAILING
from buildcheck.rulebook.proposals import proposals

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from buildcheck.check import Judging
    from buildcheck.configure.search.law import Asked
    from buildcheck.edit import Change
    from buildcheck.model.answer import Amount
    from buildcheck.model.finding import Report

#: Roles that are tried part by part where their hull alone does not say.
_TRIED = ("psus", "motherboard", "case", "cpu", "cpu_cooler", "memory")
#: Ways to write open choices that are looked at together.
MOST_VARIANTS = 32
#: Builds that are judged for one explanation.
MOST_JUDGED = 250


class Machines(WhatIf):
    """A build and everything it could be instead."""

    def __init__(self, report: Report, judging: Judging) -> None:
        super().__init__(report, judging)
        self._variants: dict[str, _Variant | None] = {}
        self._options: dict[str, list[Option]] = {}
        # By the list of options, which is kept for as long.
        self.hulls: dict[int, Hull] = {}

    # As `check` sees it

    def verdict(self, data: dict[str, Any]) -> Verdict:
        """What the error grades say of a build; one that cannot be read breaks every rule.

        Raises `EnoughError` when that was asked of too many, and `StoppedError`.
        """
        self.laws.go_on()
        if self.trials.judged >= MOST_JUDGED:
            raise EnoughError
        outcome = self.trials.outcome(data)
        return verdict_of_machine(outcome) if outcome else self.unread

    @cached_property
    def unread(self) -> Verdict:
        """What is said of a build that cannot be read."""
        return Verdict(frozenset(r.id for r in self.rulebook.rules))

    def checked(self, data: dict[str, Any]) -> Verdict:
        """The verdict as `validate` has it, records included."""
        report = self.report_of(data)
        return verdict_of(report) if report else self.unread

    # As the law sees it

    def reads(self, rules: set[str]) -> set[str]:
        """Names of everything that was read to say that these rules fail."""
        facts = self.report.facts
        found: set[tuple[str, str]] = set()
        for finding in self.report.findings:
            if finding.rule.id in rules and finding.verdict in (*FAILING, "waived"):
                queue = [(used.name, used.subject) for used in finding.numbers]
                while queue:
                    key = queue.pop()
                    if key not in found:
                        found.add(key)
                        queue += facts.used(key[0], facts.graph.subjects[key[1]])
        return {name for name, _ in found}

    def refuses(self, rules: set[str], open_: Sequence[Chosen]) -> bool:
        """Does the law refuse every machine in which these choices are open?

        Raises `StoppedError` when it is time to stop.
        """
        roles = {c.role for c in open_ if c.role}
        reads = self.reads(rules)
        ways = [opened(c, self.data) for c in open_ if not c.role and matters(c, reads)]
        for number, changes in enumerate(product(*ways)):
            if number >= MOST_VARIANTS:
                return False
            self.laws.go_on()
            data = changed_data(self.data, [c for some in changes for c in some])
            variant = self.variant(data) if data else None
            if variant is None or not variant.refused(rules, roles):
                return False
        return True

    def variant(self, data: dict[str, Any]) -> _Variant | None:
        """A build as the law sees it; None for one that it cannot see."""
        text = json.dumps(data)
        if text not in self._variants:
            try:
                self._variants[text] = _Variant(self, data)
            except (InputError, ValueError):
                self._variants[text] = None
        return self._variants[text]

    def options(self, role: str, data: dict[str, Any]) -> list[Option]:
        """All priced parts for a role, used as the build uses its own, the cheapest first."""
        entry = _first(data, role)
        count = entry.get("count", 1)
        held = tuple(
            (key, value, _fact(role, key, value))
            for key, value in sorted(_used(role, entry).items())
        )
        key = f"{role} {count} {held}"
        if key not in self._options:
            numbers = proposals().kits if role == "memory" else (count,)
            found = [
                Option(role, (Unit(sort, n, held),), sort.price * n)
                for sort in self.classes.of(SECTION_KIND[role]).classes
                for n in numbers
            ]
            self._options[key] = sorted(found, key=lambda o: o.price)
        return self._options[key]

    def price(self, option: Option) -> Amount:
        """What an option costs."""
        return money(option.price, CURRENCY)


class _Variant(Judgement):
    """One way to write the build, with the law over it."""

    def __init__(self, machines: Machines, data: dict[str, Any]) -> None:
        self.machines, self.data = machines, data
        without = {k: v for k, v in data.items() if k != "waivers"}
        super().__init__(rebuilt(without, machines.report.document), machines.laws)

    def hull(self, role: str) -> Hull:
        """Any part in a role."""
        options, hulls = self.machines.options(role, self.data), self.machines.hulls
        return hulls.get(id(options)) or hulls.setdefault(id(options), Hull(role, options))

    def refused(self, rules: set[str], roles: set[str]) -> bool:
        """Does a rule refuse it whatever fills the open roles?"""
        filled = {r: self.hull(r) if r in roles else o for r, o in self.own.items()}
        return any(
            self._refuses(self.asked[rule], filled, roles)
            for rule in sorted(rules)
            if rule in self.asked
        )

    def _refuses(self, asked: Asked, filled: dict[str, Any], roles: set[str]) -> bool:
        verdict = self.law.verdict(asked, filled)
        if verdict != OPEN:
            return verdict == FAIL
        return any(
            all(
                self.law.verdict(asked, {**filled, role: option}) == FAIL
                for option in self.machines.options(role, self.data)
            )
            for role in _TRIED
            if role in roles and role in asked.scope
        )

    def may_hold(self, rule: str, role: str, excused: Collection[str]) -> bool:
        """Does a rule hold with some other part, and no other fail or wait that is not excused?"""
        return self.verdict_with(self.asked[rule], role, self.hull(role)) != FAIL and any(
            self.holds(rule, role, option, excused)
            for option in self.machines.options(role, self.data)
        )

    def holds(self, rule: str, role: str, option: Option, excused: Collection[str]) -> bool:
        """Does a rule hold with another part, and no other fail or wait that is not excused?"""
        self.laws.go_on()
        if self.verdict_with(self.asked[rule], role, option) != PASS:
            return False
        return all(
            asked.rule.id in excused or self.verdict_with(asked, role, option) == PASS
            for asked in self.law.asked
            if role in asked.scope or not asked.scope
        )

    def verdict_of(self, rule: str, role: str, option: Option) -> int | None:
        """What a rule says of the build with another part; None where it is not asked."""
        asked = self.asked.get(rule)
        if asked is None or (asked.scope and role not in asked.scope):
            return None
        return self.verdict_with(asked, role, option)


def changed_data(data: dict[str, Any], changes: Iterable[Change]) -> dict[str, Any] | None:
    """Data after changes, those that take away the last entries first; None if one fails."""
    later = sorted(changes, key=lambda c: [(isinstance(s, int), s) for s in c.path], reverse=True)
    try:
        result: dict[str, Any] = changed(data, later)
    except ValueError:
        return None
    return result


def _first(data: dict[str, Any], role: str) -> dict[str, Any]:
    """The entry of a role, or an empty one where there is none."""
    items = data.get(role)
    entry = (items[0] if items else {}) if isinstance(items, list) else items or {}
    return entry if isinstance(entry, dict) else {}


def _used(role: str, entry: dict[str, Any]) -> dict[str, Any]:
    """How an entry uses its part, as far as that is a fact of it."""
    kept = settings_of(role) - OF_ONE_PART - {"count", "slots", "psu", "circuit"}
    return {k: v for k, v in entry.items() if k in kept}


def _fact(role: str, key: str, value: Any) -> Any:
    """A setting as a fact. Raises `ValueError` for one that cannot be read."""
    return getattr(entry_model(role).model_validate({key: value}), key)
