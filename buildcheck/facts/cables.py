"""Cables and adapters from PSU to GPU: which outputs they use, and the load on each."""

import math
from collections import Counter
from typing import Any

from buildcheck import units
from buildcheck.connect.outputs import MOST_HEADS, PCIE, SIXTEEN_PIN
from buildcheck.facts.plugs import has_socket
from buildcheck.facts.registry import CODE, TRUTH, Ask, graph, relation
from buildcheck.logic.quantity import ONE, UNKNOWN, ZERO, Interval, exact
from buildcheck.logic.quantity import total as add_up
from buildcheck.model.graph import Subject, by_key
from buildcheck.model.labels import subject_labels

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


@graph("gpu.adapter_comes_along", TRUTH)
def adapter_comes_along(card: Subject, ask: Ask) -> bool | None:
    """Is the listed adapter the one bundled with the card? None if not known."""
    bundled = {a.name for a in ask.graph.ends("bundled_adapter", card)}
    return {a.name for a in ask.graph.ends("adapter", card)} <= bundled if bundled else None


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
    sockets, adapter = ask("gpu.plug_count", card), _adapter_in_use(card, ask)
    if adapter is None or sockets is None or not ask("gpu.is_adapted", card):
        return sockets
    inputs = ask("adapter.inputs", adapter)
    if not inputs:
        return sockets
    through = ask("gpu.plugs", card)[ask("adapter.output", adapter)]
    return sockets - through + through * add_up(list(inputs.values()))


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


def _loads(psu: Subject, ask: Ask) -> dict[str, list[Interval]]:
    """What each GPU draws through each listed cable: its share by the heads it has there."""
    cabled = ((ask.graph.subjects[e.end], e.data["runs"]) for e in ask.graph.out("cabled", psu))
    return by_key(
        (run, ask.number("gpu.cable_power", card) * exact(number / sum(runs.values())))
        for card, runs in cabled
        if card.kind == "gpu"
        for run, number in runs.items()
    )


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


@graph("gpu.outputs_in_use", CODE)
def outputs_in_use(card: Subject, ask: Ask) -> str:
    """Outputs of its PSU that its empty sockets could take, and what they feed instead."""
    cabled = ask.graph.into("cabled", card)
    lacking: dict[str, int] = cabled[0].data["lacking"] if cabled else {}
    if not lacking:
        return "none"
    psu = ask.graph.subjects[cabled[0].start]
    taken: dict[str, Counter[str]] = {}
    kinds = ("board_cabled", "cabled", "slot_fed")
    for edge in (e for kind in kinds for e in ask.graph.out(kind, psu)):
        for connector, number in edge.data["with"].items():
            if _serves(connector, lacking, ask):
                taken.setdefault(connector, Counter())[edge.end] += number
    used = (f"{sum(n.values())}x {c} by {subject_labels(n)}" for c, n in taken.items())
    return "; ".join(used) or "none"


@graph("gpu.usual_adapter", CODE)
def usual_adapter(card: Subject, ask: Ask) -> str | None:
    """The usual adapter for one of its sockets without a cable, if there is one."""
    lacking = (c for edge in ask.graph.into("cabled", card) for c in edge.data["lacking"])
    plugs = (ask.graph.subjects.get(f"connector:{connector}") for connector in lacking)
    return next((found for p in plugs if p and (found := ask("connector.adapter", p))), None)


def _pcie_plugs(psu: Subject, ask: Ask) -> list[tuple[Interval, Interval]]:
    """PCIe cables that each GPU on a PSU wants, and the power through one of them.

    That is one for each plug, or as many as the build states. None where it lists the cables.
    """
    found = []
    for edge in () if ask.graph.out("stocks", psu) else ask.graph.out("cabled", psu):
        card, used = ask.graph.subjects[edge.end], edge.data["with"]
        if card.kind == "gpu" and used.get(PCIE):
            plugs, stated = exact(float(used[PCIE])), ask("gpu.power_cables", card)
            share = exact(used[PCIE] / sum(used.values()))
            found.append((stated or plugs, ask.number("gpu.cable_power", card) * share / plugs))
    return found


@graph("psu.pcie_plugs_in_use", units.NUMBER)
def pcie_plugs_in_use(psu: Subject, ask: Ask) -> Interval:
    """PCIe 8-pin cables that its GPUs want: one for each plug, unless stated otherwise."""
    return add_up([number for number, _ in _pcie_plugs(psu, ask)])


@graph("psu.pcie_cables", units.NUMBER)
def pcie_cables(psu: Subject, ask: Ask) -> Any:
    """Its PCIe 8-pin cables: as known, else one for each two of its plugs at least."""
    cables, plugs = ask("psu.cables", psu) or {}, ask("psu.plugs", psu)
    if PCIE in cables or plugs is None:
        return cables.get(PCIE)
    heads: Interval = plugs.get(PCIE, ZERO)
    return Interval(float(math.ceil(heads.low / MOST_HEADS)), heads.high)


@graph("psu.fullest_pcie_cable", units.POWER)
def fullest_pcie_cable(psu: Subject, ask: Ask) -> Any:
    """Power on its fullest PCIe cable, the plugs of its GPUs spread as evenly as they go, in W."""
    cables, plugs = ask("psu.pcie_cables", psu), ask.number("psu.pcie_plugs_in_use", psu)
    loads = [load for _, load in _pcie_plugs(psu, ask)]
    if cables is None or not cables.low or not loads:
        return None
    few, many = (math.ceil(n / c) for n, c in ((plugs.low, cables.high), (plugs.high, cables.low)))
    return Interval(min(load.low for load in loads) * few, max(load.high for load in loads) * many)


def _serves(connector: str, sockets: dict[str, int], ask: Ask) -> bool:
    plug = ask.graph.subjects.get(f"connector:{connector}")
    fits = (ask("connector.fits", plug) if plug else None) or frozenset()
    return connector in sockets or any(socket in fits for socket in sockets)


@graph("psu.card_plugs", CODE)
def card_plugs(psu: Subject, ask: Ask) -> Any:
    """Its plugs that feed cards, by kind, where each socket of them is known to get one."""
    cards = [e for e in ask.graph.out("cabled", psu) if ask.graph.subjects[e.end].kind == "gpu"]
    if None in [ask("gpu.fed_by", ask.graph.subjects[edge.end]) for edge in cards]:
        return None
    used: Counter[str] = Counter()
    for edge in cards:
        used.update(edge.data["with"])
    return ", ".join(f"{number}x {connector}" for connector, number in used.items()) or "none"
