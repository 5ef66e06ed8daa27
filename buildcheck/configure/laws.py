"""The laws over builds, which share what was worked out for one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.configure.search.ground import FIXED
from buildcheck.configure.search.law import Law
from buildcheck.configure.search.recall import COUNT
from buildcheck.configure.search.space import Option, given_key
from buildcheck.configure.search.watch import Log
from buildcheck.configure.stopping import never

if TYPE_CHECKING:
    from buildcheck.configure.search.classes import Classes
    from buildcheck.configure.search.ground import Ground
    from buildcheck.configure.stopping import Stop
    from buildcheck.model.graph import Subject
    from buildcheck.rulebook import Rulebook


class Laws:
    """The laws over builds: one for all that have the same things in them, whatever these are.

    What was worked out for one of these builds is then known for the others, as far as nothing
    else was read for it. Laws are asked about the same options and therefore share a `log`.
    Who asks them often asks `stop` between the questions.
    """

    def __init__(self, rulebook: Rulebook, classes: Classes, stop: Stop = never) -> None:
        self.rulebook, self.classes, self.stop = rulebook, classes, stop
        self.log = Log()
        self._known: dict[object, Law] = {}
        self._options: dict[str, list[Option]] = {}

    @property
    def judged(self) -> int:
        """How often a rule was judged so far."""
        return sum(law.judged for law in self._known.values())

    def over(self, over: Ground, absent: frozenset[str]) -> Law:
        """The law over a ground; nothing in the roles that are absent is no open question."""
        things = (s for s in over.subjects.values() if s.kind not in FIXED)
        key = (absent, repr(over.pins), len(over.subjects), *(given_key(COUNT, s) for s in things))
        law = self._known.get(key)
        if law is None:
            law = self._known[key] = Law(self.rulebook, over, absent=absent)
            law.log = self.log
        for subject in over.subjects.values():
            law.ground.subjects.setdefault(subject.id, subject)
        return law

    def option(self, role: str, given: tuple[Subject, ...]) -> Option:
        """Option of a build for a role; builds with equal entries share one."""
        known = self._options.setdefault(role, [])
        for place, option in enumerate(known):
            if option.given == given:
                known.insert(0, known.pop(place))
                return option
        known.insert(0, Option(role, given=given))
        return known[0]
