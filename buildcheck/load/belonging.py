"""Where what stands at the top of a build file belongs: by its key, and by what it says."""

import re
from dataclasses import dataclass, field
from typing import Any

from buildcheck.load.groups import known_fields, section_of_text
from buildcheck.load.implied import count_of, stated_as
from buildcheck.load.moved import Related
from buildcheck.load.shapes import compound, is_card, joined, labelled, with_its_key
from buildcheck.model.build import LISTS, SECTION_KIND, Build
from buildcheck.model.money import bare_amount, price_in
from buildcheck.model.source import REMARK, Path, leaves
from buildcheck.model.vocabulary import listed, vocabulary, worded
from buildcheck.words.around import gpus_in, said_in
from buildcheck.words.entry import MOST
from buildcheck.words.facts import facts_in, hull
from buildcheck.words.keys import field_of, hint_of, phrase, place_of, value_hint

#: Sections that name no part, and the field that a text in place of their keys is.
TEXTS = {"site": "outlet", "cost": "machine", "network": "between_machines"}
#: Sections of fields that stand at the top as well, and places whose fields people have in words.
_MERGED = {("site",), ("cost",), ("cooling",), ("firmware",)}
#: What a note of one GPU sets of it alone.
_OF_GPUS = {("gpus", "power_limit"), ("cooling",)}
_IN_WORDS = {("cooling",), ("gpus", "cooling"), ("firmware",)}


@dataclass
class Belonging(Related):
    """A document whose sections are put where they belong."""

    #: Numbers of PSUs by the labels that they are listed under.
    psus: dict[str, int] = field(default_factory=dict)
    #: Has the currency of the file been given to a price?
    has_currency: bool = False

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
            own = [key for key in value if isinstance(key, str) and place_of(key) == ("ups",)]
            for key in own:
                self._imply(("ups",), value[key], at)
            value = {key: inner for key, inner in value.items() if key not in own}
            left = {key: self._without_ups(at, inner) for key, inner in value.items()}
            return {key: inner for key, inner in left.items() if inner != "" or not value[key]}
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

    def _take_notes(self) -> None:
        """Set what notes of parts say of the machine."""
        for section in (section for section in SECTION_KIND if section in self.data):
            several, made = isinstance(self.data[section], list), []
            for number, item in enumerate(self._listed(section)):
                at = self._written((section, number) if several else (section,))
                entry = dict(item) if isinstance(item, dict) else {}
                for key in [k for k, v in entry.items() if isinstance(v, str) and v]:
                    if field_of(section, key) == "note":
                        entry[key] = self._without_said(section, entry[key], at)
                        entry = {k: v for k, v in entry.items() if k != key or v}
                made.append(entry if isinstance(item, dict) else item)
            self.data[section] = made if several else made[0]

    def _without_said(self, section: str, note: str, at: Path) -> str:
        """A note without what it sets of the machine, as a sentence of its own would."""
        left, is_read = [], False
        for clause in re.split(phrase("clauses"), note):
            said, rest = said_in(clause)
            said = [(name, value) for name, value in said if place_of(name) not in _OF_GPUS]
            volts, more = facts_in("site", clause) if section == "psus" else ({}, clause)
            for name, text in said:
                self._take_implied(*self._reworded(at, place_of(name) or (name,), text), at)
            for name, text in () if said or more else volts.items():
                self._imply(("site", name), text, at)
            is_read |= bool(said) or not more
            left += [rest if said else more and clause]
        return "; ".join(filter(None, left)) if is_read else note

    def _take_implied(self, place: Path, value: Any, at: Path) -> None:
        """Set what an entry says of the machine, or of all GPUs."""
        if place[:1] == ("gpus",):
            self._take_setting(at, place, value)
        elif place:
            self._imply(place, value, at)

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
            plain, words = text.lower().replace("_", " "), vocabulary()
            if value is False or any(w in plain for w in listed(words["sync_by_hand"])):
                return "none"
            return next((w for w in listed(words["sync_adapters"]) if w in plain), value)
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
        others = [self._place(str(k)) for k in self.read.data if k != key]
        is_psu = "power" in key.lower() and "rated_power" in facts_in("psus", value).fields
        if place == ("site",) and is_psu and ("psus",) not in others:
            place = place if facts_in("site", value).fields else ("psus",)
        is_use = place != ("workload",) or "kind" in facts_in("workload", value).fields
        return place if is_use or place not in others else (), value

    def _by_its_text(self, at: Path, place: Path, value: Any) -> Path:
        """Where a text belongs that is no value of its section: the CPU cooler, a network card."""
        if place == ("workload",) and isinstance(value, str):
            fields, rest = facts_in("workload", value)
            for clause in re.split(r"\s*[,;]\s+", value) if "kind" in fields else ():
                if left := " ".join(w for w in clause.split() if w in rest.split()):
                    other = facts_in("workload", left).fields
                    belongs = value_hint(("workload", "rest"), left)
                    hint = hint_of("workload", "") if "kind" in other else belongs
                    # The judged use asks for more, unless the other's model is larger.
                    models = [o.get("parameters", "0B") for o in (other, fields)]
                    most = [model.rpartition("..")[2] for model in (models[1], hull(*models))]
                    is_less = "kind" in other and most[0] == most[1]
                    self._set_aside(at, left, hint, of=() if is_less else ("workload", REMARK))
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
            words: dict[str, Any] = {"key": str(at[-1]), "place": ".".join(map(str, place))}
            if self.read.soft.intersection(place):
                self._set_aside(at, words["key"], worded("both-mean", **words)[0])
            else:
                self._refuse(at, "both-mean", **words)

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
