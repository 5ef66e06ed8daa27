"""Processors, boards, cases and coolers of OpenDB."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from buildcheck.importers.open_data.record import FORM_FACTORS, measured, plain, socket, whole
from buildcheck.importers.open_data.rows import TABLES

if TYPE_CHECKING:
    from buildcheck.importers.open_data.record import Gate, OpenRecord
    from buildcheck.importers.open_data.rows import Facts

#: Platform by socket and a pattern of core family and name, tried in order.
_PLATFORMS = tuple(
    (socket, re.compile(said.replace("{core}", TABLES["core"])), platform)
    for socket, said, platform in TABLES["platforms"]
)
#: Processors without graphics: by socket, by family, and Intel's by the F behind the number.
_NO_GRAPHICS = frozenset(TABLES["no_graphics"])
_PLAIN_FAMILIES = re.compile(r"Summit|Pinnacle|Matisse|Vermeer")
_F = re.compile(r"\d{4,5}K?F\b|\d{3}K?F\b")


def cpu(record: OpenRecord, gate: Gate) -> Facts:
    """What is believed of a processor."""
    where, core = socket(record.text("socket")), record.text("coreFamily")
    said = f"{core} {record.name}"
    fits = (p for s, pattern, p in _PLATFORMS if s == where and pattern.search(said))
    gate.put("platform", next(fits, None))
    gate.put("socket", where)
    gate.put("cores", whole(record.number("cores", "total")))
    gate.put("threads", whole(record.number("cores", "threads")))
    base, most = (record.number("specifications", key) for key in ("tdp", "ppt"))
    gate.put("base_power", measured(base, "W"))
    gate.put_unless("turbo_power", measured(most, "W"), {"below its base power": most < base})
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
    chipset = re.sub(r"^(?:Intel|AMD) ", "", record.text("chipset"))
    gate.put("chipset", chipset.replace("CPU Integrated", ""))
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
    small = {"probably in TB": late and most < _LEAST_MOST}
    gate.put_unless("memory_max", measured(most, "GB"), small)
    return gate.facts


_CARD_LENGTHS, _COOLER_HEIGHTS, _PSU_ROOM = (120, 600), (30, 260), (100, 400)
_SMALL_CASE = re.compile(r"(?:Mini|Micro|HTPC)")


def case(record: OpenRecord, gate: Gate) -> Facts:
    """What is believed of a case."""
    form = record.text("form_factor")
    rack = record.says(r"\brack|\b[1-8]U\b")
    kind = next((kind for word, kind in TABLES["case_kinds"].items() if word in form), None)
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
    forms = TABLES["psu_forms"]
    gate.put("psu_form_factors", sorted({forms[w] for w in supplies if w in forms}) or None)
    gate.put("psu_shroud", True if record.spec.get("power_supply_shroud") is True else None)
    gate.put("vertical_slots", whole(record.number("riser_expansion_slots")))
    return gate.facts


def _room(
    record: OpenRecord, gate: Gate, name: str, field: str, between: tuple[float, float]
) -> None:
    room = record.number(field)
    off = {"no such length": not between[0] <= room <= between[1]}
    gate.put_unless(name, measured(room, "mm"), off)


#: Sockets of one mounting: a list that has one of them without the others has lost some.
_MOUNTINGS = tuple(map(frozenset, TABLES["mountings"]))
#: What the source writes as one: the same holes.
_TOGETHER = TABLES["together"]
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
            measured(height, "mm"),
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
            measured(radiator, "mm"),
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
    large = {socket(re.sub("LGA ?", "LGA ", found)) for found in _LARGE.findall(record.name)}
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
