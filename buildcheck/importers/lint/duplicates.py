"""One part under two ids, among those that people wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.catalog.layer import Row
from buildcheck.catalog.layers import OPEN
from buildcheck.words.names import squashed, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.catalog import Catalog


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
