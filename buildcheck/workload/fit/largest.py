"""How large a model fits: the parameters at which each technique fills GPUs or machine.

What they need grows with the parameters, so the largest model is searched for between the
smallest and the largest that are published.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

from buildcheck.logic.quantity import UNKNOWN, Interval, exact
from buildcheck.workload.fit.techniques import available, needed, techniques
from buildcheck.workload.model_setup import TRAINING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from buildcheck.workload.model_setup import ModelSetup

#: Billions of parameters of the smallest and the largest model that is searched for.
LEAST, MOST = 0.05, 2_000.0
#: How full the largest model leaves the GPUs at least, and the steps of the search.
_CLOSE, _STEPS = 0.98, 40
#: What differs between models of another size.
_SHAPE = ("layers", "hidden_size")
#: Together these give the heads that share keys and values, which is kept at every size.
_HEADS = ("heads", "kv_heads")
#: Techniques that are shown (plain: none), those that cost little speed first.
_SHOWN = {
    "training": (
        "plain",
        "checkpointing",
        "checkpointing-lora",
        "checkpointing-qlora",
        "cpu-optimizer",
        "model-parallel",
        "zero-3",
        "checkpointing-zero-3",
        "checkpointing-zero-3-cpu",
        "checkpointing-offload",
    ),
    "inference": (
        "plain",
        "8-bit-weights",
        "4-bit-weights",
        "model-parallel",
        "8-bit-model-parallel",
        "4-bit-model-parallel",
        "offload",
    ),
}


def largest_models(setup: ModelSetup) -> Iterator[tuple[str, Interval | None]]:
    """The largest model by each technique, in billions of parameters.

    Up to the low end any model fits, above the high end none; None where GPU memory is not known.
    """
    if setup.kind == TRAINING and setup.facts()("workload.gradient_bytes") is None:
        return
    known = {one.key: one for one in techniques(setup.gpus) if setup.kind in one.kinds}
    for key in _SHOWN[setup.kind]:
        one = known.get(key)
        if one is None or setup.gpus >= one.gpus:
            yield key, _largest(setup, one.settings if one else {})


def unused_shape(stated: Mapping[str, Any]) -> tuple[str, ...]:
    """Stated settings that say nothing of models of another size."""
    is_kept = all(name in stated for name in _HEADS)
    names = _SHAPE if is_kept else (*_SHAPE, *_HEADS)
    return tuple(name for name in names if name in stated)


def _largest(setup: ModelSetup, change: Mapping[str, Any]) -> Interval | None:
    # Layers and width of one model are not those of others. Heads count here by their share alone,
    # as the width of one is that of published models where the width of layers is not stated.
    whole = {**change, **dict.fromkeys(_SHAPE)}
    room = available(setup.facts(whole))

    @cache
    def load(parameters: float) -> Interval | None:
        """The share of GPU or machine memory that is needed, whichever is larger."""
        facts = setup.facts({**whole, "parameters": exact(parameters)})
        need = needed(facts)
        if not (need.gpu and room.gpu and need.host):
            return None
        host = need.host / room.host if room.host else UNKNOWN
        gpu = need.gpu / room.gpu
        return Interval(max(gpu.low, host.low), max(gpu.high, host.high))

    def end(name: str) -> Callable[[float], float]:
        return lambda parameters: getattr(load(parameters), name, math.inf)

    if load(LEAST) is None:
        return None
    return Interval(_fullest(end("high")), _fullest(end("low")))


def _fullest(share: Callable[[float], float]) -> float:
    """The largest number for which a growing share is 1 or a little less; 0 if none.

    Regula falsi on logarithms, with the Illinois modification.
    """
    low, high, full = LEAST, MOST, math.log(share(LEAST))
    ends, stays = [full, math.log(share(MOST))], ""
    if ends[0] > 0:
        return 0.0
    if ends[1] <= 0:
        return MOST
    for _ in range(_STEPS):
        if full >= math.log(_CLOSE):
            break
        middle = low * (high / low) ** (ends[0] / (ends[0] - ends[1]))
        found = math.log(share(middle))
        if found <= 0:
            low, full, ends = middle, found, [found, ends[1] / (2 if stays == "high" else 1)]
            stays = "high"
        else:
            high, ends = middle, [ends[0] / (2 if stays == "low" else 1), found]
            stays = "low"
    return low
