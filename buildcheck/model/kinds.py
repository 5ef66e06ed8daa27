"""What can be known about each kind of part: one model per kind, one field per fact.

The same models read part files, inline parts and overrides in a build file, and declare the
`field` facts that rules ask for; `around` has the models of what surrounds the parts. Every field
is optional. A `Ref` names a part whose facts fill gaps: a GPU's chip, a chip's architecture, a
PSU's standard.
"""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from buildcheck.model import around
from buildcheck.model import values as v
from buildcheck.model.strict import Strict, Whole, says

#: More expansion slots than any chassis has.
MOST_OPENINGS = 20
#: Forms of memory module, which fit each other's slots in no generation.
MODULE_FORMS = ("DIMM", "SO-DIMM", "CAMM2")
#: What a drive and its socket speak.
NVME, SATA = "NVMe", "SATA"
COOLING = ("blower", "open-air", "flow-through", "hybrid", "water", "passive")


class Slot(Strict):
    """One expansion slot of a motherboard, or its absence of a known place."""

    label: v.Code = Field(description="name printed on the motherboard")
    position: Annotated[int, Whole(1, MOST_OPENINGS)] | None = says(
        "1 is the expansion slot nearest the CPU; absent if not known"
    )
    mechanical: Annotated[int, Whole(1, 16)] = Field(description="length of the connector in lanes")
    lanes: v.Lanes | None = says("most electrical lanes")
    gen: v.Generation | None = says("PCIe generation")
    owner: Annotated[v.Code, v.one_of("cpu", "cpu2", "chipset", "switch")] | None = says(
        "where the lanes come from"
    )
    switch: v.Code | None = says("label of the PCIe switch it is connected to")
    open_ended: v.Truth | None = says("takes a card with a longer edge")
    bifurcation: v.Codes | None = says("ways it can be split, such as x8/x8 or x4/x4/x4/x4")


class LaneMode(Strict):
    """Lanes per slot when certain slots are populated, for CPUs with that number of lanes."""

    populate: tuple[str, ...] = Field(description="labels of the occupied slots")
    lanes: v.Counts = Field(description="lanes per slot label in that case")
    cpu_lanes: v.Count | None = says("lanes a CPU must have for it, least and most")


class M2(Strict):
    """One M.2 socket of a motherboard, and what a drive in it takes from slots and ports."""

    label: v.Code = Field(description="name printed on the motherboard")
    lanes: v.Lanes | None = says("lanes of the socket")
    gen: v.Generation | None = says("PCIe generation")
    owner: Annotated[v.Code, v.one_of("cpu", "cpu2", "chipset")] | None = says(
        "where the lanes come from"
    )
    protocols: Annotated[v.Codes, v.some_of(NVME, SATA)] | None = says(
        "what a drive in it may speak: NVMe, SATA; a list has all of them"
    )
    cpu_lanes: v.Count | None = says("lanes a CPU must have for it to work, least and most")
    slot_lanes: v.Counts | None = says("lanes left to slots, by label, while a drive is in it")
    sata_lost: v.Count | None = says("SATA ports that stop working while a drive is in it")


class Switch(Strict):
    """A PCIe switch on a motherboard."""

    label: v.Code = Field(description="name by which slots refer to it")
    uplink: v.Lanes | None = says("lanes to the CPU")
    gen: v.Generation | None = says("PCIe generation of the uplink")


def _listed(value: Any) -> Any:
    if not isinstance(value, list | tuple):
        raise ValueError("needs a list, such as [{label: A, mechanical: 16}]")
    return tuple(value)


Slots = Annotated[tuple[Slot, ...], BeforeValidator(_listed)]
Modes = Annotated[tuple[LaneMode, ...], BeforeValidator(_listed)]
Sockets = Annotated[tuple[M2, ...], BeforeValidator(_listed)]
Switches = Annotated[tuple[Switch, ...], BeforeValidator(_listed)]


class GpuArchitecture(Strict):
    """What GPUs of one architecture share where no better data are known."""

    excursion_100us: v.Ratio | None = says("peak over 100 µs as a multiple of board power")
    excursion_1ms: v.Ratio | None = says("peak over 1 ms as a multiple of board power")
    excursion_10ms: v.Ratio | None = says("peak over 10 ms as a multiple of board power")
    excursion_100ms: v.Ratio | None = says("peak over 100 ms as a multiple of board power")
    slot_draw: v.Power | None = says("12 V power drawn through the slot")
    speed_at_limit: v.Curve | None = says(
        "training speed against power limit, both as shares of full"
    )
    idle_power: v.Power | None = says("power while idle")
    limit_floor_share: v.Ratio | None = says(
        "lowest power limit as a share of board power, where that of the GPU is not known"
    )
    resizable_bar: v.Truth | None = says("maps all its memory into the address space")
    throttle_temperature: v.ChipTemperature | None = says("chip temperature at which it slows down")


class GpuCooling(Strict):
    """What coolers of one kind share."""

    exhaust_share: v.Ratio | None = says("share of the heat that leaves at the bracket")
    neighbour_heat: v.Temperature | None = says("how much a 300 W GPU right below warms its intake")
    neighbour_reach: v.Length | None = says("gap over which that falls to a third")
    thermal_resistance: v.Small | None = says("kelvin per watt from intake air to chip")
    needs_radiator: v.Truth | None = says("its heat leaves through a radiator in the case")


class Gpu(GpuArchitecture, GpuCooling, around.TensorUnits):
    """A GPU for a slot; a generic name holds ranges over all models of the chip."""

    chip: Annotated[v.Code, v.Ref("gpu")] | None = says("the chip's own entry")
    architecture: Annotated[v.Code, v.Ref("gpu-architecture")] | None = says(
        "what the architecture shares"
    )
    tensor_units: Annotated[v.Code, v.Ref("tensor-units")] | None = says(
        "its units for products of matrices"
    )
    memory: v.Memory | None = says("memory on the GPU")
    fp32_rate: v.Arithmetic | None = says(
        "peak single-precision rate of the reference model at boost clock, tensor units left out"
    )
    memory_bandwidth: v.Rate | None = says("bandwidth of the memory on the GPU")
    board_power: v.Draw | None = says("default sustained power limit of this GPU")
    reference_power: v.Draw | None = says("board power of the chip's reference model")
    power_limit_min: v.Draw | None = says("lowest power limit the GPU accepts")
    power_limit_max: v.Draw | None = says("highest power limit the GPU accepts")
    thickness: v.Thickness | None = says("thickness in slots or mm, cooler included")
    length: v.Length | None = says("length of the GPU")
    height: v.Length | None = says("height above the slot bracket edge")
    cooling: Annotated[v.Code, v.one_of(*COOLING), v.Ref("gpu-cooling")] | None = says(
        "kind of cooler: " + ", ".join(COOLING)
    )
    cooling_among: v.Codes | None = says("kinds of cooler found on GPUs of this chip")
    radiator: v.Radiator | None = says("size of the radiator that comes with it, such as 240 mm")
    plugs: v.Counts | None = says("power sockets on the GPU, by connector")
    plug_exemption: v.Truth | None = says("the maker sells it above the rating of its plugs")
    bundled_adapter: Annotated[v.Code, v.Ref("adapter")] | None = says(
        "power adapter that comes with the GPU"
    )
    recommended_psu: v.Draw | None = says("PSU the maker recommends for one GPU")
    pcie_gen: v.Number | None = says("PCIe generation of the GPU")
    pcie_lanes: v.Number | None = says("PCIe lanes wired on the GPU")
    peer_to_peer: v.Truth | None = says("peer-to-peer copies over PCIe with the stock driver")
    segment: Annotated[v.Code, v.one_of("consumer", "professional", "data-centre")] | None = says(
        "consumer, professional or data-centre"
    )
    nvlink: v.Code | None = says(
        "generation of its NVLink edge, such as ampere; none if it has none"
    )
    display_outputs: v.Truth | None = says("has a display output")
    weight: v.Mass | None = says("weight of the GPU")
    airflow_needed: v.Airflow | None = says("air a passive GPU needs, as its maker says")


class Platform(Strict):
    """What every CPU of one socket and generation shares."""

    socket: v.Code | None = says("CPU socket")
    cooler_sockets: v.Codes | None = says(
        "other sockets whose coolers it takes; none if the list is empty"
    )
    pcie_lanes: v.Count | None = says("CPU lanes free for slots and M.2, chipset link excluded")
    graphics_lanes: v.Count | None = says(
        "those of them that go to graphics slots, where a slot may be wider"
    )
    pcie_gen: v.Number | None = says("PCIe generation of the CPU lanes")
    memory_channels: v.Number | None = says("memory channels")
    memory_modules: v.Codes | None = says("kinds of module supported: udimm, rdimm, lrdimm")
    memory_generations: v.Codes | None = says("memory generations, such as DDR4")
    memory_ecc: v.Truth | None = says("corrects memory errors with ECC modules")
    chipsets: v.Codes | None = says("chipsets whose boards take it")
    sockets_max: v.Number | None = says("most CPUs in one machine")
    lanes_two_sockets: v.Count | None = says(
        "lanes free for slots and drives with two CPUs, whose links to each other take some"
    )
    numa_nodes: v.Number | None = says("memory nodes of one CPU")


class Cpu(Platform):
    """A processor."""

    platform: Annotated[v.Code, v.Ref("platform")] | None = says("what its platform shares")
    cores: v.Number | None = says("cores")
    threads: v.Number | None = says("hardware threads")
    base_power: v.Draw | None = says("sustained package power (TDP, processor base power)")
    turbo_power: v.Draw | None = says("highest short-term package power (PPT, PL2, MTP)")
    integrated_graphics: v.Truth | None = says("has a display output of its own")
    family: v.Code | None = says("family as board makers list it, such as Ryzen 5000")


class Allowance(Strict):
    """Power booked for parts that carry no figure of their own."""

    typical_power: v.Power | None = says("power at work")
    max_power: v.Power | None = says("peak power")


ModuleForm = Annotated[v.Code, v.one_of(*MODULE_FORMS, also={"sodimm": "SO-DIMM"})]


class FormFactor(Strict):
    """What boards of one size share."""

    openings: v.Number | None = says("expansion slots it spans")
    memory_form: ModuleForm | None = says("form of memory module: " + ", ".join(MODULE_FORMS))


class Motherboard(Allowance):
    """A motherboard."""

    power_class: Annotated[v.Code, v.Ref("allowance")] | None = says(
        "power booked for such a board"
    )
    socket: v.Code | None = says("CPU socket")
    cpu_sockets: v.Number | None = says("number of CPU sockets")
    chipset: v.Code | None = says("chipset")
    form_factor: Annotated[v.Code, v.Ref("form-factor")] | None = says(
        "form factor, such as ATX or SSI EEB"
    )
    openings: v.Number | None = says("expansion slots it spans")
    memory_generation: v.Code | None = says("memory generation, such as DDR4")
    memory_modules: v.Codes | None = says("kinds of module accepted: udimm, rdimm, lrdimm")
    memory_form: ModuleForm | None = says(
        "form of memory module its slots take: " + ", ".join(MODULE_FORMS)
    )
    memory_slots: v.Number | None = says("memory slots")
    memory_max: v.Memory | None = says("most memory supported")
    plugs: v.Counts | None = says("power sockets that must be fed, by connector")
    slot_power_plugs: v.Counts | None = says("extra power sockets for the slots, by connector")
    bios_note: v.Code | None = says("what its firmware or plugs need with several GPUs")
    slots: Slots | None = says("expansion slots")
    more_slots: v.Truth | None = says("has further slots that the list of slots leaves out")
    lane_modes: Modes | None = says("slot widths by populated slots")
    m2_slots: Sockets | None = says("M.2 sockets and what they take from slots")
    m2_count: v.Number | None = says("M.2 sockets, where they are not known one by one")
    switches: Switches | None = says("PCIe switches")
    sata_ports: v.Count | None = says("SATA ports")
    slot_power_from: v.Number | None = says(
        "number of GPUs from which the extra slot power must be plugged in"
    )
    slot_retimers: v.Truth | None = says("retimer or redriver chips under the slots need air")
    cpu_families: v.Codes | None = says("CPU families it starts with as delivered")
    cpu_families_updated: v.Codes | None = says("CPU families it takes after a BIOS update")
    bios_flashback: v.Truth | None = says("the BIOS can be updated without a CPU")
    above_4g: v.Truth | None = says("its BIOS has Above 4G decoding")
    bmc: v.Truth | None = says("has a management controller with a display output")
    module_max: v.Memory | None = says("largest memory module it takes")
    depth: v.Length | None = says("from the rear edge to the front")


class MemoryKind(Allowance):
    """A kind of memory module; powers are per module."""

    generation: v.Code | None = says("memory generation, such as DDR4")
    registered: v.Truth | None = says("registered (RDIMM, LRDIMM) or not")
    module_kind: Annotated[v.Code, v.one_of("udimm", "rdimm", "lrdimm")] | None = says(
        "kind of module"
    )
    form: ModuleForm | None = says("form of the module: " + ", ".join(MODULE_FORMS))


class Memory(MemoryKind):
    """Memory modules or a kit of them."""

    type: Annotated[v.Code, v.Ref("memory-kind")] | None = says("such as DDR4 or DDR5 RDIMM")
    total: v.Memory | None = says("all memory of this entry")
    module: v.Memory | None = says("size of one module")
    likely_modules: v.Number | None = says(
        "modules booked for power when their number is not known"
    )
    kit_modules: v.Number | None = says("modules in one kit")
    ecc: v.Truth | None = says("error correcting")
    speed: v.Number | None = says("transfers per second, in millions")


class PsuStandard(Strict):
    """What a PSU standard requires of every unit built to it."""

    high_excursion_100us: v.Ratio | None = says(
        "load survived for 100 µs as a multiple of rated power"
    )
    high_excursion_1ms: v.Ratio | None = says("load survived for 1 ms as a multiple of rated power")
    high_excursion_10ms: v.Ratio | None = says(
        "load survived for 10 ms as a multiple of rated power"
    )
    high_excursion_100ms: v.Ratio | None = says(
        "load survived for 100 ms as a multiple of rated power"
    )
    plain_excursion_100us: v.Ratio | None = says("load survived for 100 us by the plain table")
    plain_excursion_1ms: v.Ratio | None = says("load survived for 1 ms by the plain table")
    plain_excursion_10ms: v.Ratio | None = says("load survived for 10 ms by the plain table")
    plain_excursion_100ms: v.Ratio | None = says("load survived for 100 ms by the plain table")
    plain_up_to: v.Draw | None = says(
        "rated power up to which the plain table holds; it also holds without a 16-pin output"
    )
    low_line_cap: v.Draw | None = says("output assumed at 120 V, if not stated")
    low_line_share: v.Ratio | None = says(
        "share of the rating assumed at 100 to 127 V, if not stated"
    )
    shares_output: v.Truth | None = says(
        "shares its load with like units on one distribution board"
    )


class Efficiency(Strict):
    """An efficiency grade: share of input that reaches the output, by load share."""

    efficiency_low_line: v.ShareCurve | None = says("efficiency against load share at 115 V")
    efficiency_high_line: v.ShareCurve | None = says("efficiency against load share at 230 V")


class Inlet(Strict):
    """A mains inlet of a PSU and the cord that goes into it."""

    current: v.Current | None = says("current of inlet and cord where North American ratings hold")
    current_iec: v.Current | None = says("current of inlet and cord by IEC 60320")


class Psu(PsuStandard, Efficiency, Inlet):
    """A PSU."""

    excursion_100us: v.Ratio | None = says(
        "load its maker says it survives for 100 µs as a multiple of rated power"
    )
    excursion_1ms: v.Ratio | None = says(
        "load its maker says it survives for 1 ms as a multiple of rated power"
    )
    excursion_10ms: v.Ratio | None = says(
        "load its maker says it survives for 10 ms as a multiple of rated power"
    )
    excursion_100ms: v.Ratio | None = says(
        "load its maker says it survives for 100 ms as a multiple of rated power"
    )
    standard: Annotated[v.Code, v.Ref("psu-standard")] | None = says(
        "ATX 2.x, ATX 3.0, ATX 3.1 or server"
    )
    efficiency: Annotated[v.Code, v.Ref("efficiency")] | None = says(
        "efficiency grade, such as 80 PLUS Gold"
    )
    rated_power: v.Draw | None = says("continuous output")
    rated_power_low_line: v.Draw | None = says("continuous output at 100 to 127 V")
    input_voltage_min: v.Voltage | None = says("lowest nominal mains voltage it runs on")
    rated_temperature: v.Temperature | None = says("warmest air it gives its rated power in")
    plugs: v.Counts | None = says("outputs by connector, each on a cable of its own")
    length: v.Length | None = says("depth of the housing")
    form_factor: v.Code | None = says("such as ATX or SFX-L")
    twelve_volt_current: v.Current | None = says("current of all 12 V outputs together")
    rails: v.Number | None = says("12 V rails with a protection of their own")
    rail_current: v.Current | None = says("current at which one rail shuts down")
    inlet: Annotated[v.Code, v.Ref("inlet")] | None = says("mains inlet, such as C14 or C20")
    redundant: v.Truth | None = says("spare for the others; its output does not add up")


class Case(Strict):
    """A case, chassis or open frame."""

    kind: (
        Annotated[
            v.Code,
            v.one_of(
                *("tower", "desktop", "cube", "2U", "3U", "4U", "5U", "open frame"),
                also={"full tower": "tower", "mid tower": "tower", "mini tower": "tower"},
            ),
        ]
        | None
    ) = says("kind of enclosure")
    expansion_slots: v.Number | None = says("expansion slots")
    card_length_max: v.Length | None = says("longest GPU that fits")
    cooler_height_max: v.Length | None = says("tallest CPU cooler that fits")
    board_form_factors: v.Codes | None = says("motherboard form factors it takes")
    boards_at_least: v.Codes | None = says("form factors it takes, in a list that may lack some")
    psu_form_factors: v.Codes | None = says("PSU form factors it takes")
    psu_length_max: v.Length | None = says("longest PSU that fits")
    psu_places: v.Number | None = says("PSUs it has places for")
    ducted: v.Truth | None = says("fans push air through the GPUs, as in a GPU server")
    card_height_max: v.Length | None = says("tallest GPU that fits, power cable included")
    psu_shroud: v.Truth | None = says("a shroud covers the PSU below the last slot")
    shroud_gap: v.Length | None = says("room between the last expansion slot and shroud or floor")
    radiator_walls: v.Walls | None = says(
        "radiators it takes at once, wall by wall, such as [360 mm or 240 mm + 120 mm, 120 mm]"
    )
    radiators: v.Radiators | None = says(
        "radiators it takes of each size, such as {360 mm: 2}, where no more is known"
    )
    fans: v.Count | None = says("fans it comes with")
    fans_max: v.Count | None = says("fans it takes")
    drive_bays: v.Count | None = says("places for 2.5 and 3.5 inch drives")
    vertical_slots: v.Count | None = says("expansion slots for a vertical GPU")


class Cooler(Allowance):
    """A CPU cooler."""

    power_class: Annotated[v.Code, v.Ref("allowance")] | None = says(
        "power booked for such a cooler"
    )
    kind: Annotated[v.Code, v.one_of("air", "liquid")] | None = says("air or liquid")
    height: v.Length | None = says("height above the CPU")
    sockets: v.Codes | None = says("CPU sockets it mounts on")
    radiator: v.Radiator | None = says("size of its radiator, such as 360 mm")
    capacity: v.Draw | None = says("CPU power the maker says it carries")
    covers_lid: v.Truth | None = says("its plate covers the whole lid of large CPUs")


class Storage(Allowance):
    """A drive."""

    interface: Annotated[v.Code, v.Ref("storage-interface")] | None = says(
        "such as NVMe Gen4 or SATA HDD"
    )
    capacity: v.Memory | None = says("capacity")
    pcie_lanes: v.Count | None = says("CPU or chipset lanes it uses")
    protocol: Annotated[v.Code, v.one_of(NVME, SATA)] | None = says("what it speaks: NVMe or SATA")
    form: Annotated[v.Code, v.one_of("m.2", "u.2", "sata", "card")] | None = says(
        "where it goes: m.2, u.2, sata or card"
    )
    spins: v.Truth | None = says("has turning disks")


class StorageInterface(Allowance):
    """What drives of one interface share."""

    pcie_lanes: v.Count | None = says("lanes one drive uses")
    spins: v.Truth | None = says("has turning disks")
    protocol: Annotated[v.Code, v.one_of(NVME, SATA)] | None = says("what they speak: NVMe or SATA")
    form: Annotated[v.Code, v.one_of("m.2", "u.2", "sata", "card")] | None = says(
        "where such drives usually go: m.2, u.2, sata or card"
    )


class Riser(Strict):
    """A riser cable or card."""

    gen: v.Number | None = says("PCIe generation it is made for")
    lanes: v.Number | None = says("lanes it carries")
    length: v.Length | None = says("length")
    kind: Annotated[v.Code, v.one_of("ribbon", "cabled", "usb")] | None = says(
        "ribbon, cabled (MCIO, SlimSAS with a redriver or retimer) or usb (mining extender)"
    )
    feed: v.Code | None = says(
        "plug that feeds it, such as sata or pcie-6-pin; none if the board does"
    )


class AddInCard(Allowance):
    """A card that is no GPU: network, storage, capture."""

    kind: (
        Annotated[v.Code, v.one_of("network", "storage", "capture", "usb", "sound", "other")] | None
    ) = says("network, storage, capture, usb, sound or other")
    edge: v.Number | None = says("length of its edge in lanes")
    pcie_lanes: v.Number | None = says("lanes it uses")
    pcie_gen: v.Number | None = says("PCIe generation of the card")
    thickness: v.Thickness | None = says("thickness in slots or mm")
    length: v.Length | None = says("length of the card")
    rate: v.Rate | None = says("data rate of its ports together")
    needs_bifurcation: v.Code | None = says("split its slot must have, such as x4/x4/x4/x4")


class Ups(Strict):
    """A UPS."""

    power: v.Draw | None = says("load it carries, in watts")
    apparent_power: v.Draw | None = says("load it carries, in volt-amperes")
    waveform: Annotated[v.Code, v.one_of("sine", "simulated")] | None = says(
        "output on battery: sine or simulated"
    )
    outlet_current: v.Current | None = says("current of its own mains plug")
    voltage: v.Voltage | None = says(
        "nominal mains voltage it takes and gives; a range where it can be set to any in it"
    )


class Cable(Strict):
    """A PSU cable: which plug, how many of them, and whose it is."""

    connector: v.Code | None = says("plug at the far end, such as pcie-8-pin")
    heads: v.Number | None = says("plugs on the one cable")
    reused: v.Truth | None = says("left over from another PSU")
    rating: v.Draw | None = says("power it is coded or made for")


class NvlinkBridge(Strict):
    """A bridge between two GPUs."""

    spacing: v.Number | None = says("slots from one GPU to the other")
    generations: v.Codes | None = says("NVLink edges it fits, such as ampere")
    rate: v.Rate | None = says("bandwidth in one direction between the two GPUs")


KINDS: dict[str, type[Strict]] = {
    "adapter": around.Adapter,
    "add-in-card": AddInCard,
    "allowance": Allowance,
    "cable": Cable,
    "case": Case,
    "cloud-instance": around.CloudInstance,
    "connector": around.Connector,
    "cooler": Cooler,
    "country": around.Country,
    "cpu": Cpu,
    "efficiency": Efficiency,
    "form-factor": FormFactor,
    "gpu": Gpu,
    "gpu-architecture": GpuArchitecture,
    "gpu-cooling": GpuCooling,
    "gpu-module": around.GpuModule,
    "inlet": Inlet,
    "memory": Memory,
    "memory-kind": MemoryKind,
    "motherboard": Motherboard,
    "nvlink-bridge": NvlinkBridge,
    "optimizer": around.Optimizer,
    "outlet": around.Outlet,
    "parallelism": around.Parallelism,
    "platform": Platform,
    "precision": around.Precision,
    "psu": Psu,
    "psu-standard": PsuStandard,
    "riser": Riser,
    "standard": around.Standard,
    "storage": Storage,
    "storage-interface": StorageInterface,
    "tensor-units": around.TensorUnits,
    "ups": Ups,
    "workload-kind": around.WorkloadKind,
}
