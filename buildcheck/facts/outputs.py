"""Outputs of a PSU: what uses those that a GPU lacks, and how many plugs share its cables."""

from __future__ import annotations

import math
from typing import Any

from buildcheck import units
from buildcheck.facts.registry import CODE, Ask, graph
from buildcheck.logic.quantity import ZERO, Interval, exact
from buildcheck.logic.quantity import total as add_up
from buildcheck.model.graph import Subject
from buildcheck.model.labels import subject_labels

_PCIE = "pcie-8-pin"
#: PCIe heads on one cable, at most.
_MOST_HEADS = 2


@graph("gpu.outputs_in_use", CODE)
def outputs_in_use(card: Subject, ask: Ask) -> str:
    """Outputs of its PSU that its empty sockets could take, and what they feed instead."""
    cabled = ask.graph.into("cabled", card)
    lacking: dict[str, int] = cabled[0].data["lacking"] if cabled else {}
    if not lacking:
        return "none"
    psu = ask.graph.subjects[cabled[0].start]
    taken: dict[str, dict[str, int]] = {}
    kinds = ("board_cabled", "cabled", "slot_fed")
    for edge in (e for kind in kinds for e in ask.graph.out(kind, psu)):
        for connector, number in edge.data["with"].items():
            if _serves(connector, lacking, ask):
                users = taken.setdefault(connector, {})
                users[edge.end] = users.get(edge.end, 0) + number
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
        if card.kind == "gpu" and used.get(_PCIE):
            plugs = exact(float(used[_PCIE]))
            stated = ask("gpu.power_cables", card)
            share = exact(used[_PCIE] / sum(used.values()))
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
    if _PCIE in cables or plugs is None:
        return cables.get(_PCIE)
    heads: Interval = plugs.get(_PCIE, ZERO)
    return Interval(float(math.ceil(heads.low / _MOST_HEADS)), heads.high)


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
