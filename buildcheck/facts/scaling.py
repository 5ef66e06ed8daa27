"""Several GPUs or machines on one job: how long they exchange data, and what that costs.

Sizes are in GB, rates in GB/s, times in seconds.
"""

from typing import Any

from buildcheck import units
from buildcheck.facts.registry import TRUTH, Ask, graph, is_said
from buildcheck.logic.quantity import Interval, exact
from buildcheck.model.graph import Subject


@graph("build.cards_can_be_halved", TRUTH)
def cards_can_be_halved(build: Subject, ask: Ask) -> bool:
    """Is the number of GPUs a power of two?"""
    gpus = len(ask.graph.of("gpu"))
    return gpus & (gpus - 1) == 0


@graph("build.cards_left_by_split", units.NUMBER)
def cards_left_by_split(build: Subject, ask: Ask) -> Any:
    """GPUs over the most that share the attention heads evenly; without these, a power of two."""
    cards = ask.number("build.split_cards", build)
    heads = ask("workload.heads", ask.graph.subjects["workload"])
    if not cards.is_exact or (heads and not heads.is_exact):
        return None
    shared = heads.low if heads else 2.0 ** int(cards.low)
    counts = range(1, int(cards.low) + 1)
    return exact(cards.low - max((n for n in counts if shared % n == 0), default=0))


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
    return Interval(max(1, len(models - {str(card.path) for card in cards})), len(models))


@graph("build.card_memory_sizes", units.NUMBER)
def card_memory_sizes(build: Subject, ask: Ask) -> Interval:
    """Number of different memory sizes of the GPUs."""
    sizes = {_model(c, ask): ask.number("gpu.memory", c) for c in ask.graph.ends("cards", build)}
    known = {size.low for size in sizes.values() if size.is_exact}
    unknown = sum(not size.is_exact for size in sizes.values())
    return Interval(max(1, len(known)), max(1, len(known) + unknown))


# Said, and not only taken to.
is_said("workload.states_training", "kind", "training")
