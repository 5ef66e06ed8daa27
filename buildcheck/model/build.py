"""What someone proposes: the build file as pydantic models.

An entry names a `part`, gives facts itself, or both; what it gives overrides what
the catalogue says. Settings (how many, which slots, which power limit) come with it.
"""

from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator, Field

from buildcheck.model import around, kinds
from buildcheck.model import values as v
from buildcheck.model.price import AnyPrice, Day, Quote
from buildcheck.model.price import Cost as Cash
from buildcheck.model.quantity import Interval
from buildcheck.model.strict import Fits, Strict, Whole, says

MOST = 64
_Number = Annotated[int, Whole(1, MOST)]


class One(Strict):
    """A line of the parts list of which a machine has one."""

    part: v.Code | None = says("name or id of a part in the catalogue")
    price: AnyPrice | None = says("price of one piece, such as 300 EUR")
    note: v.Code | None = says("a remark of yours, such as used")


class Entry(One):
    """A line of the parts list: which part, and how many of it."""

    count: _Number = Field(1, description="how many; one unless given")


def _slots(value: Any) -> Any:
    items = value if isinstance(value, list) else [value]
    if not all(isinstance(item, (int, str)) and not isinstance(item, bool) for item in items):
        raise ValueError("needs slot positions or labels, such as [1, 3]")
    if any(isinstance(item, int) and not 1 <= item <= kinds.MOST_OPENINGS for item in items):
        raise ValueError(f"needs positions from 1, nearest the CPU, to {kinds.MOST_OPENINGS}")
    return tuple(items)


_Positions = Annotated[tuple[int | str, ...], v.Reads(_slots, "list, such as [1, 3]")]


class GpuEntry(kinds.Gpu, Entry):
    """GPUs of one model, and how they are set up."""

    power_limit: v.Draw | None = says("sustained power limit set on each GPU")
    limit_at_boot: v.Truth | None = says("a boot unit sets the limit again after each start")
    clock_lock: v.Truth | None = says("the maximum clock is locked or the GPU undervolted")
    slots: _Positions | None = says("slot of each GPU, by position or label")
    riser: v.Truth | None = says("the GPUs are riser-mounted")
    psu: _Number | None = says("number of the PSU that powers these GPUs, from 1")
    power_cables: v.Number | None = says("PSU cables for each GPU; one for each plug unless given")
    cable: v.Code | None = says("connector of the cable plugged into the GPU")
    adapter: Annotated[v.Code, v.Ref("adapter")] | None = says("power adapter used on each GPU")
    angled_adapter: v.Truth | None = says(
        "an angled or third-party adapter sits in its 16-pin socket"
    )
    split_feed: v.Truth | None = says("the plugs of one GPU are powered by more than one PSU")
    vertical: v.Truth | None = says("the GPU is mounted vertically")


class CpuEntry(kinds.Cpu, Entry):
    """Processors."""


class MotherboardEntry(kinds.Motherboard, One):
    """The motherboard."""


class MemoryEntry(kinds.Memory, Entry):
    """Memory modules or kits."""


class PsuEntry(kinds.Psu, Entry):
    """PSUs of one model."""

    circuit: _Number | None = says("number of the wall circuit it is connected to, from 1")


class CaseEntry(kinds.Case, One):
    """The case."""


class CoolerEntry(kinds.Cooler, One):
    """The CPU cooler."""


class StorageEntry(kinds.Storage, Entry):
    """Drives of one model."""

    socket: v.Code | None = says("label of the M.2 socket a drive is in")


class RiserEntry(kinds.Riser, Entry):
    """Riser cables of one model."""

    psu: _Number | None = says("number of the PSU that powers these risers, from 1")
    chained: v.Truth | None = says("several of them are powered by one PSU cable")


class AddInEntry(kinds.AddInCard, Entry):
    """Cards that are no GPUs."""

    slots: _Positions | None = says("slot of each card, by position or label")


class CableEntry(kinds.Cable, Entry):
    """PSU cables of one kind."""

    psu: _Number | None = says("number of the PSU they belong to, from 1")


class UpsEntry(kinds.Ups, One):
    """The UPS between wall and machine."""

    other_load: v.Power | None = says("other load on the same UPS")


class BridgeEntry(kinds.NvlinkBridge, Entry):
    """NVLink bridges of one model."""

    cards: _Positions | None = says("the two GPUs it joins, counted from 1")


class Cooling(Strict):
    """How air and water go through the machine."""

    exhaust_fans: v.Count | None = says("fans that blow out of the case")
    airflow: v.Airflow | None = says("air through the case, all fans together")
    duct: v.Truth | None = says("a duct or blower kit for passive GPUs")
    board_fan: v.Truth | None = says("a fan blows on the motherboard under the GPUs")
    radiators: v.Radiators | None = says("radiators fitted, by size, such as {360 mm: 2}")
    fast_fans: v.Truth | None = says("radiator fans run fast, not quietly")


class Firmware(Strict):
    """How the firmware is set up."""

    above_4g: v.Truth | None = says("Above 4G decoding is on")
    resizable_bar: v.Truth | None = says("resizable BAR is on")
    csm: v.Truth | None = says("the compatibility support module is on")
    iommu: Annotated[v.Code, v.one_of("off", "passthrough", "on")] | None = says(
        "off, passthrough (iommu=pt) or on"
    )
    updated: v.Truth | None = says("the BIOS has the version the CPU needs")
    link_gen: v.Generation | None = says(
        "PCIe generation the slots are set to; automatic unless given"
    )


class Site(around.Country):
    """Where the machine will stand."""

    country: Annotated[v.Code, v.Ref("country")] | None = says("country, by its two letters")
    other_load: v.Power | None = says("other load on the same circuit")
    ambient: v.Temperature | None = says("room temperature under load")
    circuits: v.Few | None = says("circuits the PSUs are spread over; one unless given")
    same_earth: v.Truth | None = says("the circuits come from one panel and earth")
    room_cooling: v.Power | None = says("heat the room's air conditioning carries away")
    cord_current: v.Current | None = says("current the mains cord is rated for")


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

    kind: Annotated[v.Code, v.Ref("workload-kind")] | None = says(
        "training, inference, rendering or mining"
    )
    parallel: (
        Annotated[v.Code, v.one_of("none", "data", "tensor", "pipeline"), v.Ref("parallelism")]
        | None
    ) = says("how one job uses several GPUs: none, data, tensor or pipeline")
    preprocessing: Annotated[v.Code, v.one_of("ahead", "on-the-fly")] | None = says(
        "when data are prepared"
    )
    model_memory: v.Memory | None = says("GPU memory one job needs")
    parameters: v.Billions | None = says(
        "parameters of the model, such as 7B; a plain number is in billions"
    )
    layers: v.Number | None = says("layers of the model")
    hidden_size: v.Width | None = says("width of its layers")
    heads: Annotated[v.Number, Fits("hidden_size", wrong_heads)] | None = says(
        "attention heads of a layer"
    )
    kv_heads: Annotated[v.Number, Fits("heads", wrong_kv_heads)] | None = says(
        "heads with keys and values of their own"
    )
    vocabulary: v.Width | None = says("entries of its vocabulary")
    precision: Annotated[v.Code, v.Ref("precision")] | None = says(
        "number format of the weights: fp32, fp16, bf16, int8 or int4"
    )
    optimizer: Annotated[v.Code, v.Ref("optimizer")] | None = says(
        "how weights are updated: adam, adam-8bit, sgd or sgd-momentum"
    )
    method: Annotated[v.Code, v.one_of("full", "lora", "qlora")] | None = says(
        "what is trained: full (all weights), lora (adapters) or qlora (adapters"
        " with 4-bit weights)"
    )
    lora_rank: v.Number | None = says("rank of the adapters, such as 16")
    batch: v.Number | None = says("sequences that a GPU works on at once")
    context: v.Width | None = says("tokens of a sequence, the answer included")
    checkpointing: v.Truth | None = says(
        "activations are computed again instead of kept (gradient checkpointing)"
    )
    flash_attention: v.Truth | None = says("attention scores are never stored (fused attention)")
    offload: v.Truth | None = says("optimizer state is kept in host memory (ZeRO offload)")
    step_time: v.Duration | None = says("time of one training step on one GPU alone, such as 0.3 s")
    swap: v.Truth | None = says("layers wait in host memory and are copied to the GPUs one by one")
    zero_stage: v.Stage | None = says(
        "what ZeRO shares out: 1 optimizer state, 2 gradients too, 3 weights too"
    )
    tensor_cards: v.Number | None = says(
        "GPUs that share each layer; all of them with parallel tensor"
    )
    pipeline_stages: v.Number | None = says(
        "groups of layers on GPUs of their own; with pipeline, one for each GPU"
    )
    checkpoint: v.Memory | None = says("largest checkpoint that is loaded")
    continuous: v.Truth | None = says("it runs day and night")
    use: v.Share | None = says("share of the year it works, such as 15 %")
    peer_to_peer: v.Truth | None = says("it relies on copies straight from GPU to GPU")
    display: v.Truth | None = says("a display is connected to one of the GPUs")


class Network(Strict):
    """How the machine talks to others."""

    between_machines: v.Rate | None = says("link between machines of one job")
    machines: v.Number | None = says("machines that work on one job")


class Cost(around.CloudInstance):
    """What the machine costs, and what would be rented in its place."""

    machine: Cash | None = says("price of the whole machine; the sum of the parts unless given")
    years: v.Years | None = says("years the machine is owned")
    wall_power: v.Draw | None = says(
        "power from the wall at work, if measured; calculated unless given"
    )
    cloud: Annotated[v.Code, v.Ref("cloud-instance")] | None = says(
        "machine rented by the hour that is compared with this one"
    )
    instances: v.Number | None = says(
        "rented machines that do the work of this one; one unless given"
    )


class Waiver(Strict):
    """Findings that are accepted, each with the reason and the last day."""

    rule: v.Code = Field(description="id of the rule, such as cooling/open-air-sandwich")
    subject: v.Code = Field(description="what the finding is about, such as gpus[1]")
    because: v.Code = Field(description="why it is accepted")
    until: Day = Field(description="last day on which it is accepted")


def _listed(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


_Item = TypeVar("_Item")
#: A section with any number of entries.
Some = Annotated[tuple[_Item, ...], BeforeValidator(_listed)]


#: What people call an adapter that starts several PSUs together.
_SYNC_ADAPTERS = (
    *("add2psu", "dual psu adapter", "dual psu cable", "multi psu adapter", "24-pin adapter"),
    *("24-pin splitter", "sync adapter", "sync board", "relay", "adapter board", "psu adapter"),
)
PsuSync = Annotated[
    v.Code,
    v.one_of(
        *("adapter", "board", "backplane", "none"), also=dict.fromkeys(_SYNC_ADAPTERS, "adapter")
    ),
]


class Build(Strict):
    """A whole build file."""

    name: v.Code | None = says("what the build is called")
    gpus: Some[GpuEntry] = ()
    cpu: CpuEntry | None = None
    motherboard: MotherboardEntry | None = None
    cpu_cooler: CoolerEntry | None = None
    memory: Some[MemoryEntry] = ()
    psus: Some[PsuEntry] = ()
    psu_sync: PsuSync | None = says("what switches several PSUs on together")
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
#: Kinds whose subjects have another name, as rules need one without a hyphen.
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
