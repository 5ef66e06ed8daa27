"""Links: lanes, generation, bandwidth, and where the lanes come from."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.registry import TRUTH, Ask, count, graph
from buildcheck.facts.space import seat
from buildcheck.model.quantity import UNKNOWN, ZERO, Interval, exact
from buildcheck.model.quantity import total as add_up

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

_CPU = ("cpu", "cpu2")


def _least(values: list[Interval | None]) -> Interval | None:
    """The smaller of several, when all are known."""
    known = [v for v in values if v is not None]
    if len(known) < len(values):
        return None
    return Interval(min(v.low for v in known), min(v.high for v in known))


def _risers(card: Subject, ask: Ask, name: str) -> list[Interval | None]:
    """A limit that every listed riser sets on a card that hangs on one.

    Nobody says which riser a card hangs on, so each of them may be the one. A riser
    that does not say sets no limit.
    """
    if not ask("gpu.is_on_riser", card):
        return []
    given = [ask(f"riser.{name}", riser) for riser in ask.graph.of("riser")]
    known = [k for k in given if k is not None]
    if not known:
        return []
    highest = math.inf if None in given else max(k.high for k in known)
    return [Interval(min(k.low for k in known), highest)]


@graph("gpu.link_lanes", units.NUMBER)
def link_lanes(card: Subject, ask: Ask) -> Any:
    """Lanes between the card and the machine: the narrowest of slot, riser and card."""
    ask("motherboard.slots")
    found = seat(card, ask)
    if found is None:
        return None
    return _least([found["lanes"], ask("gpu.pcie_lanes", card), *_risers(card, ask, "lanes")])


@graph("gpu.link_gen", units.NUMBER)
def link_gen(card: Subject, ask: Ask) -> Any:
    """Generation of the link: the lowest of CPU, slot, card and riser."""
    found = seat(card, ask)
    if found is None:
        return None
    limits = [found["gen"], ask("gpu.pcie_gen", card), *_risers(card, ask, "gen")]
    if found["owner"] in _CPU:
        limits.append(ask("cpu.pcie_gen"))
    return _least(limits)


@graph("gpu.link_rate", units.RATE)
def link_rate(card: Subject, ask: Ask) -> Any:
    """Bandwidth of the link in one direction, after line coding."""
    lanes, gen, rates = (
        ask("gpu.link_lanes", card),
        ask("gpu.link_gen", card),
        ask("standard.lane_rate"),
    )
    if lanes is None or gen is None or rates is None:
        return None
    by_gen = dict(rates)
    if gen.low not in by_gen or gen.high not in by_gen:
        return None
    return lanes * Interval(by_gen[gen.low], by_gen[gen.high])


@graph("gpu.has_slot", TRUTH)
def has_slot(card: Subject, ask: Ask) -> bool | None:
    """Was a slot found for it? None if the board's slots are not known."""
    if seat(card, ask) is not None:
        return True
    return None if ask("motherboard.slots") is None else False


@graph("gpu.is_seated", TRUTH)
def is_seated(card: Subject, ask: Ask) -> bool:
    """Was a slot found for it? Not so, too, where the board's slots are not known."""
    return seat(card, ask) is not None


@graph("gpu.is_on_chipset", TRUTH)
def is_on_chipset(card: Subject, ask: Ask) -> bool | None:
    """Do its lanes come from the chipset, shared with everything behind it?"""
    ask("motherboard.slots")
    found = seat(card, ask)
    return None if found is None or found["owner"] is None else found["owner"] == "chipset"


@graph("build.cpu_lanes_used", units.NUMBER)
def cpu_lanes_used(build: Subject, ask: Ask) -> Any:  # noqa: ARG001 - a fact's signature
    """CPU lanes taken by cards in CPU slots, in the arrangement found."""
    slots = ask("motherboard.slots")
    used = []
    for card in ask.graph.of("gpu"):
        found = seat(card, ask)
        if found is None and slots is not None:
            continue
        if found is None or found["owner"] is None:
            return None
        if found["owner"] in _CPU:
            used.append(found["lanes"] or UNKNOWN)
    return add_up(used) if used else ZERO


@graph("cpu.all_lanes", units.NUMBER)
def all_lanes(cpu: Subject, ask: Ask) -> Any:
    """Lanes of all CPUs in their sockets that are free for slots and drives."""
    lanes = ask("cpu.pcie_lanes", cpu)
    return None if lanes is None else lanes * exact(cpu.count)


@graph("workload.splits_tensors", TRUTH)
def splits_tensors(workload: Subject, ask: Ask) -> bool | None:
    """Does one job split layers over cards, exchanging data many times a step?"""
    parallel = ask("workload.parallel", workload)
    return None if parallel is None else parallel == "tensor"


@graph("workload.trains_together", TRUTH)
def trains_together(workload: Subject, ask: Ask) -> bool | None:
    """Do several cards work on one job and exchange data at each step?"""
    parallel = ask("workload.parallel", workload)
    return None if parallel is None else parallel in ("data", "tensor")


@graph("workload.states_parallelism", TRUTH)
def states_parallelism(workload: Subject, ask: Ask) -> bool:
    """Does the build say how a job uses several cards?"""
    return ask("workload.parallel", workload) is not None


count("build.card_count", over="cards")
