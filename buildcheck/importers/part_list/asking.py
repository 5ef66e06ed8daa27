"""What the catalogue says of the rows of a list, and the section each of them belongs to."""

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import field, replace
from functools import cached_property
from typing import Any

from buildcheck.errors import NameUnknownError
from buildcheck.importers.part_list.markup import printable
from buildcheck.importers.part_list.rows import Answer, Row
from buildcheck.load.shapes import pieces
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.frozen import Frozen
from buildcheck.model.part import is_same_model
from buildcheck.model.values import LONGEST
from buildcheck.model.vocabulary import vocabulary
from buildcheck.words.around import of_psus, without_psus
from buildcheck.words.facts import Fields, Words, facts_in
from buildcheck.words.keys import (
    ANY,
    NONE,
    begun_by,
    is_machine,
    is_said,
    phrase,
    said_by,
    section_of,
)
from buildcheck.words.names import said as words_of

#: The id of the part of a kind that goes by a name; that with a number and a name, or nothing.
Find = Callable[[str, str], str]
Numbered = Callable[[str, str, str], str]
Series = Callable[[str], str]
#: Is a word in any name of a kind?
HasWord = Callable[[str, str], bool]
#: The sections that hold parts, as the README has them.
ORDER = (
    *("gpus", "cpu", "motherboard", "cpu_cooler", "memory", "psus", "case", "storage"),
    *("add_in_cards", "risers", "cables", "nvlink", "ups"),
)
#: The sections, and kinds, that a whole server is in.
_OF_SERVERS = ("motherboard", "case")
#: Sections of which a part without a known model is what its name says.
_BY_TEXT = ("memory", "risers", "nvlink", "storage")
#: Sections where words among the names are facts.
_WITH_FACTS = ("gpus", "cpu")
#: Looking up an unknown name takes long; no machine has this many different parts.
MOST_ASKED = 100
#: With this many unknown names, a text is no list of parts.
MOST_MISSED = 20
#: No name of a part is longer.
LONGEST_ASKED = 300
AMOUNT = re.compile(r"[0-9]+\s?[GT]i?B")
_SAID = vocabulary("part-lists")["asking"]
_WHOLE, _SERVER = (re.compile(_SAID[name]) for name in ("whole", "called"))
_NOT_ASKED = Answer(asked=False)


class Place(Frozen):
    """A row with where it belongs, and what the catalogue and its words say of it there."""

    row: Row
    #: The section; `NONE` or `ANY` if none is known.
    section: str
    answer: Answer = _NOT_ASKED
    #: Was it found by the name alone?
    by_name: bool = False
    #: What the catalogue says, if parts of several kinds go by the name.
    several: dict[str, Answer] = field(default_factory=dict)
    asked: bool = True
    #: Is it a whole server: a case that is sold with its board?
    is_server: bool = False

    @cached_property
    def said(self) -> Words:
        """What the words of the name say of a part of the section."""
        return facts_in(self.section, self.row.name, self.row.count)

    @property
    def is_described(self) -> bool:
        """Do its words say what it is, and nothing else?"""
        is_kind = bool(self.said.fields) or self.section in ("risers", "nvlink")
        return not self.said.rest and is_kind

    @property
    def is_riser(self) -> bool:
        """Do its words say something of risers, of whatever maker?"""
        return self.section == "risers" and bool(self.said.fields or not self.said.rest)

    @property
    def is_memory(self) -> bool:
        """Do its words say enough of memory, and nothing twice?"""
        fields, rest = self.said
        is_typed = fields.keys() & {"type", "kit_modules"} or is_said(self.row.section)
        is_memory = self.section == "memory" and fields.keys() & {"module", "total"} and is_typed
        return bool(is_memory) and not facts_in("memory", rest).fields

    @property
    def is_part(self) -> bool:
        """Is it a part of the catalogue, or described by its words?"""
        is_drive = self.section == "storage" and self.is_described
        is_sized = is_drive and "capacity" in self.said.fields
        return self.answer.is_known or self.is_memory or is_sized

    @property
    def is_sure(self) -> bool:
        """Is it a PSU by its word and its watts, or memory with its maker?"""
        is_psu = "rated_power" in self.said.fields and is_said(self.row.section)
        return is_psu or (self.is_memory and bool(words_of("memory", self.said.rest).makers))

    @property
    def is_worded(self) -> bool:
        """Do its words stay as its name, for they say all of it, and it is no known part?"""
        is_plain = self.section in ("risers", "nvlink")
        is_open = self.answer.asked and not (self.answer.part_id or is_plain)
        # An open frame is one, whoever sells it.
        is_one = (self.is_described or len(self._listed) > 1) and not self.answer.ambiguous
        return is_open and ("part" in self.said.fields or is_one)

    @cached_property
    def _listed(self) -> list[Any]:
        """The parts that its words list, as a build file reads them."""
        with suppress(ValueError):
            count, name = self.row.count, self.row.name
            return pieces(self.section, f"{count}x {name}" if count > 1 else name)
        return []

    @property
    def pieces(self) -> list[Any]:
        """The parts that its words list, where those are several, and none of them a spare."""
        is_plain = all("redundant" not in one for one in self._listed if isinstance(one, dict))
        return self._listed if len(self._listed) > 1 and is_plain else []

    @property
    def facts(self) -> Fields:
        """What is written of a part that is no known model: what its words say."""
        shown = facts_in(self.section, self.row.section).fields
        if self.section == "add_in_cards" and shown and not self.answer.part_id:
            # A card that only shows the picture is one of any model.
            return {"part": printable(self.row.name), **shown}
        is_open = self.answer.asked and not (self.answer.part_id or self.is_worded)
        is_said = self.is_memory if self.section == "memory" else self.section in _BY_TEXT
        return self.said.fields if is_open and is_said else {}


def section_said(row: Row) -> str:
    """The section a row says it belongs to; `NONE` or `ANY` if to none."""
    section = section_of(row.section) if row.section else ANY
    is_shown = section == NONE and facts_in("add_in_cards", row.section).fields
    if is_shown and said_by(row.name) == "gpus":
        return "add_in_cards"
    if section not in (None, ANY):
        return section or NONE
    head = row.name.partition(", ")[0]
    # What a server takes stands behind its name.
    said = said_by(_as_server(head if _WHOLE.search(head) else row.name))
    return begun_by(row.section) if said == ANY else said


def _as_server(name: str) -> str:
    """A name without what it says of the PSUs in a server, in front of which it has another."""
    server, psus = without_psus(name)
    is_model = any(map(str.isdigit, server)) and not name.startswith(psus)
    return server if is_model and psus[:1].isdigit() else name


def called(text: str) -> str:
    """The name of a whole server in a text, with its maker in front; empty if it has none."""
    found = _WHOLE.search(text)
    maker = text[: found.start()].split()[-1:] if found else []
    return " ".join((*(word for word in maker if word[:1].isupper()), found[0])) if found else ""


def is_server(known: dict[str, Answer]) -> bool:
    """Are the parts of a name just the case and the board of one server?"""
    return known.keys() == {*_OF_SERVERS} and is_same_model(*(a.part_id for a in known.values()))


class Asking:
    """Asks the catalogue, each thing once and not without end."""

    def __init__(self, find: Find, numbered: Numbered, series: Series, has_word: HasWord) -> None:
        self._find, self._numbered, self._series, self.has_word = find, numbered, series, has_word
        self._answers: dict[tuple[str, str, str], Answer] = {}
        self._everywhere: dict[tuple[str, str], dict[str, Answer]] = {}

    def about(self, kind: str, row: Row) -> Answer:
        """What the catalogue says of a row."""
        key = (kind, row.name, row.number)
        if key not in self._answers:
            asked = self._left > 0 and len(row.name) <= LONGEST_ASKED
            self._answers[key] = self._ask(kind, row) if asked else Answer(asked=False)
        return self._answers[key]

    def placed(self, row: Row, section: str, **more: Any) -> Place:
        """A row as one of a section."""
        answer = self.about(SECTION_KIND[section], row) if section in SECTION_KIND else _NOT_ASKED
        return Place(row, section, answer, **more)

    def place(self, row: Row) -> Place:
        """Where a row belongs, by its words, or else by what the catalogue knows its name as."""
        found = self.placed(row, said := section_said(row))
        if is_said(row.section):
            return found
        both = {s: self.about(SECTION_KIND[s], row) for s in _OF_SERVERS if said in _OF_SERVERS}
        is_whole = is_server(both) or (
            said in (ANY, NONE, *_OF_SERVERS)
            and (not row.section or is_machine(row.section))
            and bool(_WHOLE.search(row.name))
        )
        if found.is_part and not is_whole:
            return found
        known = None if is_whole else self.everywhere(row)
        if is_whole or (known and is_server(known)):
            # By its number, or as in `We reuse the ThinkStation P620 of Julia`.
            own, short = _SERVER.sub("", row.name), called(row.name)
            names = (own, row.number, "" if own.startswith(short) else short)
            named = (replace(row, name=name) for name in names if name)
            places = [self.placed(one, "case", is_server=True) for one in named]
            return next((at for at in places if at.answer.is_known), places[0])
        fields, rest = facts_in("memory", row.name, row.count) if said == ANY else ({}, "")
        is_memory = "module" in fields and not (rest and words_of("memory", row.name).words)
        only = [*(known or ())] or ["memory"] * is_memory
        if known == {} and said == ANY and not only:
            only = [s for s, kind in SECTION_KIND.items() if kind == self._series(row.name)]
        if len(only) == 1:
            return self.placed(row, only[0], by_name=bool(known) or not is_memory)
        if known and said not in SECTION_KIND:
            return Place(row, ANY, several=known)
        return replace(found, asked=known is not None)

    def knows(self, kind: str, name: str) -> bool:
        """Does something of a kind go by just that name, or several variants?"""
        found, unknown = self._first(kind, (name,))
        return bool(found or (unknown and unknown.ambiguous))

    @property
    def _left(self) -> int:
        """How many more names may be asked for."""
        return MOST_ASKED - len(self._answers) - len(self._everywhere)

    def everywhere(self, row: Row) -> dict[str, Answer] | None:
        """What the catalogue says of a row, by the sections whose kinds know its name.

        None if there were too many names to ask for this one.
        """
        key = (row.name, row.number)
        if key not in self._everywhere:
            missed = sum(not known for known in self._everywhere.values())
            if missed >= MOST_MISSED or self._left <= 0 or not 0 < len(row.name) <= LONGEST_ASKED:
                return None
            of = {s: (SECTION_KIND[s], *key) for s in ORDER}
            answers = {s: self._answers.get(k) or self._ask(k[0], row) for s, k in of.items()}
            self._everywhere[key] = {s: a for s, a in answers.items() if a.is_known}
        return self._everywhere[key]

    def _ask(self, kind: str, row: Row) -> Answer:
        name = printable(_as_server(row.name) if kind in _OF_SERVERS else row.name)
        # What a remark of several words says is for whoever reads the build file.
        bare = of_psus(name)[0] if kind == SECTION_KIND["psus"] else name
        part_id, unknown = self._first(kind, (name, bare, re.sub(phrase("remark"), "", name)))
        if not part_id and (by_number := self._by_number(kind, row)):
            return Answer(by_number, by_number)
        # Words such as `blower` are facts of a card, and no words of its name.
        section = {SECTION_KIND[s]: s for s in _WITH_FACTS}.get(kind, "")
        fields, rest = facts_in(section, name)
        if not part_id and fields and rest:
            part_id = self._first(kind, (rest,))[0]
        if not part_id:
            return Answer("", "", unknown)
        # An amount of memory alone is read as facts, not as the name of a part.
        usable = 0 < len(name) <= LONGEST and not AMOUNT.fullmatch(name)
        return Answer(part_id, name if usable else part_id)

    def _first(self, kind: str, texts: Iterable[str]) -> tuple[str, NameUnknownError | None]:
        """The part that goes by the first of these texts that is a name, or why none does."""
        unknown = None
        for text in dict.fromkeys(texts):
            try:
                if found := self._find(kind, text):
                    return found, None
            except NameUnknownError as error:
                unknown = unknown or error
        return "", unknown

    def _by_number(self, kind: str, row: Row) -> str:
        """The part with the maker's number, if the name agrees with it."""
        numbers = filter(None, (row.number, *row.numbers))
        name = printable(row.name)
        return next(filter(None, (self._numbered(kind, printable(n), name) for n in numbers)), "")
