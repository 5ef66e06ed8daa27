"""What a text says of more than its part: PSUs in a server, circuits, bridges, numbers of GPUs."""

import re
from functools import cache
from typing import Any

from buildcheck.model.patterns import pattern
from buildcheck.model.source import Path
from buildcheck.model.vocabulary import listed, vocabulary
from buildcheck.words.entry import entry_of
from buildcheck.words.facts import facts_in, noted_in
from buildcheck.words.keys import meant_by, phrase
from buildcheck.words.names import remarks

#: Keys of a build file of which a sentence is one by its words alone.
_WORDED = ("workload", "cooling", "firmware")


@cache
def _sentences() -> list[tuple[re.Pattern[str], str, str]]:
    """What a sentence sets of the machine: a pattern, the key of a build file and its value."""
    said = vocabulary("part-lists")["writing"]
    rows = [*said["sentences"], (said["outlet"], "site", "{0}")]
    return [(pattern(text, re.IGNORECASE), key, value) for text, key, value in rows]


def said_in(text: str) -> tuple[list[tuple[str, str]], str]:
    """What a sentence sets of the machine, by the key of a build file, and the rest of it.

    >>> said_in("All cards limited to 250 W."), said_in("Above 4G decoding is on")[0]
    (([('power_limit', '250 W')], ''), [('firmware', 'Above 4G decoding is on')])
    """
    found: list[tuple[str, str]] = []
    bare = re.sub(phrase("limited"), "", text)
    of_each = clauses(bare.strip(" .!")) if bare != text else []
    if of_each[1:]:
        # `5090s limited to 450 W, 3090s to 280 W`
        return [("power_limit", ", ".join(f"{v} on the {which}s" for v, which in of_each))], ""
    for sentence, key, value in _sentences():
        one = sentence.search(text)
        if one and (key not in _WORDED or states(key, one[0])):
            found.append((key, value.format(one[0], *one.groups())))
            text = f"{text[: one.start()]}{text[one.end() :]}".strip(" ,;.")
    if {"voltage", "breaker"} <= facts_in("site", text).fields.keys():
        found, text = [*found, ("site", text)], ""
    return found, text


def states(section: str, text: str) -> bool:
    """Do the words of a text say something of a section: of the workload, its kind or time?"""
    facts = facts_in(section, text).fields.keys()
    return bool(facts & {"kind", "use", "continuous"} if section == "workload" else facts)


def without_psus(text: str) -> tuple[str, str]:
    """The name of a server or case without what it says of its PSUs, and that.

    >>> without_psus("Acme S4 (4x 2700 W PSU, rails incl.)")
    ('Acme S4 (rails incl.)', '4x 2700 W PSU')
    """
    # Of PSUs the watts are said.
    found = re.search(phrase("own_psus"), text) if "w" in text.lower() else None
    left = f"{text[: found.start()]}{text[found.end() :]}" if found else text
    name = re.sub(r"\s*\(\s*\)|(?<=\()[\s,;+]+", "", left).strip(" ,;+")
    # `4x2000W` is four.
    psus = re.sub(r"(?<=\d)[x×*](?=\d)", "x ", found["psus"].strip()) if found else ""
    return (name, psus) if found else (text, "")


def of_psus(text: str, count: int = 0, *, sited: bool = False) -> tuple[str, dict[Path, Any]]:
    """PSUs without the words that set something of the machine, and what they set.

    The circuits that they are on are those of the machine, unless it is `sited` elsewhere.

    >>> of_psus("2x HX1000 + Add2PSU"), of_psus("AX1600i, 2x 8-pin to EPS adapters")[1]
    (('2x HX1000', {('psu_sync',): 'adapter'}), {('gpus', 'adapter'): '2x PCIe 8-pin to EPS'})
    >>> of_psus("2x PX-1600 on a 230V 16A outlet each")[1]
    {('site',): {'circuits': '2', 'voltage': '230 V', 'breaker': '16 A'}}
    """
    said: dict[Path, Any] = {}
    if (found := re.search(phrase("at_circuits"), text)) and not sited:
        text = f"{text[: found.start()]}{text[found.end() :]}".replace("()", "").strip(" ,;")
        is_own = found["each"] or found["own"] or found["behind"]
        number = (count or entry_of(text, "psus").count or 1) if is_own else 1
        circuit = found["circuit"] if any(map(str.isdigit, found["circuit"])) else ""
        circuit = f"{number} circuits {circuit}".strip() if number > 1 or not circuit else circuit
        stated = facts_in("site", circuit)
        said["site",] = {"outlet": circuit} if stated.rest else stated.fields
    name = text = re.sub(phrase("with_sync"), ", ", text)
    for remark in remarks(text):
        adapter = meant_by(("gpus", "adapter"), remark)
        starts = any(word in remark.lower() for word in listed(vocabulary()["sync_adapters"]))
        said |= {("psu_sync",): "adapter"} if starts else {}
        said |= {("gpus", "adapter"): adapter[1]} if adapter else {}
        name = without(name, remark) if starts or adapter else name
    return name, said


def without_carrier(text: str) -> tuple[str, str]:
    """The drives of a text without the card in a slot that they are on, and that.

    >>> without_carrier("4x 990 Pro on ASUS Hyper M.2 card"), without_carrier("Hyper M.2 x16 Gen4")
    (('4x 990 Pro', 'ASUS Hyper M.2 card'), ('', 'Hyper M.2 x16 Gen4'))
    """
    ways = (re.fullmatch(phrase(n), text.strip()) for n in ("drives_on", "card_with", "card_alone"))
    found = next(filter(None, ways), None)
    parts = found.groupdict() if found else {"drives": text}
    return parts.get("drives") or "", parts.get("card") or ""


def without(name: str, remark: str) -> str:
    """A name without one of its remarks.

    >>> without("HX1500i (a, b)", "b"), without("HX1500i (a)", "a")
    ('HX1500i (a)', 'HX1500i')
    """
    left = name.replace(remark, "", 1)
    return re.sub(r"\s*[(\[][\s,;]*[)\]]|(?<=[(\[])[\s,;]+|[\s,;]+(?=[)\],;]|$)", "", left)


def without_bridges(text: str) -> tuple[str, str]:
    """A text that names GPUs without what it says of their NVLink bridges, and that."""
    text = re.sub(phrase("joined"), ", ", text)
    noted = noted_in("nvlink", text)
    for remark in noted:
        text = without(text, remark)
    return text, ", ".join(noted)


def clauses(value: Any) -> list[tuple[Any, str]]:
    """The values in one for several parts, each with which it is for; empty if for all.

    >>> clauses("3090s 275W, 3060 stock"), clauses("180 W on the P40s"), clauses("280 W")
    ([('275W', '3090'), ('stock', '3060')], [('180 W', 'P40')], [('280 W', '')])
    """
    if isinstance(value, dict):
        return [(str(inner), key) for key, inner in value.items()] or [("", "")]
    texts = re.split(r"\s*[,;&]\s+|\s+and\s+", value) if isinstance(value, str) else []
    ways = vocabulary()["of_some"]
    found = [next(filter(None, (re.fullmatch(f"(?i){w}", t) for w in ways)), None) for t in texts]
    some = [(one["value"], one["which"]) for one in found if one]
    return some if some and len(some) == len(found) else [(value, "")]


def numbers_in(text: str) -> list[int]:
    """The numbers in a text, with those between the ends of a range.

    >>> numbers_in("1-3, 7")
    [1, 2, 3, 7]
    """
    return [
        n
        for low, high in re.findall(phrase("range"), text)
        for n in range(int(low), int(high or low) + 1)
    ]


def split_slots(value: Any, gpus: int) -> list[dict[str, Any]]:
    """The slot and riser of each GPU in slots stated to be split; empty if that is not clear.

    >>> [gpu["slots"] for gpu in split_slots("x8x8 on slots 1-2", 3)]
    [1, 1, 2]
    """
    stated = [f"slot {k} {v}" for k, v in value.items()] if isinstance(value, dict) else value
    found: list[list[dict[str, Any]]] = []
    for text in stated if isinstance(stated, list) else str(value).split(";"):
        ways = re.search(phrase("ways"), str(text))
        rest = re.sub(phrase("ways"), "", str(text))
        named = re.search(phrase("slots"), rest)
        slots = re.findall(phrase("slot_label"), rest) or numbers_in(named[1] if named else "")
        parts = len(re.findall(r"\d+", ways[0])) if ways else 0
        riser = {"lanes": int(ways[1])} if ways else {}
        found += [[{"slots": slot, "riser": riser}] * parts for slot in slots if parts]
    for parts_of_one in reversed(found):
        surplus = sum(map(len, found)) - gpus
        del parts_of_one[max(1, len(parts_of_one) - max(0, surplus)) :]
    made = [part for one in found for part in one]
    return made if len(found) < len(made) <= gpus else []


def gpus_in(value: Any) -> list[int]:
    """The numbers of the GPUs that a value names.

    >>> gpus_in(["board", "gpu 1"]), gpus_in("GPUs 3 and 4"), gpus_in("second card"), gpus_in(5)
    ([1], [3, 4], [2], [5])
    """
    if isinstance(value, list):
        return [number for item in value for number in gpus_in(item)]
    words, text = vocabulary()["line"], str(value).lower()
    if text.isdecimal():
        return [int(text)]
    found = [n for run in re.findall(phrase("gpu_numbers"), text) for n in numbers_in(run)]
    found += [n for w, n in words["ordinals"].items() if re.search(rf"\b{w} (?:gpu|card)\b", text)]
    first = re.search(r"\bfirst (\w+) (?:gpu|card)s", text)
    return [*found, *range(1, words["spelt"].get(first[1], 0) + 1 if first else 1)]
