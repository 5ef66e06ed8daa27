"""Techniques that save GPU memory, and what a model needs of GPU and machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.logic.quantity import ONE, Interval, exact
from buildcheck.workload.model_setup import INFERENCE, KINDS, TRAINING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from buildcheck.measure import Facts

_GRID = {"tensor_cards": exact(2.0), "pipeline_stages": exact(2.0), "zero_stage": exact(1.0)}


class Technique(NamedTuple):
    """A technique: the kinds of work it is for, the GPUs it takes at least, its settings."""

    key: str
    kinds: tuple[str, ...]
    gpus: int
    settings: Mapping[str, Any]


def techniques(gpus: int) -> tuple[Technique, ...]:
    """The techniques for a machine with this number of GPUs."""
    every_gpu, train, serve = exact(float(gpus)), (TRAINING,), (INFERENCE,)
    again: dict[str, Any] = {"checkpointing": True}
    # A technique that splits the model replaces a split that is stated.
    whole = {"tensor_cards": ONE, "pipeline_stages": ONE}
    zero = [{**whole, "zero_stage": exact(float(stage))} for stage in range(1, 4)]
    tensor, stages = {**whole, "tensor_cards": every_gpu}, {**whole, "pipeline_stages": every_gpu}
    lora, qlora = {"method": "lora"}, {"method": "qlora"}
    # Two GPUs along each dimension.
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


class GpuMemory(NamedTuple):
    """Memory of one GPU and of the machine in GB; None where not known."""

    gpu: Interval | None
    host: Interval | None


def needed(facts: Facts) -> GpuMemory:
    """What a model needs of each GPU and of the machine."""
    return GpuMemory(facts("workload.card_need"), facts("workload.host_need"))


def available(facts: Facts) -> GpuMemory:
    """What the smallest GPU and the machine have."""
    return GpuMemory(facts("build.card_room"), facts("memory.room"))


def verdict(need: GpuMemory, room: GpuMemory) -> str:
    """`fits`, `does-not-fit` or `unknown`: GPU and machine both have to be enough."""
    fits = [n.is_at_most(r) if n and r else None for n, r in zip(need, room, strict=True)]
    if False in fits:
        return "does-not-fit"
    return "unknown" if None in fits else "fits"
