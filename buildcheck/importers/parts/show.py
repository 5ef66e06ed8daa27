"""One part of the catalogue with all its values, where each is from, and what is not known."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from buildcheck import units
from buildcheck.catalog import Catalog
from buildcheck.importers.parts.answer import PartShowAnswer, PartSource, PartValue, UnknownValue
from buildcheck.logic.quantity import Interval
from buildcheck.measure.shapes import field_shapes
from buildcheck.model.answer import figure
from buildcheck.model.kinds import KINDS
from buildcheck.model.money import Tariff
from buildcheck.model.part import Part, Sourced
from buildcheck.model.source import read
from buildcheck.report.sources import notices
from buildcheck.rulebook import Rulebook
from buildcheck.rulebook.needs import SUBJECT, rules_by_field
from buildcheck.rulebook.wording import show_value

#: Kinds without a subject in a build → the subject with their fields.
_SUBJECT = SUBJECT | {"gpu-module": "gpu", "tensor-units": "gpu"}


def part_show_answer(part_id: str, catalog: Catalog, rulebook: Rulebook) -> PartShowAnswer:
    """Everything known of a part. Raises `CatalogError`."""
    kind = part_id.partition("/")[0]
    part, rows = catalog.part(part_id), catalog.index.rows(part_id)
    needed = rules_by_field(rulebook, kind)
    fields = KINDS[kind].model_fields
    known = [n for n in fields if n in part.facts]
    known.sort(key=lambda n: not part.states(n))
    sources = dict.fromkeys(_source(part.facts[n], part_id) for n in known)
    numbers = {source: number for number, source in enumerate(sources, 1)}
    return PartShowAnswer(
        id=part_id,
        kind=kind,
        name=part.name,
        layers=tuple(layer.name for layer, _ in rows),
        aliases=tuple(dict.fromkeys(n for _, r in rows for n in r.names if n != part.name)),
        part_numbers=tuple(dict.fromkeys(n for _, row in rows for n in row.numbers)),
        values=tuple(_value(part, n, numbers, catalog) for n in known),
        unknown=tuple(
            UnknownValue(n, str(info.description or ""), tuple(needed.get(n, ())))
            for n, info in fields.items()
            if n not in part.facts
        ),
        sources=tuple(sources),
        notices=notices(part.facts.values()),
    )


def _source(fact: Sourced, part_id: str) -> PartSource:
    source = fact.source
    origin = fact.origin if fact.origin != part_id else ""
    return PartSource(source.title, source.url, source.read, source.as_of, origin)


def _value(part: Part, name: str, numbers: dict[PartSource, int], catalog: Catalog) -> PartValue:
    fact, kind = part.facts[name], part.id.partition("/")[0]
    shape = field_shapes(_SUBJECT.get(kind, kind)).get(name)
    text, slots = value_text(fact.value, shape), ""
    if name == "thickness":
        slots = _in_slots(fact, catalog)
    return PartValue(
        field=name,
        value=_plain(fact.value, shape),
        text=f"{text}, from {slots}" if slots else text,
        confidence=fact.confidence,
        source=numbers[_source(fact, part.id)],
        note=fact.note,
        is_own=part.states(name),
    )


def _in_slots(fact: Sourced, catalog: Catalog) -> str:
    """A thickness as its part file has it, where that is in slots; else empty."""
    paths = [layer.folder / f"{fact.origin}.yaml" for layer, _ in catalog.index.rows(fact.origin)]
    for path in paths or [Path(fact.origin)]:
        try:
            document = read(path.read_bytes(), str(path))
            written = str(document.data["facts"]["thickness"]["value"]).strip()
        except (OSError, KeyError, TypeError):
            continue
        return written if re.search("slots?$", written) else ""
    return ""


def _plain(value: Any, shape: Any = None) -> Any:
    """A value as figures, texts and truths; tables, lists and slots entry by entry."""
    if isinstance(value, Interval):
        return figure(value, shape if isinstance(shape, tuple) else units.NUMBER)
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, Tariff):
        return str(value)
    if isinstance(value, tuple | frozenset):
        return tuple(map(_plain, value if isinstance(value, tuple) else sorted(value)))
    if hasattr(type(value), "model_fields"):
        stated = {n: getattr(value, n) for n in type(value).model_fields}
        return {n: _plain(v) for n, v in stated.items() if v is not None}
    return value


def value_text(value: Any, shape: Any) -> str:
    """A value in words; tables and lists of slots entry by entry."""
    if isinstance(value, dict):
        return ", ".join(f"{value_text(n, units.NUMBER)}x {k}" for k, n in value.items()) or "none"
    if isinstance(value, Tariff):
        return str(value)
    if isinstance(value, tuple):
        return "; ".join(value_text(item, None) for item in value) or "none"
    if hasattr(type(value), "model_fields"):
        stated = {n: getattr(value, n) for n in type(value).model_fields}
        return " ".join(f"{n} {value_text(v, None)}" for n, v in stated.items() if v is not None)
    return show_value(value, shape)
