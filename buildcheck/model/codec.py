"""Typed fact values ↔ plain JSON, for the cache of the catalogue."""

from typing import Any

from buildcheck.logic.quantity import Interval
from buildcheck.model.board import M2, LaneMode, Slot, Switch
from buildcheck.model.money import Tariff
from buildcheck.model.part import Source, Sourced
from buildcheck.model.strict import Strict

_NESTED: dict[str, type[Strict]] = {"slot": Slot, "mode": LaneMode, "m2": M2, "switch": Switch}


def pack(value: Any) -> Any:  # noqa: PLR0911 - one per kind of value
    """A value as plain data, tagged with its type where JSON has none."""
    if isinstance(value, Interval):
        return {"i": [value.low, value.high]}
    if isinstance(value, Tariff):
        return {"tariff": [value.each.low, value.each.high, value.currency, value.per]}
    if isinstance(value, frozenset):
        return {"set": sorted(value)}
    if isinstance(value, dict):
        return {"map": {k: pack(v) for k, v in value.items()}}
    if isinstance(value, tuple):
        return {"list": [pack(v) for v in value]}
    for tag, model in _NESTED.items():
        if isinstance(value, model):
            return {tag: {n: pack(getattr(value, n)) for n in model.model_fields}}
    return value


def unpack(data: Any) -> Any:  # noqa: PLR0911 - one per kind of value
    """The value that `pack` made plain."""
    if not isinstance(data, dict):
        return data
    ((tag, inner),) = data.items()
    if tag == "i":
        return Interval(*inner)
    if tag == "tariff":
        return Tariff(Interval(*inner[:2]), *inner[2:])
    if tag == "set":
        return frozenset(inner)
    if tag == "map":
        return {k: unpack(v) for k, v in inner.items()}
    if tag == "list":
        return tuple(unpack(v) for v in inner)
    return _NESTED[tag].model_construct(**{n: unpack(v) for n, v in inner.items()})


def pack_facts(facts: dict[str, Sourced]) -> list[Any]:
    """Facts as plain data; each source is written once."""
    sources: dict[Source, int] = {}
    rows = [
        [n, pack(f.value), sources.setdefault(f.source, len(sources)), f.confidence, f.note]
        for n, f in facts.items()
    ]
    return [[list(s) for s in sources], rows]


def unpack_facts(data: list[Any], origin: str) -> dict[str, Sourced]:
    """The facts that `pack_facts` made plain."""
    sources = [Source(*row) for row in data[0]]
    return {n: Sourced(unpack(v), sources[s], c, origin, note) for n, v, s, c, note in data[1]}
