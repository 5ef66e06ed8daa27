"""A part list → the text of a build file.

What the catalogue knows becomes entries. Everything else stays as comments at its place: prices,
shops and links, parts to be chosen by hand with the names nearest to them, parts that no rule
looks at, and lines that cannot be read. Nothing of the list is left out; `_unsaid` sees to that.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from buildcheck.index import NameUnknownError
from buildcheck.load import MOST_PARTS
from buildcheck.model.build import LISTS, MOST, SECTION_KIND
from buildcheck.model.values import LONGEST
from buildcheck.part_list.markup import plain
from buildcheck.part_list.sections import ANY, NONE, begun_by, said_by, section_of
from buildcheck.source import scalar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from buildcheck.part_list.rows import Line, PartList, Row, Total

#: The sections that hold parts, as the README has them.
_ORDER = (
    *("gpus", "cpu", "motherboard", "cpu_cooler", "memory", "psus", "case", "storage"),
    *("add_in_cards", "risers", "cables", "nvlink", "ups"),
)
#: Sections whose unknown parts stay in force: without them a smaller machine would be judged, and
#: pass. Whoever validates the build is asked for them.
_DECISIVE = frozenset({"gpus", "cpu", "motherboard", "psus"})
#: Asking for a name that is not there takes long; no machine has so many different parts.
MOST_ASKED = 100
#: So many names to choose from are shown.
_SHOWN = 12
#: No name of a part is longer.
_LONGEST_ASKED = 300
_AMOUNT = re.compile(r"[0-9]+\s?[GT]i?B")
_TOKEN = re.compile(r"[^\W_]+")
#: Words that stand around a count or a price and say nothing beside it.
_AROUND = frozenset({"x", "qty", "pcs", "purchased", "for", "paid", "at", "from"})
_SQUASH = re.compile(r"[\W_]+")
_DROPPED = {"Cf": "", "Cs": "\ufffd", "Co": "\ufffd", "Cn": "\ufffd"}


class Unresolved(NamedTuple):
    """A part that has to be chosen by hand."""

    row: Row
    #: What kind of part it is, such as `gpu`.
    kind: str
    #: Names of parts it could be, the nearest first.
    near: tuple[str, ...] = ()
    #: Do several parts go by its name?
    ambiguous: bool = False


@dataclass(frozen=True)
class Imported:
    """A build file made from a list, and what is left to do by hand."""

    text: str
    unresolved: tuple[Unresolved, ...] = ()
    #: Lines that could not be read; they are comments at the end of the text.
    kept: tuple[Line, ...] = ()


@dataclass
class _Entry:
    """What becomes one entry of a section, in force or as a comment."""

    #: How the part is named.
    part: str
    rows: list[Row]
    #: What has to be done about it; empty if nothing.
    why: list[str] = field(default_factory=list)
    #: Is it no more than a comment?
    left_out: bool = False

    @property
    def count(self) -> int:
        """How many the list has."""
        return sum(row.count for row in self.rows)


class _Answer(NamedTuple):
    """What the catalogue says to a row: an id, or what comes near."""

    part_id: str = ""
    #: How to name it in the build file.
    part: str = ""
    near: tuple[str, ...] = ()
    ambiguous: bool = False
    asked: bool = True


def to_build(parts: PartList, find: Callable[[str, str], str], origin: str = "") -> Imported:
    """The build file for a list.

    `find` gives the id of the part of a kind that goes by a name, or raises `NameUnknownError`.
    `origin` is what the list is called where it has no address of its own, such as its file.
    """
    asking = _Asking(find)
    sections: dict[str, list[_Entry]] = {section: [] for section in _ORDER}
    others: list[Row] = []
    unresolved: list[Unresolved] = []
    keys: dict[tuple[str, str, bool], _Entry] = {}
    for row in parts.rows:
        section = _section(row)
        if section not in sections:
            others.append(row)
            continue
        kind = SECTION_KIND[section]
        answer = asking.about(kind, row)
        if not answer.part_id:
            unresolved.append(Unresolved(row, kind, answer.near, answer.ambiguous))
        key = (section, answer.part_id or row.name, bool(answer.part_id))
        held = keys.get(key)
        if held is not None and held.count + row.count <= MOST:
            held.rows.append(row)
        else:
            part = answer.part or _printable(row.name)
            stays = answer.part_id or (section in _DECISIVE and 0 < len(part) <= LONGEST)
            keys[key] = _Entry(part, [row], _why(answer), left_out=not stays)
            sections[section].append(keys[key])
    for section, entries in sections.items():
        _limit(section, entries)
    lines = [
        *_head(parts, origin, unresolved, sections),
        *(line for section in _ORDER for line in _section_lines(section, sections[section])),
        *_tail(parts, others),
    ]
    return Imported("\n".join(lines) + "\n", tuple(unresolved), parts.kept)


def _section(row: Row) -> str:
    """The section a row belongs to; `NONE` or `ANY` if to none."""
    section = section_of(row.section) if row.section else ANY
    if section not in (None, ANY):
        return section or NONE
    said = said_by(row.name)
    return begun_by(row.section) if said == ANY else said


# -- the catalogue -------------------------------------------------------------


class _Asking:
    """Asks the catalogue, each thing once and not without end."""

    def __init__(self, find: Callable[[str, str], str]) -> None:
        self._find = find
        self._answers: dict[tuple[str, str, str], _Answer] = {}

    def about(self, kind: str, row: Row) -> _Answer:
        """What the catalogue says of a row."""
        key = (kind, row.name, row.number)
        if key not in self._answers:
            asked = len(self._answers) < MOST_ASKED and len(row.name) <= _LONGEST_ASKED
            self._answers[key] = self._ask(kind, row) if asked else _Answer(asked=False)
        return self._answers[key]

    def _ask(self, kind: str, row: Row) -> _Answer:
        name = _printable(row.name)
        try:
            part_id = self._find(kind, name)
        except NameUnknownError as error:
            by_number = self._by_number(kind, name, row.number)
            if by_number:
                return _Answer(by_number, by_number)
            return _Answer(near=tuple(error.near), ambiguous=error.ambiguous)
        # An amount of memory alone is read as facts, not as the name of a part.
        usable = 0 < len(name) <= LONGEST and not _AMOUNT.fullmatch(name)
        return _Answer(part_id, name if usable else part_id)

    def _by_number(self, kind: str, name: str, number: str) -> str:
        """The part with the maker's number, if it is of the maker the name begins with.

        Numbers of several makers look alike, and addresses of products hold other words.
        """
        if not number:
            return ""
        try:
            part_id = self._find(kind, _printable(number))
        except NameUnknownError:
            return ""
        maker = _SQUASH.sub("", part_id.split("/")[1])
        return part_id if _SQUASH.sub("", name.lower()).startswith(maker) else ""


def _why(answer: _Answer) -> list[str]:
    """Why a part is no entry, and which ones to choose from."""
    if answer.part_id:
        return []
    if not answer.asked:
        return ["not looked up: longer than any name, or more parts than any machine has"]
    if answer.ambiguous:
        return ["more than one part in the catalogue goes by this name", *_choice(answer)]
    return ["not in the catalogue under this name", *_choice(answer)]


def _choice(answer: _Answer) -> list[str]:
    more = " | …" if len(answer.near) > _SHOWN else ""
    return [f"one of: {' | '.join(answer.near[:_SHOWN])}{more}"] if answer.near else []


def _limit(section: str, entries: list[_Entry]) -> None:
    """Leave as comments what is more than the section takes."""
    most = MOST_PARTS.get(section, MOST)
    taken = 0
    single = section not in LISTS
    for entry in entries:
        if entry.left_out:
            continue
        if single and taken:
            entry.why.append("a machine has one entry here; this one is left out")
        elif taken + entry.count > most:
            entry.why.append(f"more than the {most} that are checked")
        else:
            taken += entry.count
            continue
        entry.left_out = True


# -- the text ------------------------------------------------------------------


def _head(
    parts: PartList,
    origin: str,
    unresolved: list[Unresolved],
    sections: dict[str, list[_Entry]],
) -> Iterator[str]:
    """The comment at the top: where it is from, what it cost, what is left to do."""
    of = f", made {parts.date}" if parts.date else ""
    yield _comment(f"From a part list: {parts.link or origin or 'pasted text'}{of}.")
    yield "# Prices, shops and links are comments; 'line' is the line of the list."
    if parts.total:
        yield _comment(f"Total of the list: {_money(parts.total)}, line {parts.total.line}.")
    entries = [entry for section in sections.values() for entry in section]
    out = {row.line for entry in entries if entry.left_out for row in entry.rows}
    asked = {unknown.row.line for unknown in unresolved} - out
    if asked:
        yield _comment(f"To be chosen by hand before this can be checked: {_numbers(asked)}.")
    if out:
        yield _comment(f"Not in this build yet, to be chosen by hand: {_numbers(out)}.")
        yield "# Until then less is checked than the list has."
    yield "# No list says where the machine will stand and what for: add 'site' and 'workload'."


def _numbers(lines: set[int]) -> str:
    return f"{'line' if len(lines) == 1 else 'lines'} {', '.join(map(str, sorted(lines)))}"


def _section_lines(section: str, entries: list[_Entry]) -> Iterator[str]:
    """A section with its entries; all of it in comments if none is in force."""
    in_force = any(not entry.left_out for entry in entries)
    if section == "gpus" and not in_force:
        none = "none of its graphics cards can be looked up" if entries else "it has none"
        yield f"# A build needs 'gpus', and of this list {none}."
    if not entries:
        return
    yield f"{section}:" if in_force else f"# {section}:"
    for entry in entries:
        yield from _entry_lines(section, entry, in_force=in_force)


def _entry_lines(section: str, entry: _Entry, *, in_force: bool) -> Iterator[str]:
    """One entry below what the list says of it."""
    mark = "  # " if in_force else "#   "
    value = [f"part: {_scalar(entry.part)}"]
    if entry.count > 1 and (section in LISTS or section == "cpu"):
        value.append(f"count: {entry.count}")
    if section in LISTS:
        value = [("- " if at == 0 else "  ") + line for at, line in enumerate(value)]
    written = " ".join([section, *value])
    seen: set[str] = set()
    for row in entry.rows:
        first, *more = _said_of(row, entry.part, written)
        # Rows of one part have the same link.
        for text in (first, *(m for m in more if m not in seen)):
            yield mark + _printable(text)
        seen.update(more)
    for why in entry.why:
        yield mark + _printable(why)
    if entry.count > 1 and section not in LISTS and section != "cpu":
        yield f"{mark}the list has {entry.count} of these; the build file takes one"
    for line in value:
        yield mark + line if entry.left_out else f"  {line}"


def _said_of(row: Row, part: str, written: str) -> list[str]:
    """What a list says of a part that is written so, beside its name; in lines of comments."""
    price = f"purchased for {row.price}" if row.price and row.paid else str(row.price or "no price")
    several = "each" if row.each else f"price of one or of all {row.count}"
    several = several if row.price and row.count > 1 else ""
    said = [price + (f" at {row.shop}" if row.shop else ""), several, row.note]
    word = f", {row.section}" if row.section else ""
    lines = [f"line {row.line}{word}: {'; '.join(filter(None, said))}"]
    if row.number and row.number.lower() not in row.link.lower():
        lines.append(f"number: {row.number}")
    if row.link:
        lines.append(row.link)
    known = " ".join((written, *lines))
    if part != _printable(row.name):
        lines.append(row.name)
    number = f"{row.count} {row.count}x x{row.count}"
    extra = f"{row.price.written if row.price else ''} {number}"
    if _unsaid(row.raw, f"{known} {row.name} {extra}"):
        lines.append(f"in the list: {plain(row.raw)[0]}")
    return lines


def _unsaid(raw: str, written: str) -> bool:
    """Has a text words or addresses that are not in what is written?"""
    shown, links, _ = plain(_printable(raw))
    words = set(_TOKEN.findall(shown.casefold())) - _AROUND
    clean = _printable(written)
    return bool(words - set(_TOKEN.findall(clean.casefold()))) or any(
        _printable(link) not in clean for link in links
    )


def _tail(parts: PartList, others: Iterable[Row]) -> Iterator[str]:
    """What else is on the list: other parts, sums, and lines about it or not understood."""
    rows = list(others)
    if rows:
        yield "# Also on the list; buildcheck looks at no such parts, or cannot tell what they are:"
    for row in rows:
        number = f"{row.count} x " if row.count > 1 else ""
        yield _comment(f"  {number}{row.name}")
        for text in _said_of(row, _printable(row.name), row.name):
            yield _comment(f"    {text}")
    if parts.totals:
        yield "# Sums of the list:"
    for total in parts.totals:
        yield _comment(f"  line {total.line}, {total.label}: {_money(total)}")
        if _unsaid(total.raw, f"{total.label} {total.price.written}"):
            yield _comment(f"    in the list: {plain(total.raw)[0]}")
    yield from _lines("About the list:", parts.notes)
    yield from _lines("Lines that could not be read:", parts.kept)


def _lines(title: str, lines: Iterable[Line]) -> Iterator[str]:
    texts = [_comment(f"  line {line.line}: {line.text}") for line in lines]
    if texts:
        yield f"# {title}"
        yield from texts


def _money(total: Total) -> str:
    return str(total.price)


def _comment(text: str) -> str:
    """A comment, which is one line whatever the text."""
    return "# " + _printable(text, strip=False)


def _printable(text: str, *, strip: bool = True) -> str:
    """A text without what ends lines, hides or turns round what stands after it."""
    if not text.isprintable():
        text = "".join(c if c.isprintable() else _instead(c) for c in text)
    return " ".join(text.split()) if strip else text.rstrip()


def _instead(character: str) -> str:
    return _DROPPED.get(unicodedata.category(character), " ")


def _scalar(text: str) -> str:
    """A name as YAML that reads as that very text.

    Words that other readers take for numbers or truths are single ones, and stand in quotes.
    """
    return scalar(text, quoted=" " not in text and "/" not in text)
