"""One part file: strict YAML → a name, its other names, and typed facts with sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.errors import CatalogError, Problem
from buildcheck.model.kinds import KINDS
from buildcheck.model.part import CONFIDENCE, Source, Sourced
from buildcheck.source import Document, read

if TYPE_CHECKING:
    from pathlib import Path

_PART_KEYS = {"id", "name", "aliases", "part_numbers", "facts", "sources", "notes"}
_NEEDED = ("name", "facts", "sources")
_FACT_KEYS = {"value", "source", "confidence", "note"}


class PartFile(NamedTuple):
    """What a part file says: names, the first one to show, part numbers, and facts."""

    names: list[str]
    numbers: list[str]
    facts: dict[str, Sourced]


def read_part(part_id: str, path: Path, *, overlay: bool = False) -> PartFile:
    """A part file, in which an `overlay` over another need not repeat the name.

    Raises `CatalogError` with everything wrong in the file.
    """
    return _Reader(part_id, path, overlay=overlay).part()


class _Reader:
    """One part file, read and checked."""

    def __init__(self, part_id: str, path: Path, *, overlay: bool) -> None:
        self.id = part_id
        self.origin = str(path) if overlay else part_id
        self.needed = _NEEDED[overlay:]
        self.document: Document = read(path.read_bytes(), str(path))
        self.problems: list[Problem] = list(self.document.problems)

    def part(self) -> PartFile:
        data = self.document.data if isinstance(self.document.data, dict) else {}
        if not self.problems:
            self._check_shape(data)
        names = [] if self.problems else self._list(data, "aliases")
        numbers = [] if self.problems else self._list(data, "part_numbers")
        if "name" in data:
            names.insert(0, str(data["name"]))
        sources = {} if self.problems else self._sources(data["sources"])
        facts = {} if self.problems else self._facts(data["facts"], sources)
        if self.problems:
            raise CatalogError(self.problems)
        return PartFile(names, numbers, facts)

    def _list(self, data: dict[str, Any], key: str) -> list[str]:
        listed = data.get(key, [])
        if not isinstance(listed, list):
            self._complain((key,), f"'{key}' needs to be a list")
            return []
        return [str(item) for item in listed]

    def _complain(self, path: tuple[str | int, ...], message: str) -> None:
        self.problems.append(self.document.problem(path, message))

    def _check_shape(self, data: dict[str, Any]) -> None:
        if data.get("id") != self.id:
            self._complain(("id",), f"the id must be '{self.id}', as the path is")
        for key in sorted(set(data) - _PART_KEYS):
            self._complain((key,), f"there is no key '{key}' in a part file")
        for key in self.needed:
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
            elif entry.get("confidence", CONFIDENCE[0]) not in CONFIDENCE:
                self._complain(
                    ("facts", name, "confidence"), f"confidence is one of: {', '.join(CONFIDENCE)}"
                )
            else:
                raw[name] = entry["value"]
        values = {} if self.problems else self._typed(raw)
        return {
            name: Sourced(
                value,
                sources[data[name]["source"]],
                data[name].get("confidence") or sources[data[name]["source"]].confidence,
                self.origin,
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
