"""Builds that differ from a judged one, judged again as far as they differ."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.check import check
from buildcheck.configure.judgement import Laws
from buildcheck.configure.repair.trial import Trials
from buildcheck.configure.search.classes import CURRENCY, Classes
from buildcheck.configure.stopping import go_on, never
from buildcheck.edit import Change, changed
from buildcheck.errors import InputError
from buildcheck.load import spelt_out
from buildcheck.price_book import price_book
from buildcheck.rulebook import Rulebook

if TYPE_CHECKING:
    import datetime
    from collections.abc import Iterable

    from buildcheck.catalog import Catalog
    from buildcheck.configure.stopping import Stop
    from buildcheck.model.finding import Report


class Verdict(NamedTuple):
    """The verdict of a build, and the error-grade rules that fail or are not known to hold."""

    word: str
    failed: frozenset[str]
    unknown: frozenset[str]


class WhatIf:
    """One judged build, and what becomes of it with changes."""

    def __init__(
        self,
        report: Report,
        catalog: Catalog,
        rulebook: Rulebook,
        today: datetime.date,
        stop: Stop = never,
    ) -> None:
        self.report, self.catalog, self.today = report, catalog, today
        data = spelt_out(report.document.data)
        self.data: dict[str, Any] = {k: v for k, v in data.items() if k != "quotes"}
        errors = tuple(r for r in rulebook.rules if r.severity == "error")
        self.rulebook = Rulebook(errors, rulebook.digest)
        laws = Laws(catalog, self.rulebook, Classes(catalog, price_book(catalog, ()), CURRENCY))
        self.trials = Trials(report.document, laws, today)
        self.base = verdict_of(report)
        first = self.trials.outcome(self.data)
        judged = {rule for rule, _ in (first.fails | first.unknown)} if first else set()
        self.stop = stop
        #: What is wrong with records, such as quotes, stays so whatever the machine is.
        self._of_records = (self.base.failed - judged, self.base.unknown - judged)

    def judged(self, changes: Iterable[Change]) -> Verdict | None:
        """The verdict of the build with changes; None for one that cannot be read.

        Raises `StoppedError` when it is time to stop.
        """
        go_on(self.stop)
        outcome = self.trials.after(self.data, changes)
        if outcome is None:
            return None
        failed = frozenset(rule for rule, _ in outcome.fails) | self._of_records[0]
        unknown = frozenset(rule for rule, _ in outcome.unknown) | self._of_records[1]
        return Verdict("fail" if failed else "unknown" if unknown else "pass", failed, unknown)

    def report_of(self, changes: list[Change]) -> Report | None:
        """The report of the build with changes; None for one that cannot be read.

        Raises `StoppedError` when it is time to stop.
        """
        go_on(self.stop)
        try:
            raw = json.dumps(changed(self.data, changes), ensure_ascii=False).encode()
            return check(raw, "build", self.catalog, self.rulebook, self.today)
        except (InputError, ValueError):
            return None


def verdict_of(report: Report) -> Verdict:
    """The verdict of a report, and the error-grade rules that make it."""
    errors = [f for f in report.findings if f.severity == "error"]
    failed = frozenset(f.rule.id for f in errors if f.verdict == "fail")
    unknown = frozenset(f.rule.id for f in errors if f.verdict == "unknown")
    return Verdict(report.verdict, failed, unknown)
