"""A document whose data are put elsewhere, with where each of them is written."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from buildcheck.model.build import SECTION_KIND
from buildcheck.model.price import Quote, QuoteLine
from buildcheck.model.source import PART, Unread, moved, value_at
from buildcheck.words.keys import areas_of, field_of, hint_of, place_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from buildcheck.model.source import Document, Path


#: What a build file that is made of a list says above the lines of it that it does not read.
MAY_BE_PARTS, NO_PARTS = "Lines that may name parts", "Lines that name no part"


@dataclass
class Moved:
    """A document, and its data as they are put elsewhere."""

    read: Document
    data: dict[str, Any] = field(default_factory=dict)
    #: From where sections, fields of them, and parts in one text, are to where they belong.
    sections: dict[Path, Path] = field(default_factory=dict)
    fields: dict[Path, Path] = field(default_factory=dict)
    parts: dict[Path, Path] = field(default_factory=dict)
    #: Where values are that are written elsewhere too, or together with others.
    places: dict[Path, Path] = field(default_factory=dict)

    def _rekeyed(self) -> Document:
        moves = (self.sections, self.fields, self.parts)
        if not any((*moves, self.places)):
            return replace(self.read, data=self.data)

        def new(path: Path) -> Path:
            for step in moves:
                path = moved(step, path)
            return path

        values = {**self.read.values, **{new(p): at for p, at in self.read.values.items()}}
        return replace(
            self.read,
            data=self.data,
            values=values | {new: self.read.position(old) for new, old in self.places.items()},
            keys={**self.read.keys, **{new(p): at for p, at in self.read.keys.items()}},
            moves=moves,
        )

    def _imply(self, place: Path, value: Any, at: Path) -> None:
        """Set what is stated at another place, unless the file says it itself."""
        holder = self.data if len(place) == 1 else self.data.setdefault(str(place[0]), {})
        if isinstance(holder, dict) and place[-1] not in holder:
            holder[str(place[-1])] = value
            self.places[place] = self._written(at)

    def _listed(self, section: str) -> list[Any]:
        value = self.data.get(section, [])
        return value if isinstance(value, list) else [value]

    def _set_aside(self, at: Path, key: str, hint: str = "", section: str = "") -> None:
        """Note what no rule looks at: it stops nothing, and is not hidden."""
        line = self.read.position(at, key=True)[0]
        said = str(value_at(self.read.data, at)) if key in at else ""
        self.read.unread.append(Unread(key, line, hint or hint_of(section, key), said))

    def _written(self, path: Path) -> Path:
        """Where a place of the data is in the file."""
        for moves in (self.fields, self.sections):
            path = moved({new: old for old, new in moves.items()}, path)
        return path

    def _named(
        self, section: str, value: Any, known: Collection[str], written: Path, at: Path
    ) -> Any:
        """A mapping with the fields that its keys mean."""
        if not isinstance(value, dict):
            return value
        made: dict[str, Any] = {}
        for key, inner in value.items():
            name = key if key in known else field_of(section, key)
            name = name if name in known and name not in {*value, *made} else key
            made[name] = inner
            if name != key:
                self.fields[*written, key] = (*at, name)
        return made

    def _quote(self, value: Any, at: Path) -> Any:
        """A quote with its fields, and with lines of what it has under words for sections."""
        if not isinstance(value, dict):
            return value
        known: Collection[str] = Quote.model_fields
        of = {k: k if k in known or field_of("quotes", k) in known else place_of(k) for k in value}
        parts = {k: p[0] for k, p in of.items() if p != k and p and p[0] in SECTION_KIND}
        rest = {key: inner for key, inner in value.items() if key not in parts}
        made = self._named("quotes", rest, known, at, at)
        lines = made.get("lines", [])
        lines = lines if isinstance(lines, list) else [lines]
        for key, section in parts.items():
            several = isinstance(value[key], list)
            for index, item in enumerate(value[key] if several else [value[key]]):
                written = (*at, key, index) if several else (*at, key)
                self.fields[written] = (*at, "lines", len(lines))
                line = item if isinstance(item, dict) else {"part": item}
                lines = [*lines, {**line, "for": section}]
        if lines:
            here = (*at, "lines")
            holder = next((old for old, new in self.fields.items() if new == here), here)
            known = {"for" if n == "instead" else n for n in QuoteLine.model_fields}
            made["lines"] = [
                self._named("lines", line, known, (*holder, n), (*here, n))
                for n, line in enumerate(lines)
            ]
        return made


def is_apart(document: Document, path: Path) -> bool:
    """Is a place in a section of which one text or entry holds several parts?"""
    parts = document.moves[-1] if document.moves else {}
    return any(new[:1] == path[:1] for new in parts.values())


def of_list(document: Document) -> Document:
    """A document; one made of the list it is called as has the lines of that as its places."""
    if document.lines[:1] != (f"# From a part list: {document.path}.",):
        return document
    lines: dict[int, int] = {}
    line, opened, about = 1, list[int](), ""
    for number, text in enumerate(document.lines, 1):
        about = text if text in (f"# {MAY_BE_PARTS}:", f"# {NO_PARTS}:") else about
        found = re.match(r"# +line (\d+): (.*)", text) if about else None
        place = PART if MAY_BE_PARTS in about else ()
        if found and (place or areas_of(found[2])):
            document.unread.append(Unread(found[2], int(found[1]), place=place))
        if found := re.match(r" *# +line (\d+)", text):
            line = int(found[1])
            lines |= dict.fromkeys(opened, line)
        lines[number] = line
        # The key of a section is above the comment on its first entry.
        opened = [number] if text.endswith(":") and found is None else []
    values, keys = (
        {p: (lines[at], 1) for p, (at, _) in of.items()} for of in (document.values, document.keys)
    )
    return replace(document, values=values, keys=keys, lines=(), ends={})
