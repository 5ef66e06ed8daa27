"""Builds with some choices open, as the law is asked about them.

A part that is left open is the hull of the priced parts of its kind, used the same way. What the
law refuses for certain of such a machine it refuses whatever is chosen.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from buildcheck.configure.decisions import settings_of
from buildcheck.configure.search.law import FAIL, OPEN, PASS
from buildcheck.configure.search.space import Hull, Option, Unit
from buildcheck.configure.stopping import EnoughError
from buildcheck.configure.why.choices import Chosen, matters, opened
from buildcheck.model.build import SECTION_KIND, SECTIONS
from buildcheck.model.finding import FAILING
from buildcheck.rulebook.proposals import proposals

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from buildcheck.configure.search.law import Asked
    from buildcheck.configure.trial import Trial, Trials
    from buildcheck.edit import Change

#: Roles that are tried part by part where their hull alone does not say.
_TRIED = ("psus", "motherboard", "case", "cpu", "cpu_cooler", "memory")
#: Ways to write open choices that are looked at together.
MOST_VARIANTS = 32
#: Builds that are judged for one explanation.
MOST_JUDGED = 250


class Openings:
    """A judged build and everything it could be instead."""

    def __init__(self, trials: Trials) -> None:
        self.trials, self.report, self.data = trials, trials.report, trials.data
        self._hulls: dict[str, Hull] = {}

    def after(self, data: dict[str, Any], changes: Iterable[Change]) -> Trial | None:
        """The build after changes; None if it is none.

        Raises `EnoughError` when that was asked of too many, and `StoppedError`.
        """
        if self.trials.judged >= MOST_JUDGED:
            raise EnoughError
        return self.trials.after(data, last_first(changes))

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
            trial = self.trials.after(self.data, last_first(c for some in changes for c in some))
            if trial is None or not self._refused(trial, rules, roles):
                return False
        return True

    def hull(self, role: str, data: dict[str, Any]) -> Hull:
        """Any priced part in a role of a build, used as the build uses its own."""
        entry = first_entry(data, role)
        count, used = entry.get("count", 1), sorted(_used(role, entry).items())
        held = tuple((key, value, _fact(role, key, value)) for key, value in used)
        key = f"{role} {count} {held}"
        if key not in self._hulls:
            numbers = proposals().kits if role == "memory" else (count,)
            found = (
                Option(role, (Unit(sort, n, held),), sort.price * n)
                for sort in self.trials.laws.classes.of(SECTION_KIND[role]).classes
                for n in numbers
            )
            self._hulls[key] = Hull(role, sorted(found, key=lambda o: o.price))
        return self._hulls[key]

    def options(self, role: str, data: dict[str, Any]) -> Sequence[Option]:
        """All priced parts for a role, the cheapest first."""
        return self.hull(role, data).options

    def like(self, role: str, data: dict[str, Any]) -> Sequence[Option]:
        """Priced parts for a role; cards have as much memory as those of the build."""
        options = self.options(role, data)
        if role != "gpus":
            return options
        cards = [s.value("memory") for s in self.report.graph.of("gpu")]
        least = max((m.low for m in cards if m), default=0.0)
        sized = ((option, option.units[0].sort.value("memory")) for option in options)
        return [option for option, size in sized if size is not None and size.low >= least]

    def used_alike(self, role: str) -> list[Option]:
        """Parts for a role, of memory those in as many pieces as the build has."""
        options = self.like(role, self.data)
        number = first_entry(self.data, role).get("count", 1)
        return [o for o in options if role != "memory" or o.units[0].number == number]

    def _refused(self, trial: Trial, rules: set[str], roles: set[str]) -> bool:
        """Does a rule refuse a build whatever fills the open roles?"""
        hulls = {r: self.hull(r, trial.data) if r in roles else o for r, o in trial.own.items()}
        for asked in (trial.asked[rule] for rule in sorted(rules) if rule in trial.asked):
            verdict = trial.law.verdict(asked, hulls)
            if verdict == FAIL or (
                verdict == OPEN and self._refuses_each(trial, asked, hulls, roles)
            ):
                return True
        return False

    def _refuses_each(
        self, trial: Trial, asked: Asked, filled: dict[str, Any], roles: set[str]
    ) -> bool:
        """Does a rule refuse each part for one of the open roles?"""
        return any(
            all(
                trial.law.verdict(asked, {**filled, role: option}) == FAIL
                for option in self.options(role, trial.data)
            )
            for role in _TRIED
            if role in roles and role in asked.scope
        )

    def may_hold(self, trial: Trial, rule: str, role: str, excused: Collection[str]) -> bool:
        """Does a rule hold with some other part, and no other fail or wait that is not excused?"""
        any_ = self.hull(role, trial.data)
        return trial.verdict_with(trial.asked[rule], role, any_) != FAIL and any(
            self._holds(trial, rule, option, excused) for option in self.options(role, trial.data)
        )

    def _holds(self, trial: Trial, rule: str, option: Option, excused: Collection[str]) -> bool:
        self.trials.laws.go_on()
        role = option.role
        if trial.verdict_with(trial.asked[rule], role, option) != PASS:
            return False
        return all(
            asked.rule.id in excused or trial.verdict_with(asked, role, option) == PASS
            for asked in trial.law.asked
            if role in asked.scope or not asked.scope
        )


def last_first(changes: Iterable[Change]) -> list[Change]:
    """Changes in an order in which those that take away entries move none that is still to come."""
    return sorted(changes, key=lambda c: [(isinstance(s, int), s) for s in c.path], reverse=True)


def first_entry(data: dict[str, Any], role: str) -> dict[str, Any]:
    """The entry of a role, or an empty one where there is none."""
    items = data.get(role)
    entry = (items[0] if items else {}) if isinstance(items, list) else items or {}
    return entry if isinstance(entry, dict) else {}


def _used(role: str, entry: dict[str, Any]) -> dict[str, Any]:
    """How an entry uses its part, as far as that is a fact of it."""
    kept = settings_of(role) - {"count", "slots", "psu", "circuit"}
    return {k: v for k, v in entry.items() if k in kept}


def _fact(role: str, key: str, value: Any) -> Any:
    """A setting as a fact. Raises `ValueError` for one that cannot be read."""
    return getattr(SECTIONS[role].model_validate({key: value}), key)
