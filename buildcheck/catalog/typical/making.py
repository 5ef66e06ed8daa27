"""The ranges of `rules/typical.yaml`, made of the parts of a catalogue."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from buildcheck import store
from buildcheck.catalog.typical import (
    DECLARED,
    DESIGNS,
    PLACES,
    ROW,
    WHOLE,
    agreed,
    holds,
    in_line,
    is_wired,
    long_slots,
)
from buildcheck.logic.quantity import ZERO, Interval, exact
from buildcheck.model.codec import pack
from buildcheck.model.part import Part, Sourced
from buildcheck.model.vocabulary import shipped
from buildcheck.words.names import said

#: Values of comparable parts that are kept for a range.
MOST_KEPT = 20
#: Words of a name that make no other part of it.
_EDITIONS = frozenset({"oc", "edition", "ver", "rev"})


class Peer(NamedTuple):
    """A part with what is known of it, its name and that of its chip, and sorts that say so."""

    id: str
    name: str
    chip: str
    facts: dict[str, Sourced]
    sorts: Mapping[str, str]


class Holdout(NamedTuple):
    """A known value of a part, and what is typical by the other parts; None if nothing is."""

    field: str
    known: Any
    usual: Any


def groups(parts: Callable[[str], Iterable[Part]]) -> store.Groups:
    """The ranges of each kind by what parts agree in, and the keys that are declared."""
    data = shipped("rules", "typical")
    found: store.Groups = {DECLARED: data}
    for kind, one in data["kinds"].items():
        every = list(parts(kind))
        listed = peers(every, one)
        if by := one.get("designs"):
            alike = _alike(listed, by[0], [by], most=data["designs"], least=data["peers"])
            found[DESIGNS(kind)] = {ROW(*at): [peer.id for peer in of] for at, of in alike}
        # Of slots whose lanes are not known nothing can be taken.
        wired = [peer for peer in listed if all(map(is_wired, long_slots(peer.facts)))]
        found[WHOLE(kind)] = {
            ROW(key, (number, *texts)): [peer.id for peer in of]
            for number, whole in enumerate(one.get("whole", ()))
            for (key, texts), of in _alike(
                wired, whole["fields"][0], whole["like"], least=whole.get("peers", data["peers"])
            )
        }
        # A place that is only recalled is as usual as any.
        apart = {part.id: part.value("slot_positions") or {} for part in every}
        found[PLACES(kind)] = {
            ROW(key, (*texts, count)): where
            for (key, texts), of in _alike(listed, "slots", one.get("places", ()))
            for count, where in _places(of, apart).items()
            if len(where) >= data["peers"]
        }
        found[kind] = _ranges(listed, one, data)
    return found


def _ranges(listed: list[Peer], one: Mapping[str, Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """The range of each field by what parts agree in, its title, and values of the parts."""
    rows: dict[str, Any] = defaultdict(dict)
    words = one.get("words", {})
    for field, keys in one["like"].items():
        for (key, texts), alike in _alike(listed, field, keys):
            values = [peer.facts[field].value for peer in alike]
            usual = usual_value(values, data)
            if usual is None:
                continue
            named = zip(key, texts, strict=True)
            like = " ".join(words.get(n.partition("/")[0], "{}").format(t) for n, t in named)
            within = sum(holds(usual, value) for value in values)
            title = one["says"].format(within=within, peers=len(values), like=like)
            rows[ROW(key, texts)][field] = [pack(usual), " ".join(title.split()), _evenly(values)]
    return dict(rows)


def _places(boards: list[Peer], apart: Mapping[str, Any]) -> dict[int, list[list[int]]]:
    """Where long slots are on boards of which all of them are known, by their number."""
    found: dict[int, list[list[int]]] = defaultdict(list)
    for board in boards:
        said = {label: int(where.low) for label, where in apart[board.id].items()}
        at = [slot.position or said.get(slot.label, 0) for slot in long_slots(board.facts)]
        if all(at):
            found[len(at)].append(at)
    return found


def trials(kind: str, parts: Iterable[Part], tried: Container[str]) -> Iterator[Holdout]:
    """Leave one out: each known value of the parts to be tried, predicted from the others.

    A part in other colours or as another edition does not vouch for it, nor its chip.
    """
    data = shipped("rules", "typical")
    one = data["kinds"][kind]
    listed = peers(parts, one)
    names = {peer.id: said(kind, peer.name) for peer in listed}
    kin = {i: (n.makers, n.measured, {*n.stem.split()} - _EDITIONS) for i, n in names.items()}
    for field, keys in one["like"].items():
        alike = {(str(key), texts): of for (key, texts), of in _alike(listed, field, keys)}
        for peer in listed:
            if peer.id in tried and field in peer.facts:
                usual = None
                for key in keys:
                    texts = agreed(key, peer.facts, peer.sorts)
                    values = [
                        other.facts[field].value
                        for other in (alike[str(key), texts] if texts is not None else ())
                        if kin[other.id] != kin[peer.id]
                        and other.name != peer.chip
                        and other.chip != peer.name
                    ]
                    usual = usual_value(values, data)
                    if usual is not None:
                        break
                yield Holdout(field, peer.facts[field].value, usual)


def _alike(
    listed: list[Peer], field: str, keys: list[list[str]], least: int = 1, most: float = math.inf
) -> Iterator[tuple[tuple[list[str], tuple[str, ...]], list[Peer]]]:
    """The parts of which a field is known, by a key and what they agree in of it."""
    for key in keys:
        found: dict[tuple[str, ...], list[Peer]] = defaultdict(list)
        for peer in listed:
            texts = agreed(key, peer.facts, peer.sorts) if field in peer.facts else None
            if texts is not None:
                found[texts].append(peer)
        yield from (((key, t), of) for t, of in found.items() if least <= len(of) <= most)


def peers(parts: Iterable[Part], one: Mapping[str, Any]) -> list[Peer]:
    """Parts without what is only usual of them, or said of all GPUs of their chip."""
    listed = list(parts)
    chips = {part.value("chip") for part in listed}
    found, sorts = [], one.get("says_so", {})
    for part in listed:
        known = in_line(part.name, one.get("lines", ()))
        for name, fact in part.facts.items():
            is_own = fact.origin == part.id or not fact.origin.startswith(f"{part.kind}/")
            if is_own and not fact.is_usual:
                # A range of a chip is of all GPUs of it; one of counts is what was not found out.
                of_all = [fact.value] if part.name in chips else ()
                ends = fact.value.values() if isinstance(fact.value, dict) else of_all
                if all(v.is_exact for v in ends if isinstance(v, Interval)):
                    known[name] = fact
        for field, of in one.get("counted", {}).items():
            if of in known:
                known[field] = known[of]._replace(value=exact(float(len(known[of].value))))
        for field, (of, name) in one.get("shares", {}).items():
            count = known.pop(field).value.get(name) if field in known else None
            if count and of in known and name in known[of].value:
                share = {name: count / known[of].value[name]}
                known[field] = part.facts[field]._replace(value=share)
        found.append(Peer(part.id, part.name, part.value("chip") or "", known, sorts))
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
