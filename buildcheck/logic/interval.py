"""The interval reading, which is the law: does a claim hold for one build?

`True` holds, `False` does not, `None` cannot be said. A comparison holds only if it
does for every value the two sides may have; and, or, not are Kleene's.
"""

from collections.abc import Callable, Iterator
from math import ceil, isfinite
from operator import add, mul, sub, truediv
from typing import Any

from buildcheck.logic.parse import Code, CountOf, Known, Leaf, Number, Tree, walk
from buildcheck.logic.quantity import UNKNOWN, ZERO, Interval, exact, read_off, total

#: An interval, a truth, a code, a set of codes, or None for what is not known.
Value = Interval | bool | str | frozenset[str] | None

#: What a name is worth.
Worth = Callable[[str], Value]
#: A claim or a side, ready to be worked out for what its names are worth, or are read from.
Reading = Callable[[Any], Any]


def reading(tree: Tree, name: Callable[[str], Reading] | None = None) -> Reading:
    """A tree as a function of what its names are worth, or of what `name` has them read from."""
    made: Reading = walk(tree, _Intervals(name or (lambda asked: lambda worth: worth(asked))))
    return made


def evaluate(tree: Tree, value_of: Worth) -> Value:
    """What one side of a comparison is worth, or whether a claim holds."""
    result: Value = reading(tree)(value_of)
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


def _is_among(a: Any, codes: frozenset[str]) -> bool | None:
    """Is a code, or that of several which is meant, one of these?"""
    if not isinstance(a, frozenset):
        return a in codes
    return None if not a or (not a <= codes and a & codes) else a <= codes


def _counted(listed: Any, code: str) -> Interval | None:
    if listed is None:
        return None
    found: Interval = listed.get(code, ZERO) if code else total([*listed.values()])
    return found


def _is_known(value: Value) -> bool:
    return value.is_known if isinstance(value, Interval) else value is not None


def _root(a: Interval, degree: int) -> Interval:
    return Interval(*(max(0.0, end) ** (1 / degree) for end in (a.low, a.high)))


_ARITHMETIC: dict[str, Callable[[Any, Interval], Interval]] = {
    "+": add,
    "-": sub,
    "*": mul,
    "/": truediv,
    "max": lambda a, b: Interval(max(a.low, b.low), max(a.high, b.high)),
    "min": lambda a, b: Interval(min(a.low, b.low), min(a.high, b.high)),
    "hull": Interval.hull,
    "at": read_off,
}
_ENDS: dict[str, Callable[[Interval], Interval]] = {
    "low": lambda a: exact(a.low),
    "high": lambda a: exact(a.high),
    "middle": lambda a: exact(a.middle),
    "at_least": lambda a: Interval(a.low, UNKNOWN.high),
    "up_to": lambda a: Interval(0.0, a.high),
    "sqrt": lambda a: _root(a, 2),
    "cbrt": lambda a: _root(a, 3),
    "ceil": lambda a: Interval(*(float(ceil(e)) if isfinite(e) else e for e in (a.low, a.high))),
}
_RELATIONS: dict[str, Callable[[Interval, Interval], bool | None]] = {
    "<=": lambda a, b: a.is_at_most(b),
    "<": lambda a, b: a.is_below(b),
    ">=": lambda a, b: b.is_at_most(a),
    ">": lambda a, b: b.is_below(a),
    "==": _same,
    "!=": lambda a, b: _not(_same(a, b)),
}


class _Intervals:
    """Every form as a function of what names are worth."""

    def __init__(self, name: Callable[[str], Reading]) -> None:
        self.name = name

    def leaf(self, leaf: Leaf) -> Reading:
        if isinstance(leaf, Known):
            not_known, value = None if leaf.is_found else False, self.name(leaf.name)
            return lambda worth: _is_known(value(worth)) or not_known
        if isinstance(leaf, CountOf):
            listed = self.name(leaf.name)
            return lambda worth: _counted(listed(worth), leaf.code)
        if isinstance(leaf, Code):
            codes = frozenset(leaf.texts) if leaf.is_set else leaf.texts[0]
            return lambda _: codes
        number = exact(float(leaf.value)) if isinstance(leaf, Number) else None
        return lambda _: number

    def arithmetic(self, op: str, left: Reading, right: Reading) -> Reading:
        calculate = _ARITHMETIC[op]

        def calculated(worth: Worth) -> Interval | None:
            a, b = left(worth), right(worth)
            return None if a is None or b is None else calculate(a, b)

        return calculated

    def compare(self, op: str, left: Reading, right: Reading) -> Reading:
        relate = _RELATIONS.get(op)

        def compared(worth: Worth) -> bool | None:
            a, b = left(worth), right(worth)
            if a is None or b is None:
                return None
            if relate and isinstance(a, Interval) and isinstance(b, Interval):
                return relate(a, b)
            if isinstance(b, frozenset):
                return _is_among(a, b)
            return bool((a == b) == (op == "=="))

        return compared

    def junction(self, op: str, items: Iterator[Reading]) -> Reading:
        decides, parts = op == "or", tuple(items)

        def joined(worth: Worth) -> bool | None:
            answer: bool | None = not decides
            for part in parts:
                item: bool | None = part(worth)
                if item is decides:
                    return item
                if item is None:
                    answer = None
            return answer

        return joined

    def negate(self, item: Reading) -> Reading:
        return lambda worth: _not(item(worth))

    def end(self, op: str, item: Reading) -> Reading:
        take = _ENDS[op]

        def taken(worth: Worth) -> Interval | None:
            found = item(worth)
            return None if found is None else take(found)

        return taken

    def choice(self, claim: Reading, then: Reading, otherwise: Reading) -> Reading:
        def chosen(worth: Worth) -> Value:
            held = claim(worth)
            if held is not None:
                return (then if held else otherwise)(worth)  # type: ignore[no-any-return]
            a, b = then(worth), otherwise(worth)
            if isinstance(a, Interval) and isinstance(b, Interval):
                return a.hull(b)
            return a if a == b else None

        return chosen
