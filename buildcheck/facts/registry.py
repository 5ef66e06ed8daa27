"""How a fact is declared, and how facts ask for each other.

A fact has a name (`psu.train_load`), the kind of subject it belongs to (the first word) and a shape
(a dimension, a truth, a code). Fields are looked up on the subject and declared by the models of
parts. What follows from other facts by one claim or sum is declared in `rules/definitions`. What
has to be calculated is a function here. No thresholds, no verdicts and no prose in any of them.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from buildcheck import units
from buildcheck.logic.dimension import CODE, CODES, DATA, TRUTH, Shape
from buildcheck.logic.quantity import Interval, exact
from buildcheck.model.graph import Graph, Subject
from buildcheck.model.part import USER

#: The shapes that facts are declared with, next to dimensions.
__all__ = ["CODE", "CODES", "DATA", "TRUTH"]


class Ask(Protocol):
    """What a fact may ask: other facts by name, of itself or of another subject."""

    @property
    def graph(self) -> Graph:
        """The subjects and their edges."""

    def __call__(self, name: str, subject: Subject | None = None) -> Any:
        """Any fact; None if it is not known. Without a subject: the one of its kind."""

    def number(self, name: str, subject: Subject | None = None) -> Interval:
        """A quantity; as wide as nature allows if it is not known."""


Compute = Callable[[Subject, Ask], Any]
#: Subjects that a subject goes together with and no edge leads to.
Relation = Callable[[Subject, Ask], list[Subject]]


class Fact(NamedTuple):
    """A fact; `reads` are the facts that one declared as data is made from."""

    name: str
    shape: Shape
    compute: Compute
    reads: tuple[str, ...] | None = None

    @property
    def of(self) -> str:
        """The kind of subject it belongs to."""
        return self.name.partition(".")[0]


class EdgeData(NamedTuple):
    """What definitions may read of an edge: the shape of each datum, and the field it lacks.

    That is one of the build, or of an end of the edge by datum.
    """

    shapes: dict[str, Shape]
    field: str | None = None
    of_ends: Mapping[str, tuple[str, ...]] = MappingProxyType({})


FACTS: dict[str, Fact] = {}
#: Those by name, for definitions.
RELATIONS: dict[str, Relation] = {}
_SEAT: dict[str, Shape] = {
    **dict.fromkeys(("position", "mechanical", "lanes", "gen"), units.NUMBER),
    **dict.fromkeys(("slot", "owner", "switch", "connector"), CODE),
    **dict.fromkeys(("pinned", "open_ended"), TRUTH),
    "bifurcation": CODES,
}
_CABLED: dict[str, Shape] = {"unfed": units.NUMBER, "cables": units.NUMBER, "output": CODE}
#: Edges that definitions read: `seated.slot` is that of the one edge of its subject.
EDGES = {
    "seated": EdgeData(_SEAT, "motherboard.slots"),
    "plugged": EdgeData({"socket": CODE}, "motherboard.m2_slots"),
    "feeds": EdgeData({"start": CODE, "pinned": TRUTH}),
    "runs": EdgeData({"start": CODE}),
    "cabled": EdgeData(_CABLED, of_ends={"unfed": ("gpu.plugs", "psu.plugs")}),
    "board_cabled": EdgeData(_CABLED, of_ends={"unfed": ("motherboard.plugs", "psu.plugs")}),
    "placed": EdgeData({"end_at_worst": units.NUMBER}),
    "above": EdgeData({"pitches": units.NUMBER}, "motherboard.slots"),
}


def graph(name: str, shape: Shape) -> Callable[[Compute], Compute]:
    """Declare a function of a subject as a fact."""

    def take(compute: Compute) -> Compute:
        if name in FACTS:
            raise ValueError(f"fact {name} is declared twice")
        FACTS[name] = Fact(name, shape, compute)
        return compute

    return take


def relation(found: Relation) -> Relation:
    """Declare a function that finds other subjects as a relation of its name."""
    RELATIONS[found.__name__] = found
    return found


def is_said(name: str, field: str, *codes: Any) -> None:
    """Declare whether the build itself says that a field is one of these."""
    graph(name, TRUTH)(lambda s, _: s.value(field) in codes and s.facts[field].source == USER)


def _times(subject: Subject, ask: Ask) -> Interval:
    ask.graph.of(subject.kind)  # so that a search knows that they were counted
    return exact(float(subject.count))


# Does the build list the subject itself, and how many of it?
for _kind in ("case", "cooler", "cpu", "memory", "motherboard", "psu", "storage", "ups"):
    graph(f"{_kind}.is_listed", TRUTH)(lambda subject, _: subject.listed)
for _kind in ("addin", "cpu", "module"):
    graph(f"{_kind}.times", units.NUMBER)(_times)
# What cables and risers call it.
graph("connector._name", CODE)(lambda connector, _: connector.id.partition(":")[2])
