"""The parts catalogue: a name → a `Part`, read only when asked for.

Facts come from the layers of the index, the strongest first, value by value. Values that a part
does not give itself come from the parts its references name: a card's chip, a chip's architecture.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from buildcheck.catalog.layer import LAB
from buildcheck.catalog.layers import shipped
from buildcheck.catalog.typical import TypicalTable
from buildcheck.catalog.typical.making import groups
from buildcheck.errors import CatalogError, NameUnknownError, Problem
from buildcheck.model.codec import unpack_facts
from buildcheck.model.kinds import KINDS, references
from buildcheck.model.part import Part, Sourced
from buildcheck.model.strict import Strict

#: Names of several kinds that are offered for one that is in none.
_NEAREST = 3

__all__ = ["Catalog", "NameUnknownError", "references"]


class Catalog:
    """All parts below one folder, and a lab's own folders over it."""

    def __init__(self, folder: Path | None = None, labs: Iterable[Path] = ()) -> None:
        """Raises `CatalogError` with everything wrong in a lab's own folders."""
        self.index = shipped(folder, labs)
        self.ranges = TypicalTable(
            self.index.layers,
            lambda: groups((Catalog(folder) if labs else self).listed),
            is_shipped=folder is None,
        )
        self._parts: dict[str, Part] = {}
        self._reading: set[str] = set()

    @property
    def digest(self) -> str:
        """`sha256:` of all part files, a layer after another."""
        return "+".join(layer.digest for layer in self.index.layers)

    def ids(self, kind: str) -> list[str]:
        """Every part of a kind, by id."""
        return self.index.ids(kind)

    def has(self, part_id: str) -> bool:
        """Is there a part of that id?"""
        return part_id in self._parts or self.index.has(part_id)

    def find(self, kind: str, name: str) -> str:
        """The id of the part people mean by `name`. Raises `NameUnknownError`."""
        return self.index.find(kind, name)

    def known(self, kind: str, name: str) -> str | None:
        """The id of the part people mean by `name`; None if there is none, or more than one."""
        try:
            return self.index.find(kind, name)
        except NameUnknownError:
            return None

    def find_any(self, kinds: Iterable[str], name: str) -> str:
        """The one part of that id or name, of whatever of some kinds. Raises `NameUnknownError`."""
        kinds = tuple(kinds)
        if name.partition("/")[0] in kinds and self.has(name):
            return name
        found, missed = [], {}
        for kind in kinds:
            try:
                found.append(self.find(kind, name))
            except NameUnknownError as error:
                missed[kind] = error
        several = {kind: error for kind, error in missed.items() if error.ambiguous}
        if len(found) == 1 and not several:
            return found[0]
        if found or several:
            near = [(n, kind) for kind, error in several.items() for n in error.near]
            near += [(self.index.name(i), i.partition("/")[0]) for i in found]
            ids = [*found, *(i for error in several.values() for i in error.ids)]
            raise NameUnknownError(name, _with_kinds(near), ids)
        raise NameUnknownError(name, lambda: _nearest(name, missed))

    def called(self, kind: str, part_id: str) -> str:
        """A part's name where it leads back to the part, else its id."""
        name = self.index.name(part_id)
        return name if self.known(kind, name) == part_id else part_id

    def part(self, part_id: str) -> Part:
        """A part with everything its references add. Raises `CatalogError`."""
        if part_id not in self._parts:
            if part_id in self._reading:
                raise CatalogError([self._problem(part_id, "this part refers back to itself")])
            self._reading.add(part_id)
            try:
                self._parts[part_id] = self._read(part_id)
            finally:
                self._reading.discard(part_id)
        return self._parts[part_id]

    def listed(self, kind: str) -> list[Part]:
        """All parts of a kind, each once, the best known first."""
        return [self.part(part_id) for part_id in self.index.listed(kind)]

    def typical(self, kind: str, facts: Mapping[str, Sourced]) -> dict[str, Sourced]:
        """What comparable parts have of each declared field that is not among a part's facts."""
        own = next((f for f in facts.values() if f.origin.startswith("gpu/")), None)
        if kind == "gpu" and own:
            # A chip's own entry names no chip: it is compared with the GPUs of it.
            facts = {"chip": own._replace(value=self.index.name(own.origin)), **facts}
        return self.ranges.facts(kind, facts)

    def _read(self, part_id: str) -> Part:
        kind, rows = part_id.partition("/")[0], [*self.index.each(part_id)]
        own: dict[str, Sourced] = {}
        for layer, row in reversed(rows):
            if row.facts is None:
                from buildcheck.catalog.part_file import read_part  # to say what is wrong

                own |= read_part(part_id, layer.folder / f"{part_id}.yaml").facts
            else:
                origin = f"{layer.folder / part_id}.yaml" if layer.name.startswith(LAB) else part_id
                own |= unpack_facts(row.facts, origin)
        try:
            facts = self.fill(KINDS[kind], own)
        except NameUnknownError as error:
            from buildcheck.catalog.part_file import lost_references  # to say what is wrong

            paths = [layer.folder / f"{part_id}.yaml" for layer, _ in rows]
            found = [p for path in paths for p in lost_references(part_id, path, self.index)]
            what = f"there is no part '{error.args[0]}' to refer to"
            raise CatalogError(found or [self._problem(part_id, what)]) from None
        return Part(part_id, self.index.name(part_id), facts)

    def _problem(self, part_id: str, message: str) -> Problem:
        return Problem(f"{next(self.index.each(part_id))[0].folder / part_id}.yaml", 1, 1, message)

    def fill(self, model: type[Strict], facts: dict[str, Sourced]) -> dict[str, Sourced]:
        """`facts` with what the parts they refer to add. Raises `NameUnknownError`."""
        result, fields = dict(facts), model.model_fields
        for field, of in references(model).items():
            if field in facts:
                link = result[field]
                other = self.part(self.find(of, link.value))
                for name, value in other.facts.items():
                    if name in fields and name not in result:
                        # What follows from an assumption is one.
                        usual = link.is_usual and not value.is_usual
                        result[name] = (
                            value._replace(confidence=link.confidence) if usual else value
                        )
        return result


def _nearest(name: str, missed: Mapping[str, NameUnknownError]) -> list[str]:
    """Of the names that are near in each kind the nearest."""
    from difflib import get_close_matches  # only for names that are not there

    listed = [(n, kind) for kind, error in missed.items() for n in error.near]
    near = {n.lower(): (n, kind) for n, kind in reversed(listed)}
    return _with_kinds([near[n] for n in get_close_matches(name.lower(), near, _NEAREST, 0)])


def _with_kinds(names: list[tuple[str, str]]) -> list[str]:
    """Names, with their kinds where those differ."""
    several = len({kind for _, kind in names}) > 1
    return [f"{name} ({kind})" if several else name for name, kind in names]
