"""What facts there are: the shape of each, from the fields of the models and the facts declared."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts import FACTS
from buildcheck.facts.registry import DATA
from buildcheck.logic.dimension import CODE, CODES, TRUTH
from buildcheck.model import build as b
from buildcheck.model import kinds
from buildcheck.model.strict import marks
from buildcheck.model.values import Measure, Ref

if TYPE_CHECKING:
    from buildcheck.logic.dimension import Shape

#: The model that declares the fields of each kind of subject.
MODELS: dict[str, Any] = {
    "adapter": kinds.MODELS["adapter"],
    "addin": b.AddInEntry,
    "allowance": kinds.MODELS["allowance"],
    "bridge": b.BridgeEntry,
    "build": b.Build,
    "cable": b.CableEntry,
    "case": b.CaseEntry,
    "circuit": b.Site,
    "connector": kinds.MODELS["connector"],
    "cooler": b.CoolerEntry,
    "cost": b.Cost,
    "cooling": b.Cooling,
    "cpu": b.CpuEntry,
    "firmware": b.Firmware,
    "gpu": b.GpuEntry,
    "module": b.MemoryEntry,
    "motherboard": b.MotherboardEntry,
    "network": b.Network,
    "price": kinds.MODELS["price-state"],
    "psu": b.PsuEntry,
    "quote": kinds.MODELS["quote-state"],
    "riser": b.RiserEntry,
    "standard": kinds.MODELS["standard"],
    "storage": b.StorageEntry,
    "ups": b.UpsEntry,
    "waiver": kinds.MODELS["waiver-state"],
    "workload": b.Workload,
}
#: What a build may say of the model it trains or serves.
_OF_A_MODEL = set(b.Workload.model_fields) & {
    *kinds.MODELS["precision"].model_fields,
    *kinds.MODELS["optimizer"].model_fields,
    *("layers", "hidden_size", "heads", "kv_heads", "vocabulary", "precision", "optimizer"),
    *("batch", "context", "checkpointing", "flash_attention", "swap", "zero_stage"),
    *("tensor_cards", "pipeline_stages", "step_time"),
}
#: What a build or part may say but need not: never a missing datum.
OPTIONAL = {
    f"{kind}.{name}"
    for kind, entry, part in (
        ("gpu", b.GpuEntry, kinds.MODELS["gpu"]),
        ("psu", b.PsuEntry, kinds.MODELS["psu"]),
        ("storage", b.StorageEntry, kinds.MODELS["storage"]),
        ("riser", b.RiserEntry, kinds.MODELS["riser"]),
        ("addin", b.AddInEntry, kinds.MODELS["add-in-card"]),
        ("cable", b.CableEntry, kinds.MODELS["cable"]),
    )
    for name in set(entry.model_fields) - set(part.model_fields)
} | {
    # Counts of radiator places replace the lengths of walls.
    "case.radiators",
    "gpu.bundled_adapter",
    "gpu.cooling_among",
    "gpu.plug_exemption",
    "gpu.reference_power",
    "psu.rated_power_low_line",
    "psu.excursion_100us",
    "psu.excursion_1ms",
    "psu.excursion_10ms",
    "psu.excursion_100ms",
    "psu.high_excursion_100us",
    "psu.plain_excursion_100us",
    "psu.plain_excursion_1ms",
    "psu.plain_excursion_10ms",
    "psu.plain_excursion_100ms",
    "psu.plain_up_to",
    "psu.rated_temperature",
    "workload.cpu_share_on_the_fly",
    *(f"workload.{name}" for name in sorted(_OF_A_MODEL)),
    "module.likely_modules",
}
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
def field_of(name: str) -> str:
    """The name of a field without its kind."""
    return name.partition(".")[2]


def unit_of(name: str) -> str:
    """The base unit a fact is held in; empty for counts, truths and codes."""
    shape = shape_of(name)
    return units.BASE.get(shape, "") if isinstance(shape, tuple) else ""
