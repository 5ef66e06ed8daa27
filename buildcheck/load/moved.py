"""A document whose data are put elsewhere, with where each of them is written."""

import re
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any

from buildcheck.load.forms import entry
from buildcheck.load.groups import known_fields
from buildcheck.load.implied import bridges_of, count_of, risers_of, stated_as
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.price import Quote, QuoteLine
from buildcheck.model.source import PART, Document, Path, Unread, moved, value_at
from buildcheck.words.around import clauses, gpus_in, numbers_in, split_slots, without_carrier
from buildcheck.words.entry import MOST
from buildcheck.words.keys import field_of, hint_of, phrase, place_of, value_hint
from buildcheck.words.names import squashed

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

    def _set_aside(
        self, at: Path, key: str, hint: str = "", section: str = "", of: Path = ()
    ) -> None:
        """Note what no rule looks at, and the field it may be of: it stops nothing and is shown."""
        line = self.read.position(at, key=True)[0]
        said = str(value_at(self.read.data, at)) if key in at else ""
        self.read.unread.append(Unread(key, line, hint or hint_of(section, key), said, of))

    def _refuse(self, at: Path, code: str, *, of_key: bool = True, **words: Any) -> None:
        """Note what cannot be used."""
        self.read.problems.append(self.read.wrong(at, code, **words, of_key=of_key))

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


@dataclass
class Related(Moved):
    """A document in which one entry says something of others: of GPUs, PSUs, slots, circuits."""

    #: What is set for every entry of a section, and where it is written.
    settings: dict[Path, tuple[Any, Path]] = field(default_factory=dict)
    #: What is set for single GPUs, by their numbers.
    each: dict[int, dict[str, Any]] = field(default_factory=dict)
    #: What is stated of the GPUs that each PSU powers.
    feeds: dict[int, str] = field(default_factory=dict)
    #: May risers share slots in unclear ways?
    is_split: bool = False

    def _bifurcate(self) -> None:
        """Put GPUs into the parts of slots that are stated to be split: `x8x8 on slots 1, 3`."""
        value, at = self.settings.pop(("gpus", "bifurcation"), ("", ()))
        gpus = self._listed("gpus")
        is_own = any(isinstance(gpu, dict) and "slot" in "".join(gpu) for gpu in gpus)
        count = 0 if is_own else sum(count_of(gpu, "gpus") for gpu in gpus)
        of_each = split_slots(value, count)
        if value and not of_each:
            self._set_aside(at, str(at[-1]), hint_of("", "bifurcation"))
            self.is_split = True
        for number, part in enumerate(of_each, 1):
            self.each[number] = {**part, **self.each.get(number, {})}

    def _spread(self) -> None:
        """Put PSUs on the circuits of a site that list them: `{outlet: ..., psus: [1]}`."""
        site, psus = self.data.get("site"), self._listed("psus")
        circuits: Any = site.get("circuits") if isinstance(site, dict) else None
        named = re.findall(phrase("circuit_psus"), str(circuits))
        circuits = [{"psus": numbers_in(of)} for _, of in named] or circuits
        if not isinstance(circuits, list) or not all(isinstance(c, dict) for c in circuits):
            return
        circuits = [
            dict(stated_as("site", field_of("site", k), k, v) for k, v in circuit.items())
            for circuit in circuits
        ]
        if any("psus" in circuit for circuit in circuits):
            each = [(n, psu) for n, psu in enumerate(psus) for _ in range(min(count_of(psu), MOST))]
            self.places |= {("psus", k): self._written(("psus", n[0])) for k, n in enumerate(each)}
            self.data["psus"] = psus = [{**entry(p, "psus"), "count": 1} for _, p in each]
        for number, circuit in enumerate(circuits, 1):
            for name in circuit.keys() - {*known_fields("site"), "psus"}:
                if (said := f"{name}: {circuit.pop(name)}") != "phases: 1" and name != "name":
                    self._set_aside(("site",), said, hint_of("site", name))
            for psu in gpus_in(circuit.pop("psus", [])):
                own = entry(psus[psu - 1], "psus") if 0 < psu <= len(psus) else None
                if isinstance(own, dict):
                    psus[psu - 1] = {**own, "circuit": number}
        alike = circuits[0] if all(c == circuits[0] for c in circuits) else {}
        self.data["site"] = {**alike, **(site or {}), "circuits": len(circuits)}
        if not alike and any(circuits):
            differ = "; ".join(", ".join(map(str, c.values())) for c in circuits)
            self._set_aside(("site",), differ, hint_of("circuits", ""))

    def _add_noted(self) -> list[Any]:
        """Add the risers and bridges noted with GPUs, whose entries are returned."""
        gpus = self.data.get("gpus")
        entries = gpus if isinstance(gpus, list) else [gpus]
        bridges, risers = bridges_of(entries), risers_of(entries)
        if "gpus" in self.data and not isinstance(gpus, list):
            self.data["gpus"] = entries[0]
        if bridges:
            self._imply(("nvlink",), bridges, ("gpus",))
        if risers and "risers" not in self.data:
            self.data["risers"] = [*risers.values()]
            for number, index in enumerate(risers):
                here: Path = ("gpus", index) if isinstance(gpus, list) else ("gpus",)
                here = self.places.get(here) or self._written((*here, "riser"))
                self.places["risers", number] = here
        return entries

    def _off_carriers(self, drives: list[Any], old: Path) -> list[Any]:
        """Drives without the cards in slots that they are said to be on, which are listed."""
        found = [without_carrier(one) if isinstance(one, str) else (one, "") for one in drives]
        for card in [card for _, card in found if card]:
            cards = self._listed("add_in_cards")
            self.data["add_in_cards"] = [*cards, card]
            self.places["add_in_cards", len(cards)] = self._written(old)
        return [drive for drive, card in found if drive or not card]

    def _is_none(self, section: str, piece: Any, old: Path) -> bool:
        """Is a piece of a section no part of it? Note it then."""
        hint = value_hint((section, "piece"), piece)
        if hint:
            self._set_aside(self._written(old), piece, hint)
        return bool(hint)

    def _note_lost(self, given: dict[int, dict[str, Any]], lost: Collection[int]) -> None:
        """Note what is stated of GPUs that there are not, and of PSUs whose GPUs are not clear."""
        boards = [n for n, text in self.feeds.items() if re.search(phrase("runs_board"), text)]
        board = entry(self.data.get("motherboard"), "motherboard")
        if isinstance(board, dict) and len(boards) == 1:
            self.data["motherboard"] = {"psu": boards[0], **board}
        fed = {fields.get("psu") for fields in given.values()}
        for psu, text in self.feeds.items():
            if psu not in fed and not re.search(phrase("of_board"), text):
                self._set_aside(("gpus",), f"PSU {psu}: {text}", hint_of("psus", "feeds"))
        for gpu in lost:
            self._set_aside(("gpus",), f"GPU {gpu}", "the build has fewer GPUs")

    def _set(self) -> None:
        """Give every entry of a section what is set for all or some of them, below its own."""
        for (section, name), (value, at) in self.settings.items():
            items = self.data.get(str(section))
            if items is None:
                self.data[str(section)] = {name: value}
                self.places[section, name] = at
                continue
            lost, made = clauses(value), []
            for index, item in enumerate(self._listed(str(section))):
                own = entry(item, str(section))
                called = squashed(str(own.get("part"))) if isinstance(own, dict) else ""
                mine = next((c for c in clauses(value) if squashed(c[1]) in called), None)
                lost = [clause for clause in lost if clause != mine and clause[1]]
                field, given = stated_as(str(section), str(name), str(name), mine and mine[0])
                lacks = mine and field and isinstance(own, dict) and not {name, field} & own.keys()
                base = item if isinstance(item, dict) or not lacks else {"part": str(item)}
                made.append({**base, field: given} if lacks else base)
                if lacks:
                    here = (section, index) if isinstance(items, list) else (section,)
                    self.places[*here, field] = at
            for of, which in lost:
                self._set_aside(at, f"{of} for {which}", hint_of(str(section), "lost"))
            self.data[str(section)] = made if isinstance(items, list) else made[0]


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
        if found and MAY_BE_PARTS in about:
            document.unread.append(Unread(found[2], int(found[1]), place=PART))
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
