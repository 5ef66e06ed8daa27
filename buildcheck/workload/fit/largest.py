"""Techniques that save GPU memory, and the largest model that fits by each."""

import math
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from buildcheck.logic.quantity import UNKNOWN, Interval, exact
from buildcheck.measure import Facts
from buildcheck.model.vocabulary import shipped
from buildcheck.workload.model_setup import KINDS, TRAINING, ModelSetup


class Technique(NamedTuple):
    """A technique: the kinds of work it is for, the GPUs it takes at least, its settings."""

    key: str
    kinds: tuple[str, ...]
    gpus: int
    settings: Mapping[str, Any]


def techniques(gpus: int) -> tuple[Technique, ...]:
    """The techniques for a machine with this number of GPUs."""
    counts = {"all": float(gpus)}
    found = []
    for key, one in shipped("rules", "techniques")["techniques"].items():
        values = {name: counts.get(value, value) for name, value in one["set"].items()}
        settings = {n: exact(float(v)) if type(v) in (int, float) else v for n, v in values.items()}
        kinds = (one["for"],) if "for" in one else KINDS
        found.append(Technique(key, kinds, one.get("gpus", 1), settings))
    return tuple(found)


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


#: Billions of parameters of the smallest and the largest model that is searched for.
LEAST, MOST = 0.05, 2_000.0
#: How full the largest model leaves the GPUs at least, and the steps of the search.
_CLOSE, _STEPS = 0.98, 40
#: What differs between models of another size.
_SHAPE = ("layers", "hidden_size")
#: Together these give the heads that share keys and values, which is kept at every size.
_HEADS = ("heads", "kv_heads")


def largest_models(setup: ModelSetup) -> Iterator[tuple[str, Interval | None]]:
    """The largest model by each technique, in billions of parameters.

    Up to the low end any model fits, above the high end none; None where GPU memory is not known.
    """
    if setup.kind == TRAINING and setup.facts()("workload.gradient_bytes") is None:
        return
    known = {one.key: one for one in techniques(setup.gpus) if setup.kind in one.kinds}
    for key in shipped("rules", "techniques")["shown"][setup.kind]:
        one = known.get(key)
        if one is None or setup.gpus >= one.gpus:
            yield key, _largest(setup, one.settings if one else {})


def unused_shape(stated: Mapping[str, Any]) -> tuple[str, ...]:
    """Stated settings that say nothing of models of another size."""
    names = _SHAPE if all(name in stated for name in _HEADS) else (*_SHAPE, *_HEADS)
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
