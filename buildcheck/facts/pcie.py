"""Links: lanes, generation, bandwidth, where the lanes come from, and PCIe switches."""

from __future__ import annotations

import math
from typing import Any

from buildcheck import units
from buildcheck.connect.slots import cpu_lanes
from buildcheck.facts.registry import TRUTH, Ask, graph
from buildcheck.facts.risers import limits as riser_limits
from buildcheck.facts.space import in_the_board, seat
from buildcheck.logic.quantity import UNKNOWN, ZERO, Interval, exact
from buildcheck.logic.quantity import total as add_up
from buildcheck.model.graph import Subject

_CPU = ("cpu", "cpu2")


@graph("gpu.link_gen_at_most", units.NUMBER)
def link_gen_at_most(card: Subject, ask: Ask) -> Any:
    """The highest generation the link may come up at: the lowest that anything known allows."""
    found = seat(card, ask)
    limits = [ask("gpu.pcie_gen", card), *riser_limits(card, ask, "gen")]
    if ask.graph.the("firmware").value("link_gen") is not None:
        limits.append(ask("firmware.link_gen"))
    slots = ask("motherboard.slots")
    if found is not None:
        limits.append(found["gen"])
    elif slots and None not in [slot.gen for slot in slots]:
        limits.append(exact(max(slot.gen.high for slot in slots)))
    # Slots that nothing is known of are taken for those of the CPU.
    if slots is None or (found is not None and found["owner"] in _CPU):
        limits.append(ask("cpu.pcie_gen"))
    highest = min((limit.high for limit in limits if limit is not None), default=math.inf)
    return None if math.isinf(highest) else exact(highest)


def _rate(name: str, lanes: str, gen: str) -> None:
    """Declare the bandwidth of a link or edge in one direction, after line coding."""

    @graph(name, units.RATE)
    def rate(card: Subject, ask: Ask) -> Any:
        width, by, rates = ask(lanes, card), ask(gen, card), ask("standard.lane_rate")
        by_gen = dict(rates or ())
        if width is None or by is None or not {by.low, by.high} <= {*by_gen}:
            return None
        return width * Interval(by_gen[by.low], by_gen[by.high])


_rate("gpu.link_rate", "gpu.link_lanes", "gpu.link_gen")
_rate("addin.link_rate", "addin.link_lanes", "addin.link_gen")
_rate("addin.own_rate", "addin.pcie_lanes", "addin.pcie_gen")


@graph("build.cpu_lanes_used", units.NUMBER)
def cpu_lanes_used(build: Subject, ask: Ask) -> Any:
    """CPU lanes taken by GPUs, switches and drives, in the slot assignment found.

    Drives that may or may not use CPU lanes make it a range.
    """
    slots = ask("motherboard.slots")
    used = [ask("motherboard.uplinks_used"), ask("build.drive_lanes")]
    for card in (*ask.graph.of("card"), *ask.graph.of("addin")):
        found = seat(card, ask)
        if found is None and slots is not None:
            continue
        if found is None or found["owner"] is None:
            return None
        if found["owner"] in _CPU:
            used.append(found["lanes"] or UNKNOWN)
    return add_up(used)


@graph("cpu.all_lanes", units.NUMBER)
def all_lanes(cpu: Subject, ask: Ask) -> Any:
    """Lanes of all CPUs in their sockets that are free for slots and drives."""
    ask("cpu.pcie_lanes", cpu)
    return cpu_lanes(cpu)


def _behind(board: Subject, ask: Ask) -> list[tuple[Interval | None, Interval]]:
    """Of each switch with GPUs behind it: its uplink, and the lanes of these GPUs."""
    slots = {s.label for s in ask("motherboard.slots", board) or ()}
    cards = [e.data for e in ask.graph.into("seated", board) if e.data["slot"] in slots]
    found = [
        (s.uplink, [d["lanes"] or UNKNOWN for d in cards if d["switch"] == s.label])
        for s in ask("motherboard.switches", board) or ()
    ]
    return [(uplink, add_up(lanes)) for uplink, lanes in found if lanes]


@graph("motherboard.uplinks_used", units.NUMBER)
def uplinks_used(board: Subject, ask: Ask) -> Interval:
    """CPU lanes of the switches that have GPUs behind them."""
    return add_up([uplink or UNKNOWN for uplink, _ in _behind(board, ask)])


@graph("motherboard.lanes_over_uplink", units.NUMBER)
def lanes_over_uplink(board: Subject, ask: Ask) -> Interval:
    """Lanes of the GPUs behind a switch over those of its uplink, at the worst switch."""
    shares = [lanes / (uplink or UNKNOWN) for uplink, lanes in _behind(board, ask)]
    return Interval(max(s.low for s in shares), max(s.high for s in shares)) if shares else ZERO


@graph("build.sockets_with_cards", units.NUMBER)
def sockets_with_cards(build: Subject, ask: Ask) -> Any:
    """CPU sockets that GPUs get their lanes from."""
    owners = [found["owner"] for c in ask.graph.of("card") if (found := seat(c, ask)) is not None]
    if ask("motherboard.slots") is None or None in owners:
        return None
    return exact(float(len(set(owners) & set(_CPU))))


@graph("addin.has_slot", TRUTH)
def addin_has_slot(card: Subject, ask: Ask) -> bool | None:
    """Is a slot left for it that no GPU covers? None if slot positions are not listed.

    False if the search finds no place for it with all GPUs that fit; None then if the board has
    slots that are not listed or the search was cut short.
    """
    if ask("motherboard.slots") is None:
        return None
    found, cards = seat(card, ask), in_the_board(ask)
    if found is None:
        (placed,) = ask.graph.out("placed", ask.graph.the("build"))
        more = ask("motherboard.more_slots") or placed.data["may_seat_more"]
        return None if more else False
    places = found["position"] is not None and ask("build.placement_is_known")
    sizes = [ask("gpu.thickness", c) for c in cards]
    return True if not cards or (places and None not in sizes) else None
