"""What several cards bring: step times on a build, and what other links would make of them.

Each change is one of the graph (wider slots, a bridge, another network), after which the same
facts are measured again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.bench import Bench, trial
from buildcheck.model.graph import Edge, Graph, Subject
from buildcheck.model.part import Source, Sourced
from buildcheck.model.quantity import ONE, Interval, exact
from buildcheck.proposals import proposals

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from buildcheck.catalog import Catalog
    from buildcheck.measure import Facts

_TRIED = Source("tried by this program", "", "assumption")
#: Lanes of the widest slot there is.
_WIDEST = exact(16.0)
_PAIR = 2


class Times(NamedTuple):
    """Seconds of a step and its parts, by data or tensor parallelism; None where not known."""

    exchange: Interval | None
    between_machines: Interval | None
    plain_exchange: Interval | None
    tensor_exchange: Interval | None
    step: Interval | None
    speedup: Interval | None


class Variant(NamedTuple):
    """A change of the links: which, to what, and the times that it leads to."""

    key: str
    what: str
    rate: Interval | None
    times: Times


@dataclass(frozen=True)
class Scale:
    """Parallel work on a build as it is, and with other links.

    `link` is the slowest of any card, `copies` what copies between cards reach, in GB/s.
    """

    name: str
    kind: str
    cards: int
    machines: Interval
    settings: Mapping[str, Any]
    taken: Mapping[str, Any]
    link: Interval | None
    copies: Interval | None
    network: Interval | None
    mixed: Interval | None
    times: Times
    variants: tuple[Variant, ...]


def scale(raw: bytes, path: str, catalog: Catalog, told: Mapping[str, Any]) -> Scale:
    """Step times of the model of the build file, with what is `told` of it over that.

    Raises `InputError` where the build or the model cannot be used.
    """
    name, kind, settings, taken, bench = trial(raw, path, catalog, told)
    graph, facts = bench.graph, bench.measured({})
    return Scale(
        name=name,
        kind=kind,
        cards=len(graph.of("gpu")),
        machines=facts("network.machines") or ONE,
        settings=settings,
        taken=taken,
        link=facts("build.slowest_link"),
        copies=facts("build.exchange_rate"),
        network=facts("network.rate"),
        mixed=facts("build.mixed_efficiency"),
        times=_times(facts),
        variants=tuple(_variants(graph, catalog, bench.settings, facts)),
    )


def _times(facts: Facts) -> Times:
    return Times(
        facts("workload.exchange_time"),
        facts("workload.exchange_between_machines"),
        facts("workload.plain_exchange_time"),
        facts("workload.tensor_exchange_time"),
        facts("workload.step_on_all"),
        facts("workload.speedup"),
    )


def _variants(
    graph: Graph, catalog: Catalog, values: Mapping[str, Any], now: Facts
) -> Iterator[Variant]:
    """Changes that make something faster here."""
    for key, what, changed in (
        ("wider-slots", "x16", _widened(graph)),
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


def _bridged(graph: Graph, catalog: Catalog, now: Facts) -> Iterator[tuple[str, str, Graph]]:
    """The fastest bridge that two cards without one take, whatever their distance."""
    cards = graph.of("gpu")
    edges = {now("gpu.nvlink", card) for card in cards}
    if len(cards) != _PAIR or len(edges) != 1 or graph.of("bridge"):
        return
    parts = [catalog.part(one) for one in catalog.ids("nvlink-bridge")]
    fitting = [
        part
        for part in parts
        if {"generations", "rate"} <= set(part.facts) and edges <= part.facts["generations"].value
    ]
    if not fitting:
        return
    best = max(fitting, key=lambda part: part.facts["rate"].value.low)
    bridge = Subject("nvlink[+]", "bridge", best.name, best.facts)
    joins = tuple(Edge("joins", bridge.id, card.id) for card in cards)
    yield (
        "bridge",
        best.name,
        Graph({**graph.subjects, bridge.id: bridge}, (*graph.edges, *joins)),
    )


def _networked(graph: Graph, now: Facts) -> Iterator[tuple[str, str, Graph]]:
    """Faster links between machines, if there are several."""
    machines, rate = now("network.machines"), now("network.rate")
    if machines is None or machines == ONE:
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
