"""The rulebook as a search asks it: rule by rule, of machines in which some roles are still open.

The same rules, facts and reading as `validate`. What was read to reach a verdict is kept
with it, so that the next machine which is equal in all of that is not judged again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from buildcheck.configure.search.ground import FIXED
from buildcheck.configure.search.recall import Filling, Memo, Recall
from buildcheck.configure.search.watch import (
    Log,
    UndecidedError,
    WatchedFacts,
    WatchedGraph,
    watched,
)
from buildcheck.judge.record import KINDS
from buildcheck.measure.shapes import shape_of
from buildcheck.resolve import Assembly

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from buildcheck.configure.search.ground import Ground
    from buildcheck.configure.search.space import Hull, Option
    from buildcheck.configure.search.verdicts import Recalled, Verdicts
    from buildcheck.model.graph import Subject
    from buildcheck.model.rule import Grade, Rule
    from buildcheck.rulebook import Rulebook

    Fields = tuple[str, ...]
    Filled = Mapping[str, Option | Hull]

#: What a rule says of a machine: nothing against it, an error, that data are missing, or
#: that it depends on roles that are still open. Of a subject also that it does not apply.
PASS, FAIL, UNKNOWN, OPEN = range(4)
NOT_APPLICABLE = -1
#: Machines kept while several rules are asked about them.
MOST_MACHINES = 64


@dataclass
class Asked:
    """A rule with every verdict so far.

    `errors` are the grades that exclude a machine, `warnings` those that do in a careful law if
    they are known to fail, and `is_careful` says whether it is in one. `scope` are the roles it was
    seen to be about; `failed` is how often it failed a machine.
    """

    rule: Rule
    scope: set[str] = field(default_factory=set)
    recall: Recall = field(default_factory=Recall)
    errors: tuple[Grade, ...] = ()
    warnings: tuple[Grade, ...] = ()
    failed: int = 0
    is_careful: bool = False
    _other: Recall = field(default_factory=Recall)

    @property
    def which(self) -> tuple[str, bool]:
        """The rule, and whether there is a warning that it takes for a failure."""
        return self.rule.id, self.is_careful and bool(self.warnings)

    def demand(self, *, careful: bool) -> None:
        """Take known warnings for failures, or do not; its verdicts are kept for each."""
        if careful != self.is_careful and self.warnings:
            self.recall, self._other = self._other, self.recall
        self.is_careful = careful

    def fields(self, role: str) -> frozenset[str]:
        """What it was seen to read of a role."""
        seen = (*self.recall.order, *self._other.order)
        return frozenset(n for s in seen for r, names in s.fields if r == role for n in names)


class Law:
    """The error grades of a rulebook over one ground; where it is careful, its warnings as well.

    `absent` are roles that a build need not have: nothing in them is no open question. Warnings of
    rules that are `spared` exclude nothing. `verdicts` are those of earlier searches.
    """

    def __init__(  # noqa: PLR0913 - what holds, and how it is taken
        self,
        rulebook: Rulebook,
        ground: Ground,
        without: Iterable[str] = (),
        absent: frozenset[str] = frozenset(),
        *,
        careful: bool = False,
        spared: Collection[str] = (),
        verdicts: Verdicts | None = None,
    ) -> None:
        without = set(without)
        self._all = [
            _asked(rule, warns=rule.id not in spared)
            for rule in rulebook.rules
            if rule.applies_to not in (*KINDS, "waiver") and rule.id not in without
        ]
        self.ground, self.absent = ground, absent
        self.log = Log()
        self.judged = 0
        self.memory = Memo()
        self.verdicts = verdicts
        self._fixed: dict[str, Subject] = {}
        self._machines: dict[tuple[int, ...], WatchedFacts] = {}
        self.demand(careful=careful)

    def demand(self, *, careful: bool, accepted: Collection[str] = ()) -> None:
        """Take known warnings for failures from now on, but those of accepted rules, or do not."""
        self.is_careful = careful
        for asked in self._all:
            asked.demand(careful=careful and asked.rule.id not in accepted)
        self.asked = [a for a in self._all if a.errors or (a.is_careful and a.warnings)]

    def reads(self, role: str) -> frozenset[str]:
        """What its rules were seen to read of a role."""
        return frozenset().union(*(asked.fields(role) for asked in self._all))

    def verdict(self, asked: Asked, filled: Filled) -> int:
        """What a rule says of a machine."""
        known: int | None = asked.recall.find(filled)
        if known is not None:
            return known
        stored = self.verdicts.find(asked.which, filled) if self.verdicts else None
        verdict, reads = stored or self._judged(asked, filled)
        asked.scope.update(role for role, _ in reads)
        asked.failed += verdict == FAIL
        asked.recall.keep(filled, reads, verdict)
        return verdict

    def _judged(self, asked: Asked, filled: Filled) -> Recalled:
        """Verdict of a rule on a machine, without the cache, and the fields read of roles."""
        machine = self.machine(filled)
        self.log.reads = set()
        verdict = _judge(asked, machine)
        self.judged += 1
        reads = frozenset([read for read in self.log.reads if read[0] in filled])
        if verdict == UNKNOWN and any(filled[role].is_open(name) for role, name in reads):
            verdict = OPEN
        if self.verdicts:
            self.verdicts.keep(asked.which, filled, frozenset(self.log.reads), verdict)
        return verdict, reads

    def machine(self, filled: Filled) -> WatchedFacts:
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
                key: one if one.kind in FIXED else watched(key, one, self.log)
                for key, one in self.ground.subjects.items()
            }
        return self._fixed

    def _assemble(self, filled: Filled) -> WatchedFacts:
        subjects = dict(self._around())
        vacant = set()
        for role, choice in filled.items():
            made = choice.subjects(self.log)
            subjects.update((s.id, s) for s in made)
            if not made and role not in self.absent:
                vacant.add(role)
        assembly = Assembly(self.ground.build, subjects, self.ground.pins)
        machine = Filling(dict(filled), frozenset(vacant), self.memory)
        return WatchedFacts(WatchedGraph(assembly, self.log, machine))


def _asked(rule: Rule, *, warns: bool) -> Asked:
    """A rule to be asked."""
    errors, warnings = (
        tuple(g for g in rule.grades if g.severity == severity) for severity in ("error", "warning")
    )
    return Asked(rule, errors=errors, warnings=warnings if warns else ())


def _judge(asked: Asked, facts: WatchedFacts) -> int:
    rule, worst = asked.rule, PASS
    try:
        subjects = facts.graph.of(rule.applies_to)
    except UndecidedError:
        return OPEN
    for subject in subjects:
        try:
            found = say(asked, subject, facts)
        except UndecidedError:
            found = OPEN
        if found == FAIL:
            return FAIL
        worst = max(worst, found)
    return worst


def say(asked: Asked, subject: Subject, facts: WatchedFacts) -> int:
    """What a rule says of one subject. Raises `UndecidedError` where that depends on open roles."""
    rule = asked.rule

    def worth(name: str, grade: Grade | None = None) -> Any:
        if grade is not None and name in grade.values:
            return grade.values[name]
        if name in rule.term_values:
            return rule.term_values[name]
        kind = name.partition(".")[0]
        of = subject if kind == subject.kind else facts.graph.the(kind)
        value = facts(name, of)
        return (
            facts.number(name, of) if value is None and isinstance(shape_of(name), tuple) else value
        )

    guard = rule.guard_reading
    applies = True if guard is None else guard(worth)
    if applies is False:
        return NOT_APPLICABLE
    answers = [rule.claim_reading(partial(worth, grade=grade)) for grade in asked.errors]
    if False in answers:
        return FAIL if applies else UNKNOWN
    if (
        asked.is_careful
        and applies
        and any(rule.claim_reading(partial(worth, grade=g)) is False for g in asked.warnings)
    ):
        return FAIL
    return UNKNOWN if None in answers else PASS
