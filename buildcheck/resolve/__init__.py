"""Build + catalogue → the subjects of the build, each with its facts and sources.

A fact is taken from the build file first, then from the part it names, then from the
parts that refers to, and last from the entry for unlisted parts of that kind, which
only books power. Every unknown name is reported, with the nearest names, together
with what was wrong with the file already.
"""

from __future__ import annotations

from dataclasses import field, replace

from buildcheck.catalog import Catalog
from buildcheck.errors import InputError
from buildcheck.load import Loaded
from buildcheck.model.build import Build
from buildcheck.model.frozen import dataclass
from buildcheck.model.graph import Subject, certain
from buildcheck.resolve.fitting import fitted
from buildcheck.resolve.naming import Naming
from buildcheck.resolve.parts import parts, switched
from buildcheck.resolve.pins import Pins, pins
from buildcheck.resolve.surroundings import helpers, surroundings


@dataclass(frozen=True)
class Assembly:
    """All subjects of a build, not yet put together, and what the user pinned."""

    build: Build
    subjects: dict[str, Subject]
    pins: Pins = field(default_factory=Pins)

    def stated(self) -> Assembly:
        """The same without what only comparable parts have: a search compares none."""
        return replace(self, subjects=certain(self.subjects, frozenset({"typical"})))

    def certain(self, pins: Pins) -> Assembly:
        """The same without what is only usual of its parts, and with these pins."""
        return replace(self, subjects=certain(self.subjects), pins=pins)


def resolve(loaded: Loaded, catalog: Catalog) -> Assembly:
    """Find every part. Raises `InputError` with all problems of the build file."""
    naming = Naming(catalog, loaded.document, list(loaded.problems))
    subjects = {
        s.id: s for s in (*parts(loaded.build, naming), *surroundings(loaded.build, naming))
    }
    subjects = fitted(subjects, naming)
    subjects |= {s.id: s for s in helpers(subjects, catalog)}
    subjects, behind = switched(subjects)
    pinned = pins(loaded.build, subjects, naming)
    if behind:
        stated, slots = frozenset(pinned.slots), {**behind, **pinned.slots}
        pinned = replace(pinned, slots=slots, stated=stated)
    if naming.problems:
        raise InputError(naming.problems)
    return Assembly(loaded.build, subjects, pinned)
