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

#: What states how a model is split.
SPLITS = ("parallel", "tensor_cards", "pipeline_stages", "zero_stage", "swap")


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


def _serves(workload: Subject, ask: Ask) -> bool:
    return bool(ask("workload.is_inference", workload))


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
