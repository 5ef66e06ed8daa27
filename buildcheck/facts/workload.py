"""What the workload needs of the GPUs, and how it uses several: separate jobs, or one job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck import units
from buildcheck.facts.registry import (
    TRUTH,
    Ask,
    graph,
    is_among,
    is_said,
    is_surely,
    is_true,
    states,
    total,
    worst,
)
from buildcheck.logic.quantity import Interval

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

#: Kinds of work that keep the chip computing, which is what the speed curves are about.
_COMPUTING = ("training", "rendering")

worst("build.largest_card_memory", units.DATA, over="cards", of="gpu.memory")
total("build.card_memory", units.DATA, over="cards", of="gpu.memory")

is_among("workload.prepares_on_the_fly", "preprocessing", "on-the-fly")
states("workload.states_memory", "model_memory")
is_among("workload.splits_models", "parallel", "tensor", "pipeline")
is_true("workload.computes_in_bf16", "needs_bf16")
states("workload.states_display", "display")


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


@graph("workload.computes_throughout", TRUTH)
def computes_throughout(workload: Subject, ask: Ask) -> bool:
    """Is it work that keeps the chip computing, not waiting for memory?"""
    return ask("workload.kind", workload) in _COMPUTING


#: Kinds of work in which each GPU serves on its own unless stated otherwise.
_APART = ("inference", "rendering")
#: Kinds in which no job fills several GPUs unless stated otherwise.
_SEPARATE = ("mining", "rendering")

# Layers are split over GPUs, which exchange data in each of them.
is_surely("workload.splits_tensors", "parallel", "tensor")
# Mining sends next to nothing over the link.
is_surely("workload.is_mining", "kind", "mining")
is_surely("workload.is_inference", "kind", "inference")
states("workload.states_parallelism", "parallel")
# Training state is kept in RAM.
is_true("workload.offloads", "offload")
is_true("workload.relies_on_peers", "peer_to_peer")
is_true("workload.states_joint_work", "trains_together")
# Said, and not only taken to.
is_said("workload.states_training", "kind", "training")


@graph("workload.has_separate_jobs", TRUTH)
def has_separate_jobs(workload: Subject, ask: Ask) -> bool:
    """Does each GPU work on a job of its own, as far as the build states?

    Mining and rendering do unless stated otherwise.
    """
    parallel, kind = ask("workload.parallel", workload), ask("workload.kind", workload)
    return parallel == "none" or (parallel is None and kind in _SEPARATE)


@graph("workload.works_apart", TRUTH)
def works_apart(workload: Subject, ask: Ask) -> bool:
    """Does each GPU work by itself, or hand over little, as far as the build states?

    Training that does not state how it uses several GPUs counts as one job on all.
    """
    parallel, kind = ask("workload.parallel", workload), ask("workload.kind", workload)
    if parallel in ("none", "pipeline") or kind == "mining":
        return True
    return kind in _APART and parallel != "tensor"


@graph("workload.trains_together", TRUTH)
def trains_together(workload: Subject, ask: Ask) -> bool | None:
    """Do several GPUs work on one job and exchange data at each step?"""
    if ask("workload.works_apart", workload):
        return False
    parallel = ask("workload.parallel", workload)
    return None if parallel is None else parallel in ("data", "tensor")
