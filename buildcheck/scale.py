"""What several cards bring: step times on a build, with fewer cards, and with other links.

Each change is one of the graph (fewer cards, wider slots, a bridge, another network), after which
the same facts are measured again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.bench import Bench, Trial, trial, unusable, without_bf16
from buildcheck.errors import InputError
from buildcheck.model.graph import Edge, Graph, Subject
from buildcheck.model.part import Source, Sourced
from buildcheck.model.quantity import ONE, Interval, exact, number_text
from buildcheck.proposals import proposals

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from buildcheck.catalog import Catalog
    from buildcheck.measure import Facts
    from buildcheck.model.part import Part

_TRIED = Source("tried by this program", "", "assumption")
#: Lanes of the widest slot there is.
_WIDEST = exact(16.0)
_PAIR, _MANY = 2, 10
#: What says how much a step computes.
_SIZED = ("parameters", "batch", "context")


class Times(NamedTuple):
    """Seconds of a step and its parts, and speed-ups by each way to share it; None is not known."""

    exchange: Interval | None
    between_machines: Interval | None
    plain_exchange: Interval | None
    tensor_exchange: Interval | None
    handing_on: Interval | None
    alone: Interval | None
    step: Interval | None
    speedup: Interval | None
    accumulated_speedup: Interval | None
    tensor_speedup: Interval | None
    pipeline_speedup: Interval | None


class Variant(NamedTuple):
    """A change of the links: which, to what, and the times that it leads to."""

    key: str
    what: str
    rate: Interval | None
    times: Times


class Share(NamedTuple):
    """The same with so many of the cards: those that exchange fastest."""

    cards: int
    times: Times

    @property
    def efficiency(self) -> Interval | None:
        """What each card brings of data-parallel work, as a share of one alone."""
        speedup = self.times.speedup
        return speedup and speedup / exact(float(self.cards))


class Link(NamedTuple):
    """What copies between cards go over, and which cards set its pace.

    `over` is bridge, slots, memory, or slots or memory; the cards are those of the slowest link,
    with its lanes and generation. Rates are in GB/s.
    """

    over: str
    cards: tuple[str, ...]
    lanes: Interval | None
    generation: Interval | None
    rate: Interval | None
    copies: Interval | None


@dataclass(frozen=True)
class Scale:
    """Parallel work on a build as it is, with fewer cards, and with other links.

    `shares` are for one machine, from two cards on; `step` says whether the time of a step on one
    card is stated or estimated, or is empty where it is not known; it is estimated `by_both`
    readings where benchmarks tell too. `need` and `room` are of memory on a card, in GB, `steps`
    those between two exchanges where gradients are accumulated. `no_bridge` says why none is tried.
    """

    name: str
    kind: str
    cards: int
    machines: Interval
    settings: Mapping[str, Any]
    taken: Mapping[str, Any]
    link: Link
    network: Interval | None
    mixed: Interval | None
    times: Times
    step: str
    by_both: bool
    need: Interval | None
    room: Interval | None
    steps: Interval | None
    shares: tuple[Share, ...]
    variants: tuple[Variant, ...]
    no_bridge: str
    without_bf16: tuple[str, ...] = ()
    #: What a stated step reaches of the card's peak, and what published training reaches.
    utilisation: Interval | None = None
    utilised: Interval | None = None
    #: What of the size of a step is taken, as nobody states it.
    unsized: tuple[str, ...] = ()


def scale(raw: bytes, path: str, catalog: Catalog, told: Mapping[str, Any]) -> Scale:
    """Step times of the model of the build file, with what is `told` of it over that.

    Raises `InputError` where the build or the model cannot be used.
    """
    tried = trial(raw, path, catalog, told)
    wrong = list(unusable(tried))
    if wrong:
        raise InputError(wrong)
    return scaled(tried)


def scaled(tried: Trial) -> Scale:
    """Step times of a model that is tried on a build."""
    bench = tried.bench
    graph, facts = bench.graph, bench.measured({})
    times = _times(facts)
    return Scale(
        name=tried.name,
        kind=tried.kind,
        cards=len(graph.of("gpu")),
        machines=facts("network.machines") or ONE,
        settings=tried.settings,
        taken=tried.taken,
        link=_link(graph, facts),
        network=facts("network.rate"),
        mixed=facts("build.mixed_efficiency"),
        times=times,
        step="stated" if "step_time" in tried.settings else "estimated" if times.alone else "",
        by_both=all(facts("gpu.benchmarked_rate", card) for card in graph.of("gpu")),
        need=facts("workload.card_need"),
        room=facts("build.card_room"),
        steps=facts("standard.accumulated_steps"),
        shares=tuple(_shares(bench, facts)),
        variants=tuple(_variants(graph, bench.catalog, bench.settings, facts)),
        no_bridge=_no_bridge(graph, bench.catalog, facts),
        without_bf16=without_bf16(bench),
        utilisation=facts("workload.utilisation"),
        unsized=tuple(name for name in _SIZED if name not in tried.settings),
        utilised=facts("standard.tensor_utilisation"),
    )


def _times(facts: Facts) -> Times:
    return Times(
        facts("workload.exchange_time"),
        facts("workload.exchange_between_machines"),
        facts("workload.plain_exchange_time"),
        facts("workload.tensor_exchange_time"),
        facts("workload.handing_on_time"),
        facts("workload.step_alone"),
        facts("workload.step_on_all"),
        facts("workload.speedup"),
        facts("workload.accumulated_speedup"),
        facts("workload.tensor_speedup"),
        facts("workload.pipeline_speedup"),
    )


def _link(graph: Graph, facts: Facts) -> Link:
    slowest = facts("build.slowest_link")
    at = [c for c in graph.of("gpu") if slowest and facts("gpu.link_rate", c) == slowest]
    first = at[0] if at else None
    return Link(
        facts("build.copies_over"),
        tuple(card.id for card in at),
        facts("gpu.link_lanes", first) if first else None,
        facts("gpu.link_gen", first) if first else None,
        slowest,
        facts("build.exchange_rate"),
    )


def _shares(bench: Bench, facts: Facts) -> Iterator[Share]:
    """Two cards and more of one machine; a bridge's own two come first, then the fastest links."""
    cards = bench.graph.of("gpu")
    bridged = {c.id for b in bench.graph.of("bridge")[:1] for c in bench.graph.ends("joins", b)}

    def order(card: Subject) -> tuple[bool, float]:
        rate = facts("gpu.link_rate", card)
        return card.id not in bridged, -rate.low if rate else 0.0

    kept = sorted(cards, key=order)
    for number in _numbers(len(cards)):
        fewer = Bench(_without(bench.graph, kept[number:]), bench.catalog, bench.settings)
        yield Share(number, _times(fewer.measured({})))


def _numbers(cards: int) -> list[int]:
    """Every number from two on; of many cards, their doublings and all."""
    if cards <= _MANY:
        return list(range(_PAIR, cards + 1))
    doublings = [2**n for n in range(1, cards.bit_length()) if 2**n < cards]
    return [*doublings, cards]


def _without(graph: Graph, gone: list[Subject]) -> Graph:
    """One machine without some of its cards; those that are left stay where they are."""
    names = {card.id for card in gone}
    network = graph.the("network")
    alone = {name: value for name, value in network.facts.items() if name != "machines"}
    kept = {s.id: s for s in graph.subjects.values() if s.id not in names}
    edges = tuple(e for e in graph.edges if not names & {e.start, e.end})
    return Graph({**kept, network.id: replace(network, facts=alone)}, edges)


def _variants(
    graph: Graph, catalog: Catalog, values: Mapping[str, Any], now: Facts
) -> Iterator[Variant]:
    """Changes that make something faster here."""
    for key, what, changed in (
        ("wider-slots", "x16", _widened(graph)),
        *_renewed(graph, now),
        *_straight(graph, now),
        *_bridged(graph, catalog, now),
        *_networked(graph, now),
    ):
        facts = Bench(changed, catalog, values).measured({})
        network = key == "network"
        rate = facts("network.rate") if network else facts("build.exchange_rate")
        before = now("network.rate") if network else now("build.exchange_rate")
        if rate != before:
            yield Variant(key, what, rate, _times(facts))


def _widened(graph: Graph) -> Graph:
    """Every card in a slot of sixteen lanes, as far as card and riser have them."""
    edges = tuple(
        replace(edge, data={**edge.data, "lanes": _WIDEST}) if edge.kind == "seated" else edge
        for edge in graph.edges
    )
    return Graph(graph.subjects, edges)


def _renewed(graph: Graph, now: Facts) -> Iterator[tuple[str, str, Graph]]:
    """CPU, board and settings of the newest generation that all cards are of."""
    newest = {now("gpu.pcie_gen", card) for card in graph.of("gpu")}
    if len(newest) != 1 or None in newest:
        return
    (generation,) = newest
    cpu, firmware = graph.the("cpu"), graph.the("firmware")
    given = Sourced(generation, _TRIED, "assumption", "")
    unset = {name: value for name, value in firmware.facts.items() if name != "link_gen"}
    subjects = {
        **graph.subjects,
        cpu.id: replace(cpu, facts={**cpu.facts, "pcie_gen": given}),
        firmware.id: replace(firmware, facts=unset),
    }
    edges = tuple(
        replace(edge, data={**edge.data, "gen": generation}) if edge.kind == "seated" else edge
        for edge in graph.edges
    )
    yield "newer-platform", f"PCIe {number_text(generation.low)}.0", Graph(subjects, edges)


def _straight(graph: Graph, now: Facts) -> Iterator[tuple[str, str, Graph]]:
    """Cards, or a driver of theirs, that copy straight to each other."""
    if now("build.copies_over") != "memory":
        return
    able = Sourced(True, _TRIED, "assumption", "")
    cards = {c.id: replace(c, facts={**c.facts, "peer_to_peer": able}) for c in graph.of("gpu")}
    yield "straight-copies", "", Graph({**graph.subjects, **cards}, graph.edges)


def _bridged(graph: Graph, catalog: Catalog, now: Facts) -> Iterator[tuple[str, str, Graph]]:
    """The fastest bridge that two cards without one take, whatever their distance."""
    cards = graph.of("gpu")
    fitting = _bridges(_edges(graph, now), catalog)
    if len(cards) != _PAIR or not fitting or graph.of("bridge"):
        return
    best = max(fitting, key=lambda part: part.facts["rate"].value.low)
    bridge = Subject("nvlink[+]", "bridge", best.name, best.facts)
    joins = tuple(Edge("joins", bridge.id, card.id) for card in cards)
    yield (
        "bridge",
        best.name,
        Graph({**graph.subjects, bridge.id: bridge}, (*graph.edges, *joins)),
    )


def _edges(graph: Graph, now: Facts) -> set[str]:
    """The generation of bridge that all cards take; none where one has no edge for it."""
    edges = {now("gpu.nvlink", card) for card in graph.of("gpu")}
    return edges if len(edges) == 1 and not edges & {None, "none"} else set()


def _bridges(edges: set[str], catalog: Catalog) -> list[Part]:
    """Bridges of these generations whose rate is known."""
    parts = [catalog.part(one) for one in catalog.ids("nvlink-bridge") if edges]
    return [
        part
        for part in parts
        if {"generations", "rate"} <= set(part.facts) and edges <= part.facts["generations"].value
    ]


def _no_bridge(graph: Graph, catalog: Catalog, now: Facts) -> str:
    """Why no bridge is tried for cards that take one: they are more than two, or none is listed."""
    edges = _edges(graph, now)
    if not edges or len(graph.of("gpu")) < _PAIR or graph.of("bridge"):
        return ""
    if not _bridges(edges, catalog):
        return "unlisted"
    return "pairs" if len(graph.of("gpu")) > _PAIR else ""


def _networked(graph: Graph, now: Facts) -> Iterator[tuple[str, str, Graph]]:
    """Faster links between machines, if several train together: no layer is split over them."""
    machines, rate = now("network.machines"), now("network.rate")
    if machines is None or machines == ONE or now("workload.is_inference"):
        return
    network = graph.the("network")
    for tried in proposals().network_rates:
        if rate is not None and tried <= rate.high:
            continue
        given = Sourced(exact(tried), _TRIED, "assumption", "")
        faster = replace(network, facts={**network.facts, "between_machines": given})
        # Bytes have eight bits, and networks are sold by those.
        what = f"{tried * 2**3:g} Gbit/s"
        yield "network", what, Graph({**graph.subjects, network.id: faster}, graph.edges)
