"""One walker for every reading: an algebra says what each form means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from buildcheck.logic.parse import Arithmetic, Compare, Junction, Name, Number, Tree

if TYPE_CHECKING:
    from collections.abc import Iterator


class Algebra(Protocol):
    """What a reading makes of each form of the language."""

    def name(self, text: str) -> Any: ...
    def number(self, value: int) -> Any: ...
    def arithmetic(self, op: str, left: Any, right: Any) -> Any: ...
    def compare(self, op: str, left: Any, right: Any) -> Any: ...
    def junction(self, op: str, items: Iterator[Any]) -> Any: ...
    def negate(self, item: Any) -> Any: ...


def walk(tree: Tree, algebra: Algebra) -> Any:
    """The meaning of a tree in an algebra."""
    # The most frequent forms first: this is where judging spends its time.
    if isinstance(tree, Name):
        return algebra.name(tree.text)
    if isinstance(tree, Compare):
        return algebra.compare(tree.op, walk(tree.left, algebra), walk(tree.right, algebra))
    if isinstance(tree, Junction):
        return algebra.junction(tree.op, (walk(item, algebra) for item in tree.items))
    if isinstance(tree, Arithmetic):
        return algebra.arithmetic(tree.op, walk(tree.left, algebra), walk(tree.right, algebra))
    if isinstance(tree, Number):
        return algebra.number(tree.value)
    return algebra.negate(walk(tree.item, algebra))
