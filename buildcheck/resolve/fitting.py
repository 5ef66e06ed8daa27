"""What is not known of a part, taken to fit the others: people buy parts that go together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from buildcheck.catalog.typical import TYPICAL
from buildcheck.logic.quantity import exact
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.graph import Subject
from buildcheck.model.part import Source, Sourced
from buildcheck.resolve.naming import Naming


def fitted(subjects: dict[str, Subject], naming: Naming) -> dict[str, Subject]:
    """The subjects, with what `rules/typical.yaml` says is chosen to fit where it is not known.

    What comparable parts have is looked up again with it. Copies of a part share their facts.
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
            if one.listed and one.path[:1] == (section,) and is_open:
                kind = SECTION_KIND[section]
                if id(facts) not in made:
                    made[id(facts)] = naming.usual(kind, {**facts, field: fact})
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
    first = rule.get("first", sorted(sets[0]) if len(sets[0]) == 1 else ())
    return next((code for code in first if all(code in one for one in sets)), None)
