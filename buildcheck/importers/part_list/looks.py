"""Lines outside tables → rows, or what they set of the machine, by their words or looks."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

import buildcheck.importers.part_list.lines as wording
from buildcheck.importers.part_list.asking import Asking, Place
from buildcheck.importers.part_list.markup import Logical, plain
from buildcheck.importers.part_list.prices import cost_in, is_shop, priced
from buildcheck.importers.part_list.quote import states_term
from buildcheck.importers.part_list.rows import LONGEST_GUESS, Line, Row
from buildcheck.importers.part_list.sayings import of_kinds, piece_of
from buildcheck.model.build import LISTS, SECTION_KIND
from buildcheck.model.money import bare_amount, is_price, price_in
from buildcheck.model.vocabulary import vocabulary, worded
from buildcheck.words.around import numbers_in
from buildcheck.words.entry import MOST, entry_of, number_in
from buildcheck.words.facts import facts_in
from buildcheck.words.keys import ANY, NONE, is_machine, phrase, said_by, section_of
from buildcheck.words.names import remarks

_SAID = vocabulary("part-lists")["reading"]
_RUNS_OFF, _POINT, _REMARK, _AROUND = (
    re.compile(_SAID[n]) for n in ("runs_off", "point", "aside", "around")
)
#: A kind and a count in columns of their own.
_COLUMNS = re.compile(r"(\w[\w ]*?) {2,}(\d{1,2}) {2,}(\S.*)")
_LABEL = re.compile(r"[A-Z][A-Za-z /-]{2,20}|\d+ ?[GT]B")
#: A cell that is how many there are.
COUNT = re.compile(vocabulary("part-lists")["cells"]["count"], re.IGNORECASE)
#: Words of a name without a number or capitals, in a bullet.
_FEW = 3
_CENTS = re.compile(r".*\d[.,]\d\d")
_HEADING = re.compile(r"\s{0,3}#{1,3}\s+(?=\S)")
_TITLED = re.compile(r"(?:build(?: name)?|title|name|titel)\s?:\s*(?=\S)", re.IGNORECASE)
_WRITING = vocabulary("part-lists")["writing"]
_OF_TITLES = vocabulary("part-lists")["titles"]
_OF, _ANY = (re.compile(_OF_TITLES[n], re.IGNORECASE) for n in ("of", "any"))
#: Most characters and words of a title, and characters of its line.
_LONGEST_TITLE, _TITLE_WORDS, _TITLE_LINE = 80, 10, 400
#: Words of a sentence on what a machine is for that need not be known, by how much it says.
_LEFT, _FEW_LEFT = 5, 2


def row_by_word(said: wording.Said) -> Row | None:
    """`Kind: name ($1 @ shop)`, `**Kind** name`, or `Kind name $1`, as pages are copied."""
    off = _RUNS_OFF.match(said.shown)
    shown = f"PSU: {said.shown[off.end() :]}" if off else wording.typed(said.shown)
    word, rest = _word_and_rest(replace(said, shown=shown))
    row = priced(wording.named(word, rest, said, said.tail)) if rest.strip(" -–—") else None
    row = replace(row, settings={"powers": off[1], **row.settings}) if row and off else row
    is_part = row and wording.NAME.match(row.name) and not wording.is_no_part(row)
    return row if is_part else None


def _word_and_rest(said: wording.Said) -> tuple[str, str]:
    """The word for a kind that a line begins with, and what follows it."""
    for sign in (":", " - ", " – ", " — "):
        word, found, rest = said.shown.partition(sign)
        if found and (several := re.fullmatch(phrase("numbered_words"), word.strip())):
            return several[1], f"{len(numbers_in(several[2]))}x {rest.strip()}"
        if found and number_in(rest) and said_by(word) in SECTION_KIND:
            return "", f"{number_in(rest)}x {word}"
        # `GPU (x4): RTX 3090`, `Four GPUs: RTX 3090`
        inner = word.partition("(")[2].rstrip(") ")
        inner = "" if inner.isdigit() else inner
        many, _, kind = word.strip().partition(" ")
        if number_in(many) and section_of(kind) is not None:
            # Each of that many can be named: `2 psu: HX1200 + RM850`.
            is_each = len(wording.JOINS.split(rest.strip())) == number_in(many)
            word, inner = kind, "" if is_each else many
        if found and section_of(word) is not None:
            return word, f"{number_in(inner)}x {rest.strip()}" if number_in(inner) else rest
        # Some other label, before what is a part by its own words: `Data: 2x 4TB NVMe`.
        is_part = bool(found) and said_by(entry_of(rest.strip()).name) in SECTION_KIND
        if is_part and _LABEL.fullmatch(word) and not wording.is_prose(said.shown):
            return word, rest
    return _counted(said)


def _counted(said: wording.Said) -> tuple[str, str]:
    """The word and the rest of `CPU   2   EPYC 7302P`, in columns, or `1 carte mère ASUS`."""
    column = _COLUMNS.match(said.raw.strip())
    if column and section_of(column[1]) is not None:
        return column[1], f"{column[2]}x {column[3]}"
    many, _, rest = said.shown.partition(" ")
    count = f"{number_in(many)}x " if COUNT.fullmatch(many) else ""
    word, name = wording.led(rest if count else said.shown)
    section, own = section_of(word), said_by(entry_of(name).name)
    is_product = bool(price_in(name)) or any(map(wording.PRODUCT.search, said.links))
    if f"**{word}**" in said.raw or (is_product and not wording.is_prose(name)):
        return word, count + name
    begins = name[:1].isupper() or entry_of(name).count is not None
    is_name = count or (begins and wording.could_be_part(name) and (said.bullet or own != ANY))
    is_part = section in SECTION_KIND and own in (ANY, section)
    return (word, count + name) if is_name and is_part else ("", "")


def row_by_look(said: wording.Said, below: str) -> Row | None:
    """A line without a word for the kind, if it looks like a part, or stands `below` a word."""
    row = priced(wording.named("", said.shown, said, said.tail))
    is_no_part = wording.is_no_part(row) or _AROUND.match(said.shown)
    if not wording.NAME.match(row.name) or wording.is_prose(row.name) or is_no_part:
        return None
    of_product = any(map(wording.PRODUCT.search, said.links))
    section = said_by(row.name)
    fields, rest = facts_in(section, wording.JOINS.split(row.name)[0])
    is_said = bool(fields) or section == "risers"
    described = section in (*wording.DESCRIBED, "case", "cpu_cooler") and is_said and not rest
    is_point = _is_point(row.name) and not described
    known = section != ANY and bool(row.price or (not is_point and (said.bullet or described)))
    is_named = wording.could_be_part(row.name) and not is_point
    # What has a count and a price is a part, whatever its name.
    is_named |= bool(row.price)
    counted = entry_of(said.shown).count is not None and (section in SECTION_KIND or is_named)
    return replace(row, section=below) if of_product or counted or known or below else None


def guessed(said: wording.Said) -> Row | None:
    """What a line would say if it were a part; None if it could be none.

    Whoever has a catalogue can tell.
    """
    if len(said.shown) > LONGEST_GUESS:
        return None
    label, _, rest = said.shown.partition(": ")
    is_label = is_machine(label) or (_LABEL.fullmatch(label) and entry_of(rest).count is not None)
    # The circuits that PSUs are on are set of the machine.
    shown = re.sub(phrase("at_circuits"), "", rest if is_label else said.shown)
    word, rest = wording.led(shown)
    word, shown = (word, rest) if section_of(word) in SECTION_KIND else ("", shown)
    row = priced(wording.named(word, shown, said, said.tail))
    row = wording.with_name(row, row.name.strip(" |,"))
    is_short = said.bullet and len(row.name.split()) <= _FEW and not _POINT.search(row.name)
    for one in (row, _doubtful(row)):
        first = entry_of(wording.JOINS.split(one.name)[0], priced=False).name
        is_text = one.raw.startswith("##") or wording.is_prose(one.name) or _is_point(first)
        is_short |= not is_text and "|" not in one.name and wording.could_be_part(first)
        if is_short:
            return one
    return None


def _doubtful(row: Row) -> Row:
    """A row without the words behind its name that leave open whether it is in the machine."""
    found = wording.UNCLEAR.search(row.name)
    name = row.name[: found.start()].rstrip(" ,;:(–-") if found else ""
    return replace(row, name=name, fault=worded("in-it", name=row.name)[0]) if name else row


def _is_point(text: str) -> bool:
    """Has a line words of a text, but for remarks behind a part?"""
    return bool(_POINT.search(_REMARK.sub("", text)))


def roles_of(texts: Sequence[str], *, last: bool) -> dict[str, str]:
    """What the cells of a row without headings hold, by their texts; nothing if no part.

    With a column of base prices the `last` price is what one pays.
    """
    word = texts[0] if texts else ""
    known = section_of(word) is not None and len(texts) > 1
    rest = texts[known:]
    names = [t for t in rest if wording.NAME.search(t) and bare_amount(t) is None]
    names = [t for t in names if not (is_price(t) or COUNT.fullmatch(t))]
    names = [t for t in names if not wording.NO_PRICE.fullmatch(t)]
    # A name can be in brackets behind its kind.
    names = names or [word] * (known and "(" in word)
    # What says its kind is no number of a maker.
    name = min(names, key=lambda t: said_by(t) == ANY, default="")
    costs = [t for t in rest if price_in(t) and t != name]
    costs = costs or [t for t in rest if _CENTS.fullmatch(t) and bare_amount(t) is not None]
    # What has a count and a price is a part, whatever its name.
    signs = bool(costs) + any(map(COUNT.fullmatch, rest))
    if not name or not (known or wording.is_typed(name) or signs > (said_by(name) == ANY)):
        return {}
    cost = costs[-1 if last else 0] if costs else ""
    others = [t for t in rest if t not in (name, cost)]
    roles = {name: "name", cost: "price"} | ({word: "kind"} if known and name != word else {})
    # Where one price is a multiple of the other, that many are bought.
    one, of_all = (cost_in(c, bare=True).money for c in (cost, costs[-1] if costs else ""))
    times = of_all.amount / (one.amount or 1) if one and of_all else 0
    many = str(int(times))
    numbers = [t for t in others if COUNT.fullmatch(t)]
    named = entry_of(name).count or 1
    is_counted = named > 1
    if 1 < times <= MOST and (many in rest or times == named) and times == int(times):
        roles |= {cost: "each"} | ({} if is_counted else {many: "count"})
    elif len(numbers) == 1 and not is_counted:
        # In front of a name a number alone may number the lines.
        is_count = not numbers[0].isdigit() or rest.index(numbers[0]) > rest.index(name)
        roles |= {numbers[0]: "count"} if is_count else {}
    shops = [t for t in others if is_shop(t)] if cost and not cost_in(cost).shop else []
    return roles | dict.fromkeys(shops[-1:], "shop")


def title_of(lines: list[Logical]) -> tuple[Logical, str] | None:
    """The line that is the title of a list, and the title; None if there is none."""
    texts = [n for n in lines[:9] if not n.aside and not wording.EMPTY.fullmatch(n.raw)]
    first = texts[0] if texts else Logical(0, cells=[])
    is_cells = first.cells is not None or "|" in first.text or "\t" in first.text.strip()
    if is_cells or len(first.text) > _TITLE_LINE:
        return None
    heading = _HEADING.match(first.text)
    commented = len(texts) > 1 and texts[1].text.lstrip().startswith("# ")
    shown, links, _ = plain(first.text[heading.end() :] if heading else first.text)
    named = _TITLED.match(shown)
    title = shown[named.end() :] if named else shown
    marked = bool(named or (heading and not commented) or _OF.search(title))
    is_apart = len(texts) > 1 and texts[1].first > first.first + 1
    marked |= is_apart and said_by(title) == ANY and not wording.MODEL.search(title.lower())
    is_long = len(title) > _LONGEST_TITLE or len(title.split()) > _TITLE_WORDS
    is_part = wording.is_typed(title) or section_of(title) is not None or price_in(title)
    is_text = wording.is_prose(title) and not title.lower().startswith("my ")
    is_text |= title[-1:] in ".:," or bool(_ANY.fullmatch(title) or wording.WHOLE.search(title))
    is_title = marked and title.isprintable() and wording.NAME.match(title)
    return (first, title) if is_title and not (links or is_long or is_part or is_text) else None


def works(lines: Iterable[Line]) -> list[tuple[Line, str]]:
    """The lines that surely say what the machine is for, and the words that do.

    Terms of a quote are none: `training` is a service there.
    """
    found = list[tuple[Line, str]]()
    for line in lines:
        for clause in (line.text, *re.split(phrase("clauses"), line.text)):
            fields, rest = facts_in("workload", clause[:LONGEST_GUESS])
            left = {*rest.split()}
            is_sure = "kind" in fields and len(left) <= (_LEFT if len(fields) > 1 else _FEW_LEFT)
            if is_sure and not states_term(line.text):
                said = re.split(r"[\s,;:()]+", clause.rstrip(".! "))
                found.append((line, " ".join(word for word in said if word not in left)))
                break
    return found


def apart(row: Row, asking: Asking) -> list[Place]:
    """The parts of a row, placed; with a fault where it is open how many GPUs, or if they are."""
    rows = _split(row, asking)
    is_gpu = len(rows) == 1 and "gpus" in (section_of(row.section), said_by(row.name))
    again = re.search(phrase("recounted"), plain(row.raw)[0]) if is_gpu else None
    said = (*remarks(row.name), *row.note.split("; "))
    is_open = any(re.fullmatch(phrase("optional"), remark) for remark in said)
    fault = worded("in-it", name=row.name)[0] if is_open else ""
    fault = worded("counted-twice", text=again[0])[0] if again else fault
    return [asking.place(part) for part in ([replace(row, fault=fault)] if fault else rows)]


def _split(row: Row, asking: Asking) -> list[Row]:
    """The parts of a row that names several, if all of them or two are known, else the row."""
    if summed := re.fullmatch(_WRITING["summed"], row.name):
        return _split(wording.with_name(replace(row, count=1), summed[1]), asking)
    at, mixed = asking.place(row), of_kinds(row, asking)
    names = mixed or wording.JOINS.split(row.name.rstrip("."))
    names = names if names[1:] or at.answer.is_known else re.split(_WRITING["pieces"], row.name)
    is_list = at.section == "gpus" or (at.section in LISTS and not at.answer.is_known)
    if is_list and at.pieces and not mixed:
        # What they cost and what joins them is said once; what is set of them holds for all.
        first = replace(row, count=1)
        own = {name: value for name, value in row.settings.items() if name != "nvlink"}
        bare = replace(first, price=None, note="", settings=own)
        return [*map(piece_of, [first, *[bare] * (len(at.pieces) - 1)], at.pieces)]
    is_riser = at.section == "risers" and at.is_described
    # A case may stand with the risers in it.
    is_whole = at.is_part and at.section != "case" and not (at.is_memory and at.said.rest)
    if row.price or not names[1:] or (is_whole and not mixed) or is_riser:
        return [row]
    # A card that no check looks at is none of the drives on it.
    is_other = said_by(names[0]) == NONE
    rows = [wording.with_name(replace(row, section="") if is_other else row, names[0])]
    bare = replace(row, count=1, settings={}, note="")
    for name in names[1:]:
        is_on = "kind" in facts_in("risers", name).fields or re.search(_WRITING["dock"], name)
        if is_on and at.section != "case":
            riser = wording.joined(rows[-1].settings.get("riser", ""), name)
            rows[-1] = replace(rows[-1], settings={**rows[-1].settings, "riser": riser})
        else:
            rows.append(wording.with_name(replace(bare, section=""), name))
    places = [*map(asking.place, rows)]
    known = [p.section for p in places if p.is_part or p.is_described or p.is_riser]
    known += [NONE] * is_other
    # Several of one section are read as a build file reads them.
    return rows if len({*known}) == len(known) >= min(2, len(rows)) else [row]
