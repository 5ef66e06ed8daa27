"""What stays the same in every machine a search looks at: site, work, standards, given parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from buildcheck.configure.search.classes import ROLES
from buildcheck.model.build import SECTION_KIND, SUBJECT_KIND
from buildcheck.model.graph import Subject

if TYPE_CHECKING:
    from collections.abc import Iterable

    from buildcheck.configure.search.classes import Classes
    from buildcheck.model.build import Build
    from buildcheck.resolve import Assembly
    from buildcheck.resolve.pins import Pins

#: Kinds of subject that are the catalogue's, and the same in every build that has them.
FIXED = ("connector", "adapter", "standard")
#: The role of each kind of subject that fills one.
ROLE_OF_KIND = {SUBJECT_KIND.get(SECTION_KIND[r], SECTION_KIND[r]): r for r in ROLES}
ROLE_OF_KIND |= {"module": "memory", "memory": "memory", "card": "gpus"}


@dataclass(frozen=True)
class Ground:
    """A build file's subjects without the roles that are to be filled, and those it fills."""

    build: Build
    pins: Pins
    subjects: dict[str, Subject]
    given: dict[str, tuple[Subject, ...]]


def ground_of(assembly: Assembly, classes: Classes, adapters: Iterable[str] = ()) -> Ground:
    """What a build fixes, with the adapters of these names and those that candidates come with."""
    catalog = classes.catalog
    subjects: dict[str, Subject] = {}
    given: dict[str, list[Subject]] = {}
    for subject in assembly.subjects.values():
        role = ROLE_OF_KIND.get(subject.kind)
        if role is None:
            subjects[subject.id] = subject
        elif getattr(assembly.build, role):
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
