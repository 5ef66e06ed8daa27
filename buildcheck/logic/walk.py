"""One walker for every reading: an algebra says what each form means."""

from __future__ import annotations

from typing import Any, Protocol

from buildcheck.logic.parse import Arithmetic, Compare, Junction, Name, Not, Number, Tree


class Algebra(Protocol):
    """What a reading makes of each form of the language."""

    def name(self, text: str) -> Any: ...  # noqa: D102
    def number(self, value: int) -> Any: ...  # noqa: D102
    def arithmetic(self, op: str, left: Any, right: Any) -> Any: ...  # noqa: D102
    def compare(self, op: str, left: Any, right: Any) -> Any: ...  # noqa: D102
    def junction(self, op: str, items: list[Any]) -> Any: ...  # noqa: D102
    def negate(self, item: Any) -> Any: ...  # noqa: D102


def walk(tree: Tree, algebra: Algebra) -> Any:
    """The meaning of a tree in an algebra."""
    match tree:
        case Name(text):
            return algebra.name(text)
        case Number(value):
            return algebra.number(value)
        case Arithmetic(op, left, right):
            return algebra.arithmetic(op, walk(left, algebra), walk(right, algebra))
        case Compare(op, left, right):
            return algebra.compare(op, walk(left, algebra), walk(right, algebra))
        case Junction(op, items):
            return algebra.junction(op, [walk(item, algebra) for item in items])
        case Not(item):
            return algebra.negate(walk(item, algebra))
