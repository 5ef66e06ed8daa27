"""Text of a part list → its rows, totals, notes, and what could not be read.

A line is a row of a table, or says `Kind: name ($1 @ shop)`, or is below one that names a kind; of
others a link to a product, a price or a bullet has to show that they are parts, and no prose.
"""

import re
from dataclasses import dataclass, field, replace

import buildcheck.importers.part_list.lines as wording
from buildcheck.importers.part_list.cells import PartTable, row_of, table_of
from buildcheck.importers.part_list.looks import guessed, row_by_look, row_by_word, title_of
from buildcheck.importers.part_list.markup import Logical, as_it_will_be, plain, source
from buildcheck.importers.part_list.prices import (
    is_shop,
    priced,
    priced_again,
    priced_below,
    settle,
    total_in,
)
from buildcheck.importers.part_list.quote import taken_off
from buildcheck.importers.part_list.rows import Line, PartList, Row
from buildcheck.model.build import LISTS
from buildcheck.model.money import is_price, price_in
from buildcheck.model.source import OCTETS
from buildcheck.model.vocabulary import vocabulary
from buildcheck.words.keys import section_of

#: No line that names a part is longer, and no list has more lines. What goes beyond is kept as
#: it is, so that a text of megabytes takes no longer than it has to.
LONGEST = 2_000
MOST_LINES = 1_000
#: Lines that could be parts beyond any that a machine has.
_MOST_GUESSES = 200

_SAID = vocabulary("part-lists")["reading"]
_ABOUT = re.compile(_SAID["about"], re.IGNORECASE)
_COUNTRY, _LIST, _DATE, _GAPS = (re.compile(_SAID[n]) for n in ("country", "list", "date", "gaps"))
_BEHIND, _END, _ABOVE, _BULLET, _REMARK = (
    re.compile(_SAID[n]) for n in ("behind", "end", "attribute", "bullet", "remark")
)


def read_list(text: str) -> PartList:
    """What a list says. Never fails: of a text that is no list everything is kept, and no row."""
    reading, text = _Reading(), OCTETS.sub("B", text)
    parts, (lines, past) = reading.parts, as_it_will_be(source(text))
    texts, parts.notes = wording.lines_of(lines), [Line(n.first, n.text.strip()) for n in past]
    title_line, parts.title = title_of(texts) or (None, "")
    for number, line in enumerate(texts):
        if line is title_line:
            parts.notes.append(Line(line.first, line.text.strip()))
        elif number < MOST_LINES and len(line.raw) <= LONGEST:
            if not wording.EMPTY.fullmatch(line.raw):
                reading.take(line)
        else:
            parts.kept.append(Line(line.first, line.raw.strip()))
    reading.give_up()
    priced_again(parts)
    # The country a list is from, by two letters; empty if its links do not say.
    country = _COUNTRY.search(text)
    settle(parts, country[1].lower() if country else "", text)
    parts.totals = [taken_off(t, parts) for t in parts.totals]
    parts.kept.sort()
    return parts


@dataclass
class _Reading:
    """The list as far as it has been read."""

    parts: PartList = field(default_factory=PartList)
    #: The table being read.
    table: PartTable = field(default_factory=PartTable)
    #: A row of it whose last cell is not at its end.
    broken: Logical | None = None
    #: The kind that stands over the lines below it, and its own line until one was read.
    heading: str = ""
    #: Has it a colon, a bullet or the like, as above a list of several, and the last line read.
    is_over: bool = False
    last: int = 0
    waiting: wording.Said | None = None
    #: Is the last row one that goes on over the next lines?
    open: bool = False
    #: The last line of a row of a table.
    last_row: int = 0
    #: Which row is the last one of a table, below which its pieces can be listed.
    head: int | None = None

    def take(self, line: Logical) -> None:
        """Read one line."""
        if line.aside:
            self.parts.notes.append(Line(line.first, line.raw))
            return
        if self.broken:
            line = replace(self.broken, text=f"{self.broken.text} {line.text}")
        goes_on = line.cells is None and len(line.text) <= LONGEST and self.table.is_open(line.text)
        self.broken = line if goes_on else None
        if self.broken:
            return
        filled = [*filter(str.strip, self.table.cells_of(line.text) or [line.text])]
        if not filled[1:] and (remark := _REMARK.match("".join(filled))):
            self.parts.kept += [Line(line.first, t) for t in wording.SENTENCE.split(remark[1])]
            return
        if found := table_of(line):
            self.give_up()
            self.table, self.heading = found, ""
            self.parts.notes.append(Line(line.first, _shown([c.heading for c in found.columns])))
            return
        cells = self.table.cells_of(line.text) if line.cells is None else line.cells
        if cells is None and not self.table.columns and _GAPS.fullmatch(line.text.strip()):
            # `RTX 3090    4    $2,800`: a name, and figures behind wide gaps.
            cells = re.split(r" {2,}| ?\.{4,} ?", line.text.strip())
        if cells is not None and (with_units := self.table.with_units(cells)):
            self.table = with_units
            self.parts.notes.append(Line(line.first, _shown(cells)))
            return
        if cells is None or not self._row_of_cells(line.first, cells):
            for sentence in [line.raw] if cells else wording.SENTENCE.split(line.raw):
                self._line(line.first, sentence)

    # -- tables --------------------------------------------------------------

    def _row_of_cells(self, number: int, cells: list[str]) -> bool:
        """Read a row of a table; False if it is not one."""
        shown, links, _ = plain(" ".join(c.strip() for c in cells))
        said = wording.Said(number, _shown(cells), shown, links)
        texts = [plain(c)[0] for c in cells]
        if self._is_about(said) or self._is_total(said, texts):
            return True
        if is_price(next(filter(None, texts), "")):
            # Pages are copied with prices below the part.
            return self._goes_on(said)
        row = row_of(cells, said, self.table, self.heading)
        self.heading = row.section if row and self.table.columns else self.heading
        row = None if row and wording.is_no_part(row) else row
        bullet = _BULLET.match(row.name) if row else None
        if row and bullet:
            # The price of what is listed in bullets is behind the last of them.
            above = self.parts.rows[self.head] if self.head is not None else row
            if row.price and not above.price and self.head is not None:
                self.parts.rows[self.head] = replace(above, price=row.price, each=row.each)
                row = replace(row, price=None, each=None)
            self._add(wording.with_name(row, row.name[bullet.end() :]))
        elif row:
            self.head, self.last_row = len(self.parts.rows), number
            self._add(row)
        return row is not None

    # -- plain lines ---------------------------------------------------------

    def _line(self, number: int, raw: str) -> None:
        """Read a line that is no row of a table."""
        bullet = _BULLET.match(raw)
        shown, links, tail = plain(raw[bullet.end() :] if bullet else raw)
        shown = shown[:-1] if _END.search(shown) else shown
        price = price_in(shown)
        if price and not shown[: price.start].strip() and (name := _BEHIND.match(shown, price.end)):
            shown = f"{name[1]} {shown[: price.end].strip()}"
        said = wording.Said(
            number, raw.strip(), shown, links, tail, bullet=bool(bullet) and "#" not in raw[:9]
        )
        if not (shown or links) or self._is_about(said) or self._is_total(said, [shown]):
            return
        own = self._of_last(said) if said.bullet and self.heading else said
        if not own or self._is_heading(own) or self._goes_on(own):
            return
        said = own
        last = self.parts.rows[-1] if self.parts.rows and raw[:2].isspace() and not bullet else None
        is_next = self.table.sign == "  " and number == self.last_row + 1
        more = wording.with_name(last, f"{last.name}, {shown}") if last else None
        is_rest = last and (wording.WRAPPED.search(last.name) or shown[:1] in "(+&")
        if last and is_next and (is_rest or shown[:1].islower()):
            # A name that is wrapped.
            more = last = replace(last, name=f"{last.name} {shown}")
        if last and more and more.name == last.name != "":
            # Or words of the line above, further in.
            self.parts.rows[-1], self.last_row = replace(more, raw=f"{last.raw} {shown}"), number
            return
        # Below a table stand remarks, and no more of its last section.
        is_below = self.is_over and number == self.last + 1 and section_of(self.heading) in LISTS
        is_item = (said.bullet or is_below) and not self.table.columns
        below, self.last = self.heading if is_item else "", number
        by_word = row_by_word(said)
        if row := by_word or row_by_look(said, below):
            self.heading = "" if by_word else self.heading
            self._add(row, goes_on=row.price is None)
            return
        self.parts.kept.append(Line(number, said.raw))
        guess = guessed(said) if len(self.parts.guesses) < _MOST_GUESSES else None
        self.parts.guesses += [guess] if guess else []

    def _of_last(self, said: wording.Said) -> wording.Said | None:
        """A line without its label; None if it says something of the part above it."""
        found, rows = _ABOVE.match(said.shown), self.parts.rows
        if not found:
            return said
        size, rest = found["size"], said.shown[found.end() :]
        if not rows or rows[-1].section != self.heading:
            return replace(said, shown=rest) if size else said
        if size:
            name, raw = f"{rows[-1].name} {rest}", f"{rows[-1].raw} {said.raw}"
            rows[-1] = replace(rows[-1], name=name, raw=raw)
        self.parts.notes += [] if size else [Line(said.number, said.raw)]
        return None

    def _is_about(self, said: wording.Said) -> bool:
        """Does a line say something of the list as a whole?"""
        of_list = next((a for a in said.links if _LIST.search(a)), "")
        if not _ABOUT.match(said.shown) and not of_list:
            return False
        self.give_up()
        self.parts.link = self.parts.link or of_list.removesuffix("/by_merchant/")
        date = _DATE.search(said.shown)
        if date and not self.parts.date:
            self.parts.date = date[0]
        self.parts.notes.append(Line(said.number, " ".join((said.shown, *said.links))))
        return True

    def _is_total(self, said: wording.Said, texts: list[str]) -> bool:
        """Is a line a sum, or what is added to or taken off one?"""
        columns = self.table.columns
        held = [(c.role, t) for c, t in zip(columns, texts, strict=False)]
        names = [text for role, text in held if role == "name"]
        remarks = [t for r, t in held if r in ("other", "note") and " " in t and not is_price(t)]
        headings = [self.table.heading(role) for role in ("price", "each", "sum")]
        texts = [text for text in texts if text not in remarks]
        found = total_in(said, texts, names, headings if columns else None)
        if found:
            self.give_up()
            self.parts.totals.append(found)
            self.parts.kept += [Line(said.number, text) for text in remarks]
        return found is not None

    def _is_heading(self, said: wording.Said) -> bool:
        """Is a line nothing but a word for a kind of part?"""
        word = said.shown.removesuffix(":").strip()
        if said.links or word.endswith("-") or section_of(word) is None:
            # Below a title of something else stand no more of these.
            if said.raw.startswith("#") and not any(map(str.isdigit, word)):
                self.give_up()
                self.heading = ""
            return False
        self.give_up()
        self.heading, self.waiting = word, said
        self.is_over = said.bullet or said.raw.endswith(":") or said.raw.startswith("#")
        return True

    def _goes_on(self, said: wording.Said) -> bool:
        """Does a line go on with what the one above began?"""
        if self.waiting and wording.names_part(said, self.waiting):
            row = priced(wording.named(self.heading, said.shown, said, said.tail))
            self.waiting, self.last = None, said.number
            self._add(row, goes_on=True)
            return True
        if self.waiting and section_of(self.heading) in wording.DESCRIBED:
            self.give_up()
        if is_price(said.shown) and self.parts.kept and self.parts.guesses:
            guess = self.parts.guesses[-1]
            if self.parts.kept[-1] == (guess.line, guess.raw) and guess.price is None:
                # What has a price below it is a part.
                self.parts.kept.pop()
                self._add(self.parts.guesses.pop(), goes_on=True)
        return self.open and bool(self.parts.rows) and self._adds_to(self.parts.rows[-1], said)

    def _adds_to(self, last: Row, said: wording.Said) -> bool:
        """Add what a line of a page says to the part above it."""
        new = priced_below(last, said.shown)
        if new is None and self.heading:
            if said.shown.lower() in wording.BUTTONS:
                new = replace(last, note=wording.joined(last.note, said.shown))
            elif said.shown == last.name and not self.is_over:
                # Pages are copied with the name a second time.
                new = last
            elif last.price and not last.shop and is_shop(said.shown):
                new = replace(last, shop=said.shown)
        if new:
            self.parts.rows[-1] = replace(new, link=new.link or next(iter(said.links), ""))
        return new is not None

    # -- bookkeeping ---------------------------------------------------------

    def _add(self, row: Row, *, goes_on: bool = False) -> None:
        self.give_up()
        self.parts.rows.append(row)
        self.open = goes_on

    def give_up(self) -> None:
        """Keep a word for a kind below which nothing follows, or a broken row of a table."""
        if self.broken:
            self.parts.kept.append(Line(self.broken.first, self.broken.raw))
            self.broken = None
        if (said := self.waiting) and section_of(said.shown) in wording.DESCRIBED:
            # `NVLink bridge` alone is one.
            self.parts.rows.append(wording.named(said.shown, said.shown, said, ""))
        elif said:
            self.parts.kept.append(Line(said.number, said.raw))
        self.waiting, self.open = None, False


def _shown(cells: list[str]) -> str:
    return " | ".join(plain(c)[0] for c in cells).strip(" |")
