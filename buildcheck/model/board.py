"""What a motherboard has several of: slots, M.2 sockets, switches, and lanes by what is in them."""

import re
from typing import Annotated, Any

from buildcheck.model import values as v
from buildcheck.model.strict import NEEDED, Before, Strict, Whole, says

#: More expansion slots than any chassis has.
MOST_OPENINGS = 20
#: What a drive and its socket speak.
NVME, SATA = "NVMe", "SATA"


class Slot(Strict):
    """One expansion slot of a motherboard, or its absence of a known place."""

    label: v.Code = says("name printed on the motherboard", NEEDED)
    position: Annotated[int, Whole(1, MOST_OPENINGS)] | None = says(
        "1 is the expansion slot nearest the CPU; absent if not known"
    )
    mechanical: Annotated[int, Whole(1, 16)] = says("length of the connector in lanes", NEEDED)
    lanes: v.Lanes | None = says("most electrical lanes")
    gen: v.Generation | None = says("PCIe generation")
    owner: Annotated[v.Code, v.one_of("cpu", "cpu2", "chipset", "switch")] | None = says(
        "where the lanes come from"
    )
    switch: v.Code | None = says("label of the PCIe switch it is connected to")
    open_ended: v.Truth | None = says("takes a card with a longer edge")
    connector: Annotated[v.Code, v.one_of("mcio", "slimsas", "oculink")] | None = says(
        "where it is no slot but a connector for cables: a card needs a cable and an adapter"
    )
    bifurcation: v.Codes | None = says("ways it can be split, such as x8/x8 or x4/x4/x4/x4")


class LaneMode(Strict):
    """Lanes per slot when certain slots are populated, for CPUs with that number of lanes."""

    populate: tuple[str, ...] = says("labels of the occupied slots", NEEDED)
    lanes: v.Counts = says("lanes per slot label in that case", NEEDED)
    cpu_lanes: v.Count | None = says("lanes a CPU must have for it, least and most")


class M2(Strict):
    """One M.2 socket of a motherboard, and what a drive in it takes from slots and ports."""

    label: v.Code = says("name printed on the motherboard", NEEDED)
    lanes: v.Lanes | None = says("lanes of the socket")
    gen: v.Generation | None = says("PCIe generation")
    owner: Annotated[v.Code, v.one_of("cpu", "cpu2", "chipset")] | None = says(
        "where the lanes come from"
    )
    protocols: Annotated[v.Codes, v.one_of(NVME, SATA)] | None = says(
        "what a drive in it may speak: NVMe, SATA; a list has all of them"
    )
    cpu_lanes: v.Count | None = says("lanes a CPU must have for it to work, least and most")
    slot_lanes: v.Counts | None = says("lanes left to slots, by label, while a drive is in it")
    sata_lost: v.Count | None = says("SATA ports that stop working while a drive is in it")


class Switch(Strict):
    """A PCIe switch on a motherboard."""

    label: v.Code = says("name by which slots refer to it", NEEDED)
    uplink: v.Lanes | None = says("lanes to the CPU")
    gen: v.Generation | None = says("PCIe generation of the uplink")


#: Labels of M.2 and OCuLink sockets, as boards and people have them.
_SOCKET = re.compile(r"(?i)m\.?2(?![a-z])|.*\b(?:m\.2(?![a-z])|oculink)")


def is_socket(label: object) -> bool:
    """Is a label that of an M.2 or OCuLink socket, such as `M2_2` or `Hyper M.2`?"""
    return isinstance(label, str) and _SOCKET.match(label) is not None


def is_cabled(slot: Slot) -> bool:
    """Is it a connector for cables or a socket for drives, in no row of slots?"""
    return slot.connector is not None or is_socket(slot.label)


def _listed(value: Any) -> Any:
    if not isinstance(value, list | tuple):
        raise ValueError("needs a list, such as [{label: A, mechanical: 16}]")
    return tuple(value)


#: Types of fields that hold several of them.
LISTS: dict[str, Any] = {
    "Slots": Annotated[tuple[Slot, ...], Before(_listed)],
    "Modes": Annotated[tuple[LaneMode, ...], Before(_listed)],
    "Sockets": Annotated[tuple[M2, ...], Before(_listed)],
    "Switches": Annotated[tuple[Switch, ...], Before(_listed)],
}
