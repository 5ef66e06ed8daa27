"""What is stated of single GPUs by their numbers: their PSU, slot and riser."""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from buildcheck.load.forms import entry
from buildcheck.load.implied import count_of, read_entry
from buildcheck.words.around import gpus_in, without
from buildcheck.words.entry import MOST, number_in
from buildcheck.words.keys import phrase
from buildcheck.words.names import squashed

#: Where a PSU says what it powers.
_FEEDS = ("gpus", "gpu", "feeds", "powers", "for", "note")


def powered(text: Any, names: dict[int, str]) -> list[int]:
    """The GPUs, of those with these names, that a text about a PSU names or counts.

    >>> powered("board + 2 Max-Q", {1: "RTX 3090", 2: "Max-Q", 3: "Max-Q"}), powered("GPU 3", {})
    ([2, 3], [3])
    """
    found = [gpu for gpu in gpus_in(text) if gpu <= MOST]
    for piece in () if found else re.split(phrase("gpu_piece"), str(text)):
        one = re.fullmatch(phrase("counted_gpus"), piece.strip())
        if not one:
            continue
        is_any = re.fullmatch(phrase("any_gpus"), one[2])
        name = squashed(one[2])
        alike = [g for g, of in names.items() if is_any or (name and name in squashed(of))]
        count = number_in(one[1]) if one[1] else len(alike)
        found += [gpu for gpu in alike if gpu not in found][:count]
    return found


def _add_feeds(psus: list[Any], free: dict[int, str], feeds: dict[int, str]) -> None:
    """Add what PSUs feed, by their numbers, that the PSUs' own entries state."""
    number = 0
    for index, item in enumerate(psus):
        number += (count := count_of(item))
        own = range(number - count + 1, number + 1)
        stated = dict(item) if isinstance(item, dict) else {"part": str(item)}
        for key in [k for k in stated if k in ("part", *_FEEDS)]:
            named = stated[key] if isinstance(stated[key], list) else [stated[key]]
            texts = (f"GPU {one}" if isinstance(one, int) else str(one) for one in named)
            for kept, said in _feeding(", ".join(texts), key, count):
                is_loose = key not in ("part", "note")
                if all(_is_fed(one, free, is_loose=is_loose) for one in said):
                    feeds |= dict(zip(own, said, strict=True))
                    stated[key] = kept
                    break
        left = {key: value for key, value in stated.items() if value != ""}
        if isinstance(item, (dict, str)):
            psus[index] = left if isinstance(item, dict) else left["part"]


def _feeding(text: str, key: str, count: int) -> Iterator[tuple[str, list[str]]]:
    """What texts of PSUs may say that each feeds, and what is left of them without that."""
    found = re.fullmatch(phrase("each_feeding"), text) if key == "part" else None
    if found:
        yield found[1], [found[2]] * count
    behind = re.fullmatch(phrase("feeding"), text)
    behind = behind or (re.fullmatch(phrase("feeding_behind"), text) if key == "part" else None)
    places = [(behind[1], behind[2])] if behind else []
    places += [(without(text, one), one) for one in re.findall(r"\(([^()]+)\)", text)]
    places += [("", text)] if key != "part" else []
    for kept, said in places:
        head, *each = re.split(phrase("psu_each"), said)
        head, each = ("", [said]) if count == 1 else (head, each)
        if len(each) == count and not (head and kept):
            yield head.strip(" ,;") or kept, [one.strip(" ,;.") for one in each]


def _is_fed(text: str, free: dict[int, str], *, is_loose: bool) -> bool:
    """Is a text of what a PSU feeds; if it is no `loose` one, with all of its words?"""
    pieces = (piece.strip() for piece in re.split(phrase("gpu_piece"), text))
    known = [re.fullmatch(phrase("of_board"), p) or powered(p, free) for p in pieces]
    is_some = powered(text, free) or re.search(phrase("runs_board"), text)
    return bool(is_some) and (is_loose or all(known))


def stated_of_gpus(
    found: dict[int, Any],
    psus: list[Any],
    risers: list[Any],
    gpus: list[Any],
    feeds: dict[int, str],
) -> dict[int, dict[str, Any]]:
    """What is stated of single GPUs, by their numbers, with what PSUs and risers state of them.

    The slot of a riser is that of its GPU, where GPUs are alike or as many are listed. `feeds` are
    texts about PSUs, by their numbers.
    """
    is_clear = len({str(gpu) for gpu in gpus}) == 1 or len(gpus) == len(risers)
    # Of more than are checked it is complained elsewhere.
    counted = ((read_entry(g, "gpus").get("part"), min(count_of(g, "gpus"), MOST)) for g in gpus)
    free = dict(enumerate([str(name) for name, count in counted for _ in range(count)], 1))
    _add_feeds(psus, free, feeds)
    for psu, text in feeds.items():
        for gpu in powered(text, free):
            found[gpu] = {**found.get(gpu, {}), "psu": psu}
            free.pop(gpu, None)
    others = [n for n in range(1, 1 + sum(map(count_of, psus))) if n not in feeds]
    texts = (re.split(phrase("gpu_piece"), text) for text in feeds.values())
    if others and any(all(re.fullmatch(phrase("of_board"), p.strip()) for p in t) for t in texts):
        # What powers the board alone leaves the GPUs to the others, as many to each.
        for at, gpu in enumerate(free):
            found[gpu] = {**found.get(gpu, {}), "psu": others[at * len(others) // len(free)]}
    for gpu, item in enumerate(risers, 1):
        if isinstance(item, dict) and item.get("count", 1) == 1 and "slot" in item and is_clear:
            found[gpu] = {"riser": True, "slots": item.pop("slot"), **found.get(gpu, {})}
        fields = {"riser": True, **({"vertical": True} if "vertical" in str(item).lower() else {})}
        named = item.pop("gpus", []) if isinstance(item, dict) else gpus_in(item)
        found |= {gpu: {**found.get(gpu, {}), **fields} for gpu in named}
    return dict(sorted(found.items()))


def divided(item: Any, stated: dict[int, dict[str, Any]]) -> list[Any]:
    """An entry of GPUs by what is stated of each, which is taken out; later GPUs count on."""
    own, count = entry(item, "gpus"), count_of(item, "gpus")
    count = count if 0 < count <= MOST else 1
    each = [stated.pop(number, {}) for number in range(1, 1 + count)]
    later = {number - count: fields for number, fields in stated.items()}
    stated.clear()
    stated.update(later)
    if not any(each) or not isinstance(own, dict):
        return [item]
    slots = own.pop("slots", [])
    for fields, slot in zip(each, slots if isinstance(slots, list) else [slots], strict=False):
        fields["slots"] = slot
    found = []
    for (fields, _), alike in groupby(each, lambda e: ({**e, "slots": 0}, "slots" in e)):
        pinned = [one.get("slots") for one in alike]
        kept = {n: v for n, v in fields.items() if n != "slots"}
        placed = {"slots": pinned} if pinned[0] is not None else {}
        found.append({**kept, **own, **placed, "count": len(pinned)})
    return found
