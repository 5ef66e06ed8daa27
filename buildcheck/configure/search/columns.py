"""Options of a role field by field: which have a value, and what many have in common."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from functools import cache, reduce
from itertools import accumulate
from operator import and_, or_
from typing import Any

from buildcheck.configure.search.recall import COUNT, DIFFER, ROOM
from buildcheck.logic.quantity import ZERO, Interval, exact
from buildcheck.measure.shapes import OPTIONAL
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.graph import by_key
from buildcheck.model.part import Source, Sourced

_ASSUMED = Source("any of what could be chosen", "", "derived")
#: Fields of a kit that are multiplied by the number of kits.
_OF_KITS = ("kit_modules", "total")


class Column:
    """What some units have in common, as one part with a count.

    `units` are those of them that differ in some fields, and `held` what is set on any.
    """

    def __init__(
        self, role: str, number: int, units: Callable[..., list[Any]], held: set[str]
    ) -> None:
        self.number, self.units, self.held = number, units, held
        self.kind = "module" if role == "memory" else SECTION_KIND[role]
        self.is_kits = role == "memory" and len({u.number for u in units(COUNT)}) > 1
        self.find = cache(self._find)

    def _find(self, name: str) -> Sourced | str | None:
        """The value of a field; `DIFFER` where it cannot be said what they have."""
        if self.is_kits and name in _OF_KITS:
            value = self._of_kits(name)
        else:
            value = self._set(name) if name in self.held else self._shared(name)
        return value if value in (None, DIFFER) else Sourced(value, _ASSUMED, "", "")

    def cell(self, name: str) -> Any:
        """Number of the value of all units, or a key of their joint value."""
        cells = {u.cell(name) for u in self.units(name)}
        if len(cells) == 1 and not (self.is_kits and name in _OF_KITS):
            return cells.pop()
        return DIFFER, _frozen(getattr(found := self.find(name), "value", found))

    def _shared(self, name: str) -> Any:
        units = self.units(name)
        values = [u.sort.value(name) for u in units]
        if None not in values:
            # Facts would take no joint value for an unstated one.
            return DIFFER if (joint := hull(values)) is None else joint
        is_told = f"{self.kind}.{name}" in OPTIONAL and len({u.cell(name) for u in units}) > 1
        return DIFFER if is_told else None

    def _of_kits(self, name: str) -> Any:
        """Modules or memory of all kits of an option, numbers of kits being different."""
        each = [(u.sort.value(name), u.number) for u in self.units(name, COUNT)]
        if all(value is not None for value, _ in each):
            return hull([value * exact(float(n)) for value, n in each])
        is_told = name == "kit_modules" or any(value is not None for value, _ in each)
        return DIFFER if is_told else None

    def _set(self, name: str) -> Any:
        """What the options set on their parts."""
        held = {u.held(name) for u in self.units(name)}
        if len(held) == 1:
            return held.pop()
        is_limit = name == "power_limit"
        limits = [u.value(name) for u in self.units(name, "board_power")] if is_limit else [None]
        return DIFFER if None in limits else hull(limits)


def _frozen(value: Any) -> Any:
    """The same as something that can be looked up."""
    if isinstance(value, dict):
        return tuple((k, _frozen(v)) for k, v in sorted(value.items()))
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value


def hull(values: Sequence[Any]) -> Any:
    """What holds all values: one value, the span of intervals, or None where there is no such.

    >>> hull([exact(1.0), exact(3.0)]), hull(["AM4", "AM5"])
    (Interval(low=1.0, high=3.0), None)
    """
    first = values[0]
    if all(v == first for v in values):
        return first
    if all(isinstance(v, Interval) for v in values):
        return Interval(min(v.low for v in values), max(v.high for v in values))
    if all(isinstance(v, dict) for v in values):
        keys = {k for v in values for k in v}
        spans = {k: hull([v.get(k, ZERO) for v in values]) for k in sorted(keys)}
        return spans if all(isinstance(s, Interval) for s in spans.values()) else None
    return None


def set_of(places: Iterable[int]) -> int:
    """The numbers of options, each once, as the bits of one number."""
    return sum(1 << place for place in places)


class FieldValues:
    """A field of the options of a role: the sets with each value, and those by rising numbers."""

    def __init__(self, rows: Sequence[tuple[Sequence[Any], int]]) -> None:
        """From the values of options that are alike in it, and all these options."""
        self.same = [of for _, of in rows]
        heights = by_key((h, of) for values, of in rows if (h := _height(values)) is not None)
        self.ranked = [reduce(or_, heights[height]) for height in sorted(heights)]

    def like(self, place: int) -> int:
        """The options with the value of one of them."""
        return next(of for of in self.same if of >> place & 1)


def columns(rows: Iterable[tuple[Any, int]], name: str) -> list[FieldValues]:
    """A field of all options, of which those of a row have the same value.

    One of several counts, such as plugs, has a column for each.
    """
    bare = name.removeprefix(ROOM)
    values = [([] if bare == COUNT else option.values(bare), of) for option, of in rows]
    counts = [v for row, _ in values for v in row if isinstance(v, dict)]
    keys = {key for v in counts for key in v}
    if not keys or not all(isinstance(n, Interval) for v in counts for n in v.values()):
        return [FieldValues(values)]
    found = []
    for key in sorted(keys):
        of_key = (
            ([None if v is None else v.get(key, ZERO) for v in row], of) for row, of in values
        )
        alike = by_key((tuple(row), of) for row, of in of_key)
        found.append(FieldValues([(row, reduce(or_, sets)) for row, sets in alike.items()]))
    return found


def _height(values: Sequence[Any]) -> float | None:
    """What the values of an option come to; None where they are no numbers, or not known."""
    if not values or not all(isinstance(v, Interval) for v in values):
        return None
    return float(sum(v.high for v in values))


def beyond(columns: list[FieldValues], limits: list[int], full: int) -> list[int]:
    """The options that are beyond the limit of one column alone, by their values in it."""
    found = []
    for number, (column, limit) in enumerate(zip(columns, limits, strict=True)):
        rest = reduce(and_, limits[:number] + limits[number + 1 :], full) & ~limit
        found += [m for same in column.same if (m := rest & same)]
    return found


def widest(column: FieldValues, place: int, full: int, stands: Callable[[int], bool]) -> int:
    """The most options that stand with one for its value, for a range with it, or all."""
    if stands(full):
        return full
    ranked = column.ranked
    at = next((n for n, of in enumerate(ranked) if of >> place & 1), None)
    if at is not None:
        # Most rules are about a least or a most: how far up does it stand, or else down?
        for way in (ranked[at:], ranked[at::-1]):
            reach: list[int] = [*accumulate(way, or_)]
            if len(reach) > 1 and stands(reach[1]):
                return reach[bisect_left(reach, True, 2, key=lambda of: not stands(of)) - 1]
    return column.like(place)
