"""What the lines of a list are made of: names of parts, how many, shops, sentences, titles."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import accumulate

from buildcheck.importers.part_list.markup import Logical, numbers_in, paragraphs, plain
from buildcheck.importers.part_list.rows import Row
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.money import price_in
from buildcheck.model.vocabulary import vocabulary, worded
from buildcheck.words.around import without_bridges
from buildcheck.words.entry import MOST, entry_of, in_figures, number_in
from buildcheck.words.keys import ANY, phrase, said_by, section_of, value_hint

#: The address of a part, not of a list.
PRODUCT = re.compile(r"pcpartpicker\.com/(?:product|part)/", re.IGNORECASE)
_SAID = vocabulary("part-lists")["lines"]
WRAPPED, _LUMP, UNCLEAR, _USED, _COUNT_BELOW, NO_PRICE = (
    re.compile(_SAID[n], re.IGNORECASE)
    for n in ("wrapped", "lump", "unclear", "used", "count_below", "no_price")
)
SENTENCE = re.compile(vocabulary("part-lists")["reading"]["sentence"])
_NOT_HERE = re.compile(_SAID["not_here"], re.IGNORECASE)
#: Nothing but signs that separate.
EMPTY = re.compile(r"[\s|;:*_=~#>+/\\—–.\u00a0-]*")
NO_PART, _CABLES_OF = re.compile(_SAID["no_part"]), re.compile(_SAID["cables_of"])
#: A name without a digit: words that all start with a capital.
_TITLED = re.compile(r"[A-Z][\w'!.&+-]*(?: [A-Z0-9][\w'!.&+-]*){1,6}")
_PROSE, _IS = re.compile(_SAID["prose"]), re.compile(vocabulary("part-lists")["reading"]["is"])
_MAKERS = vocabulary("part-names")["makers"]
_NUMBER, _SENTENCE_ON = (re.compile(_SAID[n], re.IGNORECASE) for n in ("number", "sentence_on"))
#: Names of parts have no more words and characters.
_WORDY, _LONGEST = 24, 300
#: Sections whose parts few know by a model.
DESCRIBED = ("risers", "nvlink", "storage")
WORD = re.compile(r"[A-Za-z]{2}")
#: Between the names of several parts; and what a PSU powers, behind its name.
JOINS, _POWERS = re.compile(_SAID["joins"]), re.compile(_SAID["powers"], re.IGNORECASE)
#: A word for a kind with a name in the same cell; that there is one, in front of a name.
_HEADED, _ONE = re.compile(_SAID["headed"]), re.compile(_SAID["one"])
#: The shortest name of a part has three letters or digits, such as "P40", or is a letter
#: and a figure, as "L4".
NAME = re.compile(r"(?![{\[])[\W_]{0,5}(?:(?:[^\W_][\W_]{0,5}){3}|[A-Z]\d$)")
#: Words of buttons on shop pages, which are copied with a part.
BUTTONS = frozenset({"buy", "remove", "add", "edit", "no prices available", "from"})

#: What is between the parts of a list that is one line, or of a text, and the least kinds that it
#: names; and how a text begins to name one.
_LEAST, _MANY, _COMMA, _SLASH = 3, 5, r"[,;]\s(?![^()]*\))", r"\s[/—]\s"
_BETWEEN = ((r"\s[·•|]\s", _LEAST), (_COMMA, _LEAST), (_SLASH, 2))
#: A line above a signature, and the most lines of one.
_SIGNATURE, _SIGNED = re.compile(_SAID["signature"]).fullmatch, 4
_EACH_HAS, _BEGUN = re.compile(_SAID["each_has"]), re.compile(_SAID["begun"])
#: What is a size and no more there, by its unit.
_SIZE = re.compile(r"(?i)\d{1,4} ?([gt])b(?: \(.*\))?").fullmatch
_SIZED = {"g": "memory", "t": "storage"}
#: The name of a whole machine, and what it has in brackets behind that.
WHOLE = re.compile(vocabulary("part-lists")["asking"]["whole"])
_HAS = re.compile(r" \(([^()]*\d[^()]*, [^()]*)\)")
#: What tells of a part in such a list, columns wide apart, and what tools print.
_TELLING, APART = _SAID["telling"], re.compile(_SAID["apart"])
_PRINTED = [(re.compile(pattern), shown) for pattern, shown in _SAID["printed"]]
_COUNT_FIRST = re.compile(r"\s*([1-9]\d?)\t(?=.*[A-Za-z])")
#: No line that names a part is longer.
_LONGEST_LINE = 2_000

#: A word with three digits or with letters and digits, as models have.
MODEL = re.compile(r"\b(?=\w*\d)(?=\w*(?:\d{3}|[a-z]))\w{3,}")


@dataclass
class Said:
    """What one line shows."""

    number: int
    raw: str
    shown: str
    links: tuple[str, ...]
    #: What follows its first link.
    tail: str = ""
    bullet: bool = False


def joined(*notes: str) -> str:
    """Notes that say something, each once."""
    return "; ".join(dict.fromkeys(n.strip() for n in notes if not EMPTY.fullmatch(n)))


def named(word: str, name: str, said: Said, tail: str) -> Row:
    """A row of that name, with what its line links to."""
    name = name.strip()
    headed = _HEADED.fullmatch(name) if section_of(word) in (None, ANY) else None
    if headed and section_of(headed[1]) is not None:
        # `Type: Item` or `Type (Item)` in one cell.
        word, name = headed[1], headed[2] or headed[3]
    tail = tail if name.endswith(tail) and tail != name and not price_in(tail) else ""
    if tail:
        name = name[: -len(tail)].rstrip()
    links = sorted(said.links, key=lambda a: not PRODUCT.search(a))
    numbers = [n for text in (*links[:1], said.shown) for n in numbers_in(text)]
    row = Row(
        word.strip(" :*"),
        name,
        said.number,
        said.raw,
        link=links[0] if links else "",
        note=joined(tail, *links[1:]),
        numbers=tuple(dict.fromkeys(numbers)),
    )
    return row if price_in(name) else with_name(row, name)


def with_name(row: Row, name: str) -> Row:
    """A row with a name, of which what stands around it is taken."""
    said = said_by(name)
    section = section_of(row.section) or (said if said in SECTION_KIND else "")
    bare = _ONE.sub("", name)
    # Of what it powers no word is its state.
    powers = _POWERS.search(bare) if section == "psus" else None
    bare = bare[: powers.start()] if powers else bare
    used = _USED.match(bare)
    found = entry_of(bare[used.end() :] if used else bare, section, priced=False)
    found.notes += [used[0].strip()] if used else []
    is_each = re.search(phrase("counted_last"), JOINS.split(bare)[0]) and JOINS.search(found.name)
    if is_each or (found.count is not None and not 1 <= found.count <= MOST):
        return replace(row, name=name)
    is_gpu = "gpus" in (section_of(row.section), said_by(found.name))
    short, bridges = without_bridges(found.name) if is_gpu else (found.name, "")
    # What is there already is not on the list of what to order.
    there = "; ".join(note for note in found.notes if value_hint(("there",), note))
    more = {"nvlink": bridges, "note": there, "powers": powers[1] if powers else ""}
    return replace(
        row,
        name=short,
        count=found.count or row.count,
        note=joined(*found.notes, row.note),
        settings=row.settings | found.settings | {n: text for n, text in more.items() if text},
        owned=row.owned or bool(there),
    )


def is_no_part(row: Row) -> bool:
    """Is what stands where a name would none, or only about the cables of another part?"""
    is_cables = section_of(row.section) == "psus" and _CABLES_OF.fullmatch(row.name)
    return bool(NO_PART.fullmatch(row.name) or is_cables)


def is_typed(text: str) -> bool:
    """Does a text begin with a word for a kind and a colon?"""
    head, colon, _ = text.partition(":")
    return bool(colon) and section_of(head) is not None


def led(text: str) -> tuple[str, str]:
    """The word for a kind that a text begins with, without a sign behind it, and what follows.

    >>> led("second psu rm650"), led("GPU 2 RTX 3090"), led("Cooler Master V1000")
    (('second psu', 'rm650'), ('GPU 2', 'RTX 3090'), ('', ''))
    """
    words = text.split(" ")
    for end in () if "".join(words[:2]).lower() in _MAKERS else (3, 2, 1):
        word = " ".join(words[:end])
        if len(words) <= end or not word.replace(" ", "").isalpha() or section_of(word) is None:
            continue
        # `gpu cooling: water` is of something else, and `GPU 2 RTX 3090` the second of them.
        is_number = _NUMBER.fullmatch(f"{word} {' '.join(words[end : end + 2])}")
        names = words[end + bool(is_number) :]
        is_name = names and section_of(names[0]) is None and not _SENTENCE_ON.fullmatch(names[0])
        return (" ".join(words[: -len(names)]), " ".join(names)) if is_name else ("", "")
    return "", ""


def typed(text: str) -> str:
    """A text with a colon where it says what a kind of part is: `the case is a Foo`."""
    found = _IS.match(text)
    is_kind = found and section_of(found[1]) is not None
    return f"{found[1]}: {text[found.end() :]}" if found and is_kind else text


def could_be_part(name: str) -> bool:
    """Could a line without any word for a kind be the name of a part, and nothing else?"""
    short = entry_of(name, priced=False).name
    is_text = is_prose(short) or _NOT_HERE.search(short) or UNCLEAR.search(short)
    if len(name) > _LONGEST or not NAME.match(short) or is_text:
        return False
    return any(map(str.isdigit, short)) or bool(_TITLED.fullmatch(short))


def counted(row: Row, cell: str) -> Row:
    """A row with the number in a cell; with a fault where that is no number of parts."""
    text = re.sub(r"[.,]0+$", "", _LUMP.sub("", plain(cell)[0]))
    count = number_in(text)
    if EMPTY.fullmatch(text):
        return row
    if count is None or not 1 <= count <= MOST:
        return replace(row, fault=worded("no-quantity", text=text, most=MOST)[0])
    # `4x RTX 3090` and a 4 are four; two kits of `8x 32GB` are sixteen modules.
    is_kit = section_of(row.section) == "memory" or said_by(row.name) == "memory"
    times = row.count if is_kit and count != row.count else 1
    return replace(row, count=max(count * times, row.count))


def names_part(said: Said, above: Said) -> bool:
    """Does a line name a part of the kind that the line above is for?"""
    price, of = price_in(said.shown), section_of(above.shown)
    name = said.shown[: price.start] if price else said.shown
    is_other = of in DESCRIBED and said_by(name) not in (of, ANY)
    is_text = is_prose(name) or is_typed(said.shown) or said.shown.lower() in BUTTONS
    if is_text or is_other or not NAME.search(name):
        return False
    # Below a title of a text more than a part can stand.
    of_page = not (above.bullet or above.raw.startswith("#") or above.raw.endswith(":"))
    return of_page or said.bullet or said_by(name) != ANY


def is_prose(text: str) -> bool:
    """Is a text a sentence, by its words or their number? What is in brackets is a remark."""
    text = re.sub(r"\([^()]*\)", "", text)
    return bool(_PROSE.search(text)) or len(text.split()) > _WORDY


def _sentences(lines: list[Logical]) -> Iterator[Logical]:
    """The sentences of a paragraph as lines of their own, each where it begins."""
    text = " ".join(line.text.strip() for line in lines) if lines[1:] else lines[0].text
    is_text = lines[0].cells is None and "|" not in text and is_prose(text)
    ends = [*SENTENCE.finditer(text)] if is_text else []
    begins = [*accumulate((len(line.text.strip()) + 1 for line in lines), initial=0)]
    for end, following in zip([None, *ends], [*ends, None], strict=True):
        at = end.end() if end else 0
        line = lines[bisect_right(begins, at, hi=len(lines)) - 1]
        said = in_figures(text[at : following.start() if following else None])
        for pattern, shown in _PRINTED:
            said = pattern.sub(shown, said)
        yield replace(line, text=said)


def _spread(line: Logical) -> list[Logical]:
    """The lines of a list that is one line: `Z840, dual E5-2690 v4, 128 GB DDR4, 1125 W PSU`."""
    is_row = line.cells is not None or line.aside or APART.search(line.text)
    if is_row or len(line.text) > _LONGEST_LINE:
        return [line]
    line = replace(line, text=_EACH_HAS.sub(r" \1, ", line.text))
    inner = _HAS.search(line.text) if WHOLE.search(line.text.partition("(")[0]) else None
    # Its form is its own.
    pieces = [p for p in inner[1].split(", ") if said_by(p) != "case"] if inner else []
    if inner and any(said_by(piece) in SECTION_KIND for piece in pieces):
        # `ThinkStation P620 (3945WX, 64GB, 1000W)`
        name = f"{line.text[: inner.start()]}{line.text[inner.end() :]}"
        return [replace(line, text=text) for text in (name, *_with_kinds(pieces))]
    for sign, least in _BETWEEN:
        apart = filter(None, (piece.strip(" ,") for piece in re.split(sign, line.text)))
        pieces = [_BEGUN.sub("", typed(piece)) for piece in apart]
        said = {said_by(p) for p in pieces if re.search(_TELLING, p)} & SECTION_KIND.keys()
        # Of three between commas two that say their kind are enough; a row has a price too.
        is_short = sign == _COMMA and len(said) == _LEAST - 1 == len(pieces) - 1
        is_many = len(pieces) > _MANY
        is_bare = not (is_typed(line.text) or (price_in(line.text) and not is_many))
        is_list = len(said) >= _LEAST or is_short or (is_many and len(said) == least == _LEAST - 1)
        is_each = all(is_typed(piece) or led(piece)[0] for piece in pieces)
        if (is_list and is_bare) or (len(pieces) > 1 and is_each):
            return [replace(line, text=piece) for piece in _with_kinds(pieces)]
    return [line]


def _with_kinds(pieces: list[str]) -> list[str]:
    """The texts, a size alone with the kind of what has it in front."""
    sizes = [(piece, _SIZE(piece)) for piece in pieces]
    return [f"{_SIZED[size[1].lower()]}: {piece}" if size else piece for piece, size in sizes]


def lines_of(texts: list[Logical]) -> list[Logical]:
    """Lines apart, with a count that is alone in a line in front of the one above it.

    Numbers in a first column without a heading are counts, unless they number the lines.
    """
    found: list[Logical] = []
    first = [_COUNT_FIRST.match(line.text) for line in texts if "\t" in line.text]
    if all(first):
        shown = "" if [int(m[1]) for m in first if m] == [*range(1, len(first) + 1)] else r"\1x "
        texts = [replace(one, text=_COUNT_FIRST.sub(shown, one.text, count=1)) for one in texts]
    ends = (at for at in range(len(texts))[-_SIGNED:] if _SIGNATURE(texts[at].text))
    signed = next(ends, len(texts))
    if any(is_prose(one.text) for one in texts[:signed]):
        texts = [*texts[:signed], *(replace(one, aside=True) for one in texts[signed:])]
    sentences = (one for lines in paragraphs(texts, is_prose) for one in _sentences(lines))
    for line in (one for sentence in sentences for one in _spread(sentence)):
        above = found[-1] if found else None
        below = _COUNT_BELOW.fullmatch(line.text) if line.cells is None else None
        is_part = above and above.cells is None and NAME.search(above.text)
        if below and above and is_part and price_in(above.text) is None:
            text = f"{below[2]} x {above.text.strip()}  {below[3]}"
            found[-1] = replace(above, text=text)
        else:
            found.append(line)
    return found
