"""PCIe switches of the board, and GPUs under several CPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.registry import TRUTH, Ask, graph
from buildcheck.facts.space import seat
from buildcheck.model.quantity import UNKNOWN, ZERO, Interval, exact
from buildcheck.model.quantity import total as add_up

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

_CPU = ("cpu", "cpu2")


def _behind(board: Subject, ask: Ask) -> list[tuple[Interval | None, Interval]]:
    """Of each switch with GPUs behind it: its uplink, and the lanes of these GPUs."""
    slots = {s.label: s for s in ask("motherboard.slots", board) or ()}
    found = []
    for switch in ask("motherboard.switches", board) or ():
        cards = [e.data for e in ask.graph.into("seated", board)]
        lanes = [
            d["lanes"] or UNKNOWN
            for d in cards
            if d["slot"] in slots and d["switch"] == switch.label
        ]
        if lanes:
            found.append((switch.uplink, add_up(lanes)))
    return found


@graph("motherboard.uplinks_used", units.NUMBER)
def uplinks_used(board: Subject, ask: Ask) -> Interval:
    """CPU lanes of the switches that have GPUs behind them."""
    return add_up([uplink or UNKNOWN for uplink, _ in _behind(board, ask)])


@graph("motherboard.lanes_over_uplink", units.NUMBER)
def lanes_over_uplink(board: Subject, ask: Ask) -> Interval:
    """Lanes of the GPUs behind a switch over those of its uplink, at the worst switch."""
    shares = [lanes / (uplink or UNKNOWN) for uplink, lanes in _behind(board, ask)]
    return Interval(max(s.low for s in shares), max(s.high for s in shares)) if shares else ZERO


@graph("motherboard.has_used_switch", TRUTH)
def has_used_switch(board: Subject, ask: Ask) -> bool:
    """Are GPUs behind a PCIe switch of the board?"""
    return bool(_behind(board, ask))


@graph("build.sockets_with_cards", units.NUMBER)
def sockets_with_cards(build: Subject, ask: Ask) -> Any:
    """CPU sockets that GPUs get their lanes from."""
    slots = ask("motherboard.slots")
    owners = [found["owner"] for c in ask.graph.of("gpu") if (found := seat(c, ask)) is not None]
    if slots is None or None in owners:
        return None
    return exact(float(len(set(owners) & set(_CPU))))
