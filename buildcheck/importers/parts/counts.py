"""How many parts the catalogue has, how much is known of them, and what of it is typical."""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from statistics import median

from buildcheck.catalog import Catalog
from buildcheck.catalog.layer import CURATED
from buildcheck.catalog.typical import holds
from buildcheck.catalog.typical.making import Holdout, trials
from buildcheck.importers.parts.answer import (
    CalibrationAnswer,
    KindCount,
    LayerCount,
    PartStatsAnswer,
    TypicalField,
)
from buildcheck.logic.quantity import Interval
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.kinds import KINDS
from buildcheck.model.vocabulary import shipped

#: Entries for parts that are not listed; nobody can buy them.
_PLACEHOLDERS = "/generic/unlisted"


def part_stats_answer(catalog: Catalog) -> PartStatsAnswer:
    """Parts of each kind and layer, and the share of them that each field is known of."""
    listed = set(SECTION_KIND.values())
    found: dict[str, list[LayerCount]] = {kind: [] for kind in KINDS}
    for kind, layer in product(KINDS, catalog.index.layers):
        own = [i for i in layer.all(kind) if not i.endswith(_PLACEHOLDERS)]
        if own:
            facts = [set(catalog.part(i).facts) for i in own]
            shares = {n: sum(n in f for f in facts) / len(own) for n in KINDS[kind].model_fields}
            known = {n: round(s, 3) for n, s in shares.items()}
            found[kind].append(LayerCount(layer.name, len(own), known))
    layers = dict.fromkeys(count.layer for counts in found.values() for count in counts)
    kinds = (KindCount(kind, kind in listed, tuple(counts)) for kind, counts in found.items())
    return PartStatsAnswer(tuple(layers), tuple(kinds))


def part_calibration_answer(catalog: Catalog) -> CalibrationAnswer:
    """How often the other parts predict what is known of each hand-checked part."""
    curated = next(layer for layer in catalog.index.layers if layer.name == CURATED)
    fields, everything = [], []
    for kind in shipped("rules", "typical")["kinds"]:
        found: dict[str, list[Holdout]] = defaultdict(list)
        for trial in trials(kind, catalog.listed(kind), curated.all(kind)):
            found[trial.field].append(trial)
            everything.append(trial)
        fields += [_typical_field(kind, field, tried) for field, tried in found.items()]
    return CalibrationAnswer(tuple(fields), _typical_field("", "", everything))


def _typical_field(kind: str, field: str, tried: list[Holdout]) -> TypicalField:
    made = [t for t in tried if t.usual is not None]
    pairs = [(t.usual, t.known) for t in made if isinstance(t.known, Interval)]
    for usual, known in ((t.usual, t.known) for t in made if isinstance(t.known, dict)):
        pairs += [(usual[name], known[name]) for name in usual.keys() & known.keys()]
    widths = [(usual.high - usual.low) / known.high for usual, known in pairs if known.high]
    width = round(median(widths), 3) if widths else None
    covered = sum(holds(t.usual, t.known) for t in made)
    return TypicalField(kind, field, len(tried), len(made), covered, width)
