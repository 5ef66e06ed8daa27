"""Sockets and the plugs for them: what is fed, and what each is specified for."""

import math
from itertools import product
from typing import Any

from buildcheck import units
from buildcheck.facts.registry import CODE, TRUTH, Ask, graph, is_said
from buildcheck.logic.interval import either
from buildcheck.logic.quantity import UNKNOWN, ZERO, Interval
from buildcheck.logic.quantity import total as add_up
from buildcheck.model.graph import Edge, Subject

EPS = "eps-8-pin"
#: Plugs of drive cables, which every PSU has and few lists count.
DRIVE_PLUGS = ("molex", "sata")

is_said("build.states_common_start", "psu_sync", "adapter", "board", "backplane")
is_said("build.states_start", "psu_sync", "none", "adapter", "board", "backplane")


def cabled(subject: Subject, ask: Ask) -> list[Edge]:
    """Cable connections from a PSU to a subject."""
    kind = "board_cabled" if subject.kind == "motherboard" else "cabled"
    return ask.graph.into(kind, subject)


@graph("gpu.lacking_plugs", CODE)
@graph("motherboard.lacking_plugs", CODE)
def lacking_plugs(subject: Subject, ask: Ask) -> str:
    """The sockets for which no cable is left, by kind, at worst."""
    edges = cabled(subject, ask)
    kinds: dict[str, int] = edges[0].data["lacking"] if edges else {}
    least = edges[0].data["unfed"].low if len(kinds) == 1 else 0
    return ", ".join(
        f"{least:.0f}–{number}x {connector}" if 0 < least < number else f"{number}x {connector}"
        for connector, number in kinds.items()
    )


def unfed(edge: Edge, ask: Ask, sockets: Interval) -> Interval:
    """How many of these sockets are without a cable, after the GPUs have theirs.

    Drive plugs are certainly lacking only where plugs are counted, and any may lack where
    the sockets of a GPU on that PSU are not known.
    """
    psu = ask.graph.subjects[edge.start]
    counted = {} if ask.graph.out("stocks", psu) else ask("psu.plugs", psu) or {}
    lacking: dict[str, int] = edge.data["lacking"]
    doubtful = sum(n for c, n in lacking.items() if c in DRIVE_PLUGS and c not in counted)
    found: Interval = edge.data["unfed"]
    greedy = None in [ask("gpu.plugs", card) for card in ask.graph.ends("feeds", psu)]
    return Interval(max(0.0, found.low - doubtful), sockets.high if greedy else found.high)


def rating_of(connector: str, ask: Ask) -> Any:
    """Rated power of a connector, in W; None if not stated."""
    found = ask.graph.subjects.get(f"connector:{connector}")
    return None if found is None else ask("connector.rating", found)


def _socket_rating(card: Subject, connector: str, ask: Ask) -> Interval:
    """Rated power of a socket, in W: by the standard, else at least that of its adapter."""
    rating: Interval | None = rating_of(connector, ask)
    if rating is not None:
        return rating
    for adapter in (*ask.graph.ends("adapter", card), *ask.graph.ends("bundled_adapter", card)):
        if ask("adapter.output", adapter) == connector:
            return Interval(ask.number("adapter.rating", adapter).low, math.inf)
    return UNKNOWN


def _fed(name: str, slot: str) -> None:
    """Declare the rated power of its sockets together with that of its slot, in W."""

    @graph(name, units.POWER)
    def fed(card: Subject, ask: Ask) -> Any:
        plugs = ask("gpu.plugs", card)
        if plugs is None:
            return None
        sockets = [n * _socket_rating(card, c, ask) for c, n in plugs.items()]
        return add_up([ask.number(slot), *sockets])


_fed("gpu.feed_rating", slot="standard.slot_power")
_fed("gpu.feed_rating_12v", slot="standard.slot_power_12v")


def has_socket(plugs: Any, connector: str) -> bool | None:
    """Is a connector among these sockets?"""
    return None if plugs is None else ZERO.is_below(plugs.get(connector, ZERO))


@graph("gpu.cable_fits", TRUTH)
def cable_fits(card: Subject, ask: Ask) -> bool | None:
    """Does the stated cable go into a socket of the GPU, or into its adapter?"""
    plugs, cable = ask("gpu.plugs", card), ask("gpu.cable", card)
    if plugs is None or cable is None:
        return None
    connector = ask.graph.subjects[f"connector:{cable}"]
    into = {cable} | (ask("connector.fits", connector) or frozenset())
    adapters = ask.graph.ends("adapter", card)
    inputs = (ask("adapter.inputs", adapters[0]) or {}) if adapters else {}
    return either([has_socket(*pair) for pair in product((plugs, inputs), into)])


@graph("gpu.eps_feed_is_planned", TRUTH)
def eps_feed_is_planned(card: Subject, ask: Ask) -> bool:
    """Is it stated what feeds its EPS socket: an adapter, a cable, or the plugs of its PSU?"""
    if any(ask(name, card) is not None for name in ("gpu.adapter", "gpu.cable")):
        return True
    feeders = [ask.graph.subjects[edge.start] for edge in ask.graph.into("feeds", card)]
    return any(
        ask.graph.out("stocks", psu) or EPS in (psu.value("plugs") or {})
        for psu in feeders
        if "plugs" not in psu.facts or not psu.facts["plugs"].is_usual
    )
