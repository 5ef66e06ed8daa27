"""Why a build cannot stand: which of its choices, by which rules, and every way out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck.configure.common import Phrase, phrase
from buildcheck.configure.repair.parts import is_described
from buildcheck.configure.search.law import FAIL, PASS
from buildcheck.configure.search.space import hull
from buildcheck.configure.stopping import StoppedError, never
from buildcheck.configure.why.answer import (
    BrokenRule,
    ConflictAnswer,
    ConflictMember,
    SameFate,
    WayOut,
    WhyAnswer,
    way_out,
)
from buildcheck.configure.why.choices import ENTRY, LIMIT, PART, SITE, Chosen, choices, relaxed
from buildcheck.configure.why.conflicts import EnoughError, explain, minimal_conflict
from buildcheck.configure.why.machines import Machines, changed_data
from buildcheck.configure.why.ways import Become, Becoming
from buildcheck.judge import spread
from buildcheck.logic.quantity import Interval
from buildcheck.measure.shapes import field_shapes
from buildcheck.model.answer import Figure
from buildcheck.model.build import SECTION_KIND
from buildcheck.units import BASE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from buildcheck.configure.search.space import Option
    from buildcheck.configure.stopping import Stop
    from buildcheck.configure.what_if import Verdict
    from buildcheck.model.finding import Finding
    from buildcheck.model.source import Path

__all__ = ["Machines", "WhyBuild"]

#: In which order several choices are decided: what the others have to follow comes first.
_DECIDED = (PART, ENTRY, SITE)
#: Domains whose rules add up what every part asks for, and the sections that ask for little: they
#: are blamed only where one of them alone could fix it.
_SUMS = ("power/", "circuit/", "cooling/")
_LITTLE = ("motherboard", "cpu", "memory", "cpu_cooler", "storage", "add_in_cards", "risers")


class WhyBuild:
    """What conflicts in a judged build; `stop` is asked whether to end with what there is."""

    def __init__(self, machines: Machines, stop: Stop = never) -> None:
        self.machines, self.report = machines, machines.report
        report = machines.report
        self.choices = choices(self.machines.data, report)
        self.order = {choice: number for number, choice in enumerate(self.choices)}
        self.becoming = Becoming(self.machines)
        self.base = self.becoming.base
        self.failed: dict[str, list[Finding]] = {}
        for finding in report.failing:
            self.failed.setdefault(finding.rule.id, []).append(finding)
        self.unknown = tuple(dict.fromkeys(f.rule.id for f in report.errors("unknown")))
        # What the law does not refuse is not about the choices: a waiver, or a record.
        self.rules = [r for r in self.failed if self.machines.refuses({r}, ())]
        # What everything is compared with is worked out whoever waits.
        self.machines.laws.stop = stop
        self.of_records = [r for r in self.failed if r not in self.rules]
        self.found: dict[frozenset[Chosen], WayOut] = {}
        self.blocked: set[str] = set()
        self.fates: dict[str, tuple[SameFate, ...]] = {}
        self.known: dict[tuple[Chosen, ...], list[str]] = {}
        #: Choices that are taken as they are, by the conflict for which they are.
        self.mattering: dict[tuple[Chosen, str], bool] = {}
        self.kept: dict[tuple[Chosen, ...], tuple[Chosen, ...]] = {}

    def explanation(self) -> WhyAnswer:
        """Conflicts with their ways out."""
        known = self.known
        unexplained = self._look()
        explained = explain(self.choices, self._any_conflict, self._works, list(known))
        ways = [self.found[given_up] for given_up in explained.ways if given_up]
        sets = [given_up for given_up in explained.ways if given_up]
        conflicts = [
            ConflictAnswer(
                members=tuple(c.member for c in conflict),
                rules=tuple(self._broken(r) for r in self._rules_of(conflict, known)),
                certain=True,
                same_fate=tuple(f for c in conflict if c.role for f in self._of_role(c.role)),
                ways_out=tuple(n for n, s in enumerate(sets) if s & set(conflict)),
                rest_kept=conflict in self.kept,
            )
            for conflict in known
        ]
        conflicts += map(self._of_record, self.of_records)
        stopped = bool(unexplained) or explained.stopped
        return WhyAnswer(
            name=" ".join(self.report.name.split()),
            of="build",
            possible=False if conflicts or unexplained else None if stopped else True,
            conflicts=tuple(sorted(conflicts, key=lambda c: len(c.members))),
            ways_out=tuple(ways),
            complete=explained.is_whole and not self.becoming.is_cut,
            summary=self._summary(),
            unknown=self.unknown,
            stopped=stopped,
            is_likely=self.report.verdict == "likely-fail",
            unexplained=tuple(unexplained),
            untried=tuple(self._named(s) for s in explained.untried if not unexplained),
        )

    def _look(self) -> list[str]:
        """Find a conflict for each rule; the rules that were not looked at if it is stopped."""
        for number, rule in enumerate(self.rules):
            try:
                conflict = self._conflict(rule, self.choices)
            except StoppedError:
                return self.rules[number:]
            if conflict is not None:
                self.known.setdefault(conflict, []).append(rule)
        return []

    def _named(self, given_up: frozenset[Chosen]) -> tuple[Phrase, ...]:
        return tuple(c.what for c in self.choices if c in given_up)

    def _summary(self) -> Phrase | None:
        if self.failed:
            return None
        return phrase("nothing-known" if self.unknown else "nothing-in-the-way")

    # Conflicts

    def _conflict(self, rule: str, items: Sequence[Chosen]) -> tuple[Chosen, ...] | None:
        """A minimal set of choices that one rule refuses whatever the others are."""

        def can_stand(kept: Sequence[Chosen]) -> bool:
            there = set(kept)
            return not self.machines.refuses({rule}, [c for c in self.choices if c not in there])

        found = minimal_conflict(items, can_stand)
        return found and self._without_little(rule, found)

    def _without_little(self, rule: str, conflict: tuple[Chosen, ...]) -> tuple[Chosen, ...]:
        """A conflict without those of its choices that could be any other and nothing would pass.

        Of a sum each term is needed to the last watt, but no other board fixes an overload.
        """
        if not rule.startswith(_SUMS):
            return conflict
        little = [c for c in conflict if c.section in _LITTLE and not self._matters(c, rule)]
        left = tuple(c for c in conflict if c not in little)
        if not little or not left:
            return conflict
        self.kept[left] = tuple(little)
        return left

    def _matters(self, choice: Chosen, rule: str) -> bool:
        """Does the rule hold with another word for one choice alone, and no other fail for it?"""
        key = (choice, rule)
        if key not in self.mattering:
            self.mattering[key] = self._helps(choice, rule)
        return self.mattering[key]

    def _helps(self, choice: Chosen, rule: str) -> bool:
        data = self.machines.data
        if choice.role:
            variant = self.machines.variant(data)
            excused = self.base.failed | self.base.unknown
            return variant is not None and variant.may_hold(rule, choice.role, excused)

        def goal(other: dict[str, Any]) -> bool:
            judged = self.machines.verdict(other)
            return rule not in judged.failed and not (
                judged.failed - self.base.failed or judged.unknown - self.base.unknown
            )

        try:
            return any(True for _ in self.becoming.of(choice, data, {rule}, goal))
        except EnoughError:
            return True

    def _any_conflict(self, items: Sequence[Chosen]) -> tuple[Chosen, ...] | None:
        return next((c for r in self.rules if (c := self._conflict(r, items)) is not None), None)

    def _rules_of(
        self, conflict: tuple[Chosen, ...], known: dict[tuple[Chosen, ...], list[str]]
    ) -> list[str]:
        """The rules that refuse these choices whatever the others are."""
        if conflict in known:
            return known[conflict]
        kept = (*conflict, *self.kept.get(conflict, ()))
        others = [c for c in self.choices if c not in kept]
        return [r for r in self.rules if self.machines.refuses({r}, others)]

    def _broken(self, rule: str) -> BrokenRule:
        findings = self.failed[rule]
        first, subjects = findings[0], tuple(f.subject for f in findings)
        return BrokenRule(rule, first.title, first.message, subjects)

    def _of_record(self, rule: str) -> ConflictAnswer:
        """What a rule refuses that is not about the machine."""
        members = [
            ConflictMember(phrase("record", name=finding.subject_name), subject, None)
            for finding in self.failed[rule]
            for subject in spread(finding.subject)
        ]
        return ConflictAnswer(tuple(members), (self._broken(rule),), certain=True)

    # Ways out

    def _works(
        self, given_up: frozenset[Chosen], conflicts: Sequence[tuple[Chosen, ...]]
    ) -> Sequence[Chosen] | None:
        """Is there a build that passes with other words for these choices alone?"""
        self.blocked = set()
        rest = sorted(
            given_up, key=lambda c: (c.kind not in _DECIDED, c.kind == LIMIT, self.order[c])
        )
        solved = self._solve(self.machines.data, rest, conflicts)
        if solved is not None:
            self.found[given_up] = self._way(solved)
            return None
        kinds = {r.split("/")[0] for r in self.blocked}
        members = {c for conflict in conflicts for c in conflict}
        sections = {s for s, kind in SECTION_KIND.items() if kind in self._about()}
        near = [
            c
            for c in self.choices
            if c in members or (kinds and c.kind == PART and c.section in sections)
        ]
        return [c for c in near if c not in given_up]

    def _about(self) -> set[str]:
        """Kinds of part that the rules are about which refused what was tried."""
        rules = {r.id: r for r in self.machines.rulebook.rules}
        return {
            name.partition(".")[0]
            for rule in self.blocked
            for name in (rules[rule].require + " " + rules[rule].when).split()
        }

    def _solve(
        self,
        data: dict[str, Any],
        rest: list[Chosen],
        conflicts: Sequence[tuple[Chosen, ...]],
    ) -> list[tuple[Chosen, Become]] | None:
        if not rest:
            # What is to be shown passes as `validate` judges it.
            passes = self._passes(data) and not self._wrong(self.machines.checked(data))
            return [] if passes else None
        choice, *later = rest
        # What later choices have to fix is not asked of this one.
        later_rules = {
            rule
            for conflict in conflicts
            if set(conflict) & {c for c in later if c.kind == PART}
            for rule in self._rules_of(conflict, {})
        }
        now = {r for r in self.rules if r not in later_rules}
        easier = [change for c in later if c.kind != PART for change in relaxed(c, data)]

        def goal(other: dict[str, Any]) -> bool:
            if not later:
                return self._passes(other)
            eased = changed_data(other, easier)
            return eased is not None and self._passes(eased, later_rules)

        for become in self.becoming.of(choice, data, now, goal):
            other = changed_data(data, become.changes)
            if other is None:
                continue
            solved = self._solve(other, later, conflicts)
            if solved is not None:
                return [(choice, become), *solved]
        return None

    def _passes(self, data: dict[str, Any], without: AbstractSet[str] = frozenset()) -> bool:
        judged = self.machines.verdict(data)
        wrong = self._wrong(judged) - without
        self.blocked |= set() if judged is self.machines.unread else wrong
        return not wrong

    def _wrong(self, judged: Verdict) -> AbstractSet[str]:
        return (judged.failed - set(self.of_records)) | (judged.unknown - self.base.unknown)

    def _way(self, solved: list[tuple[Chosen, Become]]) -> WayOut:
        changes: dict[Path, tuple[tuple[Phrase, ...], Any]] = {
            choice.path: ((become.what,), become.value) for choice, become in solved
        }
        return way_out(changes, *(b.price for _, b in solved if b.price))

    # Parts that come to the same

    def _of_role(self, role: str) -> tuple[SameFate, ...]:
        """What the rules that fail say of every other part for a role, the rest being kept."""
        if role not in self.fates:
            rules = [
                r for c, found in self.known.items() if role in {x.role for x in c} for r in found
            ]
            self.fates[role] = tuple(self._grouped(role, list(dict.fromkeys(rules))))
        return self.fates[role]

    def _grouped(self, role: str, rules: list[str]) -> list[SameFate]:
        variant = self.machines.variant(self.machines.data)
        if variant is None:
            return []
        options = self._used_alike(role)
        groups: dict[str, list[Option]] = {}
        doing: list[Option] = []
        open_: list[Option] = []
        rows = [{r: variant.verdict_of(r, role, option) for r in rules} for option in options]
        failing = {r: sum(row[r] == FAIL for row in rows) for r in rules}
        rules = sorted(rules, key=lambda r: -failing[r])
        for option, row in zip(options, rows, strict=True):
            refused = next((r for r in rules if row[r] == FAIL), None)
            is_open = any(s not in (PASS, None) for s in row.values())
            if not refused:
                refused, others_open = self._refused_by_rest(role, option, variant)
                is_open = is_open or others_open
            if refused:
                groups.setdefault(refused, []).append(option)
            else:
                (open_ if is_open else doing).append(option)
        found = [
            _fate(role, rule, groups[rule], doing + open_, variant)
            for rule in rules
            if rule in groups
        ]
        refused_by_rest = {r: _number(g) for r, g in groups.items() if r not in rules}
        if refused_by_rest:
            found.append(
                SameFate(role, "refused-by-rest", sum(refused_by_rest.values()), refused_by_rest)
            )
        if doing:
            part, price = doing[0].units[0].sort.part, self.machines.price(doing[0])
            name = self.machines.catalog.index.name(part)
            found.append(SameFate(role, "would-do", _number(doing), cheapest=name, price=price))
        if open_:
            found.append(SameFate(role, "unknown", _number(open_)))
        return found if groups else []

    def _used_alike(self, role: str) -> list[Option]:
        """Parts for a role, of memory those in as many pieces as the build has."""
        options = self.becoming.like(role, self.machines.data)
        if role != "memory":
            return options
        items = self.machines.data.get(role)
        entry: Any = items[0] if isinstance(items, list) and items else {}
        number = entry.get("count", 1) if isinstance(entry, dict) else 1
        return [o for o in options if o.units[0].number == number]

    def _refused_by_rest(self, role: str, option: Option, variant: Any) -> tuple[str | None, bool]:
        """What refuses a part with the rest of the build that did not refuse the present one.

        And is there something that is not known, of the part itself or by a rule that was clear?
        """
        excused = self.base.failed | self.base.unknown
        is_open = not is_described(role, option.units[0].sort)
        for rule in variant.asked:
            verdict = variant.verdict_of(rule, role, option)
            if verdict == FAIL and rule not in self.base.failed:
                return rule, is_open
            is_open = is_open or (verdict not in (PASS, None) and rule not in excused)
        return None, is_open


def _number(options: list[Option]) -> int:
    return sum(option.members for option in options)


def _fate(
    role: str, rule: str, group: list[Option], others: list[Option], variant: Any
) -> SameFate:
    """Parts that one rule refuses, with the field that decides where one does."""
    field, low, high = _deciding(sorted(variant.asked[rule].fields(role)), group, others)
    span = None
    if field:
        shape: Any = field_shapes("module" if role == "memory" else SECTION_KIND[role])[field]
        span = Figure(low, high, BASE.get(shape, ""))
    number = _number(group)
    return SameFate(role, "refused", number, {rule: number}, field, span)


def _deciding(
    fields: list[str], group: list[Option], doing: list[Option]
) -> tuple[str, float | None, float | None]:
    """The field by which those that fail lie on one side of those that do, and that end."""
    for field in fields:
        bad, good = _span(field, group), _span(field, doing)
        if bad is None or good is None:
            continue
        if bad.high < good.low:
            return field, None, bad.high
        if bad.low > good.high:
            return field, bad.low, None
    return "", None, None


def _span(field: str, options: list[Option]) -> Interval | None:
    values = [o.units[0].sort.value(field) for o in options]
    if not values or not all(isinstance(v, Interval) for v in values):
        return None
    whole: Interval = hull(values)
    return whole
