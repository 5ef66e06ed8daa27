"""A part list → the text of a build file.

What the catalogue knows becomes entries. Everything else stays as comments at its place: prices,
shops and links, parts to be chosen by hand with the names nearest to them, parts that no rule
looks at, and lines that cannot be read. Nothing of the list is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import PurePath
from typing import Any, NamedTuple

from buildcheck.importers.part_list.asking import (
    ORDER,
    Answer,
    Asking,
    Find,
    Numbered,
    Place,
    place,
    printable,
    section_said,
)
from buildcheck.importers.part_list.lines import JOINS, is_described, is_prose, joined, with_name
from buildcheck.importers.part_list.markup import plain
from buildcheck.importers.part_list.quote import (
    charged,
    each_price,
    is_quote,
    mismatch,
    quote_lines,
    quote_of,
    states_term,
)
from buildcheck.importers.part_list.rows import Line, PartList, Row, Total
from buildcheck.load.moved import MAY_BE_PARTS, NO_PARTS
from buildcheck.model.build import LISTS, MOST, MOST_ENTRIES, SECTION_KIND
from buildcheck.model.money import Money
from buildcheck.model.price import FIRST_DAY
from buildcheck.model.source import scalar
from buildcheck.model.values import LONGEST
from buildcheck.model.vocabulary import listed, vocabulary
from buildcheck.render.templates import file_text
from buildcheck.words import keys
from buildcheck.words.entry import entry_of, number_in
from buildcheck.words.facts import Fields, facts_in
from buildcheck.words.names import said as taken_apart

#: Sections whose unknown parts stay in force: without them a smaller machine would be judged, and
#: pass. Whoever validates the build is asked for them.
_DECISIVE = frozenset({"gpus", "cpu", "motherboard", "psus"})
_FITTING = _DECISIVE | {"risers", "case"}
#: Keys at the top of a build file by where the words in front of their values belong.
_SETTINGS = {("gpus", "power_limit"): "power_limit", ("workload",): "workload"}
_SETTINGS |= dict.fromkeys((("site",), ("site", "outlet"), ("site", "breaker")), "site")
#: The most characters of a label; an outlet as a build file has it, and what could be one's name.
_LABEL, _OUTLET = 40, re.compile(r"\{\s*outlet:\s*([^{}:]+)\}")
_NAMED = re.compile(r"\d|[A-Z]")
_SAID = vocabulary("part-lists")["writing"]
#: What a sentence sets of the machine: a pattern, the key and its value.
_SENTENCES = [(re.compile(p, re.IGNORECASE), key, value) for p, key, value in _SAID["sentences"]]
#: Sections of which a part without a known model is what its name says.
_BY_TEXT = ("memory", "risers", "nvlink", "storage")
#: Between several of a kind: `2x RTX 3090 + RTX 4090`.
_MORE = re.compile(r"\+|plus", re.IGNORECASE)
_BOARD = re.compile(_SAID["board"], re.IGNORECASE)


class Unresolved(NamedTuple):
    """A part that has to be chosen by hand."""

    row: Row
    #: What kind of part it is, such as `gpu`; empty if nothing says.
    kind: str = ""
    #: Names of parts it could be, the nearest first.
    near: tuple[str, ...] = ()
    #: Do several parts go by its name?
    ambiguous: bool = False
    #: The kinds of the parts that go by its name, if they are of more than one.
    kinds: tuple[str, ...] = ()


@dataclass
class Imported:
    """A build file made from a list, and what is left to do by hand."""

    text: str = ""
    unresolved: list[Unresolved] = field(default_factory=list)
    #: What lines set of the whole machine, by the key at the top of a build file.
    settings: dict[str, list[tuple[Line, str]]] = field(default_factory=dict)
    #: Lines that name no part, and of them those that could; they are comments in the text.
    kept: list[Line] = field(default_factory=list)
    unread: list[Line] = field(default_factory=list)
    #: Rows of which the price has no currency, or may be that of one or of all.
    unpriced: list[Row] = field(default_factory=list)
    #: Memory that the catalogue does not have, described by its name.
    by_text: list[Row] = field(default_factory=list)
    #: Parts that no check looks at.
    aside: list[Row] = field(default_factory=list)
    #: How many parts of the list are in force.
    entries: int = 0
    #: A stated sum, and what the lines come to instead.
    mismatch: tuple[Total, Money] | None = None


@dataclass
class _Entry:
    """What becomes one entry of a section, in force or as a comment."""

    #: How the part is named.
    part: str
    rows: list[Row]
    #: What has to be done about it, by codes of the template; empty if nothing.
    why: list[str] = field(default_factory=list)
    #: Names of parts it could be.
    near: tuple[str, ...] = ()
    #: Is it no more than a comment?
    left_out: bool = False
    #: Of memory without a part: what its name says.
    facts: Fields = field(default_factory=dict)
    price: str = ""

    @property
    def count(self) -> int:
        """How many the list has."""
        return sum(row.count for row in self.rows)

    def takes(self, row: Row) -> bool:
        """Is a further row of the same part one of this entry?"""
        return self.count + row.count <= MOST and self.rows[0].settings == row.settings


def to_build(
    parts: PartList, find: Find, origin: str = "", numbered: Numbered = lambda *_: ""
) -> Imported:
    """The build file for a list.

    `find` gives the id of the part of a kind that goes by a name, or raises `NameUnknownError`, and
    `numbered` that with a maker's number whose name agrees, or nothing. `origin` is what the list
    is called where it has no address of its own, such as its file.
    """
    making = _Making(Asking(find, numbered))
    making.take(parts)
    made, sections = making.made, making.sections
    for section, entries in sections.items():
        _limit(section, entries)
    made.entries = sum(not e.left_out for e in chain.from_iterable(sections.values()))
    quote = _quote(parts, origin, making)
    terms = [line for line in made.kept if quote and states_term(line.text)]
    made.kept = [line for line in made.kept if line not in terms]
    made.text = file_text(
        "part-list.yaml",
        parts=parts,
        origin=origin,
        choices=_choices(making),
        sections={s: [(e, _entry_lines(s, e)) for e in es] for s, es in sections.items()},
        most={section: _most(section) for section in sections},
        several=(*LISTS, "cpu"),
        machine=None if quote else quote_of(parts, origin).get("total"),
        quote=list(quote_lines(quote, charged(parts))) if quote else (),
        settings=dict(sorted(made.settings.items())),
        scalar=lambda text: _scalar(printable(text)),
        others=making.others,
        about={"About the list": sorted([*parts.notes, *terms]), **_kept(made)},
        plain=plain,
        comment=partial(printable, strip=False),
        printable=printable,
    )
    return made


def _kept(made: Imported) -> dict[str, list[Line]]:
    """The lines that name no part, those that could first, each under its heading."""
    may_be = [*made.unread, *filter(_may_be_part, made.kept)]
    return {
        MAY_BE_PARTS: [line for line in made.kept if line in may_be],
        NO_PARTS: [line for line in made.kept if line not in may_be],
    }


def _choices(making: _Making) -> dict[str, set[int]]:
    """The lines of rows that have to be chosen by hand, by when."""
    unresolved = {unknown.row.line for unknown in making.made.unresolved}
    entries = (e for e in chain.from_iterable(making.sections.values()) if e.left_out)
    out = {row.line for entry in entries for row in entry.rows}
    out |= unresolved & {row.line for row, _ in making.others}
    return {
        "Choose by hand before the check": unresolved - out,
        "Not in this build yet, choose by hand": out,
    }


def _entry(
    at: Place, answer: Answer, facts: Fields, price: str, *, stays: bool, is_known: bool
) -> _Entry:
    """The entry of a row, with why it needs a choice; a comment if it does not stay."""
    row, part = at.row, answer.part or printable(at.row.name)
    part = printable(row.name) if at.is_server and part != answer.part_id else part
    why = [row.fault] if row.fault else []
    why += ["by-name"] if at.by_name else []
    is_open = not (facts or is_known or answer.part_id)
    what = ("several" if answer.ambiguous else "unknown") if answer.asked else "not-asked"
    why += [f"{what}-by-text"] if facts else [what] if is_open else []
    left_out = not stays or not 0 < len(part) <= LONGEST or bool(row.fault)
    near = answer.near if is_open else ()
    return _Entry("" if facts else part, [row], why, near, left_out, facts, price)


def _may_be_part(line: Line) -> bool:
    """May a line that was not read name a part, rather than tell of one or deny it?"""
    is_denied = re.search(keys.phrase("denied"), " ".join(line.text.split()[:3]))
    return keys.said_by(line.text) in SECTION_KIND and not (is_denied or is_prose(line.text))


def _quote(parts: PartList, origin: str, making: _Making) -> dict[str, Any]:
    """The list as a quote, if it has charges or tax; its prices are in it, and not with parts."""
    quote = quote_of(parts, PurePath(origin).stem or "pasted list")
    servers = (row for entry in making.sections["server"] for row in entry.rows)
    extras = (*servers, *(row for row, _ in making.others))
    has_lines = any(printable(row.name) for row in charged(parts))
    if not (has_lines and parts.priced and is_quote(quote, parts, extras)):
        return {}
    for entry in chain.from_iterable(making.sections.values()):
        entry.price = ""
    return quote


class _Making:
    """The sections as far as rows have been put into them."""

    def __init__(self, asking: Asking) -> None:
        self._asking, self._date, self._gpus = asking, "", 0
        self.made = Imported()
        self.sections: dict[str, list[_Entry]] = {section: [] for section in ("server", *ORDER)}
        #: Rows of no section, each with what has to be done about it.
        self.others: list[tuple[Row, list[str]]] = []
        self._keys: dict[tuple[str, str, bool, str], _Entry] = {}

    def take(self, parts: PartList) -> None:
        """Place all rows, and of the kept lines those that name a part."""
        self._date = parts.date[:10]
        of_rows = {Line(r.line, r.raw): keys.section_of(r.section) for r in parts.rows if r.section}
        for line in sorted({*parts.kept, *of_rows}):
            for key, value in _settings_in(line, labelled=of_rows.get(line, keys.ANY) != keys.ANY):
                # Only what is known of the site can be in several lines.
                if key == "site" or key not in self.made.settings:
                    self.made.settings.setdefault(key, []).append((line, value))
        taken = {line for said in self.made.settings.values() for line, _ in said}
        # The rows first: of a long text not all is asked for.
        named = (row for row in parts.rows if Line(row.line, row.raw) not in taken)
        rows = [part for row in named for part in self._apart(row)]
        placed = [place(row, self._asking) for row in rows]
        self._gpus = sum(at.row.count for at in placed if at.section == "gpus")
        typed = {
            self._asking.about(SECTION_KIND[p.section], p.row).part_id
            for p in placed
            if p.section in self.sections
        }
        # A line may name a part, and say how it is used.
        others = [r for r in parts.guesses if Line(r.line, r.raw) not in taken or self._known(r)]
        others = [part for row in others for part in self._apart(row)]
        guessed = [g for row in others if (g := self._guess(row, typed))]
        guessed += [g for line in parts.kept if line not in taken and (g := self._riser(line))]
        # Where one line alone can be the CPU, it is, whatever its name.
        for section in _DECISIVE - {at.section for at in (*placed, *guessed)}:
            rows = [row for row in others if section_said(row) == section]
            guessed += [Place(rows[0], section)] if len(rows) == 1 else []
        for at in sorted([*placed, *guessed], key=lambda p: p.row.line):
            self._put(at)
        taken |= {Line(g.row.line, g.row.raw) for g in guessed}
        self.made.unread = [line for line in self.made.unread if line not in taken]
        # A quote lists what it names without a price too.
        parts.rows += [g.row for g in guessed if not g.row.price]
        self.made.kept = [line for line in parts.kept if line not in taken]
        self.made.unresolved.sort(key=lambda u: u.row.line)
        self.made.mismatch, self.made.aside = mismatch(parts), [row for row, _ in self.others]

    def _apart(self, row: Row) -> list[Row]:
        """The parts of a row; with a fault where it does not say how many GPUs of one kind."""
        rows = self._split(row)
        is_gpu = len(rows) == 1 and "gpus" in (keys.section_of(row.section), keys.said_by(row.name))
        again = re.search(keys.phrase("recounted"), plain(row.raw)[0]) if is_gpu else None
        return [replace(row, fault=f"'{again[0]}' is no number of parts")] if again else rows

    def _split(self, row: Row) -> list[Row]:
        """The parts of a row that names several, if all of them or two are known, else the row."""
        names = JOINS.split(row.name)
        if row.price or not names[1:] or self._known(row):
            return [row]
        rows, plain = [with_name(row, names[0])], replace(row, count=1, settings={}, note="")
        for name, sign in zip(names[1:], JOINS.findall(row.name), strict=True):
            of_riser = facts_in("risers", name)
            if of_riser.fields.get("kind") or re.search(_SAID["dock"], name):
                riser = joined(rows[-1].settings.get("riser", ""), name)
                rows[-1] = replace(rows[-1], settings={**rows[-1].settings, "riser": riser})
            else:
                word = row.section if _MORE.search(sign) else ""
                rows.append(with_name(replace(plain, section=word), name))
        known = [*filter(None, map(self._known, rows))]
        is_more = any(map(_MORE.search, JOINS.findall(row.name)))
        differ = is_more or len({*known}) == len(known) or {*known} == {"storage"}
        return rows if differ and len(known) >= min(2, len(rows)) else [row]

    def _known(self, row: Row) -> str:
        """The section of a row whose part is known, or described by its name; else nothing."""
        at = place(row, self._asking)
        if at.section not in self.sections:
            return ""
        fields, rest = facts_in(at.section, row.name, row.count)
        described = _is_memory(fields, rest) if at.section == "memory" else False
        described = described or (at.section == "storage" and not rest and "capacity" in fields)
        is_known = self._asking.about(SECTION_KIND[at.section], row).is_known
        return at.section if is_known or described else ""

    def _riser(self, line: Line) -> Place | None:
        """The risers that a sentence tells of, as many as it counts, or as there are GPUs."""
        if keys.said_by(line.text) != "risers" or not facts_in("risers", line.text).fields:
            return None
        counted = re.search(_SAID["counted"], line.text)
        named = {*re.findall(r"\d{1,2}", counted[2])} if counted and counted[2] else ()
        count = (counted and counted[1] and number_in(counted[1])) or len(named) or self._gpus
        return Place(Row("", line.text, line.line, line.text, count=count or 1), "risers")

    def _guess(self, row: Row, typed: set[str]) -> Place | None:
        """Where a kept line belongs; None if it is not sure to be a part.

        None also if the list has its part already.
        """
        found = place(row, self._asking)
        if found.is_server or is_described(found.section, row.name):
            return found
        has_digit = any(map(str.isdigit, row.name))
        ambiguous = bool(found.several)
        if not ambiguous and found.section in self.sections and found.asked:
            answer = self._asking.about(SECTION_KIND[found.section], row)
            if answer.part_id:
                return None if answer.part_id in typed else found
            ambiguous = answer.ambiguous
        fields, rest = facts_in("memory", row.name, row.count)
        is_named = fields.keys() & {"type", "kit_modules"} and not re.search(r"\b[a-z]{2}", rest)
        if "module" in fields and (is_named or not taken_apart("memory", rest).words):
            return Place(row, "memory")
        if ambiguous:
            return found if has_digit else None
        line = Line(row.line, row.raw)
        is_part = has_digit and keys.said_by(row.raw) != keys.NONE and not states_term(row.raw)
        if is_part and line not in self.made.unread:
            self.made.unread.append(line)
        return None

    def _put(self, at: Place) -> None:
        """Make an entry of a row, or keep it for a comment."""
        row, section = at.row, at.section
        if section not in self.sections:
            self._set_aside(at)
            return
        kind = SECTION_KIND[section]
        answer = self._asking.about(kind, row)
        fields, rest = facts_in(section, row.name, row.count)
        described = answer.asked and not (answer.is_known or rest) and bool(fields)
        described = described and section not in ("risers", "nvlink")
        # No part of the catalogue is an SXM module, whatever name it comes near.
        is_module = bool(keys.value_hint((section, "part"), row.name))
        by_text = section in _BY_TEXT and answer.asked and not (answer.part_id or described)
        facts = fields if by_text and (section != "memory" or _is_memory(fields, rest)) else {}
        if facts and section == "risers" and re.search(r"(?i)\bgpus? ?#?\d", row.name):
            # It names the GPUs on them.
            facts = {"part": _scalar(printable(row.name)), **facts}
        if facts:
            self.made.by_text.append(row)
        elif row.fault or not (answer.part_id or described or at.is_server or is_module):
            self.made.unresolved.append(Unresolved(row, kind, answer.near, answer.ambiguous))
        price = _price(row, self._date)
        if row.price and row.price.amount > 0 and not price:
            self.made.unpriced.append(row)
        key = (section, answer.part_id or row.name, bool(answer.part_id), price)
        held = self._keys.get(key)
        if held is not None and held.takes(row):
            held.rows.append(row)
            return
        stays = bool(answer.part_id or described or facts or section in _FITTING)
        is_known = described or at.is_server or is_module
        entry = _entry(at, answer, facts, price, stays=stays, is_known=is_known)
        self._keys[key] = entry
        self.sections["server" if at.is_server else section].append(entry)

    def _set_aside(self, at: Place) -> None:
        """Keep a row of no section, and say so if the machine needs to have it looked at."""
        row = at.row
        if at.several:
            kinds = tuple(SECTION_KIND[s] for s in at.several)
            near = tuple(
                f"{SECTION_KIND[s]}: {' | '.join([a.part_id] if a.part_id else a.near[:3])}"
                for s, a in at.several.items()
            )
            self.made.unresolved.append(
                Unresolved(row, kinds[0], near, ambiguous=True, kinds=kinds)
            )
            self.others.append((row, ["kinds", *near]))
            return
        why = [] if at.asked or keys.is_said(row.section) else ["not-asked"]
        looks = "" if keys.is_said(row.section) else _looks(row.name)
        if looks:
            why.append(f"looks like a {looks}, not in the catalogue")
        is_machine = {*re.findall(r"\w+", row.name.lower())} & {*listed(vocabulary()["machines"])}
        is_unnamed = (
            not (row.section or is_machine or keys.is_charge(row.name)) and at.section == keys.ANY
        )
        if looks or row.fault or is_unnamed:
            self.made.unresolved.append(Unresolved(row, looks))
        why += [row.fault] if row.fault else []
        self.others.append((row, why))


def _settings_in(line: Line, *, labelled: bool) -> Iterator[tuple[str, str]]:
    """What a line sets by its label, or else in a sentence, or as it states volts and amperes."""
    label, _, said = line.text.partition(":")
    word, text = label.strip(" ->*•"), line.text.strip()
    key = (
        _SETTINGS.get(keys.place_of(word) or (word.lower(),))
        if word and len(label) <= _LABEL
        else ""
    )
    outlet = _OUTLET.fullmatch(said.strip())
    value = (outlet[1] if outlet else said).strip()
    is_site = outlet or facts_in("site", value).fields or _NAMED.search(value)
    if key and value and (key != "site" or is_site):
        yield key, value
    elif not labelled:
        for pattern, name, form in _SENTENCES:
            found = pattern.search(text)
            if found and (name != "workload" or "kind" in facts_in(name, found[0]).fields):
                yield name, form.format(found[0], *found.groups())
                text = f"{text[: found.start()]}{text[found.end() :]}".strip(" ,;.")
        if {"voltage", "breaker"} <= facts_in("site", text).fields.keys():
            yield "site", text


def _is_memory(fields: Fields, rest: str) -> bool:
    """Does a name say enough of memory, and nothing twice?"""
    sized = "module" in fields or "total" in fields
    is_memory = bool(sized and fields.keys() & {"type", "kit_modules"})
    return is_memory and not facts_in("memory", rest).fields


def _price(row: Row, date: str) -> str:
    """The price of one piece as a build file has it; empty where it could be that of several."""
    each = each_price(row)
    if each is None or each.amount < 0:
        return ""
    shop = printable(row.shop)
    said = [f"each: {each}"]
    said += [f"vendor: {scalar(shop, quoted=True)}"] if 0 < len(shop) <= LONGEST else []
    said += [f"date: {date}"] if date and FIRST_DAY.isoformat() <= date else []
    return f"{{{', '.join(said)}}}" if len(said) > 1 else str(each)


def _looks(name: str) -> str:
    """The kind that a name of no section speaks of, if a machine cannot be judged without it."""
    section = keys.said_by(name)
    if section not in _DECISIVE and section != keys.NONE:
        words = facts_in("psus", name).fields
        is_psu = "rated_power" in words and words.keys() & {"efficiency", "form_factor"}
        section = "psus" if is_psu else "motherboard" if _BOARD.search(name) else ""
    return SECTION_KIND[section] if section in _DECISIVE else ""


def _most(section: str) -> int:
    return MOST_ENTRIES.get(section, MOST)


def _limit(section: str, entries: list[_Entry]) -> None:
    """Leave as comments what is more than the section takes."""
    taken = 0
    for entry in (entry for entry in entries if not entry.left_out):
        if section not in LISTS and taken:
            entry.why.append("only-one")
        elif taken + entry.count > _most(section):
            entry.why.append("too-many")
        else:
            taken += entry.count
            continue
        entry.left_out = True


def _entry_lines(section: str, entry: _Entry) -> list[str]:
    """An entry as lines of YAML."""
    said = entry_of(entry.part, section)
    # A line of one that names several, `8 x ...`, is that many.
    number = entry.count * (said.count or 1)
    facts = entry.facts or {"part": _scalar(said.name)}
    given = (facts | entry.rows[0].settings).items()
    texts = {n: str(v).lower() if isinstance(v, bool) else str(v) for n, v in given}
    value = [f"{n}: {_scalar(v) if n in ('powers', 'riser') else v}" for n, v in texts.items()]
    if section == "server":
        # A build file has a name here, and its price in a quote.
        return [_scalar(entry.part)]
    if number > 1 and (section in LISTS or section == "cpu"):
        value.append(f"count: {number}")
    if entry.rows[0].number:
        value.append(f"part_number: {scalar(printable(entry.rows[0].number), quoted=True)}")
    value += [f"price: {entry.price}"] if entry.price else []
    head = ("- ", "  ") if section in LISTS else ("", "")
    return [head[at > 0] + line for at, line in enumerate(value)]


def _scalar(text: str) -> str:
    """A name as YAML that reads as that very text.

    Words that other readers take for numbers or truths are single ones, in quotes.
    """
    return scalar(text, quoted=" " not in text and "/" not in text)
