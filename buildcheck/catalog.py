"""The parts catalogue: a name → a `Part`, read from `parts_db/` only when asked for.

All files are read and checked once per change of the folder; after that, names are
looked up in an index and facts are taken from the cache, part by part. Values that a
part does not give itself come from the parts its references name: a card's chip, a
chip's architecture.
"""

from __future__ import annotations

import re
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from buildcheck import store
from buildcheck.errors import CatalogError, Problem
from buildcheck.model.codec import pack_facts, unpack_facts
from buildcheck.model.kinds import KINDS
from buildcheck.model.part import Part, Sourced
from buildcheck.model.values import Ref

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import BaseModel

_WORD = re.compile(r"[^\W\d_]+|\d+(?:\.\d+)?")
#: Words people add to or leave out of a name without meaning another part.
_NOISE = frozenset(
    {
        "nvidia",
        "geforce",
        "amd",
        "intel",
        "graphics",
        "card",
        "edition",
        "w",
        "wifi",
        "gb",
        "g",
        "the",
    }
)
#: How systems and shops write what catalogues call otherwise: makers by their full names, and
#: what stands around the model of a CPU or a board. In this order, on lower case.
_SPELLINGS = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in (
        (r"\((?:r|tm|c|ms-\w+)\)|[®™]", " "),
        (r"asustek computer inc\.?", "asus"),
        (r"gigabyte technology co\., ?ltd\.?", "gigabyte"),
        (r"micro-star international co\., ?ltd\.?", "msi"),
        (r"\bcoolermaster\b", "cooler master"),
        (r"\basrockrack\b", "asrock rack"),
        (r"@ ?[\d.]+ ?ghz", " "),
        (r"\b\d+th gen (?=intel)", ""),
        (r"\b(?:\w+-cores?|processor)\b|\bwith radeon (?:\w+ )?graphics\b", " "),
        (r"(?<=core )\s*cpu\b|(?<=xeon )\s*cpu\b|\bcpu\s*$", " "),
    )
)
#: The tier in front of a Ryzen's number, which people leave out: the number tells models apart.
_TIER = re.compile(r"(?<=ryzen )[3579] (?=\d{4})", re.IGNORECASE)
#: Memory as people add it to a card's name.
_SIZE = re.compile(r"\b(\d+) ?gb\b(?: ?gddr\d+x?\b)?", re.IGNORECASE)
#: Who sells cards of others' chips, and a word that all of them use for all their models.
_SELLER = re.compile(
    r"\b(?:asus|msi|gigabyte|evga|zotac|palit|gainward|pny|inno3d|kfa2|galax|colorful|sapphire"
    r"|power ?color|xfx|asrock|leadtek|manli|maxsun|oc)\b",
    re.IGNORECASE,
)

#: The group of the cache that holds every spelling of the names of a kind.
_SPELLED = "{} by name"
#: Names less alike than this (2 is equal) are not worth proposing.
FAR_OFF = 0.5
#: What it adds that the digits are the same, in whatever order.
TURNED = 0.3


class NameUnknownError(LookupError):
    """No part, or more than one, goes by a name; `near` are the candidates."""

    def __init__(self, name: str, near: list[str], *, ambiguous: bool = False) -> None:
        super().__init__(name)
        self.near = near
        self.ambiguous = ambiguous


def words(name: str) -> tuple[str, ...]:
    """A name as it is compared: lower case, letters and digits apart.

    >>> words("GeForce RTX3090")
    ('geforce', 'rtx', '3090')
    >>> words("Intel(R) Core(TM) i7-6850K CPU @ 3.60GHz")
    ('intel', 'core', 'i', '7', '6850', 'k')
    """
    plain = name.lower()
    for pattern, other in _SPELLINGS:
        plain = pattern.sub(other, plain)
    return tuple(_WORD.findall(plain))


class Catalog:
    """The part files below one folder."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or store.data_folder("parts_db")
        self._parts: dict[str, Part] = {}
        self._reading: set[str] = set()
        self._found: dict[tuple[str, str], str] = {}

    @cached_property
    def _store(self) -> store.Rows:
        return self._opened()

    def _opened(self, *, anew: bool = False) -> store.Rows:
        key = store.signature(self.folder)
        return store.cached_rows("catalog", key, self._compile, anew=anew)

    def _compile(self) -> tuple[dict[str, Any], store.Groups]:
        """By kind: each part's names and facts as plain data, and who goes by which spelling.

        A part file that cannot be read keeps its id as its only name; what is wrong
        with it is said when somebody asks for the part.
        """
        from buildcheck.part_file import read_part  # noqa: PLC0415 - once per change

        groups: store.Groups = {}
        for part_id, path in store.files(self.folder):
            try:
                names, own = read_part(part_id, path)
            except CatalogError:
                names, own = [part_id], None
            packed = None if own is None else pack_facts(own)
            groups.setdefault(part_id.partition("/")[0], {})[part_id] = [names, packed]
        for kind, rows in list(groups.items()):
            groups[_SPELLED.format(kind)] = _lookup({i: names for i, (names, _) in rows.items()})
        return {"digest": store.digest(self.folder)}, groups

    def _row(self, group: str, name: str) -> Any:
        """A row of the cache, which is made again where it is damaged."""
        try:
            return self._store.row(group, name)
        except store.DamagedError:
            self._store = self._opened(anew=True)
            return self._store.row(group, name)

    def _rows(self, group: str) -> dict[str, Any]:
        try:
            return self._store.rows(group)
        except store.DamagedError:
            self._store = self._opened(anew=True)
            return self._store.rows(group)

    @property
    def digest(self) -> str:
        """`sha256:` of all part files."""
        return str(self._store.head["digest"])

    def ids(self, kind: str) -> list[str]:
        """Every part of a kind, by id."""
        return list(self._rows(kind))

    def has(self, part_id: str) -> bool:
        """Is there a part of that id?"""
        return part_id in self._parts or self._row(part_id.partition("/")[0], part_id) is not None

    def find(self, kind: str, name: str) -> str:
        """The id of the part people mean by `name`. Raises `NameUnknownError`."""
        if (kind, name) not in self._found:
            self._found[kind, name] = self._search(kind, name)
        return self._found[kind, name]

    def _search(self, kind: str, name: str) -> str:
        if name.startswith(f"{kind}/") and self.has(name):
            return name
        found = self._called(kind, name) or (self._loosely(name) if kind == "gpu" else [])
        if len(found) == 1:
            return found[0]
        if found:
            candidates = sorted(self._row(kind, i)[0][0] for i in found)
            raise NameUnknownError(name, candidates, ambiguous=True)
        known = {part_id: row[0] for part_id, row in self._rows(kind).items()}
        raise NameUnknownError(name, self._near(name, known))

    def _called(self, kind: str, name: str) -> list[str]:
        """The parts that go by a name, whatever its spelling and the order of its words."""
        spelled = _SPELLED.format(kind)
        return self._row(spelled, _exact(name)) or self._row(spelled, _bare(name)) or []

    def _loosely(self, name: str) -> list[str]:
        """The cards meant by a name with a size of memory, or by a seller and a chip alone.

        The size has to be the card's, and nothing but a chip's name may be left over: a model
        nobody knows is no other model of the chip.
        """
        size, chip = _SIZE.search(name), _SELLER.sub(" ", name)
        found = self._called("gpu", _SIZE.sub(" ", name)) if size else []
        sized = [i for i in found if self._has_memory(i, size)]
        if sized or chip == name:
            return sized
        found = self._called("gpu", chip)
        if not found and size:
            found = self._called("gpu", _SIZE.sub(" ", chip))
            found = [i for i in found if self._has_memory(i, size)]
        return [i for i in found if "chip" not in self.part(i).facts]

    def _has_memory(self, part_id: str, size: re.Match[str] | None) -> bool:
        """Is it sold with so much memory? A range is of two sizes, its ends."""
        memory = self.part(part_id).facts.get("memory")
        if size is None or memory is None:
            return False
        return float(size[1]) in (memory.value.low, memory.value.high)

    @staticmethod
    def _near(name: str, known: dict[str, list[str]]) -> list[str]:
        """The three nearest names.

        A number that differs counts for much, unless its digits only stand in another order.
        """
        import difflib  # noqa: PLC0415 - only for names that are not there

        asked = set(words(name))
        numbers = {w for w in asked if w[0].isdigit()}
        digits = sorted("".join(numbers))
        ranked = []
        for names in known.values():
            score = 0.0
            for other in names:
                has = set(words(other))
                same = len(asked & has) + len(numbers & has)
                turned = digits and digits == sorted("".join(w for w in has if w[0].isdigit()))
                score = max(
                    score,
                    same / (len(asked | has) + len(numbers))
                    + difflib.SequenceMatcher(None, name.lower(), other.lower()).ratio()
                    + (TURNED if turned else 0.0),
                )
            ranked.append((-score, names[0]))
        return [n for s, n in sorted(ranked)[:3] if -s > FAR_OFF]

    def part(self, part_id: str) -> Part:
        """A part with everything its references add. Raises `CatalogError`."""
        if part_id not in self._parts:
            if part_id in self._reading:
                raise CatalogError([self._problem(part_id, "this part refers back to itself")])
            self._reading.add(part_id)
            try:
                self._parts[part_id] = self._read(part_id)
            finally:
                self._reading.discard(part_id)
        return self._parts[part_id]

    def _read(self, part_id: str) -> Part:
        kind = part_id.partition("/")[0]
        names, packed = self._row(kind, part_id) or ([part_id], None)
        if packed is None:
            from buildcheck.part_file import read_part  # noqa: PLC0415 - to say what is wrong

            _, own = read_part(part_id, self.folder / f"{part_id}.yaml")
        else:
            own = unpack_facts(packed, part_id)
        try:
            facts = self.fill(KINDS[kind], own)
        except NameUnknownError as error:
            text = f"there is no part '{error.args[0]}' to refer to"
            raise CatalogError([self._problem(part_id, text)]) from None
        return Part(part_id, names[0], facts)

    def _problem(self, part_id: str, message: str) -> Problem:
        return Problem(f"{self.folder / part_id}.yaml", 1, 1, message)

    def fill(self, model: type[BaseModel], facts: dict[str, Sourced]) -> dict[str, Sourced]:
        """`facts` with what the parts they refer to add. Raises `NameUnknownError`."""
        result = dict(facts)
        for field, of in references(model).items():
            if field in facts:
                other = self.part(self.find(of, result[field].value))
                for name, value in other.facts.items():
                    if name in model.model_fields and name not in result:
                        result[name] = value
        return result


@cache
def references(model: type[BaseModel]) -> dict[str, str]:
    """The fields of a model that name parts, and of what kind those are."""
    found: dict[str, str] = {}
    for name, info in model.model_fields.items():
        marks = [*info.metadata]
        for inner in getattr(info.annotation, "__args__", ()):
            marks += getattr(inner, "__metadata__", ())
        for mark in marks:
            if isinstance(mark, Ref):
                found[name] = mark.kind
    return found


def _exact(name: str) -> str:
    return " ".join(words(name))


def _bare(name: str) -> str:
    """The words that tell parts apart, in any order."""
    return "~" + " ".join(sorted(set(words(name)) - _NOISE))


def _lookup(kind: dict[str, list[str]]) -> dict[str, list[str]]:
    """Every way to write a name → the ids it can mean."""
    found: dict[str, set[str]] = {}
    for part_id, names in kind.items():
        shorter = [_TIER.sub("", name) for name in names]
        for name in (*names, *shorter, part_id.partition("/")[2], part_id.rpartition("/")[2]):
            found.setdefault(_exact(name), set()).add(part_id)
        for name in (*names, *shorter):
            found.setdefault(_bare(name), set()).add(part_id)
    found.pop("~", None)
    return {name: sorted(ids) for name, ids in found.items()}
