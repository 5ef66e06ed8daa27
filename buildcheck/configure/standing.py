"""A build as the law sees it: each role filled with what stands there, any with another part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck.configure.search.classes import ROLES
from buildcheck.configure.search.ground import ground
from buildcheck.configure.search.law import Law
from buildcheck.configure.search.space import Option
from buildcheck.configure.search.watch import Log
from buildcheck.model.build import SECTION_KIND, SUBJECT_KIND
from buildcheck.resolve import resolve

if TYPE_CHECKING:
    from buildcheck.catalog import Catalog
    from buildcheck.configure.search.classes import Classes
    from buildcheck.configure.search.ground import Ground
    from buildcheck.configure.search.law import Asked
    from buildcheck.configure.search.space import Hull
    from buildcheck.load import Loaded
    from buildcheck.model.graph import Subject
    from buildcheck.rulebook import Rulebook

_ROLE_OF_KIND = {SUBJECT_KIND.get(SECTION_KIND[r], SECTION_KIND[r]): r for r in ROLES}
_ROLE_OF_KIND |= {"module": "memory", "memory": "memory"}
#: Kinds of subject that are the catalogue's, and the same in every build that has them.
_FIXED = ("connector", "adapter", "standard")


class Laws:
    """The laws over builds: one for all that differ in no more than their parts.

    What was worked out for one of these is then known for the others. Laws are asked about the
    same options and therefore share a `log`.
    """

    def __init__(self, catalog: Catalog, rulebook: Rulebook, classes: Classes) -> None:
        self.catalog, self.rulebook, self.classes = catalog, rulebook, classes
        self.log = Log()
        self._adapters = bundled(classes)
        self._known: dict[str, Law] = {}

    @property
    def judged(self) -> int:
        """How often a rule was judged so far."""
        return sum(law.judged for law in self._known.values())

    def over(self, loaded: Loaded, absent: frozenset[str]) -> Law:
        """The law over a build. Waived rules are not asked."""
        waived = {waiver.rule for waiver in loaded.build.waivers}
        over = ground(loaded, self.catalog, self._adapters)
        key = f"{sorted(absent)} {sorted(waived)} {_told(over)}"
        if key not in self._known:
            law = self._known[key] = Law(self.rulebook, over, waived, absent)
            law.log = self.log
        return self._known[key]


def _told(over: Ground) -> str:
    """All that facts may read of a ground."""
    return f"{over.pins} {list(map(_of_subject, over.subjects.values()))}"


def _of_subject(subject: Subject) -> tuple[Any, ...]:
    if subject.kind in _FIXED:
        return (subject.id,)
    values = {name: fact.value for name, fact in subject.facts.items()}
    return (
        *(subject.id, subject.kind, subject.name, subject.path, subject.part),
        *(subject.listed, subject.count, values),
    )


class Standing:
    """The law over a build, and what stands in each role: `own`. Waived rules are not asked."""

    def __init__(self, loaded: Loaded, laws: Laws) -> None:
        self.laws = laws
        given: dict[str, list[Any]] = {role: [] for role in ROLES}
        for subject in resolve(loaded, laws.catalog).subjects.values():
            role = _ROLE_OF_KIND.get(subject.kind)
            if role:
                given[role].append(subject)
        self.own = {role: Option(role, given=tuple(given[role])) for role in ROLES}
        self.law = laws.over(loaded, frozenset(role for role in ROLES if not given[role]))
        self.asked: dict[str, Asked] = {a.rule.id: a for a in self.law.asked}
        self._learnt = False

    def about(self, role: str) -> list[Asked]:
        """The rules that read something of what stands in a role, with the rest as it is.

        What the others say does not change with it.
        """
        if not self._learnt:
            for asked in self.law.asked:
                self.law.verdict(asked, self.own)
            self._learnt = True
        return [asked for asked in self.law.asked if role in asked.scope]

    def says(self, asked: Asked, role: str, option: Option | Hull) -> int:
        """What a rule says of the build with another part, or any of several, in a role."""
        return self.law.verdict(asked, {**self.own, role: option})


def bundled(classes: Classes) -> list[Any]:
    """Adapters that come with cards."""
    cards = classes.of("gpu").classes
    return sorted({v for c in cards if (v := c.value("bundled_adapter"))})
