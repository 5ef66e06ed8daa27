"""The rulebook as a search asks it: rule by rule, of machines in which some roles are still open.

The same rules, facts and reading as `validate`, over a ground that is the same in every machine:
site, work, standards and given parts. What was read to reach a verdict is kept
with it, so that the next machine which is equal in all of that is not judged again.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from buildcheck.configure.search import watch
from buildcheck.configure.search.classes import FIXED, ROLE_OF_KIND, Classes
from buildcheck.configure.search.recall import Recall, Recalled
from buildcheck.configure.search.space import Hull, Option
from buildcheck.measure import Key
from buildcheck.model.build import Build
from buildcheck.model.finding import RECORDS
from buildcheck.model.graph import Subject
from buildcheck.model.rule import Grade, Rule
from buildcheck.resolve import Assembly
from buildcheck.resolve.pins import Pins
from buildcheck.rulebook import Rulebook
from buildcheck.rulebook.proposals import proposals

Filled = Mapping[str, Option | Hull]
#: What a rule says of a machine: nothing against it, an error, that data are missing, or
#: that it depends on roles that are still open. Of a subject also that it does not apply.
PASS, FAIL, UNKNOWN, OPEN = range(4)
NOT_APPLICABLE = -1
#: Machines kept while several rules are asked about them.
MOST_MACHINES = 64


@dataclass(frozen=True)
class Ground:
    """A build file's subjects without the roles that are to be filled, and those it fills."""

    build: Build
    pins: Pins
    subjects: dict[str, Subject]
    given: dict[str, tuple[Subject, ...]]


def ground_of(assembly: Assembly, classes: Classes, adapters: Iterable[str] = ()) -> Ground:
    """What a build fixes, with the adapters of these names and those that candidates come with.

    CPU coolers come with a complete machine, and PSUs with some cases.
    """
    catalog, is_whole = classes.catalog, assembly.subjects["case"].value("complete") is True
    subjects: dict[str, Subject] = {}
    given: dict[str, list[Subject]] = {}
    for subject in assembly.subjects.values():
        role = ROLE_OF_KIND.get(subject.kind)
        if role is None:
            subjects[subject.id] = subject
        elif subject.listed or (subject.kind == "cooler" and is_whole):
            given.setdefault(role, []).append(subject)
    for part_id in catalog.ids("connector"):
        code = part_id.rpartition("/")[2]
        facts = catalog.part(part_id).facts
        key = f"connector:{code}"
        subjects.setdefault(key, Subject(key, "connector", code, facts, listed=False))
    for name in sorted(classes.adapters.union(adapters)):
        part = catalog.part(catalog.find("adapter", name))
        key = f"adapter:{name}"
        subjects.setdefault(key, Subject(key, "adapter", part.name, part.facts, listed=False))
    return Ground(
        assembly.build,
        assembly.pins,
        subjects,
        {role: tuple(found) for role, found in given.items()},
    )


@dataclass(eq=False)
class Asked:
    """A rule with every verdict so far.

    `errors` are the grades that exclude a machine, `warnings` those that do where it is taken with
    care and they are known to fail. `scope` are the roles it was seen to be about; `failed` is how
    often it failed a machine. `recalls` are of verdicts without care, and with it.
    """

    rule: Rule
    errors: tuple[Grade, ...]
    warnings: tuple[Grade, ...]
    scope: set[str] = field(default_factory=set)
    failed: int = 0
    recalls: tuple[Recall, Recall] = field(default_factory=lambda: (Recall(), Recall()))

    def fields(self, role: str) -> frozenset[str]:
        """What it was seen to read of a role."""
        seen = (s for recall in self.recalls for s in recall.order)
        return frozenset(n for s in seen for r, names in s.fields if r == role for n in names)


class Law:
    """The error grades of a rulebook over one ground; where it is careful, its warnings as well.

    `absent` are roles that a build need not have: nothing in them is no open question. Warnings of
    rules that are `spared` exclude nothing. A law taken otherwise knows all that this one knows.
    """

    def __init__(
        self,
        rulebook: Rulebook,
        ground: Ground,
        absent: frozenset[str] = frozenset(),
        spared: Collection[str] = (),
    ) -> None:
        self._all = [
            Asked(
                rule,
                tuple(g for g in rule.grades if g.severity == "error"),
                tuple(g for g in rule.grades if g.severity == "warning" and rule.id not in spared),
            )
            for rule in rulebook.rules
            if rule.applies_to not in RECORDS
        ]
        self.ground, self.absent = ground, absent
        self.log = watch.Log()
        self.memory: defaultdict[Key | str, Recall] = defaultdict(Recall)
        self._fixed: dict[str, Subject] = {}
        self._machines: dict[tuple[int, ...], watch.WatchedFacts] = {}
        #: The rules whose known warnings are taken for failures, and those by which a machine may
        #: be unknown.
        self.careful: frozenset[str] = frozenset()
        self.hopeful: frozenset[str] = frozenset()
        #: Equal where it is taken in the same way.
        self.taken = ""
        self.asked = [a for a in self._all if a.errors]

    def with_care(self, *accepted: str) -> Law:
        """The law with known warnings taken for failures, but those of accepted rules."""
        careful = frozenset(a.rule.id for a in self._all if a.warnings) - {*accepted}
        asked = [a for a in self._all if a.errors or a.rule.id in careful]
        return self._as(f"{self.taken} careful {sorted(accepted)}", careful=careful, asked=asked)

    def hoping(self, *rules: str) -> Law:
        """The law with what is unknown by these rules, or by all, taken to turn out well."""
        hopeful = frozenset(rules or [a.rule.id for a in self._all])
        return self._as(f"{self.taken} hoping {sorted(rules)}", hopeful=hopeful)

    def only(self, rules: Collection[str]) -> Law:
        """The law of some of its rules."""
        asked = [a for a in self.asked if a.rule.id in rules]
        return self._as(f"{self.taken} only {sorted(a.rule.id for a in asked)}", asked=asked)

    def _as(self, taken: str, **how: Any) -> Law:
        law = copy.copy(self)
        vars(law).update(how, taken=taken)
        return law

    def reads(self, filled: Filled) -> set[tuple[str, str]]:
        """What its rules read of a machine: roles, and fields of what fills them."""
        return {read for asked in self.asked for read in self._recalled(asked, filled)[1]}

    def verdict(self, asked: Asked, filled: Filled) -> int:
        """What a rule says of a machine."""
        verdict: int = self._recalled(asked, filled)[0]
        return verdict

    def refusing(self, filled: Filled) -> Iterator[Asked]:
        """The rules that refuse a machine, or by which it is not known to pass."""
        for asked in self.asked:
            verdict = self.verdict(asked, filled)
            if verdict == FAIL or (verdict == UNKNOWN and asked.rule.id not in self.hopeful):
                yield asked

    def _recalled(self, asked: Asked, filled: Filled) -> Recalled:
        """The verdict of a rule on a machine, and what was read of roles for it."""
        recall = asked.recalls[asked.rule.id in self.careful]
        return recall.recalled(filled, partial(self._judged, asked, filled))

    def _judged(self, asked: Asked, filled: Filled) -> Recalled:
        """A verdict worked out anew, and what was read of roles for it."""
        careful = asked.rule.id in self.careful
        judged = partial(_judge, asked, self.machine(filled), careful=careful)
        verdict, read = self.log.during(judged)
        self.log.judged += 1
        reads = frozenset((role, name) for role, name in read if role in filled)
        if verdict == UNKNOWN and any(filled[role].is_open(name) for role, name in reads):
            verdict = OPEN
        asked.scope.update(role for role, _ in reads)
        asked.failed += verdict == FAIL
        return verdict, reads

    def machine(self, filled: Filled) -> watch.WatchedFacts:
        """The facts of a machine, none worked out yet unless it was asked for before."""
        key = tuple([filled[role].serial for role in filled])
        found = self._machines.get(key)
        if found is None:
            if len(self._machines) >= MOST_MACHINES:
                self._machines.clear()
            found = self._machines[key] = self._assemble(filled)
        return found

    def _around(self) -> dict[str, Subject]:
        """What stays the same in every machine, watched by the log but for the catalogue's."""
        if len(self._fixed) != len(self.ground.subjects):
            self._fixed = {
                key: one if one.kind in FIXED else watch.watched(key, one, self.log)
                for key, one in self.ground.subjects.items()
            }
        return self._fixed

    def _assemble(self, filled: Filled) -> watch.WatchedFacts:
        subjects = dict(self._around())
        vacant = set()
        for role, choice in filled.items():
            made = choice.subjects(self.log)
            subjects.update((s.id, s) for s in made)
            if not made and role not in self.absent:
                vacant.add(role)
        assembly = Assembly(self.ground.build, subjects, self.ground.pins)
        machine = watch.Filling(dict(filled), frozenset(vacant), self.memory)
        return watch.WatchedFacts(watch.WatchedGraph(assembly, self.log, machine))


def _judge(asked: Asked, facts: watch.WatchedFacts, *, careful: bool) -> int:
    rule, worst = asked.rule, PASS
    try:
        subjects = facts.graph.of(rule.applies_to)
    except watch.UndecidedError:
        return OPEN
    for subject in subjects:
        try:
            found = say(asked, subject, facts, careful=careful)
        except watch.UndecidedError:
            found = OPEN
        if found == FAIL:
            return FAIL
        worst = max(worst, found)
    return worst


def say(asked: Asked, subject: Subject, facts: watch.WatchedFacts, *, careful: bool = False) -> int:
    """What a rule says of one subject. Raises `UndecidedError` where that depends on open roles."""
    rule = asked.rule

    def worth(name: str, grade: Grade | None = None) -> Any:
        if grade is not None and name in grade.values:
            return grade.values[name]
        return rule.term_values[name] if name in rule.term_values else facts.worth(name, subject)

    guard = rule.guard_reading
    applies = guard is None or guard(worth)
    if applies is False:
        return NOT_APPLICABLE
    answers = [rule.claim_reading(partial(worth, grade=grade)) for grade in asked.errors]
    if False in answers:
        return FAIL if applies else UNKNOWN
    grades = asked.warnings if careful and applies else ()
    warned = [rule.claim_reading(partial(worth, grade=grade)) for grade in grades]
    if False in warned:
        return FAIL
    answers += warned if rule.id in proposals().doubts_that_warn else ()
    return UNKNOWN if None in answers else PASS
