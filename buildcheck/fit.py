"""Does the model fit: a build file and a model → what each way to save memory asks of the cards.

The machine is put together once. Each way is a change of the `workload` section, with which the
same facts are measured again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.bench import KINDS, Bench, option, trial
from buildcheck.errors import InputError, Problem
from buildcheck.model.quantity import ONE, Interval, exact

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from buildcheck.catalog import Catalog
    from buildcheck.measure import Facts

#: What one card is filled with, by the facts that say so.
ON_CARD = ("weights", "gradients", "optimizer", "activations", "cache")
#: What makes an estimate narrower when it is stated.
NARROWS = {
    "training": ("layers", "hidden_size", "heads", "vocabulary", "flash_attention"),
    "inference": ("layers", "hidden_size", "heads", "kv_heads"),
}
_GRID = {"tensor_cards": exact(2.0), "pipeline_stages": exact(2.0), "zero_stage": exact(1.0)}


class Technique(NamedTuple):
    """A way to save memory on a card: for which work, on how many cards, by which settings."""

    key: str
    kinds: tuple[str, ...]
    cards: int
    settings: Mapping[str, Any]


def _techniques(cards: int) -> tuple[Technique, ...]:
    """What the seeds of large models on small cards are, for a machine with so many."""
    all_cards, train, serve = exact(float(cards)), KINDS[:1], KINDS[1:]
    again: dict[str, Any] = {"checkpointing": True}
    # A way to share a model out takes the place of the one that is stated.
    whole = {"tensor_cards": ONE, "pipeline_stages": ONE}
    zero = [{**whole, "zero_stage": exact(float(stage))} for stage in range(1, 4)]
    tensor, stages = {**whole, "tensor_cards": all_cards}, {**whole, "pipeline_stages": all_cards}
    # Two cards along each of its dimensions.
    grid = 2 ** len(_GRID)
    return (
        Technique("half-precision", KINDS, 1, {"precision": "bf16"}),
        Technique("8-bit-weights", serve, 1, {"precision": "int8"}),
        Technique("4-bit-weights", serve, 1, {"precision": "int4"}),
        Technique("checkpointing", train, 1, again),
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
        Technique("checkpointing-offload", train, 1, {**again, "swap": True}),
        Technique("checkpointing-zero-3", train, 2, {**again, **zero[-1]}),
        Technique("checkpointing-zero-3-cpu", train, 2, {**again, **zero[-1], "offload": True}),
    )


class Need(NamedTuple):
    """Memory of one card and of the machine in GB; None where it is not known."""

    card: Interval | None
    host: Interval | None


class Way(NamedTuple):
    """A technique on this build.

    `verdict` is fits, does-not-fit, unknown or not-applicable, for which `cards` are too few.
    `saves` is what a card holds less, at both ends of the estimate.
    """

    key: str
    verdict: str
    cards: int
    need: Need
    saves: Interval | None = None
    in_use: bool = False


@dataclass(frozen=True)
class Fit:
    """What a model needs on a build: as stated, and with each way to save memory.

    `taken` is what nobody stated, `unstated` what would narrow the estimate. Memory is in GB.
    """

    name: str
    kind: str
    cards: int
    settings: Mapping[str, Any]
    taken: Mapping[str, Any]
    unstated: tuple[str, ...]
    layers: Interval | None
    width: Interval | None
    on_card: Mapping[str, Interval | None]
    need: Need
    room: Need
    verdict: str
    ways: tuple[Way, ...]


def fit(raw: bytes, path: str, catalog: Catalog, told: Mapping[str, Any]) -> Fit:
    """Fit the model of the build file, with what is `told` of it over that.

    Raises `InputError` where the build or the model cannot be used.
    """
    name, kind, settings, taken, bench = trial(raw, path, catalog, told)
    facts = bench.measured({})
    if kind == KINDS[0] and facts("workload.gradient_bytes") is None:
        what = f"nothing is trained in {bench.settings['precision']}"
        advice = "Give --precision bf16, or --for inference"
        raise InputError([Problem(option("precision"), 0, 0, what, advice)])
    cards = len(bench.graph.of("gpu"))
    split = facts("workload.tensor_degree") * facts("workload.pipeline_degree")
    if split.low > cards:
        what = f"the model is split over {split.low:g} cards, and there are {cards}"
        advice = "Lower 'tensor_cards' or 'pipeline_stages' under 'workload:'"
        raise InputError([Problem(path, 0, 0, what, advice)])
    need, room = _need(facts), Need(facts("build.card_room"), facts("memory.room"))
    parts = {name: facts(f"workload.{name}_on_card") for name in ON_CARD}
    parts = {n: v for n, v in parts.items() if v is None or v.high > 0}
    return Fit(
        name=name,
        kind=kind,
        cards=cards,
        settings=settings,
        taken=taken,
        unstated=tuple(n for n in NARROWS[kind] if n not in settings),
        layers=facts("workload.model_layers"),
        width=facts("workload.model_width"),
        on_card={**parts, "process": facts("standard.card_context")},
        need=need,
        room=room,
        verdict=_verdict(need, room),
        ways=tuple(_ways(bench, cards, kind, need, room)),
    )


def _need(facts: Facts) -> Need:
    return Need(facts("workload.card_need"), facts("workload.host_need"))


def _ways(bench: Bench, cards: int, kind: str, now: Need, room: Need) -> Iterator[Way]:
    for one in _techniques(cards):
        wider = one.settings.get("precision", bench.settings["precision"])
        if kind not in one.kinds or bench.size(wider) > bench.size(bench.settings["precision"]):
            continue
        if cards < one.cards:
            yield Way(one.key, "not-applicable", one.cards, Need(None, None))
            continue
        need = _need(bench.measured(one.settings))
        in_use = bench.uses(one.settings)
        saves = _saves(now.card, need.card)
        yield Way(one.key, _verdict(need, room), one.cards, need, saves, in_use)


def _saves(now: Interval | None, then: Interval | None) -> Interval | None:
    """What a card holds less, at the low and at the high end of an estimate."""
    if now is None or then is None:
        return None
    ends = (now.low - then.low, now.high - then.high)
    return Interval(min(ends), max(ends))


def _verdict(need: Need, room: Need) -> str:
    """Both have to be enough; one that is too small decides."""
    pairs = ((need.card, room.card), (need.host, room.host))
    fits = [None if None in pair else pair[0].is_at_most(pair[1]) for pair in pairs]  # type: ignore[union-attr, arg-type]
    if False in fits:
        return "does-not-fit"
    return "unknown" if None in fits else "fits"
