"""What facts there are: the shape of each, from the fields of the models and the facts declared."""

from functools import cache
from typing import Any

from buildcheck import units
from buildcheck.facts import FACTS
from buildcheck.facts.registry import DATA
from buildcheck.logic.dimension import CODE, CODES, TRUTH, Shape
from buildcheck.model import build as b
from buildcheck.model import kinds
from buildcheck.model.strict import marks
from buildcheck.model.values import Measure, Ref
from buildcheck.model.vocabulary import listed, vocabulary

#: The model that declares the fields of each kind of subject.
MODELS: dict[str, Any] = {
    **{n: kinds.MODELS[n] for n in ("adapter", "allowance", "connector", "standard")},
    **{n: kinds.MODELS[f"{n}-state"] for n in ("price", "quote", "waiver")},
    **{
        b.SUBJECT_KIND.get(of, of): b.SECTIONS[n]
        for n, of in b.SECTION_KIND.items()
        if n != "memory"
    },
    **{n: b.SECTIONS[n] for n in ("cost", "cooling", "firmware", "network", "workload")},
    "build": b.Build,
    "circuit": b.SECTIONS["site"],
    "module": b.SECTIONS["memory"],
}
#: What a build or part may say but need not: never a missing datum.
OPTIONAL = {
    f"{b.SUBJECT_KIND.get(of, of)}.{name}"
    for section in ("gpus", "psus", "storage", "risers", "add_in_cards", "cables")
    for of in [b.SECTION_KIND[section]]
    for name in set(b.SECTIONS[section].model_fields) - set(kinds.MODELS[of].model_fields)
} | {*listed(vocabulary()["optional"])}
_NOT_FACTS = b.OF_ONE_PART | {"count", "note", "quotes", "slots"}


def subject_kinds() -> set[str]:
    """Every kind of subject a rule can be about."""
    return set(MODELS) | {fact.of for fact in FACTS.values()}


@cache
def field_shapes(kind: str) -> dict[str, Shape]:
    """The shape of every field of a kind of subject, as rules see it."""
    model = MODELS.get(kind)
    fields = model.model_fields.items() if model else ()
    return {
        n: _shape(i)
        for n, i in fields
        if n not in _NOT_FACTS or (kind, n) == ("motherboard", "slots")
    }


def _shape(info: Any) -> Shape:
    for mark in marks(info):
        if isinstance(mark, Measure):
            return mark.dimension
        if isinstance(mark, Ref):
            return CODE
    text = str(info.annotation)
    if "bool" in text or "StrictBool" in text:
        return TRUTH
    if "frozenset" in text:
        return CODES
    return DATA if any(word in text for word in ("dict", "tuple", "Tariff", "Money")) else CODE


def shape_of(name: str) -> Shape | None:
    """The shape of a fact by its full name, or None if there is no such fact."""
    if name in FACTS:
        return FACTS[name].shape
    kind, _, rest = name.partition(".")
    return field_shapes(kind).get(rest)


@cache
def kind_of(name: str) -> str:
    """The kind of subject that a fact is of."""
    return name.partition(".")[0]


@cache
def only_helps(name: str) -> bool:
    """Is a fact there for other facts alone, by its name: `psu._part`?"""
    return "._" in name


@cache
def field_of(name: str) -> str:
    """The name of a field without its kind."""
    return name.partition(".")[2]


def unit_of(name: str) -> str:
    """The base unit a fact is held in; empty for counts, truths and codes."""
    shape = shape_of(name)
    return units.BASE.get(shape, "") if isinstance(shape, tuple) else ""
