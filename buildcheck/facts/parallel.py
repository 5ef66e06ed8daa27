"""How long a step takes on several cards and machines, from what passes between them.

Sizes are in GB, rates in GB/s, times in seconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.registry import Ask, graph
from buildcheck.facts.scaling import gradients, ring
from buildcheck.model.quantity import ONE, ZERO, Interval, exact
from buildcheck.model.quantity import total as add_up

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

_BILLION = exact(1e9)
#: Sums over all cards in a layer of tensor parallelism, forwards and as many backwards
#: (Shoeybi et al. 2019, Megatron-LM, section 3).
_SUMS = exact(2)


def _machines(ask: Ask) -> Interval:
    return ask("network.machines", ask.graph.the("network")) or ONE


def _cards(ask: Ask) -> Interval:
    return exact(float(max(1, len(ask.graph.of("gpu")))))


@graph("workload.pass_between_cards", units.TIME)
def pass_between_cards(workload: Subject, ask: Ask) -> Any:
    """Time in which one card hands all gradients to another, at the slowest link's full rate."""
    size, rate = gradients(workload, ask), ask("build.slowest_link", ask.graph.the("build"))
    return None if size is None or rate is None else size / rate


@graph("workload.pass_between_machines", units.TIME)
def pass_between_machines(workload: Subject, ask: Ask) -> Any:
    """Time in which one card hands all gradients to a card of another machine."""
    size, rate = gradients(workload, ask), ask("network.rate", ask.graph.the("network"))
    return None if size is None or rate is None else size / rate


@graph("workload.plain_exchange_time", units.TIME)
def plain_exchange_time(workload: Subject, ask: Ask) -> Any:
    """Time in which each card hands its gradients to each other one, without a ring.

    Copies within a machine go on beside those between machines, where one card at a time has the
    network card (Dettmers 2014).
    """
    local, machines, cards = ask("workload.pass_between_cards"), _machines(ask), _cards(ask)
    if local is None:
        return None
    within: Interval = (cards - ONE) * local
    if machines == ONE:
        return within
    remote = ask("workload.pass_between_machines", workload)
    if remote is None:
        return None
    between: Interval = (machines - ONE) * cards * cards * remote
    return Interval(max(within.low, between.low), max(within.high, between.high))


@graph("workload.exchange_between_machines", units.TIME)
def exchange_between_machines(workload: Subject, ask: Ask) -> Any:
    """Time of a ring of machines, each of which has summed up its cards' gradients.

    The network reaches what it is rated for, or as much of it as copies between cards do.
    """
    machines = _machines(ask)
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
    """Time in which the cards of a machine sum up activations in a step of tensor parallelism.

    Twice forwards in each layer, and twice backwards where the model is trained.
    """
    tokens, widths = ask("workload.tokens", workload), ask("workload.all_widths", workload)
    number, rate = ask("workload.activation_bytes", workload), ask("build.exchange_rate")
    if None in (tokens, widths, number, rate):
        return None
    sums = _SUMS if ask("workload.is_inference", workload) else _SUMS * exact(2)
    return sums * ring(_cards(ask)) * tokens * widths * number / _BILLION / rate


@graph("workload.step_on_all", units.TIME)
def step_on_all(workload: Subject, ask: Ask) -> Any:
    """Time of a data-parallel step on all cards: from an exchange wholly hidden to none of it."""
    alone, exchange = ask("workload.step_time", workload), ask("workload.whole_exchange_time")
    if alone is None or exchange is None:
        return None
    return Interval(max(alone.low, exchange.low), (alone + exchange).high)


@graph("workload.speedup", units.NUMBER)
def speedup(workload: Subject, ask: Ask) -> Any:
    """How much more all cards of all machines do than one of them, the slowest."""
    alone, together = ask("workload.step_time", workload), ask("workload.step_on_all", workload)
    if alone is None or together is None:
        return None
    number = _machines(ask) * _cards(ask)
    exchange = ask.number("workload.whole_exchange_time", workload)
    # The time alone stands on both sides of the fraction, and is the same on both.
    worst = number.low / (1 + exchange.high / alone.low)
    best = number.high / max(1.0, exchange.low / alone.high)
    return Interval(worst, best)


@graph("build.mixed_efficiency", units.NUMBER)
def mixed_efficiency(build: Subject, ask: Ask) -> Any:
    """What cards that wait for the slowest do, as a share of what each could do by itself."""
    rates = [ask("gpu.fp32_rate", card) for card in ask.graph.ends("cards", build)]
    if not rates or None in rates:
        return None
    if len(set(rates)) == 1:
        return ONE
    slowest = Interval(min(r.low for r in rates), min(r.high for r in rates))
    share: Interval = exact(float(len(rates))) * slowest / add_up(rates)
    return Interval(share.low, min(1.0, share.high))
