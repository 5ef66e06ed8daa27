"""What a GPU and the machine must hold, with a model shared out over the GPUs as stated.

One copy of the model is split over `tensor_cards` times `pipeline_stages` GPUs; ZeRO shares out
what the copies that are left hold alike (Rajbhandari et al. 2020, section 5). Memory is in GB.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.models import activations, at_work
from buildcheck.facts.registry import Ask, graph
from buildcheck.logic.quantity import ONE, ZERO, Interval, exact
from buildcheck.logic.quantity import total as add_up

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

#: A layer that is at work, and perhaps the next, which is copied meanwhile.
_AT_WORK = Interval(1.0, 2.0)
#: What states how a model is split.
SPLITS = ("parallel", "tensor_cards", "pipeline_stages", "zero_stage", "swap")
#: What each stage of ZeRO begins to share out.
_OPTIMIZER, _GRADIENTS, _WEIGHTS = exact(1), exact(2), exact(3)


def _cards(ask: Ask) -> Interval:
    return exact(float(max(1, len(ask.graph.of("gpu")))))


def _split(kind: str, field: str, workload: Subject, ask: Ask) -> Interval:
    stated: Interval | None = ask(f"workload.{field}", workload)
    if stated is not None:
        return stated
    if ask("workload.parallel", workload) == kind:
        return _cards(ask)
    # Layers are split among a number of GPUs that divides their heads, which a power of two does.
    gpus = len(ask.graph.of("gpu"))
    is_even = gpus & (gpus - 1) == 0
    return _as_needed(workload, ask) if is_even == (kind == "tensor") else ONE


def _as_needed(workload: Subject, ask: Ask) -> Interval:
    """GPUs that one copy of a served model takes where nothing is stated: one, or all."""
    weights, room = ask("workload.weights_memory", workload), ask("build.card_room")
    is_stated = any(ask(f"workload.{name}", workload) is not None for name in SPLITS)
    if weights is None or is_stated or not _serves(workload, ask):
        return ONE
    cache = ask("workload.cache_memory", workload) or ZERO
    whole = weights * (ONE + ask.number("standard.serving_overhead"))
    whole = add_up([whole, cache, ask.number("standard.card_context")])
    fits = None if room is None else whole.is_at_most(room)
    return ONE.hull(_cards(ask)) if fits is None else ONE if fits else _cards(ask)


@graph("workload.tensor_degree", units.NUMBER)
def tensor_degree(workload: Subject, ask: Ask) -> Interval:
    """GPUs that share each layer."""
    return _split("tensor", "tensor_cards", workload, ask)


@graph("workload.pipeline_degree", units.NUMBER)
def pipeline_degree(workload: Subject, ask: Ask) -> Interval:
    """Groups of layers that lie on GPUs of their own."""
    return _split("pipeline", "pipeline_stages", workload, ask)


def _share(stage: Interval, workload: Subject, ask: Ask) -> Interval | None:
    """Part of the model's weights, gradients or state on one GPU, by what ZeRO shares out.

    A group of layers may be one layer, or the vocabulary, larger than an equal part.
    """
    weights = ask("workload.weights_memory", workload)
    pipeline = ask.number("workload.pipeline_degree", workload)
    part = ONE / pipeline
    if pipeline != ONE:
        layer = ask("workload.layer_memory", workload)
        if weights is None or layer is None:
            return None
        part = Interval(part.low, min(1.0, part.high + layer.high / weights.low))
    part = part / ask.number("workload.tensor_degree", workload)
    shared: Interval = ask("workload.zero_stage", workload) or ZERO
    if stage.is_at_most(shared):
        return part / ask.number("workload.copies", workload)
    return part


def _part_of(fact: str, stage: Interval, workload: Subject, ask: Ask) -> Interval | None:
    whole, share = ask(fact, workload), _share(stage, workload, ask)
    return None if whole is None or share is None else whole * share


def _at_work(workload: Subject, ask: Ask) -> Interval | None:
    layer = ask("workload.layer_memory", workload)
    return None if layer is None else _AT_WORK * layer / ask.number("workload.tensor_degree")


def _serves(workload: Subject, ask: Ask) -> bool:
    return bool(ask("workload.is_inference", workload))


@graph("workload.weights_on_card", units.DATA)
def weights_on_card(workload: Subject, ask: Ask) -> Any:
    """Weights on one GPU. Where they wait elsewhere, the layers that are at work."""
    part = _part_of("workload.weights_memory", _WEIGHTS, workload, ask)
    gathers = ask("workload.zero_stage", workload) == _WEIGHTS
    swaps = ask("workload.swap", workload) is True
    layers = _at_work(workload, ask) if gathers or swaps else ZERO
    if part is None or layers is None:
        return None
    return layers if swaps else part + layers


@graph("workload.gradients_on_card", units.DATA)
def gradients_on_card(workload: Subject, ask: Ask) -> Any:
    """Gradients on one GPU; none when serving."""
    if _serves(workload, ask):
        return ZERO
    if ask("workload.swap", workload) is True and not ask("workload.trains_adapters", workload):
        layers, each = _at_work(workload, ask), ask("workload.gradient_bytes", workload)
        number = ask("workload.weight_bytes", workload)
        return None if None in (layers, each, number) else layers * each / number
    return _part_of("workload.gradients_memory", _GRADIENTS, workload, ask)


@graph("workload.optimizer_on_card", units.DATA)
def optimizer_on_card(workload: Subject, ask: Ask) -> Any:
    """Optimizer state on one GPU; none when serving, or where it is kept in RAM."""
    away = ask("workload.offload", workload) is True or ask("workload.swap", workload) is True
    if _serves(workload, ask) or away:
        return ZERO
    return _part_of("workload.optimizer_memory", _OPTIMIZER, workload, ask)


@graph("workload.activations_on_card", units.DATA)
def activations_on_card(workload: Subject, ask: Ask) -> Any:
    """Activations on one GPU; what serving takes besides weights and cache.

    The first GPU of a pipeline holds those of as many batches as there are GPUs behind it, so
    that a pipeline saves nothing of them unless one batch goes through at a time.
    """
    if _serves(workload, ask):
        weights = ask("workload.weights_on_card", workload)
        if weights is None:
            return None
        most: Interval = weights * ask.number("standard.serving_overhead")
        layer = at_work(workload, ask, ask.number("workload.tensor_degree", workload))
        return most if layer is None else Interval(most.low, min(most.high, layer.high))
    again = ask("workload.checkpointing", workload) is True
    degree = ask.number("workload.tensor_degree", workload)
    kept = activations(workload, ask, degree, again=again)
    stages = ask.number("workload.pipeline_degree", workload)
    return None if kept is None else kept.hull(kept / stages)


@graph("workload.cache_on_card", units.DATA)
def cache_on_card(workload: Subject, ask: Ask) -> Any:
    """Keys and values on one GPU; none in training. No head of them is split."""
    if not _serves(workload, ask):
        return ZERO
    cache, own = ask("workload.cache_memory", workload), ask("workload.kv_heads", workload)
    degree = ask.number("workload.tensor_degree", workload)
    if own is not None:
        degree = Interval(min(degree.low, own.low), min(degree.high, own.high))
    stages = ask.number("workload.pipeline_degree", workload)
    return None if cache is None else cache / (degree * stages)


@graph("workload.host_need", units.DATA)
def host_need(workload: Subject, ask: Ask) -> Any:
    """RAM for the processes and what waits there, from the bare state to DeepSpeed's sum.

    Data that are loaded meanwhile are not in it.
    """
    away = [ZERO]
    trains = not _serves(workload, ask)
    offloads = trains and ask("workload.offload", workload) is True
    swaps = ask("workload.swap", workload) is True
    if swaps:
        away.append(ask("workload.weights_memory", workload))
    if trains and (offloads or swaps):
        away.append(ask("workload.gradients_memory", workload))
        away.append(ask("workload.optimizer_memory", workload))
    if None in away:
        return None
    bare = add_up([one for one in away if one is not None])
    most = ask("workload.offload_memory", workload) if trains and (offloads or swaps) else None
    if most is not None:
        bare = Interval(bare.low, max(bare.high, most.high))
    processes: Interval = ask.number("build.process_memory", ask.graph.the("build"))
    return bare + processes
