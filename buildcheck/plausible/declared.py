"""What `words/part-values.yaml` says of the values of each kind of part."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.logic.interval import reading
from buildcheck.logic.parse import names, parse
from buildcheck.model.kinds import DECLARED
from buildcheck.model.quantity import read_any
from buildcheck.words.vocabulary import vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.logic.interval import Reading


class Bound(NamedTuple):
    """The least and most that is built, and what that rests on."""

    low: float
    high: float
    why: str


class Relation(NamedTuple):
    """What holds between values of a part, and the field that is wrong where it does not."""

    field: str
    #: What is read; of values that are all known.
    names: frozenset[str]
    holds: Reading
    #: The ends of all ranges that it is read of, one after the other; none for whole ranges.
    ends: tuple[str, ...]
    #: Named values, each with its dimension.
    limits: dict[str, tuple[Any, Any]]
    message: str
    advice: str


_ENDS = {"": ("",), "low": ("low",), "high": ("high",), "both": ("low", "high")}


def _said(kind: str, what: str) -> Iterator[Any]:
    """What is said of a kind, after what is said of those whose fields it has."""
    for other in DECLARED[kind].get("of", ()):
        yield from _said(other, what)
    found = vocabulary("part-values")["kinds"].get(kind, {})
    yield from (found[what],) if what in found else ()


@cache
def by_field(kind: str, what: str) -> dict[str, Any]:
    """The `choices` or `words` of a kind, by field."""
    return {field: value for said in _said(kind, what) for field, value in said.items()}


@cache
def bounds(kind: str) -> dict[str, Bound]:
    """The bounds of the fields of a kind, in base units."""
    ranges = ((f, read_any(str(r))[0], why) for f, (r, why) in by_field(kind, "bounds").items())
    return {f: Bound(r.low, r.high, why) for f, r, why in ranges if not isinstance(r, str)}


@cache
def relations(kind: str) -> tuple[Relation, ...]:
    """What holds between the values of a kind."""
    rows = [row for said in _said(kind, "relations") for row in said]
    orders = [_order(*row) for said in _said(kind, "order") for row in said]
    return tuple(_relation(**row) for row in (*orders, *rows))


def _order(less: str, more: str, why: str) -> dict[str, str]:
    return {
        "field": less,
        "holds": f"{less} <= {more}",
        "at": "both",
        "else": f"{{{less}}} is above {more}, {{{more}}}: {why}",
        "advice": "Check whether the two are mixed up",
    }


def _relation(*, field: str, holds: str, at: str = "", advice: str = "", **rest: Any) -> Relation:
    message = rest.pop("else")
    limits: dict[str, tuple[Any, Any]] = {n: read_any(str(limit)) for n, limit in rest.items()}
    tree = parse(holds)
    read = frozenset(names(tree)) - {*limits}
    return Relation(field, read, reading(tree), _ENDS[at], limits, message, advice)
