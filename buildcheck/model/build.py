"""What someone proposes: the build file as models.

An entry names a `part`, gives facts itself, or both; what it gives overrides what
the catalogue says. Settings (how many, which slots, which power limit) come with it. The fields
of the sections are data, in `words/build-sections.yaml`.
"""

from typing import Annotated, Any

from buildcheck.logic.quantity import Interval
from buildcheck.model import price
from buildcheck.model import values as v
from buildcheck.model.board import MOST_OPENINGS
from buildcheck.model.kinds import MODELS
from buildcheck.model.price import Cost as Cash
from buildcheck.model.price import Quote
from buildcheck.model.strict import Field, Fits, Strict, Whole, model_of
from buildcheck.model.vocabulary import listed, vocabulary

MOST = 64
#: Keys of an entry that are of no other part.
OF_ONE_PART = frozenset({"part", "part_number", "price"})
_SECTIONS = vocabulary("build-sections")
Ordinal = Annotated[int, Whole(1, MOST)]


class One(Strict, fields=v.declared(v.ENTRIES["one"], vars(price))):
    """A line of the parts list of which a machine has one."""


class Entry(One, fields=v.declared(v.ENTRIES["several"], globals())):
    """A line of the parts list: which part, and how many of it."""


def _slots(value: Any) -> Any:
    items = value if isinstance(value, (list, tuple)) else [value]
    items = [v.read_texts(item)[0] if isinstance(item, str) else item for item in items]
    items = [int(item) if f"{item}".isdecimal() else item for item in items]
    if not all(isinstance(item, (int, str)) and not isinstance(item, bool) for item in items):
        raise ValueError("needs slot positions or labels, such as [1, 3]")
    if any(isinstance(item, int) and not 1 <= item <= MOST_OPENINGS for item in items):
        raise ValueError(f"needs positions from 1, nearest the CPU, to {MOST_OPENINGS}")
    return tuple(items)


def _gpus(value: Any) -> Any:
    items = value if isinstance(value, (list, tuple)) else [value]
    if not all(f"{item}".isdecimal() and 1 <= int(item) <= MOST for item in items):
        raise ValueError("needs the numbers of GPUs, from 1 in the order of `gpus`, as in [1, 2]")
    return tuple(map(int, items))


def wrong_kv_heads(heads: Interval | None, own: Interval | None) -> str:
    """What is wrong with the heads of their own keys among all heads; empty if nothing is.

    As many heads share the keys and values of each, so that their number divides that of all.
    """
    if heads is None or own is None:
        return ""
    said = f"{own.low:g} heads with keys and values of their own"
    if own.low > heads.high:
        return f"{said} are more than all of {heads.high:g}"
    return f"{said} do not divide all of {heads.high:g}" if _leaves_rest(heads, own) else ""


def wrong_heads(width: Interval | None, heads: Interval | None) -> str:
    """What is wrong with the attention heads of a layer of that width; empty if nothing is."""
    if width is None or heads is None or not _leaves_rest(width, heads):
        return ""
    return f"{heads.low:g} heads do not divide a hidden size of {width.low:g}"


def _leaves_rest(whole: Interval, parts: Interval) -> bool:
    """Are both stated as one number, of which one does not divide the other?"""
    return whole.is_exact and parts.is_exact and whole.low % parts.low != 0


#: Types of fields that sections alone have.
_TYPES: dict[str, Any] = {
    "Ordinal": Ordinal,
    "Positions": Annotated[tuple[int | str, ...], v.Reads(_slots, "list, such as [1, 3]")],
    "Pair": Annotated[tuple[int, ...], v.Reads(_gpus, "list, such as [1, 2]")],
    "Heads": Annotated[v.Number, Fits("hidden_size", wrong_heads)],
    "KvHeads": Annotated[v.Number, Fits("heads", wrong_kv_heads)],
    "Cash": Cash,
}
_BASES: dict[str, type] = {"one": One, "several": Entry, "no part": Strict}
#: The model of each section: the fields of its kinds, those of an entry, and its own.
SECTIONS: dict[str, Any] = {}
for _name, _said in _SECTIONS.items():
    if "model" in _said:
        _fields = v.declared(_said.get("fields", {}), _TYPES)
        _of = [*(MODELS[kind] for kind in _said.get("of", ())), _BASES[_said["lists"]]]
        SECTIONS[_name] = model_of(_said["model"], _of, _said["says"], _fields)
#: Fields of each that say how many of a part are used, and where; no facts of it.
SETTINGS: dict[Any, set[str]] = {
    SECTIONS[n]: {f for f, o in s.get("fields", {}).items() if o.get("is") in _TYPES}
    for n, s in _SECTIONS.items()
    if s.get("lists") in ("one", "several")
}


class Waiver(Strict, fields=v.declared(v.ENTRIES["waiver"], vars(price))):
    """Findings that are accepted, each with the reason and the last day."""


_SYNC = dict.fromkeys(listed(vocabulary()["sync_adapters"]), "adapter")
PsuSync = Annotated[v.Code, v.one_of("adapter", "board", "backplane", "none", also=_SYNC)]


def section(name: str) -> Field:
    """A section as a field of a file: one entry, or a list of them; or a value of its own."""
    said = _SECTIONS[name]
    if "value" in said:
        return v.declared({name: said["value"]}, {"PsuSync": PsuSync})[name]
    one: Any = {"quotes": Quote, "waivers": Waiver, **SECTIONS}[name]
    if said.get("most", 1) > 1:
        return Field(tuple.__class_getitem__((one, ...)), ())
    return Field(one | None, None)


class Build(Strict, fields={name: section(name) for name in _SECTIONS}):
    """A whole build file."""


#: The part kind of each section that lists parts.
SECTION_KIND: dict[str, str] = {
    n: s["of"][0] for n, s in _SECTIONS.items() if {"of", "most"} <= {*s}
}
#: Sections that hold several entries, with the most that are checked; and those that hold one.
MOST_ENTRIES: dict[str, int] = {n: s["most"] for n, s in _SECTIONS.items() if s.get("most", 1) > 1}
LISTS = (*(n for n in SECTION_KIND if n in MOST_ENTRIES), "waivers")
SINGLES = tuple(n for n in SECTION_KIND if n not in MOST_ENTRIES)
#: Sections that name no part.
NO_PARTS = ("site", "workload", "network", "cooling", "firmware", "cost", "quotes", "waivers")
#: Kinds whose subjects have another name, as rules need one without a hyphen.
SUBJECT_KIND = {"add-in-card": "addin", "nvlink-bridge": "bridge"}
