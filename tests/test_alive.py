"""Every rule is alive: a whole build trips each of its grades, and a neighbour does not.

`tests/alive/<domain>.yaml` lists, for each grade of each rule, a build that trips it and the
change that spares it. A build starts from a base of `tests/alive/bases.yaml`.
"""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import TODAY, only

from buildcheck.model.rule import SEVERITIES
from buildcheck.pipeline import check

FOLDER = Path(__file__).parent / "alive"
BASES: dict[str, Any] = yaml.safe_load((FOLDER / "bases.yaml").read_text(encoding="utf-8"))
CASES: list[dict[str, Any]] = [
    case
    for path in sorted(FOLDER.glob("*.yaml"))
    if path.stem != "bases"
    for case in yaml.safe_load(path.read_text(encoding="utf-8"))
]


def merged(build: Any, change: Any) -> Any:
    """`build` with `change` laid over it; mappings merge, anything else is replaced.

    A key that is changed to nothing is taken out.
    """
    if not isinstance(build, dict) or not isinstance(change, dict):
        return copy.deepcopy(change)
    result = {k: copy.deepcopy(v) for k, v in build.items() if change.get(k, v) is not None}
    for key, value in change.items():
        if value is not None:
            result[key] = merged(result.get(key, {}), value)
    return result


#: A rule trips for certain, or by what such parts usually have.
FAILS = ("fail", "likely-fail")


def grades(build: Any, rule: str, catalog, rulebook) -> set[str]:
    """The grades at which a rule fails somewhere in a build; those of the record read others."""
    if not rule.startswith("record/"):
        rulebook = only(rulebook, rule)
    text = json.dumps(build, ensure_ascii=False, default=str).encode()
    report = check(text, "build.yaml", catalog, rulebook, TODAY)
    return {f.severity for f in report.findings if f.rule.id == rule and f.verdict in FAILS}


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['rule']}-{c['grade']}")
def test_a_build_trips_it_and_its_neighbour_does_not(case, catalog, rulebook) -> None:
    """The change takes the finding away, or at least below this grade."""
    build = merged(BASES[case.get("base", "plain")], case["build"])
    assert case["grade"] in grades(build, case["rule"], catalog, rulebook)
    spared = grades(merged(build, case["change"]), case["rule"], catalog, rulebook)
    worse = SEVERITIES[: SEVERITIES.index(case["grade"]) + 1]
    assert not spared & set(worse)


def test_every_grade_of_every_rule_is_tripped(rulebook) -> None:
    """A grade no build trips is dead, and so is a case of a rule that is gone."""
    grades_there = {(r.id, g.severity) for r in rulebook.rules for g in r.grades}
    assert grades_there == {(c["rule"], c["grade"]) for c in CASES}
