"""Links: lanes, generation, bandwidth, where the lanes come from, and PCIe switches."""

from typing import Any

from buildcheck import units
from buildcheck.connect.slots import cpu_lanes
from buildcheck.facts.registry import TRUTH, Ask, graph
from buildcheck.facts.space import in_the_board, seat
from buildcheck.logic.quantity import UNKNOWN, ZERO, Interval, exact
from buildcheck.logic.quantity import total as add_up
from buildcheck.model.graph import Subject


@graph("motherboard._fastest_slot", units.NUMBER)
def fastest_slot(board: Subject, ask: Ask) -> Any:
    """The highest generation of its slots; None where that of one is not known."""
    gens = [slot.gen for slot in ask("motherboard.slots", board) or ()]
    return None if not gens or None in gens else exact(max(gen.high for gen in gens if gen))


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
_rate("gpu.own_rate", "gpu.pcie_lanes", "gpu.pcie_gen")
_rate("addin.own_rate", "addin.pcie_lanes", "addin.pcie_gen")


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
