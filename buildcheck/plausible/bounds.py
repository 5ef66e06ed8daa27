"""What values such parts have: bounds, fields in order, numbers to choose from."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from buildcheck.model.kinds import MOST_OPENINGS
from buildcheck.model.values import SLOT_PITCH
from buildcheck.plausible.limits import HIGH_PEAKS, LINKS, PEAKS, PLAIN_PEAKS, SLOT

if TYPE_CHECKING:
    from collections.abc import Mapping


class Bound(NamedTuple):
    """The least and most that is built, and what that rests on."""

    low: float
    high: float
    why: str


#: Widths wired on graphics cards: x2 is sold for none.
CARD_LINKS = (1, 4, 8, 16)
#: Sizes of one module that JEDEC organisations of chips and ranks add up to, in GB.
MODULES = (1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 256, 512)
_WATTS = "such parts draw neither less nor more"
#: Peaks over board power: CEM 5.0 allows three times for 100 µs; measured cards reach 3.1.
_PEAK = Bound(1, 4, "a peak is at least the sustained power, and under four times it")
_GENERATION = Bound(1, 6, "PCI Express has generations 1 to 6")
_SLOT_POWER = Bound(0, SLOT, "a slot supplies 75 W (PCI Express CEM)")
_PEAK_BOUNDS = dict.fromkeys(PEAKS, _PEAK)
_ARCHITECTURE = {
    **_PEAK_BOUNDS,
    "slot_draw": _SLOT_POWER,
    "idle_power": Bound(0, 150, "idle cards draw far less"),
    "limit_floor_share": Bound(0.05, 1, "a share of full power"),
    "throttle_temperature": Bound(60, 110, "chips slow down between 60 and 110 °C"),
}
_COOLING = {"exhaust_share": Bound(0, 1, "a share of the heat")}
_PLATFORM = {
    "pcie_lanes": Bound(8, 160, "no socket has fewer, and none more"),
    "pcie_gen": _GENERATION,
    "memory_channels": Bound(1, 12, "sockets have up to 12 channels"),
    "sockets_max": Bound(1, 8, "x86 machines have up to 8 sockets"),
    "lanes_two_sockets": Bound(16, 320, "twice the lanes of one socket at most"),
    "numa_nodes": Bound(1, 16, "a CPU has up to 16 memory nodes"),
}
_MAINS = {
    "voltage": Bound(100, 415, "mains are 100 V (Japan) to 415 V (three phases)"),
    "breaker": Bound(6, 125, "circuits of buildings have 6 to 125 A"),
}
#: By kind and field, in base units. They are bounds of sense, wider than anything sold; where a
#: standard sets one, it is named.
BOUNDS: Mapping[str, Mapping[str, Bound]] = {
    "add-in-card": {
        "typical_power": _SLOT_POWER,
        "max_power": _SLOT_POWER,
        "thickness": Bound(10, 2 * SLOT_PITCH, "such cards take one or two slots"),
        "length": Bound(50, 340, "full-length cards have 312 mm (PCI Express CEM)"),
        "pcie_gen": _GENERATION,
        "rate": Bound(0.01, 110, "no card has slower or faster ports"),
    },
    "cable": {
        "heads": Bound(1, 4, "cables have up to four plugs"),
        "rating": Bound(20, 700, "no plug is made for more than 600 W"),
    },
    "case": {
        "expansion_slots": Bound(1, MOST_OPENINGS, "no chassis has more openings"),
        "card_length_max": Bound(150, 800, "no case takes so short a card, or so long a one"),
        "card_height_max": Bound(50, 300, "no card is so low or so tall"),
        "cooler_height_max": Bound(25, 300, "no cooler is so flat or so tall"),
        "psu_length_max": Bound(80, 500, "supplies are 100 to 400 mm long"),
        "shroud_gap": Bound(1, 300, "it is a gap, not the size of the case"),
        "fans": Bound(0, 30, "no case has more fans"),
        "fans_max": Bound(0, 30, "no case has more fans"),
        "drive_bays": Bound(0, 60, "no chassis has more bays"),
        "vertical_slots": Bound(0, MOST_OPENINGS, "no chassis has more openings"),
    },
    "connector": {"rating": Bound(20, 700, "no plug is made for more than 600 W")},
    "cooler": {
        "height": Bound(20, 200, "no cooler is so flat, and no tower so tall"),
        "capacity": Bound(30, 1500, "no CPU draws more"),
        "typical_power": Bound(0, 60, "fans and a pump draw no more"),
        "max_power": Bound(0, 100, "fans and a pump draw no more"),
    },
    "country": {
        **_MAINS,
        "carbon_intensity": Bound(0.01, 1.4, "grids give off some 20 g to 1310 g a kilowatt-hour"),
    },
    "cpu": {
        **_PLATFORM,
        "base_power": Bound(10, 600, _WATTS),
        "turbo_power": Bound(10, 1000, _WATTS),
        "cores": Bound(1, 320, "no processor for such boards has more"),
        "threads": Bound(1, 640, "no processor for such boards has more"),
    },
    "form-factor": {"openings": Bound(1, MOST_OPENINGS, "no chassis has more openings")},
    "gpu": {
        **_ARCHITECTURE,
        **_COOLING,
        "board_power": Bound(30, 700, _WATTS),
        "reference_power": Bound(30, 700, _WATTS),
        "power_limit_min": Bound(20, 700, _WATTS),
        "power_limit_max": Bound(30, 1000, _WATTS),
        "recommended_psu": Bound(200, 2000, "makers ask for 300 W to 1200 W"),
        "length": Bound(100, 400, "no card is so short or so long"),
        "height": Bound(50, 200, "no card is lower than low profile, or so tall"),
        "thickness": Bound(15, 4 * SLOT_PITCH, "coolers take one slot to four"),
        "memory": Bound(1, 200, "no card has so little or so much"),
        "fp32_rate": Bound(0.5, 200, "cards reach 1 to 130 TFLOPS in single precision"),
        "memory_bandwidth": Bound(20, 10_000, "from DDR3 on 64 bits to HBM3e on 6144"),
        "pcie_gen": _GENERATION,
        "weight": Bound(0.1, 5, "no card weighs so little or so much"),
    },
    "gpu-architecture": _ARCHITECTURE,
    "gpu-cooling": _COOLING,
    "inlet": {
        "current": Bound(2.5, 32, "IEC 60320 and 60309 inlets of computers: 2.5 A to 32 A"),
        "current_iec": Bound(2.5, 32, "IEC 60320 and 60309 inlets of computers: 2.5 A to 32 A"),
    },
    "memory": {
        "kit_modules": Bound(1, 24, "kits have up to 24 modules"),
        "typical_power": Bound(0.5, 25, "a module draws a few watts"),
        "max_power": Bound(0.5, 40, "a module draws a few watts"),
    },
    "memory-kind": {
        "typical_power": Bound(0.5, 25, "a module draws a few watts"),
        "max_power": Bound(0.5, 40, "a module draws a few watts"),
    },
    "motherboard": {
        "cpu_sockets": Bound(1, 8, "x86 boards have up to 8 sockets"),
        "memory_slots": Bound(1, 64, "boards have up to 32 slots, with two sockets 48"),
        "memory_max": Bound(8, 24_000, "boards take 8 GB to 24 TB"),
        "module_max": Bound(4, 512, "the largest modules have 512 GB"),
        "openings": Bound(1, MOST_OPENINGS, "no chassis has more openings"),
        "sata_ports": Bound(0, 30, "no board has more ports"),
        "depth": Bound(100, 500, "Mini-ITX is 170 mm deep, SSI EEB 330, HPTX 381"),
        "typical_power": Bound(5, 200, _WATTS),
        "max_power": Bound(5, 300, _WATTS),
    },
    "nvlink-bridge": {"spacing": Bound(2, 5, "bridges span two to four slots")},
    "outlet": _MAINS,
    "platform": _PLATFORM,
    "psu": {
        **_PEAK_BOUNDS,
        "rated_power": Bound(300, 3000, "supplies for PCs and servers give 300 W to 3000 W"),
        "length": Bound(80, 400, "the shortest are SFX, the longest redundant server units"),
        "rails": Bound(1, 12, "supplies have up to a dozen 12 V rails"),
        "rail_current": Bound(10, 300, "rails trip between 10 A and all the supply gives"),
        "rated_temperature": Bound(25, 70, "supplies are rated at 25 to 60 °C"),
        "input_voltage_min": Bound(90, 277, "mains are 100 V to 277 V"),
    },
    "psu-standard": dict.fromkeys((*HIGH_PEAKS, *PLAIN_PEAKS), _PEAK),
    "riser": {
        "gen": _GENERATION,
        "length": Bound(10, 2000, "cables for PCI Express end at one or two metres"),
    },
    "storage": {
        "capacity": Bound(16, 200_000, "drives have 16 GB to 200 TB"),
        "typical_power": Bound(0.1, 30, "U.2 allows 25 W, E3 a little more"),
        "max_power": Bound(0.1, 75, "U.2 allows 25 W, a card in a slot 75 W"),
    },
    "storage-interface": {
        "typical_power": Bound(0.1, 30, "U.2 allows 25 W, E3 a little more"),
        "max_power": Bound(0.1, 75, "U.2 allows 25 W, a card in a slot 75 W"),
    },
    "ups": {
        "power": Bound(100, 20_000, "units for one machine or rack give 0.1 to 20 kW"),
        "apparent_power": Bound(100, 20_000, "units for one machine or rack: 0.1 to 20 kVA"),
        "outlet_current": Bound(5, 125, "mains plugs carry 5 A to 125 A"),
    },
}


class FieldOrder(NamedTuple):
    """A field that is never above another, both known; and why."""

    less: str
    more: str
    why: str


_SUSTAINED = FieldOrder("typical_power", "max_power", "sustained power is at most peak power")
ORDERED: Mapping[str, tuple[FieldOrder, ...]] = {
    "add-in-card": (
        _SUSTAINED,
        FieldOrder("pcie_lanes", "edge", "the edge has contacts for all the lanes"),
    ),
    "allowance": (_SUSTAINED,),
    "case": (FieldOrder("fans", "fans_max", "it takes the fans it comes with"),),
    "cooler": (_SUSTAINED,),
    "cpu": (
        FieldOrder("base_power", "turbo_power", "base power is at most turbo power"),
        FieldOrder("cores", "threads", "every core runs a thread"),
    ),
    "memory": (_SUSTAINED, FieldOrder("module", "total", "a kit is at least one module")),
    "memory-kind": (_SUSTAINED,),
    "motherboard": (_SUSTAINED,),
    "storage": (_SUSTAINED,),
    "storage-interface": (_SUSTAINED,),
    "ups": (
        FieldOrder("power", "apparent_power", "watts are volt-amperes times a factor below one"),
    ),
}
#: Whole numbers that a field may have, and why.
CHOICES: Mapping[tuple[str, str], tuple[tuple[int, ...], str]] = {
    ("gpu", "pcie_lanes"): (CARD_LINKS, "links of cards are x1, x4, x8 or x16"),
    ("add-in-card", "pcie_lanes"): (LINKS, "links are x1, x2, x4, x8 or x16"),
    ("add-in-card", "edge"): (LINKS, "edges are x1, x2, x4, x8 or x16"),
    ("riser", "lanes"): (LINKS, "links are x1, x2, x4, x8 or x16"),
    ("memory", "module"): (MODULES, "modules come in sizes such as 16, 24 or 32 GB"),
}
