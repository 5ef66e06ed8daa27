"""Power supplies of OpenDB."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from buildcheck.importers.open_data.record import measured
from buildcheck.importers.open_data.rows import TABLES, DroppedError, Facts

if TYPE_CHECKING:
    from buildcheck.importers.open_data.record import Gate, OpenRecord

_NEW_NAME = r"\bATX ?3(?:\.[01])?\b|\bPCI-?E ?(?:Gen ?)?5(?:\.[01])?\b"
#: An SFX supply is 100 mm long, an SFX-L one 125 or 130 mm.
_LONGEST_SFX = 110
_LENGTHS = {"ATX": (120, 260), "SFX": (90, 150), "SFX-L": (120, 150)}
#: Sockets of PCIe cables that a 16-pin cable takes; the source is silent on its other end.
_SIXTEEN_PIN_SOCKETS = "0..2"
#: Outputs whose zero means nothing in an unchecked record. Plain 6-pin plugs are
#: not counted at the source at all; supplies that have them are older than the 16-pin plug.
_UNCOUNTED = {"16-pin": "0..2", "pcie-6-pin": "0..4", "molex": "0..6"}
#: Outputs for drives, of which a few more or less decide nothing.
_DRIVES = frozenset({"sata", "molex"})
#: Most EPS and 16-pin outputs of a PSU below the wattage of a large one, in W.
_MOST_EPS, _MOST_SIXTEEN, _LARGE_SUPPLY = 2, 1, 1000
#: Watts of an output, and for what share of a supply's watts they are believed to be all.
_EIGHT_PIN, _SIXTEEN_PIN, _LEAST_SHARE = 150, 600, 0.65


def read(record: OpenRecord, gate: Gate) -> Facts:
    """What is believed of a supply. Raises `DroppedError`."""
    if record.says(r"\bSSD\b|solid state|\bNVMe\b"):
        raise DroppedError("no power supply")
    new = re.search(r"\bATX ?(3\.[01])\b", record.name)
    both = record.says(r"\bATX ?3\.0") and record.says(r"\bATX ?3\.1")
    gate.put("standard", f"ATX {new[1]}" if new and not both else None)
    grade = record.text("efficiency_rating") or record.text("cybernetics_efficiency_rating")
    gate.put("efficiency", TABLES["grades"].get(grade.lower()))
    watts = record.number("wattage")
    named = {float(found) for found in re.findall(r"\b(\d{3,4}) ?W\b", record.name)}
    wrong = {"contradicts its name": bool(named) and watts not in named}
    gate.put_unless("rated_power", measured(watts, "W"), wrong)
    _outputs(record, gate)
    form, forms = record.text("form_factor"), TABLES["psu_forms"]
    gate.put_unless(
        "form_factor",
        forms.get(form, form),
        {
            "no form of a supply": form not in forms,
            "contradicts its name": (form == "ATX" and record.says(r"\bSFX\b|\bTFX\b"))
            or (form == "SFX" and record.says(r"\bSFX-?L\b")),
            "too long for SFX, so it may be SFX-L": form == "SFX"
            and record.number("length") > _LONGEST_SFX,
        },
    )
    length = record.number("length")
    least, most = _LENGTHS.get(form, (60, 260))
    off = {"no such length": not least <= length <= most}
    gate.put_unless("length", measured(length, "mm"), off)
    return gate.facts


def _outputs(record: OpenRecord, gate: Gate) -> None:
    """The plugs of its cables, as the source counts them."""

    def count(field: str) -> int:
        return int(record.number("connectors", field))

    if not record.spec.get("connectors"):
        return
    eps, eight, sixteen = count("eps_8_pin"), count("pcie_6_plus_2_pin"), count("pcie_12vhpwr")
    plugs: dict[str, int | str] = {
        "atx-24-pin": count("atx_24_pin"),
        "eps-8-pin": eps,
        "pcie-8-pin": eight,
        "16-pin": sixteen,
        "sata": count("sata"),
        "molex": count("molex_4_pin"),
    }
    if not record.checked:
        plugs |= {name: most for name, most in _UNCOUNTED.items() if not plugs.get(name)}
    if sixteen:
        plugs.pop("pcie-6-pin", None)
        gate.put("sixteen_pin_sockets", _SIXTEEN_PIN_SOCKETS)
    many = eps > _MOST_EPS or sixteen > _MOST_SIXTEEN
    large = record.number("wattage") >= _LARGE_SUPPLY
    gate.put_unless(
        "plugs",
        {name: number for name, number in plugs.items() if number},
        {
            "no EPS or no graphics connector counted": not eps or not (eight or sixteen),
            "no main or SATA connector counted": not count("sata") or not count("atx_24_pin"),
            "no 16-pin output though its name says so": not sixteen and _is_new(record),
            "16-pin outputs counted in place of others": sixteen > eight,
            "more outputs than such a supply has": many and not large and not record.checked,
            "one EPS connector on a large supply": eps == 1 and large,
            # Fixed leads are in no column of the source; on a large supply they are missed.
            "outputs for a part of its watts": large
            and eight * _EIGHT_PIN + sixteen * _SIXTEEN_PIN
            < _LEAST_SHARE * record.number("wattage"),
        },
    )


def _is_new(record: OpenRecord) -> bool:
    """Is it of an ATX 3 or PCIe 5 edition, by its name or a part number that is a name?"""
    numbers = (re.search(_NEW_NAME, number, re.IGNORECASE) for number in record.part_numbers)
    return record.says(_NEW_NAME) or any(numbers)


def settle(name: str, values: list[Any]) -> dict[str, int | str] | None:
    """One set of outputs for several that differ in what no card or board needs.

    >>> settle("plugs", [{"eps-8-pin": 2, "sata": 8}, {"eps-8-pin": 2, "sata": 10}])
    {'eps-8-pin': 2, 'sata': '8..10'}
    >>> settle("plugs", [{"eps-8-pin": 2}, {"eps-8-pin": 1}])
    """
    if name != "plugs":
        return None
    result: dict[str, int | str] = {}
    for plug in dict.fromkeys(plug for value in values for plug in value):
        given = {value.get(plug, 0) for value in values}
        counted = {count for count in given if count != _UNCOUNTED.get(plug)} or given
        if len(counted) > 1 and plug not in _DRIVES:
            return None
        ends = [int(end) for count in counted for end in str(count).split("..")]
        low, high = min(ends), max(ends)
        result[plug] = low if low == high else f"{low}..{high}"
    return {plug: count for plug, count in result.items() if count}
