"""What the catalogue knows: all values of one part, and how much of how many parts."""

import re
from itertools import product
from pathlib import Path
from statistics import median

from buildcheck.catalog import Catalog
from buildcheck.catalog.layer import CURATED
from buildcheck.catalog.typical import holds
from buildcheck.catalog.typical.making import Holdout, trials
from buildcheck.importers.parts import answer
from buildcheck.logic.quantity import Interval
from buildcheck.measure.shapes import field_shapes
from buildcheck.model.answer import made_of
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.graph import by_key
from buildcheck.model.kinds import KINDS
from buildcheck.model.part import Part, Sourced
from buildcheck.model.source import read
from buildcheck.model.vocabulary import shipped
from buildcheck.report.sources import notices
from buildcheck.report.values import plain_value, value_text
from buildcheck.rulebook import Rulebook
from buildcheck.rulebook.needs import SUBJECT, rules_by_field

#: Kinds without a subject in a build → the subject with their fields.
_SUBJECT = SUBJECT | {"gpu-module": "gpu", "tensor-units": "gpu"}
#: Entries for parts that are not listed; nobody can buy them.
_PLACEHOLDERS = "/generic/unlisted"


def part_show_answer(part_id: str, catalog: Catalog, rulebook: Rulebook) -> answer.PartShowAnswer:
    """Everything known of a part. Raises `CatalogError`."""
    kind = part_id.partition("/")[0]
    part, rows = catalog.part(part_id), [*catalog.index.each(part_id)]
    needed, fields = rules_by_field(rulebook, kind), KINDS[kind].model_fields
    known = [n for n in fields if n in part.facts]
    known.sort(key=lambda n: not part.states(n))
    sources = dict.fromkeys(_source(part.facts[n], part_id) for n in known)
    numbers = {source: number for number, source in enumerate(sources, 1)}
    return answer.PartShowAnswer(
        id=part_id,
        kind=kind,
        name=part.name,
        layers=tuple(layer.name for layer, _ in rows),
        aliases=tuple(dict.fromkeys(n for _, r in rows for n in r.names if n != part.name)),
        part_numbers=tuple(dict.fromkeys(n for _, row in rows for n in row.numbers)),
        values=tuple(_value(part, n, numbers, catalog) for n in known),
        unknown=tuple(
            answer.UnknownValue(n, str(info.description or ""), tuple(needed.get(n, ())))
            for n, info in fields.items()
            if n not in part.facts
        ),
        sources=tuple(sources),
        notices=notices(part.facts.values()),
    )


def _source(fact: Sourced, part_id: str) -> answer.PartSource:
    origin = fact.origin if fact.origin != part_id else ""
    return made_of(answer.PartSource, fact.source, origin=origin)


def _value(
    part: Part, name: str, numbers: dict[answer.PartSource, int], catalog: Catalog
) -> answer.PartValue:
    fact, kind = part.facts[name], part.kind
    shape = field_shapes(_SUBJECT.get(kind, kind)).get(name)
    text = value_text(fact.value, shape)
    slots = _in_slots(fact, catalog) if name == "thickness" else ""
    return made_of(
        answer.PartValue,
        fact,
        field=name,
        value=plain_value(fact.value, shape),
        text=f"{text}, from {slots}" if slots else text,
        source=numbers[_source(fact, part.id)],
        is_own=part.states(name),
    )


def _in_slots(fact: Sourced, catalog: Catalog) -> str:
    """A thickness as its part file has it, where that is in slots; else empty."""
    paths = [layer.folder / f"{fact.origin}.yaml" for layer, _ in catalog.index.each(fact.origin)]
    for path in paths or [Path(fact.origin)]:
        try:
            document = read(path.read_bytes(), str(path))
            written = str(document.data["facts"]["thickness"]["value"]).strip()
        except (OSError, KeyError, TypeError):
            continue
        return written if re.search("slots?$", written) else ""
    return ""


def part_stats_answer(catalog: Catalog) -> answer.PartStatsAnswer:
    """Parts of each kind and layer, and the share of them that each field is known of."""
    listed = set(SECTION_KIND.values())
    found: dict[str, list[answer.LayerCount]] = {kind: [] for kind in KINDS}
    for kind, layer in product(KINDS, catalog.index.layers):
        own = [i for i in layer.all(kind) if not i.endswith(_PLACEHOLDERS)]
        if own:
            facts = [set(catalog.part(i).facts) for i in own]
            shares = {n: sum(n in f for f in facts) / len(own) for n in KINDS[kind].model_fields}
            known = {n: round(s, 3) for n, s in shares.items()}
            found[kind].append(answer.LayerCount(layer.name, len(own), known))
    layers = dict.fromkeys(count.layer for counts in found.values() for count in counts)
    kinds = (
        answer.KindCount(kind, kind in listed, tuple(counts)) for kind, counts in found.items()
    )
    return answer.PartStatsAnswer(tuple(layers), tuple(kinds))


def part_calibration_answer(catalog: Catalog) -> answer.CalibrationAnswer:
    """How often the other parts predict what is known of each hand-checked part."""
    curated = next(layer for layer in catalog.index.layers if layer.name == CURATED)
    fields, everything = [], []
    for kind in shipped("rules", "typical")["kinds"]:
        found = [*trials(kind, catalog.listed(kind), curated.all(kind))]
        by_field = by_key((trial.field, trial) for trial in found).items()
        fields += [_typical_field(kind, field, tried) for field, tried in by_field]
        everything += found
    return answer.CalibrationAnswer(tuple(fields), _typical_field("", "", everything))


def _typical_field(kind: str, field: str, tried: list[Holdout]) -> answer.TypicalField:
    made = [t for t in tried if t.usual is not None]
    pairs = [(t.usual, t.known) for t in made if isinstance(t.known, Interval)]
    for usual, known in ((t.usual, t.known) for t in made if isinstance(t.known, dict)):
        pairs += [(usual[name], known[name]) for name in usual.keys() & known.keys()]
    widths = [(usual.high - usual.low) / known.high for usual, known in pairs if known.high]
    width = round(median(widths), 3) if widths else None
    covered = sum(holds(t.usual, t.known) for t in made)
    return answer.TypicalField(kind, field, len(tried), len(made), covered, width)
