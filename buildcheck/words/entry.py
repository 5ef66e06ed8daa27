"""A line of a parts list: the name of a part, and clauses around it.

`2x RTX 3090 (used) @ 280W, 700 EUR each` is a name with how many of it, its state, a power limit
and a price. Clauses are taken from both ends; what is none of them is the name.
"""

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from buildcheck.model.money import MoneyInText, price_in
from buildcheck.model.patterns import pattern
from buildcheck.model.vocabulary import listed, vocabulary
from buildcheck.words.facts import facts_in
from buildcheck.words.keys import phrase, said_by, section_of, written

#: No machine has more parts of a kind.
MOST = 64
#: A clause behind a name has no more words, and a name no more characters.
_CLAUSE, LONGEST = 8, 300
#: Patterns of what is around a price, and whether it is of one piece; None if that is not said.
_OF_PRICE = {"of_each": True, "of_all": False, "of_either": None}
#: What names a shop in front of a price, and behind it.
_SHOPS = ("shops", "shop")
_EDGE = " ,;:–—-"
#: Settings of a section that words behind a name give.
_SETTINGS = {
    "gpus": {
        *listed("power_limit, power_limit_share, riser, clock_lock, adapter, slots, vertical, psu"),
        "pcie_lanes",
    }
}


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
    found = _apart(text, section, priced=priced)
    # No two callers share what can be changed.
    taxes, settings, notes = {**found.taxes}, {**found.settings}, [*found.notes]
    return replace(found, taxes=taxes, settings=settings, notes=notes)


@lru_cache(maxsize=4096)
def _apart(text: str, section: str, *, priced: bool) -> Entry:
    if len(text) > LONGEST:
        return Entry(text, section)
    text = re.sub(phrase("decimal"), ".", text)
    plain = re.sub(phrase("yes"), "", " ".join(re.sub(phrase("column"), ", ", text).split()))
    plain = re.sub(phrase("joined"), ", ", plain)
    plain = re.sub(phrase("counted_inside"), r"\2x \1", plain) if section == "gpus" else plain
    entry = Entry(re.sub(phrase("numbered"), "", plain), section)
    _take_count(entry)
    both = re.search(phrase("there_and_more"), entry.name)
    first = re.match(r"\d+(?= ?x)", entry.name)
    if both and sum(map(_number, both.groups())) == (int(first[0]) if first else entry.count):
        entry.name = entry.name[: both.start()]
    while _take_tail(entry, priced=priced) or _take_brackets(entry, priced=priced):
        pass
    return entry


def number_in(text: str) -> int | None:
    """The number that a text is, with a sign or word for pieces or without; None if it is none."""
    found = pattern(f"(?i){written('count')}|{written('alone')}").fullmatch(text.strip())
    return _number(next(filter(None, found.groups()))) if found else None


def of_one(text: str) -> bool | None:
    """Is a price of one piece, or of all, by a text next to it; None if that is neither.

    >>> of_one("each"), of_one("/ea"), of_one("total"), of_one("used")
    (True, True, False, None)
    """
    return next(
        (is_each for n, is_each in _OF_PRICE.items() if re.fullmatch(phrase(n), text.strip())), None
    )


def in_figures(text: str) -> str:
    """A text with figures for its words for numbers, but for one, which may be an article.

    >>> in_figures("Two EPYC and twenty-four modules, one of them used, bought in Sept 2025")
    '2 EPYC and 24 modules, one of them used, bought in Sept 2025'
    """
    spelt = {word: number for word, number in vocabulary()["line"]["spelt"].items() if number > 1}
    words = pattern(rf"(?i)(?<![\w-])(?:{'|'.join(spelt)})(?![\w-]|(?<=sept)\.? \d)")
    return words.sub(lambda word: str(spelt[word[0].lower()]), text)


def _number(text: str) -> int:
    data = vocabulary()["line"]
    return (data["spelt"] | data["fold"]).get(text.lower()) or int(text)


def _take_count(entry: Entry) -> None:
    """Take how many there are from the beginning of the name."""
    found = re.match(phrase("lead"), entry.name)
    if not found or re.match(phrase("unit"), entry.name):
        return
    rest, digits = entry.name[found.end() :], [g for g in found.groups() if g]
    plural = re.match(phrase("plural"), rest)
    if found["bare"] and found[0][0].isdigit() and not (entry.section or plural):
        return  # a number that may be part of the name
    is_memory = (entry.section or said_by(rest)) == "memory" and re.match(phrase("size"), rest)
    if is_memory and facts_in("memory", rest).rest:
        return  # modules of a kit
    entry.count = _number(digits[-1])
    entry.name = plural[1] + rest[plural.end() :] if plural else rest
    kind = re.match(phrase("counted_kind"), entry.name)
    if kind and section_of(kind[1]) in ("gpus", "cpu"):
        entry.name = entry.name[kind.end() :]


def _take_brackets(entry: Entry, *, priced: bool) -> bool:
    """Take what is in the last brackets of the name; False if it is no clause, or several."""
    found = re.search(r"(?<=.)[(\[]([^()\[\]]+)[)\]](?!\S)", entry.name)
    if not found:
        return False
    name, inner, behind = entry.name[: found.start()], found[1], entry.name[found.end() :]
    pieces = [p.strip() for p in re.split(r"[,;](?!\d)", inner)]
    trial = replace(entry, name=name.rstrip(_EDGE), settings={}, notes=[])
    left = [p for p in pieces if not (_count(trial, p) or _clause(trial, p, priced=priced))]
    if left and trial.count != entry.count:
        # Between words it may count anything else, such as lanes.
        trial.count, left = entry.count, [p for p in pieces if p in left or number_in(p)]
    # What is behind a price or a limit may be of the name: `700 € (blower)`.
    is_clause = left != pieces or (not entry.price and _take_tail(trial, priced=priced))
    if not is_clause or (behind and left):
        return False
    # What is no clause stays with the name.
    trial.name += f" ({', '.join(left)})" if left else behind
    trial.settings |= entry.settings
    trial.notes += entry.notes
    vars(entry).update(vars(trial))
    return True


def _take_tail(entry: Entry, *, priced: bool) -> bool:
    """Take the longest clause behind the name; False if there is none."""
    name, denied = entry.name, "denied_gpus" if entry.section == "gpus" else "denied"
    for start in [m.start() for m in re.finditer(phrase("ends"), name)][-_CLAUSE:]:
        head, tail = name[:start].rstrip(_EDGE), name[start:].strip(_EDGE)
        if head.count("(") > head.count(")") or re.search(phrase(denied), head):
            continue  # within brackets, or not so
        first = tail.partition(" ")[0]
        glued = name[len(head) : start].isspace() and bool(re.fullmatch(phrase("glued"), first))
        # No word of a name, such as `3X` or `X4`, is a count.
        is_count = first.islower() and re.search(phrase("countable"), head)
        is_word = glued and (not is_count or re.search(phrase("not_counted"), head))
        if not (head and tail) or is_word:
            continue
        entry.name = head
        bare = tail.strip("()[]")
        counted = re.fullmatch(phrase("count"), bare) and _count(entry, bare)
        if counted or _clause(entry, tail, priced=priced):
            return True
    entry.name = name
    return False


def _count(entry: Entry, text: str) -> bool:
    """Take a count; False if there is one already, or it is no count."""
    count = number_in(text)
    # PSUs are no cards: `for the other four cards` are those it powers.
    is_other = entry.section == "psus" and text.lower().endswith("cards")
    if entry.count is not None or not count or count > MOST or is_other:
        return False
    if re.search(phrase("lanes"), entry.name) or re.search(phrase("link"), f"{entry.name} {text}"):
        return False
    entry.count = count
    return True


def _clause(entry: Entry, text: str, *, priced: bool) -> bool:
    """Take a state, a price or a setting; False if a text is none of them, or a second price."""
    if re.fullmatch(phrase("state"), text):
        entry.notes.insert(0, text)
        return True
    if priced and _price(entry, text):
        return True
    known = _SETTINGS.get(entry.section)
    fields, rest = facts_in(entry.section, text) if known else ({}, "")
    if not known or rest or not fields or fields.keys() - known or re.search("[,;] ", text):
        return False
    is_open = entry.count is None and "pcie_lanes" in fields and "slots" not in entry.settings
    if is_open and re.search(phrase("may_count"), f"{entry.name} {text}"):
        return False
    entry.settings |= {n: int(v) if n == "psu" else v for n, v in fields.items()}
    return True


def _price(entry: Entry, text: str) -> bool:
    """Take a price, with what says whether it is of one piece or of all."""
    found = price_in(text) if any(map(str.isdigit, text)) else None
    if not found or entry.price or found.amount < 0:
        return False
    around = [text[: found.start].strip(" ("), text[found.end :].strip(" )")]
    tax = re.search(phrase("taxed"), around[1])
    around[1] = around[1][: tax.start()] if tax else around[1]
    counted = re.sub(r"(?i)\s+(?:at|for|à|je|zu)$", "", around[0])
    is_count = counted != around[0] or re.fullmatch(phrase("count"), counted)
    many = number_in(counted) if is_count else None
    if many and entry.count not in (None, many):
        return False
    shops = [re.fullmatch(phrase(n), t.strip("(")) for n, t in zip(_SHOPS, around, strict=True)]
    around = ["" if of else t for of, t in zip((many or shops[0], shops[1]), around, strict=True)]
    shop = shops[0] or shops[1]
    is_state = pattern(rf"(?i)(?!.*\d){written('state')}").fullmatch(around[1])
    states, around[1] = ([around[1]], "") if is_state else ([], around[1])
    said = [
        is_each for t in around for n, is_each in _OF_PRICE.items() if re.fullmatch(phrase(n), t)
    ]
    if len(said) != len(around) or {True, False} <= {*said}:
        return False
    entry.notes += states
    entry.price, entry.written = found, text[found.start : found.end].strip()
    entry.vendor = shop[shop.lastindex or 0] if shop else ""
    on_top = {"excludes": [tax["on"] or "tax"]} if tax else {}
    entry.taxes = {"includes": [tax["of"]]} if tax and tax["in"] else on_top
    entry.each = next((is_each for is_each in said if is_each is not None), bool(many) or None)
    if many:
        entry.name, entry.count = one_piece(entry.name, many), many
    return True


def one_piece(name: str, many: int) -> str:
    """The name of each of several pieces: of `8x 32GB`, `32GB`."""
    return re.sub(rf"^{many} ?[xX×*] ?", "", name)


def price_of(text: str) -> Entry | None:
    """A text that is a price with words around it: `about $650 each`, `9 EUR (a note)`; or None."""
    found = re.fullmatch(r"(.*?)(?:\s*\(([^()]+)\))?", text.strip())
    entry = Entry("")
    for plain, notes in ((text, []), (found[1], [found[2]])) if found else ():
        if _price(entry, plain.strip()):
            entry.notes += notes
            return entry
    return None
