"""Cables and adapters from PSU to GPU: what share the load, what each carries, and shared ones."""

from __future__ import annotations

import math
from typing import Any

from buildcheck import units
from buildcheck.facts.plugs import SIXTEEN_PIN, has_socket, rating_of
from buildcheck.facts.registry import CODE, TRUTH, Ask, graph, relation
from buildcheck.logic.interval import either
from buildcheck.logic.quantity import ONE, UNKNOWN, ZERO, Interval, exact
from buildcheck.logic.quantity import total as add_up
from buildcheck.model.graph import Subject

# -- the adapter between cable and GPU --------------------------------------


def _used(card: Subject, ask: Ask) -> dict[str, int]:
    """Cable plugs that feed the GPU, by connector, at best."""
    cabled = ask.graph.into("cabled", card)
    return dict(cabled[0].data["with"]) if cabled else {}


def _adapter_in_use(card: Subject, ask: Ask) -> Subject | None:
    """The adapter the build lists, else the one the GPU comes with if no plug goes in directly."""
    for own in ask.graph.ends("adapter", card):
        return own
    for bundled in ask.graph.ends("bundled_adapter", card):
        used = _used(card, ask)
        if used and ask("adapter.output", bundled) not in used:
            return bundled
    return None


@graph("gpu.is_adapted", TRUTH)
def is_adapted(card: Subject, ask: Ask) -> bool | None:
    """Does an adapter sit between its cables and a socket of it?"""
    adapter = _adapter_in_use(card, ask)
    if adapter is None:
        return False
    return has_socket(ask("gpu.plugs", card), ask("adapter.output", adapter))


@graph("gpu.adapter_name", CODE)
def adapter_name(card: Subject, ask: Ask) -> str:
    """Name of its adapter."""
    adapter = _adapter_in_use(card, ask)
    return adapter.name if adapter else "none"


@graph("gpu.native_outputs_left", units.NUMBER)
def native_outputs_left(card: Subject, ask: Ask) -> Any:
    """16-pin outputs of its PSU, or listed 16-pin cables, that nothing uses."""
    feeds = ask.graph.into("feeds", card)
    if not feeds:
        return None
    psu = ask.graph.subjects[feeds[0].start]
    listed = ask.graph.ends("stocks", psu)
    if listed:
        own = [c for c in listed if ask("cable.connector", c) == SIXTEEN_PIN]
        there = add_up([ask("cable.heads", c) or ONE for c in own])
    else:
        plugs = ask("psu.plugs", psu)
        if plugs is None:
            return None
        there = plugs.get(SIXTEEN_PIN, ZERO)
    edges = (*ask.graph.out("board_cabled", psu), *ask.graph.out("cabled", psu))
    taken = sum(e.data["with"].get(SIXTEEN_PIN, 0) for e in edges)
    return Interval(max(0.0, there.low - taken), max(0.0, there.high - taken))


# -- the load on each cable --------------------------------------------------


@graph("gpu.cable_heads", units.NUMBER)
def cable_heads(card: Subject, ask: Ask) -> Any:
    """Cable plugs that feed it: one for each socket, or for each input of its adapter."""
    sockets = ask("gpu.plug_count", card)
    adapter = _adapter_in_use(card, ask)
    if adapter is None or sockets is None or not ask("gpu.is_adapted", card):
        return sockets
    inputs = ask("adapter.inputs", adapter)
    if not inputs:
        return sockets
    through = ask("gpu.plugs", card)[ask("adapter.output", adapter)]
    return sockets - through + through * add_up(list(inputs.values()))


@graph("gpu.cables", units.NUMBER)
def cables(card: Subject, ask: Ask) -> Any:
    """PSU cables that serve it: as stated or listed, the fewer, else one for each plug."""
    stated = ask("gpu.power_cables", card)
    cabled = ask.graph.into("cabled", card)
    listed = cabled[0].data["cables"] if cabled else None
    if not listed:
        return ask("gpu.cable_heads", card) if stated is None else stated
    if stated is None:
        return exact(listed)
    return Interval(min(stated.low, listed), min(stated.high, listed))


@graph("gpu.shares_a_cable", TRUTH)
def shares_a_cable(card: Subject, ask: Ask) -> bool | None:
    """Do several of its plugs share one PSU cable? Only if the build states it."""
    heads, there = ask("gpu.cable_heads", card), ask("gpu.cables", card)
    if there is heads:
        return False
    if heads is None:
        return None
    answer: bool | None = there.is_below(heads)
    return answer


def _fullest(heads: Interval, there: Interval) -> Interval:
    """The share of the load on the cable that has most plugs."""
    shares = [
        math.ceil(h / c) / h
        for h in range(max(1, int(heads.low)), max(1, int(heads.high)) + 1)
        for c in range(max(1, min(h, int(there.low))), max(1, int(min(h, there.high))) + 1)
    ]
    return Interval(min(shares), max(shares))


@graph("gpu.cable_load", units.POWER)
def cable_load(card: Subject, ask: Ask) -> Interval:
    """Watts on the fullest PSU cable of the GPU, its plugs sharing the load evenly."""
    heads, there = ask("gpu.cable_heads", card), ask("gpu.cables", card)
    if there is None:
        return UNKNOWN
    power = ask.number("gpu.cable_power", card)
    if heads is None:
        return power / (there if there.low > 0 else ONE)
    return power * _fullest(heads, there)


# -- the cables the build lists ----------------------------------------------


@relation
def own_cables(card: Subject, ask: Ask) -> list[Subject]:
    """The listed cables that may be those of the GPU: if it shares one, those with more heads."""
    feeds = ask.graph.into("feeds", card)
    listed = ask.graph.ends("stocks", ask.graph.subjects[feeds[0].start]) if feeds else []
    used = _used(card, ask)
    own = [c for c in listed if ask("cable.connector", c) in used]
    if ask("gpu.shares_a_cable", card):
        return [c for c in own if ONE.is_below(ask("cable.heads", c) or ONE)]
    return own


@graph("gpu.has_weak_cable", TRUTH)
def has_weak_cable(card: Subject, ask: Ask) -> bool | None:
    """Is a cable of it made for less than its plug is specified for?"""
    answers = []
    for cable in own_cables(card, ask):
        rating, nominal = ask("cable.rating", cable), rating_of(ask("cable.connector", cable), ask)
        if rating is not None:
            answers.append(None if nominal is None else rating.is_below(nominal))
    return either(answers)


def _loads(psu: Subject, ask: Ask) -> dict[str, list[Interval]]:
    """What each GPU draws through each listed cable: its share by the heads it has there."""
    found: dict[str, list[Interval]] = {}
    for edge in ask.graph.out("cabled", psu):
        card = ask.graph.subjects[edge.end]
        runs: dict[str, int] = edge.data["runs"]
        if card.kind != "gpu" or not runs:
            continue
        power, heads = ask.number("gpu.cable_power", card), sum(runs.values())
        for run, number in runs.items():
            found.setdefault(run, []).append(power * exact(number / heads))
    return found


@graph("psu.has_cables_for_several_cards", TRUTH)
def has_cables_for_several_cards(psu: Subject, ask: Ask) -> bool:
    """Does one of its listed cables feed more than one GPU?"""
    return any(len(shares) > 1 for shares in _loads(psu, ask).values())


def _fullest_shared(name: str, *, sixteen_pin: bool) -> None:
    """Declare what several GPUs draw together through the fullest cable of a PSU, in W."""

    @graph(name, units.POWER)
    def fullest(psu: Subject, ask: Ask) -> Interval:
        loads = [
            add_up(shares)
            for run, shares in _loads(psu, ask).items()
            if len(shares) > 1 and run.startswith(SIXTEEN_PIN) == sixteen_pin
        ]
        return Interval(max(x.low for x in loads), max(x.high for x in loads)) if loads else ZERO


_fullest_shared("psu.fullest_shared_cable", sixteen_pin=False)
_fullest_shared("psu.fullest_shared_sixteen_pin", sixteen_pin=True)
