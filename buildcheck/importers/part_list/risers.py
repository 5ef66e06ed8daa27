"""How many risers a list has, where it counts the GPUs on them or says nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from buildcheck.importers.part_list.asking import Place
from buildcheck.importers.part_list.markup import plain
from buildcheck.importers.part_list.rows import Line, Row
from buildcheck.model.vocabulary import vocabulary
from buildcheck.words.entry import number_in
from buildcheck.words.facts import facts_in
from buildcheck.words.keys import said_by

_SAID = vocabulary("part-lists")["writing"]


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
    counted = re.search(_SAID["counted"], line.text)
    named = {*re.findall(r"\d{1,2}", counted[2])} if counted and counted[2] else ()
    some = re.match(_SAID["some"], line.text)
    of_some = (some and _of_gpus(some[1], gpus)) or _of_gpus("", gpus)
    of_some = 1 if "cards" in fields else of_some
    count = (counted and counted[1] and number_in(counted[1])) or len(named) or of_some
    return Row("", line.text, line.line, line.text, count=count or 1)


def _of_gpus(word: str, gpus: Sequence[Row]) -> int:
    """How many of the GPUs have a word in their name, or else in a remark that counts them."""
    named = [row for row in gpus if word.lower() in row.name.lower()]
    text = plain(gpus[0].raw)[0] if len(gpus) == 1 and not named else ""
    counted = re.search(rf"(?i)(\d{{1,2}}) ?x? [^,;()]*\b{re.escape(word)}", text)
    return int(counted[1]) if counted else sum(row.count for row in named)
