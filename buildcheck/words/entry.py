"""A line of a parts list: the name of a part, and clauses around it.

`2x RTX 3090 (used) @ 280W, 700 EUR each` is a name with how many of it, its state, a power limit
and a price. Clauses are taken from both ends; what is none of them is the name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from buildcheck.model.money import price_in
from buildcheck.words.facts import facts_in
from buildcheck.words.keys import said_by

if TYPE_CHECKING:
    from buildcheck.model.money import MoneyInText

#: No machine has more parts of a kind.
MOST = 64
#: A clause behind a name has no more words, and a name no more characters.
_CLAUSE, LONGEST = 6, 300
_SPELT = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "pair": 2}
#: Words for a count in front of watts alone; GPUs have them in their names.
_FOLD = {"dual": 2, "twin": 2, "triple": 3, "quad": 4}
_MANY = rf"(\d{{1,2}}|{'|'.join(_SPELT)})"
_PIECES = r"(?:pcs\.?|nos\.?|pieces|stück|stk\.?|st\.|cards|units|of (?:them|these)|total)"


def _words(pattern: str) -> str:
    """Whatever case they are in. A pattern is compiled when it is used, which many never are."""
    return f"(?i){pattern}"


#: How many, with a sign or word that says so; and alone, as it may be in brackets.
_COUNT = _words(
    rf"(?:[x×*]|qty\.?|quantity|(?:a )?(?:set|pack|lot) of)[: ]*{_MANY}(?: ?{_PIECES})?"
    rf"|(?:a )?{_MANY} ?(?:[x×*]|{_PIECES})"
)
_ALONE = _words(rf"(?:a )?{_MANY}")
#: Glued to a name it may be a part of it (`VENTUS 3X`), unless it follows a number or such a word.
_GLUED = re.compile(r"[xX]\d+|\d+(?:[xX]|(?i:pcs))")
_COUNTABLE = _words(r"(?:\d\w*|\b(?:ti|super|xtx?|pro|ada|[rul]*dimm|ssd|psu|platinum))$")
#: Names that end so: makers with coolers of three fans, and cards of two chips.
_NOT_COUNTED = _words(r"inno ?3d|firepro")
#: How many in front of a name: with a sign, in brackets, or a number alone.
_LEAD = _words(
    rf"[(\[]?(?:(\d{{3,9}}) ?[x×]\s+|(?:(?-i:x)|×|qty:?) ?{_MANY}[)\]]?\s+"
    rf"|(?<=[(\[]){_MANY}[)\]]\s*"
    rf"|{_MANY} ?(?:[x×*]|{_PIECES})[)\]]?(?:\s+|(?-i:(?=[A-Z]))|(?=\d{{1,4}} ?[gt]i?b))"
    rf"|({'|'.join(_FOLD)})\s+(?=\d{{3,4}} ?w)"
    rf"|(?P<bare>(?:a )?{_MANY}(?: of)?\s+(?=[a-z]{{2}}|\d{{4}}(?: ?ti| ?super)?(?:s\b|$))))"
    r"(?=\w|[(\[])"
)
#: Several cards: `3 3090s`.
_PLURAL = _words(r"((?:\w+ ){0,3}\d{4}(?: ?ti| ?super)?) ?s\b")
#: What begins like a count and is none: a size, a number of something else, lanes.
_UNIT = _words(
    r"\d[\d.]*[ -]?(?:[gmt]i?b(?:/s)?|k?w|mm|cm|inch|v|a|u|gbe|[gm]bit|slots?|cores?|threads?|kerne"
    r"|bays?|ports?|(?:x )?gpus? (?:\w+ )?(?:mining|open|frame|rig|case|chassis|server|rack))\b"
    r"|\dx (?:m\.2 nvme|\d-pin)|x\d+ (?:\w+ )?riser|x16 to"
)
_SIZE = _words(r"\d{1,4} ?[gt]i?b\b")
#: Which of several it is: `3090 #1`.
_NUMBERED = r"(?<=\w) #\d{1,2}(?= |$)"
#: Several spaces between a name and its price, whose digits they would be.
_COLUMN = r"[ \t]{2,}(?=[€$£]?\d[\d.,]*\s?(?:[€$£]|[A-Z]{3})?\s*$)"
_LANES = _words(r"pci|gen ?\d|\d\.0\s*$|riser|slot|oculink|m\.2")
_OF = r"(?:the )?(?:motherboard|mobo|board|cpu|system|gpus?|rest)"
#: That a price is not exact.
_ABOUT = r"(?:~|≈|ca\.?|circa|approx\.?|approximately|about|around|roughly|etwa)"
_EACH = r"@|à|je|each|ea\.?|apiece|a piece|(?:per|/) ?(?:piece|card|unit|pc|ea|each)|stück"
_ALL = r"=|total:?|together|in total|for all|all(?: in)?|zusammen|(?:ins)?gesamt"
#: The state a part is in, and where it is from.
_STATE = _words(
    r"(?:(?:like |brand )?new|used|refurb(?:ished)?|second[ -]hand|pre-?owned|renewed|open[ -]box"
    r"|gebraucht|re-?pasted|tested|(?:ex-?|former )?min(?:ed|ing)(?: card)?|no box|warranty.{0,20}"
    rf"|{_ABOUT} ?\d{{2,5}}(?: (?:{_EACH}))?|\d{{2,5}} (?:{_EACH})"
    rf"|for {_OF}(?: ?(?:and|[+&,/]) ?{_OF}){{0,3}}"
    r"|(?:bought |used |new )?(?:from|off|via|on) (?:e-?bay|amazon|ali ?express|alibaba"
    r"|craigslist|newegg|taobao|facebook(?: marketplace)?|marketplace|kleinanzeigen"
    r"|r?/?hardwareswap)|e-?bay|with nvlink(?: bridge)?|\d-way (?:sli|crossfire|nvlink))"
)
#: What is around the price of one piece, of all, and of either.
_OF_PRICE = (
    (_words(rf"(?:{_EACH})(?: {_ABOUT})?"), True),
    (_words(rf"(?:{_ALL})(?: {_ABOUT})?"), False),
    (_words(rf"(?:at|(?:purchased |bought )?for|paid|price:?)?(?: ?{_ABOUT})?"), None),
)
#: Taxes behind a price: in it, or on top of it.
_TAX = r"(?:\d{1,2}(?:[.,]\d)? ?% ?)?(?:vat|tax(?:es)?|gst|mwst\.?|ust\.?)(?: ?\d{1,2} ?%)?"
_TAXED = _words(
    rf"[,(]? ?(?:(?P<in>incl(?:\.|uding|uded)?|inkl(?:\.|usive)?|with) (?P<of>{_TAX})"
    rf"|(?:excl(?:\.|uding)?|exkl\.?|without|zzgl\.?|plus|\+|ohne) ?(?P<on>{_TAX})"
    r"|net(?:to)?)\)?$"
)
_SHOP = _words(r"(?:@|at|from|via|bei) ([a-z][\w.&'-]*(?: [\w.&'-]+){0,2})")
_EDGE = " ,;:–—-"
_ENDS = re.compile(r"(?<=[\s,;])\S|(?<=\w)[@×*](?=\s?\d)")
#: Settings of a section that words behind a name give.
_SETTINGS = {"gpus": {"power_limit", "riser", "clock_lock"}}


@dataclass
class Entry:
    """A name, and what stands around it."""

    name: str
    #: The section that it is of, if that is known.
    section: str = ""
    count: int | None = None
    price: MoneyInText | None = None
    #: The price as it is written, and whether it is of one piece; None if nothing says.
    written: str = ""
    each: bool | None = None
    vendor: str = ""
    #: What is said to be in the price, and on top of it.
    taxes: dict[str, list[str]] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def entry_of(text: str, section: str = "", *, priced: bool = True) -> Entry:
    """A text taken apart, with or without the price behind the name.

    >>> entry_of("2x RTX 3090 (used) @ 280W, 700 EUR each", "gpus").settings
    {'power_limit': '280 W'}
    """
    if len(text) > LONGEST:
        return Entry(text, section)
    plain = " ".join(re.sub(_COLUMN, ", ", text).split())
    entry = Entry(re.sub(_NUMBERED, "", plain), section)
    _take_count(entry)
    while _take_brackets(entry, priced=priced) or _take_tail(entry, priced=priced):
        pass
    return entry


def number_in(text: str) -> int | None:
    """The number that a text is, with a sign or word for pieces or without; None if it is none."""
    found = re.fullmatch(_COUNT, text.strip()) or re.fullmatch(_ALONE, text.strip())
    return _number(next(filter(None, found.groups()))) if found else None


def of_one(text: str) -> bool | None:
    """Is a price of one piece, or of all, by a text next to it; None if that is neither.

    >>> of_one("each"), of_one("/ea"), of_one("total"), of_one("used")
    (True, True, False, None)
    """
    return next((is_each for p, is_each in _OF_PRICE if re.fullmatch(p, text.strip())), None)


def _number(text: str) -> int:
    return (_SPELT | _FOLD).get(text.lower()) or int(text)


def _take_count(entry: Entry) -> None:
    """Take how many there are from the beginning of the name."""
    found = re.match(_LEAD, entry.name)
    if not found or re.match(_UNIT, entry.name):
        return
    rest, digits = entry.name[found.end() :], [g for g in found.groups() if g]
    plural = re.match(_PLURAL, rest)
    if found["bare"] and found[0][0].isdigit() and not (entry.section or plural):
        return  # a number that may be part of the name
    is_memory = (entry.section or said_by(rest)) == "memory" and re.match(_SIZE, rest)
    if is_memory and facts_in("memory", rest).rest:
        return  # modules of a kit
    entry.count = _number(digits[-1])
    entry.name = plural[1] + rest[plural.end() :] if plural else rest


def _take_brackets(entry: Entry, *, priced: bool) -> bool:
    """Take what is in brackets at the end of the name; False if it is no clause, or several."""
    name = entry.name
    at = max(name.rfind("("), name.rfind("[")) if name.endswith((")", "]")) else 0
    inner = name[at + 1 : -1].strip() if at > 0 else ""
    if not inner:
        return False
    pieces = [p.strip() for p in re.split(r"[,;](?!\d)", inner)]
    trial = replace(entry, name=name[:at].rstrip(_EDGE), settings={}, notes=[])
    left = [p for p in pieces if not (_count(trial, p) or _clause(trial, p, priced=priced))]
    if left and trial.count != entry.count:
        # Between words it may count anything else, such as lanes.
        trial.count, left = entry.count, [p for p in pieces if p in left or number_in(p)]
    if left == pieces:
        return False
    # What is no clause stays with the name.
    trial.name += f" ({', '.join(left)})" if left else ""
    trial.settings |= entry.settings
    trial.notes += entry.notes
    vars(entry).update(vars(trial))
    return True


def _take_tail(entry: Entry, *, priced: bool) -> bool:
    """Take the longest clause behind the name; False if there is none."""
    name = entry.name
    for start in [m.start() for m in _ENDS.finditer(name)][-_CLAUSE:]:
        head, tail = name[:start].rstrip(_EDGE), name[start:].strip(_EDGE)
        if head.count("(") > head.count(")"):
            continue  # within brackets
        glued = name[len(head) : start].isspace() and bool(_GLUED.fullmatch(tail))
        if not (head and tail) or (glued and not _is_countable(head, tail)):
            continue
        entry.name = head
        counted = re.fullmatch(_COUNT, tail) and _count(entry, tail)
        if counted or _clause(entry, tail, priced=priced):
            return True
    entry.name = name
    return False


def _is_countable(name: str, text: str) -> bool:
    """Is what follows a name a count, and no word of it such as `3X` or `X4`?"""
    is_count = text.islower() and re.search(_COUNTABLE, name)
    return bool(is_count) and not re.search(_NOT_COUNTED, name)


def _count(entry: Entry, text: str) -> bool:
    """Take a count; False if there is one already, or it is no count."""
    count = number_in(text)
    if entry.count is not None or not count or count > MOST or re.search(_LANES, entry.name):
        return False
    entry.count = count
    return True


def _clause(entry: Entry, text: str, *, priced: bool) -> bool:
    """Take a state, a price or a setting; False if a text is none of them, or a second price."""
    if re.fullmatch(_STATE, text):
        entry.notes.insert(0, text)
        return True
    if priced and _price(entry, text):
        return True
    known = _SETTINGS.get(entry.section)
    fields, rest = facts_in(entry.section, text) if known else ({}, "")
    if not known or rest or not fields or fields.keys() - known:
        return False
    entry.settings |= fields
    return True


def _price(entry: Entry, text: str) -> bool:
    """Take a price, with what says whether it is of one piece or of all."""
    found = price_in(text) if any(map(str.isdigit, text)) else None
    if not found or entry.price or found.amount < 0:
        return False
    around = [text[: found.start].strip(" ("), text[found.end :].strip(" )")]
    tax = re.search(_TAXED, around[1])
    around[1] = around[1][: tax.start()] if tax else around[1]
    shop = re.fullmatch(_SHOP, around[1])
    if shop:
        around[1] = ""
    said = [is_each for t in around for p, is_each in _OF_PRICE if re.fullmatch(p, t)]
    if len(said) != len(around) or {True, False} <= {*said}:
        return False
    entry.price, entry.written = found, text[found.start : found.end].strip()
    entry.vendor = shop[1] if shop else ""
    on_top = {"excludes": [tax["on"] or "tax"]} if tax else {}
    entry.taxes = {"includes": [tax["of"]]} if tax and tax["in"] else on_top
    entry.each = next((is_each for is_each in said if is_each is not None), None)
    return True


def price_of(text: str) -> Entry | None:
    """A text that is a price with words around it: `about $650 each`, `3.995 EUR net`; or None."""
    entry = Entry("")
    return entry if _price(entry, text.strip()) else None
