"""How large a model fits a build: parameters at which each way to save memory fills the cards.

What a card and the machine need grows with the parameters, so the largest model is looked for
between the smallest and the largest that are published.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.bench import KINDS
from buildcheck.model.quantity import Interval, exact
from buildcheck.techniques import needs, techniques

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from buildcheck.bench import Bench, Trial

#: Thousands of millions of parameters of the least and of the largest model that is looked for.
LEAST, MOST = 0.05, 2_000.0
#: How full the largest model that is looked for leaves the cards at least, and in how many tries.
_CLOSE, _TRIES = 0.98, 40
#: What differs between models of another size.
_SHAPE = ("layers", "hidden_size")
#: What says, both together, how many heads share keys and values: that is kept at every size.
_HEADS = ("heads", "kv_heads")
#: Ways that say most of what a machine can do, in the order of what they cost in speed.
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


class Largest(NamedTuple):
    """A way, and the parameters in thousands of millions up to which a model fits by it.

    Up to the low end it fits whatever its shape, beyond the high end it does not; None where the
    memory of cards or machine is not known, or the cards are too few.
    """

    key: str
    parameters: Interval | None


@dataclass(frozen=True)
class Sizes:
    """The largest models that a build trains or serves.

    `unused` is what is stated of one model's shape and says nothing of models of another size.
    `lacks` is whose memory nobody knows: that of a card, of the host or of both.
    """

    kind: str
    taken: Mapping[str, Any]
    settings: Mapping[str, Any]
    ways: tuple[Largest, ...]
    unused: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()

    @property
    def best(self) -> Largest | None:
        """The way by which the largest model surely fits."""
        known = [way for way in self.ways if way.parameters and way.parameters.low > 0]
        return max(known, key=lambda way: way.parameters.low if way.parameters else 0, default=None)


def sizes(tried: Trial) -> Sizes:
    """The largest model by each way that suits the work and the number of cards.

    There is no way to train in a format that has no gradients.
    """
    cards = len(tried.bench.graph.of("gpu"))
    trains = tried.kind == KINDS[0]
    if trains and tried.bench.measured({})("workload.gradient_bytes") is None:
        return Sizes(tried.kind, {}, {}, ())
    known = {one.key: one for one in techniques(cards) if tried.kind in one.kinds}
    ways = []
    for key in _SHOWN[tried.kind]:
        one = known.get(key)
        if one is not None and cards < one.cards:
            continue
        ways.append(Largest(key, _largest(tried.bench, dict(one.settings) if one else {})))
    unused = _unused(tried.settings)
    left = ("parameters", *unused)
    return Sizes(
        tried.kind,
        {n: v for n, v in tried.taken.items() if n not in left},
        {n: v for n, v in tried.settings.items() if n not in left},
        tuple(ways),
        unused,
        _lacks(tried),
    )


def _lacks(tried: Trial) -> tuple[str, ...]:
    _, room = needs(tried.bench.measured({}))
    return tuple(whose for whose, memory in room._asdict().items() if memory is None)


def _unused(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """What is stated of the shape and is that of one size alone; one kind of heads says nothing."""
    is_kept = all(name in settings for name in _HEADS)
    names = _SHAPE if is_kept else (*_SHAPE, *_HEADS)
    return tuple(name for name in names if name in settings)


def _largest(bench: Bench, change: Mapping[str, Any]) -> Interval | None:
    """Parameters up to which a model surely and perhaps fits."""
    # Layers and width of one model are not those of others. Heads count here by their share alone,
    # as the width of one is taken from published models where the width of layers is not stated.
    whole = {**change, **dict.fromkeys(_SHAPE)}

    @cache
    def filled(parameters: float) -> Interval | None:
        """What is needed of cards and memory as a share of the room, whichever is fuller."""
        need, room = needs(bench.measured({**whole, "parameters": exact(parameters)}))
        shares = [n / r for n, r in zip(need, room, strict=True) if n and r]
        if len(shares) < len(need):
            return None
        return Interval(max(s.low for s in shares), max(s.high for s in shares))

    def share(parameters: float, *, surely: bool) -> float:
        found = filled(parameters)
        return math.inf if found is None else found.high if surely else found.low

    if filled(LEAST) is None:
        return None
    return Interval(
        _fullest(lambda parameters: share(parameters, surely=True)),
        _fullest(lambda parameters: share(parameters, surely=False)),
    )


def _fullest(share: Callable[[float], float]) -> float:
    """The largest number for which a share that grows with it is 1 or a little less; 0 if none.

    Between a number that fits and one that does not, the next is tried where the line between
    both crosses, in logarithms; an end that stays is drawn nearer (the Illinois method).
    """
    low, high, full = LEAST, MOST, math.log(share(LEAST))
    ends, stays = [full, math.log(share(MOST))], ""
    if ends[0] > 0:
        return 0.0
    if ends[1] <= 0:
        return MOST
    for _ in range(_TRIES):
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
