"""A build as the law sees it: each role filled with what stands there, any with another part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck.configure.search.classes import ROLES
from buildcheck.configure.search.ground import ground
from buildcheck.configure.search.law import Law
from buildcheck.configure.search.space import Option
from buildcheck.model.build import SECTION_KIND, SUBJECT_KIND
from buildcheck.resolve import resolve

if TYPE_CHECKING:
    from buildcheck.catalog import Catalog
    from buildcheck.configure.search.classes import Classes
    from buildcheck.configure.search.law import Asked
    from buildcheck.configure.search.watch import Log
    from buildcheck.load import Loaded
    from buildcheck.rulebook import Rulebook

_ROLE_OF_KIND = {SUBJECT_KIND.get(SECTION_KIND[r], SECTION_KIND[r]): r for r in ROLES}
_ROLE_OF_KIND |= {"module": "memory", "memory": "memory"}


class Standing:
    """The law over a build, and what stands in each role: `own`. Waived rules are not asked.

    Laws that are asked about the same options share a `log`.
    """

    def __init__(
        self,
        loaded: Loaded,
        catalog: Catalog,
        rulebook: Rulebook,
        classes: Classes,
        log: Log | None = None,
    ) -> None:
        given: dict[str, list[Any]] = {role: [] for role in ROLES}
        for subject in resolve(loaded, catalog).subjects.values():
            role = _ROLE_OF_KIND.get(subject.kind)
            if role:
                given[role].append(subject)
        self.own = {role: Option(role, given=tuple(given[role])) for role in ROLES}
        absent = frozenset(role for role in ROLES if not given[role])
        waived = {waiver.rule for waiver in loaded.build.waivers}
        over = ground(loaded, catalog, bundled(classes))
        self.law = Law(rulebook, over, waived, absent)
        if log is not None:
            self.law.log = log
        self.asked: dict[str, Asked] = {a.rule.id: a for a in self.law.asked}

    def says(self, asked: Asked, role: str, option: Option) -> int:
        """What a rule says of the build with another part in a role."""
        return self.law.verdict(asked, {**self.own, role: option})


def bundled(classes: Classes) -> list[Any]:
    """Adapters that come with cards."""
    cards = classes.of("gpu").classes
    return sorted({v for c in cards if (v := c.value("bundled_adapter"))})
