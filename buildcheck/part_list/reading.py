"""Text of a part list → its rows, totals, notes, and what could not be read.

Works line by line. A line is a row of a table, or says `Kind: name ($1 @ shop)`, or stands below
a line that names a kind. Of a line without any word for a kind, a link to a product, a price or a
bullet has to show that it is a part: what is prose is kept, and no part is made of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from buildcheck.part_list.cells import cells_of, columns, delimiter_of
from buildcheck.part_list.lines import (
    BUTTONS,
    EMPTY,
    NAME,
    NO_PRICE,
    PRODUCT,
    WORD,
    Said,
    could_be_part,
    counted,
    is_prose,
    is_shop,
    joined,
    last_price,
    named,
    names_part,
    with_name,
)
from buildcheck.part_list.markup import plain, source
from buildcheck.part_list.money import bare_amount, currency_in, is_price, local, price_in
from buildcheck.part_list.rows import Line, Money, PartList, Row, Total
from buildcheck.part_list.sections import ANY, leading, said_by, section_of
from buildcheck.part_list.titles import title_of

if TYPE_CHECKING:
    from decimal import Decimal

    from buildcheck.part_list.markup import Logical

#: No line that names a part is longer, and no list has more lines. What goes beyond is kept as
#: it is, so that a text of megabytes takes no longer than it has to.
LONGEST = 2_000
MOST_LINES = 5_000
#: Lines that could be parts beyond any that a machine has.
_MOST_GUESSES, _LONGEST_GUESS = 200, 400

_COUNTRY = re.compile(r"//([a-z]{2})\.pcpartpicker\.com/", re.IGNORECASE)
_LIST = re.compile(r"pcpartpicker\.com/(?:list|user|guide|b)/", re.IGNORECASE)
_BULLET = re.compile(r"\s{0,20}(?:(?:#{1,6}|[>*•+–—-]|//|\d{1,2}[.)]|\[[ xX]\])\s+){1,4}")
_ABOUT = re.compile(
    r"\W{0,5}(?:generated (?:by|at|on)\b|prices? includes?\b|(?:pcpartpicker )?part ?list\b"
    r"|price breakdown\b|compatibility\b|estimated wattage\b)",
    re.IGNORECASE,
)
_DATE = re.compile(r"\b\d{4}-\d\d-\d\d(?: \d\d:\d\d(?::\d\d)?)?(?: [A-Z]{2,4}(?:[+-]\d{4})?)?")
_TOTAL = re.compile(
    r"(?P<sum>(?:(?:grand|order|base|system|estimated|final) )?(?:sub-?)?total[aei]?"
    r"(?: price| cost| parts| general| général)?|(?:zwischen|gesamt)?summe|gesamt(?:preis|betrag)?"
    r"|totalt|totaal|suma|razem|sum)(?:\s*\([^()]{0,80}\))?"
    r"|(?:mail-in )?rebates?|(?:promo )?discounts?|promos?|shipping(?: (?:and|&) handling)?|s&h"
    r"|(?:sales )?tax(?:es)?|vat|gst|mwst\.?|versand(?:kosten)?|frais de port|livraison|frakt",
    re.IGNORECASE,
)
_PAID = re.compile(r"\b(?:purchased for|paid|bought for|gekauft für)\b[\s:]*$", re.IGNORECASE)
_SHOP = re.compile(r"\s*(?:@|\bat\b|\bfrom\b|\bvia\b|\bbei\b)?\s*([^()]{1,80}?)\s*\)?\s*$")
_GROUP = re.compile(r"\(([^()]{1,200})\)\s*$")
_EACH = re.compile(r"\b(?:unit|each|einzel|stück)", re.IGNORECASE)
#: Words and signs that a line has which is no part but a point of a text.
_POINT = re.compile(
    r"\b(?:the|an?|of|and|or|not|to|in|on|be|by|as|at|must|can|than|how|more|what|if|so)\b|[:{}=;]"
)
#: What stands behind a price and is no shop.
_NO_SHOPS = frozenset(
    {"each", "ea", "ea.", "apiece", "a piece", "per piece", "total", "together", "used", "new"}
)


def read_list(text: str) -> PartList:
    """What a list says. Never fails: of a text that is no list everything is kept, and no row."""
    reading = _Reading(_country(text))
    lines = source(text).lines
    titled = title_of(lines)
    if titled:
        reading.title = titled[1]
    for line in lines[:MOST_LINES]:
        if titled and line is titled[0]:
            reading.notes.append(Line(line.first, line.text.strip()))
        else:
            reading.take(line)
    for line in lines[MOST_LINES:]:
        reading.keep(line)
    return reading.done()


@dataclass
class _Reading:
    """The list as far as it has been read."""

    country: str
    rows: list[Row] = field(default_factory=list)
    totals: list[Total] = field(default_factory=list)
    notes: list[Line] = field(default_factory=list)
    kept: list[Line] = field(default_factory=list)
    guesses: list[Row] = field(default_factory=list)
    title: str = ""
    link: str = ""
    date: str = ""
    #: The columns of the table being read, and what separates them.
    columns: dict[int, tuple[str, str]] = field(default_factory=dict)
    delimiter: str | None = None
    #: The kind that stands over the lines below it, and its own line until one was read.
    heading: str = ""
    waiting: Said | None = None
    #: Is the last row one that goes on over the next lines?
    open: bool = False

    def done(self) -> PartList:
        """The whole list."""
        self._give_up()
        return PartList(
            tuple(self.rows),
            tuple(self.totals),
            tuple(self.notes),
            tuple(sorted(self.kept)),
            self.link,
            self.date,
            tuple(self.guesses),
            self.title,
        )

    def take(self, line: Logical) -> None:
        """Read one line."""
        raw = line.text if line.cells is None else " | ".join(line.cells)
        if len(raw) > LONGEST:
            self.keep(line)
            return
        if EMPTY.fullmatch(raw):
            return
        if line.aside:
            self.notes.append(Line(line.first, raw))
            return
        cells = line.cells
        if cells is None:
            self.delimiter = delimiter_of(line.text) or self.delimiter
            cells = cells_of(line.text, self.delimiter)
        if cells is None or not self._row_of_cells(line.first, cells):
            self._line(line.first, raw)

    def keep(self, line: Logical) -> None:
        """Keep a line without reading it."""
        raw = line.text if line.cells is None else " | ".join(line.cells)
        self.kept.append(Line(line.first, raw.strip()))

    # -- tables --------------------------------------------------------------

    def _row_of_cells(self, number: int, cells: list[str]) -> bool:
        """Read a row of a table; False if it is not one."""
        headings = columns(cells)
        shown, links, _ = plain(" ".join(c.strip() for c in cells))
        said = Said(number, _cells_text(cells), shown, links)
        if headings:
            self._give_up()
            self.columns, self.heading = headings, ""
            self.notes.append(Line(number, said.raw))
            return True
        texts = [plain(c)[0] for c in cells]
        if self._is_about(said) or self._is_total(said, texts):
            return True
        if is_price(next(filter(None, texts), "")):
            # Pages are copied so that prices stand below the part.
            return self._goes_on(said)
        row = self._by_columns(cells, said) if self.columns else None
        row = row or self._by_order(texts, said)
        if row:
            self._add(row)
        return row is not None

    def _by_columns(self, cells: list[str], said: Said) -> Row | None:
        """A row of a table with headings."""
        got: dict[str, str] = {}
        notes = []
        for at, cell in enumerate(cells):
            role, heading = self.columns.get(at, ("other", ""))
            if role == "other":
                shown = plain(cell)[0]
                notes.append(f"{heading} {shown}" if shown else "")
            else:
                got[role] = cell
        kind = plain(got.get("kind", ""))[0]
        name, _, tail = plain(got.get("name", ""))
        cost = plain(got.get("price") or got.get("sum", ""))[0]
        if not NAME.search(name) or is_price(name) or self._is_shifted(cost, cells):
            return None
        if "kind" in got and not kind and said_by(name) in (ANY, section_of(self.heading)):
            # A kind that is left blank is that of the row above.
            kind = self.heading
        self.heading = kind
        if got.get("price") and got.get("sum", "").strip():
            notes.append(f"{self._heading('sum')} {plain(got['sum'])[0]}")
        price, rest = self._price(cost, bare=True)
        shop = plain(got.get("shop", ""))[0]
        row = named(kind, name, said, tail)
        if got.get("count", "").strip():
            row, unread = counted(row, got["count"])
            notes.append(unread)
        return replace(
            row,
            price=price,
            shop=shop or rest.shop,
            note=joined(row.note, rest.note, *notes),
            number=plain(got.get("number", ""))[0] or row.number,
            paid=rest.paid or "paid" in self._heading("price").lower(),
            each=bool(_EACH.search(self._heading("price"))) or bool(got.get("sum", "").strip()),
        )

    def _is_shifted(self, cost: str, cells: list[str]) -> bool:
        """Is there a price, but not where the heading has it?"""
        there = price_in(cost) or bare_amount(cost) is not None or NO_PRICE.fullmatch(cost)
        return not there and any(is_price(plain(c)[0]) for c in cells)

    def _heading(self, role: str) -> str:
        return next((h for r, h in self.columns.values() if r == role), "")

    def _by_order(self, cells: list[str], said: Said) -> Row | None:
        """A row of a table without headings, or with others than it has cells."""
        texts = [t for t in cells if t]
        word = texts[0] if texts else ""
        known = section_of(word) is not None and len(texts) > 1
        rest = texts[1:] if known else texts
        names = [t for t in rest if NAME.search(t) and not is_price(t)]
        names = [t for t in names if not NO_PRICE.fullmatch(t)]
        costs = [t for t in rest if price_in(t) and t != (names or [""])[0]]
        if not names or not (known or (costs and said_by(names[0]) != ANY)):
            return None
        # With a column of base prices the last is what one pays.
        final = any(h.lower().startswith("base") for _, h in self.columns.values())
        cost = costs[-1 if final else 0] if costs else ""
        price, about = self._price(cost, bare=False)
        row = named(word if known else "", names[0], said, "")
        others = [t for t in rest if t not in (names[0], cost)]
        if price is None:
            row, price, about = self._priced(row)
        shops = [t for t in others if is_shop(t)] if price and not about.shop else []
        shop = about.shop or next(reversed(shops), "")
        return replace(
            row,
            price=price,
            shop=shop,
            paid=about.paid,
            note=joined(row.note, about.note, *(t for t in others if t != shop)),
        )

    # -- plain lines ---------------------------------------------------------

    def _line(self, number: int, raw: str) -> None:
        """Read a line that is no row of a table."""
        bullet = _BULLET.match(raw)
        stripped = raw[bullet.end() :] if bullet else raw
        shown, links, tail = plain(stripped)
        said = Said(
            number, raw.strip(), shown, links, tail, bullet=bool(bullet) and "#" not in raw[:9]
        )
        if not shown and not links:
            return
        if self._is_about(said) or self._is_total(said, [shown]):
            return
        if self._is_heading(said) or self._goes_on(said):
            return
        named = self._by_word(said) or self._by_leader(said)
        row = named or self._by_look(said)
        if row:
            self.heading = "" if named else self.heading
            self._add(row)
        else:
            self.kept.append(Line(number, said.raw))
            self._guess(said)

    def _guess(self, said: Said) -> None:
        """Note what a line would say if it were a part: whoever has a catalogue can tell."""
        if len(self.guesses) >= _MOST_GUESSES or len(said.shown) > _LONGEST_GUESS:
            return
        row, price, about = self._priced(named("", said.shown, said, said.tail))
        row = replace(row, name=row.name.strip(" |,"))
        of_text = said.raw.startswith("##") or is_prose(said.shown) or _POINT.search(row.name)
        if not of_text and "|" not in row.name and could_be_part(row.name):
            row = replace(row, price=price, shop=about.shop, paid=about.paid)
            self.guesses.append(row)

    def _is_about(self, said: Said) -> bool:
        """Does a line say something of the list as a whole?"""
        of_list = next((a for a in said.links if _LIST.search(a)), "")
        if not _ABOUT.match(said.shown) and not of_list:
            return False
        self._give_up()
        self.link = self.link or of_list.removesuffix("/by_merchant/")
        date = _DATE.search(said.shown)
        if date and not self.date:
            self.date = date[0]
        self.notes.append(Line(said.number, " ".join((said.shown, *said.links))))
        return True

    def _is_total(self, said: Said, texts: list[str]) -> bool:
        """Is a line a sum, or what is added to or taken off one?"""
        joined = " ".join(t for t in texts if t)
        price = price_in(joined)
        if price:
            written = joined[price.start : price.end]
            label = joined[: price.start] + joined[price.end :]
            amount: Decimal | None = price.amount
        else:
            # Only below a heading that says so is a bare number money.
            bare = (t for t in texts if self.columns and bare_amount(t) is not None)
            written = next(bare, "")
            label = " ".join(t for t in texts if t != written)
            amount = bare_amount(written)
        label = label.strip(" :-–*()|=")
        label = label + ")" if label.count("(") > label.count(")") else label
        found = _TOTAL.fullmatch(label)
        if not found or amount is None:
            return False
        self._give_up()
        of_column = currency_in(self._heading("price") or self._heading("sum"))
        money = self._money(amount, price.currency if price else of_column, written)
        self.totals.append(Total(said.number, label, money, said.raw, bool(found["sum"])))
        return True

    def _is_heading(self, said: Said) -> bool:
        """Is a line nothing but a word for a kind of part?"""
        word = said.shown.removesuffix(":").strip()
        if said.links or word.endswith("-") or section_of(word) is None:
            return False
        self._give_up()
        self.heading, self.waiting = word, said
        return True

    def _goes_on(self, said: Said) -> bool:
        """Does a line go on with what the one above began?"""
        if self.waiting and names_part(said, self.waiting):
            row, money, about = self._priced(named(self.heading, said.shown, said, said.tail))
            self.waiting = None
            self._add(replace(row, price=money, shop=about.shop, paid=about.paid), goes_on=True)
            return True
        if not self.open or not self.rows:
            return False
        return self._adds_to(self.rows[-1], said)

    def _adds_to(self, last: Row, said: Said) -> bool:
        """Add what a line of a page says to the part above it."""
        new = None
        price = price_in(said.shown)
        if said.shown.lower() in BUTTONS:
            new = replace(last, note=joined(last.note, said.shown))
        elif said.shown == last.name:
            new = last
        elif price and last.price is None and not WORD.search(said.shown[: price.start]):
            money, about = self._price(last_price(said.shown), bare=False)
            note = said.shown if said.shown.strip() != (money.written if money else "") else ""
            new = replace(last, price=money, shop=about.shop, note=joined(last.note, note))
        elif last.price and not last.shop and not price and is_shop(said.shown):
            new = replace(last, shop=said.shown)
        if new:
            link = next(iter(said.links), "")
            self.rows[-1] = replace(new, link=new.link or link)
        return new is not None

    def _by_word(self, said: Said) -> Row | None:
        """`Kind: name ($1 @ shop)`."""
        word, colon, rest = said.shown.partition(":")
        if not colon:
            word, colon, rest = said.shown.partition(" - ")
        if not colon or section_of(word) is None or not rest.strip(" -–—"):
            return None
        row, price, about = self._priced(named(word, rest, said, said.tail))
        if not NAME.match(row.name):
            return None
        return replace(row, price=price, shop=about.shop, paid=about.paid)

    def _by_leader(self, said: Said) -> Row | None:
        """`Kind name $1`, as pages are copied."""
        word, rest = leading(said.shown)
        if not word or not rest or not (price_in(rest) or any(map(PRODUCT.search, said.links))):
            return None
        if is_prose(rest):
            return None
        row, price, about = self._priced(named(word, rest, said, said.tail))
        return (
            replace(row, price=price, shop=about.shop, paid=about.paid)
            if NAME.search(row.name)
            else None
        )

    def _by_look(self, said: Said) -> Row | None:
        """A line without a word for the kind, if it looks like a part."""
        row, price, about = self._priced(named("", said.shown, said, said.tail))
        of_product = any(map(PRODUCT.search, said.links))
        known = said_by(row.name) != ANY and (bool(price) or not _POINT.search(row.name))
        below = bool(self.heading) and said.bullet
        if not NAME.match(row.name) or is_prose(said.shown):
            return None
        if not (of_product or (known and (price or said.bullet or row.count > 1)) or below):
            return None
        word = self.heading if below else ""
        return replace(row, section=word, price=price, shop=about.shop, paid=about.paid)

    # -- prices --------------------------------------------------------------

    def _money(self, amount: Decimal, currency: str | None, written: str) -> Money:
        return Money(amount, local(currency, self.country), written.strip())

    def _price(self, text: str, *, bare: bool) -> tuple[Money | None, Row]:
        """The price of a cell, and what stands around it, as a row that has nothing else."""
        nothing = named("", "", Said(0, "", "", []), "")
        found = price_in(text)
        if not found:
            amount = bare_amount(text) if bare else None
            if amount is not None:
                of_column = currency_in(self._heading("price") or self._heading("sum"))
                return self._money(amount, of_column, text), nothing
            return None, replace(nothing, note="" if EMPTY.fullmatch(text) else text)
        before, after = text[: found.start].strip(" ("), text[found.end :]
        paid = bool(_PAID.search(before))
        shop = _SHOP.fullmatch(after)
        name = shop[1].strip(" *") if shop else ""
        around = "" if shop else after.strip(" )*")
        if name.lower() in _NO_SHOPS:
            name, around = "", name
        note = joined("" if paid else before, around)
        money = self._money(found.amount, found.currency, text[found.start : found.end])
        return money, replace(nothing, shop=name, paid=paid, note=note)

    def _priced(self, row: Row) -> tuple[Row, Money | None, Row]:
        """A row without the price in its name; the price; and what stands around it."""
        name = row.name
        group = _GROUP.search(name)
        if group and price_in(group[1]):
            at = group.start()
        else:
            found = price_in(name)
            if not found:
                return row, *self._price("", bare=False)
            at = found.start
            paid = _PAID.search(name[:at])
            at = paid.start() if paid else at
        cost, name = name[at:].strip(), name[:at].strip(" -–—(:|,=")
        if cost.startswith("(") and cost.endswith(")"):
            cost = cost[1:-1]
        money, about = self._price(cost, bare=False)
        again = with_name(row, name)
        return replace(again, note=joined(again.note, about.note)), money, about

    # -- bookkeeping ---------------------------------------------------------

    def _add(self, row: Row, *, goes_on: bool = False) -> None:
        self._give_up()
        self.rows.append(row)
        self.open = goes_on

    def _give_up(self) -> None:
        """A word for a kind below which nothing follows is kept."""
        if self.waiting:
            self.kept.append(Line(self.waiting.number, self.waiting.raw))
        self.waiting, self.open = None, False


def _country(text: str) -> str:
    """The country a list is from, by two letters; empty if its links do not say."""
    found = _COUNTRY.search(text)
    return found[1].lower() if found else ""


def _cells_text(cells: list[str]) -> str:
    shown = [plain(c)[0] for c in cells]
    return " | ".join(shown).strip(" |")
