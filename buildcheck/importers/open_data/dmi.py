"""Boards as their own firmware describes them (linuxhw/DMI) → rows of boards.

What firmware says was measured against boards known otherwise, and is believed only where it
held. A board of a part file has no row. One of OpenDB has a row of its id there, with what that
leaves open. Others have ids of their own; those of whole machines go by the machine's name.
"""

import re
from collections import Counter
from collections.abc import Hashable
from pathlib import Path
from typing import Any

from buildcheck.catalog import Catalog
from buildcheck.importers.open_data import rows
from buildcheck.importers.open_data.recipe import Recipe, fitting
from buildcheck.importers.open_data.twins import joined
from buildcheck.model.source import read
from buildcheck.words.names import said

_SAID = rows.TABLES["dmi"]
_KIND, _LAYER = "motherboard", "dmi"
_RECIPE = Recipe(_SAID, _SAID["tables"])
_MACHINE, _TAIL, _SELDOM = (rows.pattern(_SAID[n]) for n in ("machine", "machine_tail", "seldom"))
#: Boards called alike but for this are of two sizes.
_SMALL = re.compile(r"(?<!mini)-itx\b", re.IGNORECASE)

Record = dict[str, Any]


def import_dmi(path: Path, into: Path, catalog: Catalog | None = None) -> rows.Counted:
    """Write `motherboard.jsonl` into a folder from a list of boards. Raises `CatalogError`.

    The list is YAML with a board per line. What is known of boards elsewhere is in `catalog`.
    """
    counted, known = rows.Counted(rows.Counts), _known(catalog or Catalog())
    counts = counted[_KIND]
    items: list[rows.OpenPart] = []
    found: dict[str, list[rows.Facts]] = {}
    boards = _boards(path)
    machines = Counter(name for _, board in boards for name in _machines(board))
    for line, board in boards:
        try:
            item = counts.taken(_item, board, machines, counts)
        except (LookupError, TypeError, ValueError, AttributeError):
            raise rows.wrong(path, line, "unread-board") from None
        if item is None:
            continue
        others = known.get(_key(item.names[-1], item.maker, item.facts), {})
        if not all(part_id.startswith(f"{_KIND}/opendb/") for part_id in others):
            counts.dropped["a part file has it"] += 1
            continue
        items += [] if others else [item]
        for part_id, has in others.items():
            more = {n: v for n, v in item.facts.items() if n not in has}
            found.setdefault(part_id, []).append(more)
    parts = {f"{_KIND}/{_LAYER}/{item.key}": item for item in _new(items, counts)}
    for part_id, each in found.items():
        same = {n: v for n, v in each[0].items() if all(other.get(n) == v for other in each)}
        if same:
            parts[part_id] = rows.OpenPart(part_id, [], "", [], same)
    counts.written = len(parts)
    rows.write(into, {f"{_KIND}.jsonl": rows.text(_KIND, _SAID, _RECIPE.fields, parts)})
    return counted


def _boards(path: Path) -> list[tuple[int, Record]]:
    """The boards of a list, each with its line."""
    found = []
    for line, text in rows.lines(path):
        if text.startswith("- "):
            board = (read(text.encode(), str(path)).data or [None])[0]
            if not isinstance(board, dict) or not {"maker", "name", "trust"} <= board.keys():
                raise rows.wrong(path, line, "incomplete-board")
            found.append((line, board))
    if not found:
        raise rows.wrong(path, 1, "no-board")
    return found


def _known(catalog: Catalog) -> dict[Hashable, dict[str, frozenset[str]]]:
    """The parts of other sources by what their names say, and what is known of each."""
    found: dict[Hashable, dict[str, frozenset[str]]] = {}
    for layer in catalog.index.layers:
        for part_id, row in layer.parts(_KIND) if layer.name != _LAYER else ():
            facts = row.plain
            for name in (*row.names, *(n for n in row.numbers if " " in n)):
                found.setdefault(_key(name, row.names[0], facts), {})[part_id] = frozenset(facts)
    return found


def _key(name: str, maker: str, facts: rows.Facts) -> Hashable:
    """What a name says of a board whose maker is named so or in a name."""
    what = said(_KIND, name)
    generation = dict(what.measured).get("ddr") or str(facts.get("memory_generation"))[-1]
    makers = what.makers or said(_KIND, maker).makers
    return makers, what.stem, generation, bool(_SMALL.search(name))


def _machines(board: Record) -> list[str]:
    """What the machines are called that a board was seen in, with the maker."""
    maker = board["maker"]
    plain = (_TAIL.sub("", str(name)).strip() for name in board.get("sys") or ())
    return [n if n.startswith(maker) else f"{maker} {n}" for n in plain if _MACHINE.fullmatch(n)]


def _item(board: Record, machines: Counter[str], counts: rows.Counts) -> rows.OpenPart:
    """The part of a board, called as itself last. Raises `DroppedError`."""
    maker, name = board["maker"], board["name"]
    if maker in _SAID["nameless"]:
        raise rows.DroppedError("no maker is known")
    asked: Record = {"board": board, "made": _slots}
    # Two slots that are longer than one contact have the same label.
    asked["repeated"] = lambda slots: (
        max(Counter(s["l"] for s in slots if s.get("m") != 1).values(), default=0) > 1
    )
    asked["narrow"] = lambda slots: any(s.get("e", 0) > s.get("m", 0) for s in slots)
    # The slots for cards among what firmware lists.
    asked["expansion"] = lambda slots, other: [
        s for s in slots if "PCI Express" in s["t"] and not other.search(s["l"])
    ]
    facts = _RECIPE.facts(asked, counts.gated)
    if not facts.keys() & {"socket", "slots"}:
        raise rows.DroppedError("nothing is believed of it")
    whole = maker in _SAID["machines"]
    names = [n for n in _machines(board) if whole or machines[n] == 1]
    own = name if name.lower().startswith(maker.lower()) else f"{maker} {name}"
    return rows.OpenPart("", [*names, own], maker, [name] if whole else [], facts)


def _slots(slots: list[Record], wider: re.Pattern[str], owners: dict[str, str]) -> list[rows.Facts]:
    """Slots as part files write them; what links are as wide as was seen, or less."""
    seen: Counter[str] = Counter()
    found = []
    for slot in slots:
        label = slot["l"]
        wide = max([slot.get("e", 0), *map(int, wider.findall(label))])
        seen[label] += 1
        made: rows.Facts = {"label": label if seen[label] == 1 else f"{label} ({seen[label]})"}
        made["mechanical"] = slot.get("m")
        made["lanes"] = f"1..{wide}" if wide > 1 else wide
        made["gen"] = slot.get("g")
        made["owner"] = fitting(owners, label)
        found.append({name: value for name, value in made.items() if value})
    return found


def _new(items: list[rows.OpenPart], counts: rows.Counts) -> list[rows.OpenPart]:
    """The boards that nothing else knows, each once, with names that no other has."""
    items = joined(items, _SAID, counts)
    rows.add_short_names(items, _SELDOM)
    for item in items:
        item.key = rows.key_of(item.names[0].replace("+", " plus"))
    return items
