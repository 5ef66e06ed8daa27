"""What a part list says, row by row, and what becomes of the rows.

Plain values. Every line of the text that is not blank is in one place: a row, a total, a
note, or among those that cannot be read. Lines of markup alone say nothing and are left out.
"""

import dataclasses
from dataclasses import field
from decimal import Decimal
from typing import Any, NamedTuple

from buildcheck.errors import NameUnknownError
from buildcheck.model.build import LISTS, MOST, MOST_ENTRIES
from buildcheck.model.frozen import Frozen
from buildcheck.model.money import Money as ExactMoney
from buildcheck.words.facts import Fields

#: Most characters of a line that could be a part.
LONGEST_GUESS = 400


class Money(NamedTuple):
    """An amount, and in what."""

    amount: Decimal
    #: Three letters where that is clear, else the sign; None if there is none.
    currency: str | None
    #: As the list writes it.
    written: str = ""
    #: Does the list give it as no exact one?
    about: bool = False

    def __str__(self) -> str:
        """The amount with its cents, such as `1234.50 EUR`."""
        about = "about" if self.about else ""
        return " ".join(filter(None, (about, f"{self.amount:.2f}", self.currency)))


class Line(NamedTuple):
    """A line as it is: its number, from 1, and its text."""

    line: int
    text: str


class Answer(NamedTuple):
    """What the catalogue says to a row: an id, or what comes near."""

    part_id: str = ""
    #: How to name it in the build file.
    part: str = ""
    unknown: NameUnknownError | None = None
    asked: bool = True

    @property
    def near(self) -> tuple[str, ...]:
        """The names nearest to it, which are looked for when somebody wants to see them."""
        return tuple(self.unknown.near) if self.unknown else ()

    @property
    def ambiguous(self) -> bool:
        """Do several parts go by the name?"""
        return bool(self.unknown and self.unknown.ambiguous)

    @property
    def is_known(self) -> bool:
        """Does a part go by the name, or several?"""
        return bool(self.part_id or self.ambiguous)


class Row(Frozen):
    """One part on the list."""

    #: The word for the kind of part as the list has it; empty if it has none.
    section: str
    #: The part as the list names it.
    name: str
    #: The first line it was read from, from 1.
    line: int
    #: The line as it is; of a row of a table what it shows, with bars between the cells.
    raw: str
    count: int = 1
    price: Money | None = None
    shop: str = ""
    #: Where the list links to.
    link: str = ""
    #: Remark on a part, such as "(2-Way SLI)".
    note: str = ""
    #: The maker's number where the list has a column for it, and what could be it otherwise.
    number: str = ""
    numbers: tuple[str, ...] = ()
    #: Settings in the words around the name, such as a power limit, by keys of a build file.
    settings: dict[str, Any] = field(default_factory=dict)
    #: Is the price what was paid ("Purchased For")?
    paid: bool = False
    #: Is the price of one piece, or of all; None if the list does not say.
    each: bool | None = None
    lead_time: str = ""
    #: Is it there already, so that it has no price to pay?
    owned: bool = False
    #: Why the row cannot be an entry, such as a quantity that is no number.
    fault: str = ""

    @property
    def at(self) -> Line:
        """Its line."""
        return Line(self.line, self.raw)


class Total(Frozen):
    """A sum the list states, or what is added to or taken off one."""

    line: int
    #: What the list calls it.
    label: str
    price: Money
    raw: str
    #: Is it a `sum`, or a `discount`, a `tax`, `shipping`?
    kind: str = "sum"


@dataclasses.dataclass
class PartList:
    """A whole list."""

    rows: list[Row] = field(default_factory=list)
    totals: list[Total] = field(default_factory=list)
    #: Lines about the list: where it is from, what prices include, when it was made.
    notes: list[Line] = field(default_factory=list)
    #: Lines nothing could be made of.
    kept: list[Line] = field(default_factory=list)
    #: The list's own address.
    link: str = ""
    #: When it was made, as it says, such as "2017-05-16 21:34 EDT-0400".
    date: str = ""
    #: What those of the kept lines say that a catalogue could know, each as a row of no section.
    guesses: list[Row] = field(default_factory=list)
    #: What the list calls the machine; empty if it does not.
    title: str = ""

    @property
    def titled(self) -> list[Line]:
        """The line that is the title, if there is one."""
        return [n for n in self.notes if self.title and n.text.endswith(self.title)]

    @property
    def priced(self) -> list[Row]:
        """All rows, and of the other lines those with a price, in their order."""
        guessed = [row for row in self.guesses if row.price]
        return sorted([*self.rows, *guessed], key=lambda row: row.line)

    def of(self, *kinds: str) -> list[Total]:
        """The sums it states, or what is added to or taken off one."""
        return [t for t in self.totals if t.kind in kinds]

    @property
    def total(self) -> Total | None:
        """The last sum the list states; that is the one to pay."""
        return next(reversed(self.of("sum")), None)


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


@dataclasses.dataclass
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
    #: Parts that only a sentence names, or a line on another part.
    in_text: list[Row] = field(default_factory=list)
    #: Parts that no check looks at.
    aside: list[Row] = field(default_factory=list)
    #: How many parts of the list are in force.
    entries: int = 0
    #: A stated sum, and what the lines come to instead.
    mismatch: tuple[Total, ExactMoney] | None = None


@dataclasses.dataclass
class Entry:
    """What becomes one entry of a section, in force or as a comment."""

    #: How the part is named; empty if its facts are written.
    part: str
    rows: list[Row]
    facts: Fields
    price: str
    #: What has to be done about it, by codes of the template; empty if nothing.
    why: list[str]
    #: Names of parts it could be.
    near: tuple[str, ...]
    #: Is it no more than a comment?
    left_out: bool

    @property
    def count(self) -> int:
        """How many the list has."""
        return sum(row.count for row in self.rows)

    def takes(self, row: Row) -> bool:
        """Is a further row of the same part one of this entry?"""
        return self.count + row.count <= MOST and self.rows[0].settings == row.settings


def most(section: str) -> int:
    """How many parts a section takes."""
    return MOST_ENTRIES.get(section, MOST)


def limit(section: str, entries: list[Entry]) -> list[Entry]:
    """Leave as comments what is more than the section takes; the entries that are too many."""
    taken, left = 0, list[Entry]()
    for entry in (entry for entry in entries if not entry.left_out):
        if section not in LISTS and taken:
            entry.why.append("only-one")
        elif taken + entry.count > most(section):
            entry.why.append("too-many")
            left.append(entry)
        else:
            taken += entry.count
            continue
        entry.left_out = True
    return left
