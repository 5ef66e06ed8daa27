"""Build + catalogue → the subjects of the build, each with its facts and sources.

A fact is taken from the build file first, then from the part it names, then from the
parts that refers to, and last from the entry for unlisted parts of that kind, which
only books power. Every unknown name is reported, with the nearest names, together
with what was wrong with the file already.
"""

import re
from dataclasses import field, replace
from typing import Any, Self

from buildcheck.catalog import Catalog
from buildcheck.catalog.typical import TYPICAL
from buildcheck.errors import InputError
from buildcheck.load import Loaded
from buildcheck.logic.quantity import exact
from buildcheck.model.build import SECTION_KIND, Build
from buildcheck.model.frozen import Frozen
from buildcheck.model.graph import Subject, certain
from buildcheck.model.part import Source, Sourced
from buildcheck.resolve.naming import Naming
from buildcheck.resolve.parts import parts, switched
from buildcheck.resolve.pins import Pins, pins
from buildcheck.resolve.surroundings import helpers, surroundings


class Assembly(Frozen):
    """All subjects of a build, not yet put together, and what the user pinned."""

    build: Build
    subjects: dict[str, Subject]
    pins: Pins = field(default_factory=Pins)

    def stated(self) -> Self:
        """The same without what only comparable parts have: a search compares none."""
        return replace(self, subjects=certain(self.subjects, frozenset({TYPICAL})))

    def certain(self, pins: Pins) -> Self:
        """The same without what is only usual of its parts, and with these pins."""
        return replace(self, subjects=certain(self.subjects), pins=pins)


def resolve(loaded: Loaded, catalog: Catalog) -> Assembly:
    """Find every part. Raises `InputError` with all problems of the build file."""
    naming = Naming(catalog, loaded.document, list(loaded.problems))
    subjects = {
        s.id: s for s in (*parts(loaded.build, naming), *surroundings(loaded.build, naming))
    }
    subjects = _fitted(subjects, naming)
    subjects |= {s.id: s for s in helpers(subjects, catalog)}
    subjects, behind = switched(subjects)
    pinned = pins(loaded.build, subjects, naming)
    if behind:
        stated, slots = frozenset(pinned.slots), {**behind, **pinned.slots}
        pinned = replace(pinned, slots=slots, stated=stated)
    InputError.raise_any(naming.problems)
    return Assembly(loaded.build, subjects, pinned)


def _fitted(subjects: dict[str, Subject], naming: Naming) -> dict[str, Subject]:
    """The subjects, with what `rules/typical.yaml` says is chosen to fit where it is not known.

    People buy parts that go together. What comparable parts have is looked up again with it.
    Copies of a part share their facts.
    """
    found = dict(subjects)
    for rule in naming.catalog.ranges.rows("fits"):
        section, _, field = rule["field"].partition(".")
        names = rule["to"] if isinstance(rule["to"], list) else [rule["to"]]
        value = _to_fit([v for n in names for one in found.values() if (v := _of(one, n))], rule)
        if value is None:
            continue
        fact = Sourced(value, Source(rule["says"], "", TYPICAL), TYPICAL, "")
        made: dict[int, dict[str, Sourced]] = {}
        for one in subjects.values():
            facts = found[one.id].facts
            is_open = field not in facts or facts[field].confidence == TYPICAL
            is_meant = one.listed or rule.get("unlisted")
            is_meant = is_meant and not re.search(rule.get("unless", "(?!)"), one.name)
            if is_meant and one.path[:1] == (section,) and is_open:
                if id(facts) not in made:
                    own = facts if one.listed else {}
                    usual = naming.usual(SECTION_KIND[section], {**own, field: fact})
                    made[id(facts)] = usual if one.listed else {n: usual[n] for n in facts}
                found[one.id] = replace(one, facts=made[id(facts)])
    return found


def _of(one: Subject, name: str) -> Any:
    """What a part has of a field that others are to fit; None if it is another part."""
    section, _, field = name.partition(".")
    if one.path[:1] != (section,):
        return None
    # Of one nothing can be said: a board for two may have an empty socket.
    several = exact(float(one.count)) if one.count > 1 else None
    return several if field == "count" else one.value(field)


def _to_fit(values: list[Any], rule: dict[str, Any]) -> Any:
    """What fits all of these values; None if nothing does, or there are none."""
    sets = [v if isinstance(v, frozenset) else frozenset({v}) for v in values]
    if not sets or rule.get("is") == "among":
        return frozenset().union(*sets) or None
    if "given" in rule:
        is_so = all(re.fullmatch(rule["given"], code) for one in sets for code in one)
        return rule["value"] if is_so else None
    first = rule.get("first", sorted(sets[0]) if len(sets[0]) == 1 else ())
    return next((code for code in first if all(code in one for one in sets)), None)
