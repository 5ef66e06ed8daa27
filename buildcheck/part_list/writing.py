"""A part list → the text of a build file.

What the catalogue knows becomes entries. Everything else stays as comments at its place: prices,
shops and links, parts to be chosen by hand with the names nearest to them, parts that no rule
looks at, and lines that cannot be read. Nothing of the list is left out; `_unsaid` sees to that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from buildcheck.load import MOST_PARTS
from buildcheck.model.build import LISTS, MOST, SECTION_KIND
from buildcheck.model.values import LONGEST
from buildcheck.part_list.asking import ORDER, Answer, Asking, Place, place, printable
from buildcheck.part_list.lines import bare
from buildcheck.part_list.markup import plain
from buildcheck.part_list.memory import Facts, facts_of, is_all_memory
from buildcheck.part_list.rows import Line
from buildcheck.part_list.sections import NONE, is_said, said_by
from buildcheck.source import scalar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from buildcheck.part_list.rows import PartList, Row, Total

#: Sections whose unknown parts stay in force: without them a smaller machine would be judged, and
#: pass. Whoever validates the build is asked for them.
_DECISIVE = frozenset({"gpus", "cpu", "motherboard", "psus"})
#: So many names to choose from are shown.
_SHOWN = 12
_TOKEN = re.compile(r"[^\W_]+")
#: Words that stand around a count or a price and say nothing beside it.
_AROUND = frozenset({"x", "qty", "pcs", "purchased", "for", "paid", "at", "from"})
#: Words of parts without which a smaller machine would be judged.
_LOOKS = (
    (
        "psu",
        re.compile(
            r"\b(?:power supply|psu|netzteil)\b|\b80 ?(?:\+|plus)"
            r"|\b\d{3,4} ?w(?:atts?)?\b.{0,200}\b(?:platinum|titanium|gold|bronze|modular|atx)\b"
            r"|\b(?:platinum|titanium|gold|bronze|modular)\b.{0,200}\b\d{3,4} ?w(?:atts?)?\b",
            re.IGNORECASE,
        ),
    ),
    (
        "motherboard",
        re.compile(
            r"\b(?:motherboard|mainboard|mobo|s(?:tr|wr)x\d|lga ?\d{4}|socket sp\d|e-?atx board"
            r"|[bxzw]\d{3}e? (?:aorus|pro|taichi|creator|sage))\b",
            re.IGNORECASE,
        ),
    ),
    (
        "gpu",
        re.compile(
            r"\b(?:graphics card|video card|gpus?|geforce|[rg]tx ?\d{3,4}|radeon)\b", re.IGNORECASE
        ),
    ),
    (
        "cpu",
        re.compile(r"\b(?:processor|\d{1,3}-core|epyc|xeon|threadripper|ryzen)\b", re.IGNORECASE),
    ),
)


_NOT_ASKED = "not looked up: longer than any name, or more parts than any machine has"


class Unresolved(NamedTuple):
    """A part that has to be chosen by hand."""

    row: Row
    #: What kind of part it is, such as `gpu`.
    kind: str
    #: Names of parts it could be, the nearest first.
    near: tuple[str, ...] = ()
    #: Do several parts go by its name?
    ambiguous: bool = False
    #: The kinds of the parts that go by its name, if they are of more than one.
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True)
class Imported:
    """A build file made from a list, and what is left to do by hand."""

    text: str
    unresolved: tuple[Unresolved, ...] = ()
    #: Lines that could not be read; they are comments at the end of the text.
    kept: tuple[Line, ...] = ()
    #: Memory that the catalogue does not have, told by its name.
    by_text: tuple[Row, ...] = ()
    #: How many parts of the list are in force.
    entries: int = 0


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
    #: Of memory without a part: what its name says.
    facts: Facts | None = None

    @property
    def count(self) -> int:
        """How many the list has; of memory told by its name, how many modules."""
        return sum(row.count for row in self.rows) * (self.facts.modules if self.facts else 1)


def to_build(parts: PartList, find: Callable[[str, str], str], origin: str = "") -> Imported:
    """The build file for a list.

    `find` gives the id of the part of a kind that goes by a name, or raises `NameUnknownError`.
    `origin` is what the list is called where it has no address of its own, such as its file.
    """
    making = _Making(Asking(find))
    making.take(parts)
    for section, entries in making.sections.items():
        _limit(section, entries)
    lines = [
        *_head(parts, origin, making),
        *([f"name: {_scalar(printable(parts.title))}"] if parts.title else ()),
        *(line for section in ORDER for line in _section_lines(section, making.sections[section])),
        *_tail(parts, making),
    ]
    entries = [e for section in making.sections.values() for e in section]
    return Imported(
        "\n".join(lines) + "\n",
        tuple(making.unresolved),
        tuple(making.kept),
        tuple(making.by_text),
        sum(not e.left_out for e in entries),
    )


class _Making:
    """The sections as far as rows have been put into them."""

    def __init__(self, asking: Asking) -> None:
        self._asking = asking
        self.sections: dict[str, list[_Entry]] = {section: [] for section in ORDER}
        #: Rows of no section, each with what has to be done about it.
        self.others: list[tuple[Row, list[str]]] = []
        self.unresolved: list[Unresolved] = []
        self.by_text: list[Row] = []
        self.kept: list[Line] = []
        self._keys: dict[tuple[str, str, bool], _Entry] = {}

    def take(self, parts: PartList) -> None:
        """Place all rows, and of the kept lines those that name a part."""
        # The rows first: of a long text not all is asked for.
        placed = [place(row, self._asking) for row in parts.rows]
        typed = {
            self._asking.about(SECTION_KIND[p.section], p.row).part_id
            for p in placed
            if p.section in self.sections
        }
        guessed = [g for row in parts.guesses if (g := self._guess(row, typed))]
        for at in sorted([*placed, *guessed], key=lambda p: p.row.line):
            self._put(at)
        taken = {Line(g.row.line, g.row.raw) for g in guessed}
        self.kept = [line for line in parts.kept if line not in taken]
        self.unresolved.sort(key=lambda u: u.row.line)

    def _guess(self, row: Row, typed: set[str]) -> Place | None:
        """Where a kept line belongs; None if it is not sure to be a part.

        What a row has already is told again, not there twice.
        """
        found = place(row, self._asking)
        short, section = found.row, found.section
        if found.several:
            return found if any(map(str.isdigit, short.name)) else None
        if section in self.sections and found.asked:
            answer = self._asking.about(SECTION_KIND[section], short)
            if answer.part_id:
                return None if answer.part_id in typed else found
            if answer.ambiguous:
                return found if any(map(str.isdigit, short.name)) else None
        short = bare(row)
        facts = facts_of(short.name, short.count, self._asking.has_kind)
        is_memory = facts is not None and is_all_memory(short.name)
        return Place(short, "memory") if is_memory else None

    def _put(self, at: Place) -> None:
        """Make an entry of a row, or keep it for a comment."""
        row, section = at.row, at.section
        if section not in self.sections:
            self._set_aside(at)
            return
        kind = SECTION_KIND[section]
        answer = self._asking.about(kind, row)
        facts = None
        if section == "memory" and answer.asked and not (answer.part_id or answer.ambiguous):
            facts = facts_of(row.name, row.count, self._asking.has_kind)
        if facts:
            self.by_text.append(row)
        elif not answer.part_id:
            self.unresolved.append(Unresolved(row, kind, answer.near, answer.ambiguous))
        key = (section, answer.part_id or row.name, bool(answer.part_id))
        held = self._keys.get(key)
        modules = facts.modules if facts else 1
        if held is not None and held.count + row.count * modules <= MOST:
            held.rows.append(row)
            return
        part = answer.part or printable(row.name)
        stays = answer.part_id or facts or (section in _DECISIVE and 0 < len(part) <= LONGEST)
        why = [*(["its section was found by its name"] if at.by_name else ()), *_why(answer)]
        if facts:
            why = ["not in the catalogue; what follows is read from its name"]
            part = ""
        self._keys[key] = _Entry(part, [row], why, left_out=not stays, facts=facts)
        self.sections[section].append(self._keys[key])

    def _set_aside(self, at: Place) -> None:
        """Keep a row of no section, and say so if the machine needs to have it looked at."""
        row = at.row
        if at.several:
            kinds = tuple(SECTION_KIND[s] for s in at.several)
            near = tuple(
                f"{SECTION_KIND[s]}: {' | '.join([a.part_id] if a.part_id else a.near[:3])}"
                for s, a in at.several.items()
            )
            self.unresolved.append(Unresolved(row, kinds[0], near, ambiguous=True, kinds=kinds))
            self.others.append((row, ["parts of several kinds go by this name:", *near]))
            return
        why = [] if at.asked or is_said(row.section) else [_NOT_ASKED]
        looks = "" if is_said(row.section) else _looks(row.name)
        if looks:
            self.unresolved.append(Unresolved(row, looks))
            why.append(f"it looks like a {looks}, and the catalogue does not have it")
        self.others.append((row, why))


def _looks(name: str) -> str:
    """The kind that a name of no section speaks of, if a machine cannot be judged without it."""
    found = next((kind for kind, pattern in _LOOKS if pattern.search(name)), "")
    # Fans, water blocks and screws are for cards and processors.
    return "" if found in ("gpu", "cpu") and said_by(name) == NONE else found


# -- the catalogue -------------------------------------------------------------


def _why(answer: Answer) -> list[str]:
    """Why a part is no entry, and which ones to choose from."""
    if answer.part_id:
        return []
    if not answer.asked:
        return [_NOT_ASKED]
    if answer.ambiguous:
        return ["more than one part in the catalogue goes by this name", *_choice(answer)]
    return ["not in the catalogue under this name", *_choice(answer)]


def _choice(answer: Answer) -> list[str]:
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
    making: _Making,
) -> Iterator[str]:
    """The comment at the top: where it is from, what it cost, what is left to do."""
    of = f", made {parts.date}" if parts.date else ""
    yield _comment(f"From a part list: {parts.link or origin or 'pasted text'}{of}.")
    yield "# Prices, shops and links are comments; 'line' is the line of the list."
    if parts.total:
        yield _comment(f"Total of the list: {_money(parts.total)}, line {parts.total.line}.")
    entries = [entry for section in making.sections.values() for entry in section]
    unresolved = {unknown.row.line for unknown in making.unresolved}
    out = {row.line for entry in entries if entry.left_out for row in entry.rows}
    out |= unresolved & {row.line for row, _ in making.others}
    asked = unresolved - out
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
    if entry.facts:
        value = [f"module: {entry.facts.module} GB"]
        value += [f"type: {entry.facts.type}"] if entry.facts.type else []
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
            yield mark + printable(text)
        seen.update(more)
    for why in entry.why:
        yield mark + printable(why)
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
    if part != printable(row.name):
        lines.append(row.name)
    number = f"{row.count} {row.count}x x{row.count}"
    extra = f"{row.price.written if row.price else ''} {number}"
    if _unsaid(row.raw, f"{known} {row.name} {extra}"):
        lines.append(f"in the list: {plain(row.raw)[0]}")
    return lines


def _unsaid(raw: str, written: str) -> bool:
    """Has a text words or addresses that are not in what is written?"""
    shown, links, _ = plain(printable(raw))
    words = set(_TOKEN.findall(shown.casefold())) - _AROUND
    clean = printable(written)
    return bool(words - set(_TOKEN.findall(clean.casefold()))) or any(
        printable(link) not in clean for link in links
    )


def _tail(parts: PartList, making: _Making) -> Iterator[str]:
    """What else is on the list: other parts, sums, and lines about it or not understood."""
    if making.others:
        yield "# Also on the list; buildcheck looks at no such parts, or cannot tell what they are:"
    for row, why in making.others:
        number = f"{row.count} x " if row.count > 1 else ""
        yield _comment(f"  {number}{row.name}")
        for text in _said_of(row, printable(row.name), row.name):
            yield _comment(f"    {text}")
        for text in why:
            yield _comment(f"    {text}")
    if parts.totals:
        yield "# Sums of the list:"
    for total in parts.totals:
        yield _comment(f"  line {total.line}, {total.label}: {_money(total)}")
        if _unsaid(total.raw, f"{total.label} {total.price.written}"):
            yield _comment(f"    in the list: {plain(total.raw)[0]}")
    yield from _lines("About the list:", parts.notes)
    yield from _lines("Lines that could not be read:", making.kept)


def _lines(title: str, lines: Iterable[Line]) -> Iterator[str]:
    texts = [_comment(f"  line {line.line}: {line.text}") for line in lines]
    if texts:
        yield f"# {title}"
        yield from texts


def _money(total: Total) -> str:
    return str(total.price)


def _comment(text: str) -> str:
    """A comment, which is one line whatever the text."""
    return "# " + printable(text, strip=False)


def _scalar(text: str) -> str:
    """A name as YAML that reads as that very text.

    Words that other readers take for numbers or truths are single ones, and stand in quotes.
    """
    return scalar(text, quoted=" " not in text and "/" not in text)
