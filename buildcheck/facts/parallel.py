"""How long GPUs and machines that share a job exchange data in each step.

Sizes are in GB, rates in GB/s, times in seconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.registry import Ask, graph
from buildcheck.facts.scaling import gradients, ring
from buildcheck.model.quantity import ONE, ZERO, Interval, exact

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

_BILLION = exact(1e9)
#: Sums over all GPUs in a layer of tensor parallelism, forwards and as many backwards
#: (Shoeybi et al. 2019, Megatron-LM, section 3).
_SUMS = exact(2)


def machines_of(ask: Ask) -> Interval:
    """Machines that work on one job."""
    return ask("network.machines", ask.graph.the("network")) or ONE


def cards_of(ask: Ask) -> Interval:
    """GPUs of one machine, at least one."""
    return exact(float(max(1, len(ask.graph.of("gpu")))))


@graph("workload.pass_between_cards", units.TIME)
def pass_between_cards(workload: Subject, ask: Ask) -> Any:
    """Time in which one GPU hands all gradients to another, at the slowest link's full rate."""
    size, rate = gradients(workload, ask), ask("build.slowest_link", ask.graph.the("build"))
    return None if size is None or rate is None else size / rate


@graph("workload.pass_between_machines", units.TIME)
def pass_between_machines(workload: Subject, ask: Ask) -> Any:
    """Time in which one GPU hands all gradients to a GPU of another machine."""
    size, rate = gradients(workload, ask), ask("network.rate", ask.graph.the("network"))
    return None if size is None or rate is None else size / rate


@graph("workload.plain_exchange_time", units.TIME)
def plain_exchange_time(workload: Subject, ask: Ask) -> Any:
    """Time in which each GPU hands its gradients to each other one, without a ring.

    At the rate that copies reach, as in a ring: n - 1 times all gradients in place of 2(n-1)/n
    times, so that it is never faster. Copies within a machine run in parallel with those between
    machines, where one GPU at a time has the network card (Dettmers 2014).
    """
    size, rate = gradients(workload, ask), ask("build.exchange_rate", ask.graph.the("build"))
    machines, cards = machines_of(ask), cards_of(ask)
    if size is None or rate is None:
        return None
    within: Interval = (cards - ONE) * size / rate
    if machines == ONE:
        return within
    remote = ask("workload.pass_between_machines", workload)
    if remote is None:
        return None
    between: Interval = (machines - ONE) * cards * cards * remote
    return Interval(max(within.low, between.low), max(within.high, between.high))


@graph("workload.exchange_between_machines", units.TIME)
def exchange_between_machines(workload: Subject, ask: Ask) -> Any:
    """Time of a ring of machines, each of which has summed up its GPUs' gradients.

    The network reaches what it is rated for, or as much of it as copies between GPUs do.
    """
    machines = machines_of(ask)
    if machines == ONE:
        return ZERO
    once = ask("workload.pass_between_machines", workload)
    if once is None:
        return None
    return ring(machines) * once / ONE.hull(ask.number("standard.peer_efficiency"))


@graph("workload.whole_exchange_time", units.TIME)
def whole_exchange_time(workload: Subject, ask: Ask) -> Any:
    """Time of an exchange of gradients within the machines and then between them."""
    within = ask("workload.exchange_time", workload)
    between = ask("workload.exchange_between_machines", workload)
    return None if within is None or between is None else within + between


@graph("workload.tensor_exchange_time", units.TIME)
def tensor_exchange_time(workload: Subject, ask: Ask) -> Any:
    """Time in which the GPUs of a machine sum up activations in a step of tensor parallelism.

    Twice forwards in each layer, and twice backwards where the model is trained.
    """
    size, rate = _activations("all_widths", workload, ask), ask("build.exchange_rate")
    if size is None or rate is None:
        return None
    return _SUMS * _ways(workload, ask) * ring(cards_of(ask)) * size / rate


@graph("workload.handing_on_time", units.TIME)
def handing_on_time(workload: Subject, ask: Ask) -> Any:
    """Time in which the GPUs of a pipeline hand on activations in a step, one after another.

    From each group of layers to the next, and their gradients back where the model is trained.
    """
    size, rate = _activations("model_width", workload, ask), ask("build.exchange_rate")
    if size is None or rate is None:
        return None
    return _ways(workload, ask) * (cards_of(ask) - ONE) * size / rate


def _activations(widths: str, workload: Subject, ask: Ask) -> Interval | None:
    """Activations of all tokens over a number of units of width, in GB."""
    tokens, wide = ask("workload.tokens", workload), ask(f"workload.{widths}", workload)
    number = ask("workload.activation_bytes", workload)
    if tokens is None or wide is None or number is None:
        return None
    size: Interval = tokens * wide * number / _BILLION
    return size


def _ways(workload: Subject, ask: Ask) -> Interval:
    """Forwards alone, or backwards too."""
    return ONE if ask("workload.is_inference", workload) else exact(2)
