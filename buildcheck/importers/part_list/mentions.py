"""The parts that a sentence names: each name that the catalogue knows, and what says its size.

A name is the longest run of words that a part goes by. Of what is left between names, small words
and commas, a size with a word for its kind is memory, a PSU, a drive or a frame.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from itertools import islice, pairwise
from typing import NamedTuple

import buildcheck.importers.part_list.lines as wording
from buildcheck.importers.part_list.asking import Asking, Place
from buildcheck.importers.part_list.markup import plain
from buildcheck.importers.part_list.prices import priced
from buildcheck.importers.part_list.rows import LONGEST_GUESS, Line, Row
from buildcheck.model.build import LISTS, SECTION_KIND
from buildcheck.model.patterns import pattern
from buildcheck.model.vocabulary import vocabulary
from buildcheck.words.entry import entry_of
from buildcheck.words.facts import facts_in
from buildcheck.words.keys import ANY, phrase, said_by, woven
from buildcheck.words.names import said as words_of
from buildcheck.words.names import squashed, words

_SAID = vocabulary("part-lists")["mentions"]
_SAYS = {
    name: pattern("(?i)" + woven(text.replace("{small}", _SAID["small"])))
    for name, text in _SAID.items()
    if name != "heard"
}
_HEARD = [(re.compile(said, re.IGNORECASE), shown) for said, shown in _SAID["heard"]]
#: Sections whose parts sentences name by their models; and which they describe, by what they say.
_NAMED = ("gpus", "cpu", "motherboard", "psus", "case", "cpu_cooler", "storage")
_DESCRIBED = {"memory": {"module", "total"}, "psus": {"rated_power"}, "storage": {"capacity"}}
_DESCRIBED |= {"case": {"part"}}
SPOKEN = frozenset({*_NAMED, *_DESCRIBED})
#: Most words of a name, and of what counts it; signs around a word; fewest letters of a name.
_MOST_WORDS, _MOST_BEFORE, _AROUND, _SHORTEST = 9, 3, " .,;:()[]'\"!?", 4
#: Most words around a size that say nothing of it.
_FEW_LEFT = 2
#: Most lines of a text in which names are looked for.
_MOST_LINES = 200
OUTSIDE = re.compile(vocabulary("part-lists")["writing"]["outside"])
_NTH = vocabulary()["line"]["ordinals"]


class Mention(NamedTuple):
    """A part that a line names, with the words around the name."""

    line: Line
    section: str
    name: str
    before: str
    after: str
    #: What is next to the name and says more of it, such as its maker in brackets.
    inner: str
    #: How many there are, in words in front of it; empty if none say.
    counted: str
    #: Which of several it is, as in `a second RTX 3090`; 1 if no words say.
    number: int
    #: Is it in a question?
    is_asked: bool

    @property
    def models(self) -> frozenset[str]:
        """The words of its name that are models, or else the whole name."""
        name = self.name.lower()
        found = {w for w in wording.MODEL.findall(name) if not _SAYS["amount"].fullmatch(w)}
        return frozenset(found or {name})

    @property
    def is_gone(self) -> bool:
        """Do the words around it say that it is elsewhere, goes out of the machine or may come?"""
        before, after = ("other", "maybe"), ("gone", "later")
        said = (_SAYS[name].search(self.before) for name in before)
        return any(said) or any(_SAYS[name].search(self.after) for name in after)

    def row(self) -> Row:
        """It as a row: as many as words say, with what is next to its name."""
        counted = f"{self.counted}x" if self.counted.isdecimal() else self.counted
        text = f"{counted} {self.name}{self.inner}".lstrip()
        said = wording.Said(self.line.line, self.line.text, text, ())
        row = priced(wording.named("", text, said, ""))
        outside = OUTSIDE.search(self.after) if self.section == "gpus" else None
        return replace(row, settings=row.settings | ({"riser": outside[0]} if outside else {}))


def heard(line: Line) -> str:
    """The text of a line, with sizes next to what they are of."""
    text = plain(line.text)[0]
    for said, shown in _HEARD:
        text = said.sub(shown, text)
    return text


def mentions(line: Line, asking: Asking) -> list[Mention]:
    """The parts that a line names, in their order; where two names overlap the longer one."""
    sentence = _Sentence(line, asking)
    spans = ((section, *span) for section in _NAMED for span in sentence.names(section))
    taken, found = set[int](), list[Mention]()
    for section, start, end in sorted(spans, key=lambda span: span[1] - span[2]):
        if taken.isdisjoint(range(start, end)):
            taken |= {*range(start, end)}
            found.append(sentence.mention(section, start, end))
    for start, end in sentence.left(taken):
        # Whatever is said in front of its size.
        sizes = (n for n in range(start, end) if re.search(r"\d", sentence.bare[n]))
        described = (of for at in (start, *sizes) for of in sentence.described(at, end))
        found += islice(described, 1)
    names = {one.name for one in found}
    other = {n for n in found if n.section not in LISTS or any(name in n.inner for name in names)}
    found = [one._replace(inner="") if one in other else one for one in found]
    found.sort(key=lambda one: len(one.before))
    for one, later in pairwise([*found]):
        between = later.before[len(one.before) :].partition(one.name)[2]
        if one.section == later.section and _SAYS["namely"].fullmatch(between):
            # `A 1000 W PSU, the RM1000x` is one.
            found.remove(one)
    for one, later in pairwise(found):
        # What is said behind the next name is of that.
        own = len(one.after) - (len(sentence.text) - len(later.before))
        found[found.index(one)] = one._replace(after=one.after[: max(own, 0)])
    return found


def named(sections: Collection[str], lines: Iterable[Line], asking: Asking) -> list[Place]:
    """The parts of some sections that lines name: of a question only what no other line has."""
    texts = islice((x for x in lines if sections and wording.WORD.search(x.text)), _MOST_LINES)
    found = [one for line in texts for one in mentions(line, asking) if one.section in sections]
    gone = {one.models for one in found if one.is_gone}
    held: dict[str, dict[frozenset[str], Row]] = {section: {} for section in sorted(sections)}
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
        if not one.is_gone and [*held[one.section]] == [one.models]:
            # `A second RTX 3090` is one of two, where no other model is there.
            row = held[one.section][one.models]
            held[one.section][one.models] = replace(row, count=max(row.count, one.number))
    rows_of = [(section, row) for section, rows in held.items() for row in rows.values()]
    servers = [asking.place(row) for section, row in rows_of if section == "motherboard"]
    whole = {at.row.name: at for at in servers if at.is_server}
    return [whole.get(r.name) or asking.placed(r, s, by_name=True) for s, r in rows_of]


def one_more(placed: list[Place], lines: Iterable[Line], asking: Asking) -> list[Place]:
    """The GPU that a text adds to those that are there: `I'd like to add a second RTX 3090`."""
    gpus = [at.row for at in placed if at.section == "gpus"]
    next_one = 1 + sum(row.count for row in gpus)
    listed = {model for row in gpus for model in wording.MODEL.findall(row.name.lower())}
    found = ((line, re.search(phrase("one_more"), line.text.lower())) for line in lines)
    adds = list[Line]()
    for line, said in ((line, said) for line, said in found if said):
        model = wording.MODEL.search(line.text.lower(), said.end())
        # Of another model it is no one of those.
        is_other = said["nth"] is None and model and model[0] not in listed
        adds += [line] if is_other or _NTH.get(said["nth"], 2) == next_one else []
    return [replace(a, row=replace(a.row, count=1)) for a in named(("gpus",), adds, asking)[:1]]


class _Sentence:
    """The words of a line."""

    def __init__(self, line: Line, asking: Asking) -> None:
        self._line, self._asking = line, asking
        text = heard(line)
        self.text = text if len(text) <= LONGEST_GUESS else ""
        self._words = [*re.finditer(r"\S+", self.text)]
        #: Without signs around them, and of several: `P40s,`.
        self.bare = [re.sub(r"(?<=\d)s$", "", w[0].strip(_AROUND)) for w in self._words]
        self._ends = [bool(_SAYS["ends"].search(word[0])) for word in self._words]

    def mention(self, section: str, start: int, end: int, name: str = "") -> Mention:
        """What words are a name of, with all that is around them."""
        before = self.text[: self._words[start].start()].rstrip()
        after = self.text[self._words[end - 1].end() :]
        inner, name = _SAYS["inner"].match(after), name or " ".join(self.bare[start:end])
        nth = max((_NTH.get(w, 1) for w in before.lower().split()[-_MOST_BEFORE:]), default=1)
        counted = _SAYS["counted"].search(before) or _SAYS["behind"].search(after)
        more = (inner[0] if inner else "", counted[1] if counted else "")
        is_asked = self.text.rstrip().endswith("?")
        return Mention(self._line, section, name, before, after, *more, nth, is_asked)

    def names(self, section: str) -> Iterator[tuple[int, int]]:
        """The runs of words that are a name of a part of a section."""
        start = 0
        while start < len(self._words):
            ends = self._ends_of(section, start)
            end = next((n for n in ends if self._is_name(section, start, n)), 0)
            if end:
                yield start, end
            start = end or start + 1

    def _ends_of(self, section: str, start: int) -> list[int]:
        """Where a name could end that begins at a word, the longest first."""
        ends, kind = list[int](), SECTION_KIND[section]
        for at in range(start, min(len(self._words), start + _MOST_WORDS)):
            is_word = words(word := self.bare[at]) and not _SAYS["small"].fullmatch(word)
            begins = at > start and self._words[at][0][:1] in "(["
            if begins or not (is_word and all(self._asking.has_word(kind, w) for w in words(word))):
                break
            ends.append(at + 1)
            if self._ends[at]:
                break
        return ends[::-1]

    def _is_name(self, section: str, start: int, end: int) -> bool:
        """Are words a name of a part: with a model, or some that all begin with capitals?"""
        own = self.bare[start:end]
        name = " ".join(own)
        is_amount = _SAYS["amount"].fullmatch
        models = (w for w in own if wording.MODEL.search(w.lower()) and not is_amount(w))
        # A number alone is a model of a GPU at most.
        is_model = any(section == "gpus" or own[1:] or not word.isdigit() for word in models)
        is_titled = len(own) > 1 and own[0][:1].isupper() and not re.search(r"\b[a-z]", name)
        said = said_by(name)
        is_said = said == section or (said == ANY and len(squashed(name)) >= _SHORTEST)
        # `1600W EVGA T2` is one by its watts and its maker.
        is_made = said == section == "psus" and bool(words_of("psu", name).makers)
        # `L4` is one where words count it.
        is_counted = bool(start and _SAYS["counted"].search(self.bare[start - 1]))
        is_least = section == "gpus" and is_counted and bool(wording.NAME.fullmatch(name))
        is_one = is_least or (is_said and (is_model or is_titled or is_made))
        return is_one and self._asking.knows(SECTION_KIND[section], name)

    def left(self, taken: set[int]) -> Iterator[tuple[int, int]]:
        """The runs of words between names, small words and the ends of clauses."""
        start = depth = 0
        for at, word in enumerate(self.bare):
            depth += self._words[at][0].count("(") - self._words[at][0].count(")")
            is_out = at in taken or (_SAYS["small"].fullmatch(word) and not depth)
            if start < at and is_out:
                yield start, at
            start = at + 1 if is_out else start
            if start <= at and self._ends[at] and self._words[at][0][-1:] != ")" and depth <= 0:
                yield start, at + 1
                start = at + 1
        if start < len(self._words):
            yield start, len(self._words)

    def described(self, start: int, end: int) -> Iterator[Mention]:
        """What a run of words describes by its size."""
        last = self._words[end - 1].end()
        text = self.text[self._words[start].start() : last].strip(" .,;:!?")
        if _SAYS["denied"].search(self.text[:last]):
            return
        for section, sizes in _DESCRIBED.items():
            entry = entry_of(text, section, priced=False)
            fields, rest = facts_in(section, entry.name, entry.count or 1)
            left = {word for word in rest.split() if said_by(word) != section}
            name = " ".join(w for w in entry.name.split() if w.strip(_AROUND) not in left)
            is_word = said_by(entry.name) == section and re.search(r"[^\W\d_]{3}", name)
            # Of cases only frames are all alike.
            is_frame = "frame" in str(fields.get("part"))
            is_said = is_frame if section == "case" else is_word or "type" in fields
            if sizes & fields.keys() and is_said and len(left) <= _FEW_LEFT:
                yield self.mention(section, start, end, text)
