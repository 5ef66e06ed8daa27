"""A judged build, and builds of which something is decided otherwise: each is judged once.

What can make one fail is found by the error grades alone, by laws that share what they know. What
is shown is the report of `check`, with every rule.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from buildcheck.configure.decisions import ErrorRules
from buildcheck.configure.search import law as laws
from buildcheck.configure.search.classes import CURRENCY, FIXED, ROLE_OF_KIND, ROLES, Classes
from buildcheck.configure.search.recall import COUNT
from buildcheck.configure.search.space import Option, given_key
from buildcheck.configure.search.watch import Log, WatchedFacts
from buildcheck.configure.stopping import Stop, go_on, never
from buildcheck.edit import Change, changed
from buildcheck.errors import InputError
from buildcheck.judge import spread
from buildcheck.load import Loaded, rebuilt
from buildcheck.load.price_list import price_book
from buildcheck.load.spelt import spelt_out
from buildcheck.model.finding import Report
from buildcheck.model.graph import Graph, Subject
from buildcheck.pipeline import Judging
from buildcheck.resolve import Assembly, resolve

#: A rule and what it speaks of.
Spot = tuple[str, str]


@dataclass(frozen=True, eq=False)
class Trial:
    """A build with some of it decided otherwise. `data` are those of the file, as written.

    `own` is the part of each role, `law` that over the rest; waivers are ignored in it.
    """

    data: dict[str, Any]
    loaded: Loaded
    trials: Trials
    own: dict[str, Option]
    law: laws.Law

    @cached_property
    def plain(self) -> dict[str, Any]:
        """The file with its short forms spelt out."""
        return spelt_out(self.data)

    def entries(self, section: str) -> list[dict[str, Any]]:
        """The entries of a section."""
        plain: Any = self.plain.get(section, [])
        return [e for e in (plain if isinstance(plain, list) else [plain]) if isinstance(e, dict)]

    def section(self, name: str) -> dict[str, Any]:
        """A section of one entry, or the first entry of one; empty if there is none."""
        return next(iter(self.entries(name)), {})

    def unset(self, section: str, key: str) -> tuple[Change, ...]:
        """What takes a key out of every entry of a section."""
        entries = enumerate(self.entries(section))
        return tuple(Change((section, n, key), None) for n, entry in entries if key in entry)

    @cached_property
    def asked(self) -> dict[str, laws.Asked]:
        """The rules of the law."""
        return {asked.rule.id: asked for asked in self.law.asked}

    @cached_property
    def facts(self) -> WatchedFacts:
        """The facts of the build."""
        return self.law.machine(self.own)

    @property
    def graph(self) -> Graph:
        """The things in it."""
        return self.facts.graph

    @cached_property
    def _said(self) -> dict[Spot, int]:
        """What rules that do not pass say of their subjects, but for what is waived."""
        self.trials.judged += 1
        waived = {
            (waiver.rule, subject)
            for waiver in self.loaded.build.waivers
            if self.trials.judging.today <= waiver.until
            for subject in spread(waiver.subject)
        }
        return {
            (rule, subject.id): laws.say(asked, subject, self.facts)
            for rule, asked in self.asked.items()
            if self.law.verdict(asked, self.own) != laws.PASS
            for subject in self.graph.of(asked.rule.applies_to)
            if (rule, subject.id) not in waived
        }

    @cached_property
    def fails(self) -> frozenset[Spot]:
        """What fails."""
        return frozenset(spot for spot, said in self._said.items() if said == laws.FAIL)

    @cached_property
    def unknown(self) -> frozenset[Spot]:
        """What cannot be judged."""
        return frozenset(
            spot for spot, said in self._said.items() if said in (laws.UNKNOWN, laws.OPEN)
        )

    @cached_property
    def wrong(self) -> frozenset[Spot]:
        """What is to be fixed: what fails, and what decisions have made unknown as `check` sees it.

        What is likely to pass is not, nor what only waits for a part that is not listed.
        """
        open_ = self.unknown - self.trials.excused
        if open_ and not self.fails:
            judging, rules = self.trials.judging, {rule for rule, _ in open_}
            report = judged(self.data, judging._replace(rulebook=judging.rulebook.only(rules)))
            left = report.errors("fail", "likely-fail", "unknown") if report else []
            open_ &= {(f.rule.id, f.subject) for f in left}
        return self.fails | open_

    @cached_property
    def rules(self) -> frozenset[str]:
        """The rules of what is to be fixed."""
        return frozenset(rule for rule, _ in self.wrong)

    def holds(self, truth: str) -> bool:
        """Is a fact true of one of the things it is about?"""
        return any(
            self.facts(truth, one) is True for one in self.graph.of(truth.split(".", maxsplit=1)[0])
        )

    @cached_property
    def verdict(self) -> ErrorRules:
        """The rules by which it fails, and those left open."""
        return ErrorRules(*(frozenset(rule for rule, _ in s) for s in (self.fails, self.unknown)))

    @cached_property
    def report(self) -> Report | None:
        """The report of the build; None if `check` refuses it."""
        return judged(self.data, self.trials.judging)


def judged(data: dict[str, Any], judging: Judging) -> Report | None:
    """The report of a build of these data without its quotes; None if `check` refuses it."""
    without = {k: v for k, v in data.items() if k != "quotes"}
    try:
        return judging.check(json.dumps(without, ensure_ascii=False).encode(), "build")
    except InputError:
        return None


class Trials:
    """The trials of one judged build, by their data.

    Builds that have the same things in them share a law: what was worked out for one of them is
    known for the others, as far as nothing else was read for it. `stop` is asked between builds.
    """

    def __init__(
        self, report: Report, judging: Judging, stop: Stop = never, classes: Classes | None = None
    ) -> None:
        self.report, self.judging, self.catalog = report, judging, judging.catalog
        self.classes = classes or Classes(self.catalog, price_book(self.catalog), CURRENCY)
        self.stop = stop
        #: The file with its short forms spelt out.
        self.data = {k: v for k, v in spelt_out(report.document.data).items() if k != "quotes"}
        #: Number of builds judged so far.
        self.judged = 0
        self._seen: dict[str, Trial | None] = {}
        self._log = Log()
        self._laws: dict[object, laws.Law] = {}

    @cached_property
    def excused(self) -> frozenset[Spot]:
        """What `check` cannot judge in the build as it is given."""
        found = self.report.errors("unknown", "not-listed")
        return frozenset((f.rule.id, f.subject) for f in found)

    @property
    def base(self) -> Trial | None:
        """The build as it is given; None if nothing can be read of it."""
        return self.of(self.report.document.data)

    def over(self, ground: laws.Ground, absent: frozenset[str]) -> laws.Law:
        """The law over a ground; nothing in the roles that are absent is no open question."""
        things = (s for s in ground.subjects.values() if s.kind not in FIXED)
        pins = repr(ground.pins), len(ground.subjects)
        key = (absent, *pins, *(given_key(COUNT, s) for s in things))
        if key not in self._laws:
            law = self._laws[key] = laws.Law(self.judging.rulebook, ground, absent=absent)
            law.log = self._log
        for subject in ground.subjects.values():
            self._laws[key].ground.subjects.setdefault(subject.id, subject)
        return self._laws[key]

    def after(self, data: dict[str, Any], changes: Iterable[Change]) -> Trial | None:
        """The build after changes; None if that is no build.

        Raises `StoppedError` when it is time to stop.
        """
        go_on(self.stop)
        try:
            return self.of(changed(data, list(changes)))
        except ValueError:
            return None

    def of(self, data: dict[str, Any]) -> Trial | None:
        """A build of these data; None if they are none."""
        key = json.dumps(data, sort_keys=True, default=str)
        if key not in self._seen:
            self._seen[key] = self._trial(data)
        return self._seen[key]

    def _trial(self, data: dict[str, Any]) -> Trial | None:
        """A build; everything but the parts of roles fills a role of its own name.

        So reading that is recorded, and builds that differ in it share what does not depend on it.
        """
        try:
            loaded = rebuilt(data, self.report.document)
            if not loaded.problems:
                return Trial(data, loaded, self, *self._filled(resolve(loaded, self.catalog)))
        except InputError:
            pass
        self.judged += 1
        return None

    def _filled(self, assembly: Assembly) -> tuple[dict[str, Option], laws.Law]:
        """The part of each role, and the law over the rest."""
        given: dict[str, list[Subject]] = {role: [] for role in ROLES}
        for subject in assembly.subjects.values():
            role = ROLE_OF_KIND.get(subject.kind)
            if role:
                given[role].append(subject)
            elif subject.kind not in FIXED:
                given[subject.id] = [subject]
        own = {role: Option(role, cost=(0, 0), given=(*s,)) for role, s in given.items()}
        absent = frozenset(role for role in ROLES if not given[role])
        return own, self.over(laws.ground_of(assembly, self.classes), absent)
