"""What the lines of a list are made of: names of parts, how many, shops, and sentences."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from buildcheck.part_list.markup import plain
from buildcheck.part_list.money import price_in
from buildcheck.part_list.rows import Row
from buildcheck.part_list.sections import ANY, said_by, section_of

#: No machine has more parts of a kind.
MOST = 64

#: The address of a part, not of a list.
PRODUCT = re.compile(r"pcpartpicker\.com/(?:product|part)/", re.IGNORECASE)
#: In addresses of products the maker's number follows the word for the kind of part.
_NUMBER = re.compile(
    r".*-(?:processor|cpu-cooler|motherboard|memory|video-card|case|power-supply|hard-drive"
    r"|solid-state-drive|ups|network-adapter|wi-fi-adapter|network-card)-(?=[a-z-]*\d)([a-z0-9-]{5,40})"
)
#: Nothing but signs that separate.
EMPTY = re.compile(r"[\s|:*_=~#>+/\\—–.\u00a0-]*")
#: What stands where a price would.
NO_PRICE = re.compile(
    r"\W{0,5}(?:[-–—]+|no prices? available|n/?a|free|tbd|\?+|(?:already )?owned|included)?\W{0,5}",
    re.IGNORECASE,
)
_WAYS = re.compile(r"\s*(\(\d-Way (?:SLI|CrossFire|NVLink)\))", re.IGNORECASE)
_SPELT = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "pair": 2}
_MANY = rf"\d{{1,2}}|{'|'.join(_SPELT)}"
#: How many, in front of a name, but not in `2 x 16 GB`, and behind one.
_FIRST = re.compile(
    rf"(?:qty:? )?(?:(\d{{1,2}}) ?(?:[x×]|pcs\.?|pieces|stück|st\.)"
    rf"|(?:a )?({'|'.join(_SPELT)})(?: of| x)?)\s+(?!\d+ ?[GT]B)",
    re.IGNORECASE,
)
_AFTER = re.compile(
    rf",?\s*(?:\((?:[x×] ?|qty:? ?)(\d{{1,2}})\)|\(({_MANY})(?: ?[x×]| of (?:them|these)| pcs\.?"
    rf"| pieces| cards| units| total)\)|\((pair)\)|[(\[](?:set of |pack of |lot of )?(\d)[)\]]"
    rf"|\b(?:qty|quantity|set of):? ?(\d{{1,2}})|\b[x×] ?(?P<bare>\d{{1,2}}))$",
    re.IGNORECASE,
)
_LANES = re.compile(r"pci|gen ?\d|\d\.0\s*$|riser|slot", re.IGNORECASE)
_LEADS = re.compile(r"[(\[]?[x×] ?(\d{1,2})[)\]]?\s+(?=\S)", re.IGNORECASE)
_TRAILS = re.compile(r"[\s,:–—-]{1,4}[(\[]?(\d{1,2}) ?(?:[x×]|pcs\.?|pieces)[)\]]?$", re.IGNORECASE)
#: What people set behind a name of the state a part is in, and where it is from.
_STATE = re.compile(
    r"[\s,;:–—-]{1,4}[(\[]?(?:(?:(?:like|brand) ?)?new|used|refurb(?:ished)?|second[ -]hand"
    r"|pre-?owned|renewed|open[ -]box|gebraucht|(?:bought |used |new )?(?:from|off|via|on) "
    r"(?:e-?bay|amazon|ali ?express|alibaba|craigslist|newegg|taobao|facebook(?: marketplace)?"
    r"|marketplace|kleinanzeigen|r?/?hardwareswap)|e-?bay)[)\].,;]{0,2}$",
    re.IGNORECASE,
)
#: Words behind which a part is not on the list.
_NOT_HERE = re.compile(
    r"\b(?:sold|no|without|maybe|later|broken|dead|planned|wish\w*|instead|returned|consider\w*|old"
    r"|vs|versus|compared?|upgrade\w*|previous\w*|alternativ\w*|option\w*|future|for|with|from)\b",
    re.IGNORECASE,
)
#: A name without a digit has so many words, all with a capital.
_TITLED = re.compile(r"[A-Z][\w'!.&+-]*(?: [A-Z0-9][\w'!.&+-]*){1,4}")
#: Words of sentences, which no name of a part has in small letters.
_PROSE = re.compile(
    r"\b(?:i|I|my|My|we|our|you|your|is|are|was|were|this|that|it|have|will|would|because)\b"
)
#: Names of parts have fewer words, and those of shops no more than a few.
_WORDY, _SHOPLIKE = 24, 4
#: No name of a part is longer.
_LONGEST = 300
WORD = re.compile(r"[A-Za-z]{2}")
#: The shortest name of a part has three letters or digits, such as "P40".
NAME = re.compile(r"(?![{\[])[\W_]{0,5}(?:[^\W_][\W_]{0,5}){3}")
#: What pages have beside a part and nobody means to copy.
BUTTONS = frozenset({"buy", "remove", "add", "edit", "no prices available", "from"})


@dataclass
class Said:
    """What one line shows."""

    number: int
    raw: str
    shown: str
    links: list[str]
    #: What follows its first link.
    tail: str = ""
    bullet: bool = False


def joined(*notes: str) -> str:
    """Notes that say something, each once."""
    return "; ".join(dict.fromkeys(n.strip() for n in notes if not EMPTY.fullmatch(n)))


def named(word: str, name: str, said: Said, tail: str) -> Row:
    """A row of that name, with what its line links to."""
    name = name.strip()
    tail = tail if name.endswith(tail) and tail != name and not price_in(tail) else ""
    if tail:
        name = name[: -len(tail)].rstrip()
    links = sorted(said.links, key=lambda a: not PRODUCT.search(a))
    number = next((n[1] for a in links[:1] if (n := _NUMBER.fullmatch(a.rpartition("/")[2]))), "")
    row = Row(
        word.strip(" :*"),
        name,
        said.number,
        said.raw,
        link=links[0] if links else "",
        note=joined(tail, *links[1:]),
        number=number,
    )
    return with_name(row, name)


def with_name(row: Row, name: str) -> Row:
    """A row with a name, of which its number and what is no name are taken."""
    ways = _WAYS.search(name)
    if ways:
        name = name[: ways.start()] + name[ways.end() :]
        row = replace(row, note=joined(row.note, ways[1]))
    first = _FIRST.match(name)
    after = None if first else _AFTER.search(name)
    if after and after["bare"] and _LANES.search(name[: after.start()]):
        # Lanes of a slot, such as "PCIe 4.0 x4".
        after = None
    found = first or after
    many = next(filter(None, found.groups())).lower() if found else str(row.count)
    count = _SPELT.get(many) or int(many)
    if not 1 <= count <= MOST:
        return replace(row, name=name)
    if first:
        name = name[first.end() :]
    elif after:
        name = name[: after.start()]
    return replace(row, name=name.strip(), count=count)


def bare(row: Row) -> Row:
    """A row without what stands around the name of a part: how many, used or not, where from.

    >>> row = bare(Row("", "(x2) Acme Card (used) from eBay", 1, ""))
    >>> row.name, row.count, row.note
    ('Acme Card', 2, '(used); from eBay')
    """
    for _ in range(3):
        name, many = row.name, ""
        state = _STATE.search(name)
        if state and state.start():
            said = state[0].strip(" ,;:–—-")
            row = replace(row, name=name[: state.start()].rstrip(), note=joined(said, row.note))
            continue
        first = _LEADS.match(name) if row.count == 1 else None
        after = _TRAILS.search(name) if row.count == 1 and not first else None
        if first:
            name, many = name[first.end() :], first[1]
        elif after and not _LANES.search(name[: after.start()]):
            name, many = name[: after.start()], after[1]
        if many and name and 1 <= int(many) <= MOST:
            row = replace(row, name=name, count=int(many))
        elif row.count == 1:
            row = with_name(row, name)
    return row


def could_be_part(name: str) -> bool:
    """Could a line without any word for a kind be the name of a part, and nothing else?

    >>> could_be_part("ROMED8-2T"), could_be_part("Fractal Design Torrent")
    (True, True)
    >>> could_be_part("It is fast"), could_be_part("sold my 3090"), could_be_part("thanks")
    (False, False, False)
    """
    short = bare(Row("", name, 0, "")).name
    if len(name) > _LONGEST or not NAME.match(short) or is_prose(short) or _NOT_HERE.search(short):
        return False
    return any(map(str.isdigit, short)) or bool(_TITLED.fullmatch(short))


def counted(row: Row, cell: str) -> tuple[Row, str]:
    """A row with the number in a cell, and the cell if it is no such number."""
    text = plain(cell)[0].strip("x× ")
    if re.fullmatch(r"[0-9]{1,2}", text) and 1 <= int(text) <= MOST:
        return replace(row, count=int(text)), ""
    return row, f"quantity {plain(cell)[0]}"


def last_price(text: str) -> str:
    """The last price of a line of a page and what follows it: what one pays in the end."""
    rest = text
    while True:
        found = price_in(rest)
        after = rest[found.end :] if found else ""
        if not found or not price_in(after):
            return rest[found.start :] if found else rest
        rest = after


def names_part(said: Said, above: Said) -> bool:
    """Does a line name a part of the kind that the line above is for?"""
    head, colon, _ = said.shown.partition(":")
    price = price_in(said.shown)
    name = said.shown[: price.start] if price else said.shown
    if is_prose(name) or not NAME.search(name) or (colon and section_of(head) is not None):
        return False
    if said.shown.lower() in BUTTONS:
        return False
    # Below a title of a text more than a part can stand.
    of_page = not (above.bullet or above.raw.startswith("#") or above.raw.endswith(":"))
    return of_page or said.bullet or said_by(name) != ANY


def is_shop(text: str) -> bool:
    """Can a text beside a price be the name of a shop?"""
    if text.lower() in BUTTONS or NO_PRICE.fullmatch(text) or not WORD.search(text):
        return False
    return (
        price_in(text) is None
        and len(text.split()) <= _SHOPLIKE
        and section_of(text) is None
        and said_by(text) == ANY
    )


def is_prose(text: str) -> bool:
    """Is a text a sentence? Names of parts have neither so many words nor such ones."""
    return bool(_PROSE.search(text)) or len(text.split()) > _WORDY
