"""The part files by part number: whose number a record must not have."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from buildcheck.catalog.part_file import read_part
from buildcheck.logic.quantity import Interval
from buildcheck.model.kinds import KINDS
from buildcheck.model.vocabulary import vocabulary
from buildcheck.store import files
from buildcheck.words.names import squashed

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from buildcheck.importers.open_data.chips import Chips
    from buildcheck.importers.open_data.rows import Facts

#: Facts of which two parts of one number have the same, by kind.
_IDENTITY = {
    table["kind"]: table["identity"]
    for table in vocabulary("opendb")["categories"].values()
    if "identity" in table
}


@dataclass
class Curated:
    """Facts of part files by kind and part number."""

    chips: Chips
    facts: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)

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
            found = [self.chips.find(chip, None) for chip in (one, two)]
            return None in found or found[0] == found[1]
        if isinstance(one, Interval) and isinstance(two, Interval):
            return one.low <= two.high and two.low <= one.high
        return bool(one == two)


def load(parts: Path, chips: Chips) -> Curated:
    """The part files below a folder of parts. Raises `CatalogError`."""
    found = Curated(chips)
    for kind, identity in _IDENTITY.items():
        for part_id, path in files(parts / kind):
            part = read_part(f"{kind}/{part_id}", path)
            facts = {n: part.facts[n].value for n in identity if n in part.facts}
            for number in part.numbers:
                found.facts[kind, squashed(number)] = facts
    return found
