"""What the rows of a list cost: the price in a text, and the words around it."""

import re
from dataclasses import replace
from decimal import Decimal
from typing import Any, NamedTuple

from buildcheck.importers.part_list.lines import (
    BUTTONS,
    EMPTY,
    NO_PRICE,
    WORD,
    Said,
    joined,
    with_name,
)
from buildcheck.importers.part_list.rows import Money, PartList, Row, Total
from buildcheck.model.money import Money as ExactMoney
from buildcheck.model.money import bare_amount, currency_in, local, price_in
from buildcheck.model.price import less, shares_in
from buildcheck.model.vocabulary import vocabulary
from buildcheck.words.entry import MOST, number_in, of_one, one_piece
from buildcheck.words.keys import ANY, charge_of, phrase, said_by, section_of
from buildcheck.words.names import is_another

#: Words in front of a price: that it was paid, that it is no exact one.
_SAID = vocabulary("part-lists")["prices"]
_TAXES = vocabulary("part-lists")["reading"]["taxes"]
_PAID, _ABOUT, _SHOP, _TIMES = (
    re.compile(_SAID[n], re.IGNORECASE) for n in ("paid", "about", "shop", "times")
)
_COUNTED = _SAID["counted"]
_BEFORE = re.compile(
    rf"(?i)(?:(?<!\w)(?:{_PAID.pattern}|{_ABOUT.pattern}|for|je|à|{_COUNTED})[\s:]*)+$"
)
_SELLER = re.compile(r"(?i)((?!.*cables?\b).*\w),? (?:from|via|bei|off) ([\w.-]+)")
_COUNTED_LAST = re.compile(rf"(\S.*?)[\s–—-]+({_TIMES.pattern})", re.IGNORECASE)
#: Letters and digits as in numbers of makers.
_CODE = re.compile(r"[A-Z]\d|\d[A-Z]")
#: As few parts can be a list of their own next to a table; names of shops have no more words.
_FEW, _SHOPLIKE = 2, 4
_WORD, _ASIDE = re.compile(r"\w+"), re.compile(r"\([^()]*\)")
#: Where the words around a price fall apart.
_PIECES = re.compile(r"[,;()]+")


class Cost(NamedTuple):
    """A price, and what the words around it say."""

    money: Money | None = None
    shop: str = ""
    paid: bool = False
    #: Is it of one piece; None if nothing says.
    each: bool | None = None
    pieces: int = 1
    note: str = ""
    #: The sum of all pieces, where it stands behind the price of one.
    of_all: Decimal | None = None

    @property
    def written(self) -> str:
        """The price as the text has it; empty where it has none."""
        return self.money.written if self.money else ""


def cost_in(text: str, heading: str = "", *, bare: bool = False) -> Cost:
    """The price of a text that has no name in it; under a heading also a bare number."""
    found = price_in(text)
    if not found:
        about = _ABOUT.match(text.strip())
        amount = bare_amount(text.strip()[about.end() if about else 0 :]) if bare else None
        if amount is None:
            return Cost(note="" if EMPTY.fullmatch(text) else text)
        return Cost(Money(amount, currency_in(heading), text.strip(), about=bool(about)))
    money = Money(found.amount, found.currency, text[found.start : found.end].strip())
    cost = Cost(money, paid="paid" in heading.lower())
    for piece in _PIECES.split(text[: found.start]):
        cost = _before(cost, piece)
    behind = text[found.end :]
    of_all = price_in(behind)
    between = behind[: of_all.start].strip(" =(") if of_all else ""
    many = money.amount / of_all.amount if of_all and of_all.amount else 0
    is_sum = of_all and of_one(behind[of_all.end :].strip(" )")) and not between
    if is_sum and many in range(2, MOST + 1):
        # The price of one, behind that of all.
        return cost_in(behind.strip(" ()"))._replace(pieces=int(many), of_all=money.amount)
    if of_all and (not between or _TIMES.fullmatch(between)):
        cost = cost._replace(of_all=of_all.amount)
        behind = behind[: of_all.start].rstrip(" =") + behind[of_all.end :]
    after, *more = _PIECES.split(behind)
    shop = after.strip(" *")
    is_other = _SHOP.fullmatch(shop) or _COUNTED_LAST.fullmatch(shop)
    is_each = {of_one(shop), of_one(shop.partition(" ")[0])} != {None}
    if is_shop(shop) and not (is_each or is_other):
        cost, after = cost._replace(shop=shop), ""
    for piece in (after, *more):
        cost = _after(cost, piece.strip(" *"))
    return cost


def is_shop(text: str) -> bool:
    """Can a text next to a price be the name of a shop?"""
    is_other = NO_PRICE.fullmatch(text) or re.fullmatch(phrase("taxed"), text) or number_in(text)
    return (
        not (text.lower() in BUTTONS or is_other or _CODE.search(text) or price_in(text))
        and WORD.search(text) is not None
        and len(text.split()) <= _SHOPLIKE
        and section_of(text) is None
        and said_by(text) == ANY
    )


def reduced(found: Cost, cell: str, heading: str, count: int) -> Cost:
    """A price less what a cell takes off: per cent, or an amount off the whole row."""
    off = cost_in(cell, heading, bare=True).money
    taken: list[Decimal | ExactMoney] = [
        *shares_in(cell + "%" * ("%" in heading and "%" not in cell))
    ]
    taken += [ExactMoney(off.amount, "")] if off and (found.each or count == 1) else []
    if not found.money or not taken:
        return found
    net = less(ExactMoney(found.money.amount, found.money.currency or ""), taken[0], count)
    return found._replace(money=found.money._replace(amount=net.amount))


def _before(cost: Cost, text: str) -> Cost:
    while found := _BEFORE.search(text):
        word = found[0]
        paid, about = bool(_PAID.search(word)), bool(_ABOUT.search(word))
        each = of_one(word.strip(" :"))
        money = cost.money and cost.money._replace(about=cost.money.about or about)
        number = re.search(r"\d+", word)
        many = int(number[0]) if number else None
        cost = cost._replace(money=money, paid=cost.paid or paid, each=each or cost.each)
        cost = cost._replace(pieces=many, each=True) if many else cost
        text = text[: found.start()]
    return cost._replace(note=joined(cost.note, text))


def _after(cost: Cost, text: str) -> Cost:
    """A cost with what a piece of text behind its price says."""
    text = text.strip(" -–—")
    if (found := _COUNTED_LAST.fullmatch(text)) and found[1]:
        cost, text = _after(cost, found[2]), found[1]
    word, _, more = text.partition(" ")
    if more and word.isalpha() and of_one(word) and cost.each is None:
        return _after(cost._replace(each=True), more)
    each, shop = of_one(text), _SHOP.fullmatch(text)
    if each is not None and cost.each is None:
        return cost._replace(each=each)
    if shop and not cost.shop:
        return cost._replace(shop=shop[1].strip(" *"))
    if _TIMES.fullmatch(text) or (number_in(text) and not text.isdigit()):
        return cost._replace(pieces=number_in(text) or 1, each=True)
    return cost._replace(note=joined(cost.note, text))


def priced(row: Row) -> Row:
    """A row without the price in its name, and the words around that."""
    if not price_in(row.name):
        return row
    before = before_price(row.name)
    opened = before.rfind("(")
    at = opened if opened > before.rfind(")") else len(before)
    name = row.name[:at].strip(" -–—(:|,=@")
    # `EPYC 7532 from some_seller, $220`: whoever sells it is no part of the name.
    seller = _SELLER.fullmatch(name)
    made = with_cost(with_name(row, seller[1] if seller else name), cost_in(row.name[at:]))
    return replace(made, shop=made.shop or seller[2]) if seller else made


def with_cost(row: Row, cost: Cost) -> Row:
    """A row that costs that."""
    count = row.count if row.count > 1 else cost.pieces
    row = row if row.count == count else replace(row, name=one_piece(row.name, count))
    if cost.money and cost.of_all == cost.money.amount * count:
        cost = cost._replace(each=True)
    notes = cost.note.split("; ")
    owned = row.owned or any(re.fullmatch(phrase("owned"), text) for text in notes)
    row = replace(row, count=count, note=joined(row.note, *notes), owned=owned)
    return replace(row, price=cost.money, shop=cost.shop, paid=cost.paid, each=cost.each)


def before_price(text: str) -> str:
    """What is in front of the first price of a text and the words for it."""
    found = price_in(text)
    before = text[: found.start] if found else text
    word = _BEFORE.search(before)
    return before[: word.start()] if word else before


def priced_below(row: Row, text: str) -> Row | None:
    """A row with the last price of the line below it: what one pays in the end; or None."""
    found = price_in(last := text)
    if not found or row.price is not None or WORD.search(before_price(text)):
        return None
    while found and price_in(after := last[found.end :]):
        last, found = after, price_in(after)
    cost = cost_in(last)
    return with_cost(row, cost._replace(note=text.replace(cost.written, "", 1)))


def total_in(
    said: Said, texts: list[str], names: list[str], headings: list[str] | None
) -> Total | None:
    """The sum that a line states, or what is added to or taken off one; None if it is none.

    `names` are those of its cells that name things, and `headings` those of columns of money,
    only below which a bare number is money; None outside tables.
    """
    # A quantity of one, and the price again as its sum, are no part of the label.
    texts = [t for t in dict.fromkeys(texts) if t and not number_in(t)]
    text = " ".join(texts)
    price = price_in(text)
    bare = (t for t in reversed(texts) if headings is not None and bare_amount(t) is not None)
    written = "" if price else next(bare, "")
    before = before_price(text) if price else " ".join(t for t in texts if t != written)
    labels = [before, before + text[price.end :] if price else before, *names]
    labels = [label.strip(" :-–*()|=;,") for label in labels]
    labels = [label + ")" * (label.count("(") - label.count(")")) for label in labels]
    if not (label := next(filter(charge_of, labels), "")):
        return None
    around = " ".join((before, *(headings or ())))
    cost = cost_in(text[len(before) :]) if price else cost_in(written, around, bare=True)
    # Of a share that is taken off it is not known yet how much that is.
    share = charge_of(label) == "discount" and shares_in(label)
    money = cost.money or (Money(Decimal(0), None) if share else None)
    if money is None or cost.paid:
        return None
    return Total(said.number, label, money, said.raw, charge_of(label))


def settle(parts: PartList, country: str, text: str) -> None:
    """Put prices into the currency of a country, or of the list, by its words or its tax."""
    prices = [*(r.price for r in (*parts.rows, *parts.guesses)), *(t.price for t in parts.totals)]
    found = {local(money.currency, country) for money in prices if money and money.currency}
    only = found.pop() if len(found) == 1 else None
    if prices and not any(price and price.currency for price in prices):
        stated = {code for line in text.splitlines() if (code := currency_in(line))}
        stated = stated or {code for tax, code in _TAXES if re.search(tax, text)}
        only = local(stated.pop(), country) if len(stated) == 1 else None

    def with_code(lines: list[Any]) -> list[Any]:
        """Lines with their money in its currency; without any it is in the one of the list."""
        codes = [at.price and (local(at.price.currency, country) or only) for at in lines]
        both = zip(lines, codes, strict=True)
        return [replace(a, price=a.price and a.price._replace(currency=c)) for a, c in both]

    parts.totals, parts.guesses = with_code(parts.totals), with_code(parts.guesses)
    parts.rows = _settled(with_code(parts.rows), parts.totals)


def _settled(rows: list[Row], totals: list[Total]) -> list[Row]:
    """Rows of which the sums of the list say whether a price is of one piece or of all."""
    is_open = [row.price is not None and row.count > 1 and row.each is None for row in rows]
    more = sum((t.price.amount for t in totals if t.kind != "sum"), Decimal(0))
    sums = {t.price.amount for t in totals if t.kind == "sum"}
    ways = [w for w in (True, False) if {_sum(rows, each=w), _sum(rows, each=w) + more} & sums]
    if len(ways) != 1:
        return rows
    both = zip(rows, is_open, strict=True)
    return [replace(row, each=ways[0]) if open_ else row for row, open_ in both]


def _sum(rows: list[Row], *, each: bool) -> Decimal:
    priced = ((r, r.price.amount, each if r.each is None else r.each) for r in rows if r.price)
    return sum((amount * (r.count if is_each else 1) for r, amount, is_each in priced), Decimal(0))


def priced_again(parts: PartList) -> None:
    """Give parts of a text the prices of a table that has them again, such as one of the costs."""
    rows, in_table = parts.rows, [" | " in row.raw for row in parts.rows]
    words = [{*_WORD.findall(_ASIDE.sub("", row.name).casefold())} for row in rows]
    bare = [n for n, row in enumerate(rows) if not (row.price or in_table[n])]
    pairs: list[tuple[int, int]] = []
    for again in (n for n, row in enumerate(rows) if in_table[n]):
        # One of the two may have the maker or the memory in its name, and no other model.
        alike = [n for n in bare if words[n] & words[again] in (words[n], words[again])]
        same = (n for n in alike if not is_another(" ".join(words[n] ^ words[again])))
        first = next((n for n in same if rows[n].count == rows[again].count), None)
        if first is not None:
            bare.remove(first)
            pairs.append((first, again))
    # A list of several parts without any price has them all below it.
    outside = [row for n, row in enumerate(rows) if not in_table[n]]
    is_again = len(pairs) > 1 or (len(outside) > _FEW and not any(row.price for row in outside))
    for first, again in pairs if is_again else ():
        rows[first] = replace(rows[first], price=rows[again].price, each=rows[again].each)
        parts.notes.append(rows[again].at)
    gone = {again for _, again in pairs if is_again}
    parts.rows = [row for n, row in enumerate(rows) if n not in gone]
