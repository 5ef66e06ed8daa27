"""Processors, boards, cases and coolers of OpenDB."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from buildcheck.open_data.record import FORM_FACTORS, plain, socket, whole
from buildcheck.open_data.supplies import FORMS as PSU_FORMS

if TYPE_CHECKING:
    from buildcheck.open_data.record import Gate, OpenRecord
    from buildcheck.open_data.rows import Facts

CPU_FIELDS = (
    "platform",
    "socket",
    "cores",
    "threads",
    "base_power",
    "turbo_power",
    "integrated_graphics",
    "memory_generations",
)
BOARD_FIELDS = (
    "socket",
    "cpu_sockets",
    "chipset",
    "form_factor",
    "memory_generation",
    "memory_slots",
    "memory_max",
)
CASE_FIELDS = (
    "kind",
    "expansion_slots",
    "card_length_max",
    "cooler_height_max",
    "board_form_factors",
    "boards_at_least",
    "psu_form_factors",
    "psu_length_max",
    "psu_shroud",
    "vertical_slots",
)
COOLER_FIELDS = ("kind", "height", "sockets", "radiator")

#: Not the `4-Core` in the names of others.
_CORE = r"\bCore (?:i\d|Ultra)"
#: Platform by socket and a pattern of core family and name, tried in order.
_PLATFORMS = (
    ("AM5", r"^(?:Raphael|Granite Ridge)\b", "AM5"),
    ("AM5", r"^Phoenix\b.*Ryzen \d (?:PRO )?8[35]\d\d", "AM5 Ryzen 8500G"),
    ("AM5", r"^Phoenix\b.*Ryzen", "AM5 Ryzen 8000G"),
    ("AM4", r"^(?:Summit|Pinnacle) Ridge\b.*Ryzen", "AM4 Ryzen 1000/2000"),
    ("AM4", r"^(?:Matisse|Vermeer)\b.*Ryzen", "AM4 Ryzen 3000/5000"),
    ("AM4", r"^(?:Raven Ridge|Picasso)\b.*Ryzen", "AM4 Ryzen 2000G/3000G"),
    ("AM4", r"^(?:Renoir|Cezanne)\b.*Ryzen", "AM4 Ryzen 4000G/5000G"),
    ("TR4", r"Threadripper", "TR4"),
    ("sTRX4", r"Threadripper", "sTRX4"),
    ("sTR5", r"Threadripper PRO|\d{4}WX", "sTR5 WRX90"),
    ("sTR5", r"Threadripper", "sTR5 TRX50"),
    ("LGA1851", rf"{_CORE}", "LGA1851"),
    ("LGA1700", rf"{_CORE}|Pentium|Celeron", "LGA1700"),
    ("LGA1200", r"Core i\d.?-?11\d{3}", "LGA1200 11th gen"),
    ("LGA1200", r"Core i\d.?-?10\d{3}|Pentium|Celeron", "LGA1200 10th gen"),
    ("LGA1151", rf"^Coffee.*(?:{_CORE}|Pentium|Celeron)", "LGA1151 8th/9th gen"),
    ("LGA1151", rf"^(?:Skylake|Kaby).*(?:{_CORE}|Pentium|Celeron)", "LGA1151 6th/7th gen"),
    ("LGA2011-3", r"Xeon E5.*[vV] ?[34]", "LGA2011-3 Xeon E5"),
    ("LGA2011-3", r"5820K|6800K", "LGA2011-3 28 lanes"),
    ("LGA2011-3", r"5930K|5960X|6850K|6900K|6950X", "LGA2011-3 40 lanes"),
    ("LGA2066", r"7640X|7740X", "LGA2066 16 lanes"),
    ("LGA2066", r"7800X|7820X", "LGA2066 28 lanes"),
    ("LGA2066", r"\b(?:79\d{2}|9[89]\d{2})XE?\b", "LGA2066 44 lanes"),
    ("LGA2066", r"\b109\d{2}XE?\b", "LGA2066 48 lanes"),
    ("LGA2066", r"Xeon W", "LGA2066 Xeon W"),
    # What all lines of a socket share, for those that are none of the above.
    ("AM4", r"", "AM4"),
    ("LGA1151", r"", "LGA1151"),
)
#: Processors without graphics: by socket, by family, and Intel's by the F behind the number.
_NO_GRAPHICS = frozenset(
    ["TR4", "sTRX4", "sTR5", "LGA2011", "LGA2011-3", "LGA2066", "LGA1356", "LGA1366", "AM3+", "G34"]
)
_PLAIN_FAMILIES = re.compile(r"Summit|Pinnacle|Matisse|Vermeer")
_F = re.compile(r"\d{4,5}K?F\b|\d{3}K?F\b")


def cpu(record: OpenRecord, gate: Gate) -> Facts:
    """What is believed of a processor."""
    where, core = socket(record.text("socket")), record.text("coreFamily")
    said = f"{core} {record.name}"
    fits = (p for s, pattern, p in _PLATFORMS if s == where and re.search(pattern, said))
    gate.put("platform", next(fits, None))
    gate.put("socket", where)
    gate.put("cores", whole(record.number("cores", "total")))
    gate.put("threads", whole(record.number("cores", "threads")))
    base, most = (record.number("specifications", key) for key in ("tdp", "ppt"))
    gate.put("base_power", f"{base:g} W" if base else None)
    gate.put_unless(
        "turbo_power", f"{most:g} W" if most else None, {"below its base power": most < base}
    )
    details = record.spec.get("specifications")
    details = details if isinstance(details, dict) else {}
    gate.put("integrated_graphics", _graphics(details, where, said))
    memory = details.get("memory")
    kinds = memory.get("types") if isinstance(memory, dict) else None
    if "platform" not in gate.facts and isinstance(kinds, list):
        generations = sorted({plain(kind) for kind in kinds if re.fullmatch(r"DDR\d", plain(kind))})
        gate.put("memory_generations", generations or None)
    return gate.facts


def _graphics(details: Facts, where: str, said: str) -> bool | None:
    """Has it a display output: a model is named, or its family has none."""
    graphics = details.get("integratedGraphics")
    model = graphics.get("model") if isinstance(graphics, dict) else None
    none = where in _NO_GRAPHICS or _PLAIN_FAMILIES.search(said) or _F.search(said)
    if plain(model):
        return None if none else True
    return False if none else None


#: Fewest GB that the most memory of a board is believed to be: below, it was given in TB.
_LEAST_MOST = 8


def board(record: OpenRecord, gate: Gate) -> Facts:
    """What is believed of a board: its identity; slots and sockets for drives are filler."""
    said = record.text("socket")
    gate.put("socket", socket(said))
    double = re.match(r"(\d) x ", said)
    if socket(said):
        gate.put("cpu_sockets", int(double[1]) if double else 1)
    gate.put(
        "chipset",
        re.sub(r"^(?:Intel|AMD) ", "", record.text("chipset")).replace("CPU Integrated", ""),
    )
    form = record.text("form_factor")
    gate.put_unless(
        "form_factor", FORM_FACTORS.get(form, form), {"no such word": form not in FORM_FACTORS}
    )
    memory = record.spec.get("memory")
    kind = plain(memory.get("ram_type")) if isinstance(memory, dict) else ""
    kind = kind if re.fullmatch(r"DDR\d", kind) else ""
    named = re.search(r"\bDDR\d\b", record.name)
    gate.put_unless(
        "memory_generation", kind, {"contradicts its name": bool(named and named[0] != kind)}
    )
    gate.put("memory_slots", whole(record.number("memory", "slots")))
    most = record.number("memory", "max")
    late = kind in ("DDR4", "DDR5")
    gate.put_unless(
        "memory_max",
        f"{most:g} GB" if most else None,
        {"probably in TB": late and most < _LEAST_MOST},
    )
    return gate.facts


_CARD_LENGTHS, _COOLER_HEIGHTS, _PSU_ROOM = (120, 600), (30, 260), (100, 400)
_SMALL_CASE = re.compile(r"(?:Mini|Micro|HTPC)")


def case(record: OpenRecord, gate: Gate) -> Facts:
    """What is believed of a case."""
    form = record.text("form_factor")
    rack = record.says(r"\brack|\b[1-8]U\b")
    kinds = (
        ("Tower", "tower"),
        ("Desktop", "desktop"),
        ("HTPC", "desktop"),
        ("Bench", "open frame"),
    )
    kind = next((kind for word, kind in kinds if word in form), None)
    gate.put_unless("kind", kind, {"a rack case by its name": rack})
    gate.put("expansion_slots", whole(record.number("expansion_slots")))
    _room(record, gate, "card_length_max", "max_video_card_length", _CARD_LENGTHS)
    _room(record, gate, "cooler_height_max", "max_cpu_cooler_height", _COOLER_HEIGHTS)
    _room(record, gate, "psu_length_max", "max_psu_length", _PSU_ROOM)
    boards = record.listed("supported_motherboard_form_factors")
    words = sorted({FORM_FACTORS[word] for word in boards if word in FORM_FACTORS})
    # The source's lists often end with ATX where the case takes more.
    whole_list = "E-ATX" in words or _SMALL_CASE.match(form)
    gate.put("board_form_factors" if whole_list else "boards_at_least", words or None)
    supplies = record.listed("supported_power_supply_form_factors")
    gate.put("psu_form_factors", sorted({PSU_FORMS[w] for w in supplies if w in PSU_FORMS}) or None)
    gate.put("psu_shroud", True if record.spec.get("power_supply_shroud") is True else None)
    gate.put("vertical_slots", whole(record.number("riser_expansion_slots")))
    return gate.facts


def _room(
    record: OpenRecord, gate: Gate, name: str, field: str, between: tuple[float, float]
) -> None:
    room = record.number(field)
    gate.put_unless(
        name,
        f"{room:g} mm" if room else None,
        {
            "no such length": not between[0] <= room <= between[1],
        },
    )


#: Sockets of one mounting: a list that has one of them without the others has lost some.
_MOUNTINGS = (
    frozenset({"AM2", "AM2+", "AM3", "AM3+", "FM1", "FM2", "FM2+"}),
    frozenset({"AM4", "AM5"}),
    frozenset({"LGA1150", "LGA1151", "LGA1155", "LGA1156", "LGA1200"}),
    frozenset({"LGA1700", "LGA1851"}),
    frozenset({"LGA2011", "LGA2011-3", "LGA2066"}),
)
#: What the source writes as one: the same holes.
_TOGETHER = {"LGA2011": "LGA2011-3", "TR4": "sTRX4", "sTRX4": "TR4"}
_SOCKET = re.compile(r"LGA(?:775|1\d{3}|2011(?:-3)?|2066|3647|4\d{3})|[AF]M\d\+?|TR4|s\w+\d|SP\d")
#: A list with the first of these and LGA1700 has the second, or somebody lost them.
_BEFORE = frozenset({"LGA775", "LGA1366", "LGA2011", "LGA2066"})
_BETWEEN = frozenset({"LGA1151", "LGA1200"})
_NO_SOCKETS = frozenset({"LGA1121", "LGA1954"})
_LARGE = re.compile(r"\b(s?TR[45X]\w*|SP[356]|LGA ?(?:3647|4189|4677|4710))\b")
_COOLER_SIZES = (15, 210)
_FAN = 120, 140
_LONGEST_RADIATOR = 480


def cooler(record: OpenRecord, gate: Gate) -> Facts:
    """What is believed of a CPU cooler."""
    liquid = record.spec.get("water_cooled")
    gate.put("kind", ("liquid" if liquid else "air") if isinstance(liquid, bool) else None)
    height = record.number("height")
    if liquid is False:
        stated = {float(mm) for mm in re.findall(r"\b(\d{2,3}(?:\.\d+)?) ?mm\b", record.name)}
        gate.put_unless(
            "height",
            f"{height:g} mm" if height else None,
            {
                "no such height": not _COOLER_SIZES[0] <= height <= _COOLER_SIZES[1],
                "contradicts its name": len(stated) == 1
                and "Air" in record.name.split()
                and height not in stated,
            },
        )
    _mounts(record, gate)
    radiator = record.number("radiator_size")
    if liquid:
        fits = any(radiator % fan == 0 for fan in _FAN) and radiator <= _LONGEST_RADIATOR
        named = {float(mm) for mm in re.findall(r"\b(120|240|280|360|420)\b", record.name)}
        gate.put_unless(
            "radiator",
            f"{radiator:g} mm" if radiator else None,
            {
                "no such radiator": not fits,
                "contradicts its name": len(named) == 1 and radiator not in named,
            },
        )
    return gate.facts


def _mounts(record: OpenRecord, gate: Gate) -> None:
    """The sockets, of checked lists alone: what is not listed counts as impossible."""
    listed = {socket(word) for word in record.listed("cpu_sockets")}
    listed = {word for word in listed if _SOCKET.fullmatch(word)} - _NO_SOCKETS
    listed |= {_TOGETHER[word] for word in listed if word in _TOGETHER}
    if not listed:
        return
    large = {
        socket(found.replace("LGA", "LGA ").replace("  ", " "))
        for found in _LARGE.findall(record.name)
    }
    gap = "LGA1700" in listed and bool(_BEFORE & listed) and not _BETWEEN & listed
    lost = any(listed & sockets and not sockets <= listed for sockets in _MOUNTINGS)
    gate.put_unless(
        "sockets",
        sorted(listed),
        {
            "a list that nobody checked": not record.checked,
            "contradicts its name": bool(large) and (not large & listed or "AM4" in listed),
            "the list skips the sockets between old and new ones": gap,
            "the list skips a socket of the same mounting": lost,
        },
    )
