"""What someone proposes: the build file as pydantic models.

An entry names a `part`, gives facts itself, or both; what it gives overrides what
the catalogue says. Settings (how many, which slots, which power limit) stand beside.
"""

from typing import Annotated, Any, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
)

from buildcheck.model import around, kinds
from buildcheck.model import values as v
from buildcheck.model.price import AnyPrice, Day, Quote
from buildcheck.model.price import Cost as Cash
from buildcheck.model.quantity import Interval

MOST = 64


class One(BaseModel):
    """A line of the parts list of which a machine has one."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    part: v.Code | None = Field(None, description="name or id of a part in the catalogue")
    price: AnyPrice | None = Field(None, description="price of one piece, such as 300 EUR")


class Entry(One):
    """A line of the parts list: which part, and how many of it."""

    count: Annotated[int, Field(strict=True, ge=1, le=MOST)] = 1


def _slots(value: Any) -> Any:
    items = value if isinstance(value, list) else [value]
    if not all(isinstance(item, (int, str)) and not isinstance(item, bool) for item in items):
        raise ValueError("needs slot positions or labels, such as [1, 3]")
    if any(isinstance(item, int) and not 1 <= item <= kinds.MOST_OPENINGS for item in items):
        raise ValueError(f"needs positions from 1, nearest the CPU, to {kinds.MOST_OPENINGS}")
    return tuple(items)


class GpuEntry(kinds.Gpu, Entry):
    """Graphics cards of one model, and how they are set up."""

    power_limit: v.Draw | None = Field(None, description="sustained power limit set on each card")
    limit_at_boot: v.Truth | None = Field(
        None, description="a boot unit sets the limit again after each start"
    )
    clock_lock: v.Truth | None = Field(
        None, description="the maximum clock is locked or the card undervolted"
    )
    slots: Annotated[tuple[int | str, ...], v.Reads(_slots)] | None = Field(
        None, description="slot of each card, by position or label"
    )
    riser: v.Truth | None = Field(None, description="the cards hang on riser cables")
    psu: Annotated[int, Field(strict=True, ge=1, le=MOST)] | None = Field(
        None, description="number of the supply that feeds these cards, from 1"
    )
    power_cables: v.Number | None = Field(
        None, description="supply cables used per card; one per plug unless given"
    )
    cable: v.Code | None = Field(None, description="connector of the cable plugged into the card")
    adapter: Annotated[v.Code, v.Ref("adapter")] | None = Field(
        None, description="power adapter used on each card"
    )
    angled_adapter: v.Truth | None = Field(
        None, description="an angled or third-party adapter sits in its 16-pin socket"
    )
    split_feed: v.Truth | None = Field(
        None, description="the plugs of one card hang on more than one supply"
    )
    vertical: v.Truth | None = Field(None, description="the card stands in a vertical bracket")


class CpuEntry(kinds.Cpu, Entry):
    """Processors."""


class MotherboardEntry(kinds.Motherboard, One):
    """The motherboard."""


class MemoryEntry(kinds.Memory, Entry):
    """Memory modules or kits."""


class PsuEntry(kinds.Psu, Entry):
    """Power supplies of one model."""

    circuit: Annotated[int, Field(strict=True, ge=1, le=MOST)] | None = Field(
        None, description="number of the wall circuit it hangs on, from 1"
    )


class CaseEntry(kinds.Case, One):
    """The case."""


class CoolerEntry(kinds.Cooler, One):
    """The CPU cooler."""


class StorageEntry(kinds.Storage, Entry):
    """Drives of one model."""

    socket: v.Code | None = Field(None, description="label of the M.2 socket a drive is in")


class RiserEntry(kinds.Riser, Entry):
    """Riser cables of one model."""

    psu: Annotated[int, Field(strict=True, ge=1, le=MOST)] | None = Field(
        None, description="number of the supply that feeds these risers, from 1"
    )
    chained: v.Truth | None = Field(None, description="several of them hang on one supply cable")


class AddInEntry(kinds.AddInCard, Entry):
    """Cards that are no GPUs."""

    slots: Annotated[tuple[int | str, ...], v.Reads(_slots)] | None = Field(
        None, description="slot of each card, by position or label"
    )


class CableEntry(kinds.Cable, Entry):
    """Supply cables of one kind."""

    psu: Annotated[int, Field(strict=True, ge=1, le=MOST)] | None = Field(
        None, description="number of the supply they hang on, from 1"
    )


class UpsEntry(kinds.Ups, One):
    """The uninterruptible supply between wall and machine."""

    other_load: v.Power | None = Field(None, description="other load on the same UPS")


class BridgeEntry(kinds.NvlinkBridge, Entry):
    """NVLink bridges of one model."""

    cards: Annotated[tuple[int | str, ...], v.Reads(_slots)] | None = Field(
        None, description="the two cards it joins, counted from 1"
    )


class Cooling(BaseModel):
    """How air and water go through the machine."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    exhaust_fans: v.Count | None = Field(None, description="fans that blow out of the case")
    airflow: v.Airflow | None = Field(None, description="air through the case, all fans together")
    duct: v.Truth | None = Field(None, description="a duct or blower kit for passive cards")
    board_fan: v.Truth | None = Field(None, description="a fan blows on the board under the cards")
    radiators: v.Radiators | None = Field(
        None, description="radiators fitted, by size, such as {360 mm: 2}"
    )
    fast_fans: v.Truth | None = Field(None, description="radiator fans run fast, not quietly")


class Firmware(BaseModel):
    """How the firmware is set up."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    above_4g: v.Truth | None = Field(None, description="Above 4G decoding is on")
    resizable_bar: v.Truth | None = Field(None, description="resizable BAR is on")
    csm: v.Truth | None = Field(None, description="the compatibility support module is on")
    iommu: Annotated[v.Code, v.one_of("off", "passthrough", "on")] | None = Field(
        None, description="off, passthrough (iommu=pt) or on"
    )
    updated: v.Truth | None = Field(None, description="the BIOS has the version the CPU needs")
    link_gen: v.Generation | None = Field(
        None, description="PCIe generation the slots are set to; automatic unless given"
    )


class Site(around.Country):
    """Where the machine will stand."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    country: Annotated[v.Code, v.Ref("country")] | None = Field(
        None, description="country, by its two letters"
    )
    other_load: v.Power | None = Field(None, description="other load on the same circuit")
    ambient: v.Temperature | None = Field(None, description="room temperature under load")
    circuits: v.Few | None = Field(
        None, description="circuits the supplies are spread over; one unless given"
    )
    same_earth: v.Truth | None = Field(
        None, description="the circuits come from one panel and earth"
    )
    room_cooling: v.Power | None = Field(
        None, description="heat the room's air conditioning carries away"
    )
    cord_current: v.Current | None = Field(None, description="current the mains cord is rated for")


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


class Workload(around.WorkloadKind, around.Parallelism, around.Precision, around.Optimizer):
    """What the machine is for."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    kind: Annotated[v.Code, v.Ref("workload-kind")] | None = Field(
        None, description="training, inference, rendering or mining"
    )
    parallel: (
        Annotated[v.Code, v.one_of("none", "data", "tensor", "pipeline"), v.Ref("parallelism")]
        | None
    ) = Field(None, description="how one job uses several cards: none, data, tensor or pipeline")
    preprocessing: Annotated[v.Code, v.one_of("ahead", "on-the-fly")] | None = Field(
        None, description="when data are prepared"
    )
    model_memory: v.Memory | None = Field(None, description="GPU memory one job needs")
    parameters: v.Billions | None = Field(
        None, description="parameters of the model, such as 7B; a plain number is in billions"
    )
    layers: v.Number | None = Field(None, description="layers of the model")
    hidden_size: v.Width | None = Field(None, description="width of its layers")
    heads: v.Number | None = Field(None, description="attention heads of a layer")
    kv_heads: v.Number | None = Field(None, description="heads with keys and values of their own")
    vocabulary: v.Width | None = Field(None, description="entries of its vocabulary")
    precision: Annotated[v.Code, v.Ref("precision")] | None = Field(
        None, description="number format of the weights: fp32, fp16, bf16, int8 or int4"
    )
    optimizer: Annotated[v.Code, v.Ref("optimizer")] | None = Field(
        None, description="how weights are updated: adam, adam-8bit, sgd or sgd-momentum"
    )
    method: Annotated[v.Code, v.one_of("full", "lora", "qlora")] | None = Field(
        None,
        description="what is trained: full (all weights), lora (adapters) or qlora (adapters"
        " beside weights of 4 bit)",
    )
    lora_rank: v.Number | None = Field(None, description="rank of the adapters, such as 16")
    batch: v.Number | None = Field(None, description="sequences that a card works on at once")
    context: v.Width | None = Field(None, description="tokens of a sequence, the answer included")
    checkpointing: v.Truth | None = Field(
        None, description="activations are computed again instead of kept (gradient checkpointing)"
    )
    flash_attention: v.Truth | None = Field(
        None, description="attention scores are never stored (fused attention)"
    )
    offload: v.Truth | None = Field(
        None, description="optimizer state is kept in host memory (ZeRO offload)"
    )
    step_time: v.Duration | None = Field(
        None, description="time of one training step on one card alone, such as 0.3 s"
    )
    swap: v.Truth | None = Field(
        None, description="layers wait in host memory and are copied to the cards one by one"
    )
    zero_stage: v.Stage | None = Field(
        None, description="what ZeRO shares out: 1 optimizer state, 2 gradients too, 3 weights too"
    )
    tensor_cards: v.Number | None = Field(
        None, description="cards that share each layer; all of them with parallel tensor"
    )
    pipeline_stages: v.Number | None = Field(
        None, description="groups of layers on cards of their own; as many as cards with pipeline"
    )
    checkpoint: v.Memory | None = Field(None, description="largest checkpoint that is loaded")
    continuous: v.Truth | None = Field(None, description="it runs day and night")
    use: v.Share | None = Field(None, description="share of the year it works, such as 15 %")
    peer_to_peer: v.Truth | None = Field(
        None, description="it relies on copies straight from card to card"
    )
    display: v.Truth | None = Field(None, description="a display hangs on one of the cards")

    @field_validator("heads")
    @classmethod
    def _divides_width(cls, heads: Interval | None, info: ValidationInfo) -> Interval | None:
        wrong = wrong_heads(info.data.get("hidden_size"), heads)
        if wrong:
            raise ValueError(wrong)
        return heads

    @field_validator("kv_heads")
    @classmethod
    def _divides_heads(cls, own: Interval | None, info: ValidationInfo) -> Interval | None:
        wrong = wrong_kv_heads(info.data.get("heads"), own)
        if wrong:
            raise ValueError(wrong)
        return own


class Network(BaseModel):
    """How the machine talks to others."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    between_machines: v.Rate | None = Field(None, description="link between machines of one job")
    machines: v.Number | None = Field(None, description="machines that work on one job")


class Cost(around.CloudInstance):
    """What the machine costs, and what would be rented in its place."""

    machine: Cash | None = Field(
        None, description="price of the whole machine; the sum of the parts unless given"
    )
    years: v.Years | None = Field(None, description="years the machine is owned")
    wall_power: v.Draw | None = Field(
        None, description="power from the wall at work, if measured; reckoned unless given"
    )
    cloud: Annotated[v.Code, v.Ref("cloud-instance")] | None = Field(
        None, description="machine rented by the hour that is compared with this one"
    )
    instances: v.Number | None = Field(
        None, description="rented machines that do the work of this one; one unless given"
    )


class Waiver(BaseModel):
    """A finding someone accepts: which, for what, why and until when."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    rule: v.Code
    subject: v.Code
    because: v.Code
    until: Day


def _listed(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


_Item = TypeVar("_Item")
#: A section with any number of entries.
Some = Annotated[tuple[_Item, ...], BeforeValidator(_listed)]


class Build(BaseModel):
    """A whole build file."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    name: v.Code | None = None
    gpus: Some[GpuEntry] = ()
    cpu: CpuEntry | None = None
    motherboard: MotherboardEntry | None = None
    cpu_cooler: CoolerEntry | None = None
    memory: Some[MemoryEntry] = ()
    psus: Some[PsuEntry] = ()
    psu_sync: Annotated[v.Code, v.one_of("adapter", "board", "backplane", "none")] | None = None
    case: CaseEntry | None = None
    storage: Some[StorageEntry] = ()
    risers: Some[RiserEntry] = ()
    add_in_cards: Some[AddInEntry] = ()
    cables: Some[CableEntry] = ()
    nvlink: Some[BridgeEntry] = ()
    ups: UpsEntry | None = None
    cooling: Cooling | None = None
    firmware: Firmware | None = None
    site: Site | None = None
    workload: Workload | None = None
    network: Network | None = None
    cost: Cost | None = None
    quotes: Some[Quote] = ()
    waivers: Some[Waiver] = ()


#: Sections that hold several entries, and those that hold one.
LISTS = (
    *("gpus", "memory", "psus", "storage", "risers", "add_in_cards", "cables", "nvlink"),
    "waivers",
)
SINGLES = ("cpu", "motherboard", "cpu_cooler", "case", "ups")
#: Sections that name no part.
NO_PARTS = ("site", "workload", "network", "cooling", "firmware", "cost", "quotes", "waivers")
#: Kinds whose subjects go by another word: one that can stand in a rule.
SUBJECT_KIND = {"add-in-card": "addin", "nvlink-bridge": "bridge"}
#: The part kind behind each section.
SECTION_KIND = {
    "gpus": "gpu",
    "cpu": "cpu",
    "motherboard": "motherboard",
    "cpu_cooler": "cooler",
    "memory": "memory",
    "psus": "psu",
    "case": "case",
    "storage": "storage",
    "risers": "riser",
    "add_in_cards": "add-in-card",
    "cables": "cable",
    "nvlink": "nvlink-bridge",
    "ups": "ups",
}
