"""A judged build, and builds that differ from it, judged again as far as they differ."""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.catalog.price_book import price_book
from buildcheck.configure.judgement import Laws
from buildcheck.configure.repair.trial import Trials
from buildcheck.configure.search.classes import CURRENCY, Classes
from buildcheck.configure.stopping import never
from buildcheck.edit import Change, changed
from buildcheck.errors import InputError
from buildcheck.load.forms import spelt_out
from buildcheck.logic.parse import names
from buildcheck.model.finding import TROUBLES
from buildcheck.rulebook import Rulebook

if TYPE_CHECKING:
    from collections.abc import Iterable

    from buildcheck.check import Judging
    from buildcheck.configure.repair.trial import Outcome
    from buildcheck.configure.stopping import Stop
    from buildcheck.model.finding import Report
    from buildcheck.model.rule import Rule

#: What rules on the sustained limit of a circuit compare.
_SUSTAINED = {"circuit.current", "circuit.continuous_current"}


class Verdict(NamedTuple):
    """The error-grade rules by which a build fails, and those left open."""

    failed: frozenset[str]
    unknown: frozenset[str] = frozenset()

    @property
    def word(self) -> str:
        """The verdict of the build."""
        return "fail" if self.failed else "unknown" if self.unknown else "pass"

    def of(self, rules: set[str], other: Verdict) -> Verdict:
        """The verdict of these rules, and of others that in another one."""
        return Verdict(
            self.failed & rules | other.failed - rules,
            self.unknown & rules | other.unknown - rules,
        )


class WhatIf:
    """One judged build, and what becomes of it with changes. Quotes are left out."""

    def __init__(self, report: Report, judging: Judging, stop: Stop = never) -> None:
        self.report, (catalog, rulebook, today) = report, judging
        self.catalog = catalog
        data = spelt_out(report.document.data)
        self.data: dict[str, Any] = {k: v for k, v in data.items() if k != "quotes"}
        errors = tuple(r for r in rulebook.rules if r.severity == "error")
        self.rulebook = Rulebook(errors, rulebook.digest)
        sustained = Rulebook(tuple(filter(_is_sustained, rulebook.rules)), rulebook.digest)
        self._errors = judging._replace(rulebook=self.rulebook)
        self._sustained = judging._replace(rulebook=sustained)
        self.classes = Classes(catalog, price_book(catalog), CURRENCY)
        self.laws = Laws(catalog, self.rulebook, self.classes, stop)
        self.trials = Trials(report.document, self.laws, today)

    @cached_property
    def base(self) -> Verdict:
        """The verdict of the build as it is."""
        return verdict_of(self.report)

    @cached_property
    def _of_records(self) -> Verdict:
        """What is wrong with records, such as waivers, stays so whatever the machine is."""
        first = self.trials.outcome(self.data)
        judged = {rule for rule, _ in (first.fails | first.unknown)} if first else set()
        return Verdict(self.base.failed - judged, self.base.unknown - judged)

    def judged(self, changes: Iterable[Change]) -> Verdict | None:
        """The verdict of the build with changes; None for one that cannot be read.

        Raises `StoppedError` when it is time to stop.
        """
        records, outcome = self._of_records, self.trials.after(self.data, changes)
        if outcome is None:
            return None
        found = verdict_of_machine(outcome)
        return Verdict(found.failed | records.failed, found.unknown | records.unknown)

    def keeps_circuit(self, changes: Iterable[Change]) -> bool:
        """Is there no warning of the sustained limit of the circuit, with changes?"""
        found = report_of(self.data, changes, self._sustained)
        return found is not None and not circuit_warnings(found)

    def report_of(self, data: dict[str, Any], changes: Iterable[Change] = ()) -> Report | None:
        """The report of a build with changes; None for one that cannot be read."""
        return report_of(data, changes, self._errors)


def report_of(data: dict[str, Any], changes: Iterable[Change], judging: Judging) -> Report | None:
    """The report of a build with changes; None for one that cannot be read."""
    try:
        raw = json.dumps(changed(data, list(changes)), ensure_ascii=False).encode()
        return judging.check(raw, "build")
    except (InputError, ValueError):
        return None


def circuit_warnings(report: Report) -> tuple[str, ...]:
    """The rules that warn of the sustained limit of the circuit, or may."""
    rules = (f.rule for f in report.findings if f.verdict in TROUBLES and f.severity == "warning")
    return tuple(sorted({rule.id for rule in rules if _is_sustained(rule)}))


def _is_sustained(rule: Rule) -> bool:
    return set(names(rule.claim)) >= _SUSTAINED


def verdict_of(report: Report) -> Verdict:
    """The error-grade rules that make the verdict of a report."""
    failed, unknown = report.failing, report.errors("unknown")
    return Verdict(frozenset(f.rule.id for f in failed), frozenset(f.rule.id for f in unknown))


def verdict_of_machine(outcome: Outcome) -> Verdict:
    """The verdict of a build that was judged by the error grades alone, without records."""
    failed, unknown = ({rule for rule, _ in s} for s in (outcome.fails, outcome.unknown))
    return Verdict(frozenset(failed), frozenset(unknown))
