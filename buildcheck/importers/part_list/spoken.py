"""Rows that are sentences, or have one around the name of a part."""

import re
from collections.abc import Iterator
from dataclasses import replace

import buildcheck.importers.part_list.lines as wording
from buildcheck.importers.part_list.asking import Asking, Place
from buildcheck.importers.part_list.mentions import OUTSIDE, heard, mentions
from buildcheck.importers.part_list.rows import Imported, Line, PartList, Row
from buildcheck.importers.part_list.sayings import DECISIVE
from buildcheck.model.vocabulary import vocabulary
from buildcheck.words import keys
from buildcheck.words.around import without

_SAID = vocabulary("part-lists")["asking"]
_WORDS = re.compile(_SAID["words"])
_SPOKEN, _RELATIVE = (re.compile(_SAID[name], re.IGNORECASE) for name in ("spoken", "relative"))


def take_sentences(parts: PartList, asking: Asking) -> None:
    """Keep the rows that are sentences as lines, and shorten others to the part they begin with."""
    read = [(r, [] if is_spoken(r, asking) else _shortened(r, asking)) for r in parts.rows]
    parts.rows = [row for _, rows in read for row in rows]
    parts.kept += [row.at for row, rows in read if rows != [row]]


def is_spoken(row: Row, asking: Asking) -> bool:
    """Is a row a sentence: with parts of several sections, or with one behind some words?"""
    is_text = _SPOKEN.search(row.raw) or _WORDS.search(row.raw.partition("(")[0])
    if row.section or not is_text or "|" in row.raw or wording.APART.search(row.raw):
        return False
    found, at = mentions(row.at, asking), asking.place(row)
    is_part = at.is_part and at.section != keys.ANY
    is_known = is_part or at.is_server or at.is_described or at.is_worded
    if len({one.section for one in found}) > 1 and _SPOKEN.search(row.raw):
        return True
    return bool(found and _WORDS.search(found[0].before)) and not is_known


def _shortened(row: Row, asking: Asking) -> list[Row]:
    """A row by the part its name begins with: `Board: a ROMED8-2T that came with an EPYC 7532`.

    Of PSUs each that it names: `PSU: the 1600W EVGA P2 I had plus a Corsair RM1000x`.
    """
    is_text = _SPOKEN.search(row.raw) or _RELATIVE.search(row.name)
    if not (row.section and is_text) or row.price or "|" in row.raw:
        return [row]
    at = asking.place(row)
    heads = [one for one in mentions(row.at, asking) if one.section == at.section != "gpus"]
    more = [one.row() for one in heads[1:] if at.section == "psus" and not one.is_gone]
    is_known = at.is_part or at.is_worded or at.is_server or (at.is_described and not more)
    if is_known or not any(row.name.startswith(one.name) for one in heads):
        return [row]
    return [replace(one, section=row.section) for one in (replace(row, name=heads[0].name), *more)]


def without_part(at: Place, section: str, asking: Asking) -> Place:
    """An unknown part, or a server, without the part of another section that it names as well."""
    is_open = at.section in DECISIVE and not (at.answer.is_known or at.is_described)
    if not (is_open or at.is_server):
        return at
    found = {one.section: one.name for one in mentions(Line(0, at.row.name), asking)[::-1]}
    other, own = found.get(section, ""), found.get(at.section, "")
    if not other:
        return at
    row = replace(at.row, name=own if own and is_open else without(at.row.name, other))
    return replace(at, row=row) if at.is_server else asking.placed(row, at.section)


def noted(places: list[Place], made: Imported) -> Iterator[Place]:
    """The parts: what a sentence says next to their names is a note, if it may change one."""
    used = {line for said in made.settings.values() for line, _ in said}
    said_of = {row.at: heard(row.at) for row in made.in_text if row.at not in used}
    by_clause = sorted((at.row for at in places), key=lambda row: row.at in said_of)
    for line, row in ((n, r) for n in said_of for r in by_clause if r.line == n.line):
        # The clause that a row is, or its name and what it is on.
        own = [row.name, *row.settings.values()] if row.at == line else [heard(row.at)]
        for words in own:
            name = r"\W+".join(map(re.escape, re.findall(r"\S*\w", str(words))))
            said_of[line] = re.sub(rf"{name}\w?", " ", said_of[line], count=1)
    names = " ".join(at.row.name.lower() for at in places)
    for at in places:
        row, said = at.row, said_of.get(at.row.at, "")
        if row.settings.get("riser") is True:
            # Why it is outside changes nothing there.
            clauses = re.split(keys.phrase("clauses"), said)
            said = ", ".join(clause for clause in clauses if not OUTSIDE.search(clause))
        doubts = keys.doubted(said, listed=names) | keys.said_broken(said, at.section)
        if at.section in doubts:
            del said_of[row.at]
            row = replace(row, note=wording.joined(row.note, row.at.text))
        yield replace(at, row=row)
