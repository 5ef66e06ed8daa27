"""What can be known about each kind of part: one model per kind, one field per fact.

The same models read part files, inline parts and overrides in a build file, and
declare the `field` facts rules ask for; `around` has the same for what is around
the parts. Every field is optional, because what is not known is left out. A `Ref`
names another part whose facts fill the gaps: a card its chip, a chip its
architecture, a supply its standard.
"""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from buildcheck.model import around
from buildcheck.model import values as v
from buildcheck.model.around import Facts
from buildcheck.model.around import says as _says

COOLING = ("blower", "open-air", "flow-through", "hybrid", "water", "passive")


class Slot(Facts):
    """One expansion slot of a motherboard, or its absence of a known place."""

    label: v.Code
    position: int | None = Field(
        None,
        ge=1,
        le=20,
        strict=True,
        description="1 is the bracket opening nearest the CPU; absent if not known",
    )
    mechanical: int = Field(
        ge=1, le=16, strict=True, description="length of the connector in lanes"
    )
    lanes: v.Lanes | None = _says("most electrical lanes")
    gen: v.Generation | None = _says("PCIe generation")
    owner: Annotated[v.Code, v.one_of("cpu", "cpu2", "chipset", "switch")] | None = _says(
        "where the lanes come from"
    )


class LaneMode(Facts):
    """How slot widths change when certain slots are populated."""

    populate: tuple[str, ...] = Field(description="labels of the occupied slots")
    lanes: v.Counts = Field(description="lanes per slot label in that case")


def _listed(value: Any) -> Any:
    if not isinstance(value, list | tuple):
        raise ValueError("needs a list, such as [{label: A, mechanical: 16}]")  # noqa: TRY004
    return tuple(value)


Slots = Annotated[tuple[Slot, ...], BeforeValidator(_listed)]
Modes = Annotated[tuple[LaneMode, ...], BeforeValidator(_listed)]


class GpuArchitecture(Facts):
    """What cards of one architecture share for want of better data on each."""

    excursion_100us: v.Ratio | None = _says("peak over 100 µs as a multiple of board power")
    excursion_1ms: v.Ratio | None = _says("peak over 1 ms as a multiple of board power")
    excursion_10ms: v.Ratio | None = _says("peak over 10 ms as a multiple of board power")
    excursion_100ms: v.Ratio | None = _says("peak over 100 ms as a multiple of board power")
    slot_draw: v.Power | None = _says("12 V power drawn through the slot")
    speed_at_limit: v.Curve | None = _says(
        "training speed against power limit, both as shares of full"
    )
    idle_power: v.Power | None = _says("power while idle")


class Gpu(GpuArchitecture):
    """A graphics card or accelerator; a generic name holds ranges over its cards."""

    chip: Annotated[v.Code, v.Ref("gpu")] | None = _says("the chip's own entry")
    architecture: Annotated[v.Code, v.Ref("gpu-architecture")] | None = _says(
        "what the architecture shares"
    )
    memory: v.Memory | None = _says("memory on the card")
    board_power: v.Draw | None = _says("default sustained power limit of this card")
    reference_power: v.Draw | None = _says("board power of the chip's reference card")
    power_limit_min: v.Draw | None = _says("lowest power limit the card accepts")
    power_limit_max: v.Draw | None = _says("highest power limit the card accepts")
    thickness: v.Thickness | None = _says("thickness in slots or mm, cooler included")
    length: v.Length | None = _says("length of the card")
    height: v.Length | None = _says("height above the slot bracket edge")
    cooling: Annotated[v.Code, v.one_of(*COOLING)] | None = _says(
        "kind of cooler: " + ", ".join(COOLING)
    )
    cooling_among: v.Codes | None = _says("kinds of cooler found on cards of this chip")
    plugs: v.Counts | None = _says("power sockets on the card by connector")
    plug_exemption: v.Truth | None = _says("the maker sells it above the rating of its plugs")
    bundled_adapter: Annotated[v.Code, v.Ref("adapter")] | None = _says(
        "power adapter that comes with the card"
    )
    recommended_psu: v.Draw | None = _says("supply the maker asks for in a one-card machine")
    pcie_gen: v.Number | None = _says("PCIe generation of the card")
    pcie_lanes: v.Number | None = _says("PCIe lanes wired on the card")
    peer_to_peer: v.Truth | None = _says("peer-to-peer copies over PCIe with the stock driver")


class Platform(Facts):
    """What every CPU of one socket and generation shares."""

    socket: v.Code | None = _says("CPU socket")
    pcie_lanes: v.Count | None = _says("CPU lanes free for slots and M.2, chipset link excluded")
    pcie_gen: v.Number | None = _says("PCIe generation of the CPU lanes")
    memory_channels: v.Number | None = _says("memory channels")
    memory_modules: v.Codes | None = _says("kinds of module supported: udimm, rdimm, lrdimm")
    memory_generations: v.Codes | None = _says("memory generations, such as DDR4")


class Cpu(Platform):
    """A processor."""

    platform: Annotated[v.Code, v.Ref("platform")] | None = _says("what its platform shares")
    cores: v.Number | None = _says("cores")
    threads: v.Number | None = _says("hardware threads")
    base_power: v.Draw | None = _says("sustained package power (TDP, processor base power)")
    turbo_power: v.Draw | None = _says("most package power held for seconds (PPT, PL2, MTP)")
    integrated_graphics: v.Truth | None = _says("has a display output of its own")


class Allowance(Facts):
    """Power booked for parts that carry no figure of their own."""

    typical_power: v.Power | None = _says("power at work")
    max_power: v.Power | None = _says("most power for seconds")


class Motherboard(Allowance):
    """A motherboard."""

    power_class: Annotated[v.Code, v.Ref("allowance")] | None = _says(
        "power booked for such a board"
    )
    socket: v.Code | None = _says("CPU socket")
    cpu_sockets: v.Number | None = _says("number of CPU sockets")
    chipset: v.Code | None = _says("chipset")
    form_factor: v.Code | None = _says("form factor, such as ATX or SSI EEB")
    memory_generation: v.Code | None = _says("memory generation, such as DDR4")
    memory_modules: v.Codes | None = _says("kinds of module accepted: udimm, rdimm, lrdimm")
    memory_slots: v.Number | None = _says("memory slots")
    memory_max: v.Memory | None = _says("most memory supported")
    plugs: v.Counts | None = _says("power sockets that must be fed, by connector")
    slot_power_plugs: v.Counts | None = _says("extra power sockets for the slots, by connector")
    bios_note: v.Code | None = _says("what the firmware needs for many cards")
    slots: Slots | None = _says("expansion slots")
    lane_modes: Modes | None = _says("slot widths by populated slots")


class MemoryKind(Allowance):
    """A kind of memory module; powers are per module."""

    generation: v.Code | None = _says("memory generation, such as DDR4")
    registered: v.Truth | None = _says("registered (RDIMM, LRDIMM) or not")
    module_kind: Annotated[v.Code, v.one_of("udimm", "rdimm", "lrdimm")] | None = _says(
        "kind of module"
    )


class Memory(MemoryKind):
    """Memory modules or a kit of them."""

    type: Annotated[v.Code, v.Ref("memory-kind")] | None = _says("such as DDR4 or DDR5 RDIMM")
    total: v.Memory | None = _says("all memory of this entry")
    module: v.Memory | None = _says("size of one module")
    likely_modules: v.Number | None = _says(
        "modules booked for power when their number is not known"
    )
    kit_modules: v.Number | None = _says("modules in one kit")
    ecc: v.Truth | None = _says("error correcting")


class PsuStandard(Facts):
    """What a power supply standard asks of every unit built to it."""

    excursion_100us: v.Ratio | None = _says("load survived for 100 µs as a multiple of rated power")
    excursion_1ms: v.Ratio | None = _says("load survived for 1 ms as a multiple of rated power")
    excursion_10ms: v.Ratio | None = _says("load survived for 10 ms as a multiple of rated power")
    excursion_100ms: v.Ratio | None = _says("load survived for 100 ms as a multiple of rated power")
    low_line_cap: v.Draw | None = _says("output assumed at 100 to 127 V when the sheet is silent")


class Efficiency(Facts):
    """An efficiency grade: share of input that reaches the output, by load share."""

    efficiency_low_line: v.ShareCurve | None = _says("efficiency against load share at 115 V")
    efficiency_high_line: v.ShareCurve | None = _says("efficiency against load share at 230 V")


class Psu(PsuStandard, Efficiency):
    """A power supply."""

    standard: Annotated[v.Code, v.Ref("psu-standard")] | None = _says(
        "ATX 2.x, ATX 3.0, ATX 3.1 or server"
    )
    efficiency: Annotated[v.Code, v.Ref("efficiency")] | None = _says(
        "efficiency grade, such as 80 PLUS Gold"
    )
    rated_power: v.Draw | None = _says("continuous output")
    rated_power_low_line: v.Draw | None = _says("continuous output at 100 to 127 V")
    input_voltage_min: v.Voltage | None = _says("lowest nominal mains voltage it runs on")
    plugs: v.Counts | None = _says("outputs by connector, each on a cable of its own")
    length: v.Length | None = _says("depth of the housing")
    form_factor: v.Code | None = _says("such as ATX or SFX-L")


class Case(Facts):
    """A case, chassis or open frame."""

    kind: (
        Annotated[
            v.Code, v.one_of("tower", "desktop", "cube", "2U", "3U", "4U", "5U", "open frame")
        ]
        | None
    ) = _says("kind of enclosure")
    expansion_slots: v.Number | None = _says("bracket openings")
    card_length_max: v.Length | None = _says("longest card that fits")
    cooler_height_max: v.Length | None = _says("tallest CPU cooler that fits")
    board_form_factors: v.Codes | None = _says("motherboard form factors it takes")
    psu_form_factors: v.Codes | None = _says("supply form factors it takes")
    psu_length_max: v.Length | None = _says("longest supply that fits")
    ducted: v.Truth | None = _says("fans push air through the cards, as in a GPU server")


class Cooler(Allowance):
    """A CPU cooler."""

    power_class: Annotated[v.Code, v.Ref("allowance")] | None = _says(
        "power booked for such a cooler"
    )
    kind: Annotated[v.Code, v.one_of("air", "liquid")] | None = _says("air or liquid")
    height: v.Length | None = _says("height above the CPU")
    sockets: v.Codes | None = _says("CPU sockets it mounts on")


class Storage(Allowance):
    """A drive."""

    interface: Annotated[v.Code, v.Ref("storage-interface")] | None = _says(
        "such as NVMe Gen4 or SATA HDD"
    )
    capacity: v.Memory | None = _says("capacity")
    pcie_lanes: v.Count | None = _says("CPU or chipset lanes it uses")


class StorageInterface(Allowance):
    """What drives of one interface share."""

    pcie_lanes: v.Count | None = _says("lanes one drive uses")


class Riser(Facts):
    """A riser cable or card."""

    gen: v.Number | None = _says("PCIe generation it is made for")
    lanes: v.Number | None = _says("lanes it carries")
    length: v.Length | None = _says("length")


KINDS: dict[str, type[Facts]] = {
    "adapter": around.Adapter,
    "allowance": Allowance,
    "case": Case,
    "connector": around.Connector,
    "cooler": Cooler,
    "country": around.Country,
    "cpu": Cpu,
    "efficiency": Efficiency,
    "gpu": Gpu,
    "gpu-architecture": GpuArchitecture,
    "memory": Memory,
    "memory-kind": MemoryKind,
    "motherboard": Motherboard,
    "outlet": around.Outlet,
    "platform": Platform,
    "psu": Psu,
    "psu-standard": PsuStandard,
    "riser": Riser,
    "standard": around.Standard,
    "storage": Storage,
    "storage-interface": StorageInterface,
    "workload-kind": around.WorkloadKind,
}
