"""Text of a rule's expression → a checked tree, and one walker for every reading of it.

    claim  := claim 'and' claim | claim 'or' claim | 'not' claim | side REL side | name
            | name 'is' ('known' | 'found' | 'true' | code | '(' code ',' ... ')')
    side   := side ('+' | '-' | '*' | '/') side | name | 0 | 1 | code | '(' code ',' ... ')'
            | ('max' | 'min' | 'hull') '(' side ',' side ',' ... ')' | side 'if' claim 'else' side
            | 'at' '(' name ',' side ')'
            | 'unknown' | 'number' '(' name [',' code] ')'
            | ('low' | 'high' | 'middle' | 'at_least' | 'up_to') '(' side ')'
            | ('sqrt' | 'cbrt' | 'ceil') '(' side ')'
    REL    := '<' | '<=' | '==' | '!=' | '>=' | '>' | 'in'
    name   := word ('.' word)*
    code   := a text in quotes

Nothing outside the grammar passes. Python's own parser reads the text; every node that is not on
the short list below is refused, and length and depth are bounded first.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial, reduce
from typing import Any, NamedTuple, Protocol

MAX_LENGTH = 400
MAX_DEPTH = 12


class Name(NamedTuple):
    """A fact, or a named limit of the rule."""

    text: str


class Number(NamedTuple):
    """Zero or one."""

    value: int


class Code(NamedTuple):
    """A code, or several of which one is meant."""

    texts: tuple[str, ...]
    is_set: bool


class Known(NamedTuple):
    """Whether a fact has a value; if not, `is found` cannot be said."""

    name: str
    is_found: bool = False


class CountOf(NamedTuple):
    """The number that a list of counts has of one thing, or of all."""

    name: str
    code: str = ""


class Unknown(NamedTuple):
    """What has no value."""


class Arithmetic(NamedTuple):
    """Two sides and `+`, `-`, `*`, `/`, or what is made of both: `max`, `min`, `hull`, or `at`.

    `at` is what a curve is at a place.
    """

    op: str
    left: Tree
    right: Tree


class Compare(NamedTuple):
    """Two sides and a relation."""

    op: str
    left: Tree
    right: Tree


class Junction(NamedTuple):
    """Claims joined by `and` or `or`."""

    op: str
    items: tuple[Tree, ...]


class Not(NamedTuple):
    """The opposite of a claim."""

    item: Tree


class End(NamedTuple):
    """What a word makes of one side: an end of it, the side with one end left open, a root."""

    op: str
    item: Tree


class Choice(NamedTuple):
    """One of two sides, by a claim."""

    claim: Tree
    then: Tree
    otherwise: Tree


Leaf = Number | Code | Known | CountOf | Unknown
Tree = Name | Leaf | Arithmetic | Compare | Junction | Not | End | Choice

_BOTH = ("max", "min", "hull", "at")
_ENDS = ("low", "high", "middle", "at_least", "up_to", "sqrt", "cbrt", "ceil")

_ARITHMETIC = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_RELATIONS = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.GtE: ">=",
    ast.Gt: ">",
    ast.In: "in",
}


def parse(text: str) -> Tree:
    """The tree of an expression. Raises `ValueError` with a sentence."""
    if len(text) > MAX_LENGTH:
        raise ValueError(f"an expression has at most {MAX_LENGTH} characters")
    # Python's parser recurses on brackets and signs; refuse piles of them unread.
    if text.count("(") > MAX_DEPTH or text.count("not") > MAX_DEPTH:
        raise ValueError("the expression is nested too deeply")
    if any(sign in text for sign in ("--", "++", "~", "-+", "+-", "#")):
        raise ValueError("signs and comments are not part of the language")
    try:
        body = ast.parse(" ".join(text.split()), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise ValueError(f"'{text[:60]}' is not an expression") from None
    return _tree(body, 0)


def _tree(node: ast.AST, depth: int) -> Tree:
    if depth > MAX_DEPTH:
        raise ValueError("the expression is nested too deeply")
    match node:
        case ast.BoolOp(op=op, values=values):
            word = "and" if isinstance(op, ast.And) else "or"
            return Junction(word, tuple(_tree(v, depth + 1) for v in values))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return Not(_tree(operand, depth + 1))
        case ast.Compare(left=left, ops=[ast.Is()], comparators=[right]):
            return _is(_dotted(left), right)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _RELATIONS:
            return Compare(_RELATIONS[type(op)], _tree(left, depth + 1), _tree(right, depth + 1))
        case ast.BinOp(op=op, left=left, right=right) if type(op) in _ARITHMETIC:
            return Arithmetic(
                _ARITHMETIC[type(op)], _tree(left, depth + 1), _tree(right, depth + 1)
            )
    return _made(node, depth) or _leaf(node)


def _made(node: ast.AST, depth: int) -> Tree | None:
    """A choice, or what a word makes of one side or of two."""
    match node:
        case ast.IfExp(test=claim, body=then, orelse=other):
            return Choice(*(_tree(n, depth + 1) for n in (claim, then, other)))
        case ast.Call(func=ast.Name(id="number"), args=[listed, *codes], keywords=[]):
            return CountOf(_dotted(listed), *(str(_constant(code)) for code in codes[:1]))
        case ast.Call(func=ast.Name(id=op), args=[item], keywords=[]) if op in _ENDS:
            return End(op, _tree(item, depth + 1))
        case ast.Call(func=ast.Name(id=op), args=[_, _, *_] as sides, keywords=[]) if op in _BOTH:
            return reduce(partial(Arithmetic, op), [_tree(side, depth + 1) for side in sides])
    return None


def _leaf(node: ast.AST) -> Tree:
    match node:
        case ast.Constant(value=0 | 1 as value) if type(value) is int:
            return Number(value)
        case ast.Constant(value=str(text)):
            return Code((text,), is_set=False)
        case ast.Tuple(elts=items) if all(isinstance(_constant(i), str) for i in items):
            return Code(tuple(map(_constant, items)), is_set=True)
        case ast.Name(id="unknown"):
            return Unknown()
        case ast.Name() | ast.Attribute():
            return Name(_dotted(node))
    raise ValueError(
        f"'{_excerpt(node)}' is not part of the language; "
        "a number other than 0 and 1 must be a named limit"
    )


def _is(name: str, right: ast.AST) -> Tree:
    """`is known`, and what is known to be so: not known is not so."""
    match right:
        case ast.Name(id="known" | "found" as word):
            return Known(name, word == "found")
        case ast.Name(id="true"):
            return Junction("and", (Known(name), Name(name)))
    code = _leaf(right)
    if not isinstance(code, Code):
        raise ValueError(f"'{name} is' needs 'known', 'true' or a code to be in the language")
    claim = Compare("in" if code.is_set else "==", Name(name), code)
    return Junction("and", (Known(name), claim))


def _constant(node: ast.AST) -> Any:
    return getattr(node, "value", None)


def _dotted(node: ast.AST) -> str:
    words: list[str] = []
    while isinstance(node, ast.Attribute):
        words.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        raise ValueError(f"'{_excerpt(node)}' is not part of the language")
    return ".".join([node.id, *reversed(words)])


def _excerpt(node: Any) -> str:
    return ast.unparse(node)[:60]


_FORMS = {form.__name__: form for form in Tree.__args__}


def pack(tree: Tree) -> list[Any]:
    """A tree as plain data; it is read back faster than text is parsed."""
    return [type(tree).__name__, *map(_packed, tree)]


def _packed(part: Any) -> Any:
    if type(part) is tuple:
        return ["", *map(_packed, part)]
    return pack(part) if isinstance(part, Tree) else part


def unpack(data: Any) -> Any:
    """The tree that `pack` made plain, or a part of one."""
    if not isinstance(data, list):
        return data
    parts = tuple(map(unpack, data[1:]))
    return _FORMS[data[0]](*parts) if data[0] else parts


def names(tree: Tree) -> list[str]:
    """Every name in the tree, in order, repeats included."""
    if isinstance(tree, Name | Known | CountOf):
        return [tree[0]]
    parts = (part if type(part) is tuple else (part,) for part in tree)
    return [n for some in parts for one in some if isinstance(one, Tree) for n in names(one)]


class Algebra(Protocol):
    """What a reading makes of each form of the language."""

    def name(self, text: str) -> Any: ...
    def leaf(self, leaf: Leaf) -> Any: ...
    def arithmetic(self, op: str, left: Any, right: Any) -> Any: ...
    def compare(self, op: str, left: Any, right: Any) -> Any: ...
    def junction(self, op: str, items: Iterator[Any]) -> Any: ...
    def negate(self, item: Any) -> Any: ...
    def end(self, op: str, item: Any) -> Any: ...
    def choice(self, claim: Any, then: Any, otherwise: Any) -> Any: ...


def walk(tree: Tree, algebra: Algebra) -> Any:
    """The meaning of a tree in an algebra."""
    if isinstance(tree, Leaf):
        return algebra.leaf(tree)
    method = "negate" if isinstance(tree, Not) else type(tree).__name__.lower()
    return getattr(algebra, method)(*(_walked(part, algebra) for part in tree))


def _walked(part: Any, algebra: Algebra) -> Any:
    if type(part) is tuple:
        return (walk(item, algebra) for item in part)
    return walk(part, algebra) if isinstance(part, Tree) else part
