"""The prose reading: a claim as a phrase with the build's own numbers in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.logic.parse import Arithmetic, Compare, Junction, Name, Not, Number, Tree

if TYPE_CHECKING:
    from collections.abc import Callable

_SIGNS = {"+": "+", "-": "-", "*": "×", "/": "÷"}
_ONES = ("1", "1.0", "1.00")
#: How a comparison reads when it holds, fails, or cannot be said.
_WORDS = {
    "<=": ("is within", "is more than", "may be more than"),
    "<": ("is below", "is not below", "may not be below"),
    ">=": ("is at least", "is less than", "may be less than"),
    ">": ("is above", "is not above", "may not be above"),
    "==": ("is", "is not", "may not be"),
    "!=": ("differs from", "is", "may be"),
    "in": ("is among", "is not among", "may not be among"),
}


def say(
    tree: Tree, show: Callable[[str], str], answer: bool | None, worth: Callable[[Tree], str]
) -> str:
    """A phrase for a claim that got `answer`; `show` words a name, `worth` a side."""
    match tree:
        case Compare(op, left, right):
            words = _WORDS[op][{True: 0, False: 1, None: 2}[answer]]
            return f"{_side(left, show, worth)} {words} {_side(right, show, worth)}"
        case Junction(op, items):
            return f" {op} ".join(say(item, show, answer, worth) for item in items)
        case Not(item):
            return say(item, show, None if answer is None else not answer, worth)
    return show(tree.text) if isinstance(tree, Name) else ""


def _side(tree: Tree, show: Callable[[str], str], worth: Callable[[Tree], str]) -> str:
    # A share of the whole is the whole.
    while isinstance(tree, Arithmetic) and tree.op in "*/" and _terms(tree.right, show) in _ONES:
        tree = tree.left
    text = _terms(tree, show)
    return f"{text} = {worth(tree)}" if isinstance(tree, Arithmetic) else text


def _terms(tree: Tree, show: Callable[[str], str]) -> str:
    match tree:
        case Arithmetic(op, left, right):
            return f"{_operand(left, op, show)} {_SIGNS[op]} {_operand(right, op, show, last=True)}"
        case Name(text):
            return show(text)
        case Number(value):
            return str(value)
    return ""


def _operand(tree: Tree, op: str, show: Callable[[str], str], *, last: bool = False) -> str:
    """One side of a sum or product, in brackets where reading needs them."""
    text = _terms(tree, show)
    if not isinstance(tree, Arithmetic):
        return text
    looser = op in "*/" and tree.op in "+-"
    turned = last and op in "-/" and (tree.op in "+-") == (op == "-")
    return f"({text})" if looser or turned else text
