"""What the law reads of a candidate while it judges a rule: the reading a search can reuse.

A search asks the same questions of millions of machines. Facts are pure functions of the
fields of parts, so a verdict holds for every machine that is equal in the fields that were
read to reach it. Every fact of a candidate is therefore kept in a dictionary that notes who
looked at what, and facts and edges that were worked out before pass on what they had read.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from buildcheck.configure.search.classes import ROLE_OF_KIND
from buildcheck.configure.search.recall import COUNT, DIFFER, ROOM, Filled, Read, Recall, Recalled
from buildcheck.connect import STAGE_OF, STAGES, Connected, Stage
from buildcheck.facts.registry import FACTS
from buildcheck.measure import Facts, Key
from buildcheck.measure.shapes import field_of
from buildcheck.model.graph import Edge, Subject
from buildcheck.resolve import Assembly

#: What the value of a fact is while it depends on a role that nothing fills.
_OPEN = object()


class Filling(NamedTuple):
    """What fills the roles of a machine, and those that nothing fills yet.

    `memory` has the facts and stages of all machines of a law, each worked out once for what was
    read for it.
    """

    roles: Filled
    vacant: frozenset[str]
    memory: defaultdict[Key | str, Recall]


class UndecidedError(Exception):
    """Something was asked of a role that nothing fills yet."""


class Log:
    """What has been read since the innermost fact began, and how many verdicts were worked out."""

    def __init__(self) -> None:
        self.reads: set[Read] = set()
        self.judged = 0

    def during(self, work: Callable[[], Any]) -> Recalled:
        """What work comes to, open where it cannot be said, and what was read for it."""
        outer, self.reads = self.reads, set()
        try:
            value = work()
        except UndecidedError:
            value = _OPEN
        reads, self.reads = frozenset(self.reads), outer
        return value, reads


class Watched(dict[str, Any]):
    """The facts of a candidate; what is asked for is noted.

    Those of candidates of which some are open are worked out by `find`, which gives `DIFFER` where
    they do not agree on there being one.
    """

    __slots__ = ("find", "log", "role")

    def __init__(
        self, role: str, log: Log, facts: dict[str, Any], find: Callable[[str], Any] | None = None
    ) -> None:
        super().__init__(facts)
        self.role, self.log, self.find = role, log, find or super().get

    def get(self, name: str, default: Any = None) -> Any:
        """The fact of a name. Raises `UndecidedError` where the candidates do not agree."""
        self.log.reads.add((self.role, name))
        value = self.find(name)
        if value is DIFFER:
            raise UndecidedError(name)
        return default if value is None else value

    def __getitem__(self, name: str) -> Any:
        value = self.get(name)
        if value is None:
            raise KeyError(name)
        return value

    def __contains__(self, name: object) -> bool:
        return self.get(str(name)) is not None


def watched(role: str, subject: Subject, log: Log) -> Subject:
    """A subject whose facts are watched by a log, as those of a role."""
    return replace(subject, facts=Watched(role, log, subject.facts), near=None)


class WatchedGraph(Connected):
    """A graph whose stages note what they read, and are remembered by it."""

    log: Log
    filling: Filling
    #: What each stage read, and whether it could be made.
    read: dict[str, tuple[frozenset[Read], bool]]

    def __init__(self, assembly: Assembly, log: Log, filling: Filling) -> None:
        super().__init__(assembly)
        vars(self).update(log=log, filling=filling, read={})

    def of(self, kind: str) -> list[Subject]:
        """All subjects of a kind, in the order of the build file."""
        role = ROLE_OF_KIND.get(kind)
        if role is not None:
            self._touch(role)
        return super().of(kind)

    def _touch(self, role: str) -> None:
        self.log.reads.add((role, COUNT))
        if role in self.filling.vacant:
            raise UndecidedError(role)

    def _find(self, kind: str) -> None:
        stage = STAGE_OF[kind]
        if stage not in self.read:
            edges, reads = self.filling.memory[stage].recalled(
                self.filling.roles, partial(self._made_of, stage)
            )
            self.read[stage] = reads, edges is not _OPEN
            self.made[stage] = [] if edges is _OPEN else edges
            self._add(self.made[stage])
        reads, decided = self.read[stage]
        self.log.reads |= reads
        if not decided:
            raise UndecidedError(kind)

    def _made_of(self, name: str) -> Recalled:
        edges, reads = self.log.during(partial(self._make, STAGES[name]))
        return edges, frozenset(
            (r, n if r != "case" or n[0] == ROOM else ROOM + n) for r, n in reads
        )

    def _make(self, stage: Stage) -> list[Edge]:
        for role in stage.roles:
            self._touch(role)
        edges = stage.make(self.assembly, self._before(stage))
        for role, field in self.log.reads:
            if role == stage.seats and self.filling.roles[role].is_open(field):
                raise UndecidedError(field)
        return edges


class WatchedFacts(Facts):
    """Facts that pass on what they were made from."""

    def __init__(self, graph: WatchedGraph) -> None:
        super().__init__(graph)
        self.log, self.filling = graph.log, graph.filling
        self._asked: dict[Key, Recalled] = {}

    def __call__(self, name: str, subject: Subject | None = None) -> Any:
        """A fact of a subject, or of the one subject of its kind; None if not known."""
        if subject is None:
            subject = self.graph.the(name.partition(".")[0])
        if name not in FACTS:
            # A field of a part is noted where it is looked up.
            found = subject.facts.get(field_of(name))
            return None if found is None else found.value
        key = (name, subject.id)
        known = self._asked.get(key)
        if known is None:
            work = partial(self.log.during, partial(FACTS[name].compute, subject, self))
            known = self._asked[key] = self.filling.memory[key].recalled(self.filling.roles, work)
        value, reads = known
        self.log.reads |= reads
        if value is _OPEN:
            raise UndecidedError(name)
        return value
