"""The answer of `fit`: does a model fit the GPUs of a build, and how large a model does?"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil, floor, log10
from typing import Any

from buildcheck import units
from buildcheck.catalog import Catalog
from buildcheck.errors import InputError, Problem
from buildcheck.logic.quantity import Interval
from buildcheck.model.answer import Figure, figure
from buildcheck.model.finding import Report
from buildcheck.model.frozen import Frozen
from buildcheck.model.vocabulary import problem
from buildcheck.workload.fit.largest import (
    GpuMemory,
    available,
    largest_models,
    needed,
    techniques,
    unused_shape,
    verdict,
)
from buildcheck.workload.model_setup import (
    KINDS,
    ModelSetup,
    as_published,
    model_problems,
    read_setup,
    setup_of,
    with_kind,
)

#: What fills a GPU, by the facts that give it.
_ON_GPU = ("weights", "gradients", "optimizer", "activations", "cache")
#: What narrows an estimate when it is stated.
_NARROWS = {
    "training": ("layers", "hidden_size", "heads", "vocabulary"),
    "inference": ("layers", "hidden_size", "heads", "kv_heads"),
}

Setting = Figure | float | str | bool


class MemoryAmounts(Frozen):
    """Memory of one GPU and of the machine; None where not known."""

    gpu: Figure | None = None
    host: Figure | None = None


class TechniqueFit(Frozen):
    """A model by one technique. `gpus` is how many it takes at least.

    The verdict is fits, does-not-fit, unknown or not-applicable (too few GPUs).
    """

    technique: str
    verdict: str
    gpus: int
    need: MemoryAmounts = MemoryAmounts()
    #: What it saves on each GPU.
    saves: Figure | None = None
    in_use: bool = False


class ModelFit(Frozen):
    """One model on the machine: memory of each GPU, the verdict, and every technique."""

    verdict: str
    need: MemoryAmounts
    room: MemoryAmounts
    on_gpu: dict[str, Figure | None]
    techniques: tuple[TechniqueFit, ...]
    #: How it is split over the GPUs where nothing is stated: tensor, pipeline or empty.
    split: str = ""
    layers: Figure | None = None
    hidden_size: Figure | None = None
    #: What is not stated and narrows the estimate, and the widest term where that decides.
    narrowed_by: tuple[str, ...] = ()
    undecided_by: str = ""
    without_bf16: tuple[str, ...] = ()
    #: The published model whose shape is assumed, where only its size is stated.
    built_as: str = ""
    shape_source: str = ""


class LargestModel(Frozen):
    """Billions of parameters that fit by a technique: surely the low end, perhaps the high."""

    technique: str
    parameters: Figure | None = None


class LargestModels(Frozen):
    """The largest models by each technique for one kind of work."""

    kind: str
    models: tuple[LargestModel, ...]
    settings: dict[str, Setting]
    #: Stated settings that say nothing of models of another size.
    unused: tuple[str, ...] = ()

    @property
    def best(self) -> LargestModel | None:
        """The largest model that surely fits without a copy of each layer from main memory."""
        quick = (m for m in self.models if not m.technique.endswith("offload"))
        known = [(m.parameters.low or 0.0, m) for m in quick if m.parameters]
        size, best = max(known, key=lambda one: one[0], default=(0.0, None))
        return best if size > 0 else None


class FitAnswer(Frozen):
    """Whether the stated model fits, if there is one, and the largest that do."""

    name: str
    kind: str
    gpus: int
    settings: dict[str, Setting]
    assumed: dict[str, Setting]
    largest: tuple[LargestModels, ...]
    model: ModelFit | None = None
    #: Why the stated model cannot be used.
    problem: str = ""
    #: Whose memory is not known: gpu, host.
    missing: tuple[str, ...] = ()


def read_fit(raw: bytes, path: str, catalog: Catalog, options: Mapping[str, Any]) -> FitAnswer:
    """The answer for a build file with options over it. Raises `InputError`."""
    setup = read_setup(raw, path, catalog, options, sized=False)
    problems = list(_problems(setup, path)) if "parameters" in setup.stated else []
    InputError.raise_any(problems)
    is_one_kind = options.get("kind") or "parameters" in setup.stated
    return _answer(setup, (setup.kind,) if is_one_kind else KINDS)


def fit_answer(report: Report) -> FitAnswer | None:
    """The answer for a judged build; None where no model is trained or served."""
    setup = setup_of(report)
    if setup is None:
        return None
    problem = next(_problems(setup, ""), None) if "parameters" in setup.stated else None
    return _answer(setup, KINDS, problem.message if problem else "")


def setting_values(settings: Mapping[str, Any]) -> dict[str, Setting]:
    """Settings as plain values, but for the kind of work."""
    return {name: _plain(value) for name, value in settings.items() if name != "kind"}


def _plain(value: Any) -> Setting:
    if not isinstance(value, Interval):
        return value  # type: ignore[no-any-return]
    return value.low if value.is_exact else Figure(value.low, value.high)


def _problems(setup: ModelSetup, path: str) -> Iterator[Problem]:
    """What is wrong with a model on these GPUs: shape, format, or how it is split."""
    yield from model_problems(setup)
    facts = setup.facts()
    split = facts("workload.tensor_degree") * facts("workload.pipeline_degree")
    if split.low > setup.gpus:
        yield problem(path, "split-too-far", split=f"{split.low:g}", gpus=setup.gpus)


def _answer(stated: ModelSetup, kinds: Sequence[str], problem: str = "") -> FitAnswer:
    has_model = "parameters" in stated.stated and not problem
    built_as, source, setup = as_published(stated) if has_model else ("", "", stated)
    room = available(stated.facts())
    fit = replace(_model_fit(setup), built_as=built_as, shape_source=source) if has_model else None
    return FitAnswer(
        name=setup.name,
        kind=setup.kind,
        gpus=setup.gpus,
        settings=setting_values(setup.stated),
        assumed=setting_values(setup.assumed),
        largest=tuple(one for kind in kinds if (one := _largest(with_kind(stated, kind))).models),
        model=fit,
        problem=problem,
        missing=tuple(whose for whose, memory in room._asdict().items() if memory is None),
    )


def _model_fit(setup: ModelSetup) -> ModelFit:
    facts = setup.facts()
    need, room = needed(facts), available(facts)
    parts = {name: facts(f"workload.{name}_on_card") for name in _ON_GPU}
    parts = {n: v for n, v in parts.items() if v is None or v.high > 0}
    parts["process"] = facts("standard.card_context")
    found = tuple(_techniques(setup, need, room))
    own = verdict(need, room)
    narrowed_by = tuple(n for n in _NARROWS[setup.kind] if n not in setup.settings)
    is_open = "unknown" in {own, *(one.verdict for one in found)} and None not in room
    split = [n for n in ("tensor", "pipeline") if facts(f"workload.{n}_degree").low > 1]
    return ModelFit(
        verdict=own,
        need=_amounts(need),
        room=_amounts(room),
        on_gpu={name: figure(value, units.DATA) for name, value in parts.items()},
        techniques=found,
        split="" if facts("workload.states_split") else "".join(split),
        layers=figure(facts("workload.model_layers")),
        hidden_size=figure(facts("workload.model_width")),
        narrowed_by=narrowed_by,
        undecided_by=_widest(parts) if is_open and narrowed_by else "",
        without_bf16=setup.gpus_without_bf16(),
    )


def _widest(parts: Mapping[str, Interval | None]) -> str:
    """The term of the model with the widest range; empty where all are exact."""
    wide = {name: v.high - v.low for name in _ON_GPU if (v := parts.get(name))}
    return max(wide, key=lambda name: wide[name]) if any(wide.values()) else ""


def _techniques(setup: ModelSetup, now: GpuMemory, room: GpuMemory) -> Iterator[TechniqueFit]:
    """Every technique for this work, but those that need more than the stated settings."""
    own = setup.settings
    size = setup.weight_bytes(own["precision"])
    for one in techniques(setup.gpus):
        is_wider = setup.weight_bytes(one.settings.get("precision", own["precision"])) > size
        if setup.kind not in one.kinds or is_wider:
            continue
        if one.settings.get("method") == "lora" and own.get("method") == "qlora":
            continue
        if setup.gpus < one.gpus:
            yield TechniqueFit(one.key, "not-applicable", one.gpus)
            continue
        need = needed(setup.facts(one.settings))
        # What a GPU holds less, at both ends of an estimate.
        less = now.gpu and need.gpu and (now.gpu.low - need.gpu.low, now.gpu.high - need.gpu.high)
        yield TechniqueFit(
            technique=one.key,
            verdict=verdict(need, room),
            gpus=one.gpus,
            need=_amounts(need),
            saves=figure(Interval(*sorted(less)), units.DATA) if less else None,
            in_use=all(setup.has(name, value) for name, value in one.settings.items()),
        )


def _amounts(memory: GpuMemory) -> MemoryAmounts:
    return MemoryAmounts(*(figure(value, units.DATA) for value in memory))


def _largest(setup: ModelSetup) -> LargestModels:
    unused = unused_shape(setup.stated)
    left = ("kind", "parameters", *unused)
    return LargestModels(
        kind=setup.kind,
        models=tuple(
            # Two digits, rounded down where a model surely fits and up where it may.
            LargestModel(
                key,
                None if found is None else Figure(_two(found.low, floor), _two(found.high, ceil)),
            )
            for key, found in largest_models(setup)
        ),
        settings=setting_values({n: v for n, v in setup.settings.items() if n not in left}),
        unused=unused,
    )


def _two(value: float, towards: Callable[[float], int]) -> float:
    if value <= 0:
        return 0.0
    digits = 1 - floor(log10(value))
    # What floating point may be off by is no reason to round.
    slip = 1e-9 if towards is floor else -1e-9
    return round(towards(value * 10.0**digits + slip) / 10.0**digits, max(digits, 0))
