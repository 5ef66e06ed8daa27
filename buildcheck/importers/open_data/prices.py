"""Prices seen at a shop portal (pc-part-dataset) → prices of parts of the catalogue.

A record has a name, a price and a few facts, and no part number. It is assigned to the part of its
name if all facts that both have agree, and at least one does: a wrong price is worse than none.
Colours of one part are one row, with the lowest price.
"""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal
from functools import partial
from operator import itemgetter
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.catalog import Catalog, NameUnknownError
from buildcheck.importers.open_data import rows
from buildcheck.importers.open_data.names import squeezed
from buildcheck.importers.open_data.rows import TABLES, Counted, Counts, pattern
from buildcheck.words.names import fit, part_numbers, said, squashed, words

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping
    from pathlib import Path

    from buildcheck.model.part import Part

#: The day the prices were seen; a newer copy needs a new one, and makes a file of its own.
AS_OF = "2025-07-23"
CURRENCY = "USD"
_SAID = TABLES["prices"]
#: Version of the form of the file.
FORMAT = 1
#: A price that is this factor above or below the median of similar parts is marked: a reseller's
#: price for old stock, or a slip. At twice the factor it is left out. Half of all prices are within
#: 1.3 times their median and 98 % within 3.7; of cards of one chip, 98 % are within 1.9.
FAR, FAR_CARD = 4, 2.5
#: Fewer prices than this have no median worth the name.
FEWEST = 5
#: Lengths of one card differ by as much from list to list, in mm.
_LENGTH_OFF = 3
#: Memory and drives are rounded by some (480 GB, 3.84 TB), supplies and UPS by a few watts.
_ROUNDED = 0.02

Record = dict[str, Any]
#: What two sides say of a fact that both have, and whether it is the same.
Comparison = tuple[str, bool]


class PriceCategory(NamedTuple):
    """How the records of a category become prices of a kind."""

    kind: str
    name: Callable[[Record], str]
    compared: Callable[[Record, Side], Iterator[Comparison]]
    #: What prices are held against, and by how much of it; None if there is no such thing.
    like: Callable[[Record], tuple[Hashable, float] | None]
    far: float = FAR


class Side(NamedTuple):
    """The part a record is held against."""

    part: Part
    names: tuple[str, ...]

    def text(self, fact: str) -> str | None:
        """A fact that is a word."""
        known = self.part.value(fact)
        return None if known is None else str(known)

    def same(self, fact: str, number: Any, off: float = 0.0) -> bool | None:
        """Does a number lie in what the part has, but for `off`? None if one side is not known."""
        known = self.part.value(fact)
        if known is None or not isinstance(number, (int, float)):
            return None
        return bool(known.low - off <= number <= known.high + off)

    def figures(self, pattern: str) -> set[float]:
        """The figures of a pattern in all names."""
        return {float(f) for n in self.names for f in re.findall(pattern, n, re.IGNORECASE)}


class FoundPrice(NamedTuple):
    """A record that is a part's."""

    part_id: str
    amount: Decimal
    name: str
    doubt: str
    #: How far its name is from that of the part.
    apart: int


def _known(pairs: Mapping[str, bool | None]) -> Iterator[Comparison]:
    yield from ((what, same) for what, same in pairs.items() if same is not None)


# -- graphics cards ------------------------------------------------------------


def _card_name(record: Record) -> str:
    name, chip = record["name"], record.get("chipset") or ""
    named = name if chip in name else f"{name} {chip}"
    memory = record.get("memory")
    return f"{named} {memory:g}GB" if memory and "GB" not in named else named


def _card(record: Record, side: Side) -> Iterator[Comparison]:
    chip = side.text("chip")
    yield from _known(
        {
            "chip": _same_chip(record.get("chipset"), chip or side.part.name),
            "memory": side.same("memory", record.get("memory")),
            "length": side.same("length", record.get("length"), _LENGTH_OFF),
        }
    )


_CHIP_NOISE = re.compile(_SAID["chip_noise"])


def _same_chip(one: Any, part: str) -> bool | None:
    if not isinstance(one, str):
        return None
    mine, other = (_CHIP_NOISE.sub("", text.lower()) for text in (one, part))
    return mine == other


def _same(*keys: str) -> Callable[[Record], tuple[Hashable, float]]:
    return lambda record: (tuple(map(record.get, keys)), 1.0)


# -- processors and boards -----------------------------------------------------


_plain_name = itemgetter("name")


def _processor(record: Record, side: Side) -> Iterator[Comparison]:
    yield from _known({"cores": side.same("cores", record.get("core_count"))})


#: Forms of boards by the words of the source.
_FORMS = _SAID["forms"]


def _board(record: Record, side: Side) -> Iterator[Comparison]:
    form, socket = record.get("form_factor"), record.get("socket")
    known_form, known_socket = side.text("form_factor"), side.text("socket")
    yield from _known(
        {
            "form factor": _FORMS.get(form, form) == known_form if form and known_form else None,
            "socket": _same_socket(socket, known_socket) if socket and known_socket else None,
            "memory slots": side.same("memory_slots", record.get("memory_slots")),
        }
    )


def _same_socket(one: str, other: str) -> bool:
    plain = re.sub(r"^\d x | Narrow$", "", one)
    return other in plain.split("/") or plain == other


# -- supplies ------------------------------------------------------------------


def _supply_name(record: Record) -> str:
    grade = record.get("efficiency")
    graded = f" 80+ {grade}" if grade and grade != "plus" else ""
    return f"{record['name']} {record.get('wattage')}W{graded}"


def _supply(record: Record, side: Side) -> Iterator[Comparison]:
    grade, known = record.get("efficiency"), side.text("efficiency")
    both = grade and known and known.startswith("80 PLUS")
    form, own = record.get("type"), side.text("form_factor")
    yield from _known(
        {
            "wattage": side.same("rated_power", record.get("wattage")),
            "efficiency": _same_grade(grade, known or "") if both else None,
            "form factor": own.startswith(form[:3]) if form and own else None,
        }
    )


def _same_grade(grade: Any, known: str) -> bool:
    plain = known.removeprefix("80 PLUS").strip().lower()
    return plain == ("" if grade == "plus" else grade) or (plain == "white" and grade == "plus")


def _supply_like(record: Record) -> tuple[Hashable, float] | None:
    watts = record.get("wattage")
    return ((str(record.get("efficiency")), str(record.get("type"))), watts) if watts else None


# -- memory --------------------------------------------------------------------


def _memory_name(record: Record) -> str:
    (generation, speed), (count, size) = record["speed"], record["modules"]
    bare = re.sub(r" \d+ GB$", "", record["name"])
    latency = record.get("cas_latency")
    timed = f" CL{latency:g}" if latency else ""
    return f"{bare} DDR{generation}-{speed}{timed} {count * size:g}GB ({count}x{size:g}GB)"


#: The first generation of which every kit's part says whether it corrects errors.
_TOLD = 4


def _memory(record: Record, side: Side) -> Iterator[Comparison]:
    (generation, speed), (count, size) = record["speed"], record["modules"]
    known, latency = side.text("generation"), record.get("cas_latency")
    if generation >= _TOLD and side.text("ecc") != "False" and not part_numbers(record["name"]):
        # Modules of one name are sold registered and not, and only their number tells.
        yield "kind of module", False
    latencies = side.figures(r"\bCL(\d+)")
    yield from _known(
        {
            "generation": known == f"DDR{generation}" if known else None,
            "speed": side.same("speed", speed),
            "module": side.same("module", size),
            "modules of the kit": side.same("kit_modules", count),
            "total": side.same("total", count * size),
            "latency": latency in latencies if latency and latencies else None,
        }
    )


def _memory_like(record: Record) -> tuple[Hashable, float] | None:
    (generation, _), (count, size) = record["speed"], record["modules"]
    return ((generation, size), count * size)


# -- cases and coolers ---------------------------------------------------------


_CASE_FORM = pattern(_SAID["case_form"])


def _case(record: Record, side: Side) -> Iterator[Comparison]:
    form = re.match(r"(?:Micro|Mini )?(?:ATX|ITX)", record.get("type") or "")
    words = squeezed(record.get("type") or "")
    named = {squeezed(m[0]) for n in side.names for m in _CASE_FORM.finditer(n)}
    listed = side.part.value("board_form_factors") or side.part.value("boards_at_least")
    own = _FORMS.get(form[0], form[0]) if form else None
    yield from _known(
        {
            "type": words in named if named and form else None,
            "boards": own in listed if own and listed else None,
        }
    )


def _cooler_name(record: Record) -> str:
    size = record.get("size")
    return f"{record['name']} Water {size}mm" if size else str(record["name"])


def _cooler(record: Record, side: Side) -> Iterator[Comparison]:
    size, kind, radiator = record.get("size"), side.text("kind"), side.text("radiator")
    yield from _known(
        {
            "air or liquid": kind == ("liquid" if size else "air") if kind else None,
            # The same cooler is sold in several sizes: one that is not known is not the same.
            "radiator": radiator == f"{size} mm" if radiator or size else None,
        }
    )


# -- drives --------------------------------------------------------------------

#: GB in a TB, as drives count.
_TERA = 1000


def _drive_name(record: Record) -> str:
    gigabytes = float(record.get("capacity") or 0)
    size = f"{gigabytes / _TERA:g}TB" if gigabytes >= _TERA else f"{gigabytes:g}GB"
    return f"{record['name']} {size}"


def _drive(record: Record, side: Side) -> Iterator[Comparison]:
    interface, known = str(record.get("interface") or ""), side.text("interface")
    capacity = float(record.get("capacity") or 0)
    turns, named = record.get("type"), side.figures(r"\b(\d{4,5}) ?RPM")
    form, forms = str(record.get("form_factor") or ""), side.figures(r"\b([23]\.5)\"")
    mounted, sizes = side.text("form"), side.figures(r"\bM\.2[- ](22\d+)\b")
    size = form.removeprefix("M.2-")
    yield from _known(
        {
            "capacity": side.same("capacity", capacity, capacity * _ROUNDED),
            "interface": _same_interface(record, known) if known and interface else None,
            "turns": turns in named if named and isinstance(turns, int) else None,
            "form": float(form) in forms if forms and form in ("2.5", "3.5") else None,
            "size": float(size) in sizes if sizes and size.isdigit() else None,
            "socket": (mounted == "m.2") == form.startswith("M.2") if mounted and form else None,
        }
    )


def _same_interface(record: Record, known: str) -> bool:
    interface = str(record.get("interface"))
    if record.get("type") != "SSD":
        return known == "SATA HDD" and interface.startswith("SATA")
    generation = re.search(r"PCIe (\d)\.0", interface)
    if generation:
        return known in (f"NVMe Gen{generation[1]}", "NVMe SSD")
    if "SATA" in interface:
        return known == "SATA SSD"
    return known.startswith("U.2") and interface == "U.2"


def _drive_like(record: Record) -> tuple[Hashable, float] | None:
    spins = "SSD" if record.get("type") == "SSD" else "HDD"
    capacity = float(record.get("capacity") or 0)
    if not capacity:
        return None
    return ((spins, record.get("interface"), round(math.log2(capacity))), capacity)


# -- the rest ------------------------------------------------------------------


def _ups(record: Record, side: Side) -> Iterator[Comparison]:
    watts, volts = float(record.get("capacity_w") or 0), float(record.get("capacity_va") or 0)
    yield from _known(
        {
            "watts": side.same("power", watts or None, watts * _ROUNDED),
            "volt-amperes": side.same("apparent_power", volts or None, volts * _ROUNDED),
        }
    )


def _ups_like(record: Record) -> tuple[Hashable, float] | None:
    volts = float(record.get("capacity_va") or 0)
    return (round(math.log2(volts)), volts) if volts else None


def _network(record: Record, side: Side) -> Iterator[Comparison]:
    lanes = re.fullmatch(r"PCIe x(\d+)", str(record.get("interface")))
    if not lanes:
        yield "interface", False
    else:
        yield from _known({"edge": side.same("edge", int(lanes[1]))})


CATEGORIES = {
    "video-card": PriceCategory("gpu", _card_name, _card, _same("chipset", "memory"), FAR_CARD),
    "cpu": PriceCategory("cpu", _plain_name, _processor, lambda _: None),
    "motherboard": PriceCategory("motherboard", _plain_name, _board, lambda _: None),
    "power-supply": PriceCategory("psu", _supply_name, _supply, _supply_like),
    "memory": PriceCategory("memory", _memory_name, _memory, _memory_like),
    "case": PriceCategory(
        "case", lambda r: f"{r['name']} {r.get('type') or ''}".strip(), _case, _same("type")
    ),
    "cpu-cooler": PriceCategory("cooler", _cooler_name, _cooler, _same("size")),
    "internal-hard-drive": PriceCategory("storage", _drive_name, _drive, _drive_like),
    "ups": PriceCategory("ups", _plain_name, _ups, _ups_like),
    "wired-network-card": PriceCategory("add-in-card", _plain_name, _network, lambda _: None),
}


def import_prices(path: Path, into: Path, catalog: Catalog | None = None) -> Counted:
    """Write the prices of a copy of pc-part-dataset into a folder.

    The copy is a file with a record per line: `category`, `name`, `price_usd` and the source's
    own fields. Raises `CatalogError`; then nothing is written.
    """
    catalog = catalog or Catalog()
    counted, priced = Counted(), []
    for number, record in rows.records(path):
        category = CATEGORIES.get(str(record.get("category")))
        price = rows.typed(record, "price_usd", (int, float), path, number)
        if category and price and rows.typed(record, "name", str, path, number):
            priced.append((category, record))
    if not priced:
        raise rows.problem(path, 1, "there is no record with a price in it")
    medians = _medians(priced)
    found: list[FoundPrice] = []
    for category, record in priced:
        counts = counted.of(category.kind)
        counts.read += 1
        match = _match(category, record, catalog, counts)
        if match:
            apart = _apart(category, record, catalog.index.name(match))
            one = _amount(match, category, record, medians, counts, apart)
            found += [one] if one else []
    rows.write(into, {f"us-{AS_OF}.jsonl": _text(found, counted)})
    return counted


def _match(category: PriceCategory, record: Record, catalog: Catalog, counts: Counts) -> str | None:
    """The id of the part a record is of; None, and counted, if there is none beyond doubt."""
    try:
        name = category.name(record)
    except (KeyError, TypeError, ValueError):
        counts.dropped["its fields cannot be read"] += 1
        return None
    near: list[str] = []
    try:
        near = [catalog.find(category.kind, name)]
    except NameUnknownError as error:
        if not error.ambiguous:
            counts.dropped["no part of that name"] += 1
            return None
        called = partial(catalog.index.called, category.kind)
        near = [i for n in error.near for i in ([n] if catalog.has(n) else called(n))]
    verdicts = {i: _verdict(category, record, i, catalog) for i in near}
    agreed = [i for i, verdict in verdicts.items() if not verdict]
    if len(agreed) == 1:
        return agreed[0]
    why = "could be several parts" if len(near) > 1 else next(iter(verdicts.values()))
    counts.dropped[why] += 1
    return None


def _verdict(category: PriceCategory, record: Record, part_id: str, catalog: Catalog) -> str:
    """Why a record is not of a part; empty if it is."""
    part = catalog.part(part_id)
    if part_id.split("/")[1] == "generic" or _is_chip(part):
        return "only its kind of part is known"
    side = Side(part, tuple(n for _, row in catalog.index.rows(part_id) for n in row.names))
    if not _is_called(record, category, side):
        return "its part number is that of a part called otherwise"
    compared = list(category.compared(record, side))
    if not compared:
        return "nothing to confirm it by"
    return next((f"{what} differs" for what, same in compared if not same), "")


#: Words that come and go in the names of one part, and of cards and boards in particular.
_LOOSE, _OF_RESELLERS, _OF_BOARDS = (
    frozenset(_SAID[words]) for words in ("loose", "of_resellers", "of_boards")
)


def _is_called(record: Record, category: PriceCategory, side: Side) -> bool:
    """Is the part's name the record's name, apart from words that shops add?

    Lists sometimes give a part the number of a similar one; words that only the number's part
    has, such as the maker's name, show that.
    """
    name, kind = str(record["name"]), category.kind
    known = {word for own in side.names for word in words(own)}
    run = {squashed(own) for own in side.names}
    tokens = [t for t in re.split(r"[\s/]+", name) if not any(sign.isdigit() for sign in t)]
    plain = {word for token in tokens for word in words(token)} - _LOOSE
    # A card as its chip's maker builds it, in one size, that no other maker changes.
    memory = side.part.value("memory")
    is_design = kind == "gpu" and "chip" not in side.part.facts and memory and memory.is_exact
    plain -= _OF_RESELLERS if is_design else set()
    if any(word not in known and not any(word in own for own in run) for word in plain):
        return False
    asked = said(kind, category.name(record))
    if kind == "motherboard":
        apart = _OF_BOARDS | set(words(side.text("chipset") or ""))
        alike = (own for own in side.names if name.count("+") == own.replace("AM3+", "").count("+"))
        return any(not (asked.words ^ said(kind, own).words) - apart for own in alike)
    if kind in _EXACT and not part_numbers(name):
        return any(fit(asked, said(kind, own), kind) is not None for own in side.names)
    return True


#: Kinds whose names leave nothing out, unless it is by number that they are found.
_EXACT = frozenset({"gpu", "psu"})


def _is_chip(part: Part) -> bool:
    """Is it a chip that several makers sell cards of?"""
    is_sold_so = part.value("segment") in (None, "consumer")
    return part.kind == "gpu" and "chip" not in part.facts and is_sold_so


def _medians(priced: list[tuple[PriceCategory, Record]]) -> dict[Hashable, float]:
    """The middle price of what is alike, per unit of its measure, where there are enough."""
    groups: dict[Hashable, list[float]] = {}
    for category, record in priced:
        like = _like(category, record)
        if like:
            groups.setdefault((category.kind, like[0]), []).append(record["price_usd"] / like[1])
    return {g: median(each) for g, each in groups.items() if len(each) >= FEWEST}


def _like(category: PriceCategory, record: Record) -> tuple[Hashable, float] | None:
    try:
        return category.like(record)
    except (KeyError, TypeError, ValueError):
        return None


def _amount(
    part_id: str,
    category: PriceCategory,
    record: Record,
    medians: Mapping[Hashable, float],
    counts: Counts,
    apart: int,
) -> FoundPrice | None:
    """The price of a record, marked if it is far from its like; None if it is too far."""
    like = _like(category, record)
    middle = medians.get((category.kind, like[0])) if like else None
    times = record["price_usd"] / like[1] / middle if like and middle else 1.0
    far = max(times, 1 / times)
    if far > 2 * category.far:
        counts.gated["price: more than twice as far from its like as marked ones"] += 1
        return None
    doubt = f"{times:.2g} times the median of its like" if far > category.far else ""
    amount = Decimal(str(record["price_usd"])).quantize(Decimal("0.01"))
    return FoundPrice(part_id, amount, category.name(record), doubt, apart)


def _apart(category: PriceCategory, record: Record, own: str) -> int:
    """How far a name is from the part's first one, but for colours; the most if by number."""
    asked, known = (
        said(category.kind, n)._replace(colours=frozenset()) for n in (category.name(record), own)
    )
    apart = fit(asked, known, category.kind)
    return len(asked.words | known.words) if apart is None else apart


def _text(found: list[FoundPrice], counted: Counted) -> str:
    parts: dict[str, list[FoundPrice]] = {}
    for one in found:
        parts.setdefault(one.part_id, []).append(one)
    header = {
        "format": FORMAT,
        "as_of": AS_OF,
        "currency": CURRENCY,
        "source": _SAID["source"],
        "licence": _SAID["licence"],
        "fields": ["id", "amount", "name", "records", "doubt"],
    }
    lines = [json.dumps(header, ensure_ascii=False)]
    for part_id, every in sorted(parts.items()):
        # An edition that shares the part's file has a price only where the part has none.
        nearest = min(one.apart for one in every)
        records = [one for one in every if one.apart == nearest]
        counts = counted.of(part_id.partition("/")[0])
        counts.written += 1
        counts.merged += len(every) - 1
        best = min(records, key=lambda r: (bool(r.doubt), r.amount, r.name))
        if best.doubt:
            counts.gated["price: marked as far from its like"] += 1
        row: list[Any] = [part_id, str(best.amount), best.name, len(records)]
        row += [best.doubt] if best.doubt else []
        lines.append(json.dumps(row, ensure_ascii=False, separators=(",", ":")))
    return "\n".join(lines) + "\n"
