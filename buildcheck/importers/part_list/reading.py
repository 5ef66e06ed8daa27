"""Text of a part list → its rows, totals, notes, and what could not be read.

Works line by line. A line is a row of a table, or says `Kind: name ($1 @ shop)`, or is below
a line that names a kind. Of a line without any word for a kind, a link to a product, a price or a
bullet has to show that it is a part: what is prose is kept, and no part is made of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from buildcheck.importers.part_list.cells import (
    PartTable,
    columns,
    row_by_columns,
    row_by_order,
    table_of,
)
from buildcheck.importers.part_list.lines import (
    BUTTONS,
    EMPTY,
    JOINS,
    NAME,
    PRODUCT,
    WORD,
    Said,
    could_be_part,
    is_described,
    is_prose,
    is_shop,
    joined,
    named,
    names_part,
    title_of,
    with_name,
)
from buildcheck.importers.part_list.markup import Logical, plain, source
from buildcheck.importers.part_list.prices import (
    before_price,
    cost_in,
    last_price,
    priced,
    settled,
    with_cost,
)
from buildcheck.importers.part_list.quote import taken_off
from buildcheck.importers.part_list.rows import Line, Money, PartList, Row, Total
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.money import bare_amount, currency_in, is_price, local, price_in
from buildcheck.model.price import shares_in
from buildcheck.model.source import OCTETS
from buildcheck.model.vocabulary import vocabulary
from buildcheck.words.entry import entry_of, number_in
from buildcheck.words.keys import ANY, charge_of, leading, said_by, section_of

#: No line that names a part is longer, and no list has more lines. What goes beyond is kept as
#: it is, so that a text of megabytes takes no longer than it has to.
LONGEST = 2_000
MOST_LINES = 5_000
#: Lines that could be parts beyond any that a machine has.
_MOST_GUESSES, _LONGEST_GUESS = 200, 400

_COUNTRY = re.compile(r"//([a-z]{2})\.pcpartpicker\.com/", re.IGNORECASE)
_LIST = re.compile(r"pcpartpicker\.com/(?:list|user|guide|b)/", re.IGNORECASE)
_BULLET = re.compile(r"\s{0,20}(?:(?:#{1,6}|[>*•+–—-]|//|\d{1,2}[.)]|\[[ xX]\])\s+){1,4}")
_SAID = vocabulary("part-lists")["reading"]
_ABOUT = re.compile(_SAID["about"], re.IGNORECASE)
_END = re.compile(r"(?<=[\w)]{3})\.$")
#: A part behind its price: `690 € - RTX 3090`.
_BEHIND = re.compile(r"\s*[-–—:]\s+(\S.*)")
_SENTENCE, _IS = re.compile(_SAID["sentence"]), re.compile(_SAID["is"])
_DATE = re.compile(r"\b\d{4}-\d\d-\d\d(?: \d\d:\d\d(?::\d\d)?)?(?: [A-Z]{2,4}(?:[+-]\d{4})?)?")
#: The word at the begin of a line, with emphasis.
_BOLD = re.compile(r"[\W\d]{0,9}(?:\*\*|__)([^*_]{2,40})(?:\*\*|__)")
_LABEL = re.compile(r"[A-Z][A-Za-z /-]{2,20}|\d+ ?[GT]B")
_NO_PART = re.compile(vocabulary("part-lists")["lines"]["no_part"])
_POINT, _REMARK = re.compile(_SAID["point"]), re.compile(_SAID["aside"])
_COUNT_BELOW = re.compile(vocabulary("part-lists")["lines"]["count_below"], re.IGNORECASE)


def read_list(text: str) -> PartList:
    """What a list says. Never fails: of a text that is no list everything is kept, and no row."""
    reading, text = _Reading(), OCTETS.sub("B", text)
    parts, lines = reading.parts, _with_counts(source(text))
    title_line, parts.title = title_of(lines) or (None, "")
    for number, line in enumerate(lines):
        if line is title_line:
            parts.notes.append(Line(line.first, line.text.strip()))
        elif number < MOST_LINES and len(line.raw) <= LONGEST:
            reading.take(line)
        else:
            parts.kept.append(Line(line.first, line.raw.strip()))
    reading.give_up()
    # The country a list is from, by two letters; empty if its links do not say.
    country = _COUNTRY.search(text)
    _settle(parts, country[1].lower() if country else "", text)
    return parts


def _with_counts(lines: list[Logical]) -> list[Logical]:
    """Lines, with a count that stands alone in a line in front of the one above it."""
    found: list[Logical] = []
    for line in lines:
        above = found[-1] if found else None
        below = _COUNT_BELOW.fullmatch(line.text) if line.cells is None else None
        is_part = above and above.cells is None and NAME.search(above.text)
        if below and above and is_part and price_in(above.text) is None:
            text = f"{below[2]} x {above.text.strip()}  {below[3]}"
            found[-1] = replace(above, text=text)
        else:
            found.append(line)
    return found


def _settle(parts: PartList, country: str, text: str) -> None:
    """Put prices into the currency of a country, or of the list, by its words or its tax."""
    rows = (*parts.rows, *parts.guesses)
    prices = [*(r.price for r in rows), *(t.price for t in parts.totals)]
    found = {local(money.currency, country) for money in prices if money and money.currency}
    only = found.pop() if len(found) == 1 else None
    if prices and not any(price and price.currency for price in prices):
        stated = {code for line in text.splitlines() if (code := currency_in(line))}
        stated = stated or {code for tax, code in _SAID["taxes"] if re.search(tax, text)}
        only = local(stated.pop(), country) if len(stated) == 1 else None

    def settle(lines: list[Any]) -> list[Any]:
        """Lines with their money in its currency; without any it is in the one of the list."""
        codes = [at.price and (local(at.price.currency, country) or only) for at in lines]
        both = zip(lines, codes, strict=True)
        return [replace(a, price=a.price and a.price._replace(currency=c)) for a, c in both]

    parts.totals, parts.guesses = settle(parts.totals), settle(parts.guesses)
    parts.rows = settled(settle(parts.rows), parts.totals)
    parts.totals = [taken_off(t, parts) for t in parts.totals]
    parts.kept.sort()


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
    waiting: Said | None = None
    #: Is the last row one that goes on over the next lines?
    open: bool = False
    #: Which row is the last one of a table, below which its pieces can be listed.
    head: int | None = None

    def take(self, line: Logical) -> None:
        """Read one line."""
        if EMPTY.fullmatch(line.raw):
            return
        if line.aside:
            self.parts.notes.append(Line(line.first, line.raw))
            return
        if self.broken:
            line = replace(self.broken, text=f"{self.broken.text} {line.text}")
        goes_on = line.cells is None and len(line.text) <= LONGEST and self.table.is_open(line.text)
        self.broken = line if goes_on else None
        if self.broken:
            return
        found = table_of(line.text) if line.cells is None else PartTable(columns(line.cells))
        if found and found.columns:
            self.give_up()
            self.table, self.heading = found, ""
            self.parts.notes.append(Line(line.first, _shown([c.heading for c in found.columns])))
            return
        cells = self.table.cells_of(line.text) if line.cells is None else line.cells
        if cells is not None and (with_units := self.table.with_units(cells)):
            self.table = with_units
            self.parts.notes.append(Line(line.first, _shown(cells)))
            return
        if cells is None or not self._row_of_cells(line.first, cells):
            for sentence in [line.raw] if cells else _SENTENCE.split(line.raw):
                self._line(line.first, sentence)

    # -- tables --------------------------------------------------------------

    def _row_of_cells(self, number: int, cells: list[str]) -> bool:
        """Read a row of a table; False if it is not one."""
        shown, links, _ = plain(" ".join(c.strip() for c in cells))
        said = Said(number, _shown(cells), shown, links)
        texts = [plain(c)[0] for c in cells]
        if self._is_about(said) or self._is_total(said, texts):
            return True
        if is_price(next(filter(None, texts), "")):
            # Pages are copied with prices below the part.
            return self._goes_on(said)
        row = row_by_columns(cells, said, self.table, self.heading)
        if row:
            self.heading = row.section
        final = any(c.heading.lower().startswith("base") for c in self.table.columns)
        row = row or row_by_order(texts, said, last=final)
        bullet = _BULLET.match(row.name) if row else None
        if row and bullet:
            # The price of what is listed in bullets is behind the last of them.
            above = self.parts.rows[self.head] if self.head is not None else row
            if row.price and not above.price and self.head is not None:
                self.parts.rows[self.head] = replace(above, price=row.price, each=row.each)
                row = replace(row, price=None, each=None)
            self._add(with_name(row, row.name[bullet.end() :]))
        elif row:
            self.head = len(self.parts.rows)
            self._add(row)
        return row is not None

    # -- plain lines ---------------------------------------------------------

    def _line(self, number: int, raw: str) -> None:
        """Read a line that is no row of a table."""
        bullet = _BULLET.match(raw)
        stripped = raw[bullet.end() :] if bullet else raw
        shown, links, tail = plain(stripped)
        shown = shown[:-1] if _END.search(shown) else shown
        price = price_in(shown)
        if price and not shown[: price.start].strip() and (name := _BEHIND.match(shown, price.end)):
            shown = f"{name[1]} {shown[: price.end].strip()}"
        said = Said(
            number, raw.strip(), shown, links, tail, bullet=bool(bullet) and "#" not in raw[:9]
        )
        if not shown and not links:
            return
        if self._is_about(said) or self._is_total(said, [shown]):
            return
        if self._is_heading(said) or self._goes_on(said):
            return
        last = self.parts.rows[-1] if self.parts.rows and raw[:2].isspace() and not bullet else None
        more = with_name(last, f"{last.name}, {shown}") if last else None
        if last and more and more.name == last.name != "":
            # Words of the line above, further in.
            self.parts.rows[-1] = replace(more, raw=f"{last.raw} {shown}")
            return
        by_word = _by_word(said)
        row = by_word or self._by_look(said)
        if row:
            self.heading = "" if by_word else self.heading
            self._add(row, goes_on=row.price is None)
        else:
            self.parts.kept.append(Line(number, said.raw))
            self._guess(said)

    def _guess(self, said: Said) -> None:
        """Note what a line would say if it were a part: whoever has a catalogue can tell."""
        if len(self.parts.guesses) >= _MOST_GUESSES or len(said.shown) > _LONGEST_GUESS:
            return
        label, _, rest = said.shown.partition(": ")
        is_counted = _LABEL.fullmatch(label) and entry_of(rest).count is not None
        row = priced(named("", rest if is_counted else said.shown, said, said.tail))
        row = with_name(row, row.name.strip(" |,"))
        names = [entry_of(name, priced=False).name for name in JOINS.split(row.name)]
        of_text = said.raw.startswith("##") or is_prose(row.name) or _is_point(names[0])
        if not of_text and "|" not in row.name and could_be_part(names[0]):
            self.parts.guesses.append(row)

    def _is_about(self, said: Said) -> bool:
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

    def _is_total(self, said: Said, texts: list[str]) -> bool:
        """Is a line a sum, or what is added to or taken off one?"""
        names = [t for c, t in zip(self.table.columns, texts, strict=False) if c.role == "name"]
        # A quantity of one, and the price again as its sum, are no part of the label.
        texts = [t for t in dict.fromkeys(texts) if not number_in(t)]
        joined = " ".join(t for t in texts if t)
        price = price_in(joined)
        # Only below a heading that says so is a bare number money.
        bare = (t for t in reversed(texts) if self.table.columns and bare_amount(t) is not None)
        written = "" if price else next(bare, "")
        before = before_price(joined) if price else " ".join(t for t in texts if t != written)
        labels = [before, before + joined[price.end :] if price else before, *names]
        labels = [text.strip(" :-–*()|=;,") for text in labels]
        labels = [text + ")" * (text.count("(") - text.count(")")) for text in labels]
        if not (label := next(filter(charge_of, labels), "")):
            return False
        headings = map(self.table.heading, ("price", "each", "sum"))
        cost = cost_in(written, " ".join((before, *headings)), bare=True)
        cost = cost_in(joined[len(before) :]) if price else cost
        # Of a share that is taken off it is not known yet how much that is.
        share = charge_of(label) == "discount" and shares_in(label)
        money = cost.money or (Money(Decimal(0), None) if share else None)
        if money is None or cost.paid:
            return False
        self.give_up()
        self.parts.totals.append(Total(said.number, label, money, said.raw, charge_of(label)))
        return True

    def _is_heading(self, said: Said) -> bool:
        """Is a line nothing but a word for a kind of part?"""
        word = said.shown.removesuffix(":").strip()
        if said.links or word.endswith("-") or section_of(word) is None:
            return False
        self.give_up()
        self.heading, self.waiting = word, said
        return True

    def _goes_on(self, said: Said) -> bool:
        """Does a line go on with what the one above began?"""
        if self.waiting and names_part(said, self.waiting):
            row = priced(named(self.heading, said.shown, said, said.tail))
            self.waiting = None
            self._add(row, goes_on=True)
            return True
        if is_price(said.shown) and self.parts.kept and self.parts.guesses:
            guess = self.parts.guesses[-1]
            if self.parts.kept[-1] == (guess.line, guess.raw) and guess.price is None:
                # What has a price below it is a part.
                self.parts.kept.pop()
                self._add(self.parts.guesses.pop(), goes_on=True)
        return self.open and bool(self.parts.rows) and self._adds_to(self.parts.rows[-1], said)

    def _adds_to(self, last: Row, said: Said) -> bool:
        """Add what a line of a page says to the part above it."""
        new = None
        price, of_page = price_in(said.shown), bool(self.heading)
        if price and last.price is None and not WORD.search(before_price(said.shown)):
            cost = cost_in(last_price(said.shown))
            new = with_cost(last, cost._replace(note=said.shown.replace(cost.written, "", 1)))
        elif of_page and said.shown.lower() in BUTTONS:
            new = replace(last, note=joined(last.note, said.shown))
        elif of_page and said.shown == last.name:
            new = last
        elif of_page and last.price and not last.shop and not price and is_shop(said.shown):
            new = replace(last, shop=said.shown)
        if new:
            link = next(iter(said.links), "")
            self.parts.rows[-1] = replace(new, link=new.link or link)
        return new is not None

    def _by_look(self, said: Said) -> Row | None:
        """A line without a word for the kind, if it looks like a part."""
        row = priced(named("", said.shown, said, said.tail))
        of_product = any(map(PRODUCT.search, said.links))
        described = is_described(said_by(row.name), row.name)
        is_point = _is_point(row.name) and not described
        known = said_by(row.name) != ANY and (bool(row.price) or not is_point)
        # Below a table stand remarks, and no more of its last section.
        below = bool(self.heading) and said.bullet and not self.table.columns
        counted = entry_of(said.shown).count is not None and not is_point
        if not NAME.match(row.name) or is_prose(row.name):
            return None
        known = known and (bool(row.price) or said.bullet or described)
        if not (of_product or counted or known or below):
            return None
        return replace(row, section=self.heading if below else "")

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
        if self.waiting:
            self.parts.kept.append(Line(self.waiting.number, self.waiting.raw))
        self.waiting, self.open = None, False


def _is_point(text: str) -> bool:
    """Has a line words of a text, but for remarks behind a part?"""
    return bool(_POINT.search(_REMARK.sub("", text)))


def _shown(cells: list[str]) -> str:
    return " | ".join(plain(c)[0] for c in cells).strip(" |")


def _by_word(said: Said) -> Row | None:
    """`Kind: name ($1 @ shop)`, `**Kind** name`, or `Kind name $1`, as pages are copied."""
    word, rest = _word_and_rest(replace(said, shown=_IS.sub(r"\1: ", said.shown)))
    row = priced(named(word, rest, said, said.tail)) if rest.strip(" -–—") else None
    is_part = row and NAME.match(row.name) and not _NO_PART.fullmatch(row.name)
    return row if is_part else None


def _word_and_rest(said: Said) -> tuple[str, str]:
    """The word for a kind that a line begins with, and what follows it."""
    for sign in (":", " - "):
        word, found, rest = said.shown.partition(sign)
        if found and section_of(word) is not None:
            return word, rest
        # Some other label, before what is a part by its own words: `Data: 2x 4TB NVMe`.
        is_part = bool(found) and said_by(entry_of(rest.strip()).name) in SECTION_KIND
        if is_part and _LABEL.fullmatch(word) and not is_prose(said.shown):
            return word, rest
    bold = _BOLD.match(said.raw)
    word = plain(bold[1])[0] if bold else ""
    if word and section_of(word) is not None:
        return word, said.shown.removeprefix(word)
    word, rest = leading(said.shown)
    is_part = bool(price_in(rest)) or any(map(PRODUCT.search, said.links))
    return (word, rest) if word and is_part and not is_prose(rest) else ("", "")
