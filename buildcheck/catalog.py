"""The parts catalogue: a name → a `Part`, read from `parts_db/` only when asked for.

Names are found through an index of the `name:`, `aliases:` and `part_numbers:` lines
of all files, made once per change of the folder. Values that a part does not give
itself come from the parts its references name: a card's chip, a chip's architecture.
"""

from __future__ import annotations

import difflib
import re
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from buildcheck import store
from buildcheck.errors import CatalogError, Problem
from buildcheck.model.kinds import KINDS
from buildcheck.model.part import CONFIDENCE, Part, Source, Sourced
from buildcheck.model.values import Ref
from buildcheck.source import Document, read

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pydantic import BaseModel

_HEAD = re.compile(r"^(name|aliases|part_numbers):[ \t]*(.+)$", re.MULTILINE)
_ITEM = re.compile(r"\"([^\"]*)\"|'([^']*)'|([^,\[\]]+)")
_WORD = re.compile(r"[^\W\d_]+|\d+(?:\.\d+)?")
#: Words people add to or leave out of a name without meaning another part.
_NOISE = frozenset(
    {"nvidia", "geforce", "amd", "intel", "graphics", "card", "edition", "w", "gb", "g", "the"}
)
_PART_KEYS = {"id", "name", "aliases", "part_numbers", "facts", "sources", "notes"}
_FACT_KEYS = {"value", "source", "confidence", "note"}


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
    """
    return tuple(_WORD.findall(name.lower()))


class Catalog:
    """The part files below one folder."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or store.data_folder("parts_db")
        self._parts: dict[str, Part] = {}
        self._reading: set[str] = set()

    @cached_property
    def _index(self) -> dict[str, Any]:
        made: dict[str, Any] = store.cached(
            "catalog", store.signature(self.folder), self._make_index
        )
        return made

    def _make_index(self) -> dict[str, Any]:
        kinds: dict[str, dict[str, list[str]]] = {}
        for part_id, path in store.files(self.folder):
            names = kinds.setdefault(part_id.partition("/")[0], {})
            names[part_id] = [*_names(path.read_text(encoding="utf-8")[:4000])]
        return {"digest": store.digest(self.folder), "kinds": kinds}

    @property
    def digest(self) -> str:
        """`sha256:` of all part files."""
        return str(self._index["digest"])

    def ids(self, kind: str) -> list[str]:
        """Every part of a kind, by id."""
        return sorted(self._index["kinds"].get(kind, ()))

    def find(self, kind: str, name: str) -> str:
        """The id of the part people mean by `name`. Raises `NameUnknownError`."""
        known: dict[str, list[str]] = self._index["kinds"].get(kind, {})
        if name in known:
            return name
        asked = words(name)
        exact = [
            i
            for i, names in known.items()
            if asked in [words(n) for n in (*names, i.partition("/")[2], i.rpartition("/")[2])]
        ]
        if len(exact) == 1:
            return exact[0]
        loose = exact or [
            i for i, names in known.items() if _bare(asked) in [_bare(words(n)) for n in names]
        ]
        if len(loose) == 1 and _bare(asked):
            return loose[0]
        if loose:
            raise NameUnknownError(name, sorted(known[i][0] for i in loose), ambiguous=True)
        raise NameUnknownError(name, self._near(name, known))

    @staticmethod
    def _near(name: str, known: dict[str, list[str]]) -> list[str]:
        """The three nearest names; a number that differs counts for much."""
        asked = set(words(name))
        numbers = {w for w in asked if w[0].isdigit()}
        ranked = []
        for names in known.values():
            score = 0.0
            for other in names:
                has = set(words(other))
                same = len(asked & has) + len(numbers & has)
                score = max(
                    score,
                    same / (len(asked | has) + len(numbers))
                    + difflib.SequenceMatcher(None, name.lower(), other.lower()).ratio(),
                )
            ranked.append((-score, names[0]))
        return [n for s, n in sorted(ranked)[:3] if s < -0.5]

    def part(self, part_id: str) -> Part:
        """A part with everything its references add. Raises `CatalogError`."""
        if part_id not in self._parts:
            if part_id in self._reading:
                raise CatalogError(
                    [
                        Problem(
                            f"{self.folder / part_id}.yaml", 1, 1, "this part refers back to itself"
                        )
                    ]
                )
            self._reading.add(part_id)
            try:
                self._parts[part_id] = _Reader(self, part_id).part()
            finally:
                self._reading.discard(part_id)
        return self._parts[part_id]

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
    found = {}
    for name, info in model.model_fields.items():
        for inner in (info, *getattr(info.annotation, "__args__", ())):
            for mark in getattr(inner, "metadata", None) or getattr(inner, "__metadata__", ()):
                if isinstance(mark, Ref):
                    found[name] = mark.kind
    return found


def _names(text: str) -> Iterator[str]:
    found = dict(reversed(_HEAD.findall(text)))
    for key in ("name", "aliases", "part_numbers"):
        raw = found.get(key, "").strip()
        if key == "name" and raw and raw[0] not in "\"'":
            yield raw.partition(" #")[0].strip()
        elif raw:
            for a, b, c in _ITEM.findall(raw.strip("[]")):
                if (a or b or c).strip():
                    yield (a or b or c).strip()


def _bare(name: tuple[str, ...]) -> frozenset[str]:
    return frozenset(name) - _NOISE


class _Reader:
    """One part file, read and checked."""

    def __init__(self, catalog: Catalog, part_id: str) -> None:
        self.catalog = catalog
        self.id = part_id
        path = catalog.folder / f"{part_id}.yaml"
        self.document: Document = read(path.read_bytes(), str(path))
        self.problems: list[Problem] = list(self.document.problems)

    def part(self) -> Part:
        data = self.document.data if isinstance(self.document.data, dict) else {}
        if not self.problems:
            self._check_shape(data)
        sources = {} if self.problems else self._sources(data["sources"])
        facts = {} if self.problems else self._facts(data["facts"], sources)
        if not self.problems:
            try:
                facts = self.catalog.fill(KINDS[self.id.partition("/")[0]], facts)
            except NameUnknownError as error:
                self._complain(("facts",), f"there is no part '{error.args[0]}' to refer to")
        if self.problems:
            raise CatalogError(self.problems)
        return Part(self.id, str(data["name"]), facts)

    def _complain(self, path: tuple[str | int, ...], message: str) -> None:
        self.problems.append(self.document.problem(path, message))

    def _check_shape(self, data: dict[str, Any]) -> None:
        if data.get("id") != self.id:
            self._complain(("id",), f"the id must be '{self.id}', as the path is")
        for key in sorted(set(data) - _PART_KEYS):
            self._complain((key,), f"there is no key '{key}' in a part file")
        for key in ("name", "facts", "sources"):
            if key not in data:
                self._complain((key,), f"'{key}' is missing")
        if not isinstance(data.get("facts"), dict) or not isinstance(data.get("sources"), dict):
            self._complain((), "'facts' and 'sources' need to be mappings")

    def _sources(self, data: dict[str, Any]) -> dict[str, Source]:
        found = {}
        for name, entry in data.items():
            where = ("sources", name)
            if not isinstance(entry, dict) or not {"title", "confidence", "read"} <= set(entry):
                self._complain(
                    where, "a source needs a title, a confidence and the day it was read"
                )
                continue
            if entry["confidence"] not in CONFIDENCE:
                self._complain(
                    (*where, "confidence"), f"confidence is one of: {', '.join(CONFIDENCE)}"
                )
            found[name] = Source(
                str(entry["title"]),
                str(entry.get("url") or entry.get("document") or ""),
                entry["confidence"],
                str(entry["read"]),
            )
        return found

    def _facts(self, data: dict[str, Any], sources: dict[str, Source]) -> dict[str, Sourced]:
        raw = {}
        for name, entry in data.items():
            if (
                not isinstance(entry, dict)
                or "value" not in entry
                or entry.get("source") not in sources
                or set(entry) - _FACT_KEYS
            ):
                self._complain(("facts", name), "a fact needs a value and the name of its source")
            else:
                raw[name] = entry["value"]
        values = {} if self.problems else self._typed(raw)
        return {
            name: Sourced(
                value,
                sources[data[name]["source"]],
                data[name].get("confidence") or sources[data[name]["source"]].confidence,
                self.id,
                str(data[name].get("note", "")),
            )
            for name, value in values.items()
        }

    def _typed(self, raw: dict[str, Any]) -> dict[str, Any]:
        from pydantic import ValidationError  # noqa: PLC0415 - loaded with the model anyway

        model = KINDS[self.id.partition("/")[0]]
        try:
            read_values = model.model_validate(raw)
        except ValidationError as error:
            for detail in error.errors(include_url=False):
                self._complain(
                    ("facts", str(detail["loc"][0]), "value"),
                    f"'{detail['loc'][0]}': {detail['msg'].removeprefix('Value error, ')}",
                )
            return {}
        return {name: getattr(read_values, name) for name in raw}
