"""The laws of the rulebook, and the examples every rule carries."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from typing import Any

import pytest
from conftest import each_row

from buildcheck import store
from buildcheck.judge import outcome
from buildcheck.logic.interval import evaluate
from buildcheck.logic.parse import Compare
from buildcheck.logic.quantity import ANYTHING, UNKNOWN, read_any
from buildcheck.measure.shapes import shape_of
from buildcheck.model.rule import SEVERITIES, Rule, plain_rule, rule_files, rule_from
from buildcheck.model.source import read
from buildcheck.rulebook.proof import prove_rule

FOLDER = store.data_folder("rules")
FILES = dict(rule_files(FOLDER))
DOMAINS = {
    *("power", "cable", "circuit", "space", "pcie", "cooling", "memory", "cpu", "platform"),
    *("workload", "network", "record"),
}


def each_rule(test: Callable[[str], None]) -> Callable[[str], None]:
    """A test of every rule, for all rules of a domain at a time; a failure names its rule."""

    @pytest.mark.parametrize("domain", sorted({rule_id.partition("/")[0] for rule_id in FILES}))
    def of_domain(domain: str) -> None:
        for rule_id in FILES:
            if rule_id.startswith(f"{domain}/"):
                try:
                    test(rule_id)
                except AssertionError as error:
                    raise AssertionError(rule_id) from error

    of_domain.__name__, of_domain.__doc__ = test.__name__, test.__doc__
    return of_domain


@cache
def read_rule(rule_id: str) -> tuple[Rule, dict[str, Any]]:
    data, problems = prove_rule(rule_id, read(FILES[rule_id].read_bytes(), rule_id), FILES)
    assert not problems, "\n".join(map(str, problems))
    return rule_from(plain_rule(data)), data


def value_of(name: str, given: dict[str, Any], limits: dict[str, Any], *, guard: bool) -> Any:
    if name in limits:
        return limits[name]
    shape = shape_of(name)
    if name in given:
        value = given[name]
        if shape == "set of codes":
            return frozenset(value)
        if isinstance(value, bool) or shape == "code":
            return value
        interval, dimension = read_any(str(value))
        assert dimension == shape, f"{name}: {value} has the wrong unit"
        return interval
    if shape == "truth":
        return True if guard else None
    return UNKNOWN if isinstance(shape, tuple) else None


def answer(rule: Rule, given: dict[str, Any]) -> list[str]:
    """What the rule says of facts, in the words of an example."""
    terms = rule.term_values
    applies = True
    if rule.guard is not None:
        applies = evaluate(rule.guard, lambda n: value_of(n, given, terms, guard=True))
        if applies is False:
            return ["not-applicable"]
    answers = [
        evaluate(rule.claim, lambda n, g=g: value_of(n, given, {**terms, **g.values}, guard=False))
        for g in rule.grades
    ]
    return [
        grade.severity if verdict == "fail" else verdict
        for verdict, grade, _ in outcome(rule.grades, applies, answers)
    ]


@each_rule
def test_examples_hold(rule_id: str) -> None:
    rule, data = read_rule(rule_id)
    for number, example in enumerate(data["examples"]):
        expected = example["expect"]
        expected = expected if isinstance(expected, list) else [expected]
        assert answer(rule, example["given"]) == expected, (
            f"example {number + 1}: {example['given']}"
        )


@each_rule
def test_examples_cover_every_grade(rule_id: str) -> None:
    """A rule shows itself passing, failing at each grade, and unknown."""
    rule, data = read_rule(rule_id)
    shown = set()
    for example in data["examples"]:
        shown |= set(
            example["expect"] if isinstance(example["expect"], list) else [example["expect"]]
        )
    assert shown >= {"pass", "unknown", *(g.severity for g in rule.grades)}


def comparisons(tree: Any) -> Iterator[Compare]:
    """Every comparison of quantities in a claim."""
    if isinstance(tree, Compare):
        if tree.op in ("<", "<=", ">=", ">"):
            yield tree
    elif isinstance(tree, tuple):
        for part in tree:
            yield from comparisons(part)


@each_rule
def test_an_example_is_on_each_limit(rule_id: str) -> None:
    """Each comparison has an example in which both sides are equal: of the claim at each grade."""
    rule, data = read_rule(rule_id)
    tested = [(one, grade, False) for grade in rule.grades for one in comparisons(rule.claim)]
    tested += [(one, rule.grades[0], True) for one in comparisons(rule.guard)]
    for one, grade, guard in tested:
        worth = partial(value_of, limits={**rule.term_values, **grade.values}, guard=guard)
        sides = [
            [evaluate(side, partial(worth, given=e["given"])) for side in (one.left, one.right)]
            for e in data["examples"]
        ]
        assert any(
            low.is_exact and high.is_exact and low.low == pytest.approx(high.low, 1e-9, 1e-9)
            for low, high in sides
            if None not in (low, high) and not {UNKNOWN, ANYTHING} & {low, high}
        ), (grade.severity, one)


def test_nearly_every_change_is_noticed() -> None:
    """Of a limit, a term, an operator, a severity or a guard; `tests/mutation.py` tries all."""
    from mutation import tried

    missed = [change[:3] for change in tried(list(FILES), every=10) if not change[3]]
    assert len(missed) <= 5, missed


@each_rule
def test_sources_are_other_peoples(rule_id: str) -> None:
    """Sources name a document, when it was read, and are not ours; limits use them."""
    _, data = read_rule(rule_id)
    for source in data["sources"].values():
        assert (
            source.get("url")
            or source.get("document")
            or source["title"].startswith("Working assumption:")
        )
        assert "buildcheck" not in str(source).lower()
        assert source.get("read")


@each_rule
def test_names_are_hazards(rule_id: str) -> None:
    """`failed: x` and `waive x` both read well."""
    domain, _, hazard = rule_id.partition("/")
    assert domain in DOMAINS
    assert "/" not in hazard
    assert not {"no", "not", "must", "check", "ok"} & set(hazard.split("-"))


@each_rule
def test_grades_are_worst_first_and_distinct(rule_id: str) -> None:
    """Each grade has a severity of its own, and what fails at one fails at all milder ones."""
    rule, data = read_rule(rule_id)
    severities = [grade["severity"] for grade in data["limits"]]
    assert severities == [one for one in SEVERITIES if one in severities]
    for example in data["examples"]:
        answers = [answer(replace(rule, grades=(g,)), example["given"]) for g in rule.grades]
        failing = [[g.severity] == found for g, found in zip(rule.grades, answers, strict=True)]
        assert failing == sorted(failing), example


@each_rule
def test_a_rule_has_its_sentences(rule_id: str) -> None:
    """A title of one line for each grade, and what fails, what passes and what to do."""
    rule, _ = read_rule(rule_id)
    assert rule.message
    assert rule.passes
    assert rule.fix
    for grade in rule.grades:
        assert len(grade.title) <= 60
        for text in (grade.title, rule.message, rule.passes, grade.fix or rule.fix):
            assert not text.endswith("."), text


@each_row
def test_a_wrong_sentence_is_refused(text, tmp_path) -> None:
    """Another's fact, no fact, half a brace, a percentage of bytes, a truth, mixed units."""
    source = store.data_folder("rules") / "memory" / "too-many-modules.yaml"
    path = tmp_path / "rule.yaml"
    path.write_text(re.sub("(?m)^fix: .*$", f'fix: "{text}"', source.read_text("utf-8")), "utf-8")
    (problem,) = prove_rule("memory/too-many-modules", read(path.read_bytes(), str(path)), ())[1]
    assert problem.line == path.read_text("utf-8").splitlines().index(f'fix: "{text}"') + 1
