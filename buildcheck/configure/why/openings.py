"""Builds with some choices open, as the law is asked about them, and the choices it refuses.

A part that is left open is the hull of the priced parts of its kind, used the same way. What the
law refuses for certain of such a machine it refuses whatever is chosen.
"""

from __future__ import annotations

from functools import cache
from itertools import chain, product
from typing import TYPE_CHECKING

from buildcheck.configure.repair.parts import kept_settings
from buildcheck.configure.search.law import FAIL, OPEN
from buildcheck.configure.search.space import Hull, options_of
from buildcheck.configure.why.choices import choices
from buildcheck.configure.why.conflicts import minimal_conflict
from buildcheck.configure.why.fates import Fates
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.finding import FAILING
from buildcheck.rulebook.moves import moves
from buildcheck.rulebook.proposals import proposals

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from buildcheck.configure.search.space import Option
    from buildcheck.configure.trial import Trial
    from buildcheck.configure.why.choices import Chosen
    from buildcheck.edit import Change

    Conflict = tuple[Chosen, ...]

#: Roles that are tried part by part where their hull alone does not say.
_TRIED = ("psus", "motherboard", "case", "cpu", "cpu_cooler", "memory")
#: Verdicts of what does not hold.
_BROKEN = (*FAILING, "waived")
#: Ways to write open choices that are looked at together.
MOST_VARIANTS = 32


class Openings:
    """A judged build and all it could be instead; what takes long raises `StoppedError`."""

    def __init__(self, base: Trial) -> None:
        self.base, self.trials = base, base.trials
        self.choices = choices(base.data, self.trials.report)
        self._hulls: dict[str, Hull] = {}
        #: What other parts for a role come to.
        self.fates = cache(lambda role: Fates(base, role, self._hull(role, base).options))

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
        reads = {name for name, *_ in self.trials.reads(broken)}
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
            sorts = self.trials.laws.classes.of(SECTION_KIND[role]).classes
            self._hulls[key] = Hull(role, options_of(role, sorts, lambda _: numbers, kept))
        return self._hulls[key]

    def _helps(self, choice: Chosen, rule: str) -> bool:
        """Does the rule hold with another word for one choice alone, and no other fail for it?"""
        if choice.role:
            return self.fates(choice.role).helps(rule)
        before = self.base.verdict
        tried = [one.verdict for one in map(self._after, choice.opened) if one]
        return any(
            v.failed <= before.failed - {rule} and v.unknown <= before.unknown for v in tried
        )
