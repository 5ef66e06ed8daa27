"""A build as the law reads it: each role with its part, or with another part.

Everything else in the file fills a role of its own name, so that reading it is recorded and builds
that differ in it share what does not depend on it.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from buildcheck.configure.search.classes import ROLES
from buildcheck.configure.search.ground import FIXED, ROLE_OF_KIND, ground_of
from buildcheck.configure.search.law import Law, say
from buildcheck.configure.search.space import Option
from buildcheck.configure.search.watch import Log
from buildcheck.configure.stopping import go_on, never
from buildcheck.resolve import resolve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.catalog import Catalog
    from buildcheck.configure.search.classes import Classes
    from buildcheck.configure.search.ground import Ground
    from buildcheck.configure.search.law import Asked
    from buildcheck.configure.search.space import Hull
    from buildcheck.configure.search.watch import WatchedFacts
    from buildcheck.configure.stopping import Stop
    from buildcheck.load import Loaded
    from buildcheck.model.graph import Subject
    from buildcheck.resolve import Assembly
    from buildcheck.rulebook import Rulebook


class Laws:
    """The laws over builds: one for all that have the same things in them, whatever these are.

    What was worked out for one of these builds is then known for the others, as far as nothing
    else was read for it. Laws are asked about the same options and therefore share a `log`.
    Who asks them often calls `go_on` between the questions.
    """

    def __init__(
        self, catalog: Catalog, rulebook: Rulebook, classes: Classes, stop: Stop = never
    ) -> None:
        self.catalog, self.rulebook, self.classes = catalog, rulebook, classes
        self.stop = stop
        self.log = Log()
        self._adapters = bundled(classes)
        self._known: dict[object, Law] = {}
        self._options: dict[str, list[Option]] = {}

    @property
    def judged(self) -> int:
        """How often a rule was judged so far."""
        return sum(law.judged for law in self._known.values())

    def go_on(self) -> None:
        """Ask whether to stop. Raises `StoppedError` if so."""
        go_on(self.stop)

    def over(self, over: Ground, absent: frozenset[str]) -> Law:
        """The law over a ground; nothing in the roles that are absent is no open question."""
        key = (absent, repr(over.pins), *map(_thing, over.subjects.values()))
        law = self._known.get(key)
        if law is None:
            law = self._known[key] = Law(self.rulebook, over, absent=absent)
            law.log = self.log
        for subject in over.subjects.values():
            law.ground.subjects.setdefault(subject.id, subject)
        return law

    def ground(self, assembly: Assembly) -> Ground:
        """What a build fixes."""
        return ground_of(assembly, self.catalog, self._adapters)

    def option(self, role: str, given: tuple[Subject, ...]) -> Option:
        """Option of a build for a role; builds with equal entries share one."""
        known = self._options.setdefault(role, [])
        for place, option in enumerate(known):
            if option.given == given:
                known.insert(0, known.pop(place))
                return option
        known.insert(0, Option(role, given=given))
        return known[0]


def _thing(subject: Subject) -> object:
    """All that facts may read of a subject in addition to its fields; catalogue data are alike."""
    if subject.kind in FIXED:
        return None
    return (
        *(subject.id, subject.kind, subject.name, subject.path, subject.part),
        *(subject.listed, subject.count),
    )


class Judgement:
    """The law over a build, and the parts of each role, `own`. Waivers are ignored.

    Raises `InputError` if there is something wrong in the build.
    """

    def __init__(self, loaded: Loaded, laws: Laws) -> None:
        self.laws = laws
        assembly = resolve(loaded, laws.catalog).stated()
        given: dict[str, list[Subject]] = {role: [] for role in ROLES}
        for subject in assembly.subjects.values():
            role = ROLE_OF_KIND.get(subject.kind)
            if role:
                given[role].append(subject)
            elif subject.kind not in FIXED:
                given[subject.id] = [subject]
        self.own = {role: laws.option(role, tuple(found)) for role, found in given.items()}
        absent = frozenset(role for role in ROLES if not given[role])
        self.law = laws.over(laws.ground(assembly), absent)
        self.asked: dict[str, Asked] = {a.rule.id: a for a in self.law.asked}

    @cached_property
    def machine(self) -> WatchedFacts:
        """The facts of the build."""
        return self.law.machine(self.own)

    @cached_property
    def verdicts(self) -> dict[str, int]:
        """The verdict of each rule on the build."""
        return {asked.rule.id: self.law.verdict(asked, self.own) for asked in self.law.asked}

    def spots(self, rule: str) -> Iterator[tuple[str, int]]:
        """The subjects of a rule, each with its verdict."""
        asked, facts = self.asked[rule], self.machine
        for subject in facts.graph.of(asked.rule.applies_to):
            yield subject.id, say(asked, subject, facts)

    def about(self, role: str) -> list[Asked]:
        """The rules that read fields of a role's part, with the rest as it is.

        What the others say does not change with it.
        """
        known = self.verdicts
        return [a for a in self.law.asked if role in a.scope and a.rule.id in known]

    def verdict_with(self, asked: Asked, role: str, option: Option | Hull) -> int:
        """The verdict of a rule on the build with another part, or any of several, in a role."""
        return self.law.verdict(asked, {**self.own, role: option})

    def verdict_of(self, rule: str, role: str, option: Option) -> int | None:
        """The verdict of a rule on the build with another part; None where it is not asked."""
        asked = self.asked.get(rule)
        if asked is None or (asked.scope and role not in asked.scope):
            return None
        return self.verdict_with(asked, role, option)


def bundled(classes: Classes) -> list[Any]:
    """Adapters that come with cards."""
    cards = classes.of("gpu").classes
    return sorted({v for c in cards if (v := c.value("bundled_adapter"))})
