"""What tensor units spare: clock cycles of a product of two tiles of 32 x 32 numbers.

The guide's example (Dettmers 2023): eight multiprocessors with eight warps each load the tiles from
the card's memory once. Without tensor units each does eight times a load from shared memory and a
multiplication; with them one load from shared memory and one product do. Copies that run at the
same time hide the time of the work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.facts.registry import DATA, Ask, graph
from buildcheck.logic.quantity import Interval, exact

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

#: Rounds of the plain product: each multiprocessor makes eight of the 64 blocks at a time.
_ROUNDS = exact(8.0)


class Cycles(NamedTuple):
    """Cycles of the product without tensor units, with them, and with overlapped copies."""

    plain: Interval
    tensor: Interval
    overlapped: Interval


@graph("standard.tile_cycles", DATA)
def tile_cycles(standard: Subject, ask: Ask) -> Any:
    """Cycles of one product of tiles; None if a latency is not known."""
    names = ("memory", "shared", "multiply", "tensor")
    memory, shared, multiply, tensor = (ask(f"standard.{n}_cycles", standard) for n in names)
    if None in (memory, shared, multiply, tensor):
        return None
    work = shared + tensor
    # Overlapped copies wait for the access less the work.
    waits = Interval(max(0.0, memory.low - work.high), max(0.0, memory.high - work.low))
    return Cycles(memory + _ROUNDS * (shared + multiply), memory + work, waits + work)
