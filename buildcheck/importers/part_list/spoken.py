"""Rows that are sentences, or have one around the name of a part."""

import re
from dataclasses import replace

import buildcheck.importers.part_list.lines as wording
from buildcheck.importers.part_list.asking import Asking, Place
from buildcheck.importers.part_list.mentions import mentions
from buildcheck.importers.part_list.rows import Line, PartList, Row
from buildcheck.importers.part_list.sayings import DECISIVE
from buildcheck.model.vocabulary import vocabulary
from buildcheck.words.around import without
from buildcheck.words.keys import ANY

_SAID = vocabulary("part-lists")["asking"]
_WORDS, _SPOKEN = re.compile(_SAID["words"]), re.compile(_SAID["spoken"], re.IGNORECASE)


def take_sentences(parts: PartList, asking: Asking) -> None:
    """Keep the rows that are sentences as lines, and call the others by the part they name."""
    sentences = [row for row in parts.rows if is_spoken(row, asking)]
    others = [(row, _called(row, asking)) for row in parts.rows if row not in sentences]
    parts.kept += [row.at for row in sentences]
    parts.kept += [row.at for row, called in others if called != row]
    parts.rows = [called for _, called in others]


def is_spoken(row: Row, asking: Asking) -> bool:
    """Is a row a sentence: with parts of several sections, or with one behind some words?"""
    is_text = _SPOKEN.search(row.raw) or _WORDS.search(row.raw.partition("(")[0])
    if row.section or not is_text or "|" in row.raw or wording.APART.search(row.raw):
        return False
    found, at = mentions(row.at, asking), asking.place(row)
    is_known = at.is_server or at.is_described or at.is_worded or (at.is_part and at.section != ANY)
    if len({one.section for one in found}) > 1 and _SPOKEN.search(row.raw):
        return True
    return bool(found and _WORDS.search(found[0].before)) and not is_known


def _called(row: Row, asking: Asking) -> Row:
    """A row by the part its name begins with: `Board: a ROMED8-2T that came with an EPYC 7532`."""
    if not row.section or row.price or not _SPOKEN.search(row.raw) or "|" in row.raw:
        return row
    at = asking.place(row)
    is_known = at.is_part or at.is_described or at.is_worded or at.is_sure or at.is_server
    heads = [one.name for one in mentions(row.at, asking) if one.section == at.section != "gpus"]
    name = next(filter(row.name.startswith, heads), "")
    return replace(row, name=name) if name and not is_known else row


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
