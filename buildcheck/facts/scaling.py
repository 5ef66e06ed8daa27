"""Several GPUs or machines on one job: how long they exchange data, and what that costs.

Sizes are in GB, rates in GB/s, times in seconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.registry import CODE, Ask, graph, is_said
from buildcheck.logic.quantity import ONE, ZERO, Interval, exact
from buildcheck.logic.quantity import total as add_up

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

#: Bytes of one gradient in half precision.
_HALF = 2
#: The stage of ZeRO that shares out the weights.
_WEIGHTS_TOO = exact(3)


@graph("build.cards_beyond_power_of_two", units.NUMBER)
def cards_beyond_power_of_two(build: Subject, ask: Ask) -> Interval:
    """GPUs over the largest power of two that they reach: 3 GPUs are 1 over 2."""
    cards = len(ask.graph.ends("cards", build))
    return exact(cards - 2 ** (cards.bit_length() - 1) if cards else 0)


@graph("build.copies_over", CODE)
def copies_over(build: Subject, ask: Ask) -> str:
    """What copies between GPUs go over: a bridge, their slots, RAM, or slots or memory.

    Through RAM where a driver is known to refuse direct copies from GPU to GPU.
    """
    if not ask("build.exchanges_over_pcie", build):
        return "bridge"
    able = {ask("gpu.peer_to_peer", card) for card in ask.graph.of("gpu")}
    if able == {True}:
        return "slots"
    return "memory" if False in able else "slots or memory"


def _staged(slowest: Interval, ask: Ask) -> Interval:
    """Rate of each GPU's copies through RAM, which all GPUs share, in GB/s."""
    each: Interval = ask.number("standard.staged_efficiency") * slowest
    together = ask("standard.staged_total")
    if together is None:
        return each
    share = together / exact(float(len(ask.graph.of("gpu"))))
    return Interval(min(each.low, share.low), min(each.high, share.high))


@graph("build.exchange_rate", units.RATE)
def exchange_rate(build: Subject, ask: Ask) -> Any:
    """What copies of a GPU reach while all copy: over the bridge of the only two, else its link.

    Several bridges of a pair add up; the slowest link sets the pace of all.
    """
    over = ask("build.copies_over", build)
    if over == "bridge":
        joining = [b for b in ask.graph.of("bridge") if ask.graph.ends("joins", b)]
        rates = [ask("bridge.rate", bridge) for bridge in joining]
        known = None if None in rates else add_up(rates)
        return None if known is None else ask.number("standard.peer_efficiency") * known
    slowest = ask("build.slowest_link", build)
    if slowest is None:
        return None
    staged, straight = _staged(slowest, ask), ask.number("standard.peer_efficiency") * slowest
    return {"memory": staged, "slots": straight}.get(over, staged.hull(straight))


def gradients(workload: Subject, ask: Ask) -> Interval | None:
    """Gradients of all that is trained, in half precision unless another is stated.

    None in serving.
    """
    billions = ask("workload.trained_parameters", workload)
    each = ask("workload.gradient_bytes", workload)
    if billions is None or ask("workload.is_inference", workload):
        return None
    size: Interval = billions * (exact(_HALF) if each is None else each)
    return size


def gathered(members: Interval) -> Interval:
    """What each of a ring sends so that all have the parts that each has, as a share of the whole.

    As much is sent to sum up parts so that each has the sum of one part.
    """
    return (members - ONE) / members


def ring(members: Interval) -> Interval:
    """What each of a ring sends so that all have the sum of what each has, as a share of that."""
    return exact(2) * gathered(members)


@graph("workload.exchange_time", units.TIME)
def exchange_time(workload: Subject, ask: Ask) -> Any:
    """Time in which all GPUs of a machine exchange their gradients once, by a ring.

    Each GPU sends and receives 2(n-1)/n times the gradients over the slowest link. Where ZeRO
    shares out the weights too, they are gathered forwards and backwards, and gradients summed up
    in parts: half as much again (Rajbhandari et al. 2020, section 7).
    """
    size, rate = gradients(workload, ask), ask("build.exchange_rate", ask.graph.the("build"))
    cards = exact(len(ask.graph.of("gpu")))
    if size is None or rate is None or cards == ZERO:
        return None
    gathers = ask("workload.zero_stage", workload) == _WEIGHTS_TOO
    return (ring(cards) + (gathered(cards) if gathers else ZERO)) * size / rate


def _network_cards(ask: Ask) -> list[Subject]:
    return [card for card in ask.graph.of("addin") if ask("addin.kind", card) == "network"]


@graph("network.card_rate", units.RATE)
def card_rate(network: Subject, ask: Ask) -> Any:
    """Rate of all network cards listed."""
    cards = _network_cards(ask)
    if not cards or any(ask("addin.rate", card) is None for card in cards):
        return None
    return add_up([ask.number("addin.rate", card) * exact(card.count) for card in cards])


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


def _model(card: Subject, ask: Ask) -> str:
    """Name of its chip, which sets speed and memory; its own without one, its entry unnamed."""
    unnamed = card.part is None and card.near is None
    return ask("gpu.chip", card) or (str(card.path) if unnamed else card.name)


@graph("build.card_models", units.NUMBER)
def card_models(build: Subject, ask: Ask) -> Interval:
    """Number of different chips of the GPUs; partner GPUs of one chip count once.

    What has no name may be of the model of any other.
    """
    cards = ask.graph.ends("cards", build)
    models = {_model(card, ask) for card in cards}
    named = models - {str(card.path) for card in cards}
    return Interval(max(1, len(named)), len(models))


@graph("build.card_memory_sizes", units.NUMBER)
def card_memory_sizes(build: Subject, ask: Ask) -> Interval:
    """Number of different memory sizes of the GPUs."""
    sizes = {_model(c, ask): ask.number("gpu.memory", c) for c in ask.graph.ends("cards", build)}
    known = {size.low for size in sizes.values() if size.is_exact}
    unknown = sum(not size.is_exact for size in sizes.values())
    return Interval(max(1, len(known)), max(1, len(known) + unknown))


# Said, and not only taken to.
is_said("workload.states_training", "kind", "training")
