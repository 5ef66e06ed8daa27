"""What parts usually have: a range for a fact that is not stated, from comparable parts.

`rules/typical.yaml` declares which parts are comparable, field by field. The ranges are made once
for a catalogue, each with the number of parts that it rests on.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck import store
from buildcheck.index import LAB, Layer
from buildcheck.model.codec import pack, unpack
from buildcheck.model.part import Source, Sourced
from buildcheck.model.quantity import ZERO, Interval, exact, read_any, show
from buildcheck.names import said
from buildcheck.source import read
from buildcheck.units import NUMBER

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping

    from buildcheck.model.part import Part

#: The confidence of what is usual, and the name of its table.
TYPICAL = "typical"
#: What is declared, in the folder of rules; and the groups of the table that hold it, and the parts
#: of a kind that are alike.
_FILE, _DECLARED, _DESIGNS, _WHOLE = "typical.yaml", "declared", "designs of {}", "whole {}"
_PLACES = "places of {}"
#: The name of a row of the table.
_ROW = "{}={}".format
_band = cache(read_any)
#: Values of comparable parts that are kept for a range.
MOST_KEPT = 20
#: The length of a slot for GPUs, in lanes.
LONG = 16
#: Words of a name that make no other part of it.
_EDITIONS = frozenset({"oc", "edition", "ver", "rev"})


class Peer(NamedTuple):
    """A part with what is known of it, its name and that of its chip."""

    id: str
    name: str
    chip: str
    facts: dict[str, Sourced]


class Trial(NamedTuple):
    """A known value of a part, and what is typical by the other parts; None if nothing is."""

    field: str
    known: Any
    usual: Any


class TypicalTable(Layer):
    """Typical ranges of a catalogue without a lab's parts, by what comparable parts agree in."""

    def __init__(
        self, layers: Iterable[Layer], make: Callable[[], store.Groups], *, built: bool
    ) -> None:
        """What `make` gives of the parts in those layers that are not a lab's."""
        super().__init__(TYPICAL, store.data_folder("rules"), make, built=built)
        below = [layer for layer in layers if not layer.name.startswith(LAB)]
        text = (self.folder / _FILE).read_text
        self._key = lambda: store.key_of("".join([text("utf-8"), *(b.digest for b in below)]))

    def facts(self, kind: str, facts: Mapping[str, Sourced]) -> dict[str, Sourced]:
        """The typical range of every declared field that is not among the facts of a part."""
        found: dict[str, Sourced] = {}
        for field, keys in (self.get(_DECLARED, kind) or {}).items():
            for key in keys if field not in facts else ():
                texts = agreed(key, facts)
                ranges = None if texts is None else self.get(kind, _ROW(key, texts))
                if ranges and field in ranges:
                    value, title, _ = ranges[field]
                    found[field] = Sourced(unpack(value), Source(title, "", TYPICAL), TYPICAL, "")
                    break
        return found

    def values(self, kind: str, facts: Mapping[str, Sourced], field: str) -> list[float]:
        """What comparable parts have of a field, evenly taken from all of them."""
        for key in (self.get(_DECLARED, kind) or {}).get(field, ()):
            texts = agreed(key, facts)
            ranges = None if texts is None else self.get(kind, _ROW(key, texts))
            if ranges and field in ranges:
                found: list[float] = ranges[field][2]
                return found
        return []

    @property
    def enough(self) -> tuple[float, int]:
        """What share of comparable parts is nearly all, and how many parts it takes to tell."""
        return self.get(_DECLARED, "share"), self.get(_DECLARED, "peers")

    def designs(self, kind: str, facts: Mapping[str, Sourced], name: str | None) -> tuple[str, ...]:
        """The parts by id that could be meant.

        Those of a chip of that name, or else those that agree with facts in what is declared.
        """
        key = (self.get(_DECLARED, "designs") or {}).get(kind, ())
        known = {n: f for n, f in facts.items() if not f.is_usual}
        texts = (name,) if name else agreed(key, known)
        found = self.get(_DESIGNS.format(kind), _ROW(key, texts)) if texts else None
        return tuple(found or ())


    def fits(self) -> list[dict[str, Any]]:
        """Which fields of a part are chosen to fit which of another."""
        found: list[dict[str, Any]] = self.get(_DECLARED, "fits") or []
        return found

    def wholes(self, kind: str, facts: Mapping[str, Sourced]) -> Iterator[tuple[list[str], Any]]:
        """Fields that are taken together from one comparable part, and those parts by id.

        They are those of which the first is not known of a part with these facts.
        """
        for number, one in enumerate((self.get(_DECLARED, "whole") or {}).get(kind, ())):
            own = facts.get(one["fields"][0])
            for key in one["like"] if own is None or own.confidence == TYPICAL else ():
                texts = agreed(key, facts)
                row = None if texts is None else f"{number} {_ROW(key, texts)}"
                if row and (found := self.get(_WHOLE.format(kind), row)):
                    yield one["fields"], found
                    break


    def places(
        self, kind: str, facts: Mapping[str, Sourced], known: Mapping[str, int]
    ) -> list[dict[str, int]]:
        """Where the long slots of a board could be, by label: as those of comparable boards are.

        Left out are those boards that have a slot elsewhere than where it is known to be.
        """
        labels = [slot.label for slot in long_slots(facts)]
        for key in (self.get(_DECLARED, "places") or {}).get(kind, ()):
            texts = agreed(key, facts)
            found = texts and self.get(_PLACES.format(kind), _ROW(key, (*texts, len(labels))))
            if found:
                listed = [dict(zip(labels, where, strict=True)) for where in found]
                return [at for at in listed if all(at[n] == known.get(n, at[n]) for n in at)]
        return []


def long_slots(facts: Mapping[str, Sourced]) -> list[Any]:
    """The slots of a board that are as long as a GPU's edge, in the order they are listed in."""
    fact = facts.get("slots")
    return [slot for slot in fact.value if slot.mechanical == LONG] if fact else []


def declared() -> dict[str, Any]:
    """What `rules/typical.yaml` says."""
    path = store.data_folder("rules") / _FILE
    data: dict[str, Any] = read(path.read_bytes(), str(path)).data
    return data


def groups(parts: Callable[[str], Iterable[Part]]) -> store.Groups:
    """The ranges of each kind by what parts agree in, and the keys that are declared."""
    data = declared()
    kinds = data["kinds"].items()
    designs = {kind: one["designs"] for kind, one in kinds if "designs" in one}
    found: store.Groups = {_DECLARED: {kind: one["like"] for kind, one in kinds}}
    whole = {kind: one["whole"] for kind, one in kinds if "whole" in one}
    found[_DECLARED]["fits"] = data.get("fits", [])
    found[_DECLARED] |= {"share": data["share"], "peers": data["peers"]}
    places = {kind: one["places"] for kind, one in kinds if "places" in one}
    found[_DECLARED] |= {"designs": designs, "whole": whole, "places": places}
    for kind, one in kinds:
        rows: dict[str, Any] = defaultdict(dict)
        listed, words = peers(parts(kind), one), one.get("words", {})
        if by := designs.get(kind):
            found[_DESIGNS.format(kind)] = {
                _ROW(by, texts): [peer.id for peer in alike]
                for texts, alike in _alike(listed, by[0], by).items()
                if data["peers"] <= len(alike) <= data["designs"]
            }
        if kind in whole:
            found[_WHOLE.format(kind)] = {
                f"{number} {_ROW(key, texts)}": [peer.id for peer in alike]
                for number, of in enumerate(whole[kind])
                for key in of["like"]
                for texts, alike in _alike(listed, of["fields"][0], key).items()
                if len(alike) >= of.get("peers", data["peers"])
            }
        if kind in places:
            # A place that is only recalled is as usual as any.
            apart = {part.id: part.value("slot_positions") or {} for part in parts(kind)}
            found[_PLACES.format(kind)] = {
                _ROW(key, (*texts, count)): where
                for key in places[kind]
                for texts, alike in _alike(listed, "slots", key).items()
                for count, where in _places(alike, apart).items()
                if len(where) >= data["peers"]
            }
        for field, keys in one["like"].items():
            for key in keys:
                for texts, alike in _alike(listed, field, key).items():
                    values = [peer.facts[field].value for peer in alike]
                    usual = usual_value(values, data)
                    if usual is None:
                        continue
                    named = zip(key, texts, strict=True)
                    like = " ".join(
                        words.get(n.partition("/")[0], "{}").format(t) for n, t in named
                    )
                    within = sum(holds(usual, value) for value in values)
                    title = one["says"].format(within=within, peers=len(values), like=like)
                    row = pack(usual), " ".join(title.split()), _evenly(values)
                    rows[_ROW(key, texts)][field] = list(row)
        found[kind] = dict(rows)
    return found


def _places(boards: list[Peer], apart: Mapping[str, Any]) -> dict[int, list[list[int]]]:
    """Where long slots are on boards of which all of them are known, by their number."""
    found: dict[int, list[list[int]]] = defaultdict(list)
    for board in boards:
        said = {label: int(where.low) for label, where in apart[board.id].items()}
        at = [slot.position or said.get(slot.label, 0) for slot in long_slots(board.facts)]
        if all(at):
            found[len(at)].append(at)
    return found


def trials(kind: str, parts: Iterable[Part], tried: Container[str]) -> Iterator[Trial]:
    """Leave one out: each known value of the parts to be tried, predicted from the others.

    A part in other colours or as another edition does not vouch for it, nor its chip.
    """
    data = declared()
    one = data["kinds"][kind]
    listed = peers(parts, one)
    names = {peer.id: said(kind, peer.name) for peer in listed}
    kin = {i: (n.makers, n.measured, {*n.stem.split()} - _EDITIONS) for i, n in names.items()}
    for field, keys in one["like"].items():
        alike = [_alike(listed, field, key) for key in keys]
        for peer in listed:
            if peer.id in tried and field in peer.facts:
                usual = None
                for key, found in zip(keys, alike, strict=True):
                    texts = agreed(key, peer.facts)
                    values = [
                        other.facts[field].value
                        for other in (found[texts] if texts is not None else ())
                        if kin[other.id] != kin[peer.id]
                        and other.name != peer.chip
                        and other.chip != peer.name
                    ]
                    usual = usual_value(values, data)
                    if usual is not None:
                        break
                yield Trial(field, peer.facts[field].value, usual)


def _alike(listed: list[Peer], field: str, key: list[str]) -> dict[tuple[str, ...], list[Peer]]:
    """The parts of which a field is known, by what they agree in."""
    found: dict[tuple[str, ...], list[Peer]] = defaultdict(list)
    for peer in listed:
        texts = agreed(key, peer.facts) if field in peer.facts else None
        if texts is not None:
            found[texts].append(peer)
    return found


def agreed(key: list[str], facts: Mapping[str, Sourced]) -> tuple[str, ...] | None:
    """What a part has of the fields of a key, in words; None if one of them is not known.

    Of `length/50 mm` it is the band that the length lies in.
    """
    texts = []
    for name in key:
        field, _, step = name.partition("/")
        value = facts[field].value if field in facts else None
        width, dimension = _band(step or "1")
        if isinstance(value, Interval) and isinstance(width, Interval):
            low = value.low // width.low * width.low
            band = Interval(low, low + width.low) if step else exact(value.low)
            value = show(band, dimension or NUMBER) if value.high < low + width.low else None
        if not isinstance(value, str):
            return None
        texts.append(value)
    return tuple(texts)


def peers(parts: Iterable[Part], one: Mapping[str, Any]) -> list[Peer]:
    """Parts without what is only usual of them, or said of all GPUs of their chip."""
    listed = list(parts)
    chips = {part.value("chip") for part in listed}
    found = []
    for part in listed:
        known = {}
        for name, fact in part.facts.items():
            ends = fact.value.values() if isinstance(fact.value, dict) else [fact.value]
            is_exact = all(v.is_exact for v in ends if isinstance(v, Interval))
            is_own = fact.origin == part.id or not fact.origin.startswith(f"{part.kind}/")
            # A range of a chip is of all GPUs of it; one of counts is what was not found out.
            is_known = is_exact or not (isinstance(fact.value, dict) or part.name in chips)
            if is_own and not fact.is_usual and is_known:
                known[name] = fact
        for field, of in one.get("counted", {}).items():
            if of in known:
                known[field] = known[of]._replace(value=exact(float(len(known[of].value))))
        found.append(Peer(part.id, part.name, part.value("chip") or "", known))
    return found


def usual_value(values: list[Any], data: Mapping[str, Any]) -> Any:
    """The value, or range of values, that the declared share of comparable parts has.

    None if there are fewer parts than declared, or they have nothing in common.
    """
    rest = 1 - data["share"]
    if len(values) < data["peers"]:
        return None
    if isinstance(values[0], Interval):
        usual: Any = _window(values, rest)
    elif isinstance(values[0], dict):
        names = sorted({name for value in values for name in value})
        counts = {n: [value.get(n, ZERO) for value in values] for n in names}
        # The rest is shared, so that all counts are right in the share of parts.
        found = {n: _window(listed, rest / len(names)) for n, listed in counts.items()}
        usual = {n: window for n, window in found.items() if window.high}
    else:
        usual, _ = Counter(values).most_common(1)[0]
    within = sum(holds(usual, value) for value in values)
    return usual if within >= data["share"] * len(values) else None


def _evenly(values: list[Any]) -> list[float]:
    """Middles of ranges, sorted; of many, as many as are worth keeping, evenly taken."""
    if not isinstance(values[0], Interval):
        return []
    found = sorted((v.low + v.high) / 2 for v in values)
    if len(found) <= MOST_KEPT:
        return found
    return [found[int((n + 0.5) * len(found) / MOST_KEPT)] for n in range(MOST_KEPT)]


def _window(values: list[Interval], rest: float) -> Interval:
    """The range without half of the rest at each end, wider by the mean gap between values."""
    lows, highs = sorted(v.low for v in values), sorted(v.high for v in values)
    out = int(len(values) * rest / 2)
    low, high = lows[out], highs[-1 - out]
    gap = (high - low) / max(len(values) - 1, 1)
    low, high = low - gap if gap < low else low, high + gap
    if all(end.is_integer() for end in (*lows, *highs)):
        low, high = float(math.ceil(low)), float(math.floor(high))
    return Interval(low, high)


def holds(usual: Any, value: Any) -> bool:
    """Is a value, with all it could be, within a typical one?"""
    if isinstance(value, Interval):
        return bool(usual.low <= value.low and value.high <= usual.high)
    if isinstance(value, dict):
        return all(holds(usual.get(n, ZERO), value.get(n, ZERO)) for n in {*usual, *value})
    return bool(usual == value)
