"""Memory, drives and network cards of OpenDB."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from buildcheck.importers.open_data.record import gigabytes, measured, whole
from buildcheck.importers.open_data.rows import TABLES, DroppedError, Facts

if TYPE_CHECKING:
    from buildcheck.importers.open_data.record import Gate, OpenRecord

_SAID = TABLES["memory"]


def memory(record: OpenRecord, gate: Gate) -> Facts:
    """What is believed of memory modules."""
    generation = record.text("ram_type").replace("DDR1", "DDR")
    named = re.search(r"\bDDR\d\b", record.name)
    if named and generation and named[0] != generation:
        gate.refuse("type", "contradicts its name")
    else:
        _module_kind(record, gate, generation)
    total, number = record.number("capacity"), record.number("modules", "quantity")
    size = record.number("modules", "capacity_gb")
    known = bool(total and number and size)
    wrong = {"count and size disagree": known and total != number * size}
    gate.put_unless("total", measured(total, "GB"), wrong)
    gate.put_unless("module", measured(size, "GB"), wrong)
    gate.put_unless("kit_modules", whole(number), wrong)
    _form(record, gate)
    speed = record.number("speed")
    spoken = re.search(r"\bDDR\d-(\d{3,5})\b", record.name)
    other = {"contradicts its name": spoken is not None and int(spoken[1]) != speed}
    gate.put_unless("speed", whole(speed), other)
    return gate.facts


_FORM = re.compile(r"(?:\d{3}-pin )?(U?DIMM|SO-DIMM)")


def _form(record: OpenRecord, gate: Gate) -> None:
    """Full-length or small, unless its name or number says otherwise."""
    found = _FORM.fullmatch(record.text("form_factor"))
    form = found[1].replace("UDIMM", "DIMM") if found else None
    numbered = record.is_numbered(_SAID["small_numbers"])
    gate.put_unless(
        "form",
        form,
        {
            "contradicts its name": form == "DIMM" and record.says(_SAID["small"]),
            "contradicts its series": form == "DIMM" and numbered,
        },
    )


def _module_kind(record: OpenRecord, gate: Gate, generation: str) -> None:
    """Kind of module and ECC, as the name says them: the fields are nearly always wrong."""
    late = generation in ("DDR4", "DDR5")
    registered = record.says(_SAID["registered"])
    loaded = record.says(_SAID["loaded"])
    if registered and record.is_numbered(_SAID["may_be_loaded"]):
        kind = ""
    elif loaded and generation == "DDR4":
        kind = "DDR4 LRDIMM"
    elif registered and late:
        kind = f"{generation} RDIMM"
    else:
        kind = generation if generation in ("DDR3", "DDR4", "DDR5") else ""
    corrects = record.says(_SAID["ecc"]) or registered or loaded
    if kind == generation and late:
        if _is_plain(record, corrects=corrects):
            kind = f"{generation} UDIMM"
            gate.put("ecc", False)
        elif not corrects:
            gate.refuse("ecc", "contradicts its series")
    if corrects:
        gate.put("ecc", True)
    gate.put("type", kind)
    if not kind:
        gate.put("generation", generation)


def _is_plain(record: OpenRecord, *, corrects: bool) -> bool:
    """Is it an unbuffered desktop module without ECC, and does nothing speak against it?"""
    said = f"{record.name} {record.series}"
    return (
        not corrects
        and record.text("registered") == "Unbuffered"
        and record.text("ecc") == "Non-ECC"
        and record.text("form_factor") in ("288-pin DIMM", "UDIMM")
        and not re.search(_SAID["server"], said, re.IGNORECASE)
        and not record.is_numbered(_SAID["server_numbers"])
    )


_PCIE = re.compile(r"M\.2 PCIe(?: (\d)\.0)? x(\d+)")
_NVME = {"3": "NVMe Gen3", "4": "NVMe Gen4", "5": "NVMe Gen5"}
#: Lanes that drives of an interface use.
_LANES = 4
_SIZES = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?) ?(TB|GB)\b", re.IGNORECASE)
#: How far a size in a name and one in a field may be apart.
_SIZE_OFF = 0.03


def storage(record: OpenRecord, gate: Gate) -> Facts:
    """What is believed of a drive."""
    where = record.text("form_factor")
    found = _PCIE.fullmatch(record.text("interface"))
    if found:
        _nvme(record, gate, found, where)
    else:
        _other(record, gate, where)
    size = record.number("capacity")
    named = [
        float(n) * (1000 if unit.upper() == "TB" else 1) for n, unit in _SIZES.findall(record.name)
    ]
    said = any(abs(n - size) <= _SIZE_OFF * size for n in named)
    wrong = {"contradicts its name": bool(named) and not said}
    gate.put_unless("capacity", gigabytes(size) if size else None, wrong)
    return gate.facts


def _nvme(record: OpenRecord, gate: Gate, found: re.Match[str], where: str) -> None:
    word = _NVME.get(found[1] or "", "NVMe SSD")
    named = re.search(r"(?:PCIe|Gen) ?([345])(?:\.0)?\b", record.name, re.IGNORECASE)
    gate.put_unless(
        "interface",
        word,
        {
            "contradicts its name": bool(named and found[1] and named[1] != found[1])
            or record.says(r"\bSATA\b|\bHDD\b"),
            "contradicts its own flag": record.spec.get("nvme") is False,
        },
    )
    lanes = int(found[2])
    card = where == "PCIe"
    fits = lanes <= _LANES or card
    if "interface" in gate.facts and (lanes != _LANES or card):
        gate.put_unless("pcie_lanes", lanes, {"more lanes than its form has": not fits})
    if card:
        gate.put("form", "card")


def _other(record: OpenRecord, gate: Gate, where: str) -> None:
    said, kind = record.text("interface"), record.text("type") or record.text("storage_type")
    solid, disk = kind == "SSD", kind in ("HDD", "SSHD")
    wrong = {
        "contradicts its name": (solid and record.says(r"\bHDD\b|\bRPM\b"))
        or (disk and record.says(r"(?<!\+ )\bSSD\b(?!Now)"))
        or (record.says(r"\bNVMe\b") and "SATA" in said)
    }
    if said == "U.2":
        gate.put("interface", "U.2 SSD")
    elif "SATA" in said and said != "mSATA" and (solid or disk):
        gate.put_unless("interface", "SATA SSD" if solid else "SATA HDD", wrong)
        if where.startswith("M.2") and "interface" in gate.facts:
            gate.put("form", "m.2")


_EDGE = re.compile(r"\bPCIe x(1|4|8|16)\b")
_RATE = re.compile(r"(?:\b(\d) ?x )?(?:\b(\d+(?:\.\d+)?) Gb/s|\bGigabit) Ethernet", re.IGNORECASE)


def network(record: OpenRecord, gate: Gate) -> Facts:
    """What the name of a network card says, which is all there is. Raises `DroppedError`."""
    edge = _EDGE.search(record.name)
    if edge is None or record.says(r"\bUSB\b"):
        raise DroppedError("no PCIe card by its name")
    gate.put("kind", "network")
    gate.put("edge", int(edge[1]))
    gate.put("pcie_lanes", int(edge[1]))
    rate = _RATE.search(record.name)
    if rate:
        gate.put("rate", f"{int(rate[1] or 1) * float(rate[2] or 1) / 8:g} GB/s")
    return gate.facts
