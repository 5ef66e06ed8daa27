"""How many parts the catalogue has, and how much is known of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.model.build import SECTION_KIND
from buildcheck.model.kinds import KINDS
from buildcheck.parts.answer import KindCount, LayerCount, PartStatsAnswer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.catalog import Catalog

#: Entries for parts that are not listed; nobody can buy them.
_PLACEHOLDERS = "/generic/unlisted"


def part_stats_answer(catalog: Catalog) -> PartStatsAnswer:
    """Parts of each kind and layer, and the share of them that each field is known of."""
    listed = set(SECTION_KIND.values())
    kinds = tuple(KindCount(kind, kind in listed, tuple(_layers(kind, catalog))) for kind in KINDS)
    layers = dict.fromkeys(count.layer for kind in kinds for count in kind.layers)
    return PartStatsAnswer(tuple(layers), kinds)


def _layers(kind: str, catalog: Catalog) -> Iterator[LayerCount]:
    for layer in catalog.index.layers:
        own = [i for i in layer.all(kind) if not i.endswith(_PLACEHOLDERS)]
        if own:
            facts = [set(catalog.part(i).facts) for i in own]
            shares = {n: sum(n in f for f in facts) / len(own) for n in KINDS[kind].model_fields}
            yield LayerCount(layer.name, len(own), {n: round(s, 3) for n, s in shares.items()})
