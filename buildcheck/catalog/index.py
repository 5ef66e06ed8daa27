"""Names → ids of parts, over all layers of the catalogue, without reading any part.

A layer is a folder of parts, strongest first: a lab's own, the curated, the open data. The
first that knows a name answers. What was made of a layer once is read from the cache.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import combinations

from buildcheck.catalog.fitting import LONG, Fitting
from buildcheck.catalog.layer import (
    BY_NAME,
    BY_WORD,
    KINDS_BY_WORD,
    Layer,
    Row,
)
from buildcheck.errors import NameUnknownError
from buildcheck.model.build import SECTION_KIND
from buildcheck.words.names import (
    NameWords,
    asides,
    contradict,
    describes,
    is_another,
    line_words,
    part_numbers,
    said,
    squashed,
    words,
)

#: Titles in shops are long; what is longer than this is none.
_LONGEST = 400
#: A shorter figure alone is a count: `gpus: 3` names no model.
_SHORTEST = 3
_EDITION = re.compile(r"\b(?:black|white) edition\b", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
#: Kinds of products, which shops describe; of others a further word means another.
_DESCRIBED = frozenset({*SECTION_KIND.values(), "gpu-module"})
_YEAR = re.compile(r"20[12]\d")


class Index(Fitting):
    """All layers together."""

    def __init__(self, layers: Iterable[Layer]) -> None:
        super().__init__(layers)
        #: What names were found to mean, or why they mean nothing.
        self._found: dict[tuple[str, str], str | NameUnknownError] = {}

    def numbered(self, kind: str, number: str, name: str) -> str:
        """The id of the part with a maker's number, if a name agrees with it; else empty."""
        found, asked = self._holders(kind, number), said(kind, name)
        makers = asked.makers | asked.chips  # Numbers of several makers look alike.
        made = (i for i in found if any((k.makers | k.chips) & makers for k in self._said(kind, i)))
        alike = [i for i in made if self._agrees(kind, i, asked)]
        return alike[0] if len(alike) == 1 else ""

    def find(self, kind: str, name: str) -> str:
        """The id of the part people mean by `name`. Raises `NameUnknownError`."""
        found = self._found.get((kind, name))
        if found is None:
            try:
                found = self._search(kind, name)
            except NameUnknownError as error:
                found = error
            self._found[kind, name] = found
        if isinstance(found, NameUnknownError):
            raise found.with_traceback(None)
        return found

    def _search(self, kind: str, name: str) -> str:
        if name.startswith(f"{kind}/") and self.called(kind, name) == [name]:
            return name
        if len(name) > _LONGEST or (name.isdecimal() and len(name) < _SHORTEST):
            raise NameUnknownError(name, [])
        held = self.layers[0].get(BY_NAME.format(kind), squashed(name)) or ()
        if len(held) == 1 and self._exact(kind, name) == held:
            return str(held[0])  # whatever else fits, as no layer is stronger
        found = self._first(kind, name) or self._by_number(kind, name) or self._short(kind, name)
        is_it = len(found) == 1 and found[0] in self.called(kind, name)
        same = {known.words for i in found[:1] for known in self._said(kind, i)}
        if not is_it and (len(found) != 1 or said(kind, name).words not in same):
            found = self._exact(kind, name) or found
        elif not (is_it or _EDITION.search(name)) and any(
            # It is only an edition, such as the black one, of what the name means.
            _EDITION.search(n)
            for _, row in self.each(found[0])
            for n in row.names
        ):
            found = self._having(kind, [*words(name)]) or found
        found = found or self._of_line(kind, name)
        if not found:
            if part_id := self.within(kind, name):
                return part_id
            raise NameUnknownError(name, partial(self.near, kind, name))
        if len(found) > 1:
            # A name that is just a maker's number is that part.
            bare = " ".join(w for w in name.split() if not said(kind, w).makers)
            if (it := self.within(kind, name)) in found or (it := self.numbered(kind, bare, name)):
                return str(it)
            names = Counter(self.name(i) for i in found)
            apart = sorted(n if names[n := self.name(i)] == 1 else i for i in found)
            raise NameUnknownError(name, apart, found)
        return found[0]

    def _of_line(self, kind: str, name: str) -> list[str]:
        """The parts whose names add to one only a year, or what many models of the line have."""
        if not all(self.has_word(kind, word) for word in words(name)):
            return []
        asked, line, found = said(kind, name), line_words(kind), dict[str, NameWords]()
        ids = self.nearby(kind, name)
        for part_id in (self._twin(kind, x, i) for x in self.layers for i in ids if x.get(kind, i)):
            chipset = {*words(self._own(part_id, "chipset") or "")}
            for known in self._said(kind, part_id):
                own = known.words - {w for w in known.words if w in line or _YEAR.fullmatch(w)}
                is_it = own <= asked.words < known.words and asked.makers == known.makers
                same = (k for k in found.values() if k.words == known.words)
                if is_it and own - chipset and all(contradict(known, other) for other in same):
                    found[part_id] = known
        return [i for i in found if self._agrees(kind, i, asked)]

    def _by_number(self, kind: str, name: str) -> list[str]:
        """The one part whose number is in a longer name, if the rest does not contradict.

        A number that begins the name of another model, all there, is that model.
        """
        numbers = {number: self._holders(kind, number) for number in part_numbers(name)}
        found, asked = {i for ids in numbers.values() for i in ids}, said(kind, name)
        if len(found) != 1 or not all(self._agrees(kind, i, asked) for i in found):
            return []
        model = self.within(kind, name) or min(found)
        begins = any(i and squashed(n) in squashed(self.name(model)) for n, i in numbers.items())
        return [model] if begins else [*found]

    def _short(self, kind: str, name: str) -> list[str]:
        """The parts of a name without the remarks after it.

        Where a word of that would make it another part, there are two to choose from.
        """
        for short, aside in asides(name):
            found = [] if is_another(aside, short) else self._first(kind, short)
            if found and self._agrees_beside(kind, found, aside):
                others = {i for w in set(words(aside)) for i in self._first(kind, f"{short} {w}")}
                return sorted({*found, *others})
        return []

    def within(self, kind: str, text: str) -> str | None:
        """The one part whose whole name is in a text, with words that leave it that part."""
        spans = self.spans(kind, text) if kind in _DESCRIBED else ()
        named = ((self.called(kind, short), short, left) for short, left in spans)
        ids, short, left = next((found for found in named if found[0]), ([], "", ""))
        return ids[0] if len(ids) == 1 and self._leaves_it(kind, ids[0], short, left) else None

    def spans(self, kind: str, text: str) -> Iterator[tuple[str, str]]:
        """Parts of a text that could be a name, the longest first, each with what is left."""
        listed = text.split()
        is_known = [bool(w) and all(self.has_word(kind, x) for x in w) for w in map(words, listed)]
        spans = combinations(range(len(listed) + 1), 2)
        for start, end in sorted(spans, key=lambda s: s[0] - s[1]):
            short = " ".join(listed[start:end])
            if end - start < len(listed) and all(is_known[start:end]) and _DIGIT.search(short):
                yield short, " ".join(listed[:start] + listed[end:])

    def _leaves_it(self, kind: str, part_id: str, short: str, left: str) -> bool:
        """Do the words around its name leave a part what it is?

        They describe it where no other part has them after that name, are in another name of it,
        or, but for GPUs, in no name of the kind.
        """
        asked = said(kind, f"{short} {left}")
        own = {w for _, row in self.each(part_id) for n in row.names for w in words(n)}
        rest = " ".join(t for t in left.split() if not own.issuperset(words(t)))
        telling = {w.strip("'") for w in said(kind, rest).words}
        if kind != "gpu":
            telling = {w for w in telling if self.has_word(kind, w)}
        named = [*self._said(kind, part_id)]
        makers = frozenset[str]().union(*(known.makers for known in named))
        return (
            len(left.split()) > len(said(kind, left).makers)  # Of a maker alone all are meant.
            and not is_another(rest, short)
            and (asked.makers <= makers or not (makers or kind == "gpu"))
            and not all(contradict(asked, known) for known in named)
            and self._has_figures(kind, part_id, asked)
            and all(
                describes(w) and not {*self._having(kind, [*words(short), w])} - {part_id}
                for w in telling
            )
        )

    def _agrees_beside(self, kind: str, found: list[str], aside: str) -> bool:
        """Does no figure of an aside contradict what the parts are called?"""
        remark = said(kind, aside)
        return all(
            self._has_figures(kind, i, remark)
            and not any(contradict(remark, known) for known in self._said(kind, i))
            for i in found
        )

    def near(self, kind: str, name: str) -> list[str]:
        """The names nearest to one that nobody knows."""
        from buildcheck.catalog.nearest import near  # only for names that are not there

        return near(self, kind, name)

    def search(self, kinds: list[str], text: str) -> list[str]:
        """The parts whose names and numbers have every word of a text, kind after kind.

        The best known stand first, and a part of several layers once, where it is known best.
        """
        wanted = list(dict.fromkeys(words(text)))
        # The kinds that have every word in names; the words of part numbers are not listed.
        each = ([set(x.get(KINDS_BY_WORD, w) or ()) for w in wanted] for x in self.layers)
        having = {kind for found in each if found for kind in set.intersection(*found)}
        among = [k for k in kinds if k in having] or kinds
        return [part_id for kind in among for part_id in self._having(kind, wanted)]

    def kind_of_series(self, name: str) -> str:
        """The one kind of which a maker, the first word, has a series: of EVGA SuperNOVA a PSU."""
        maker, *others = words(name) or [""]
        for series in (w for w in others if len(w) > LONG and w.isalpha()):
            kinds = {k for x in self.layers for k in x.get(KINDS_BY_WORD, series) or ()}
            kind = min(kinds & {*SECTION_KIND.values()}, default="") if len(kinds) == 1 else ""
            if kind and self._having(kind, [maker, series])[LONG - 1 :]:
                return kind
        return ""

    def listed(self, kind: str) -> list[str]:
        """All parts of a kind, the best known first and then by name; a part of several once."""
        found: dict[str, tuple[int, str]] = {}
        for layer in self.layers:
            layer.all(BY_NAME.format(kind))  # Twins of all are looked for by number.
        for rank, layer in enumerate(self.layers):
            for part_id, row in layer.parts(kind):
                if part_id not in found and self._twin(kind, layer, part_id) == part_id:
                    found[part_id] = (rank, next(iter(row.names), part_id))
        return sorted(found, key=lambda i: found[i])

    def _having(self, kind: str, wanted: list[str]) -> list[str]:
        found: dict[str, tuple[int, int, str]] = {}
        for rank, layer in enumerate(self.layers):
            for part_id in self._with_words(layer, kind, wanted):
                row = Row(*layer.get(kind, part_id))
                all_words = {w for n in (*row.names, *row.numbers) for w in words(n)}
                if set(wanted) <= all_words and self._twin(kind, layer, part_id) == part_id:
                    name = row.names[0] if row.names else part_id
                    found.setdefault(part_id, (rank, len(name), name))
        return sorted(found, key=lambda i: found[i])

    def _with_words(self, layer: Layer, kind: str, wanted: list[str]) -> list[str]:
        """The parts of a layer that could have all words, by the rarest of them."""
        whole = layer.get(BY_NAME.format(kind), "".join(wanted))
        lists = [layer.get(BY_WORD.format(kind), word) for word in wanted]
        if not lists or None in lists:
            return list(whole or ())
        rare = [found for found in lists if found]
        return min(rare, key=len) if rare else list(layer.all(kind))
