"""Graphics cards of OpenDB."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from buildcheck.importers.open_data.names import numbers
from buildcheck.importers.open_data.record import measured
from buildcheck.importers.open_data.rows import TABLES, DroppedError, Facts, pattern
from buildcheck.importers.open_data.twins import hull
from buildcheck.words.names import words

if TYPE_CHECKING:
    from buildcheck.importers.open_data.chips import Chip, Chips
    from buildcheck.importers.open_data.record import Gate, OpenRecord

#: Share of the chip's own power between which a card's is believed.
LEAST_SHARE, MOST_SHARE = 0.90, 1.25
#: Slots between which a thickness is believed, and what is too thin for how much power on air.
LEAST_SLOTS, MOST_SLOTS = 0.9, 4.5
#: From this thickness on, unchecked whole numbers are often half slots rounded up.
_ROUNDED = 3
#: Two slots are what the bracket has of many a card that is thicker.
_BRACKET = 2
_FANS = re.compile(r"[234] Fans")
_THIN = ((1.5, 165.0), (2.0, 340.0))
#: Thicknesses this close are one measured twice, in slots.
SAME_SLOTS = 0.1
#: Lengths between which a card's is believed, in mm.
LEAST_LENGTH, MOST_LENGTH = 100, 450
#: By how much a length may be out of the range of its chip's cards, in mm.
_LENGTH_OFF = 3.0
_SLOT_POWER = 75
_SAID = TABLES["cards"]
#: Chips whose cards all have a 16-pin plug, and cards whose EPS or 12-pin plug is called 8-pin.
_SIXTEEN, _NOT_EIGHT = pattern(_SAID["sixteen"]), pattern(_SAID["not_eight"])
_SIZES, _FOUNDERS = pattern(_SAID["sizes"]), pattern(_SAID["founders"])
_BLOWER, _AERO = pattern(_SAID["blower"]), pattern(_SAID["aero"])
_HYBRID, _BLOCK = pattern(_SAID["hybrid"]), pattern(_SAID["block"])


def read(record: OpenRecord, gate: Gate, chips: Chips) -> Facts:
    """What is believed of a card. Raises `DroppedError`."""
    chipset, memory = record.text("chipset"), record.number("memory")
    if memory and _named_sizes(record) and memory not in _named_sizes(record):
        gate.refuse("memory", "contradicts its name")
        memory = 0
        # Chips of this name differ in memory, and either could be meant.
        chip = None if chips.sized(chipset) else chips.find(chipset, None)
    else:
        chip = chips.find(chipset, memory or None)
    if chip is not None:
        gate.put("chip", chip.name)
    else:
        gate.refuse("chip", "in no list of chips, or one of several")
    unsold = {"the chip is not sold with it": not _sold(record, chip, memory)}
    gate.put_unless("memory", measured(memory, "GB"), unsold)
    _power(record, gate, chip)
    _space(record, gate, chip)
    _cooling(record, gate)
    _plugs(record, gate, chip)
    return gate.facts


def _named_sizes(record: OpenRecord) -> set[float]:
    return {float(size) for size in _SIZES.findall(record.name)}


def _sold(record: OpenRecord, chip: Chip | None, memory: float) -> bool:
    """Is the memory the chip's, or that of a variant by which the card is named?"""
    if chip is None or chip.memory is None or chip.memory == memory:
        return True
    text = f"{record.name} {' '.join(record.part_numbers)}"
    return re.search(rf"(?<!\d){memory:g} ?G", text, re.IGNORECASE) is not None


def _power(record: OpenRecord, gate: Gate, chip: Chip | None) -> None:
    power, reference = record.number("tdp"), chip.power if chip else None
    off = bool(reference) and not (
        LEAST_SHARE * (reference or 0) <= power <= MOST_SHARE * (reference or 0)
    )
    gate.put_unless(
        "board_power",
        measured(power, "W"),
        {
            "no power of its chip to hold it against": not reference and not record.checked,
            "out of reach of its chip": off,
            "the chip's, not the card's own": power == reference and not record.checked,
        },
    )


def _space(record: OpenRecord, gate: Gate, chip: Chip | None) -> None:
    slots = max(record.number("total_slot_width"), 1) if record.number("total_slot_width") else 0
    power = max(record.number("tdp"), (chip.power if chip else None) or 0)
    liquid = record.text("cooling") in ("Hybrid", "Water Cooled") or _BLOCK.search(record.name)
    thin = not liquid and any(slots < least and power >= drawn for least, drawn in _THIN)
    fans = _FANS.fullmatch(record.text("cooling")) is not None
    gate.put_unless(
        "thickness",
        _slots(slots, checked=record.checked, fans=fans),
        {
            "no such thickness": not LEAST_SLOTS <= slots <= MOST_SLOTS,
            "too thin for its power": thin,
        },
    )
    length = record.number("length")
    gate.put_unless(
        "length",
        measured(length, "mm"),
        {
            "no such length": not LEAST_LENGTH <= length <= MOST_LENGTH,
            "no card of its chip is so long": chip is not None and _is_off(length, chip.length),
        },
    )


def _is_off(length: float, known: tuple[float, float] | None) -> bool:
    return known is not None and not known[0] - _LENGTH_OFF <= length <= known[1] + _LENGTH_OFF


def _slots(slots: float, *, checked: bool, fans: bool = False) -> str | None:
    """A thickness as part files write it: twins say 2.5 or 2.7 where others say 3.

    Where fans blow onto the board, one of five records of two slots has a twin that says more.

    >>> _slots(3, checked=False), _slots(3, checked=True), _slots(1, checked=False)
    ('2.5..3 slots', '3 slots', '1 slot')
    >>> _slots(2, checked=False, fans=True)
    '2..2.75 slots'
    """
    if not slots:
        return None
    if slots == _BRACKET and fans and not checked:
        return f"{_BRACKET}..{_BRACKET + 0.75:g} slots"
    if slots >= _ROUNDED and slots == int(slots) and not checked:
        return f"{slots - 0.5:g}..{slots:g} slots"
    return f"{slots:g} slot{'s' * (slots != 1)}"


def _cooling(record: OpenRecord, gate: Gate) -> None:
    """The kind of cooler, where fans and name leave no doubt; one fan can be either."""
    said = record.text("cooling")
    named = _BLOWER.search(record.name) is not None
    block = _BLOCK.search(" ".join((record.name, *record.part_numbers)))
    radiator = _HYBRID.search(record.name)
    if said == "Hybrid":
        gate.put("cooling", "hybrid")
    elif said == "Water Cooled" and bool(radiator) != bool(block):
        gate.put("cooling", "hybrid" if radiator else "water")
    elif said == "Water Cooled":
        gate.refuse("cooling", "a water block or a radiator of its own")
    elif said in ("Blower", "Passive"):
        wrong = {"contradicts its name": said == "Passive" and named}
        gate.put_unless("cooling", said.lower(), wrong)
    elif said in ("2 Fans", "3 Fans", "4 Fans"):
        gate.put_unless(
            "cooling",
            "open-air",
            {
                "contradicts its name": named or radiator is not None or block is not None,
                "may flow through": _FOUNDERS.search(record.name) is not None
                or "RTX PRO 6000" in record.text("chipset"),
            },
        )
    elif said == "1 Fan" and (named or _is_aero(record)):
        gate.put("cooling", "blower")
    elif said:
        gate.refuse("cooling", "one fan may be a blower or not")


def _is_aero(record: OpenRecord) -> bool:
    """Is it one of the long AERO cards of MSI, which are blowers, and none of the short ones?"""
    long = record.number("length") >= 230  # noqa: PLR2004 - the short ones have up to 180 mm
    return long and _AERO.search(record.name) is not None


def _plugs(record: OpenRecord, gate: Gate, chip: Chip | None) -> None:
    plugs: dict[str, int] = {}
    counted = record.spec.get("power_connectors")
    counted = counted if isinstance(counted, dict) else {}
    carried = float(_SLOT_POWER)
    for field, (name, watts) in _SAID["connectors"].items():
        count = int(record.number("power_connectors", field))
        if count:
            plugs[name] = plugs.get(name, 0) + count
            carried += watts * count
    power = max(record.number("tdp"), (chip.power if chip else None) or 0)
    if not plugs:
        if record.checked and 0 < power <= _SLOT_POWER:
            gate.put("plugs", {})
        else:
            gate.refuse("plugs", "no connector named")
        return
    chipset = record.text("chipset")
    eight = "16-pin" not in plugs
    gate.put_unless(
        "plugs",
        plugs,
        {
            "its chip is sold with a 16-pin plug": eight and bool(_SIXTEEN.search(chipset)),
            "no card of its chip has those": chip is not None and _are_other(plugs, chip),
            "an adapter counted twice": len(plugs) > 1 and not eight,
            "one 16-pin plug under both its names": bool(
                counted.get("pcie_12VHPWR") and counted.get("pcie_12V_2x6")
            ),
            "an EPS or 12-pin plug called 8-pin": eight
            and bool(_NOT_EIGHT.search(chipset) or _is_founders_30(record)),
            "cannot carry the board power": carried < power,
        },
    )


def _are_other(plugs: dict[str, int], chip: Chip) -> bool:
    """Are there sockets, or too few of them, as on no card of the chip that was looked at?"""
    if chip.plugs is None:
        return False
    none = (0.0, 0.0)
    ranges = {plug: chip.plugs.get(plug, none) for plug in {*plugs, *chip.plugs}}
    return any(not low <= plugs.get(plug, 0) <= high for plug, (low, high) in ranges.items())


def _is_founders_30(record: OpenRecord) -> bool:
    series = re.search(r"RTX 30[5-9]0", record.text("chipset"))
    return series is not None and _FOUNDERS.search(record.name) is not None


def named(record: OpenRecord, chips: Chips) -> OpenRecord:
    """A card whose name is a chip's alone is named by its part number, lest it pass for all.

    Raises `DroppedError` if it has none.
    """
    maker = re.compile(rf"\b(?:{re.escape(record.maker or 'gaming')}|gaming)\b", re.IGNORECASE)
    if not chips.only(record.name) and not chips.only(maker.sub(" ", record.name)):
        return record
    chipset = record.text("chipset")
    own = [
        number
        for number in numbers(record.part_numbers)
        if not chips.only(number) and not set(words(number)) <= set(words(chipset))
    ]
    if not own or not record.maker or not chipset:
        raise DroppedError("its name is a chip's alone")
    return replace(record, name=f"{record.maker} {own[0]} {chipset}")


def settle(name: str, values: list[Any]) -> str | None:
    """One thickness for several: rounded ones give way to what lies in them.

    >>> settle("thickness", ["2.5..3 slots", "2.7 slots"])
    '2.7 slots'
    >>> settle("thickness", ["2 slots", "2.05 slots"])
    '2..2.05 slots'
    >>> settle("thickness", ["2 slots", "2.5..3 slots"])
    """
    if name != "thickness":
        return None
    ends = [tuple(map(float, value.split()[0].split(".."))) for value in values]
    exact = [low for low, *rest in ends if not rest or rest[0] - low <= SAME_SLOTS]
    exact += [rest[0] for low, *rest in ends if rest and rest[0] - low <= SAME_SLOTS]
    rounded = [(low, rest[0]) for low, *rest in ends if rest and rest[0] - low > SAME_SLOTS]
    if not exact or any(not low <= e <= high for low, high in rounded for e in exact):
        return None
    return hull(exact, "slots", SAME_SLOTS)
