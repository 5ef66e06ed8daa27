"""What the workload needs of the GPUs: memory, one model, one size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck import units
from buildcheck.facts.registry import TRUTH, Ask, graph, total, worst
from buildcheck.model.quantity import Interval, exact

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

#: Kinds of work that keep the chip computing, which is what the speed curves are about.
_COMPUTING = ("training", "rendering")

worst("build.largest_card_memory", units.DATA, over="cards", of="gpu.memory")
total("build.card_memory", units.DATA, over="cards", of="gpu.memory")


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


@graph("workload.prepares_on_the_fly", TRUTH)
def prepares_on_the_fly(workload: Subject, ask: Ask) -> bool | None:
    """Are data prepared while the GPUs work?"""
    preprocessing = ask("workload.preprocessing", workload)
    return None if preprocessing is None else preprocessing == "on-the-fly"


@graph("workload.states_memory", TRUTH)
def states_memory(workload: Subject, ask: Ask) -> bool:
    """Does the build state how much GPU memory a job needs?"""
    return ask("workload.model_memory", workload) is not None


@graph("workload.splits_models", TRUTH)
def splits_models(workload: Subject, ask: Ask) -> bool | None:
    """Is one model spread over several GPUs?"""
    parallel = ask("workload.parallel", workload)
    return None if parallel is None else parallel in ("tensor", "pipeline")


@graph("workload.computes_throughout", TRUTH)
def computes_throughout(workload: Subject, ask: Ask) -> bool:
    """Is it work that keeps the chip computing, not waiting for memory?"""
    return ask("workload.kind", workload) in _COMPUTING


@graph("workload.computes_in_bf16", TRUTH)
def computes_in_bf16(workload: Subject, ask: Ask) -> bool:
    """Does the build state that the model is computed in bfloat16?"""
    return ask("workload.needs_bf16", workload) is True


@graph("workload.states_display", TRUTH)
def states_display(workload: Subject, ask: Ask) -> bool:
    """Does the build state whether a display is connected to a GPU?"""
    return ask("workload.display", workload) is not None
