"""How well names fit parts: by number, by what they say, by figures, layer by layer."""

import re
from collections.abc import Iterator
from typing import Any

from buildcheck.catalog.layer import BY_NAME, BY_STEM, BY_WORD, Layer, Layers, Row, spoken
from buildcheck.words.names import NameWords, adds, contradict, fit, lacks, said, squashed, words

#: Fewest digits of a number that tells a part, letters of a series (one more), and parts in it.
LONG = 3
_OC = re.compile(r"\boc\b", re.IGNORECASE)
_LETTER, _SIGN = re.compile(r"[^\W\d]"), re.compile(r"\w")
#: Kinds whose parts go by a number alone; of the others one that is all numbers says a size.
_NUMBERED = frozenset({"gpu", "cpu"})
_Fitting = dict[str, tuple[int, NameWords]]
#: The facts that hold what is measured in names.
_FIGURES = {
    "gpu": {"memory": "memory", "cooling": "cooling"},
    "cpu": {"cores": "cores"},
    "psu": {"atx": "standard", "grade": "efficiency"},
    "memory": {"ddr": "type", "total": "total", "module": "module", "count": "kit_modules"},
    "motherboard": {"ddr": "memory_generation"},
}


def _is_figure(figure: str, known: Any) -> bool:
    """Does a fact, as plain data, say what a name says? A range is of two sizes, its ends.

    A word has the figure in it (`ATX 3.1`), leaves it open (`ATX 2.x`), or is of another scale.
    """
    if isinstance(known, dict):
        return "i" not in known or float(figure) in known["i"]
    if not isinstance(known, str):
        return True
    if known.startswith("ATX"):
        return known == f"ATX {figure}" or (known == "ATX 2.x" and figure.startswith("2"))
    if known.startswith("80 PLUS") or known.islower():
        return known.lower() in (figure, f"80 plus {figure}")
    return not known.startswith("DDR") or known.startswith(f"DDR{figure}")


def _rank(asked: NameWords, apart: int, known: NameWords) -> tuple[int, bool, int]:
    """How well a name that is `apart` from what was asked for fits it; the least is best."""
    return apart, adds(asked, known), lacks(asked, known)


class Fitting(Layers):
    """Layers over each other, and which of their parts a name fits."""

    def called(self, kind: str, name: str) -> list[str]:
        """The ids of parts that go by just that name, number or id, in the first layer with it."""
        if name.startswith(f"{kind}/") and self.has(name):
            return [name]
        found = (layer.get(BY_NAME.format(kind), squashed(name)) for layer in self.layers)
        return next((list(ids) for ids in found if ids), [])

    def _said(self, kind: str, part_id: str) -> Iterator[NameWords]:
        """What each name of a part says."""
        return (said(kind, n) for _, row in self.each(part_id) for n in row.names)

    def _exact(self, kind: str, name: str) -> list[str]:
        """The one part of just this name, in the first layer that has it, whatever else fits."""
        whole = squashed(name)
        for layer in self.layers:
            ids = layer.get(BY_NAME.format(kind), whole) or () if whole else ()
            names = {i: Row(*layer.get(kind, i)).names for i in ids}
            found = [i for i in ids if whole in map(squashed, names[i])]
            literal = [i for i in found if name in names[i]]
            if len(found) == 1 or len(literal) == 1:
                return [self._twin(kind, layer, (literal if len(literal) == 1 else found)[0])]
        return []

    def _first(self, kind: str, name: str) -> list[str]:
        """The parts that go by a name in the first layer that knows it."""
        for number, layer in enumerate(self.layers):
            found = self._called(layer, kind, name)
            if len(found) == 1:
                twin = self._twin(kind, layer, found[0])
                below = self.layers[number + 1 :]
                return [twin, *self._rivals(layer, below, found[0], said(kind, name))]
            if found:
                return found
        return []

    def _rivals(
        self, layer: Layer, below: tuple[Layer, ...], part_id: str, asked: NameWords
    ) -> list[str]:
        """Parts of weaker layers that a name without a figure fits as well: 8 GB, not 16 GB."""
        kind = part_id.partition("/")[0]
        apart, known = self._fitting(layer, kind, asked).get(part_id, (0, asked))
        if not adds(asked, known):
            return []
        return [
            other
            for weaker in below
            for other, (far, name) in self._fitting(weaker, kind, asked).items()
            if far <= apart and contradict(known, name)
        ]

    def _holders(self, kind: str, number: str) -> list[str]:
        """The parts with a maker's number, in the first layer that has it."""
        held = ((x, self._numbered(x, kind, squashed(number))) for x in self.layers)
        return next(([self._twin(kind, x, i) for i in ids] for x, ids in held if ids), [])

    def _numbered(self, layer: Layer, kind: str, number: str) -> list[str]:
        """The parts of a layer with a part number, and not just a name like it."""
        held = layer.get(BY_NAME.format(kind), number) or ()
        return [i for i in held if number in map(squashed, Row(*layer.get(kind, i)).numbers)]

    def _agrees(self, kind: str, part_id: str, asked: NameWords) -> bool:
        """Is a part of the makers and figures asked for, and are the numbers of a name in it?"""
        numbers = [number for _, row in self.each(part_id) for number in row.numbers]
        numbered = {w for number in numbers for w in words(number)}
        further = {w for w in asked.words - numbered if w.isdigit() and len(w) >= LONG}
        for known in self._said(kind, part_id):
            digits = {w for w in known.words if w[0].isdigit()}
            same_maker = not asked.makers or not known.makers or asked.makers & known.makers
            same = {w.strip("'") for w in asked.words} <= numbered or (
                digits <= asked.words and further <= known.words
            )
            if same_maker and same and not contradict(asked, known):
                return self._has_figures(kind, part_id, asked)
        return False

    def has_word(self, kind: str, word: str) -> bool:
        """Is a word in any name of a kind?"""
        return any(x.get(BY_WORD.format(kind), word) is not None for x in self.layers)

    def _called(self, layer: Layer, kind: str, name: str) -> list[str]:
        """The parts of a layer that go by a name; one, if they are all alike."""
        found = layer.get(BY_NAME.format(kind), squashed(name)) or []
        if len(found) != 1:
            # A number of one part can be the name of another.
            best = self._best(layer, kind, said(kind, name))
            found = [i for i in found if i in best] or found or best
        if not found and kind == "gpu" and _OC.search(name):
            # Every seller has such editions: the chip is what is known of this one.
            plain = said(kind, _OC.sub(" ", name))
            found = [i for i in self._best(layer, kind, plain) if not self._own(i, "chip")]
        facts = [layer.get(kind, part_id)[2] for part_id in found]
        return found[:1] if all(f == facts[0] for f in facts) else found

    def _best(self, layer: Layer, kind: str, asked: NameWords) -> list[str]:
        """Those that fit what a name says best."""
        ranks = {i: _rank(asked, *found) for i, found in self._fitting(layer, kind, asked).items()}
        best = min(ranks.values(), default=None)
        return [part_id for part_id, rank in ranks.items() if rank == best]

    def _fitting(self, layer: Layer, kind: str, asked: NameWords) -> _Fitting:
        """All that fit what a name says: how far they are from it, and by what name."""
        if not asked.makers and not (_SIGN if kind in _NUMBERED else _LETTER).search(asked.stem):
            return {}
        fitting = {}
        for part_id in layer.get(BY_STEM.format(kind), asked.stem) or ():
            if not self._has_figures(kind, part_id, asked):
                continue
            names = [said(kind, n) for n in spoken(Row(*layer.get(kind, part_id)))]
            fits = [(fit(asked, n.merged(names), kind), n) for n in names]
            known = [(apart, n) for apart, n in fits if apart is not None]
            if asked.makers and kind == "gpu" and layer.is_open:
                # The chip of open data is the reference card, and tells nothing of a maker's own.
                known = [(apart, n) for apart, n in known if n.merged(names).makers]
            if known:
                fitting[part_id] = min(known, key=lambda found: _rank(asked, *found))
        return fitting

    def _has_figures(self, kind: str, part_id: str, asked: NameWords) -> bool:
        """Are the figures asked for those of the part's facts, where it has any?"""
        for what, figure in asked.measured:
            field = _FIGURES.get(kind, {}).get(what)
            known = None if field is None else self._own(part_id, field)
            if known is None and field == "memory":
                # A chip that nobody knows, in a lab's file, says nothing of other names.
                chip = self._own(part_id, "chip")
                chips = self._first("gpu", chip) if chip else []
                known = self._own(chips[0], "memory") if len(chips) == 1 else None
            if known is not None and not _is_figure(figure, known):
                return False
        return True

    def _own(self, part_id: str, field: str) -> Any:
        """A fact of a part as plain data."""
        known = (row.plain for _, row in self.each(part_id))
        return next((plain[field] for plain in known if field in plain), None)

    def _twin(self, kind: str, layer: Layer, part_id: str) -> str:
        """The same part in a stronger layer, by part number, or the part itself."""
        row = Row(*layer.get(kind, part_id))
        for stronger in self.layers[: self.layers.index(layer)]:
            for number in map(squashed, row.numbers):
                found = self._numbered(stronger, kind, number)
                if len(found) == 1 and self._alike(kind, row, Row(*stronger.get(kind, found[0]))):
                    return found[0]
        return part_id

    @staticmethod
    def _alike(kind: str, one: Row, other: Row) -> bool:
        """Is one part called as the other? Lists put numbers of one part to another."""
        names = [said(kind, n) for n in spoken(other)]
        return any(
            fit(said(kind, mine), name.merged(names), kind) is not None
            for mine in spoken(one)
            for name in names
        )
