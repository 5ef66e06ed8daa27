"""Positions of parts and values to measure there, for the assembly plan."""

from __future__ import annotations

import re
from typing import Any

from buildcheck.facts.plugs import cabled
from buildcheck.facts.registry import CODE, TRUTH, Ask, graph
from buildcheck.logic.quantity import ZERO
from buildcheck.model.graph import Edge, Subject


@graph("bridge.joined_cards", CODE)
def joined_cards(bridge: Subject, ask: Ask) -> Any:
    """The cards it joins, by id."""
    return " and ".join(card.id for card in ask.graph.ends("joins", bridge)) or None


# -- which cable goes where --------------------------------------------------


def _planned(edge: Edge, ask: Ask) -> bool:
    """Is every socket at the end of a cable known, and has it a plug?"""
    end = ask.graph.subjects[edge.end]
    ask("psu.plugs", ask.graph.subjects[edge.start])
    if end.kind == "riser":
        return bool(edge.data["unfed"] == ZERO)
    plugs = ask(f"{end.kind}.{'slot_power_plugs' if edge.kind == 'slot_fed' else 'plugs'}", end)
    counted = plugs is not None and all(number.is_exact for number in plugs.values())
    return counted and bool(edge.data["unfed"] == ZERO)


@graph("gpu.fed_by", CODE)
@graph("motherboard.fed_by", CODE)
def fed_by(fed: Subject, ask: Ask) -> Any:
    """The plugs of its supply that go into it, if all its sockets have one."""
    edges = cabled(fed, ask)
    return edges[0].data["output"] if edges and _planned(edges[0], ask) else None


@graph("psu.card_plugs", CODE)
def card_plugs(psu: Subject, ask: Ask) -> Any:
    """Its plugs that feed cards, by kind, where each socket of them is known to get one."""
    cards = [e for e in ask.graph.out("cabled", psu) if ask.graph.subjects[e.end].kind == "gpu"]
    planned = [_planned(edge, ask) for edge in cards]
    if not all(planned):
        return None
    used: dict[str, int] = {}
    for edge in cards:
        for connector, number in edge.data["with"].items():
            used[connector] = used.get(connector, 0) + number
    return ", ".join(f"{number}x {connector}" for connector, number in used.items()) or "none"


# -- what to measure ---------------------------------------------------------


_COUPLER = re.compile(r"C ?(\d{1,2})\b")


@graph("gpu.adapter_comes_along", TRUTH)
def adapter_comes_along(card: Subject, ask: Ask) -> bool | None:
    """Is the listed adapter the one bundled with the card? None if not known."""
    bundled = ask.graph.ends("bundled_adapter", card)
    own = ask.graph.ends("adapter", card)
    if not bundled:
        return None
    return {a.name for a in own} <= {a.name for a in bundled}


@graph("psu.cord_end", CODE)
def cord_end(psu: Subject, ask: Ask) -> str | None:
    """The coupler of the mains cord that goes into its inlet: C13 into C14, C19 into C20."""
    found = _COUPLER.search(ask("psu.inlet", psu) or "")
    if not found:
        return None
    number = int(found[1])
    return f"C{number if number % 2 else number - 1}"
