"""The interval reading, which is the law: does a claim hold for one build?

`True` holds, `False` does not, `None` cannot be said. A comparison holds only if it
does for every value the two sides may have; and, or, not are Kleene's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.logic.walk import walk
from buildcheck.model.quantity import Interval, exact

if TYPE_CHECKING:
    from collections.abc import Callable

    from buildcheck.logic.parse import Tree

#: An interval, a truth, a code, a set of codes, or None for what is not known.
Value = Interval | bool | str | frozenset[str] | None


def holds(tree: Tree, value_of: Callable[[str], Value]) -> bool | None:
    """Does the claim hold, given what each name is worth?"""
    result: bool | None = walk(tree, _Intervals(value_of))
    return result


def evaluate(tree: Tree, value_of: Callable[[str], Value]) -> Value:
    """What one side of a comparison is worth."""
    result: Value = walk(tree, _Intervals(value_of))
    return result


def either(answers: list[bool | None]) -> bool | None:
    """Kleene's or: true if one is, not known if one could be."""
    return True if True in answers else None if None in answers else False


def _same(a: Interval, b: Interval) -> bool | None:
    if a.is_exact and a == b:
        return True
    return False if a.high < b.low or b.high < a.low else None


def _not(a: bool | None) -> bool | None:
    return None if a is None else not a


class _Intervals:
    def __init__(self, value_of: Callable[[str], Value]) -> None:
        self.name = value_of

    def number(self, value: int) -> Value:
        return exact(float(value))

    def arithmetic(self, op: str, left: Interval, right: Interval) -> Interval:
        match op:
            case "+":
                return left + right
            case "-":
                return left - right
            case "*":
                return left * right
        return left / right

    def compare(self, op: str, left: Value, right: Value) -> bool | None:
        if left is None or right is None:
            return None
        if isinstance(left, Interval) and isinstance(right, Interval):
            return self._compare_intervals(op, left, right)
        if isinstance(right, frozenset):
            return left in right
        return (left == right) == (op == "==")

    def _compare_intervals(self, op: str, a: Interval, b: Interval) -> bool | None:
        match op:
            case "<=":
                return a.is_at_most(b)
            case "<":
                return a.is_below(b)
            case ">=":
                return b.is_at_most(a)
            case ">":
                return b.is_below(a)
            case "==":
                return _same(a, b)
        return _not(_same(a, b))

    def junction(self, op: str, items: list[bool | None]) -> bool | None:
        if op == "or":
            return either(items)
        return _not(either([_not(item) for item in items]))

    def negate(self, item: bool | None) -> bool | None:
        return _not(item)
