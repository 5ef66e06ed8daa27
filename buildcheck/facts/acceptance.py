"""Positions of parts and values to measure there, for the assembly plan."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.plugs import cabled
from buildcheck.facts.registry import CODE, TRUTH, Ask, graph
from buildcheck.facts.space import seat
from buildcheck.logic.quantity import ZERO, Interval, exact

if TYPE_CHECKING:
    from buildcheck.model.graph import Edge, Subject

# -- whose cards they are ----------------------------------------------------

#: Architectures of cards that are not NVIDIA's, and whose they are.
_MAKERS = {
    **dict.fromkeys(("Polaris", "RDNA 2", "RDNA 3", "RDNA 4", "Vega and CDNA"), "AMD"),
    "Arc": "Intel",
}
#: Label for a card of unknown architecture.
_UNKNOWN = "unknown architecture"


@graph("gpu.chip_maker", CODE)
def chip_maker(card: Subject, ask: Ask) -> Any:
    """Maker of its chip, which decides the vendor tool: NVIDIA, AMD or Intel."""
    architecture = ask("gpu.architecture", card)
    if architecture is None or architecture == _UNKNOWN:
        return None
    return _MAKERS.get(architecture, "NVIDIA")


# -- limits that somebody has to set -----------------------------------------


@graph("gpu.limit_is_to_set", TRUTH)
def limit_is_to_set(card: Subject, ask: Ask) -> bool:
    """Does the build give a power limit that the card does not come with?

    Where its default is a range the limit has to be set in any case.
    """
    limit, default = ask("gpu.power_limit", card), ask("gpu.board_power", card)
    return limit is not None and not (limit.is_exact and limit == default)


# -- where things go ---------------------------------------------------------


@graph("gpu.expansion_slot", units.NUMBER)
@graph("addin.expansion_slot", units.NUMBER)
def expansion_slot(card: Subject, ask: Ask) -> Interval | None:
    """Bracket opening of its slot, counted from the CPU."""
    ask("motherboard.slots")
    found = seat(card, ask)
    position = found["position"] if found else None
    return None if position is None else exact(float(position))


@graph("storage.plugged_into", CODE)
def plugged_into(drive: Subject, ask: Ask) -> Any:
    """Label of the M.2 socket it is assigned to."""
    ask("motherboard.m2_slots")
    edges = ask.graph.out("plugged", drive)
    return edges[0].data["socket"] if edges else None


@graph("storage.socket_is_known", TRUTH)
def socket_is_known(drive: Subject, ask: Ask) -> bool | None:
    """Has the plan an M.2 socket for it? Not so for drives of other forms."""
    if not ask.graph.out("plugged", drive):
        return False
    return True if ask("storage.plugged_into", drive) is not None else None


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


@graph("gpu.supply", CODE)
@graph("motherboard.supply", CODE)
def supply(fed: Subject, ask: Ask) -> Any:
    """The supply that feeds its sockets or runs the board, by id."""
    edges = ask.graph.into("runs" if fed.kind == "motherboard" else "feeds", fed)
    return edges[0].start if edges else None


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


@graph("psu.card_plugs_are_planned", TRUTH)
def card_plugs_are_planned(psu: Subject, ask: Ask) -> bool | None:
    """Does the plan say which of its plugs feed cards? Not where it feeds none."""
    if not ask.graph.out("feeds", psu) or ask("psu.card_plugs", psu) == "none":
        return False
    return None if ask("psu.card_plugs", psu) is None else True


# -- what to measure ---------------------------------------------------------


@graph("gpu.link_is_known", TRUTH)
def link_is_known(card: Subject, ask: Ask) -> bool | None:
    """Are width and generation of its link each one number?"""
    for name in ("gpu.link_lanes", "gpu.link_gen"):
        value = ask(name, card)
        if value is None or not value.is_exact:
            return None
    return True


_COUPLER = re.compile(r"C ?(\d{1,2})\b")
_PAIR = 2


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


@graph("build.counts_on_a_bridge", TRUTH)
def counts_on_a_bridge(build: Subject, ask: Ask) -> bool | None:
    """Would a bridge that is not listed give the copies between cards that the work relies on?

    Cards that copy straight over PCIe need none.
    """
    cards = ask.graph.of("gpu")
    if ask.graph.of("bridge") or len(cards) != _PAIR or not ask("workload.relies_on_peers"):
        return False
    edges = {ask("gpu.nvlink", card) for card in cards}
    if ask("build.cards_copy_directly", build) is not False or None in edges:
        return None if ask("build.cards_copy_directly", build) is None else False
    return len(edges) == 1 and edges != {"none"}
