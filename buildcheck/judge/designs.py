"""A name that could mean several parts: each of them tried in its place.

`RTX 3090` is any card with that chip, `1600W` any PSU of that size. What a rule says of such a
name is what it says with each of these parts; those alike in what the rule needs are tried once.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.connect import connect
from buildcheck.measure import measure
from buildcheck.model.graph import stable_text
from buildcheck.model.kinds import KINDS
from buildcheck.model.part import NO_WORD, USER, Sourced
from buildcheck.resolve.surroundings import helpers
from buildcheck.typical import TYPICAL, holds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.catalog import Catalog
    from buildcheck.measure import Facts
    from buildcheck.model.finding import Tried
    from buildcheck.model.graph import Subject
    from buildcheck.resolve import Assembly


class Alike(NamedTuple):
    """Parts alike in some fields, and the facts of the build with one of them."""

    ids: tuple[str, ...]
    facts: Facts


@dataclass
class Designs:
    """The names of a build that could mean several parts."""

    assembly: Assembly
    catalog: Catalog
    _made: dict[tuple[str, str], Facts] = field(default_factory=dict)

    def behind(self, data: set[tuple[str, str]]) -> Iterator[tuple[list[Subject], tuple[str, ...]]]:
        """What goes by each such name, and the fields of it that are among data.

        Each datum is a subject's id and a field.
        """
        named: dict[tuple[str, ...], list[Subject]] = defaultdict(list)
        for one in self.assembly.subjects.values():
            named[one.could_be].append(one)
        for ids, subjects in named.items():
            of = {one.id for one in subjects}
            had = KINDS[ids[0].partition("/")[0]].model_fields if ids else ()
            fields = {name for subject, name in data if subject in of and name in had}
            if fields:
                yield subjects, tuple(sorted(fields))

    def most(self, tried: Tried) -> bool | None:
        """Does a rule hold with nearly all parts, or fail with nearly all? None if neither."""
        enough = self.catalog.ranges.enough[0] * len(tried.parts)
        if len(tried.passing) >= enough:
            return True
        return False if len(tried.failing) >= enough else None

    def alike(self, subject: Subject, fields: tuple[str, ...]) -> Iterator[Alike]:
        """The parts that a name could mean, by what they have of some fields.

        Those that what is stated rules out are left out, and those of which a field is not known;
        where those are most, or few are left, there is nothing to go by.
        """
        parts = [self.catalog.part(part_id) for part_id in subject.could_be]
        had = {name for part in parts for name in part.facts}
        given = {n: f.value for n, f in subject.facts.items() if f.source is USER and n in had}
        found: dict[str, list[str]] = defaultdict(list)
        unknown = 0
        for part in parts:
            mine = [(part.value(name), value) for name, value in given.items()]
            if not all(a is not None and (holds(a, b) or holds(b, a)) for a, b in mine):
                continue
            values = {name: part.value(name) for name in fields}
            if None in values.values():
                unknown += 1
            else:
                found[stable_text(values)].append(part.id)
        known = sum(map(len, found.values()))
        enough = min(self.catalog.ranges.enough[1], known + unknown)
        for ids in found.values() if known >= enough and known > unknown else ():
            facts = self._made.get((subject.id, ids[0]))
            if facts is None:
                facts = self._made[subject.id, ids[0]] = self._facts(subject, ids[0])
            yield Alike(tuple(ids), facts)

    def _facts(self, subject: Subject, part_id: str) -> Facts:
        """The facts of the build with one part behind a name, wherever it is used."""
        part, kind = self.catalog.part(part_id), KINDS[part_id.partition("/")[0]]
        made: dict[int, dict[str, Sourced]] = {}
        subjects: dict[str, Any] = dict(self.assembly.subjects)
        for one in self.assembly.subjects.values():
            if one.could_be == subject.could_be and id(one.facts) not in made:
                stated = {n: f for n, f in one.facts.items() if f.source in (USER, NO_WORD)}
                kept = {n: f for n, f in one.facts.items() if f.confidence != TYPICAL}
                known = {**kept, **part.facts, **stated}
                typical = self.catalog.typical(part.kind, known)
                # Copies of one part share their facts.
                made[id(one.facts)] = self.catalog.fill(kind, {**typical, **known})
            if one.could_be == subject.could_be:
                subjects[one.id] = replace(one, facts=made[id(one.facts)])
        subjects |= {one.id: one for one in helpers(subjects, self.catalog)}
        return measure(connect(replace(self.assembly, subjects=subjects)))
