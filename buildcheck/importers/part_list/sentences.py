"""What sentences name of a machine, and lines on another part: what its list has nowhere else."""

import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from itertools import islice

from buildcheck.importers.part_list.asking import Asking, Place
from buildcheck.importers.part_list.lines import MODEL, WORD
from buildcheck.importers.part_list.looks import LONGEST_GUESS
from buildcheck.importers.part_list.markup import plain
from buildcheck.importers.part_list.mentions import mentions
from buildcheck.importers.part_list.quote import states_term
from buildcheck.importers.part_list.rows import Line, Row
from buildcheck.importers.part_list.sayings import DECISIVE
from buildcheck.model.build import LISTS
from buildcheck.model.vocabulary import vocabulary
from buildcheck.words.around import without
from buildcheck.words.facts import facts_in
from buildcheck.words.keys import ANY, phrase

_SAID = vocabulary("part-lists")["asking"]
_WHOLE, _WORDS = re.compile(_SAID["whole"]), re.compile(_SAID["words"])
_SPOKEN = re.compile(_SAID["spoken"], re.IGNORECASE)
_APART = re.compile(r"\t|\||\S {2,}\S")
#: Most lines of a text in which names are looked for.
_MOST_LINES = 200
#: Words of a sentence on what a machine is for that need not be known, by how much it says.
_LEFT, _FEW_LEFT = 5, 2


def named(sections: Collection[str], lines: Iterable[Line], asking: Asking) -> list[Place]:
    """The parts of some sections that lines name: of a question only what no other line has."""
    texts = islice((line for line in lines if WORD.search(line.text)), _MOST_LINES)
    found = [one for line in texts for one in mentions(line, asking) if one.section in sections]
    gone = {one.models for one in found if one.is_gone}
    held: dict[str, dict[frozenset[str], Row]] = {section: {} for section in sections}
    for one in sorted(found, key=lambda one: one.is_asked):
        rows, row = held[one.section], one.row()
        is_open = one.is_asked and any(other.at != one.line for other in rows.values())
        if is_open or one.is_gone or (one.models in gone and not one.counted):
            continue
        same = next((models for models in rows if models & one.models), None)
        if same is not None:
            # A model that is named again is no second part, but where words count it.
            name = max(rows[same].name, row.name, key=len)
            count = max(rows[same].count, one.number, row.count)
            rows[same] = replace(rows[same], name=name, count=count)
        elif one.section in LISTS or not rows:
            rows[one.models] = row
    for one in found:
        if [*held[one.section]] == [one.models]:
            # `A second RTX 3090` is one of two, where no other model is there.
            row = held[one.section][one.models]
            held[one.section][one.models] = replace(row, count=max(row.count, one.number))
    return [_placed(r, s, asking) for s, rows in held.items() for r in rows.values()]


def _placed(row: Row, section: str, asking: Asking) -> Place:
    """A row in its section; a server as one."""
    at = asking.place(row) if section == "motherboard" else None
    return at if at and at.is_server else asking.placed(row, section, by_name=True)


def is_spoken(row: Row, asking: Asking) -> bool:
    """Is a row a sentence: with parts of several sections, or with one behind some words?"""
    if row.section or _APART.search(row.raw):
        return False
    found, at = mentions(row.at, asking), asking.place(row)
    sections = {one.section for one in found}
    if len(sections) > 1 and _SPOKEN.search(row.raw):
        return True
    is_known = at.is_server or at.is_described or at.is_worded or (at.is_part and at.section != ANY)
    return bool(found and _WORDS.search(found[0].before)) and not is_known


def clauses(line: Line) -> list[Line]:
    """The clauses of a line."""
    return [Line(line.line, text) for text in re.split(phrase("clauses"), line.text) if text]


def on_riser(at: Place) -> Place:
    """A GPU outside, where what it is on is listed apart."""
    is_outside = at.by_name and at.section == "gpus" and "riser" in at.row.settings
    settings = at.row.settings | {"riser": True}
    return replace(at, row=replace(at.row, settings=settings)) if is_outside else at


def one_more(placed: list[Place], lines: Iterable[Line], asking: Asking) -> list[Place]:
    """The GPU that a text adds to those that are there: `I'd like to add a second RTX 3090`."""
    gpus = [at.row for at in placed if at.section == "gpus"]
    next_one = 1 + sum(row.count for row in gpus)
    listed = {model for row in gpus for model in MODEL.findall(row.name.lower())}
    found = ((line, re.search(phrase("one_more"), line.text.lower())) for line in lines)
    nth, adds = vocabulary()["line"]["ordinals"], list[Line]()
    for line, said in ((line, said) for line, said in found if said):
        model = MODEL.search(line.text.lower(), said.end())
        # Of another model it is no one of those.
        is_other = said["nth"] is None and model and model[0] not in listed
        adds += [line] if is_other or nth.get(said["nth"], 2) == next_one else []
    return [replace(a, row=replace(a.row, count=1)) for a in named(("gpus",), adds, asking)[:1]]


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


def servers(lines: Iterable[Line], asking: Asking) -> list[Place]:
    """The whole servers that lines name, each with its maker."""
    rows = list[Row]()
    for line in lines:
        text = plain(line.text)[0]
        if found := _WHOLE.search(text):
            maker = [word for word in text[: found.start()].split()[-1:] if word[:1].isupper()]
            rows.append(Row("", " ".join((*maker, found[0])), line.line, line.text))
    places = (asking.place(row) for row in rows if any(map(str.isdigit, row.name)))
    return [at for at in places if at.is_server]


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
