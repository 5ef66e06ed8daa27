"""How a fact is declared, and how facts ask for each other.

A fact has a name (`psu.train_load`), the kind of subject it belongs to (the first
word), a shape (a dimension, a truth, a code) and one of four kinds:

- `field`: looked up on the subject; declared by the part models, not here;
- `total`, `count`, `worst`: a sum, a number or an extreme over the subjects that
  edges of one kind lead to;
- `graph`: anything else, a function of the subject that asks for other facts.

No thresholds, no verdicts and no prose in any of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from buildcheck import units
from buildcheck.logic.dimension import CODE, CODES, TRUTH, Shape
from buildcheck.logic.quantity import ZERO, Interval, exact
from buildcheck.logic.quantity import total as add_up
from buildcheck.model.part import USER

if TYPE_CHECKING:
    from collections.abc import Callable

    from buildcheck.model.graph import Graph, Subject

__all__ = [
    "CODE",
    "CODES",
    "DATA",
    "FACTS",
    "TRUTH",
    "Ask",
    "Fact",
    "count",
    "gives",
    "graph",
    "highest",
    "is_among",
    "is_listed",
    "is_said",
    "is_surely",
    "is_true",
    "lowest",
    "states",
    "total",
    "worst",
]

#: A fact that other facts use but no rule can: a table, a curve, a list of slots.
DATA = "data"


class Ask(Protocol):
    """What a fact may ask: other facts by name, of itself or of another subject."""

    @property
    def graph(self) -> Graph:
        """The subjects and their edges."""

    def __call__(self, name: str, subject: Subject | None = None) -> Any:
        """Any fact; None if it is not known. Without a subject: the one of its kind."""

    def number(self, name: str, subject: Subject | None = None) -> Interval:
        """A quantity; as wide as nature allows if it is not known."""


class Fact(NamedTuple):
    """A declared fact. `over` is the fact that a sum or an extreme is made of."""

    name: str
    shape: Shape
    kind: str
    compute: Callable[[Subject, Ask], Any]
    over: str = ""

    @property
    def of(self) -> str:
        """The kind of subject it belongs to."""
        return self.name.partition(".")[0]


FACTS: dict[str, Fact] = {}


def _declare(
    name: str, shape: Shape, kind: str, compute: Callable[[Subject, Ask], Any], over: str = ""
) -> None:
    if name in FACTS:
        raise ValueError(f"fact {name} is declared twice")
    FACTS[name] = Fact(name, shape, kind, compute, over)


def graph(
    name: str, shape: Shape
) -> Callable[[Callable[[Subject, Ask], Any]], Callable[[Subject, Ask], Any]]:
    """Declare a function of a subject as a fact."""

    def take(compute: Callable[[Subject, Ask], Any]) -> Callable[[Subject, Ask], Any]:
        _declare(name, shape, "graph", compute)
        return compute

    return take


def total(name: str, shape: Shape, *, over: str, of: str) -> None:
    """Declare a sum over the subjects an edge leads to.

    `of` without a kind is a field they all have.
    """

    def sum_up(subject: Subject, ask: Ask) -> Interval:
        ends = ask.graph.ends(over, subject)
        return add_up([ask.number(of if "." in of else f"{end.kind}.{of}", end) for end in ends])

    _declare(name, shape, "total", sum_up, of)


def count(name: str, *, over: str) -> None:
    """Declare the number of subjects an edge leads to."""
    _declare(name, units.NUMBER, "count", lambda s, ask: exact(float(len(ask.graph.out(over, s)))))


def worst(name: str, shape: Shape, *, over: str, of: str) -> None:
    """Declare the largest value of a fact over the subjects an edge leads to."""

    def largest(subject: Subject, ask: Ask) -> Interval:
        values = [ask.number(of, end) for end in ask.graph.ends(over, subject)]
        if not values:
            return ZERO
        return Interval(max(v.low for v in values), max(v.high for v in values))

    _declare(name, shape, "worst", largest, of)


def highest(name: str, shape: Shape, *, of: str) -> None:
    """Declare the upper end of a quantity of the same subject, in its unit."""
    graph(name, shape)(lambda subject, ask: exact(ask.number(of, subject).high))


def lowest(name: str, shape: Shape, *, of: str) -> None:
    """Declare the lower end of a quantity of the same subject, in its unit."""
    graph(name, shape)(lambda subject, ask: exact(ask.number(of, subject).low))


def _truth(name: str, fact: str, answer: Callable[[Any], bool | None]) -> None:
    """Declare a truth about the value of one fact of the same subject."""
    of = f"{name.partition('.')[0]}.{fact}"
    graph(name, TRUTH)(lambda subject, ask: answer(ask(of, subject)))


def states(name: str, fact: str) -> None:
    """Declare whether a fact is known."""
    _truth(name, fact, lambda value: value is not None)


def is_true(name: str, fact: str) -> None:
    """Declare whether a truth is known to hold."""
    _truth(name, fact, lambda value: value is True)


def is_surely(name: str, fact: str, *codes: Any) -> None:
    """Declare whether a fact is known to be one of these."""
    _truth(name, fact, lambda value: value in codes)


def is_among(name: str, fact: str, *codes: Any) -> None:
    """Declare whether a fact is one of these; not known where it is not."""
    _truth(name, fact, lambda value: None if value is None else value in codes)


def gives(name: str, field: str) -> None:
    """Declare whether a field has a value; rules do not miss what a build need not state."""
    graph(name, TRUTH)(lambda subject, _: subject.value(field) is not None)


def is_said(name: str, field: str, *codes: Any) -> None:
    """Declare whether the build itself says that a field is one of these."""
    graph(name, TRUTH)(lambda s, _: s.value(field) in codes and s.facts[field].source == USER)


def is_listed(name: str) -> None:
    """Declare whether the build lists the subject itself."""
    graph(name, TRUTH)(lambda subject, _: subject.listed)
