"""How rules of part files ask for fields of a part, of the parts it names, and for facts."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from typing import Any

from buildcheck import units
from buildcheck.catalog import Catalog, references
from buildcheck.errors import CatalogError
from buildcheck.logic.quantity import Interval, exact, show
from buildcheck.model.kinds import KINDS
from buildcheck.model.part import Part, Sourced
from buildcheck.model.strict import marks
from buildcheck.model.values import Measure
from buildcheck.units import Dimension

#: Facts by name, as functions of the part.
Derived = Mapping[str, Callable[["PartFacts"], Any]]


class PartFacts:
    """One part, what is around it, and the facts worked out from both."""

    def __init__(self, part: Part, catalog: Catalog, derived: Derived) -> None:
        self.part, self.catalog, self._how = part, catalog, derived
        self._derived: dict[str, Any] = {}

    def of(self, field: str) -> Any:
        """A value, its own or inherited; None if it is not known."""
        return self.part.value(field)

    def own(self) -> dict[str, Sourced]:
        """The values the part states itself, by field."""
        return {n: f for n, f in self.part.facts.items() if self.part.states(n)}

    def other(self, field: str) -> Part | None:
        """The part that a field names, if there is one."""
        kind, name = references(KINDS[self.part.kind]).get(field), self.of(field)
        found = self.catalog.known(kind, name) if kind and name else None
        with suppress(CatalogError):
            return self.catalog.part(found) if found else None
        return None

    def value(self, name: str) -> Any:
        """A field, a fact, or of a part that a field names: `chip.memory`; None if not known."""
        if name in self._how:
            if name not in self._derived:
                self._derived[name] = _quantity(self._how[name](self))
            return self._derived[name]
        link, _, rest = name.rpartition(".")
        if not link:
            return self.of(name)
        other = self.other(link)
        return other and (getattr(other, rest) if rest in ("id", "name") else other.value(rest))

    def shape(self, name: str) -> Dimension:
        """The dimension of a field of the part, or of one that it names; a fact has none."""
        link, _, rest = name.rpartition(".")
        return unit((references(KINDS[self.part.kind])[link] if link else self.part.kind), rest)

    def items(self, name: str) -> Iterator[dict[str, Any]]:
        """Each item of a list: a `word`, maybe with `count`, a point `x`, `y`, or named values."""
        value: Any = self.value(name) or ()
        pairs = isinstance(value, dict)
        for one in value.items() if pairs else value:
            item = {"word": one} if isinstance(one, str) else one
            if isinstance(item, tuple):
                item = dict(zip(("word", "count") if pairs else "xy", item, strict=True))
            named = (item if isinstance(item, dict) else vars(item)).items()
            yield {n: _quantity(v) for n, v in named}

    def text(self, field: str, value: Interval) -> str:
        """A quantity of a field for people."""
        return show(value, unit(self.part.kind, field))


def _quantity(value: Any) -> Any:
    return exact(value) if type(value) in (int, float) else value


@cache
def unit(kind: str, field: str) -> Dimension:
    """The dimension of a field."""
    info = KINDS[kind].model_fields.get(field)
    found = (m.dimension for m in marks(info) if isinstance(m, Measure)) if info else iter(())
    return next(found, units.NUMBER)
