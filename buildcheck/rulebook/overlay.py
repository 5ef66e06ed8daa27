"""A lab's rule file over one that there is: `extends:` may tighten it, and nothing else.

What a lab gives (limits, terms, sentences, sources, more examples) replaces what the rule has.
Each example of the rule has to find at least as much as before; to find less is a waiver's work.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any

from buildcheck.errors import Problem
from buildcheck.logic.dimension import CODES
from buildcheck.logic.quantity import UNKNOWN, read_any
from buildcheck.measure.shapes import shape_of
from buildcheck.model.rule import GRADE_KEYS, SEVERITIES, Rule, plain_rule, rule_from
from buildcheck.model.source import Document, read

#: Limits of a rule from settings: its id, the file, the line, and by severity what is changed.
Limit = tuple[str, str, int, dict[str, dict[str, Any]]]
_MAY_CHANGE = {"id", "extends", "limits", "terms", "message", "passes", "fix", "why", "impact"} | {
    *("remedy", "sources", "examples", "basis"),
}


def laid_over(path: Path, rules: Mapping[str, dict[str, Any]], problems: list[Problem]) -> Document:
    """A rule file, over the rule it extends; what is wrong with that goes to `problems`."""
    document = read(path.read_bytes(), str(path))
    data = document.data
    if not isinstance(data, dict):
        return document
    base = rules.get(str(data.get("extends", data.get("id"))))
    if "extends" not in data:
        if base is not None:
            what = f"there is a rule '{data['id']}'"
            problems.append(document.problem(("id",), what, "Say `extends:` to tighten it"))
        return document
    if base is None or data["extends"] != data.get("id"):
        what = "it extends no rule of its own id and path"
        problems.append(document.problem(("extends",), what))
        return document
    problems += [
        document.problem((key,), f"'{key}' of a rule cannot be changed")
        for key in sorted(data.keys() - _MAY_CHANGE)
    ]
    whole = {**base, **data, "sources": base["sources"] | data.get("sources", {})}
    whole["examples"] = [*base["examples"], *data.get("examples", ())]
    del whole["extends"]
    if not document.problems and "limits" in data:
        problems += _loosened(document, base, whole)
    return replace(document, data=whole)


def tightened(
    limit: Limit, rules: Mapping[str, dict[str, Any]], problems: list[Problem]
) -> Document:
    """A rule with other limits, from settings; what is wrong with that goes to `problems`."""
    rule_id, path, line, given = limit
    base = rules.get(rule_id, {"limits": []})
    document = Document(path, base, {(): (line, 1)})
    grades = {grade["severity"]: grade for grade in base["limits"]}
    if not grades:
        near = tuple(get_close_matches(rule_id, rules, 3, 0.5))
        what = f"there is no rule '{rule_id}'"
        problems.append(document.problem((), what)._replace(near=near))
        return document
    named = [f"{s}.{n}" for s, grade in grades.items() for n in grade if n not in GRADE_KEYS]
    wrong = {f"{s}.{n}" for s, limits in given.items() for n in limits} - {*named}
    for name in sorted(wrong):
        what = f"'{name}' is no limit of '{rule_id}'"
        advice = f"Its limits: {', '.join(named)}" if named else "It has no limits"
        problems.append(document.problem((), what, advice))
    whole = {**base, "limits": [{**g, **given.get(s, {})} for s, g in grades.items()]}
    problems += [] if wrong else _loosened(document, base, whole)
    return replace(document, data=whole)


def _loosened(document: Document, base: dict[str, Any], whole: dict[str, Any]) -> list[Problem]:
    """Examples of which the changed rule finds less than the one it extends."""
    before, now = (rule_from(plain_rule(rule)) for rule in (base, whole))
    return [
        document.problem(
            ("limits",),
            f"it finds less than '{before.id}' where {example['given']}",
            "Loosen a rule with a waiver",
        )
        for example in base["examples"]
        if _found(now, example["given"]) < _found(before, example["given"])
    ]


def _found(rule: Rule, given: Mapping[str, Any]) -> int:
    """What a rule finds for certain: 0 for nothing, up to 3 for an error."""
    guard = rule.guard_reading
    if guard is not None and guard(partial(_worth, given, rule.term_values, True)) is False:
        return 0
    worst = [
        len(SEVERITIES) - SEVERITIES.index(grade.severity)
        for grade in rule.grades
        if rule.claim_reading(partial(_worth, given, {**rule.term_values, **grade.values}, None))
        is False
    ]
    return max(worst, default=0)


def _worth(given: Mapping[str, Any], limits: Mapping[str, Any], other: Any, name: str) -> Any:
    """A name in an example; `other` is what a truth or code is worth that it does not give."""
    shape = shape_of(name)
    if name in limits:
        return limits[name]
    if name not in given:
        return UNKNOWN if isinstance(shape, tuple) else other
    value = given[name]
    if isinstance(shape, tuple):
        return read_any(str(value))[0]
    return frozenset(value) if shape == CODES else value
