"""A lab's rule file over one that there is: `extends:` may tighten it, and nothing else.

What a lab gives (limits, terms, sentences, sources, more examples) replaces what the rule has.
Each example of the rule has to find at least as much as before; to find less is a waiver's work.
"""

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
from buildcheck.model.vocabulary import worded

#: Limits of a rule from settings: its id, the file, the line, and by severity what is changed.
Limit = tuple[str, str, int, dict[str, dict[str, Any]]]
_MAY_CHANGE = {"id", "extends", "limits", "terms", "message", "passes", "fix", "why", "impact"} | {
    *("remedy", "sources", "examples", "basis")
}


def laid_over(path: Path, rules: Mapping[str, dict[str, Any]]) -> tuple[Document, list[Problem]]:
    """A rule file, over the rule it extends, and what is wrong with that."""
    document = read(path.read_bytes(), str(path))
    data = document.data
    if not isinstance(data, dict):
        return document, []
    base = rules.get(str(data.get("extends", data.get("id"))))
    if "extends" not in data:
        wrong = document.wrong(("id",), "rule-there", rule=data.get("id"))
        return document, [wrong] * (base is not None)
    if base is None or data["extends"] != data.get("id"):
        return document, [document.wrong(("extends",), "extends-other-rule")]
    fixed = sorted(map(str, data.keys() - _MAY_CHANGE))
    problems = [document.wrong((key,), "rule-key-fixed", key=key) for key in fixed]
    whole = {**base, **data}
    # What has another shape is refused where the rule is proven.
    if isinstance(own := data.get("sources", {}), dict):
        whole["sources"] = base["sources"] | own
    if isinstance(more := data.get("examples", []), list):
        whole["examples"] = [*base["examples"], *more]
    del whole["extends"]
    return replace(document, data=whole), problems


def tightened(limit: Limit, rules: Mapping[str, dict[str, Any]]) -> tuple[Document, list[Problem]]:
    """A rule with other limits, from settings, and what is wrong with that."""
    rule_id, path, line, given = limit
    base = rules.get(rule_id, {"limits": []})
    document = Document(path, base, {(): (line, 1)})
    grades = {grade["severity"]: grade for grade in base["limits"]}
    if not grades:
        near = tuple(get_close_matches(rule_id, rules, 3, 0.5))
        return document, [document.wrong((), "no-rule", rule=rule_id)._replace(near=near)]
    named = [f"{s}.{n}" for s, grade in grades.items() for n in grade if n not in GRADE_KEYS]
    advice = f"Its limits: {', '.join(named)}" if named else "It has no limits"
    wrong = {f"{s}.{n}" for s, limits in given.items() for n in limits} - {*named}
    words: dict[str, Any] = {"rule": rule_id, "advice": advice}
    problems = [document.wrong((), "not-a-limit", name=n, **words) for n in sorted(wrong)]
    problems += [
        document.wrong((), "limit-value", name=f"{s}.{n}", shipped=grades[s][n], advice=advice)
        for s, limits in given.items()
        for n, value in limits.items()
        if f"{s}.{n}" in named
        and not isinstance(read_any(str(value))[0], type(read_any(str(grades[s][n]))[0]))
    ]
    for severity, limits in {} if problems else given.items():
        if severity in grades and limits:
            grades[severity] = _own(base, grades[severity], limits, f"{path}:{line}")
    return replace(document, data={**base, "limits": [*grades.values()]}), problems


def _own(
    base: dict[str, Any], grade: dict[str, Any], limits: dict[str, Any], at: str
) -> dict[str, Any]:
    """A grade with limits from settings, whose sentences name them and where they are set."""
    own, shipped = (", ".join(f"{n} = {found[n]}" for n in limits) for found in (limits, grade))
    said, why = worded("own-limit", own=own, shipped=shipped, file=Path(at).name, at=at)
    message = grade.get("message") or base.get("message", "")
    return {**grade, **limits, "message": f"{message.strip()}{said}", "why": why}


def loosened(document: Document, base: dict[str, Any], whole: dict[str, Any]) -> list[Problem]:
    """That the changed rule finds less than the one it extends, with the first such example."""
    before, now = (rule_from(plain_rule(rule)) for rule in (base, whole))
    for given in (example["given"] for example in base["examples"]):
        if _found(now, given) < _found(before, given):
            where = ", ".join(f"{name} is {value}" for name, value in given.items())
            return [document.wrong(("limits",), "rule-loosened", rule=before.id, where=where)]
    return []


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
