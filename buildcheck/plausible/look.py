"""A part with what is around it, and a doubt about it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

from buildcheck import units
from buildcheck.catalog import NameUnknownError
from buildcheck.errors import CatalogError
from buildcheck.model.kinds import KINDS
from buildcheck.model.quantity import show
from buildcheck.model.strict import marks
from buildcheck.model.values import Measure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from buildcheck.catalog import Catalog
    from buildcheck.model.part import Part, Sourced
    from buildcheck.model.quantity import Interval
    from buildcheck.plausible.declared import Bound

#: Rounding of decimal values.
SLACK = 1e-9
_CHECK_SOURCE = "Check the unit, and the value in its source"


class Doubt(NamedTuple):
    """What could not be true of a part, or hardly: in which field, and what to do about it."""

    part_id: str
    field: str
    message: str
    suggestion: str

    def __str__(self) -> str:
        return f"{self.part_id}: {self.field}: {self.message}. {self.suggestion}"


class Look:
    """One part, and what is around it."""

    def __init__(self, part: Part, catalog: Catalog) -> None:
        self.part, self.catalog = part, catalog

    def of(self, field: str) -> Any:
        """A value, its own or inherited; None if it is not known."""
        return self.part.value(field)

    def own(self, field: str) -> Any:
        """A value the part states itself."""
        found = self.part.facts.get(field)
        return found.value if found and _states(self.part.id, found) else None

    def all_own(self) -> list[str]:
        """The fields the part states itself."""
        return [n for n, f in self.part.facts.items() if _states(self.part.id, f)]

    def explained(self, field: str) -> bool:
        """Does a note say how it comes, or its source that it is assumed?"""
        found = self.part.facts.get(field)
        return found is not None and bool(found.note or found.confidence == "assumption")

    def other(self, kind: str, name: str | None) -> Part | None:
        """Another part by its name, if there is one."""
        if name is None:
            return None
        try:
            return self.catalog.part(self.catalog.find(kind, name))
        except (NameUnknownError, CatalogError):
            return None

    def doubt(self, field: str, message: str, suggestion: str = _CHECK_SOURCE) -> Doubt:
        """A doubt about the part."""
        return Doubt(self.part.id, field, message, suggestion)

    def text(self, field: str, value: Interval | None = None) -> str:
        """A quantity of a field for people; that of the part, unless another is given."""
        text = show(self.of(field) if value is None else value, unit(self.part.kind, field))
        # Volt-amperes are read as watts.
        return text.replace(" W", " VA") if field == "apparent_power" else text


if TYPE_CHECKING:
    #: What a module looks at, by the kind of part; under no kind what it looks at in all.
    Checks = Mapping[str, tuple[Callable[[Look], Iterator[Doubt]], ...]]


def _states(part_id: str, fact: Sourced) -> bool:
    return fact.origin == part_id or Path(fact.origin).as_posix().endswith(f"{part_id}.yaml")


@cache
def unit(kind: str, field: str) -> units.Dimension:
    """The dimension of a field."""
    info = KINDS[kind].model_fields[field]
    return next((m.dimension for m in marks(info) if isinstance(m, Measure)), units.NUMBER)


def within(inner: Interval, outer: Interval | Bound) -> bool:
    """Does a range lie in another, but for rounding?"""
    return outer.low - SLACK <= inner.low and inner.high <= outer.high + SLACK


def count_text(value: Interval) -> str:
    """A number without a unit, for people."""
    return show(value, units.NUMBER)


_Made = TypeVar("_Made")


def per_catalog(make: Callable[[Catalog], _Made]) -> Callable[[Catalog], _Made]:
    """Make something of a catalogue once, for as long as that is in use."""
    known: WeakKeyDictionary[Catalog, _Made] = WeakKeyDictionary()

    def found(catalog: Catalog) -> _Made:
        if catalog not in known:
            known[catalog] = make(catalog)
        return known[catalog]

    return found
