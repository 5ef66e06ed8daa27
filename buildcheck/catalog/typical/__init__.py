"""What parts usually have: a range for a fact that is not stated, from comparable parts.

`rules/typical.yaml` declares which parts are comparable, field by field. The ranges are made once
for a catalogue, each with the number of parts that it rests on.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from math import ceil, floor
from typing import Any

from buildcheck import store
from buildcheck.catalog.layer import LAB, Layer
from buildcheck.logic.quantity import ZERO, Interval, exact, read_any, show
from buildcheck.model.codec import unpack
from buildcheck.model.part import NO_WORD, Source, Sourced
from buildcheck.units import NUMBER

#: The confidence of what is usual, and the name of its table.
TYPICAL = "typical"
#: What is declared, in the folder of rules; and the groups of the table that hold it.
FILE, DECLARED = "typical.yaml", "declared"
#: The groups of a kind: parts that are alike, those taken whole, where long slots are.
DESIGNS, WHOLE, PLACES = "designs of {}".format, "whole {}".format, "places of {}".format
#: The name of a row of the table.
ROW = "{}={}".format
#: The length of a slot for GPUs, in lanes.
LONG = 16


class TypicalTable(Layer):
    """Typical ranges of a catalogue without a lab's parts, by what comparable parts agree in."""

    def __init__(
        self, layers: Iterable[Layer], make: Callable[[], store.Groups], *, is_shipped: bool
    ) -> None:
        """What `make` gives of the parts in those layers that are not a lab's."""
        super().__init__(TYPICAL, store.data_folder("rules"), make, is_shipped=is_shipped)
        below = [layer for layer in layers if not layer.name.startswith(LAB)]
        text = (self.folder / FILE).read_text
        self._key = lambda: store.key_of("".join([text("utf-8"), *(b.digest for b in below)]))

    def facts(self, kind: str, facts: Mapping[str, Sourced]) -> dict[str, Sourced]:
        """The typical range of every declared field that is not among the facts of a part."""
        found: dict[str, Sourced] = {}
        shares = self.declared(kind, "shares")
        for field in self.declared(kind, "like"):
            row = None if field in facts else self._row(kind, facts, field)
            value: Any = unpack(row[0]) if row else None
            if row and field in shares:
                value = _of_whole(value, facts.get(shares[field][0]))
            if row and value is not None:
                found[field] = Sourced(value, Source(row[1], "", TYPICAL), TYPICAL, "")
        return found

    def values(self, kind: str, facts: Mapping[str, Sourced], field: str) -> list[float]:
        """What comparable parts have of a field, evenly taken from all of them."""
        row = self._row(kind, facts, field)
        return row[2] if row else []

    def _row(self, kind: str, facts: Mapping[str, Sourced], field: str) -> list[Any] | None:
        """What is typical of a field by the most specific key of comparison that has enough."""
        keys = self.declared(kind, "like").get(field, ())
        rows = self._alike(kind, kind, keys, facts)
        return next((fields[field] for fields in rows if field in fields), None)

    def _alike(
        self,
        kind: str,
        group: str,
        keys: Iterable[list[str]],
        facts: Mapping[str, Sourced],
        before: tuple[Any, ...] = (),
        after: tuple[Any, ...] = (),
    ) -> Iterator[Any]:
        """What a group has of parts that agree with facts in all of a key, key by key."""
        for key in keys:
            texts = agreed(key, facts, self.declared(kind, "says_so"))
            if texts is not None and (row := self.get(group, ROW(key, (*before, *texts, *after)))):
                yield row

    def declared(self, kind: str, what: str) -> Any:
        """What `rules/typical.yaml` says of a kind."""
        return ((self.get(DECLARED, "kinds") or {}).get(kind) or {}).get(what) or {}

    @property
    def enough(self) -> tuple[float, int]:
        """What share of comparable parts is nearly all, and how many parts it takes to tell."""
        return self.get(DECLARED, "share"), self.get(DECLARED, "peers")

    @property
    def machines(self) -> int:
        """How many machines are drawn of a build."""
        found: int = self.get(DECLARED, "machines")
        return found

    def designs(self, kind: str, facts: Mapping[str, Sourced], name: str | None) -> tuple[str, ...]:
        """The parts by id that could be meant.

        Those of a chip of that name, or else those that agree with facts in what is declared.
        """
        key = self.declared(kind, "designs")
        if name:
            return tuple(self.get(DESIGNS(kind), ROW(key, (name,))) or ())
        known = {n: f for n, f in facts.items() if not f.is_usual}
        return tuple(next(self._alike(kind, DESIGNS(kind), [key] if key else [], known), ()))

    def rows(self, group: str) -> list[dict[str, Any]]:
        """What is chosen to fit another part (`fits`); which `use` and `work` are usual."""
        return self.get(DECLARED, group) or []

    def wholes(
        self, kind: str, facts: Mapping[str, Sourced]
    ) -> Iterator[tuple[list[str], list[str]]]:
        """Fields that are taken together from one comparable part, and those parts by id.

        They are those of which the first is not known of a part with these facts, nor the lanes of
        long slots.
        """
        taken, wired = set(), any(map(is_wired, slots := long_slots(facts)))
        for number, one in enumerate(self.declared(kind, "whole")):
            own = facts.get(one["fields"][0])
            is_open = own is None or own.confidence == TYPICAL
            is_open |= one["fields"][0] == "slots" and not wired and bool(slots)
            keys = one["like"] if is_open and one["fields"][0] not in taken else ()
            if found := next(self._alike(kind, WHOLE(kind), keys, facts, before=(number,)), None):
                yield one["fields"], found
                taken.add(one["fields"][0])

    def places(
        self, kind: str, facts: Mapping[str, Sourced], known: Mapping[str, int]
    ) -> list[dict[str, int]]:
        """Where the long slots of a board could be, by label: as those of comparable boards are.

        Left out are those boards that have a slot elsewhere than where it is known to be.
        """
        labels = [slot.label for slot in long_slots(facts)]
        keys, count = self.declared(kind, "places"), (len(labels),)
        found = next(self._alike(kind, PLACES(kind), keys, facts, after=count), ())
        listed = [dict(zip(labels, where, strict=True)) for where in found]
        return [at for at in listed if all(at[n] == known.get(n, at[n]) for n in at)]


def _of_whole(shares: dict[str, Interval], whole: Sourced | None) -> dict[str, Interval] | None:
    """Counts that are shares of others, in whole numbers; None if those are not known."""
    if whole is None or not {*shares} <= {*whole.value}:
        return None
    counts = {name: share * whole.value[name] for name, share in shares.items()}
    tops = {name: float(floor(count.high)) for name, count in counts.items()}
    return {n: Interval(min(float(ceil(c.low)), tops[n]), tops[n]) for n, c in counts.items()}


def in_line(name: str, lines: Iterable[str]) -> dict[str, Sourced]:
    """The first of these words that is in a name, as the fact of its product line."""
    words = f" {name} ".upper().replace("-", " ")
    found = next((line for line in lines if f" {line} ".upper() in words), None)
    return {"line": Sourced(found, NO_WORD, "derived", "")} if found else {}


def long_slots(facts: Mapping[str, Sourced]) -> list[Any]:
    """The slots of a board that are as long as a GPU's edge, in the order they are listed in."""
    fact = facts.get("slots")
    return [slot for slot in fact.value if slot.mechanical == LONG] if fact else []


def is_wired(slot: Any) -> bool:
    """Are the lanes of a slot known, and where they come from?"""
    return slot.owner is not None and slot.lanes is not None and slot.lanes.is_exact


def agreed(
    key: list[str], facts: Mapping[str, Sourced], sorts: Mapping[str, str]
) -> tuple[str, ...] | None:
    """What a part has of the fields of a key, in words; None if one of them is not known.

    Of `length/50 mm` it is the band that the length lies in, of slots how many are long. A part of
    one of the sorts that say so is compared by keys with the field that says it alone.
    """
    texts = []
    if any(f in facts and facts[f].value == sort for f, sort in sorts.items() if f not in key):
        return None
    for name in key:
        field, _, step = name.partition("/")
        value = facts[field].value if field in facts else None
        if field == "slots" and value:
            value = exact(float(len(long_slots(facts))))
        if isinstance(value, Interval):
            value = _band(step, value.low, value.high)
        if not isinstance(value, str):
            return None
        texts.append(value)
    return tuple(texts)


@lru_cache(maxsize=4096)
def _band(step: str, low: float, high: float) -> str | None:
    """The band, as wide as a step, that an interval lies in, or the number it is."""
    width, dimension = read_any(step or "1")
    if not isinstance(width, Interval):
        return None
    start = low // width.low * width.low
    band = Interval(start, start + width.low) if step else exact(low)
    return show(band, dimension or NUMBER) if high < start + width.low else None


def holds(usual: Any, value: Any) -> bool:
    """Is a value, with all it could be, within a typical one?"""
    if isinstance(value, Interval):
        return bool(usual.low <= value.low and value.high <= usual.high)
    if isinstance(value, dict):
        return all(holds(usual.get(n, ZERO), value.get(n, ZERO)) for n in {*usual, *value})
    return bool(usual == value)
