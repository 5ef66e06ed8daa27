"""How many small changes of rules their own examples notice: `python tests/mutation.py [RULE ...]`.

Each rule is changed in one place at a time: a limit or a term by 5 % (a count by one), a severity,
an operator, a part of the guard. A change that no example of the rule notices is listed.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from test_rules import FILES, answer, read_rule

from buildcheck.logic.parse import Arithmetic, Compare, Junction, Not, Tree, names
from buildcheck.logic.quantity import Interval
from buildcheck.model.rule import SEVERITIES, Rule

#: What each operator is changed to.
RELATIONS = {"<=": "< >=", "<": "<= >", ">=": "> <=", ">": ">= <", "==": "!=", "!=": "=="}
OPERATORS = RELATIONS | {"+": "-", "-": "+", "*": "/", "/": "*", "and": "or", "or": "and"}
Examples = list[dict[str, Any]]


def changed(tree: Tree) -> Iterator[tuple[str, str, Tree]]:
    """Each change of a tree, as class, description and tree."""
    if isinstance(tree, Not):
        yield "operator", "without 'not'", tree.item
    if isinstance(tree, Junction):
        for n, _ in enumerate(tree.items):
            rest = tree.items[:n] + tree.items[n + 1 :]
            yield "guard", f"without {n + 1} of '{tree.op}'", Junction(tree.op, rest)
    if isinstance(tree, Junction | Compare | Arithmetic):
        for op in OPERATORS.get(tree.op, "").split():
            yield "operator", f"{tree.op} -> {op}", tree._replace(op=op)
    for place, part in enumerate(tree):
        parts = part if type(part) is tuple else (part,)
        for n, one in enumerate(parts):
            for kind, change, new in changed(one) if isinstance(one, Tree) else ():
                whole = (*parts[:n], new, *parts[n + 1 :]) if part is parts else new
                yield kind, change, type(tree)(*tree[:place], whole, *tree[place + 1 :])


def facts_with(name: str, tree: Tree | None) -> set[str]:
    """The names in every comparison that a limit or term is in."""
    if isinstance(tree, Compare):
        found = set(names(tree))
        return found if name in found else set()
    parts = [part if type(part) is tuple else (part,) for part in tree or ()]
    below = [facts_with(name, one) for some in parts for one in some if isinstance(one, Tree)]
    return set().union(*below)


def moved(values: dict[str, Any], rule: Rule, examples: Examples) -> Iterator[tuple[str, Any]]:
    """Each set of values in which one is a little lower or higher, with its description."""
    for name, value in values.items():
        if not isinstance(value, Interval):
            continue
        facts = facts_with(name, rule.claim) | facts_with(name, rule.guard)
        given = [str(e["given"][n]) for e in examples for n in facts & e["given"].keys()]
        counts = value.low.is_integer() and all(re.fullmatch(r"\d+(\.\.\d+)?", g) for g in given)
        step = 1.0 if counts else max(abs(value.low), abs(value.high)) * 0.05 or 0.01
        for by in (-step, step):
            yield f"{name} {by:+g}", {**values, name: Interval(value.low + by, value.high + by)}


def with_own(one: Any, field: str, value: Any) -> Any:
    """A grade or rule with another value of what is calculated once."""
    new = replace(one)
    new.__dict__[field] = value
    return new


def mutants(rule: Rule, examples: Examples) -> Iterator[tuple[str, str, Rule]]:
    """Each change of a rule, as class, description and rule."""
    for change, terms in moved(rule.term_values, rule, examples):
        yield "term", change, with_own(rule, "term_values", terms)
    for n, grade in enumerate(rule.grades):
        new = [("severity", s, replace(grade, severity=s)) for s in SEVERITIES]
        new = [one for one in new if one[1] != grade.severity]
        values = moved(grade.values, rule, examples)
        new += [("limit", change, with_own(grade, "values", v)) for change, v in values]
        for kind, change, one in new:
            grades = (*rule.grades[:n], one, *rule.grades[n + 1 :])
            yield kind, f"{grade.severity}: {change}", replace(rule, grades=grades)
    for field in ("guard", "claim"):
        tree = getattr(rule, field)
        for kind, change, new in changed(tree) if tree else ():
            yield kind, f"{field}: {change}", with_own(rule, field, new)


def is_caught(rule: Rule, examples: Examples) -> bool:
    """Does an example of a rule not hold?"""
    return any(answer(rule, e["given"]) not in (e["expect"], [e["expect"]]) for e in examples)


def tried(rule_ids: list[str], every: int = 1) -> Iterator[tuple[str, str, str, bool]]:
    """Rule, class and description of every Nth change, and whether it is caught."""
    for rule_id in rule_ids:
        rule, data = read_rule(rule_id)
        for kind, change, mutant in list(mutants(rule, data["examples"]))[::every]:
            yield rule_id, kind, change, is_caught(mutant, data["examples"])


def main() -> None:
    """Write the changes that are not caught, and how many are of each class."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rules", nargs="*", default=list(FILES), metavar="RULE")
    found: dict[str, list[bool]] = {"all": []}
    for rule_id, kind, change, caught in tried(parser.parse_args().rules):
        found["all"].append(caught)
        found.setdefault(kind, []).append(caught)
        if not caught:
            sys.stdout.write(f"{rule_id}: {kind}: {change}\n")
    for kind, caught in found.items():
        count, many = sum(caught), len(caught)
        sys.stdout.write(f"{kind:8} {count:5} of {many:5} {count / many:7.1%}\n")


if __name__ == "__main__":
    main()
