"""What entries state of other sections: risers under GPUs, circuits and outlets under PSUs."""

import re
from collections import Counter
from contextlib import suppress
from functools import reduce
from typing import Any

from buildcheck.load.forms import entry
from buildcheck.load.groups import goes_by, known_fields
from buildcheck.load.shapes import pieces
from buildcheck.model.board import is_socket
from buildcheck.model.source import Path
from buildcheck.model.vocabulary import vocabulary
from buildcheck.words.around import gpus_in, of_psus, without, without_bridges, without_psus
from buildcheck.words.entry import number_in
from buildcheck.words.facts import facts_in, hull, load_in, noted_in
from buildcheck.words.keys import field_of, meant_by, phrase, value_hint
from buildcheck.words.names import remarks


def stated_as(section: str, name: str, key: str, value: Any) -> tuple[str, Any]:
    """The field and value that a key of an entry means; a riser is None where that is not said."""
    value = key if name == "note" and value is True else value  # `owned: true`
    if isinstance(value, (int, float)) and (name, type(value)) != ("slots", float):
        is_key = name in known_fields(section) or isinstance(value, bool)
        return (name, value) if is_key else _with_unit(section, key, value)
    if name in (among := vocabulary()["among"]) and isinstance(value, str):
        of, field = among[name]
        value = facts_in(of, value).fields.get(field, value)
    if name in ("plugs", "slot_power_plugs") and isinstance(value, str):
        value = _plugs(value) or value
    if name == "other_load" and isinstance(value, (list, dict)):
        pairs = value.items() if isinstance(value, dict) else (("", load) for load in value)
        value = ", ".join(f"{device} {load}".strip() for device, load in pairs)
    if name == "other_load" and isinstance(value, str) and re.search(r"(?i)[a-z]{3}|, ", value):
        value = load_in(value) or value
    numbered = re.fullmatch(r"(?i)psu ?#?(\d{1,2})", str(value)) if name == "psu" else None
    if other := (name, int(numbered[1])) if numbered else meant_by((section, name), value):
        return other
    if section == "gpus" and name in ("riser", "note") and isinstance(value, str):
        is_open = bool(value_hint((section, "riser"), value))
        # A note that says more is read clause by clause.
        is_open |= name == "note" and ", " in value
        riser = None if is_open else _mounting(value, key)
        return (name, value) if name == "note" and riser is None else ("riser", riser)
    if name == "riser" and isinstance(value, dict):
        return name, {field_of("risers", key): inner for key, inner in value.items()}
    if name in ("cooling", "kind", "feed", "power_limit") and isinstance(value, str):
        fields, rest = facts_in(section, value)
        # A water block of whatever name takes the place of the cooler.
        is_read = not rest or fields.get("cooling") == "water"
        is_one = fields and not fields.keys() - {name, "_watts"}
        return name, reduce(hull, fields.values()) if is_read and is_one else value
    is_one = (section, name) == ("site", "circuits") and isinstance(value, list) and len(value) == 1
    return name, str(value[0]) if is_one else value


def _plugs(text: str) -> dict[str, int]:
    """The plugs or sockets that words count, by connector; empty if one of them is not known.

    >>> _plugs("2x 8-pin + 6-pin"), _plugs("two EPS 8-pin and one 12VHPWR"), _plugs("some")
    ({'pcie-8-pin': 2, 'pcie-6-pin': 1}, {'eps-8-pin': 2, '16-pin': 1}, {})
    """
    found: dict[str, int] = {}
    for piece in re.split(phrase("listed"), text):
        one = re.fullmatch(phrase("counted_plugs"), piece.strip())
        names = vocabulary()["plugs"].items()
        name = next((n for n, p in names if one and re.fullmatch(f"(?i){p}", one[2])), "")
        if not one or not name:
            return {}
        found[name] = found.get(name, 0) + (number_in(one[1]) or 1 if one[1] else 1)
    return found


def with_block(section: str, value: dict[str, Any]) -> dict[str, Any]:
    """An entry whose water block, under a key of its own, cools its GPU, and is how thick it is."""
    names = {field_of(section, key): key for key in value}
    block = value.get(names.get("water_block", ""))
    if section != "gpus" or not block or re.fullmatch(phrase("nothing"), str(block)):
        return value
    fields = facts_in(section, str(block)).fields if "thickness" not in names else {}
    thick = {name: inner for name, inner in fields.items() if name == "thickness"}
    kept = {key: inner for key, inner in value.items() if key != names["water_block"]}
    return {**kept, "cooling": "water", **thick}


#: Forms of what is listed as a GPU and has no card edge.
_NO_CARDS = ("module", "laptop", "computer")


def apart(gpus: list[Any]) -> list[Any]:
    """Entries of GPUs, of those that are not in the case with the field that says so.

    A few modules alone, or next to cards, need adapters in slots. What is no card has its form.
    """
    texts = [str(read_entry(item, "gpus").get("part")) for item in gpus]
    is_server = all(re.search(phrase("module"), text) for text in texts)
    is_server &= sum(count_of(item, "gpus") for item in gpus) >= vocabulary()["least_carried"]
    found = []
    for item, text in zip(gpus, texts, strict=True):
        flag = "module" if is_server else "enclosure"
        made: dict[str, Any] = {flag: True} if re.search(phrase(flag), text) else {}
        form = next((f for f in _NO_CARDS if re.search(phrase(f"{f}_form"), text)), None)
        made = {"form": form} if form and not made else made
        own = item if isinstance(item, dict) else {"part": item}
        found.append({**made, **own} if made else item)
    return found


def with_psus(case: Any, psus: list[Any], gpus: list[Any]) -> tuple[Any, list[Any]]:
    """A case without what its name says of PSUs, and the PSUs: those, if none are listed.

    Those of a whole server, which is what has GPUs as modules, or several PSUs that come with a
    case of its maker, are in parallel on its distribution board.
    """
    own = read_entry(case, "case")
    name, text = without_psus(str(own.get("part")))
    its: list[Any] = []
    with suppress(ValueError):
        its = pieces("psus", text) if text and not psus else []
    psus = psus or its
    modules = (read_entry(gpu, "gpus").get("module") for gpu in gpus)
    is_server = own.get("complete") is True or any(modules)
    # A name of a case and of a board is that of a server.
    is_server |= all(goes_by(section, name) for section in ("case", "motherboard"))
    several = sum(map(count_of, its)) > 1
    if is_server or (several and re.search(phrase("server_case"), name)):
        read = [read_entry(psu, "psus") for psu in psus]
        known = [goes_by("psu", str(r.get("part"))) for r in read]
        psus = [r if k else {"standard": "server", **r} for r, k in zip(read, known, strict=True)]
    return ({**own, "part": name} if text else case), psus


def _with_unit(section: str, key: str, value: float) -> tuple[str, Any]:
    """The field and quantity of a key that ends in a unit: `power_limit_w: 350`."""
    stem, _, unit = key.lower().replace(" ", "_").rpartition("_")
    units = vocabulary()["units_in_keys"]
    is_known = unit in units and field_of(section, stem) in known_fields(section)
    return (field_of(section, stem), f"{value} {units[unit]}") if is_known else (key, value)


def _mounting(text: str, key: str) -> bool | str | None:
    """The riser that a text under a GPU names; None if that is not said."""
    found = re.match(phrase("on_riser"), text)
    if not (re.search(phrase("riser"), text) or "riser" in key.lower()):
        return None
    return text[found.end() :] or True if found and found[0].strip()[-1] in ",:;" else text


def read_entry(item: Any, section: str) -> dict[str, Any]:
    """An entry as a mapping of what it states; empty if it is none."""
    read = entry(item, section)
    return read if isinstance(read, dict) else {}


def count_of(item: Any, section: str = "psus") -> int:
    """How many parts an entry lists."""
    count = read_entry(item, section).get("count", 1)
    return count if isinstance(count, int) else 1


def risers_of(gpus: list[Any]) -> dict[int, dict[str, Any]]:
    """The risers that entries of GPUs name, by entry; of it is left but that they are on some.

    GPUs on risers of one slot share one that splits it.
    """
    found: dict[int, dict[str, Any]] = {}
    reads = [read_entry(item, "gpus") for item in gpus]
    ways = Counter(slot for read in reads for slot in _slots(read))
    seen: set[str] = set()
    for index, whole in enumerate(reads):
        # A length is that of the cable to the board; others are plugs of the PSU's.
        length = facts_in("risers", str(whole.get("cable") or "")).fields.get("length")
        read = {n: v for n, v in whole.items() if n != "cable" or not length}
        noted = noted_in("risers", str(read.get("part")))
        for remark in noted:
            read["part"] = without(read["part"], remark)
        riser, slots = read.get("riser", ", ".join(noted) or (length and True)), _slots(read)
        in_socket = any(map(is_socket, slots))
        if riser in (None, False) and not in_socket:
            continue
        gpus[index] = gpus[index] if riser is True and not length else {**read, "riser": True}
        if slots and seen.issuperset(slots):
            continue
        if isinstance(riser, str):
            # `x8` in front is no count.
            wide = re.match(phrase("wide_riser"), riser)
            riser = {"lanes": int(wide[1]), "part": wide[2]} if wide else {"part": riser}
        made = {"kind": "dock", "lanes": 4} if in_socket else {}
        most = max((ways[slot] for slot in slots), default=1)
        made |= {"cards": most} if most > 1 else {}
        made |= {"length": length} if length else {}
        made |= riser if isinstance(riser, dict) else {}
        found[index] = {**made, "count": len({*slots} - seen) or read.get("count", 1)}
        seen.update(slots)
    return found


def _slots(read: dict[str, Any]) -> list[str]:
    slots = read.get("slots", [])
    return [str(slot) for slot in (slots if isinstance(slots, list) else [slots])]


def bridges_of(gpus: list[Any]) -> list[dict[str, Any]]:
    """The NVLink bridges noted with the names of GPUs, each with the pair it joins."""
    found, number = [], 0
    for index, item in enumerate(gpus):
        count, stated = count_of(item, "gpus"), item if isinstance(item, dict) else {"part": item}
        name, noted = without_bridges(str(stated.get("part")))
        own = str(stated.get("nvlink", ""))
        # Others are generations of NVLink.
        noted = noted or (own if facts_in("nvlink", own).fields or "bridge" in own.lower() else "")
        if noted:
            kept = {key: inner for key, inner in stated.items() if key != "nvlink"}
            gpus[index] = {**kept, "part": name} if item is stated else name
        words = re.sub(r"^(?:with )?\d ?x? ", "", noted)
        firsts = range(number + 1, number + count, 2) if words else ()
        found += [{"part": words, "cards": [first, first + 1]} for first in firsts]
        number += count
    return found


def paired(item: Any) -> list[Any]:
    """The NVLink bridges of a text that names GPUs, each with the pair that it joins."""
    cards = gpus_in(item) if isinstance(item, str) else []
    said = "of_gpus" if cards else "pairs"
    if isinstance(item, str) and not cards:
        cards = [int(gpu) for pair in re.findall(phrase(said), item) for gpu in pair]
    own = entry(re.sub(phrase(said), "", str(item)) or "NVLink bridge", "nvlink")
    pairs = range(0, len(cards) - len(cards) % 2, 2)
    return [{**own, "count": 1, "cards": cards[n : n + 2]} for n in pairs]


def without_remarks(
    section: str, items: list[Any], psus: int, *, sited: bool
) -> tuple[list[Any], dict[int, str], list[tuple[int, Path, Any]]]:
    """Entries without remarks on PSUs; the GPUs of each PSU, and what is set of the machine.

    Such are `2 GPUs on each`, next to a PSU or a GPU, and `second one started by Add2PSU`.
    """
    kept: list[Any] = []
    feeds: dict[int, str] = {}
    implied: list[tuple[int, Path, Any]] = []
    for index, item in enumerate(items):
        text = str(item.get("part") if isinstance(item, dict) else item)
        count = item.get("count") if isinstance(item, dict) else 0
        count = count if isinstance(count, int) else 0
        name, said = of_psus(text, count, sited=sited) if section == "psus" else (text, {})
        implied += [(index, place, value) for place, value in said.items()]
        for remark in remarks(text) if section in ("gpus", "psus") else ():
            each = re.fullmatch(phrase("per_psu"), remark)
            said_of = re.findall(phrase("fed_by"), remark) if section == "psus" else ()
            feeds |= {int(psu): gpus for gpus, psu in said_of}
            feeds |= dict.fromkeys(range(1, psus + 1), f"{each[1]} gpus") if each else {}
            name = without(name, remark) if each or said_of else name
        changed = {**item, "part": name} if isinstance(item, dict) else name
        kept.append(item if name == text else changed)
    return kept, feeds, implied


def names_any(what: str, entries: list[Any]) -> bool:
    """Do texts of entries name a `duct` for GPUs, `risers` of a frame, or the `boxed` cooler?"""
    own = [item.pop(what, False) for item in entries if isinstance(item, dict)]
    texts = (
        f"{item.get('part')} {item.get('note', '')}" if isinstance(item, dict) else item
        for item in entries
    )
    found = ((str(t), re.search(phrase(f"names_{what}"), str(t))) for t in texts)
    return any(own) or any(
        n and not re.search(phrase("to_come"), t[: n.start()].rstrip()) for t, n in found
    )


def numbered_circuits(psus: list[Any]) -> int:
    """How many circuits PSUs name; their names become numbers."""
    own = [psu for psu in psus if isinstance(psu, dict) and isinstance(psu.get("circuit"), str)]
    names = [*dict.fromkeys(psu["circuit"] for psu in own)]
    for psu in own:
        psu["circuit"] = 1 + names.index(psu["circuit"])
    return len(names)
