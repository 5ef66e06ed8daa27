"""What the workload needs of the GPUs: memory, one model, one size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck import units
from buildcheck.facts.registry import TRUTH, Ask, graph, is_among, is_true, states, total, worst
from buildcheck.model.quantity import Interval, exact

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
    """Name of its chip, which sets speed and memory; its own name without a chip."""
    return ask("gpu.chip", card) or card.name


@graph("build.card_models", units.NUMBER)
def card_models(build: Subject, ask: Ask) -> Interval:
    """Number of different chips of the GPUs; partner GPUs of one chip count once."""
    return exact(len({_model(card, ask) for card in ask.graph.ends("cards", build)}))


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
