"""Part files just read, as a catalogue over another, and parts under two ids in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck.catalog import Catalog, NameUnknownError, references
from buildcheck.catalog.index import Index
from buildcheck.catalog.layer import LAB, Layer, Row, entries
from buildcheck.catalog.layers import OPEN
from buildcheck.catalog.part_file import PartFile, read_part
from buildcheck.errors import CatalogError, Problem
from buildcheck.model import source
from buildcheck.model.codec import pack_facts
from buildcheck.model.kinds import KINDS
from buildcheck.words.names import squashed, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from buildcheck import store

#: Kinds of no more parts than this are listed where a name is like none.
_FEW = 12


class _Given(Layer):
    """Parts just read, over a catalogue; nothing of them is kept."""

    def __init__(self, folder: Path, groups: store.Groups) -> None:
        super().__init__(f"{LAB} checked", folder, lambda: groups)
        self._groups = groups

    def get(self, group: str, name: str) -> Any:
        """What a group holds under a name; None if nothing."""
        return self._groups.get(group, {}).get(name)

    def all(self, group: str) -> dict[str, Any]:
        """Everything in a group."""
        return self._groups.get(group, {})


def read_parts(
    files: Mapping[str, Path], base: Catalog
) -> tuple[dict[str, PartFile], dict[str, list[Problem]]]:
    """The parts of files by id, and what is wrong in the others."""
    read: dict[str, PartFile] = {}
    wrong: dict[str, list[Problem]] = {}
    for part_id, path in files.items():
        try:
            read[part_id] = read_part(part_id, path, overlay=base.has(part_id))
        except CatalogError as error:
            wrong[part_id] = error.problems
        except OSError as error:
            wrong[part_id] = [Problem(str(path), 0, 0, f"it cannot be read: {error.strerror}")]
    return read, wrong


def laid_over(base: Catalog, folder: Path, read: Mapping[str, PartFile]) -> Catalog:
    """A catalogue with parts just read on top."""
    kinds: dict[str, dict[str, Row]] = {}
    for part_id, (names, numbers, facts) in read.items():
        row = Row(names, numbers, pack_facts(facts))
        kinds.setdefault(part_id.partition("/")[0], {})[part_id] = row
    groups: store.Groups = {}
    for kind, rows in kinds.items():
        groups |= entries(kind, rows)
    catalog = Catalog()
    catalog.index = Index([_Given(folder, groups), *base.index.layers])
    return catalog


def unreferred(part_id: str, path: Path, catalog: Catalog) -> list[Problem]:
    """The names in a file that no part has, each at its line."""
    try:
        document = source.read(path.read_bytes(), str(path))
    except OSError:
        return []
    data = document.data if isinstance(document.data, dict) else {}
    facts = data.get("facts")
    problems = []
    for field, kind in references(KINDS[part_id.partition("/")[0]]).items():
        fact = facts.get(field) if isinstance(facts, dict) else None
        name = fact.get("value") if isinstance(fact, dict) else None
        if not isinstance(name, str):
            continue
        try:
            catalog.find(kind, name)
        except NameUnknownError as error:
            text, near = f"'{field}': there is no part '{name}' to refer to", "Did you mean"
            if error.ambiguous:
                text, near = f"'{field}': '{name}' could be more than one part", "Which of"
            names = sorted(catalog.index.name(i) for i in catalog.ids(kind))
            few = f"Known: {', '.join(names)}" if 0 < len(names) <= _FEW else ""
            advice = f"{near} {', '.join(error.near)}?" if error.near else few
            problems.append(document.problem(("facts", field, "value"), text, advice))
    return problems


def written(catalog: Catalog, kind: str) -> Iterator[tuple[str, Row]]:
    """The parts of a kind that people wrote, one layer after another."""
    for layer in catalog.index.layers:
        if layer.name not in OPEN:
            for part_id, row in layer.all(kind).items():
                yield part_id, Row(*row)


def twins(catalog: Catalog, kind: str) -> list[tuple[str, str, str]]:
    """Pairs of ids that seem to be one part, each with why.

    Parts of open data are left out: a curated part with their number replaces them.
    """
    seen: dict[tuple[str, ...], str] = {}
    found: dict[tuple[str, str], str] = {}
    for part_id, row in written(catalog, kind):
        for key, why in _keys(row):
            other = seen.setdefault(key, part_id)
            if other != part_id:
                pair = (min(other, part_id), max(other, part_id))
                found.setdefault(pair, why)
    return [(one, other, why) for (one, other), why in sorted(found.items())]


def _keys(row: Row) -> Iterator[tuple[tuple[str, ...], str]]:
    """What no two parts share: part numbers, names, and the words of a name in any order."""
    for number in row.numbers:
        yield ("number", squashed(number)), f"both have the part number {number}"
    for name in row.names:
        yield ("name", *words(name)), f"both are called {name}"
    # Only whole names: without a maker, the same words in another order are another part.
    for name in row.names[:1]:
        yield ("words", *sorted(words(name))), f"both names have the words of {name}"
