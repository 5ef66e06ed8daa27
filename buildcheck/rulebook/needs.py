"""Which rules need which fields of parts, read from the rules and from the facts' own text.

A rule names facts; a fact is a function that asks for other facts and fields by name. Following
the names from rule to field says what a part file has to give, and for what.
"""

import ast
import inspect
import sys
from functools import cache
from typing import Any

from buildcheck.facts.registry import FACTS
from buildcheck.measure.shapes import MODELS, field_shapes
from buildcheck.model.graph import by_key
from buildcheck.model.rule import Rule
from buildcheck.rulebook import Rulebook

#: What parts of a kind are called in a build, where it is another word.
SUBJECT = {"add-in-card": "addin", "nvlink-bridge": "bridge", "memory": "module"}


def rules_by_field(rulebook: Rulebook, kind: str) -> dict[str, list[str]]:
    """The fields of a kind of part → the ids of the rules that ask for them, in order."""
    subject = f"{SUBJECT.get(kind, kind)}."
    asked = ((name, rule.id) for rule in rulebook.rules for name in sorted(_down_to_fields(rule)))
    return by_key((n.removeprefix(subject), rule) for n, rule in asked if n.startswith(subject))


def _down_to_fields(rule: Rule) -> set[str]:
    """The fields that what a rule names comes down to."""
    seen: set[str] = set()
    left = [*rule.used]
    while left:
        name = left.pop()
        if name not in seen:
            seen.add(name)
            left += _asked(name)
    return seen & _known() - set(FACTS)


@cache
def _known() -> frozenset[str]:
    """Every fact and field there is."""
    fields = {f"{kind}.{field}" for kind in MODELS for field in field_shapes(kind)}
    return frozenset(fields | set(FACTS))


@cache
def _asked(name: str) -> tuple[str, ...]:
    """The facts and fields the function behind a fact names, itself or by what it calls."""
    fact = FACTS.get(name)
    if fact is None:
        return ()
    if fact.reads is not None:
        return fact.reads
    return tuple(sorted(_named_in(fact.compute, set())))


def _named_in(function: Any, seen: set[Any]) -> set[str]:
    seen.add(function.__code__)
    found = {c.cell_contents for c in function.__closure__ or () if _is_name(c.cell_contents)}
    for node in ast.walk(_functions(function.__module__)[_place(function)]):
        if isinstance(node, ast.Constant) and _is_name(node.value):
            found.add(node.value)
        elif isinstance(node, ast.JoinedStr):
            found |= _pattern(node)
        elif isinstance(node, ast.Name):
            called = function.__globals__.get(node.id)
            if inspect.isfunction(called) and called.__module__.startswith("buildcheck.facts"):
                if called.__code__ not in seen and _place(called) in _functions(called.__module__):
                    found |= _named_in(called, seen)
            elif _is_name(called):
                found.add(called)
    return found


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and value in _known()


def _place(function: Any) -> tuple[str, int]:
    return function.__name__, function.__code__.co_firstlineno


@cache
def _functions(module: str) -> dict[tuple[str, int], ast.AST]:
    """The functions of a module by name and the line their code begins on."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    found = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.Lambda)]
    return {
        (
            getattr(n, "name", "<lambda>"),
            min([n.lineno, *(d.lineno for d in getattr(n, "decorator_list", ()))]),
        ): n
        for n in found
    }


def _pattern(text: ast.JoinedStr) -> set[str]:
    """The names an f-string can come to: those that begin and end as it does."""
    parts: list[Any] = text.values
    begin, end = (
        str(p.value) if isinstance(p, ast.Constant) else "" for p in (parts[0], parts[-1])
    )
    if "." not in begin:
        return set()
    return {n for n in _known() if n.startswith(begin) and n.endswith(end)}
