"""What a value of each field looks like, for whoever fills in a part file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.model import values as v

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

_SLOT = "[{label: PCIEX16_1, position: 1, mechanical: 16, lanes: 16, gen: 4, owner: cpu}]"
#: Fields whose shape alone does not say enough: words, tables and lists of entries.
_FIELDS = {
    "architecture": "Ampere GeForce",
    "arithmetic_16bit": "2",
    "arithmetic_8bit": "8",
    "large_model_gain": "1.3",
    "bios_note": '"Above 4G Decoding has to be on for more than two cards"',
    "board_form_factors": "[ATX, microATX, Mini-ITX]",
    "boards_at_least": "[ATX, microATX, Mini-ITX]",
    "bundled_adapter": "2x 8-pin to 12-pin",
    "chip": "RTX 3090",
    "chipset": "X570",
    "chipsets": "[X570, B550]",
    "connector": "pcie-8-pin",
    "cooler_sockets": "[TR4, sTRX4]",
    "cooling": "blower",
    "cooling_among": "[blower, open-air]",
    "cores": "16",
    "cpu_families": "[Ryzen 3000]",
    "cpu_families_updated": "[Ryzen 5000]",
    "cpu_sockets": "1",
    "efficiency": "80 PLUS Gold",
    "electricity_price": "0.12 USD/kWh",
    "excursion_100ms": "1.1",
    "excursion_100us": "2",
    "excursion_10ms": "1.2",
    "excursion_1ms": "1.7",
    "family": "Ryzen 5000",
    "feed": "sata",
    "fits": "[pcie-6-pin]",
    "form_factor": "ATX",
    "high_excursion_100ms": "1.2",
    "high_excursion_100us": "2",
    "high_excursion_10ms": "1.6",
    "high_excursion_1ms": "1.8",
    "generation": "DDR4",
    "generations": "[ampere]",
    "height": "137 mm",
    "hourly_price": "2.14 USD/h",
    "idle_power": "20 W",
    "inlet": "C14",
    "inputs": "{pcie-8-pin: 2}",
    "interface": "NVMe Gen4",
    "l2_cache": "72 MB",
    "lane_modes": "[{populate: [PCIEX16_1, PCIEX16_2], lanes: {PCIEX16_1: 8, PCIEX16_2: 8}}]",
    "lanes_two_sockets": "128",
    "m2_slots": "[{label: M2_1, lanes: 4, gen: 4, owner: cpu, slot_lanes: {PCIEX16_2: 0}}]",
    "memory_generation": "DDR4",
    "memory_generations": "[DDR4]",
    "memory_modules": "[udimm]",
    "memory_slots": "4",
    "needs_bifurcation": "x4/x4/x4/x4",
    "neighbour_heat": "8 degC",
    "neighbour_reach": "20 mm",
    "nvlink": "ampere",
    "outlet": "Schuko",
    "output": "16-pin",
    "pcie_gen": "4",
    "pcie_lanes": "16",
    "plain_excursion_100ms": "1.1",
    "plain_excursion_100us": "1.5",
    "plain_excursion_10ms": "1.35",
    "plain_excursion_1ms": "1.45",
    "platform": "AM5",
    "power_class": "workstation board",
    "psu_form_factors": "[ATX]",
    "radiator": "360 mm",
    "radiator_walls": '["360 mm or 240 mm + 120 mm", 120 mm]',
    "radiators": "{360 mm: 2}",
    "slot_draw": "60 W",
    "slot_power_plugs": "{pcie-6-pin: 1}",
    "slots": _SLOT,
    "socket": "AM4",
    "sockets": "[AM4, AM5]",
    "speed": "3200",
    "standard": "ATX 3.1",
    "switches": "[{label: PLX1, uplink: 16, gen: 4}]",
    "tensor_units": "Ampere GeForce",
    "thermal_resistance": "0.12",
    "thickness": "2.5 slots",
    "threads": "32",
    "throttle_temperature": "90 degC",
    "type": "DDR4 UDIMM",
}
#: Of some kinds a field has another meaning.
_OF_KIND = {
    ("add-in-card", "thickness"): "1 slot",
    ("cooler", "height"): "158 mm",
    ("cooler", "power_class"): "air cooler",
    ("gpu", "memory_bandwidth"): "936 GB/s",
    ("motherboard", "plugs"): "{atx-24-pin: 1, eps-8-pin: 2}",
    ("psu", "plugs"): "{atx-24-pin: 1, eps-8-pin: 2, pcie-8-pin: 6}",
}
#: Power of parts that draw less than cards and processors do.
_SMALL = ("typical_power", "max_power")
_QUANTITIES = {
    units.NUMBER: "2",
    units.POWER: "300 W",
    units.CURRENT: "10 A",
    units.VOLTAGE: "230 V",
    units.LENGTH: "300 mm",
    units.DATA: "24 GB",
    units.RATE: "3.9 GB/s",
    units.TEMPERATURE: "40 degC",
    units.MASS: "1.2 kg",
    units.AIRFLOW: "60 CFM",
    units.ARITHMETIC: "35.6 TFLOPS",
    units.INTENSITY: "380 g/kWh",
}
#: By the type of a field, where no dimension says it.
_SHAPES = (
    (v.Truth, "true"),
    (v.Ratio, "0.9"),
    (v.Curve, "[[0.5, 0.8], [1, 1]]"),
    (v.ShareCurve, "[[0.2, 0.9], [0.5, 0.92], [1, 0.89]]"),
    (v.Counts, "{pcie-8-pin: 2}"),
)


def example(kind: str, field: str, info: FieldInfo) -> str:
    """How a value of a field may look in a part file."""
    known = _OF_KIND.get((kind, field)) or _FIELDS.get(field)
    if known:
        return known
    if field in _SMALL:
        return "10 W"
    inner: tuple[Any, ...] = getattr(info.annotation, "__args__", ())
    for shape, text in _SHAPES:
        if shape in inner or shape == info.annotation:
            return text
    marks = [*info.metadata, *(m for one in inner for m in getattr(one, "__metadata__", ()))]
    for mark in marks:
        if isinstance(mark, v.Measure):
            return _QUANTITIES[mark.dimension]
    return next((codes[0] for codes in map(v.choices, marks) if codes), "a word")
