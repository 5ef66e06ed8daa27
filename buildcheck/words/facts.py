"""What words hold of a part: `256GB (8x32GB) DDR4-3200 ECC RDIMM`, `1600W Platinum`, `4U`.

The grammar is a list of phrases for each section, each with the fields it gives. A text is gone
through from left to right; what no phrase covers is left over, and is part of a name.
"""

import re
from functools import cache
from typing import Any, NamedTuple

from buildcheck import units
from buildcheck.logic.quantity import read
from buildcheck.model.patterns import pattern
from buildcheck.model.vocabulary import listed, vocabulary
from buildcheck.words.keys import phrase, woven
from buildcheck.words.names import remarks

Fields = dict[str, Any]
#: A number of watts, which patterns have as `{W}`.
_W = r"(\d{1,3},\d{3}|\d{2,3}|\d{4,5}|\d(?:\.\d{1,3})?(?= ?k)) ?(k?w)(?:atts?)?"
#: How codes are written that people write in any case.
_WRITTEN = {w.lower(): w for w in ("W", "kW", "GB", "TB", "SFX", "SFX-L", "ATX")}
_WRITTEN |= {w.lower(): w for w in ("Bronze", "Silver", "Gold", "Platinum", "Titanium")}
#: Between words; a sign in front of a number is a part of it.
_BETWEEN = re.compile(r"(?:[\s,;:/()\[\]+–—→]|-?>|-(?!\d)|(?<=\S)-)+")
_WORD = re.compile(r"[^\s,;()\[\]]+")
#: What belongs to one use of a machine rather than to the machine.
_OF_A_USE = {"kind", "parameters", "precision", "method"}

#: No machine has more modules of memory. And some write `1500 GB` for 1536.
_MOST, _ROUNDED = 64, 0.05
#: The highest speeds of registered modules of DDR3 and DDR4, in MT/s, and of any module of DDR4.
_REGISTERED, _FASTEST = (1866, 3200), 5333
_FEWEST_WATTS, _MOST_WATTS = 200, 3000


class Words(NamedTuple):
    """What a text holds as fields of a build file, and what is left of it."""

    fields: Fields
    rest: str


@cache
def _phrases(section: str) -> tuple[tuple[str, str, Fields], ...]:
    """The phrases of a section: the letters each begins with, its pattern, and what it gives."""
    found = []
    for words, *fields in vocabulary()["phrases"].get(section, ()):
        whole = woven(words.replace("{W}", _W))
        found.append((_head(whole), rf"(?:{whole})(?![^\W_])", fields[0] if fields else {}))
    return tuple(found)


def _head(pattern: str) -> str:
    """The letters that all a pattern matches begins with; empty where it begins in several ways.

    >>> _head("kits?"), _head("dimms?|modules?"), _head("m393a([1248])[gk]4")
    ('kit', '', 'm')
    """
    plain = re.sub(r"\\.|\[[^]]*\]", "", pattern)
    while (less := re.sub(r"\([^()]*\)", "", plain)) != plain:
        plain = less
    found = None if "|" in plain else re.match(r"[a-z]+(?![?*{])", pattern)
    return found[0] if found else ""


#: Signs in front of a phrase among which it can be denied.
_DENIAL = 80


def facts_in(section: str, text: str, count: int = 1) -> Words:
    """The facts that the words of a text hold, of something that is there `count` times.

    >>> facts_in("psus", "1600W Platinum").fields
    {'rated_power': '1600 W', 'efficiency': '80 PLUS Platinum'}
    >>> facts_in("memory", "256GB (8x32GB) DDR4-3200 ECC RDIMM")[0]["kit_modules"]
    8
    >>> facts_in("gpus", "RTX 3090 blower")
    Words(fields={'cooling': 'blower'}, rest='RTX 3090')
    """
    # Of other digits, which `\d` means as well, no quantity is made.
    text = text if text.isascii() else re.sub(r"\d", lambda d: str(int(d[0])), text)
    if section == "memory":
        text = re.sub(phrase("megabytes"), lambda size: f"{int(size[1]) // 1024} GB", text)
        # The size of what it replaces is not its own.
        text = re.sub(phrase("replaced"), lambda said: re.sub(phrase("size"), "", said[0]), text)
    fields: Fields = {}
    rest: list[str] = []
    if section == "workload" and (found := _heaviest(text)):
        return found
    at, denied = 0, "denied_gpus" if section == "gpus" else "denied"
    while at < len(text):
        between = _BETWEEN.match(text, at)
        if between:
            at = between.end()
            continue
        is_denied = re.search(phrase(denied), text[max(0, at - _DENIAL) : at].rstrip())
        at = (not is_denied and _phrase(section, text, at, fields)) or _left_over(text, at, rest)
    return _derived(section, fields, " ".join(rest), count)


def _heaviest(text: str) -> Words | None:
    """What a text of several uses says of the heaviest, and its words on others; None if of one.

    >>> facts_in("workload", "inference and LoRA of 7B").fields
    {'method': 'lora', 'kind': 'training', 'parameters': '7B'}
    """
    pieces = re.split(phrase("uses"), text)[::2]
    reads = [facts_in("workload", piece).fields for piece in pieces] if pieces[1:] else []
    kinds = [fields["kind"] for fields in reads if "kind" in fields]
    if not {*kinds[1:]} - {*kinds[:1]}:
        return None
    kind = heavy = min(kinds, key=listed(vocabulary()["heaviest"]).index)
    kept, others, model = list[str](), list[str](), Fields()
    for piece, fields in zip(pieces, reads, strict=True):
        kind = fields.get("kind", kind)
        if kind == heavy or not fields.keys() & _OF_A_USE:
            kept.append(piece)
        else:
            # `LoRA and inference of 70B` are both of that model.
            shared = _OF_A_USE - {"kind", "method"} if kept else ()
            model |= {n: fields[n] for n in shared if n in fields}
            others += piece.split()
    found, rest = facts_in("workload", ", ".join(kept))
    is_both = "method" in found and "parameters" not in found
    return Words({**(model if is_both else {}), **found}, " ".join((rest, *others)).strip())


def noted_in(section: str, name: str) -> list[str]:
    """The remarks next to the name of a GPU that are about its riser, or its NVLink bridge.

    >>> noted_in("risers", "RTX A6000 (NVLinked, 3-slot bridge), MCIO 8i 50cm off MCIO1-4")
    ['MCIO 8i 50cm off MCIO1-4']
    """
    word = pattern(vocabulary()["noted"][section], re.IGNORECASE).search
    found = [
        p
        for p in remarks(name)
        if not re.search(phrase("of_some"), p)
        if word(p) or (facts_in("gpus", p).rest and not facts_in(section, p).rest)
    ]
    # What is in brackets behind it is about it too.
    behind = (re.search(rf"{re.escape(p)}(?:\s*\([^()]*\))?", name) for p in found)
    return [more[0] for more in behind if more] if any(map(word, found)) else []


def _phrase(section: str, text: str, at: int, fields: Fields) -> int:
    """Take the phrase at a place; 0 if there is none, or it says another thing than before."""
    ranges = vocabulary()["ranges"]
    for head, words, given in _phrases(section):
        begins = text[at : at + len(head)].lower()
        if begins != head and begins.isascii():
            continue
        found = pattern(words, re.IGNORECASE).match(text, at)
        if not found:
            continue
        groups = [g.lower().replace(",", "") for g in found.groups() if g]
        groups = [_WRITTEN.get(g, g.upper() if section == "motherboard" else g) for g in groups]
        new = {n: v.format(*groups) if isinstance(v, str) else v for n, v in given.items()}
        new |= {n: hull(fields[n], new[n]) for n in new.keys() & fields.keys() & {*ranges}}
        if all(n in ranges or fields.get(n, v) == v for n, v in new.items()):
            fields.update(new)
            return found.end()
    return 0


def hull(one: str, other: str) -> str:
    """The range of two stated values.

    >>> hull("450 W", "150 W"), hull("7..13B", "70B"), hull("15 A", "15 A")
    ('150..450 W', '7..70B', '15 A')
    """
    unit = re.sub(r"^[\d.]+", "", other)
    ends = sorted({*re.findall(r"\d+(?:\.\d+)?", f"{one} {other}")}, key=float)
    return "..".join(dict.fromkeys((ends[0], ends[-1]))) + unit


def _left_over(text: str, at: int, rest: list[str]) -> int:
    word = _WORD.match(text, at)
    rest.append(word[0] if word else text[at])
    return word.end() if word else at + 1


def _derived(section: str, fields: Fields, rest: str, count: int) -> Words:
    """The fields, with those put together that several words give."""
    if section == "memory":
        return _memory(fields, rest, count)
    if fields.get("kind") == "usb" and "lanes" in fields:
        # One lane goes through the cable, whatever slot is at its end.
        fields["lanes"] = "1"
    if fields.get("kind") == "dock" and "cards" in fields:
        # Cables of a board that splits a slot lead to no dock of their own.
        fields["kind"] = "cabled"
    if section == "case" and "_open" in fields:
        name = "mining frame" if fields.pop("_open") == "mining" else "open frame"
        return Words({"part": name, **fields}, rest)
    if "method" in fields:
        fields.pop("fine_tunes", None)
    if circuits := fields.get("circuits"):
        fields["circuits"] = str(vocabulary()["line"]["spelt"].get(circuits, circuits))
    if section == "site":
        _split_phases(fields)
    if section == "site" and (watts := fields.pop("_watts", "")):
        if "voltage" not in fields:
            return Words(fields, f"{rest} {watts}".strip())
        power = float(watts.replace(" kW", "e3").replace(" W", ""))
        volts = int(fields["voltage"][:3]) * int(fields.get("circuits", 1))
        fields["continuous_current"] = f"{power / volts:.2f} A"
    return Words(fields, rest)


def _split_phases(fields: Fields) -> None:
    """Make amperes at 400 V, or of three phases, those of three circuits of 230 V."""
    fields |= {"circuits": "3"} if "_three" in fields else {}
    is_split = fields.pop("_phases", fields.pop("_three", ""))
    volts = phrase("of_three_phases" if is_split else "between_phases")
    if "breaker" in fields and volts.match(fields.get("voltage", "230 V" if is_split else "")):
        many = fields.get("circuits", "1")
        fields |= {"voltage": "230 V", "circuits": many if many == "3" else str(3 * int(many))}


def _memory(fields: Fields, rest: str, count: int) -> Words:
    """Memory: its kind, and the size of a module or of the whole."""
    kit, as_, of = fields.pop("_kit", None), fields.pop("_as", ""), fields.pop("_of", "")
    size = read(fields.pop("_size", "0 GB"), units.DATA, binary=True).low
    # A number that tells how many words of eight bytes a module has; a size next to it is of all.
    deep = 8 * int(fields.pop("_depth", 0))
    of, size = max(1, int(size // deep)) if deep and size else of, size or deep
    ddr, form = fields.pop("_ddr", ""), fields.pop("_form", "")
    if of and size and not kit:
        # A number of modules and what they are together.
        kit, fields["module"] = of, f"{size / int(of):g} GB"
    module = float(fields["module"].split()[0]) if kit else 0
    if kit:
        modules = int(kit)
        sizes = (module, module * modules, module * modules * count)
        off = min(abs(size - of) - _ROUNDED * of for of in sizes)
        if modules > _MOST or (size and off > 0) or deep not in (0, module):
            return Words({}, f"{rest} {size:g} GB".strip())
        if modules > 1:
            fields["kit_modules"] = modules
    elif size and as_ != "kit" and (count > 1 or as_ == "module"):
        fields["module"] = f"{size:g} GB"
    elif size:
        fields["total"] = f"{size:g} GB"
    speed = int(fields.get("speed", 0))
    if not ddr and (speed > _FASTEST or (speed and form in ("RDIMM", "LRDIMM"))):
        ddr = f"DDR{3 + sum(speed > most for most in _REGISTERED)}"
    is_kind = bool(ddr and form) and ddr != "DDR3" and (ddr, form) != ("DDR5", "LRDIMM")
    if ddr:
        fields["type"] = f"{ddr} {form}" if is_kind else ddr
    if form and not is_kind:
        plain = {"registered": form == "RDIMM"}
        fields |= {"module_kind": "lrdimm"} if form == "LRDIMM" else plain
    return Words(fields, rest)


def load_in(text: str) -> str:
    """The watts of all the loads in a text together; empty if one of them has none.

    >>> load_in("2 PCs of 400 W, lamp 60 W"), load_in("fridge, 60 W lamp")
    ('860 W', '')
    """
    total, spelt = 0.0, vocabulary()["line"]["spelt"]
    for piece in filter(None, re.split(phrase("listed"), text)):
        found = pattern(_W, re.IGNORECASE).findall(piece)
        many = re.match(phrase("loads"), piece)
        if not found:
            return ""
        watts, unit = found[-1]
        count = int(spelt.get(many[1], many[1]) if many else 1)
        total += count * float(watts.replace(",", "")) * (1000 if unit.lower() == "kw" else 1)
    return f"{total:g} W"


def habitual_watts(name: str) -> str:
    """The rated power that the model of a PSU has in its name; empty if there is none.

    >>> habitual_watts("Corsair SF750"), habitual_watts("Corsair RM850x (2021)")
    ('750 W', '850 W')
    """
    written = re.findall(phrase("watts_in_name"), name)
    found = {watts for watts in written if _FEWEST_WATTS <= int(watts) <= _MOST_WATTS}
    return f"{found.pop()} W" if len(found) == 1 else ""
