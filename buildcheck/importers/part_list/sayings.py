"""What lines say of the machine and its risers, and whether one that was not read is a part."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import buildcheck.importers.part_list.lines as wording
from buildcheck.importers.part_list.asking import ORDER, Asking, Place, called
from buildcheck.importers.part_list.markup import plain
from buildcheck.importers.part_list.rows import LONGEST_GUESS, Line, PartList, Row
from buildcheck.model.build import SECTION_KIND, SINGLES
from buildcheck.model.vocabulary import vocabulary
from buildcheck.words.around import said_in, states
from buildcheck.words.entry import number_in
from buildcheck.words.facts import facts_in
from buildcheck.words.keys import (
    ANY,
    NONE,
    doubted,
    meant_by,
    phrase,
    place_of,
    said_by,
    section_of,
)
from buildcheck.words.names import remarks, said

_WRITING = vocabulary("part-lists")["writing"]
#: Sections whose unknown parts stay in force: without them a smaller machine would be judged, and
#: pass. Whoever validates the build is asked for them.
DECISIVE = frozenset({"gpus", "cpu", "motherboard", "psus"})
#: Keys at the top of a build file by where the words in front of their values belong.
_SETTINGS = {("gpus", "power_limit"): "power_limit", ("workload",): "workload"}
_SETTINGS |= dict.fromkeys((("site",), ("site", "outlet"), ("site", "breaker")), "site")
_SETTINGS |= {("psu_sync",): "psu_sync", ("cooling",): "cooling", ("firmware",): "firmware"}
#: What a row with a count or a price can set; those whose label is no proof.
_OF_ROWS = {"site", "cooling", "gpu adapter"}
_OPEN = ("cooling", "firmware")
#: The most characters of a label; an outlet as a build file has it, and what could be one's name.
_LONGEST_LABEL, _OUTLET = 40, re.compile(r"\{\s*outlet:\s*([^{}:]+)\}")
_EACH = re.compile(vocabulary("part-lists")["asking"]["each"])
_NAMED, _OF_CIRCUITS = re.compile(r"\d|[A-Z]"), {"outlet", "breaker", "circuits"}
_INNER, _BOX, _BOARD = (re.compile(_WRITING[n], re.IGNORECASE) for n in ("inner", "box", "board"))


def sets(name: str) -> bool:
    """Does the name of a row say what the machine is plugged into or cooled by, and no part?

    Or with which adapters its GPUs are connected.
    """
    is_circuit = re.match(_WRITING["circuits"], name)
    is_part = said_by(name) not in (ANY, NONE) and not is_circuit
    is_limit = re.match(_WRITING["limits"], name)
    return not is_part and bool(is_limit or not _OF_ROWS.isdisjoint(dict(said_in(name)[0])))


def shown_by(row: Row) -> tuple[str, list[tuple[str, str]]]:
    """What a row says by its kind and name, and if it is no part in all of its cells."""
    name, remark = f"{row.count}x " * (row.count > 1) + row.name, row.note.rpartition(": ")[2]
    if is_site := (place_of(row.section) or ())[:1] == ("site",):
        # An outlet says more of itself in a remark.
        name = ", ".join(filter(None, (name, remark)))
    cells = [c.strip(" -*•") for c in row.raw.split(" | ") if c != row.section]
    is_other = section_of(row.section) not in SECTION_KIND and not is_site
    said = [one for text in (*cells, remark) for one in said_in(text)[0]] if is_other else []
    if section_of(row.section) == "motherboard":
        # What is set in its BIOS stands next to its name.
        texts = (*remarks(row.name), *row.note.split("; "))
        noted = (one for text in texts for one in said_in(text)[0])
        said = [one for one in noted if one[0] == "firmware"]
    shown = f"{row.section} | {name}" if row.section else name
    return shown if " | " in row.raw else row.raw, said


def mentions(line: Line, listed: set[str]) -> bool:
    """Does a line have models and makers, whose words are `listed`, and say nothing new of them?"""
    text = line.text[:LONGEST_GUESS]
    models = wording.MODEL.findall(text.lower())
    is_listed = bool(models) and listed.issuperset({*models, *said("gpu", text).makers})
    return is_listed and not doubted(text, listed=" ".join(listed))


def may_be_part(line: Line, *, lacks_psu: bool) -> bool:
    """May a line that was not read name a part, rather than tell of one or deny it?

    Where no PSU is listed, what tells of one with its watts is it.
    """
    text = line.text[:LONGEST_GUESS]
    is_denied = any(re.search(phrase("denied"), " ".join(text.split()[:n])) for n in (1, 2, 3))
    is_limit = "power_limit" in facts_in("gpus", text).fields
    is_none = wording.NO_PART.fullmatch(text.rpartition(":")[2].strip(" .!"))
    is_psu = lacks_psu and "rated_power" in facts_in("psus", text).fields
    is_text = (wording.is_prose(text) and not is_psu) or text.rstrip().endswith("?") or is_none
    return said_by(text) in SECTION_KIND and not (is_denied or is_limit or is_text)


def settings_in(line: str, of: str) -> Iterator[tuple[str, str]]:
    """What a line sets by its label, or else in a sentence, or as it states volts and amperes.

    `of` is the word for the kind of the row that the line is; empty if it is none.
    """
    (label, said), text = _labelled(line, of), line.strip(" -*•–>")
    in_cells = not text.startswith(f"{label}:")
    text = said if in_cells and of else text
    word = label.strip(" ->*•")
    # A power cord is none of the outlet.
    is_label = word and len(label) <= _LONGEST_LABEL and said_by(word) != NONE
    key = _SETTINGS.get(place_of(word) or (word.lower(),)) if is_label else ""
    outlet = _OUTLET.fullmatch(said)
    value = outlet[1].strip() if outlet else said
    stated = facts_in("site", value).fields
    # Below `Power` a table has PSUs as well; an `Outlet` is one.
    is_open = in_cells and not (place_of(word) or ())[1:]
    is_site = stated.keys() & _OF_CIRCUITS if is_open else stated or _NAMED.search(value)
    is_said = key not in _OPEN or states(key, value)
    if key and value and is_said and (key != "site" or outlet or is_site):
        # Behind the circuit a line may go on with something else.
        first, *others = re.split(r"[.!;] +", value) if key == "site" else [value]
        yield key, first
        yield from (found for other in others for found in said_in(other)[0])
    elif not of or section_of(of) in (ANY, NONE, "cables"):
        found = said_in(text)[0]
        # What a long sentence sets besides is in a clause of its own.
        parts = re.split(phrase("clauses"), text) if wording.is_prose(text) else ()
        more = (one for part in parts for one in said_in(part)[0])
        yield from (*found, *(one for one in more if one[0] not in {"site", *dict(found)}))


def settings_of(parts: PartList, asking: Asking) -> dict[str, list[tuple[Line, str]]]:
    """What lines set of the whole machine, by key: each line with what it says."""
    rows = [r for r in parts.rows if r.section or sets(r.name)]
    words, said = {r.at: r.section for r in rows}, dict[str, list[tuple[Line, str]]]()
    shown = {r.at: shown_by(r) for r in rows}
    own = {(r.at, name) for r in (*parts.rows, *parts.guesses) for name in r.settings}
    lines = {*parts.kept, *words, *parts.titled}
    for line in sorted(n for n in lines if len(n.text) <= LONGEST_GUESS):
        text, more = shown.get(line, (line.text, []))
        # What a board is set to leaves it a part.
        is_board = section_of(words.get(line, "")) == "motherboard"
        for key, value in dict.fromkeys((*settings_in(text, words.get(line, "")), *more)):
            # Only what is known of the site can be in several lines; nothing set denies no row.
            is_stock = meant_by(("gpus", key), value) == ("", "")
            is_own = any(name == key and (is_stock or at == line) for at, name in own)
            is_same = {v for _, v in said.get(key, ())} <= {value}
            if key == "site" or (is_same and not is_own):
                at = Line(line.line, value) if is_board else line
                count = number_in(value) if key == "machines" else None
                said.setdefault(key, []).append((at, str(count or value)))
        place = re.fullmatch(_WRITING["place"], line.text.strip())
        if place and not words.get(line) and asking.knows("country", place[1]):
            said.setdefault("site", []).append((line, place[1]))
    return said


def _labelled(line: str, of: str) -> tuple[str, str]:
    """The label of a line, and what it says: `Outlet: NEMA 5-15`, or two cells of a table."""
    cells = [cell.strip() for cell in line.strip("| ").split(" | ")]
    if cells[1:] and ":" not in cells[0]:
        at = cells[:-1].index(of) if of in cells[:-1] else 0
        return cells[at], cells[at + 1]
    label, _, said = line.strip().partition(":")
    return label, said.strip()


def kind_of(name: str) -> str:
    """The kind that a name of no section speaks of, if a machine cannot be judged without it."""
    section = said_by(name)
    if section not in DECISIVE and section != NONE:
        words = facts_in("psus", name).fields
        is_psu = "rated_power" in words and words.keys() & {"efficiency", "form_factor"}
        section = "psus" if is_psu else "motherboard" if _BOARD.search(name) else ""
    return SECTION_KIND[section] if section in DECISIVE else ""


def piece_of(row: Row, piece: Any) -> Row:
    """One of the parts that the words of a row list, as a build file reads them."""
    stated = piece if isinstance(piece, dict) else {"part": piece}
    more = {n: v for n, v in stated.items() if n not in ("part", "count")}
    made = wording.with_name(row, str(stated["part"]))
    count = stated.get("count", made.count)
    return replace(made, count=count, settings={**row.settings, **made.settings, **more})


def no_further_parts(placed: Sequence[Place], parts: PartList, *, is_server: bool) -> list[Place]:
    """The rows that name no part beyond those of others.

    GPUs that are the machine, as in `My quad P40 box`, a title of GPUs listed below it, or all of
    one cell together; what is no known case where one is labelled; what a whole server has anyway.
    """
    named = {at.section for at in placed if at.row.section}
    bare = [at for at in placed if not (at.row.section or at.row.price or at.is_part)]
    gpus = [at for at in placed if at.section == "gpus"]
    whole = [at for at in gpus if not at.answer.part_id and _BOX.search(at.row.name)]
    whole += [at for at in gpus[:1] if at not in whole and _is_title(at, gpus[1:], parts)]
    for at in (at for at in gpus if at.row.section):
        each = [o.row for o in gpus if o.row.line == at.row.line and not o.row.section]
        is_one = all(said("gpu", at.row.name).words <= said("gpu", r.name).words for r in each)
        whole += [at] * (is_one and len(each) > 1 and sum(r.count for r in each) == at.row.count)
    whole = whole if len(whole) < len(gpus) else []
    own = [at for at in placed if is_server and at.section in ("motherboard", "case")]
    others = [at for at in own if not (at.is_part or at.is_server)]
    # A quote describes the chassis of the server that it names.
    cases = {at.row.name for at in others if at.section == "case" and not called(at.row.name)}
    is_own = re.compile(_WRITING["own"]).match
    whole += [at for at in others if at.row.name in cases or is_own(at.row.name)]
    return whole + [at for at in bare if at.section in {*SINGLES} & named and not at.is_described]


def _is_title(at: Place, others: Sequence[Place], parts: PartList) -> bool:
    """Is a line apart at the top that names as many GPUs of the same models as are listed below?"""
    lines = {n.line for n in (*parts.kept, *parts.notes)} | {r.line for r in parts.rows}
    first, *below = sorted(lines)[:2]
    found = (wording.MODEL.findall(p.row.name.lower()) for p in (at, *others))
    # Amounts of memory are none.
    own, *models = ({m for m in some if m[-2:] != "gb"} for some in found)
    same = [(p.row, some) for p, some in zip(others, models, strict=True) if own & some]
    is_worded = not at.answer.part_id or all(row.section for row, _ in same)
    is_apart = at.row.line == first and not at.row.section and below and below[0] > first + 1
    is_same = own and own <= set[str]().union(*(some for _, some in same))
    many = sum(row.count for row, _ in same)
    return bool(is_worded and is_apart and is_same and many == at.row.count)


def of_kinds(row: Row, asking: Asking) -> list[str]:
    """The names of parts of several kinds in a row, such as `EPYC 7532 (NH-U9)`; or nothing."""
    inner = _INNER.fullmatch(row.name)
    for names in (inner.groups() if inner else (), wording.JOINS.split(row.name.rstrip("."))):
        rows = (wording.with_name(replace(row, section="", count=1), name) for name in names)
        if len({at.section for at in map(asking.place, rows) if at.answer.part_id}) > 1:
            return [*names]
    return []


def as_many(at: Place, gpus: Sequence[Row]) -> Place:
    """Risers without a number are as many as the GPUs."""
    is_open = at.section == "risers" and at.row.count == 1
    if is_open and re.search(r"(?i)\brisers\b", at.row.name):
        at = replace(at, row=replace(at.row, count=_of_gpus("", gpus) or 1))
    return at


def riser_row(line: Line, gpus: Sequence[Row]) -> Row | None:
    """The risers that a sentence tells of, as many as it counts, or as the GPUs it names."""
    fields = facts_in("risers", line.text).fields
    if said_by(line.text) != "risers" or not fields:
        return None
    counted = re.search(_WRITING["counted"], line.text)
    named = {*re.findall(r"\d{1,2}", counted[2])} if counted and counted[2] else ()
    some = re.match(_WRITING["some"], line.text)
    of_some = (some and _of_gpus(some[1], gpus)) or _of_gpus("", gpus)
    of_some = 1 if "cards" in fields or re.search(_WRITING["one_of"], line.text) else of_some
    count = (counted and counted[1] and number_in(counted[1])) or len(named) or of_some
    return Row("", line.text, line.line, line.text, count=count or 1)


def _of_gpus(word: str, gpus: Sequence[Row]) -> int:
    """How many of the GPUs have a word in their name, or else in a remark that counts them."""
    named = [row for row in gpus if word.lower() in row.name.lower()]
    text = plain(gpus[0].raw)[0] if len(gpus) == 1 and not named else ""
    counted = re.search(rf"(?i)(\d{{1,2}}) ?x? [^,;()]*\b{re.escape(word)}", text)
    return int(counted[1]) if counted else sum(row.count for row in named)


def servers_in(lines: Iterable[Line], asking: Asking) -> list[Place]:
    """The whole servers that lines name, each with its maker."""
    named = ((line, called(plain(line.text)[0])) for line in lines)
    rows = (Row("", name, *line) for line, name in named if any(map(str.isdigit, name)))
    return [at for at in map(asking.place, rows) if at.is_server]


def of_one(placed: list[Place]) -> tuple[list[Place], list[tuple[Line, str]]]:
    """The parts of one machine, where the list counts those of several alike, and how many."""
    boards = [at for at in placed if at.is_server or at.section == "motherboard"]
    parts = [at for at in placed if at.section in ORDER]
    many = boards[0].row.count if len(boards) == 1 else 1
    is_odd = any(at.row.count % many for at in parts)
    # Of whole servers a number that does not fit is that of the parts in each of them.
    is_each = many > 1 and boards[0].is_server and (is_odd or _EACH.search(boards[0].row.raw))
    # A price that may be that of all is not taken apart.
    is_open = any(at.row.price and at.row.count > 1 and not at.row.each for at in parts)
    if many == 1 or (not is_each and (is_open or is_odd)):
        return placed, []
    all_of = boards if is_each else parts
    each = [replace(at, row=replace(at.row, count=at.row.count // many)) for at in all_of]
    return [*each, *(at for at in placed if at not in all_of)], [(boards[0].row.at, str(many))]
