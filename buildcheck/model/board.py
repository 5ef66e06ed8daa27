"""What a motherboard has several of: slots, M.2 sockets, switches, and lanes by what is in them."""

import re
from typing import Annotated, Any

from buildcheck.model import values as v
from buildcheck.model.strict import Before, Strict, Whole

#: More expansion slots than any chassis has.
MOST_OPENINGS = 20
#: What a drive and its socket speak.
NVME, SATA = "NVMe", "SATA"
#: Types of fields that only boards have.
Position = Annotated[int, Whole(1, MOST_OPENINGS)]
Long = Annotated[int, Whole(1, 16)]
Labels = tuple[str, ...]


class Slot(Strict, fields=v.declared(v.ENTRIES["slot"], globals())):
    """One expansion slot of a motherboard, or its absence of a known place."""


class LaneMode(Strict, fields=v.declared(v.ENTRIES["lane-mode"], globals())):
    """Lanes per slot when certain slots are populated, for CPUs with that number of lanes."""


class M2(Strict, fields=v.declared(v.ENTRIES["m2"], globals())):
    """One M.2 socket of a motherboard, and what a drive in it takes from slots and ports."""


class Switch(Strict, fields=v.declared(v.ENTRIES["switch"], globals())):
    """A PCIe switch on a motherboard."""


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
