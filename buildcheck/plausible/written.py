"""The parts that people wrote, without those of open data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.index import Row
from buildcheck.layers import OPEN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.catalog import Catalog


def written(catalog: Catalog, kind: str) -> Iterator[tuple[str, Row]]:
    """The parts of a kind that people wrote, one layer after another."""
    for layer in catalog.index.layers:
        if layer.name not in OPEN:
            for part_id, row in layer.all(kind).items():
                yield part_id, Row(*row)
