"""One part file: strict YAML → a name, its other names, and typed facts with sources."""

import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from pydantic_core import ErrorDetails, ValidationError

from buildcheck.catalog.index import Index
from buildcheck.errors import CatalogError, NameUnknownError, Problem
from buildcheck.model.kinds import KINDS, references
from buildcheck.model.part import CONFIDENCE, Source, Sourced
from buildcheck.model.source import Document, read
from buildcheck.model.vocabulary import said_of

PART_KEYS = ("id", "name", "aliases", "part_numbers", "facts", "sources", "notes")
_NEEDED = ("name", "facts", "sources")
FACT_KEYS = ("value", "source", "confidence", "note")
SOURCE_KEYS = ("title", "confidence", "read")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
#: What makes a day of a day, a month and a year.
_SINCE = ("", "-01", "-01-01")
#: Most known words listed where none is similar.
_SHOWN = 8


class PartFile(NamedTuple):
    """What a part file says: names, the first one to show, part numbers, and facts."""

    names: list[str]
    numbers: list[str]
    facts: dict[str, Sourced]


def read_part(part_id: str, path: Path, *, overlay: bool = False) -> PartFile:
    """A part file, in which an `overlay` over another need not repeat the name.

    Raises `CatalogError` with everything wrong in the file.
    """
    return _PartReader(part_id, path, overlay=overlay).part()


def lost_references(part_id: str, path: Path, index: Index) -> list[Problem]:
    """The names in a part file that no part has, each at its line."""
    try:
        document = read(path.read_bytes(), str(path))
    except OSError:
        return []
    facts, problems = _mapping(_mapping(document.data).get("facts")), []
    for field, kind in references(KINDS[part_id.partition("/")[0]]).items():
        name = _mapping(facts.get(field)).get("value")
        if not isinstance(name, str):
            continue
        try:
            index.find(kind, name)
        except NameUnknownError as error:
            names = sorted(index.name(i) for i in index.ids(kind))
            few = f"Known: {', '.join(names)}" if 0 < len(names) <= _SHOWN else ""
            near = f"{'Which of' if error.ambiguous else 'Did you mean'} {', '.join(error.near)}?"
            code, advice = f"lost-part{'s' * error.ambiguous}", near if error.near else few
            at = ("facts", field, "value")
            problems.append(document.wrong(at, code, field=field, name=name, advice=advice))
    return problems


class _PartReader:
    """One part file, read and checked."""

    def __init__(self, part_id: str, path: Path, *, overlay: bool) -> None:
        self.id = part_id
        self.model = KINDS[part_id.partition("/")[0]]
        self.origin = str(path) if overlay else part_id
        self.needed = _NEEDED[overlay:]
        self.document: Document = read(path.read_bytes(), str(path))
        self.problems: list[Problem] = list(self.document.problems)
        #: Positions of problems with the text itself, about which nothing more is reported.
        self._reported = {(p.line, p.column) for p in self.problems}

    def part(self) -> PartFile:
        data = self.document.data
        if not isinstance(data, dict):
            data = {}
        if data or not self.problems:
            self._check_shape(data)
        names, numbers = self._list(data, "aliases"), self._list(data, "part_numbers")
        if "name" in data:
            names.insert(0, str(data["name"]))
        self.has_sources = isinstance(data.get("sources"), dict)
        sources = self._sources(_mapping(data.get("sources")))
        facts = self._facts(_mapping(data.get("facts")), sources)
        CatalogError.raise_any(self.problems)
        return PartFile(names, numbers, facts)

    def _list(self, data: dict[str, Any], key: str) -> list[str]:
        listed = data.get(key, [])
        if not isinstance(listed, list):
            self._complain((key,), "no-list", key=key)
            return []
        return [str(item) for item in listed]

    def _complain(
        self, path: tuple[str | int, ...], code: str, *, of_key: bool = False, **words: str
    ) -> None:
        problem = self.document.wrong(path, code, **words, of_key=of_key)
        if (problem.line, problem.column) not in self._reported:
            self.problems.append(problem)

    def _check_shape(self, data: dict[str, Any]) -> None:
        if data.get("id") != self.id:
            self._complain(("id",), "id-differs", id=self.id)
        for key in sorted({*data} - {*PART_KEYS}):
            self._complain((key,), "no-part-key", of_key=True, key=key)
        for key in self.needed:
            if key not in data:
                self._complain((key,), "key-missing", key=key)
        if not isinstance(data.get("facts"), dict) or not isinstance(data.get("sources"), dict):
            self._complain((), "no-mappings")

    def _sources(self, data: dict[str, Any]) -> dict[str, Source]:
        found = {}
        for name, entry in data.items():
            where = ("sources", name)
            if not isinstance(entry, dict) or not {*SOURCE_KEYS} <= set(entry):
                self._complain(where, "bare-source")
                # Facts may name it all the same.
                found[name] = Source(name, "", CONFIDENCE[0])
                continue
            self._check_confidence(where, entry)
            if not is_day(day := str(entry["read"])):
                self._complain((*where, "read"), "no-day", text=day[:40])
            as_of = str(entry.get("as_of") or "")
            if as_of and not any(is_day(f"{as_of}{rest}") for rest in _SINCE):
                self._complain((*where, "as_of"), "no-year", text=as_of[:40])
            found[name] = Source(
                str(entry["title"]),
                str(entry.get("url") or entry.get("document") or ""),
                str(entry["confidence"]),
                str(entry["read"]),
                as_of,
            )
        return found

    def _check_confidence(self, where: tuple[str, ...], entry: dict[str, Any]) -> None:
        if entry.get("confidence", CONFIDENCE[0]) not in CONFIDENCE:
            advice, known = _advice(str(entry["confidence"]), CONFIDENCE), ", ".join(CONFIDENCE)
            advice = advice if "mean" in advice else ""
            self._complain((*where, "confidence"), "no-confidence", known=known, advice=advice)

    def _facts(self, data: dict[str, Any], sources: dict[str, Source]) -> dict[str, Sourced]:
        raw = {}
        for name, entry in data.items():
            if not isinstance(entry, dict):
                self._complain(("facts", name), "bare-fact")
                continue
            self._check_fact(name, entry, sources)
            if name not in self.model.model_fields:
                kind, advice = _a(self.id.partition("/")[0]), _advice(name, self.model.model_fields)
                said: dict[str, Any] = {"name": name[:40], "kind": kind, "advice": advice}
                self._complain(("facts", name), "no-field", of_key=True, **said)
            elif entry.get("value") is not None:
                raw[name] = entry["value"]
        values = self._typed(raw)
        if self.problems:
            return {}
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

    def _check_fact(self, name: str, entry: dict[str, Any], sources: dict[str, Source]) -> None:
        where = ("facts", name)
        if "value" not in entry or "source" not in entry:
            self._complain(where, "bare-fact")
        elif self.has_sources and entry["source"] not in (*sources, None):
            source, advice = str(entry["source"]), _advice(str(entry["source"]), sources)
            said: dict[str, Any] = {"name": name, "source": source[:40], "advice": advice}
            self._complain((*where, "source"), "no-source", **said)
        for key in sorted({*entry} - {*FACT_KEYS}):
            said = {"name": name, "key": key[:40], "advice": _advice(key, FACT_KEYS)}
            self._complain((*where, key), "no-fact-key", of_key=True, **said)
        self._check_confidence(where, entry)

    def _typed(self, raw: dict[str, Any]) -> dict[str, Any]:
        try:
            read_values = self.model.model_validate(raw)
        except ValidationError as error:
            for detail in error.errors(include_url=False):
                self._complain_of(detail)
            return {}
        return {name: getattr(read_values, name) for name in raw}

    def _complain_of(self, detail: ErrorDetails) -> None:
        """Problems found by the model, with line, for the author of the file."""
        field, *inner = detail["loc"]
        unknown = detail["type"] == "extra_forbidden"
        text, advice = said_of(detail, "type", name=str(detail["loc"][-1])[:40])
        entry = "".join(f", entry {p + 1}" for p in inner if isinstance(p, int))
        path = ("facts", str(field), "value", *inner)
        said: dict[str, Any] = {"field": str(field), "entry": entry, "text": text, "advice": advice}
        self._complain(path, "wrong-value", of_key=unknown, **said)


def is_day(text: str) -> bool:
    """Is it a day as YYYY-MM-DD?"""
    with suppress(ValueError):
        return bool(_DAY.fullmatch(text) and date.fromisoformat(text))
    return False


def _mapping(data: Any) -> dict[str, Any]:
    return data if isinstance(data, dict) else {}


def _a(kind: str) -> str:
    """A kind of part with its article.

    >>> _a("motherboard"), _a("add-in-card"), _a("ups")
    ('a motherboard', 'an add-in-card', 'a ups')
    """
    return f"{'an' if kind[0] in 'aeio' else 'a'} {kind}"


def _advice(word: str, known: Iterable[str]) -> str:
    """The word that was probably meant, or those there are."""
    import difflib

    words = list(known)
    near = difflib.get_close_matches(word, words, 1, 0.6)
    if near:
        return f"Did you mean '{near[0]}'?"
    shown = ", ".join(words[:_SHOWN])
    return f"Known here: {shown}{' …' * (len(words) > _SHOWN)}" if words else ""
