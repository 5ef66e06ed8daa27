"""Ways to save memory on a card, and what a model needs and there is room for with each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.bench import KINDS
from buildcheck.model.quantity import ONE, Interval, exact

if TYPE_CHECKING:
    from collections.abc import Mapping

    from buildcheck.measure import Facts

_GRID = {"tensor_cards": exact(2.0), "pipeline_stages": exact(2.0), "zero_stage": exact(1.0)}


class Technique(NamedTuple):
    """A way to save memory on a card: for which work, on how many cards, by which settings."""

    key: str
    kinds: tuple[str, ...]
    cards: int
    settings: Mapping[str, Any]


def techniques(cards: int) -> tuple[Technique, ...]:
    """What the seeds of large models on small cards are, for a machine with so many."""
    all_cards, train, serve = exact(float(cards)), KINDS[:1], KINDS[1:]
    again: dict[str, Any] = {"checkpointing": True}
    # A way to share a model out takes the place of the one that is stated.
    whole = {"tensor_cards": ONE, "pipeline_stages": ONE}
    zero = [{**whole, "zero_stage": exact(float(stage))} for stage in range(1, 4)]
    tensor, stages = {**whole, "tensor_cards": all_cards}, {**whole, "pipeline_stages": all_cards}
    lora, qlora = {"method": "lora"}, {"method": "qlora"}
    # Two cards along each of its dimensions.
    grid = 2 ** len(_GRID)
    return (
        Technique("half-precision", KINDS, 1, {"precision": "bf16"}),
        Technique("8-bit-weights", serve, 1, {"precision": "int8"}),
        Technique("4-bit-weights", serve, 1, {"precision": "int4"}),
        Technique("checkpointing", train, 1, again),
        Technique("lora", train, 1, lora),
        Technique("qlora", train, 1, qlora),
        Technique("offload", KINDS, 1, {"swap": True}),
        Technique("8-bit-model-parallel", serve, 2, {"precision": "int8", **tensor}),
        Technique("4-bit-model-parallel", serve, 2, {"precision": "int4", **tensor}),
        Technique("cpu-optimizer", train, 1, {"offload": True}),
        Technique("zero-1", train, 2, zero[0]),
        Technique("zero-2", train, 2, zero[1]),
        Technique("zero-3", train, 2, zero[-1]),
        Technique("model-parallel", KINDS, 2, tensor),
        Technique("pipeline-parallel", KINDS, 2, stages),
        Technique("3d-parallel", train, grid, _GRID),
        Technique("checkpointing-lora", train, 1, {**again, **lora}),
        Technique("checkpointing-qlora", train, 1, {**again, **qlora}),
        Technique("checkpointing-offload", train, 1, {**again, "swap": True}),
        Technique("checkpointing-zero-3", train, 2, {**again, **zero[-1]}),
        Technique("checkpointing-zero-3-cpu", train, 2, {**again, **zero[-1], "offload": True}),
    )


class Need(NamedTuple):
    """Memory of one card and of the machine in GB; None where it is not known."""

    card: Interval | None
    host: Interval | None


def needs(facts: Facts) -> tuple[Need, Need]:
    """What a model needs, and the room that there is."""
    need = Need(facts("workload.card_need"), facts("workload.host_need"))
    return need, Need(facts("build.card_room"), facts("memory.room"))
