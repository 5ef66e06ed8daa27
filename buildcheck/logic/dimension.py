"""The dimension reading: does every comparison make sense, whatever the values?"""

from collections.abc import Iterator, Mapping

from buildcheck import units
from buildcheck.logic.parse import Code, CountOf, Known, Leaf, Tree, walk
from buildcheck.logic.quantity import read_any

#: What a name means: a dimension, or one of the words below.
Shape = units.Dimension | str
TRUTH, CODE, CODES = "truth", "code", "set of codes"
#: A fact that other facts use but no rule can: a table, a curve, a list of slots.
DATA = "data"


def check(tree: Tree, shapes: Mapping[str, Shape]) -> None:
    """Raise `ValueError` with a sentence unless the tree is a sound claim."""
    result = walk(tree, _Dimensions(shapes))
    if result != TRUTH:
        raise ValueError(f"this is {_words(result)}, not a claim that can hold or fail")


def side(tree: Tree, shapes: Mapping[str, Shape]) -> Shape:
    """The dimension of one side of a comparison."""
    result: Shape = walk(tree, _Dimensions(shapes))
    return units.NUMBER if result == ZERO else result


def of(text: str) -> Shape:
    """What a limit or term is: the dimension of a quantity, or a code."""
    return read_any(text)[1] or CODE


def _words(shape: Shape) -> str:
    return shape if isinstance(shape, str) else units.describe(shape)


class _Dimensions:
    def __init__(self, shapes: Mapping[str, Shape]) -> None:
        self.shapes = shapes

    def name(self, text: str) -> Shape:
        if text not in self.shapes:
            raise ValueError(f"there is no fact or limit '{text}'")
        return self.shapes[text]

    def leaf(self, leaf: Leaf) -> Shape:
        if isinstance(leaf, Known):
            self.name(leaf.name)
            return TRUTH
        if isinstance(leaf, CountOf):
            self.name(leaf.name)
            return units.NUMBER
        if isinstance(leaf, Code):
            return CODES if leaf.is_set else CODE
        return ZERO

    def arithmetic(self, op: str, left: Shape, right: Shape) -> Shape:
        if op == "at" and left == DATA:
            # Curves are of plain numbers.
            return self.arithmetic("-", right, units.NUMBER)
        for side in (left, right):
            if side in (TRUTH, CODE, CODES, DATA):
                raise ValueError(f"a {side} cannot be used in arithmetic")
        if op in ("max", "min", "hull"):
            return self.choice(TRUTH, left, right)
        a, b = (units.NUMBER if s == ZERO else s for s in (left, right))
        if op in "*/":
            return units.multiply(a, b, 1 if op == "*" else -1)  # type: ignore[arg-type]
        if a != b:
            raise ValueError(f"{_words(a)} {op} {_words(b)} makes no sense")
        return a

    def compare(self, op: str, left: Shape, right: Shape) -> Shape:
        if op == "in":
            if left not in (CODE, CODES) or right != CODES:
                raise ValueError(
                    f"'in' asks for a code in a set of codes, not {_words(left)} in {_words(right)}"
                )
        elif left == right == CODE:
            if op not in ("==", "!="):
                raise ValueError(f"codes are equal or not; '{op}' makes no sense")
        elif {TRUTH, CODE, CODES} & {left, right} or (left != right and ZERO not in (left, right)):
            raise ValueError(f"{_words(left)} {op} {_words(right)} makes no sense")
        elif op in ("==", "!=") and not {left, right} <= {units.NUMBER, ZERO}:
            raise ValueError("measured quantities are compared with <= or >=, not for equality")
        return TRUTH

    def junction(self, op: str, items: Iterator[Shape]) -> Shape:
        for item in items:
            if item != TRUTH:
                raise ValueError(f"'{op}' joins claims, not {_words(item)}")
        return TRUTH

    def negate(self, item: Shape) -> Shape:
        if item != TRUTH:
            raise ValueError(f"'not' turns a claim around, not {_words(item)}")
        return TRUTH

    def end(self, op: str, item: Shape) -> Shape:
        if op in ("sqrt", "cbrt", "ceil") and item not in (units.NUMBER, ZERO):
            raise ValueError(f"'{op}' takes plain numbers, not {_words(item)}")
        return self.arithmetic("max", item, item)

    def choice(self, claim: Shape, then: Shape, otherwise: Shape) -> Shape:
        self.negate(claim)
        if then != otherwise and ZERO not in (then, otherwise):
            raise ValueError(f"{_words(then)} or {_words(otherwise)} makes no sense")
        return otherwise if then == ZERO else then


#: 0 and 1 fit any dimension in a comparison and count as plain numbers elsewhere.
ZERO = "0 or 1"
