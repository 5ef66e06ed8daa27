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


def _at_most(a: Interval, b: Interval) -> bool | None:
    if a.high <= b.low:
        return True
    return False if a.low > b.high else None


def _below(a: Interval, b: Interval) -> bool | None:
    if a.high < b.low:
        return True
    return False if a.low >= b.high else None


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
                return _at_most(a, b)
            case "<":
                return _below(a, b)
            case ">=":
                return _at_most(b, a)
            case ">":
                return _below(b, a)
            case "==":
                return _same(a, b)
        return _not(_same(a, b))

    def junction(self, op: str, items: list[bool | None]) -> bool | None:
        decides = op == "or"
        if decides in items:
            return decides
        return None if None in items else not decides

    def negate(self, item: bool | None) -> bool | None:
        return _not(item)
