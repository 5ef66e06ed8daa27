"""What the workload needs of the GPUs, and how it uses several: separate jobs, or one job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck import units
from buildcheck.facts.registry import (
    Ask,
    graph,
    is_said,
)
from buildcheck.logic.quantity import Interval

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject


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


# Layers are split over GPUs, which exchange data in each of them.
# Mining sends next to nothing over the link.
# Training state is kept in RAM.
# Said, and not only taken to.
is_said("workload.states_training", "kind", "training")
