"""Builds with some choices open, as the law is asked about them, and the choices it refuses.

A part that is left open is the hull of the priced parts of its kind, used the same way. What the
law refuses for certain of such a machine it refuses whatever is chosen. A part has a fate, which is
what becomes of it in the place of the present one, the rest being kept.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, product
from typing import Any

from buildcheck.configure.decisions import reads_of
from buildcheck.configure.repair.parts import is_described, kept_settings
from buildcheck.configure.search.classes import CURRENCY, money
from buildcheck.configure.search.columns import hull
from buildcheck.configure.search.law import FAIL, OPEN, PASS
from buildcheck.configure.search.space import Hull, Option, options_of
from buildcheck.configure.trial import Trial
from buildcheck.configure.why.answer import SameFate
from buildcheck.configure.why.choices import Chosen, choices
from buildcheck.configure.why.conflicts import minimal_conflict
from buildcheck.edit import Change
from buildcheck.logic.quantity import Interval
from buildcheck.measure.shapes import field_shapes
from buildcheck.model.answer import Figure
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.finding import FAILING
from buildcheck.rulebook.moves import moves
from buildcheck.rulebook.proposals import proposals
from buildcheck.units import BASE

#: Nothing is known against them.
_DOES = "would-do"
Conflict = tuple[Chosen, ...]
#: Roles that are tried part by part where their hull alone does not say.
_TRIED = ("psus", "motherboard", "case", "cpu", "cpu_cooler", "memory")
#: Verdicts of what does not hold.
_BROKEN = (*FAILING, "waived")
#: Ways to write open choices that are looked at together.
MOST_VARIANTS = 32


def _number(options: list[Option]) -> int:
    return sum(option.members for option in options)


class Openings:
    """A judged build and all it could be instead; what takes long raises `StoppedError`."""

    def __init__(self, base: Trial) -> None:
        self.base, self.trials = base, base.trials
        self.choices = choices(base.data, self.trials.report)
        self._hulls: dict[str, Hull] = {}
        #: Other parts for a role that do as much, the cheapest first.
        self._others = cache(lambda r: [*filter(self._is_alike, self._hull(r, base).options)])

    def conflict(self, rule: str) -> tuple[Conflict, Conflict]:
        """A minimal set of choices that one rule refuses whatever the others are, but for some.

        These are taken as they are: of a sum the terms of which no other alone would pass.
        """

        def can_stand(kept: Sequence[Chosen]) -> bool:
            there = set(kept)
            return not self.refuses(rule, [c for c in self.choices if c not in there])

        found, sums = minimal_conflict(self.choices, can_stand) or (), moves()["sums"]
        of_sums = sums.sections if sums.concerns((rule,)) else ()
        little = tuple(c for c in found if c.section in of_sums and not self._helps(c, rule))
        left = tuple(c for c in found if c not in little)
        return (left, little) if left else (found, ())

    def refuses(self, rule: str, open_: Sequence[Chosen]) -> bool:
        """Does a rule refuse every machine in which these choices are open?"""
        report, roles = self.trials.report, {c.role for c in open_ if c.role}
        broken = [f for f in report.findings if f.rule.id == rule and f.verdict in _BROKEN]
        reads = {name for name, *_ in reads_of(report, broken)}
        ways = [c.opened for c in open_ if not c.role and c.matters(reads)]
        for number, changes in enumerate(product(*ways)):
            trial = self._after(chain(*changes)) if number < MOST_VARIANTS else None
            if trial is None or not self._refused(trial, rule, roles):
                return False
        return True

    def _after(self, changes: Iterable[Change]) -> Trial | None:
        """The build after changes; those that take away entries move none that is to come."""
        last_first = sorted(
            changes, key=lambda c: [(isinstance(s, int), s) for s in c.path], reverse=True
        )
        return self.trials.after(self.base.data, last_first)

    def _refused(self, trial: Trial, rule: str, roles: set[str]) -> bool:
        """Does a rule refuse a build whatever fills the open roles, or each part for one?"""
        asked = trial.asked.get(rule)
        if asked is None:
            return False
        hulls = {role: self._hull(role, trial) for role in roles}
        filled: dict[str, Option | Hull] = {**trial.own, **hulls}
        verdict = trial.law.verdict(asked, filled)
        return verdict == FAIL or (
            verdict == OPEN
            and any(
                all(
                    trial.law.verdict(asked, {**filled, role: option}) == FAIL
                    for option in hulls[role].options
                )
                for role in _TRIED
                if role in roles and role in asked.scope
            )
        )

    def _hull(self, role: str, trial: Trial) -> Hull:
        """Any priced part in a role of a build, used as the build uses its own."""
        count, kept = trial.first_entry(role).get("count", 1), kept_settings(trial, role)
        key = f"{role} {count} {kept}"
        if key not in self._hulls:
            numbers = proposals().kits if role == "memory" else (count,)
            sorts = self.trials.classes.of(SECTION_KIND[role]).classes
            self._hulls[key] = Hull(role, options_of(role, sorts, lambda _: numbers, kept))
        return self._hulls[key]

    def _helps(self, choice: Chosen, rule: str) -> bool:
        """Does the rule hold with another word for one choice alone, and no other fail for it?"""
        if role := choice.role:
            return any(
                self.base.verdict_of(rule, role, option) == PASS
                and self._refusal(option) == (None, False)
                for option in self._others(role)
            )
        before = self.base.verdict
        tried = [one.verdict for one in map(self._after, choice.opened) if one]
        return any(
            v.failed <= before.failed - {rule} and v.unknown <= before.unknown for v in tried
        )

    # Other parts

    def _is_alike(self, option: Option) -> bool:
        """Has a card as much memory as those of the build, or memory as many pieces?"""
        role, unit = option.role, option.units[0]
        if role == "memory":
            return bool(unit.number == self.base.first_entry(role).get("count", 1))
        size = unit.sort.value("memory")
        now = [one.low for s in self.base.own["gpus"].given if (one := s.value("memory"))]
        return role != "gpus" or bool(size and size.low >= max(now, default=0.0))

    def fates(self, role: str, rules: Collection[str]) -> Iterator[SameFate]:
        """What these rules, which fail, say of every part for a role, and what the others do."""
        options, groups = self._others(role), dict[str, list[Option]]()

        def failing(rule: str) -> int:
            return sum(self.base.verdict_of(rule, role, option) == FAIL for option in options)

        rules = sorted(rules, key=failing, reverse=True)
        for option in options:
            refused, is_open = self._refusal(option, rules)
            groups.setdefault(refused or ("" if is_open else _DOES), []).append(option)
        doing, open_ = groups.pop(_DOES, []), groups.pop("", [])
        if not groups:
            return
        yield from (self._fate(role, r, groups.pop(r), doing + open_) for r in rules if r in groups)
        rest = {rule: _number(group) for rule, group in groups.items()}
        if rest:
            yield SameFate(role, "refused-by-rest", sum(rest.values()), rest)
        if doing:
            part, price = doing[0].units[0].sort.part, money(doing[0].price, CURRENCY)
            name = self.trials.catalog.index.name(part)
            yield SameFate(role, _DOES, _number(doing), cheapest=name, price=price)
        if open_:
            yield SameFate(role, "unknown", _number(open_))

    def _refusal(self, option: Option, rules: Collection[str] = ()) -> tuple[str | None, bool]:
        """Which of some rules, that fail, refuses a part, else what did not refuse the present one.

        And is there something that is not known, of the part itself or by a rule that was clear?
        """
        failed, unknown = self.base.verdict
        is_open = not is_described(option.role, option.units[0].sort)
        for rule in (*rules, *(r for r in self.base.asked if r not in failed)):
            verdict = self.base.verdict_of(rule, option.role, option)
            if verdict == FAIL:
                return rule, is_open
            is_open = is_open or (verdict not in (PASS, None) and rule not in unknown)
        return None, is_open

    def _fate(self, role: str, rule: str, group: list[Option], others: list[Option]) -> SameFate:
        """Parts that one rule refuses, with the field by which they all lie on one side, if any."""
        number = _number(group)
        for field in sorted(self.base.asked[rule].fields(role)):
            values = [[o.units[0].sort.value(field) for o in some] for some in (group, others)]
            if not all(some and all(isinstance(v, Interval) for v in some) for some in values):
                continue
            bad, good = map(hull, values)
            if bad.low <= good.high and good.low <= bad.high:
                continue
            low, high = (None, bad.high) if bad.high < good.low else (bad.low, None)
            shape: Any = field_shapes("module" if role == "memory" else SECTION_KIND[role])[field]
            span = Figure(low, high, BASE.get(shape, ""))
            return SameFate(role, "refused", number, {rule: number}, field, span)
        return SameFate(role, "refused", number, {rule: number})
