"""Other links between the GPUs of a build, and the facts that they lead to."""

from collections.abc import Iterator
from dataclasses import replace

from buildcheck.catalog import Catalog
from buildcheck.logic.quantity import ONE, Interval, exact, number_text
from buildcheck.measure import Facts, measure
from buildcheck.model.graph import Edge, Graph, Subject
from buildcheck.model.part import Part, Source, Sourced
from buildcheck.rulebook.proposals import proposals
from buildcheck.workload.model_setup import ModelSetup

_TRIED = Source("tried by this program", "", "assumption")
_PAIR = 2


def link_changes(
    setup: ModelSetup, now: Facts
) -> Iterator[tuple[str, str, Interval | None, Facts]]:
    """Changes that make copies or the network faster: which, to what, rate in GB/s, facts."""
    graph = setup.machine.graph
    for key, what, changed in (
        ("wider-slots", "x16", Graph(graph.subjects, _in_slots(graph, lanes=exact(16.0)))),
        *_with_newer_platform(graph, now),
        *_with_straight_copies(graph, now),
        *_with_bridge(graph, setup.catalog, now),
        *_with_network(graph, now),
    ):
        facts = replace(setup, machine=measure(changed)).facts()
        name = "network.rate" if key == "network" else "build.exchange_rate"
        rate: Interval | None = facts(name)
        if rate != now(name):
            yield key, what, rate, facts


def why_no_bridge(setup: ModelSetup, now: Facts) -> str:
    """Why no bridge is tried: `pairs` (more than two GPUs), `unlisted`, or empty."""
    graph, generations = setup.machine.graph, _bridge_generations(setup.machine.graph, now)
    if not generations or len(graph.of("gpu")) < _PAIR or graph.of("bridge"):
        return ""
    if not _bridges(generations, setup.catalog):
        return "unlisted"
    return "pairs" if len(graph.of("gpu")) > _PAIR else ""


def _in_slots(graph: Graph, **data: Interval) -> tuple[Edge, ...]:
    """The edges with other data of the slots."""
    return tuple(
        replace(edge, data={**edge.data, **data}) if edge.kind == "seated" else edge
        for edge in graph.edges
    )


def _with_newer_platform(graph: Graph, now: Facts) -> Iterator[tuple[str, str, Graph]]:
    """CPU, board and settings of the newest PCIe generation that all GPUs have."""
    newest = {now("gpu.pcie_gen", gpu) for gpu in graph.of("gpu")}
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
    changed = Graph(subjects, _in_slots(graph, gen=generation))
    yield "newer-platform", f"PCIe {number_text(generation.low)}.0", changed


def _with_straight_copies(graph: Graph, now: Facts) -> Iterator[tuple[str, str, Graph]]:
    """GPUs, or a driver of theirs, that copy to each other without main memory."""
    if now("build.copies_over") != "memory":
        return
    able = Sourced(True, _TRIED, "assumption", "")
    gpus = {c.id: replace(c, facts={**c.facts, "peer_to_peer": able}) for c in graph.of("gpu")}
    yield "straight-copies", "", Graph({**graph.subjects, **gpus}, graph.edges)


def _with_bridge(graph: Graph, catalog: Catalog, now: Facts) -> Iterator[tuple[str, str, Graph]]:
    """The fastest bridge that two GPUs without one take, whatever their distance."""
    gpus = graph.of("gpu")
    fitting = _bridges(_bridge_generations(graph, now), catalog)
    if len(gpus) != _PAIR or not fitting or graph.of("bridge"):
        return
    best = max(fitting, key=lambda part: part.facts["rate"].value.low)
    bridge = Subject("nvlink[+]", "bridge", best.name, best.facts)
    joins = tuple(Edge("joins", bridge.id, gpu.id) for gpu in gpus)
    yield "bridge", best.name, Graph({**graph.subjects, bridge.id: bridge}, (*graph.edges, *joins))


def _bridge_generations(graph: Graph, now: Facts) -> set[str]:
    """The generation of bridge that all GPUs take; empty where one takes none."""
    found = {now("gpu.nvlink", gpu) for gpu in graph.of("gpu")}
    return found if len(found) == 1 and not found & {None, "none"} else set()


def _bridges(generations: set[str], catalog: Catalog) -> list[Part]:
    """Bridges of these generations with a known rate."""
    parts = [catalog.part(one) for one in catalog.ids("nvlink-bridge") if generations]
    return [
        part
        for part in parts
        if {"generations", "rate"} <= set(part.facts)
        and generations <= part.facts["generations"].value
    ]


def _with_network(graph: Graph, now: Facts) -> Iterator[tuple[str, str, Graph]]:
    """Faster links between machines that train together."""
    machines, rate = now("network.machines"), now("network.rate")
    if machines is None or machines == ONE or now("workload.is_inference"):
        return
    network = graph.the("network")
    for tried in proposals().network_rates:
        if rate is not None and tried <= rate.high:
            continue
        given = Sourced(exact(tried), _TRIED, "assumption", "")
        faster = replace(network, facts={**network.facts, "between_machines": given})
        # Networks are sold by the bit.
        what = f"{tried * 2**3:g} Gbit/s"
        yield "network", what, graph.with_subject(faster)
