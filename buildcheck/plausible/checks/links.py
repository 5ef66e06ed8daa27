"""Have drives, risers and add-in cards links that such parts have?"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.plausible.look import Doubt, Look

#: PCI Express Base Specification: GB/s of one lane and direction by generation, coding included.
LANE_RATE = {1: 0.25, 2: 0.5, 3: 0.985, 4: 1.969, 5: 3.938, 6: 7.563}
#: Cards with two ports are sold that fill their link with one, the other as a spare.
MOST_PORTS = 2


def storage(look: Look) -> Iterator[Doubt]:
    """SATA takes no PCIe lanes; M.2 and U.2 have four."""
    form, lanes = look.of("form"), look.of("pcie_lanes")
    most = {"sata": 0, "m.2": 4, "u.2": 4}.get(form or "")
    if most is not None and lanes is not None and lanes.high > most:
        message = f"{look.text('pcie_lanes')} lanes are more than {form} has, {most}"
        yield look.doubt("pcie_lanes", message, "Check form and lanes")


def riser(look: Look) -> Iterator[Doubt]:
    """Mining extenders carry one lane, through a cable made for USB 3."""
    lanes = look.of("lanes")
    if look.of("kind") == "usb" and lanes is not None and lanes.high > 1:
        message = f"a USB extender carries one lane, not {look.text('lanes')}"
        yield look.doubt("lanes", message, "Check lanes and kind")


def add_in_card(look: Look) -> Iterator[Doubt]:
    """Its link carries its rate, and its edge has the lanes it splits."""
    rate, lanes, gen = map(look.of, ("rate", "pcie_lanes", "pcie_gen"))
    if None not in (rate, lanes, gen) and gen.high in LANE_RATE:
        link = lanes.high * LANE_RATE[int(gen.high)]
        if rate.low > MOST_PORTS * link:
            message = f"{look.text('rate')} is far more than its link carries, {link:.3g} GB/s"
            yield look.doubt("rate", message, "Check bits and bytes, lanes and generation")
    split, edge = look.of("needs_bifurcation"), look.of("edge")
    if split is not None and edge is not None:
        parts = [p.strip().removeprefix("x") for p in split.split("/")]
        if not all(p.isdigit() for p in parts) or sum(map(int, parts)) > edge.high:
            message = f"{split} does not go into an edge of {look.text('edge')} lanes"
            yield look.doubt("needs_bifurcation", message, "Write it like x4/x4/x4/x4")
