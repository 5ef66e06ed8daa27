"""A build file as people key it → the same document with the keys of the models.

`ram:`, `Netzteil:`, `outlet:` mean a section or a field of one, and `tdp:` a field of an entry. The
document knows where each is written, so that messages and edits go there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from buildcheck.load.forms import entry
from buildcheck.load.groups import (
    goes_by,
    is_key,
    is_pasted,
    known_fields,
    machines,
    section_of_text,
    sections,
)
from buildcheck.load.implied import (
    apart,
    count_of,
    divided,
    names_any,
    numbered_circuits,
    paired,
    stated_as,
    stated_of_gpus,
    with_block,
    with_psus,
    without_remarks,
)
from buildcheck.load.moved import Related, of_list
from buildcheck.load.shapes import (
    by_name,
    compound,
    gpus_in,
    is_card,
    joined,
    labelled,
    one_name,
    pieces,
    with_its_key,
    with_settings,
)
from buildcheck.model.build import LISTS, SECTION_KIND, Build
from buildcheck.model.money import bare_amount, price_in
from buildcheck.model.source import leaves, read
from buildcheck.model.vocabulary import listed, vocabulary
from buildcheck.words.entry import MOST, clauses, entry_of, without_carrier, without_psus
from buildcheck.words.facts import facts_in
from buildcheck.words.keys import (
    ANY,
    NONE,
    field_of,
    hint_of,
    is_machine,
    phrase,
    place_of,
    value_hint,
)
from buildcheck.words.names import said

if TYPE_CHECKING:
    from buildcheck.model.source import Document, Path

#: Sections that name no part, and the field that a text in place of their keys is.
TEXTS = {"site": "outlet", "cost": "machine", "network": "between_machines"}
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


#: Sections of fields that stand at the top as well, and places whose fields people have in words.
_MERGED = {("site",), ("cost",), ("cooling",), ("firmware",)}
_IN_WORDS = {("cooling",), ("gpus", "cooling"), ("firmware",)}


@dataclass
class _Keys(Related):
    """A document whose keys become those of the models."""

    #: Numbers of PSUs by the labels that they are listed under.
    psus: dict[str, int] = field(default_factory=dict)
    #: Names of whole servers.
    servers: dict[Path, str] = field(default_factory=dict)
    #: Has the currency of the file been given to a price?
    has_currency: bool = False

    def document(self) -> Document:
        crowd, number = machines(self.read.data)
        what = f"{number} machines are listed, and one file is one machine"
        advice = "Write one file for each machine: buildcheck validate one.yaml two.yaml"
        if "wish" in self.read.data:
            crowd, what = ("wish",), "this file is a wish, and no build"
            advice = "Run 'buildcheck configure' on it"
        if crowd:
            self.read.problems.append(self.read.problem(crowd, what, advice, key=True))
            return replace(self.read, data={})
        for at, section, value in sections(self.read.data):
            self._take(at, section, value)
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
        name = next((key for key in own if field_of("case", key) == "part"), "")
        if not said("case", str(own.get(name))).makers:
            return False
        self.servers[at] = str(own[name])
        for key in own.keys() - {name}:
            self._take((*at, key), None, own[key])
        return True

    def _add_servers(self) -> None:
        """Add what a maker sells together: case, board, whose BIOS starts what comes, and PSUs."""
        for at, text in self.servers.items():
            server = entry_of(without_psus(text)[0])
            words = {*" ".join(map(str, (*at, text))).lower().split()}
            words &= {*listed(vocabulary()["servers"])}
            is_whole = words and not (server.notes or {"case", "motherboard"} & {*self.data})
            self._imply(("case",), {"part": text, **({"complete": True} if is_whole else {})}, at)
            if goes_by("motherboard", server.name):
                self._imply(("motherboard",), server.name, at)
            if not server.notes:
                self._imply(("firmware", "updated"), True, at)
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
            what = f"'{key}' is a list of parts as it was pasted"
            advice = "Save it as a file of its own and run 'buildcheck import' on it"
            self.read.problems.append(self.read.problem(at, what, advice, key=True))
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

    def _without_feeds(self, text: str) -> str:
        """A text without what it states of the GPUs that each PSU powers, which is noted."""
        for name, step in (("psu_feeds", 1), ("fed_by", -1)):
            found = (one[::step] for one in re.findall(phrase(name), text))
            self.feeds |= {int(psu): gpus for psu, gpus in found}
            text = re.sub(phrase(name), "", text).strip(" ,;.")
        return text

    def _without_ups(self, at: Path, value: Any) -> Any:
        """A circuit or PSUs without the UPS that they are said to be on, which is listed."""
        if isinstance(value, list):
            return [self._without_ups(at, item) for item in value]
        if isinstance(value, dict):
            return {key: self._without_ups(at, inner) for key, inner in value.items()}
        found = re.search(phrase("on_ups"), value) if isinstance(value, str) else None
        if not found:
            return value
        self._imply(("ups",), found[1], at)
        return f"{value[: found.start()]}{value[found.end() :]}".strip(" ,;")

    def _reworded(self, at: Path, place: Path, value: Any) -> tuple[Path, Any]:
        """Where a value belongs by its words, as its section has it; `()` if nothing is left."""
        if place == ("network",) and isinstance(value, (str, list)):
            value = self._without_cards(at, value if isinstance(value, list) else [value])
        value = self._in_one_text(at, place, value)
        if self._is_undecided(at, place, value):
            return (), None
        if place == ("site", TEXTS["site"]) and isinstance(value, dict):
            place = ("site",)
        if place in {(section,) for section in TEXTS} and isinstance(value, (str, int, float)):
            place = (*place, TEXTS[str(place[0])])
        value = self._priced(value) if place == ("cost", TEXTS["cost"]) else value
        if (
            place == ("cables",)
            and isinstance(value, str)
            and (each := re.fullmatch(phrase("adapter_each"), value))
        ):
            place, value = ("gpus", "adapter"), f"{each[1]} on {each[2]}"
        return self._with_words(at, self._by_its_text(at, place, value), value)

    def _take_setting(self, at: Path, place: Path, value: Any) -> None:
        """Note what is set for all entries of a section, or for single GPUs."""
        steps = list(value) if isinstance(value, dict) else ["1"]
        numbers = [n for step in steps for n in gpus_in(step)]
        is_by_gpu = isinstance(value, (dict, list)) and numbers and max(numbers) <= MOST
        if place[0] == "gpus" and place[1] != "bifurcation" and is_by_gpu:
            for step, inner in value.items() if isinstance(value, dict) else enumerate(value, 1):
                if isinstance(inner, dict):
                    self._set_aside(at, f"{at[-1]} {step}", hint_of("gpus", "split slot"))
                for number in gpus_in(step) if not isinstance(inner, dict) else ():
                    self.each.setdefault(number, {})[str(place[1])] = inner
        elif place[1] and value not in (0, "0"):
            self.settings[place] = (value, at)

    def _is_undecided(self, at: Path, place: Path, value: Any) -> bool:
        """Is a section without a value, which is not decided yet?"""
        if value is None and place[0] in SECTION_KIND:
            empty = self.read.position(at)
            self.read.problems[:] = [p for p in self.read.problems if (p.line, p.column) != empty]
            return True
        return value == "" and place[0] in ("site", "network")

    def _place(self, key: str) -> Path | None:
        """Where a key belongs; `()` if to no check."""
        plain = key.lower().replace(" ", "_")
        place = (key,) if key in Build.model_fields else place_of(key)
        if place is None:
            return (plain,) if plain in Build.model_fields else compound(key)
        return place

    def _in_one_text(self, at: Path, place: Path, value: Any) -> Any:
        """A list in place of what the machine has one of, as a text; others as they are."""
        if place == ("psu_sync",):
            text = str(at[-1] if value and isinstance(value, (bool, int)) else value)
            words = listed(vocabulary()["sync_adapters"])
            return next((w for w in words if w in text.lower().replace("_", " ")), value)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            return value
        if place[0] == "site" and len({*value}) == 1:
            return f"{len(value)}x {value[0]}"
        if place[0] == "site":
            self._set_aside(at, str(at[-1]), hint_of("circuits", ""))
            return ""
        in_words = place[0] in ("network", "workload", "cooling", "firmware")
        return ", ".join(value) if in_words else value

    def _by_its_words(self, key: str, place: Path | None, value: Any) -> tuple[Path | None, Any]:
        """Where a value belongs by its words, or its key's unit, where the key says too little."""
        name, stated = stated_as("site", key, key, value) if place is None else ("", value)
        if name in known_fields("site"):
            return ("site", name), stated
        if not isinstance(value, str):
            return place, value
        if place == () and facts_in("cooling", value).fields:
            return ("cooling",), value
        if place == ("site",) and {*facts_in("gpus", value).fields} == {"power_limit"}:
            return ("gpus", "power_limit"), value
        if place == () and facts_in("add_in_cards", key).fields:
            is_gpu = section_of_text(value, ask=True) == "gpus"
            return ("add_in_cards",) if is_gpu else place, value
        others = (self._place(str(k)) for k in self.read.data if k != key)
        is_use = place != ("workload",) or "kind" in facts_in("workload", value).fields
        return place if is_use or place not in others else (), value

    def _by_its_text(self, at: Path, place: Path, value: Any) -> Path:
        """Where a text belongs that is no value of its section: the CPU cooler, a network card."""
        if place == ("workload",) and isinstance(value, str):
            fields, rest = facts_in("workload", value)
            for clause in re.split(r"\s*[,;]\s+", value) if "kind" in fields else ():
                if left := " ".join(w for w in clause.split() if w in rest.split()):
                    is_another = "kind" in facts_in("workload", left).fields
                    belongs = value_hint(("workload", "rest"), left)
                    self._set_aside(at, left, hint_of("workload", "") if is_another else belongs)
        is_circuit = place == ("site", "voltage") and facts_in("site", str(value))[0].keys() ^ {
            "voltage"
        }
        by_psu = isinstance(value, str) and re.search(phrase("circuit_psus"), value)
        if (place == ("site", "circuits") or is_circuit) and isinstance(value, str) and not by_psu:
            return ("site", TEXTS["site"])
        if place == ("cooling",) and "room_cooling" in facts_in("site", str(value)).fields:
            return ("site", "room_cooling")
        if place == ("cooling",) and isinstance(value, str):
            fields, rest = facts_in("cpu_cooler", value)
            is_cooler = "kind" in fields and not rest
            has_own = any(self._place(str(k)) == ("cpu_cooler",) for k in self.read.data)
            is_cooler = is_cooler or section_of_text(value, ask=True) == "cpu_cooler"
            return ("cpu_cooler",) if is_cooler and not has_own else place
        if place == ("network",) and isinstance(value, dict):
            is_card = any(field_of("add_in_cards", key) == "part" for key in value)
            return ("add_in_cards",) if is_card else place
        return place

    def _with_words(self, at: Path, place: Path, value: Any) -> tuple[Path, Any]:
        """Words for settings of the BIOS, or the cooling of GPUs without fans, as fields."""
        if not isinstance(value, str) or place not in _IN_WORDS:
            return place, value
        fields, rest = facts_in(str(place[-1]), value)
        if not fields or not (place[1:] == () or facts_in("gpus", value).rest):
            return place, value
        if rest:
            self._set_aside(at, rest, value_hint(place[-1:], rest))
        return place[-1:], fields

    def _without_cards(self, at: Path, items: list[Any]) -> Any:
        """What is said of a network without its cards, which are listed as such."""
        cards = [i for i in items if isinstance(i, str) and is_card(i)]
        if cards:
            self._put_at(at, ("add_in_cards",), cards if cards[1:] else cards[0])
        left = [i for i in items if i not in cards]
        return left if left[1:] else left[0] if left else ""

    def _put_at(self, at: Path, place: Path, value: Any) -> None:
        section = str(place[0])
        labels = labelled(section, value)
        if labels:
            for label, inner in labels.items():
                if section == "psus":
                    self.psus[label] = 1 + sum(map(count_of, self._listed("psus")))
                self._put_at((*at, label), place, inner)
            return
        value = with_its_key(section, str(at[-1]), value)
        holder = self.data if len(place) == 1 else self.data.setdefault(section, {})
        if isinstance(holder, dict) and place[-1] not in holder:
            holder[str(place[-1])] = value
            if place != at:
                self.sections[at] = place
        elif place == (section,) and section in LISTS:
            self._append(at, value, section)
        elif place in _MERGED and isinstance(value, dict):
            # Fields of it were at the top as well.
            self.data[section] = {**self.data[section], **value}
        elif place == ("site", TEXTS["site"]) and (both := joined(holder["outlet"], value)):
            holder["outlet"] = both
        else:
            what = f"'{at[-1]}' and another key both mean '{'.'.join(map(str, place))}'"
            if self.read.soft.intersection(place):
                self._set_aside(at, str(at[-1]), what)
            else:
                self.read.problems.append(self.read.problem(at, what, "Keep one of them", key=True))

    def _append(self, at: Path, value: Any, section: str) -> None:
        """Add the entries of another key to a list."""
        if not isinstance(self.data[section], list):
            self.data[section] = [self.data[section]]
            olds = (old for old, new in self.sections.items() if new == (section,))
            self.sections[next(olds, (section,))] = (section, 0)
        for index, item in enumerate(value if isinstance(value, list) else [value]):
            old = (*at, index) if isinstance(value, list) else at
            self.sections[old] = (section, len(self.data[section]))
            self.data[section].append(item)

    def _apart(self, section: str, items: list[Any], *, several: bool) -> Any:
        """The entries of a section, those that one text holds apart."""
        found: list[Any] = []
        items = with_settings(section, items)
        each: dict[int, dict[str, Any]] = {}
        psus = self._listed("psus")
        number = sum(map(count_of, psus))
        items, feeds, synced = without_remarks(section, items, number)
        self.feeds |= feeds
        if synced:
            self._imply(("psu_sync",), "adapter", (section, synced[0]))
        if section == "gpus":
            risers = self._listed("risers")
            each = self.each = stated_of_gpus(self.each, psus, risers, items, self.feeds)
        given = {**each}
        for index, item in enumerate(items):
            old: Path = (section, index) if several else (section,)
            try:
                pairs = section == "nvlink" and paired(item)
                made = pairs or pieces(section, item)
            except ValueError as error:
                advice = "Correct one of them"
                self.read.problems.append(self.read.problem(self._written(old), str(error), advice))
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

    def _off_carriers(self, drives: list[Any], old: Path) -> list[Any]:
        """Drives without the cards in slots that they are said to be on, which are listed."""
        found = [without_carrier(one) if isinstance(one, str) else (one, "") for one in drives]
        for card in [card for _, card in found if card]:
            self._put_at(self._written(old), ("add_in_cards",), card)
        return [drive for drive, _ in found if drive]

    def _is_none(self, section: str, piece: Any, old: Path) -> bool:
        """Is a piece of a section no part of it? Note it then."""
        hint = value_hint((section, "piece"), piece)
        if hint:
            self._set_aside(self._written(old), piece, hint)
        return bool(hint)

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
                self._set_aside((*at, key), key, hint)
                continue
            if (section, name) == ("memory", "total") != (section, key) and "count" in made:
                name = "module"
            if name in {*value, *made} - {key} or name not in known:
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

    def _priced(self, value: Any) -> Any:
        """A price, alone or behind a name, with the currency of the file if it has none."""
        currency = self.read.data.get("currency")
        tag = price_in(value) if isinstance(value, str) else None
        if tag and not tag.currency:
            prices = (price_in(text) for _, text in leaves(self.read.data))
            used = {currency or p.currency for p in prices if p and (currency or p.currency)}
            self.has_currency |= bool(currency)
            if len(used) != 1:
                return value
            return re.sub(phrase("price_tag"), rf"\g<0> {used.pop()}", value)
        is_one = isinstance(currency, str) and isinstance(value, (str, int, float))
        if not is_one or bare_amount(str(value)) is None:
            return value
        self.has_currency = True
        return f"{value} {currency}"
