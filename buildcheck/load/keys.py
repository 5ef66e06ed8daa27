"""A build file as people key it → the same document with the keys of the models.

`ram:`, `Netzteil:`, `outlet:` mean a section or a field of one, and `tdp:` a field of an entry. The
document knows where each is written, so that messages and edits go there.
"""

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from buildcheck.load.belonging import TEXTS, Belonging
from buildcheck.load.forms import entry
from buildcheck.load.groups import (
    goes_by,
    is_its_board,
    is_key,
    is_pasted,
    known_fields,
    machines,
    sections,
)
from buildcheck.load.implied import (
    apart,
    count_of,
    names_any,
    numbered_circuits,
    paired,
    read_entry,
    stated_as,
    with_block,
    with_psus,
    without_remarks,
)
from buildcheck.load.moved import of_list
from buildcheck.load.numbered import divided, stated_of_gpus
from buildcheck.load.shapes import by_name, one_name, pieces, with_settings
from buildcheck.model.build import LISTS, SECTION_KIND
from buildcheck.model.source import REMARK, Document, Path, read
from buildcheck.model.vocabulary import listed, vocabulary
from buildcheck.words.around import clauses, without_psus
from buildcheck.words.entry import entry_of
from buildcheck.words.facts import facts_in
from buildcheck.words.keys import ANY, NONE, field_of, hint_of, is_machine, place_of, value_hint
from buildcheck.words.names import said

#: Sections whose entries have fields of a model.
_WITH_FIELDS = {*SECTION_KIND, *TEXTS, "workload", "cooling", "firmware"}


def opened(raw: bytes, path: str) -> Document:
    """A build file with the models' keys."""
    soft = frozenset(listed(vocabulary()["soft"]))
    return rekeyed(replace(of_list(read(raw, path, is_key)), soft=soft))


def rekeyed(document: Document) -> Document:
    """A document of a build file with the models' keys."""
    return _Keys(document).document() if isinstance(document.data, dict) else document


def quote_opened(raw: bytes, path: str) -> Document:
    """The file of a quote with the models' keys."""
    document = read(raw, path, is_key)
    return _Keys(document).quote() if isinstance(document.data, dict) else document


@dataclass
class _Keys(Belonging):
    """A document whose keys become those of the models."""

    #: Names of whole servers.
    servers: dict[Path, str] = field(default_factory=dict)

    def document(self) -> Document:
        crowd, number = machines(self.read.data)
        is_wish = "wish" in self.read.data
        if crowd or is_wish:
            code = "is-wish" if is_wish else "several-machines"
            self._refuse(("wish",) if is_wish else crowd, code, number=number)
            return replace(self.read, data={})
        for at, section, value in sections(self.read.data):
            self._take(at, section, value)
        self._take_notes()
        self._bifurcate()
        # PSUs and risers state of single GPUs what they power and carry.
        for section in sorted(self.data, key="gpus".__eq__):
            value = self.data[section]
            several = isinstance(value, list) and section in (*SECTION_KIND, "quotes")
            items = [*map(self._priced, value if several else [value])]
            keyed = self._quote if section == "quotes" else partial(self._entry, section)
            made = [
                keyed(item, (section, n) if several else (section,)) for n, item in enumerate(items)
            ]
            if section in LISTS:
                self.data[section] = self._apart(section, made, several=several)
            else:
                self.data[section] = made if several else made[0]
        self._add_implied()
        self._set()
        unread = self.read.unread
        unread[:] = [u for u in unread if not (self.has_currency and u.key == "currency")]
        return self._rekeyed()

    def _add_implied(self) -> None:
        """Add what entries state of other sections, unless those say it themselves."""
        entries = self._add_noted()
        for riser in self._listed("risers") if self.is_split else ():
            if isinstance(riser, dict):
                riser.setdefault("cards", "1..4")
        if names_any("boxed", [self.data.get("cpu")]):
            self._imply(("cpu_cooler",), "stock", ("cpu",))
        if names_any("risers", [entry(self.data.get("case"), "case")]):
            self._imply(("risers",), True, ("case",))
        if names_any("duct", entries):
            self._imply(("cooling", "duct"), True, ("gpus",))
        if "gpus" in self.data:
            entries = apart(entries)
            self.data["gpus"] = entries if isinstance(self.data["gpus"], list) else entries[0]
        self._add_servers()
        self._spread()
        circuits = numbered_circuits(self._listed("psus"))
        site = self.data.setdefault("site", {}) if circuits else None
        if isinstance(site, dict):
            site.setdefault("circuits", circuits)

    def _is_server(self, at: Path, value: Any) -> bool:
        """Note a server by its name, and take what else is stated of it; False if it has none."""
        own = value if isinstance(value, dict) else {"part": value}
        keys = {field_of("case", key): key for key in reversed(own)}
        name, number = keys.get("part", ""), keys.get("part_number", "")
        text, quoted = str(own.get(name)), str(own.get(number, ""))
        if not goes_by("case", text) and goes_by("case", quoted):
            text = f"{quoted} {text}" if name else quoted
        if not (said("case", text).makers or goes_by("case", text)):
            return False
        self.servers[at] = text
        for key in own.keys() - {name, number}:
            self._take((*at, key), None, own[key])
        return True

    def _add_servers(self) -> None:
        """Add what a maker sells together: case, board, whose BIOS starts what comes, and PSUs."""
        for at, text in self.servers.items():
            server = entry_of(without_psus(text)[0])
            words = {*" ".join(map(str, (*at, text))).lower().split()}
            words &= {*listed(vocabulary()["servers"])}
            own = self.data.get("motherboard", {"part": server.name})
            part = read_entry(own, "motherboard").get("part")
            is_its = part and is_its_board(str(part), server.name)
            is_whole = words and is_its and not (server.notes or "case" in self.data)
            self._imply(("case",), {"part": text, **({"complete": True} if is_whole else {})}, at)
            if goes_by("motherboard", server.name):
                self._imply(("motherboard",), server.name, at)
            if not server.notes:
                self._imply(("firmware", "updated"), True, at)
        for section, other in (("case", "motherboard"), ("motherboard", "case")):
            name = str(read_entry(self.data.get(section), section).get("part"))
            name = entry_of(without_psus(name)[0]).name
            its = read_entry(self.data.get(other), other)
            board = str(its.get("part", "")) if section == "case" else ""
            is_both = goes_by(section, name) and goes_by(other, name)
            if is_both and other not in self.data:
                self._imply((other,), name, (section,))
            elif is_both and board and not goes_by(other, board) and is_its_board(board, name):
                self.data[other] = {**its, "part": name}
                written, hint = self._written((other,)), hint_of(other, "own")
                self._set_aside(written, board, hint, of=(other, REMARK))
        case, psus = with_psus(self.data.get("case"), *map(self._listed, ("psus", "gpus")))
        if case:
            self.data["case"] = case
        if psus != self._listed("psus"):
            self._imply(("psus",), psus, ("case",))
            self.data["psus"] = psus

    def quote(self) -> Document:
        """The document of a quote's own file."""
        self.data = self._quote(self.read.data, ())
        return self._rekeyed()

    def _take(self, at: Path, section: str | None, value: Any) -> None:
        """Put what stands at the top of the file, or in a group, where it belongs."""
        key = str(at[-1] if section is None else value)
        place = self._place(key) if section is None else (section,)
        if section is None and is_machine(key) and self._is_server(at, value):
            return
        is_text = isinstance(value, str) and not (place and place[0] in SECTION_KIND)
        if is_text and value and not (value := self._without_feeds(value)):
            return
        may_be_on_ups = place and place[0] in ("site", "psus")
        value = self._without_ups(at, value) if may_be_on_ups else value
        place, value = self._by_its_words(key, place, value)
        is_loose = isinstance(value, str) and (section in (ANY, NONE) or not place)
        settings, rest = facts_in("firmware", value) if is_loose else ({}, "")
        if settings and not rest:
            section, place = None, ("firmware",)
        if place == () or section in (ANY, NONE):
            hint = hint_of("", "?") if section == ANY else value_hint(("notes",), value)
            self._set_aside(at, key, hint)
            return
        place = place or (key,)
        gpus = any(self._place(str(k)) == ("gpus",) for k in self.read.data)
        if isinstance(value, str) and not gpus and is_pasted(place, value):
            self._refuse(at, "is-pasted", key=key)
            return
        place, value = self._reworded(at, place, value)
        is_setting = len(place) > 1 and place[0] in SECTION_KIND
        is_of_some = is_setting and bool(clauses(value)[0][1])
        if is_setting and not is_of_some:
            name, value = stated_as(str(place[0]), str(place[1]), str(place[1]), value)
            place = (place[0], name)
        if hint := "" if is_of_some else value_hint(place, value):
            self._set_aside(at, key, hint)
        elif is_setting:
            self._take_setting(at, place, value)
        elif place:
            self._put_at(at, place, value)

    def _apart(self, section: str, items: list[Any], *, several: bool) -> Any:
        """The entries of a section, those that one text holds apart."""
        found: list[Any] = []
        items = with_settings(section, items)
        psus, given = self._listed("psus"), dict[int, dict[str, Any]]()
        sited = any(self._place(str(key)) == ("site",) for key in self.read.data)
        count = sum(map(count_of, psus))
        items, feeds, implied = without_remarks(section, items, count, sited=sited)
        self.feeds |= feeds
        for number, place, value in implied:
            self._take_implied(place, value, (section, number))
        if section == "gpus":
            risers = self._listed("risers")
            given = self.each = stated_of_gpus(self.each, psus, risers, items, self.feeds)
            if psus and not isinstance(self.data["psus"], list):
                self.data["psus"] = psus[0]
        each = {**given}
        for index, item in enumerate(items):
            old: Path = (section, index) if several else (section,)
            try:
                pairs = section == "nvlink" and paired(item)
                made = pairs or pieces(section, item)
            except ValueError as error:
                self._refuse(self._written(old), "unclear-parts", of_key=False, error=error)
                made = [{}]
            made = self._off_carriers(made, old) if section == "storage" else made
            made = [piece for piece in made if not self._is_none(section, piece, old)]
            made = [one for p in made for one in divided(p, each)] if each else made
            for piece in made:
                self.places[section, len(found)] = self._written(old)
                found.append(piece)
            if made and (len(made) > 1 or len(found) - 1 != index):
                self.parts[old] = (section, len(found) - len(made))
        if section == "gpus":
            self._note_lost(given, [*given][len(given) - len(each) :])
        if len(found) == len(items):
            self.places = {p: old for p, old in self.places.items() if p[0] != section}
            return found if several else found[0]
        return found

    def _entry(self, section: str, value: Any, at: Path) -> Any:
        """An entry with the fields of its model."""
        if not isinstance(value, dict) or section not in _WITH_FIELDS:
            return value
        if len(value) == 1 and (named := by_name(section, *next(iter(value.items())))):
            self.fields[*at, next(iter(value))] = at
            value = named
        known = known_fields(section)
        made: dict[str, Any] = {}
        aside: list[str] = []
        for key, inner in with_block(section, value).items():
            name = key if key in known else field_of(section, key)
            name = "part" if name not in known and place_of(key) == (section,) else name
            is_second = name == "part" and name in made and "part" not in value
            if isinstance(inner, str) and (name == "brand" or is_second):
                # A maker, a model and a name of one part are one name.
                aside.append(f"{inner} " if name == "brand" else inner)
                continue
            labelled_psu = self.psus.get(str(inner)) if name == "psu" else None
            name, stated = stated_as(section, name, key, labelled_psu or inner)
            stated = self._priced(stated) if name == "price" else stated
            is_lost = (name, stated) == ("riser", None)
            is_lost |= key in known and name != key and name in {*value, *made}
            hint = value_hint((section, name), stated) if name != "part" else ""
            if hint or is_lost:
                self._set_aside((*at, key), key, hint, of=(*at, name) if hint else ())
                continue
            if (section, name) == ("memory", "total") != (section, key) and "count" in made:
                name = "module"
            if (name != key and (name in value or name in made)) or name not in known:
                # Words of a circuit are read together with what else is stated of it.
                is_both = section == "site" and name in known and isinstance(stated, str)
                name = "circuits" if is_both else key
            made[name] = stated
            if name != key:
                self.fields[*at, key] = (*at, name)
        if aside and isinstance(made.get("part"), str):
            made["part"] = one_name(made["part"], aside)
            self.parts[at] = at
        return made
