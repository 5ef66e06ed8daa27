"""Why a build cannot stand: which of its choices, by which rules, and every way out."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from buildcheck.configure.common import Phrase, phrase, unjudged
from buildcheck.configure.stopping import EnoughError, StoppedError, never
from buildcheck.configure.trial import Trials, Verdict, verdict_of
from buildcheck.configure.why.answer import (
    BrokenRule,
    ConflictAnswer,
    ConflictMember,
    WayOut,
    WhyAnswer,
    conflict_members,
    way_out,
)
from buildcheck.configure.why.choices import ENTRY, LIMIT, PART, SITE, Chosen, choices, relaxed
from buildcheck.configure.why.conflicts import explain, minimal_conflict
from buildcheck.configure.why.fates import Fates
from buildcheck.configure.why.openings import Openings
from buildcheck.configure.why.ways import Becoming
from buildcheck.judge import spread
from buildcheck.model.build import SECTION_KIND
from buildcheck.rulebook.moves import moves

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from buildcheck.check import Judging
    from buildcheck.configure.decisions import Decision
    from buildcheck.configure.stopping import Stop
    from buildcheck.configure.trial import Trial
    from buildcheck.model.finding import Finding, Report
    from buildcheck.model.source import Path

#: In which order several choices are decided: what the others have to follow comes first.
_DECIDED = (PART, ENTRY, SITE)


class WhyBuild:
    """What conflicts in a judged build."""

    def __init__(self, report: Report, judging: Judging, stop: Stop = never) -> None:
        self.trials = trials = Trials(report, judging, stop)
        self.report = report
        self.openings, self.data = Openings(trials), trials.data
        self.choices = choices(self.data, report)
        self.order = {choice: number for number, choice in enumerate(self.choices)}
        base = trials.of(self.data)
        self.base = base.verdict if base else Verdict(frozenset())
        self.becoming = Becoming(self.openings, self.base)
        self.failed: dict[str, list[Finding]] = {}
        for finding in report.failing:
            self.failed.setdefault(finding.rule.id, []).append(finding)
        self.unknown = unjudged(report)
        # What does not make the machine fail is not about the choices: a waiver, or a record.
        self.rules = [r for r in self.failed if r in self.base.failed]
        self.of_records = [r for r in self.failed if r not in self.rules]
        self.found: dict[frozenset[Chosen], WayOut] = {}
        self.blocked: set[str] = set()
        self.known: dict[tuple[Chosen, ...], list[str]] = {}
        self.fates = Fates(self.openings, self.base, self.known)
        self._matters = cache(self._helps)
        #: Choices that are taken as they are, by the conflict for which they are.
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
                members=conflict_members(conflict),
                rules=tuple(self._broken(r) for r in self._rules_of(conflict, known)),
                certain=True,
                same_fate=tuple(f for c in conflict if c.role for f in self.fates.of(c.role)),
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
            return not self.openings.refuses({rule}, [c for c in self.choices if c not in there])

        found = minimal_conflict(items, can_stand)
        return found and self._without_little(rule, found)

    def _without_little(self, rule: str, conflict: tuple[Chosen, ...]) -> tuple[Chosen, ...]:
        """A conflict without those of its choices of which no other would pass."""
        sums = moves()["sums"]
        if not sums.concerns((rule,)):
            return conflict
        little = [c for c in conflict if c.section in sums.sections and not self._matters(c, rule)]
        left = tuple(c for c in conflict if c not in little)
        if not little or not left:
            return conflict
        self.kept[left] = tuple(little)
        return left

    def _helps(self, choice: Chosen, rule: str) -> bool:
        """Does the rule hold with another word for one choice alone, and no other fail for it?"""
        if choice.role:
            trial, excused = self.trials.of(self.data), self.base.failed | self.base.unknown
            return trial is not None and self.openings.may_hold(trial, rule, choice.role, excused)

        def goal(trial: Trial) -> bool:
            judged = trial.verdict
            return rule not in judged.failed and not (
                judged.failed - self.base.failed or judged.unknown - self.base.unknown
            )

        try:
            return any(True for _ in self.becoming.of(choice, self.data, {rule}, goal))
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
        return [r for r in self.rules if self.openings.refuses({r}, others)]

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
        solved = self._solve(self.data, rest, conflicts)
        if solved is not None:
            self.found[given_up] = self._way(solved)
            return None
        members = {c for conflict in conflicts for c in conflict} - given_up
        about = self._about()
        near = {c for c in self.choices if c.kind == PART and SECTION_KIND[c.section] in about}
        return [c for c in self.choices if c in members | (near - given_up)]

    def _about(self) -> set[str]:
        """Kinds of part that the rules are about which refused what was tried."""
        rules = (rule for rule in self.trials.judging.rulebook.rules if rule.id in self.blocked)
        words = (word for rule in rules for word in f"{rule.require} {rule.when}".split())
        return {word.partition(".")[0] for word in words}

    def _solve(
        self,
        data: dict[str, Any],
        rest: list[Chosen],
        conflicts: Sequence[tuple[Chosen, ...]],
    ) -> list[tuple[Chosen, Decision]] | None:
        if not rest:
            # What is to be shown passes as `validate` judges it.
            trial = self.trials.of(data)
            report = trial.report if trial and self._passes(trial) else None
            return [] if report and not self._wrong(verdict_of(report)) else None
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

        def goal(trial: Trial) -> bool:
            if not later:
                return self._passes(trial)
            eased = self.openings.after(trial.data, easier)
            return eased is not None and self._passes(eased, later_rules)

        for become in self.becoming.of(choice, data, now, goal):
            after = self.openings.after(data, become.changes)
            solved = self._solve(after.data, later, conflicts) if after else None
            if solved is not None:
                return [(choice, become), *solved]
        return None

    def _passes(self, trial: Trial, without: AbstractSet[str] = frozenset()) -> bool:
        wrong = self._wrong(trial.verdict) - without
        self.blocked |= wrong
        return not wrong

    def _wrong(self, judged: Verdict) -> AbstractSet[str]:
        return (judged.failed - set(self.of_records)) | (judged.unknown - self.base.unknown)

    def _way(self, solved: list[tuple[Chosen, Decision]]) -> WayOut:
        changes: dict[Path, tuple[tuple[Phrase, ...], Any]] = {
            choice.path: (become.said, become.value) for choice, become in solved
        }
        return way_out(changes, *(b.price for _, b in solved if b.price))
