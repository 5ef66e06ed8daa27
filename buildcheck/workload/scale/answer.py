"""The answer of `scale`: what several GPUs of a build do on one job."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from buildcheck import units
from buildcheck.catalog import Catalog
from buildcheck.errors import InputError
from buildcheck.logic.quantity import Interval, exact
from buildcheck.measure import Facts, measure
from buildcheck.model.answer import Figure, figure
from buildcheck.model.finding import Report
from buildcheck.model.frozen import Frozen
from buildcheck.model.graph import Graph, Subject
from buildcheck.workload.fit.answer import Setting, setting_values
from buildcheck.workload.model_setup import ModelSetup, model_problems, read_setup, setup_of
from buildcheck.workload.scale.changes import link_changes, why_no_bridge

_PAIR, _MANY = 2, 10
#: What gives the arithmetic of a step.
_SIZED = ("parameters", "batch", "context")
#: The fact behind each time in seconds, and the speed-ups.
_TIMES = {
    **{f"{n}exchange": f"workload.{n}exchange_time" for n in ("", "plain_", "tensor_")},
    "between_machines": "workload.exchange_between_machines",
    "pipeline_exchange": "workload.handing_on_time",
    "step_on_one": "workload.step_alone",
    "step": "workload.step_on_all",
}
_SPEEDUPS = ("speedup", "accumulated_speedup", "tensor_speedup", "pipeline_speedup")


class StepTimes(Frozen):
    """Seconds of a step and its parts, and times the work of one GPU; None where not known."""

    #: Gradients within a machine, between machines, both, and within one without a ring.
    exchange: Figure | None = None
    between_machines: Figure | None = None
    whole_exchange: Figure | None = None
    plain_exchange: Figure | None = None
    tensor_exchange: Figure | None = None
    pipeline_exchange: Figure | None = None
    step_on_one: Figure | None = None
    step: Figure | None = None
    speedup: Figure | None = None
    accumulated_speedup: Figure | None = None
    tensor_speedup: Figure | None = None
    pipeline_speedup: Figure | None = None


class ScaledGpus(Frozen):
    """The job on some of the GPUs, those with the fastest links. Efficiency is a share of one."""

    gpus: int
    times: StepTimes
    efficiency: Figure | None = None


class LinkChange(Frozen):
    """Another link: wider-slots, newer-platform, straight-copies, bridge or network."""

    change: str
    to: str
    times: StepTimes
    rate: Figure | None = None


class GpuLink(Frozen):
    """What copies go over: bridge, slots, memory, or slots or memory. Rates are in GB/s.

    The GPUs are those of the slowest link, by id, with its lanes, generation and rate.
    """

    over: str
    gpus: tuple[str, ...] = ()
    lanes: Figure | None = None
    generation: Figure | None = None
    rate: Figure | None = None
    copies: Figure | None = None


class ScaleAnswer(Frozen):
    """One job on one GPU and on several, as the build is and with other links."""

    name: str
    kind: str
    gpus: int
    machines: int
    settings: dict[str, Setting]
    assumed: dict[str, Setting]
    link: GpuLink
    times: StepTimes
    #: On one machine, from two GPUs on.
    shares: tuple[ScaledGpus, ...] = ()
    changes: tuple[LinkChange, ...] = ()
    network: Figure | None = None
    #: What GPUs of different speed do together, as a share of what each could.
    mixed_efficiency: Figure | None = None
    #: The step on one GPU is stated, estimated or not known (empty); benchmarks are one estimate.
    step_is: str = ""
    by_benchmarks: bool = False
    #: Memory on one GPU in GB, and whether the model fits it.
    need: Figure | None = None
    room: Figure | None = None
    fits_one_gpu: bool | None = None
    #: Steps between two exchanges where gradients are accumulated.
    accumulated_steps: Figure | None = None
    #: Why no bridge is tried: pairs, unlisted or empty.
    no_bridge: str = ""
    without_bf16: tuple[str, ...] = ()
    #: The share of the peak that a stated step reaches, what of its size is assumed, and the
    #: share that published training reaches; whether it is more than that.
    utilisation: Figure | None = None
    utilisation_assumes: tuple[str, ...] = ()
    published_utilisation: Figure | None = None
    is_too_fast: bool = False


def read_scale(raw: bytes, path: str, catalog: Catalog, options: Mapping[str, Any]) -> ScaleAnswer:
    """The answer for a build file with options over it. Raises `InputError`."""
    setup = read_setup(raw, path, catalog, options)
    InputError.raise_any(list(model_problems(setup)))
    return _answer(setup)


def scale_answer(report: Report) -> ScaleAnswer | None:
    """The answer for a judged build; None without a model, or for less than two GPUs."""
    setup = setup_of(report)
    if setup is None or setup.gpus < _PAIR or any(model_problems(setup)):
        return None
    return _answer(setup)


def _answer(setup: ModelSetup) -> ScaleAnswer:
    facts = setup.facts()
    times = _times(facts)
    need, room = facts("workload.card_need"), facts("build.card_room")
    mixed, machines = facts("build.mixed_efficiency"), facts("network.machines")
    reached, published = facts("workload.utilisation"), facts("standard.tensor_utilisation")
    return ScaleAnswer(
        name=setup.name,
        kind=setup.kind,
        gpus=setup.gpus,
        machines=round(machines.high) if machines else 1,
        settings=setting_values(setup.stated),
        assumed=setting_values(setup.assumed),
        link=_link(setup.machine.graph, facts),
        times=times,
        shares=tuple(_shares(setup, facts)),
        changes=tuple(
            LinkChange(key, what, _times(changed), figure(rate, units.RATE))
            for key, what, rate, changed in link_changes(setup, facts)
        ),
        network=figure(facts("network.rate"), units.RATE),
        mixed_efficiency=figure(mixed),
        step_is="stated" if "step_time" in setup.stated else "estimated" * bool(times.step_on_one),
        by_benchmarks=all(
            facts("gpu.benchmarked_rate", gpu) for gpu in setup.machine.graph.of("gpu")
        ),
        need=figure(need, units.DATA),
        room=figure(room, units.DATA),
        fits_one_gpu=need.is_at_most(room) if need and room else None,
        accumulated_steps=figure(facts("standard.accumulated_steps")),
        no_bridge=why_no_bridge(setup, facts),
        without_bf16=setup.gpus_without_bf16(),
        utilisation=figure(reached),
        utilisation_assumes=tuple(n for n in _SIZED if n not in setup.stated) if reached else (),
        published_utilisation=figure(published),
        is_too_fast=bool(reached and published and exact(published.high).is_below(reached)),
    )


def _times(facts: Facts) -> StepTimes:
    found = {name: _seconds(facts(fact)) for name, fact in _TIMES.items()}
    found |= {name: figure(facts(f"workload.{name}")) for name in _SPEEDUPS}
    within, between = (facts(_TIMES[name]) for name in ("exchange", "between_machines"))
    whole = within + between if within and between else None
    return StepTimes(whole_exchange=_seconds(whole), **found)


def _seconds(value: Interval | None) -> Figure | None:
    """A time with six digits, however short it is."""
    if value is None:
        return None
    low, high = (None if math.isinf(e) else float(f"{e:.6g}") for e in (value.low, value.high))
    return Figure(low, high, "s")


def _link(graph: Graph, facts: Facts) -> GpuLink:
    slowest = facts("build.slowest_link")
    at = [c for c in graph.of("gpu") if slowest and facts("gpu.link_rate", c) == slowest]
    first = at[0] if at else None
    return GpuLink(
        over=facts("build.copies_over"),
        gpus=tuple(gpu.id for gpu in at),
        lanes=figure(facts("gpu.link_lanes", first)) if first else None,
        generation=figure(facts("gpu.link_gen", first)) if first else None,
        rate=figure(slowest, units.RATE),
        copies=figure(facts("build.exchange_rate"), units.RATE),
    )


def _shares(setup: ModelSetup, facts: Facts) -> Iterator[ScaledGpus]:
    """Two GPUs and more of one machine: those on a bridge first, then the fastest links."""
    graph = setup.machine.graph
    bridged = {c.id for b in graph.of("bridge")[:1] for c in graph.ends("joins", b)}

    def order(gpu: Subject) -> tuple[bool, float]:
        rate = facts("gpu.link_rate", gpu)
        return gpu.id not in bridged, -rate.low if rate else 0.0

    kept = sorted(graph.of("gpu"), key=order)
    for number in _numbers(len(kept)):
        fewer = replace(setup, machine=measure(_without(graph, kept[number:]))).facts()
        speedup = fewer("workload.speedup")
        efficiency = speedup and speedup / exact(float(number))
        yield ScaledGpus(number, _times(fewer), figure(efficiency))


def _numbers(gpus: int) -> list[int]:
    """Every number from two on; of many GPUs, their doublings and all."""
    if gpus <= _MANY:
        return list(range(_PAIR, gpus + 1))
    return [*(2**n for n in range(1, gpus.bit_length()) if 2**n < gpus), gpus]


def _without(graph: Graph, gone: list[Subject]) -> Graph:
    """One machine without some of its GPUs; the others keep their slots."""
    names = {gpu.id for gpu in gone}
    network = graph.the("network")
    single = {name: value for name, value in network.facts.items() if name != "machines"}
    kept = {s.id: s for s in graph.subjects.values() if s.id not in names}
    edges = tuple(e for e in graph.edges if not names & {e.start, e.end})
    return Graph({**kept, network.id: replace(network, facts=single)}, edges)
