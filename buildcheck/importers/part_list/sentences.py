"""What sentences name of a machine, and lines on another part: what its list has nowhere else."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from buildcheck.importers.part_list.asking import MOST_ASKED, Asking, Place
from buildcheck.importers.part_list.lines import MODEL
from buildcheck.importers.part_list.looks import LONGEST_GUESS
from buildcheck.importers.part_list.markup import plain
from buildcheck.importers.part_list.quote import states_term
from buildcheck.importers.part_list.rows import Line, Row
from buildcheck.importers.part_list.sayings import DECISIVE
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.vocabulary import vocabulary
from buildcheck.words.around import without
from buildcheck.words.entry import entry_of, number_in
from buildcheck.words.facts import facts_in
from buildcheck.words.keys import ANY, phrase, said_by
from buildcheck.words.names import squashed

_SAID = vocabulary("part-lists")["asking"]
_WHOLE, _BEHIND = re.compile(_SAID["whole"]), re.compile(_SAID["behind"])
_OUTSIDE = vocabulary("part-lists")["writing"]["outside"]
#: Names that are tried of a text, signs around them, and the least letters of one without a kind.
_MOST_SPANS, _AROUND, _LONG_NAME = 12, " .,;:()[]'\"", 6
#: Words of a sentence on what a machine is for that need not be known, by how much it says.
_LEFT, _FEW_LEFT = 5, 2
#: What a clause has to say of memory or PSUs to name them without a model.
_DESCRIBED = {"memory": {"module", "total"}, "psus": {"rated_power"}}


def named(section: str, lines: Iterable[Line], asking: Asking) -> Place | None:
    """The first part of a section that a line names, or what another says more fully."""
    texts = ((line, plain(line.text)[0]) for line in lines)
    short = ((line, text) for line, text in texts if len(text) <= LONGEST_GUESS)
    found = ((line, *one) for line, text in short for one in _names(section, text, asking))
    best: Row | None = None
    for line, before, name in islice(found, MOST_ASKED):
        is_more = best is None or {*best.name.split()} < {*name.split()}
        if is_more and asking.knows(SECTION_KIND[section], name):
            count = number_in(before.rpartition(" ")[2]) or 1
            best = Row("", name, line.line, line.text, count=count)
    return asking.placed(best, section, by_name=True) if best else None


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
    if (at := named("gpus", adds, asking)) is None:
        return []
    outside = re.search(_OUTSIDE, at.row.raw)
    # Which dock it is in stands elsewhere, if the words do not say.
    settings = {"riser": True if outside[1] else outside[0]} if outside else {}
    return [replace(at, row=replace(at.row, settings=settings))]


def _names(section: str, text: str, asking: Asking) -> Iterator[tuple[str, str]]:
    """What a text has that could be names of parts of a section, each with what is before it."""
    for piece in re.split(_SAID["apart"], text):
        for span, _ in islice(asking.spans(SECTION_KIND[section], piece), _MOST_SPANS):
            before, name = piece[: piece.find(span)].rstrip(), _BEHIND.sub("", span.strip(_AROUND))
            said = said_by(name)
            is_name = said == section or (said == ANY and len(squashed(name)) >= _LONG_NAME)
            if is_name and not re.search(_SAID["other"], before):
                yield before, name


def described(section: str, lines: Iterable[Line], asking: Asking) -> Place | None:
    """The first memory or PSU that a clause describes by its size, with few words around it."""
    sizes = _DESCRIBED.get(section, set())
    for line in lines:
        text = plain(line.text)[0]
        clauses = re.split(phrase("clauses"), text) if len(text) <= LONGEST_GUESS else []
        for entry in (entry_of(c.strip(), section, priced=False) for c in clauses):
            fields, rest = facts_in(section, entry.name, entry.count or 1)
            left = {*rest.split()}
            name = " ".join(w for w in entry.name.split() if w.strip(_AROUND) not in left)
            is_word = said_by(entry.name) == section and re.search(r"[^\W\d_]{3}", name)
            is_said = is_word or "type" in fields
            is_it = sizes & fields.keys() and is_said and len(left) <= _FEW_LEFT
            if is_it and not re.search(_SAID["denied"], line.text):
                row = Row("", name, line.line, line.text, count=entry.count or 1)
                return asking.placed(row, section, by_name=True)
    return None


def without_part(at: Place, section: str, asking: Asking) -> Place:
    """An unknown part, or a server, without the part of another section that it names as well."""
    is_open = at.section in DECISIVE and not (at.answer.is_known or at.is_described)
    if not (is_open or at.is_server):
        return at
    other, own = (
        next((n for _, n in _names(s, at.row.name, asking) if asking.knows(SECTION_KIND[s], n)), "")
        for s in (section, at.section)
    )
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
