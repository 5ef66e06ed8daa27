"""How fast cards are beside each other, and for their money.

For other modules:

    speeds = Speeds(catalog, ["gpu/nvidia/rtx-3090", REFERENCE])
    work = Work("training", "16bit", "transformer")           # or inference, 8bit, vision
    speeds.relative("gpu/nvidia/rtx-3090", REFERENCE, work)   # Compared(usual, range), or None
    ranking(speeds, work)                                     # rows, fastest first, with places

An estimate comes with the range that nine of ten such pairs lie in; it is None where the card's
rates are not known. The model and its errors are those of `facts.speed`.
"""

from __future__ import annotations

from buildcheck.facts.speed import BITS, NETS, USES, Compared, Work
from buildcheck.speed.machine import MachineSpeed, card_speed, machine_speed
from buildcheck.speed.ranking import REFERENCE, Place, Row, Speeds, known_chips, ranking

__all__ = [
    "BITS",
    "NETS",
    "REFERENCE",
    "USES",
    "Compared",
    "MachineSpeed",
    "Place",
    "Row",
    "Speeds",
    "Work",
    "card_speed",
    "known_chips",
    "machine_speed",
    "ranking",
]
