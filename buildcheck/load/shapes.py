"""Shapes that people give sections of a build file: labels, settings, several parts in one text."""

import re
from functools import partial
from typing import Any

from buildcheck.load.forms import entry
from buildcheck.load.groups import is_section, known_fields, section_of_text
from buildcheck.load.sentences import near_words
from buildcheck.model.build import LISTS, SECTION_KIND, Build
from buildcheck.model.source import Path
from buildcheck.model.vocabulary import listed
from buildcheck.words.around import gpus_in
from buildcheck.words.entry import entry_of, number_in
from buildcheck.words.facts import facts_in
from buildcheck.words.keys import ANY, NONE, field_of, phrase, place_of, said_by, value_hint

#: Keys that say nothing of which part it is.
_SETTINGS = {*listed("count, redundant, price, note, type, speed, ecc, power_limit, efficiency")}
#: The figure in the names of parts that one text may hold several of.
_FIGURES = {"psus": "rated_power", "storage": "capacity"}


def labelled(section: str, value: Any) -> dict[str, Any] | None:
    """The entries of a section by labels such as `psu1:`; None if the keys are those of one."""
    if section not in LISTS or not isinstance(value, dict) or not value:
        return None
    if not all(
        key[:1].isalpha() and isinstance(inner, (str, dict, list)) for key, inner in value.items()
    ):
        return None
    known = {name for of in SECTION_KIND for name in known_fields(of)}
    words = [key for key in value if not key[-1:].isdigit()]
    is_key = any(field_of(section, key) in known for key in value)
    slips = any(near_words(word, known, 1) for word in words)
    found = {key: by_name(section, key, inner) or inner for key, inner in value.items()}
    return None if is_key or slips else found


def of_section(names: list[str]) -> list[str]:
    """The keys above a value, without groups and labels, the first as sections are called."""
    while len(names) > 1 and names[0] not in Build.model_fields and not is_section(names[0]):
        names = names[1:]
    section = str((place_of(names[0]) or names)[0]) if names else ""
    is_label = (
        section in LISTS
        and len(names) > 1
        and field_of(section, names[1]) not in known_fields(section)
    )
    return [section, *names[1 + is_label :]]


def with_its_key(section: str, key: str, value: Any) -> Any:
    """A part with what its key states of it: `nvme: 2TB` is an NVMe drive of 2 TB."""
    # Its own name says nothing of it.
    stated = facts_in(section, key.replace("_", " ")).fields if key != section else {}
    if stated and section in ("add_in_cards", "cpu_cooler", "risers") and isinstance(value, str):
        return {"part": value, **stated}
    if not isinstance(value, str) or "interface" not in stated:
        return value
    fields, rest = facts_in("storage", entry_of(value, "storage").name)
    return value if rest or "interface" in fields else f"{value} {key}"


def compound(key: str) -> Path | None:
    """Where a key of a section's word and a field's belongs: `psu_watts`, `memory type`."""
    words = key.lower().replace("_", " ").split()
    for cut in range(len(words) - 1, 0, -1):
        section = (place_of(" ".join(words[:cut])) or ("",))[0]
        if section in SECTION_KIND:
            name = field_of(section, " ".join(words[cut:]))
            return (section, name) if name in known_fields(section) else None
    return None


def joined(outlet: Any, circuit: Any) -> str:
    """The words for an outlet with those for its circuit; empty if they do not agree."""
    both = f"{outlet}, {circuit}"
    agrees = facts_in("site", both).rest == facts_in("site", str(outlet)).rest
    return both if agrees and not facts_in("site", str(circuit)).rest else ""


def is_card(text: str) -> bool:
    """Is a text about the network a card, and no speed or port of it?"""
    name = entry_of(text, "add_in_cards").name
    is_link = name[:1].isdigit() and not re.search(r"(?i)\b(?:card|nic|adapter)\b", name)
    return not is_link and not value_hint(("network", "between_machines"), name)


def by_name(section: str, key: str, more: Any) -> dict[str, Any] | None:
    """An entry whose key is the name of a part: `Corsair RM850x: first two GPUs`."""
    is_name = " " in key and re.search(phrase("model_number"), key)
    if not is_name or field_of(section, key) in known_fields(section):
        return None
    stated = {"note": more} if isinstance(more, str) else more
    return {"part": key, **stated} if isinstance(stated, dict) else None


def one_name(name: str, others: list[str]) -> str:
    """The name of a part from its model, its name and, with a space behind it, its maker.

    >>> one_name("ASUS TUF", ["RTX 4090"]), one_name("RM1000x", ["Corsair "])
    ('RTX 4090 (ASUS TUF)', 'Corsair RM1000x')
    """
    for other in others:
        first, second = (name, other) if re.search(phrase("model_number"), name) else (other, name)
        if other.strip().lower() in name.lower():
            continue
        if other.endswith(" "):
            name = other + name
        else:
            name = second if first.lower() in second.lower() else f"{first} ({second})"
    return name


def with_settings(section: str, items: list[Any]) -> list[Any]:
    """The entries of a list, of which one that only counts or marks goes with the one above."""
    found: list[Any] = []
    for item in map(_of_slot, items):
        above = found[-1] if found else None
        if isinstance(item, dict) and item.keys() <= _SETTINGS and above and section != "risers":
            base = above if isinstance(above, dict) else {"part": str(above)}
            if not item.keys() & base.keys():
                found[-1] = {**base, **item}
                continue
        found.append(item)
    return found


def _of_slot(item: Any) -> Any:
    """What is in a slot, as an entry: `slot 1: RTX 3090` is `RTX 3090, slot 1`."""
    key, inner = next(iter(item.items())) if isinstance(item, dict) and len(item) == 1 else ("", "")
    is_slot = isinstance(inner, str) and re.fullmatch(r"(?i)(?:pcie ?)?slot ?#?\d{1,2}", str(key))
    return f"{inner}, {key}" if is_slot else item


def pieces(section: str, item: Any) -> list[Any]:
    """The parts that one text or entry of a section holds. Raises `ValueError` if unclear."""
    if section == "gpus" and (variants := _variants(item) or _some_on_risers(item)):
        return variants
    is_one = section == "risers" and isinstance(item, str)
    is_one = is_one and not facts_in(section, entry_of(item, section).name).rest
    if isinstance(item, str) and section in SECTION_KIND and not is_one:
        texts = _joined_again(section, item, _apart("between", item))
        apart = _with_own(section, _apart("comma", item)) if section in _FIGURES else []
        is_part = partial(re.search, phrase("drive_size")) if section == "storage" else _is_psu
        texts = apart if len(texts) == 1 < len(apart) and all(map(is_part, apart)) else texts
        both = _apart("and", item) if section == "gpus" else []
        slashed = _apart("slash", item) if section == "gpus" else []
        if len({*slashed}) > 1 and all(map(_is_gpu, slashed)):
            advice = f"Write '{' + '.join(slashed)}', or one"
            raise ValueError(f"'{item}' could be both or one of them. {advice}")
        both = slashed if len({*slashed}) == 1 < len(slashed) else both
        if len(texts) == 1 and (len({*both}) == 1 or all(map(_is_gpu, both))):
            texts = both or texts
        if len(texts) > 1 and all(texts):
            return [piece for text in texts for piece in pieces(section, text)]
    if section == "psus" and isinstance(item, (str, dict)):
        return _with_spares(item)
    return _of_gpus(item) if section == "risers" and isinstance(item, str) else [item]


def _variants(item: Any) -> list[dict[str, Any]]:
    """The cards of an entry that counts their designs in brackets; empty if it does not.

    >>> [card["part"] for card in _variants("3x RTX 3090 (2 EVGA FTW3, 1 Zotac Trinity)")]
    ['EVGA FTW3 RTX 3090', 'Zotac Trinity RTX 3090']
    """
    stated = entry(item, "gpus") if isinstance(item, (str, dict)) else {}
    found = re.fullmatch(phrase("variants"), str(stated.get("part")))
    parts = [entry_of(one, "gpus") for one in re.split(r", | and | \+ ", found[2] if found else "")]
    if not found or stated.get("count") != sum(part.count or 0 for part in parts):
        return []
    names = ((f"{part.name} {found[1]}", part.count) for part in parts)
    return [{**stated, "part": name, "count": count} for name, count in names]


def _some_on_risers(item: Any) -> list[dict[str, Any]]:
    """The cards of an entry that counts those on risers apart; empty if it does not.

    >>> _some_on_risers("4x RTX 3090, two on risers")[0]
    {'part': 'RTX 3090', 'count': 2, 'riser': 'risers'}
    """
    stated = entry(item, "gpus") if isinstance(item, (str, dict)) else {}
    name, count = str(stated.get("part")), stated.get("count", 1)
    found = re.search(phrase("some_on"), name)
    number = number_in(found[1]) if found else None
    if not (found and number and isinstance(count, int) and number < count):
        return []
    bare = {**stated, "part": name[: found.start()] + name[found.end() :]}
    return [{**bare, "count": number, "riser": found[2]}, {**bare, "count": count - number}]


def _of_gpus(text: str) -> list[Any]:
    """The risers of a text that says which GPUs are on each: `GPU 1 ribbon; GPUs 2-4 USB`."""
    texts = _apart("comma", text)
    numbers = [gpus_in(one) for one in texts]
    if not all(numbers):
        return [text]
    names = [re.sub(phrase("gpu_numbers"), "", one).strip(" :=-") or "riser" for one in texts]
    return [
        {"part": name, "count": len(gpus), "gpus": gpus}
        for name, gpus in zip(names, numbers, strict=True)
    ]


def _is_psu(text: str) -> bool:
    is_rated = "rated_power" in facts_in("psus", entry_of(text, "psus").name).fields
    return bool(re.search(phrase("model_number"), text)) and (
        is_rated or section_of_text(text, ask=True) == "psus"
    )


def _is_gpu(text: str) -> bool:
    """Is a text the name of a GPU, and not a part number or a figure behind one?"""
    others = (re.match(phrase(name), text) for name in ("joining", "maybe"))
    is_name = " " in text and not any(others)
    return is_name and section_of_text(text, ask=True) == "gpus"


def _apart(between: str, text: str) -> list[str]:
    """The pieces of a text; what is in brackets is never taken apart."""
    masked = re.sub(phrase("bracketed"), lambda found: "(" + "_" * (len(found[0]) - 2) + ")", text)
    spans = [found.span() for found in re.finditer(phrase(between), masked)]
    starts, ends = [0, *(end for _, end in spans)], [*(start for start, _ in spans), len(text)]
    return [text[start:end].strip(" ,;") for start, end in zip(starts, ends, strict=True)]


def _with_own(section: str, texts: list[str]) -> list[str]:
    """The texts, each with what is behind it of the same part: `TX-1300, 1300 W Gold, ATX 3.0`."""
    found, of = texts[:1], _FIGURES[section]
    for text in texts[1:]:
        fields, rest = facts_in(section, entry_of(text, section).name)
        above, name = facts_in(section, found[-1])
        figure = fields.get(of, "").partition(" ")[0]
        is_named = name and not fields.keys() - {of, "efficiency"}
        is_same = is_named and re.search(rf"(?<!\d){figure}(?!\d)", found[-1])
        if not re.search(r"[\dA-Z]", rest) and (
            is_same or of not in fields or not (name or of in above)
        ):
            found[-1] += f", {text}"
        else:
            found.append(text)
    return found


def _joined_again(section: str, whole: str, texts: list[str]) -> list[str]:
    """The texts of parts, each with what is behind it that is a part of no kind that is checked."""
    found: list[str] = []
    start = end = 0
    for text in texts:
        at = whole.index(text, end)
        end = at + len(text)
        if found and section != "cables" and _is_remark(section, text):
            found[-1] = whole[start:end]
        else:
            start = at
            found.append(text)
    return found


def _is_remark(section: str, text: str) -> bool:
    """Is a text behind a part's name no part that is checked, or none of its section?"""
    if section not in ("gpus", "psus") or re.match(phrase("maybe"), text):
        return section in ("gpus", "psus") or said_by(text) == NONE
    is_other = said_by(text) not in (ANY, section) or facts_in("cooling", text).fields
    is_named = re.search(phrase("model_number"), text) or section_of_text(text, ask=True) == section
    return bool(is_other) or not is_named


def _with_spares(item: str | dict[str, Any]) -> list[Any]:
    """PSUs `(2+2)`: those that carry the load, and those that are spares."""
    stated = item if isinstance(item, dict) else {"part": item}
    text = str(stated.get("part") or "")
    way, own = phrase("spares"), str(stated.get("redundant"))
    found = re.fullmatch(way, own) or re.search(way, text)
    bare = re.sub(phrase("redundant"), "", re.sub(way, "", text))
    name = " ".join(bare.split()).rstrip(" ,;")
    if not found or not (name or "rated_power" in stated):
        return [item]
    made = entry({**stated, "part": name}, "psus")
    count = made.pop("count", None)
    carry, spare = (found[1].lower(), found[2].lower())
    if count is None and "n" not in (carry, spare):
        count = int(carry) + int(spare)
    spares = 0 if not isinstance(count, int) else count // 2 if spare == "n" else int(spare)
    if not 0 < spares < count or carry not in ("n", str(count - spares)):
        raise ValueError(f"'{found[0]}' does not agree with {count or 1} PSUs")
    kept = {n: v for n, v in made.items() if v and n != "redundant"}
    return [{**kept, "count": count - spares}, {**kept, "count": spares, "redundant": True}]
