"""Numbers of GPUs, slots and PSUs in words: `GPUs 1-3`, `second card`, `x8x8 on slots 1, 3`."""

from __future__ import annotations

import re
from typing import Any

from buildcheck.model.vocabulary import vocabulary
from buildcheck.words.keys import phrase


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
