"""What is not known of parts, tried: each part that a name could mean, and machines drawn.

`RTX 3090` is any card with that chip, `1600W` any PSU of that size. What a rule says of such a
name is what it says with each of these parts; those alike in what the rule needs are tried once.

What several parts leave open together is tried in machines that are drawn: each takes, of each
part, what one comparable part has, or a value of its typical range. The values of a range are
spread evenly over the machines, and independently of those of other ranges: Latin hypercube
sampling (McKay, Beckman and Conover 1979). The worst of all ranges at once, which no machine
has, then decides nothing.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from math import ceil, inf
from random import Random
from typing import Any

from buildcheck.catalog import Catalog
from buildcheck.catalog.typical import TYPICAL, holds, long_slots
from buildcheck.connect import Made, connect
from buildcheck.logic.quantity import ZERO, Interval, exact
from buildcheck.measure import Facts, measure
from buildcheck.model.build import SUBJECT_KIND
from buildcheck.model.finding import Tried
from buildcheck.model.graph import Subject, by_facts, by_key, stable_text
from buildcheck.model.kinds import KINDS
from buildcheck.model.part import NO_WORD, USER, Part, Sourced
from buildcheck.resolve import Assembly
from buildcheck.resolve.surroundings import fittings

#: What is around a machine is no matter of which parts it has.
_OUTSIDE = frozenset({"circuit", "workload", "network", "standard"})


#: The kind of a subject's part, where it has another name.
_PART_KIND = {kind: part for part, kind in SUBJECT_KIND.items()}


@dataclass
class Designs:
    """The names of a build that could mean several parts."""

    assembly: Assembly
    catalog: Catalog
    _made: dict[tuple[str, str], Facts] = field(default_factory=dict)
    _among: dict[int, list[Part]] = field(default_factory=dict)
    _drawn: list[Facts] = field(default_factory=list)
    _edges: Made = field(default_factory=dict)
    _fixed: set[int] = field(default_factory=set)
    _names: dict[int, str] = field(default_factory=dict)
    #: What was taken whole from comparable parts, by the id of the subject and the field.
    whole: set[tuple[str, str]] = field(default_factory=set)
    _slices: dict[tuple[int, str], list[int]] = field(default_factory=dict)

    def behind(self, data: set[tuple[str, str]]) -> Iterator[tuple[list[Subject], tuple[str, ...]]]:
        """What goes by each such name, and the fields of it that are among data.

        Each datum is a subject's id and a field.
        """
        named = by_key((one.could_be, one) for one in self.assembly.subjects.values())
        for ids, subjects in sorted(named.items()):
            of = {one.id for one in subjects}
            had = KINDS[ids[0].partition("/")[0]].model_fields if ids else ()
            fields = {name for subject, name in data if subject in of and name in had}
            if fields:
                yield by_facts(subjects), tuple(sorted(fields))

    def enough(self, among: int) -> int:
        """How many parts of a number of them are nearly all."""
        return ceil(self.catalog.ranges.enough[0] * among - 1e-9)

    def fits(self, data: set[tuple[str, str]]) -> float:
        """The share of parts that makes it likely that one fits which was chosen for it."""
        ranges, of = self.catalog.ranges, self.assembly.subjects
        listed = ((of[one].kind, name) for one, name in data if one in of and of[one].listed)
        listed = ((_PART_KIND.get(kind, kind), name) for kind, name in listed)
        shares = (ranges.declared(kind, "chosen").get(name) for kind, name in listed)
        return min(filter(None, shares), default=ranges.enough[0])

    def most(self, tried: Tried) -> bool | None:
        """Does a rule hold with nearly all parts, or fail with nearly all? None if neither."""
        enough = self.enough(len(tried.parts))
        if len(tried.passing) >= enough:
            return True
        return False if len(tried.failing) >= enough else None

    def alike(self, subject: Subject, fields: tuple[str, ...]) -> list[tuple[str, ...]]:
        """The parts that a name could mean, grouped by what they have of some fields.

        Those that what is stated rules out are left out, and those of which a field is not known;
        where those are most, or few are left, there is nothing to go by.
        """
        found: dict[str, list[str]] = defaultdict(list)
        unknown = 0
        for part in self._left(subject):
            values = {name: part.value(name) for name in fields}
            if None in values.values():
                unknown += 1
            else:
                found[stable_text(values)].append(part.id)
        known = sum(map(len, found.values()))
        enough = min(self.catalog.ranges.enough[1], known + unknown)
        return [*map(tuple, found.values())] if known >= enough and known > unknown else []

    def _left(self, subject: Subject) -> list[Part]:
        """The parts that a name could mean without those that what is stated rules out."""
        if id(subject.facts) not in self._among:
            parts = [self.catalog.part(part_id) for part_id in subject.could_be]
            had = {name for part in parts for name in part.facts}
            given = {n: f.value for n, f in subject.facts.items() if f.source is USER and n in had}
            self._among[id(subject.facts)] = [
                part
                for part in parts
                if all(
                    a is not None and (holds(a, b) or holds(b, a))
                    for a, b in ((part.value(name), value) for name, value in given.items())
                )
            ]
        return self._among[id(subject.facts)]

    def having(self, subject: Subject, part_id: str) -> Facts:
        """The facts of the build with one part behind a name, wherever it is used."""
        if (subject.id, part_id) not in self._made:
            self._made[subject.id, part_id] = self._measured(
                lambda one: (
                    self._with(one.facts, part_id)
                    if one.could_be == subject.could_be
                    else one.facts
                )
            )
        return self._made[subject.id, part_id]

    def _with(self, facts: dict[str, Sourced], part_id: str) -> dict[str, Sourced]:
        """The facts of a subject with one of the parts that its name could mean."""
        part, kind = self.catalog.part(part_id), KINDS[part_id.partition("/")[0]]
        stated = {n: f for n, f in facts.items() if f.source in (USER, NO_WORD)}
        kept = {n: f for n, f in facts.items() if f.confidence != TYPICAL}
        known = {**kept, **part.facts, **stated}
        return self.catalog.fill(kind, {**self.catalog.typical(part.kind, known), **known})

    def _measured(self, of: Callable[[Subject], dict[str, Sourced]]) -> Facts:
        """The facts of the build with others of its subjects; copies of one part share them."""
        made: dict[int, dict[str, Sourced]] = {}
        subjects = dict(self.assembly.subjects)
        for one in self.assembly.subjects.values():
            if id(one.facts) not in made:
                made[id(one.facts)] = of(one)
            if made[id(one.facts)] is not one.facts:
                subjects[one.id] = replace(one, facts=made[id(one.facts)])
        subjects |= {one.id: one for one in fittings(subjects, self.catalog)}
        return measure(connect(replace(self.assembly, subjects=subjects), self._edges))

    def machine(self, number: int) -> Facts:
        """The facts of one of the machines that are drawn, by its number from 0."""
        for next_ in range(len(self._drawn), number + 1):
            self._drawn.append(self._measured(partial(self._draw, number=next_)))
        return self._drawn[number]

    def _draw(self, one: Subject, number: int) -> dict[str, Sourced]:
        """The facts of a subject in one machine."""
        facts = one.facts
        if id(facts) in self._fixed:
            return facts
        if among := self._left(one):
            facts = self._with(facts, among[self._turn(one, "part", len(among), number)].id)
        for fields, ids in self.catalog.ranges.wholes(one.kind, facts):
            if own := long_slots(facts) if "slots" in fields else ():
                # One with as many as are known, though not with what lanes.
                same = (i for i in ids if len(long_slots(self.catalog.part(i).facts)) == len(own))
                if len(ids := [*same]) < self.catalog.ranges.enough[1]:
                    continue
            same = (s.id for s in self.assembly.subjects.values() if s.facts is one.facts)
            self.whole |= {(subject, fields[0]) for subject in same}
            peer = self.catalog.part(ids[self._turn(one, fields[0], len(ids), number)]).facts
            facts = {**facts, **{name: peer[name] for name in fields if name in peer}}
        facts = self._placed(one, facts, number)
        drawn = facts
        for name, fact in facts.items() if one.kind not in _OUTSIDE else ():
            whole = fact.value
            is_one = isinstance(whole, Interval) and whole.low == whole.high
            if not isinstance(whole, (Interval, dict)) or (is_one and fact.confidence != TYPICAL):
                continue
            value = self._value(one, name, self._peer(one, name, drawn, number), number)
            if value is not whole:
                drawn = dict(facts) if drawn is facts else drawn
                drawn[name] = fact._replace(value=value)
        if drawn is one.facts:
            # All of it is known: it is the same in every machine.
            self._fixed.add(id(drawn))
        return drawn

    def _peer(self, one: Subject, name: str, facts: dict[str, Sourced], number: int) -> Any:
        """What one of the comparable parts has of a fact that is typical, else the fact's value."""
        value, confidence = facts[name].value, facts[name].confidence
        if confidence == TYPICAL and isinstance(value, Interval):
            values = self.catalog.ranges.values(_PART_KIND.get(one.kind, one.kind), facts, name)
            if values:
                return exact(values[self._turn(one, name, len(values), number)])
        return value

    def _placed(self, one: Subject, facts: dict[str, Sourced], number: int) -> dict[str, Sourced]:
        """The facts of a board with a place for each slot: the short ones are anywhere between."""
        slots, openings = facts.get("slots"), facts.get("openings")
        if slots is None or openings is None or all(slot.position for slot in slots.value):
            return facts
        apart = facts["slot_positions"].value if "slot_positions" in facts else {}
        at = {slot.label: slot.position for slot in slots.value if slot.position}
        at |= {label: int(where.low) for label, where in apart.items()}
        if not all(slot.label in at for slot in long_slots(facts)):
            among = self.catalog.ranges.places(one.kind, facts, at)
            if not among:
                return facts
            at |= among[self._turn(one, "places", len(among), number)]
        short = [slot.label for slot in slots.value if slot.label not in at]
        free = [n for n in range(1, int(openings.value.low) + 1) if n not in at.values()]
        if len(short) <= len(free):
            where = Random(f"{self._called(one)} {number}")
            at |= dict(zip(short, where.sample(free, len(short)), strict=True))
        put = tuple(s.model_copy(update={"position": at.get(s.label)}) for s in slots.value)
        return {**facts, "slots": slots._replace(value=put)}

    def _value(self, one: Subject, name: str, value: Any, number: int) -> Any:
        """A value of a fact in one machine: of a range, one of the values in it."""
        if isinstance(value, dict) and any(isinstance(v, Interval) for v in value.values()):
            counts = {n: self._value(one, f"{name} {n}", v, number) for n, v in value.items()}
            return {n: count for n, count in counts.items() if count != ZERO}
        if not isinstance(value, Interval) or not value.low < value.high < inf:
            return value
        if value.low.is_integer() and value.high.is_integer():
            steps = int(value.high - value.low) + 1
            return exact(value.low + self._turn(one, name, steps, number))
        return exact(value.low + (value.high - value.low) * self._share(one, name, number))

    def _called(self, one: Subject) -> str:
        """What tells a part from others of its kind, whatever it is called and listed as."""
        if id(one.facts) not in self._names:
            # A limit changes nothing of a part, nor where it is.
            own = (fact for fact in one.facts.items() if fact[0] != "power_limit")
            given = {n: f.value for n, f in own if f.source is USER}
            name = f"{one.kind} {one.part} {one.could_be[:1]} {stable_text(given)}"
            self._names[id(one.facts)] = name
        return self._names[id(one.facts)]

    def _turn(self, one: Subject, name: str, among: int, number: int) -> int:
        """Which of a list a machine takes."""
        return int(self._share(one, name, number) * among)

    def _share(self, one: Subject, name: str, number: int) -> float:
        """How far into a range a machine is, 0 to 1: each has a slice of its own."""
        slices = self._slices.get((id(one.facts), name))
        if slices is None:
            machines = range(self.catalog.ranges.machines)
            slices = Random(f"{self._called(one)} {name}").sample(machines, len(machines))
            self._slices[id(one.facts), name] = slices
        return (slices[number] + 0.5) / len(slices)
