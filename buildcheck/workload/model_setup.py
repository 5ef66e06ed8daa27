"""A language model on the machine of a build: what is stated of it, what is assumed, its facts.

The machine is connected once. A setting, or the graph itself, is then changed and the facts are
measured again.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from buildcheck.catalog import Catalog
from buildcheck.connect import connect
from buildcheck.errors import InputError, Problem
from buildcheck.load import load
from buildcheck.logic.quantity import exact, number_text
from buildcheck.measure import Facts, VariedFacts, measure
from buildcheck.model.build import SECTIONS, wrong_heads, wrong_kv_heads
from buildcheck.model.finding import Report
from buildcheck.model.frozen import Frozen
from buildcheck.model.part import USER, Source, Sourced
from buildcheck.model.source import Document
from buildcheck.model.vocabulary import problem
from buildcheck.resolve import resolve
from buildcheck.rulebook.proposals import MODEL_SHAPE, proposals
from buildcheck.workload.overrides import option_of, read_overrides, stated_fields

#: Kinds of work that have a model.
KINDS = TRAINING, INFERENCE = ("training", "inference")
#: Settings with an assumption where none is stated; of these, those that only training has.
_ASSUMED = ("precision", "optimizer", "batch", "context", "flash_attention", "parameters")
_TRAINING_ONLY = ("optimizer", "flash_attention")
#: Methods that train adapters.
_WITH_ADAPTERS = ("lora", "qlora")
#: Settings that together give the number of weights.
_SHAPE = ("layers", "hidden_size")
#: The fact with the degree of a split that `parallel` alone may state.
_DEGREES = {"tensor_cards": "workload.tensor_degree", "pipeline_stages": "workload.pipeline_degree"}
_ASSUMPTION = Source("assumed where not stated", "", "assumption")


class ModelSetup(Frozen):
    """A build with a model on it: `stated` settings of the work, and those `assumed`."""

    name: str
    machine: Facts
    catalog: Catalog
    kind: str
    stated: Mapping[str, Any]
    assumed: Mapping[str, Any]
    #: The build file, where no option replaces the model that it states.
    document: Document | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """All settings of the work."""
        return {**self.assumed, **self.stated, "kind": self.kind}

    @property
    def gpus(self) -> int:
        """GPUs of one machine."""
        return len(self.machine.graph.of("gpu"))

    def facts(self, change: Mapping[str, Any] | None = None) -> Facts:
        """The facts of the machine, with some settings changed."""
        values = {**self.settings, **(change or {})}
        if values.get("method") in _WITH_ADAPTERS:
            values.setdefault("lora_rank", exact(float(proposals().model_lora_rank)))
        own = {
            name: Sourced(value, _ASSUMPTION if name in self.assumed else USER, USER.confidence, "")
            for name, value in values.items()
        }
        work = self.machine.graph.the("workload")
        filled = replace(work, facts=self.catalog.fill(SECTIONS["workload"], own))
        graph = self.machine.graph.with_subject(filled)
        return VariedFacts(graph, base=self.machine, changed=(work.id,))

    def has(self, name: str, value: Any) -> bool:
        """Is this value of a setting that of the setup already?"""
        now = self.settings.get(name)
        if name in _DEGREES:
            now = self.facts()(_DEGREES[name])
        if name == "precision" and now is not None:
            # Formats of one size save nothing over each other.
            return self.weight_bytes(now) == self.weight_bytes(value)
        return bool(now == value)

    def weight_bytes(self, precision: str) -> float:
        """Bytes of a weight in a number format."""
        return float(_precision(self.catalog, precision)["weight_bytes"].value.high)

    def problem(self, field: str, code: str, **words: Any) -> Problem:
        """A problem with a setting, located in the build file or at its option."""
        path, found = ("workload", field), problem(option_of(field), code, **words)
        if self.document is None or path not in self.document.values:
            return found
        return self.document.problem(path, found.message, found.suggestion)

    def gpus_without_bf16(self) -> tuple[str, ...]:
        """Names of the GPUs without bfloat16, where the work is done in it."""
        facts = self.facts()
        if not facts("workload.needs_bf16"):
            return ()
        gpus = (gpu for gpu in self.machine.graph.of("gpu") if facts("gpu.bf16", gpu) is False)
        return tuple(dict.fromkeys(gpu.name for gpu in gpus))


def read_setup(
    raw: bytes, path: str, catalog: Catalog, options: Mapping[str, Any], *, sized: bool = True
) -> ModelSetup:
    """The model of a build file, with options over it.

    Raises `InputError` where build or model cannot be used, or a `sized` model has no size.
    """
    loaded = load(raw, path)
    graph = connect(resolve(loaded, catalog))
    given = read_overrides(SECTIONS["workload"], options, catalog, ("precision", "optimizer"))
    own = dict(stated_fields(loaded.build.workload))
    if given.get("kind") == INFERENCE and own.get("kind") == TRAINING:
        # How training is split says nothing about serving.
        own.pop("parallel", None)
    stated = own | given
    kind = stated.get("kind") or _usual_kind(stated, catalog)
    InputError.raise_any(list(_missing(kind, stated, path, sized=sized)))
    gpus = Counter(gpu.name for gpu in graph.of("gpu"))
    name = loaded.build.name or " and ".join(f"{count}x {name}" for name, count in gpus.items())
    in_file = None if given.keys() & {*_SHAPE, "parameters", "precision"} else loaded.document
    return replace(_setup(name, kind, stated, measure(graph), catalog), document=in_file)


def setup_of(report: Report) -> ModelSetup | None:
    """The model of a judged build; None where none is trained or served."""
    stated = {n: f.value for n, f in report.graph.the("workload").facts.items() if f.source == USER}
    kind = report.facts("workload.kind")
    if kind not in KINDS or report.catalog is None or not report.graph.of("gpu"):
        return None
    return _setup(report.name, kind, stated, report.facts, report.catalog)


def with_kind(setup: ModelSetup, kind: str) -> ModelSetup:
    """The same machine and model for another kind of work."""
    return _setup(setup.name, kind, setup.stated, setup.machine, setup.catalog)


def _setup(
    name: str, kind: str, stated: Mapping[str, Any], machine: Facts, catalog: Catalog
) -> ModelSetup:
    made = ModelSetup(name, machine, catalog, kind, stated, assumed_settings(stated, kind))
    if "precision" in made.assumed and made.gpus_without_bf16():
        older = {**made.assumed, "precision": proposals().model_older_precision}
        return replace(made, assumed=older)
    return made


def assumed_settings(stated: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """The settings that are assumed for work that does not state them."""
    names = [n for n in _ASSUMED if kind == TRAINING or n not in _TRAINING_ONLY]
    if kind == TRAINING and stated.get("method") in _WITH_ADAPTERS:
        names.append("lora_rank")
    given = {name: getattr(proposals(), f"model_{name}") for name in names if name not in stated}
    return {n: v if isinstance(v, (str, bool)) else exact(float(v)) for n, v in given.items()}


def as_published(setup: ModelSetup) -> tuple[str, str, ModelSetup]:
    """Name and source of the model whose shape is assumed, and the setup; empty where none is."""
    if not any(name in setup.stated for name in MODEL_SHAPE):
        for one in proposals().model_shapes:
            if setup.stated["parameters"] == exact(float(one["size"])):
                shape = {name: exact(float(one[name])) for name in MODEL_SHAPE}
                made = replace(setup, assumed={**setup.assumed, **shape})
                return one["model"], one["source"], made
    return "", "", setup


def _precision(catalog: Catalog, name: str) -> Mapping[str, Sourced]:
    return catalog.part(catalog.find("precision", name)).facts


def _usual_kind(stated: Mapping[str, Any], catalog: Catalog) -> str:
    """Training, unless the precision is one that no model is trained in."""
    precision = stated.get("precision")
    if precision is None or "gradient_bytes" in _precision(catalog, precision):
        return TRAINING
    return TRAINING if stated.get("method") in _WITH_ADAPTERS else INFERENCE


def _missing(kind: str, stated: Mapping[str, Any], path: str, *, sized: bool) -> Iterator[Problem]:
    """What has to be stated or changed before anything can be calculated."""
    if kind not in KINDS:
        yield problem(path, "no-model", kind=kind)
    if sized and "parameters" not in stated:
        yield problem(path, "no-size")
    heads = stated.get("heads")
    for name, wrong in (
        ("heads", wrong_heads(stated.get("hidden_size"), heads)),
        ("kv_heads", wrong_kv_heads(heads, stated.get("kv_heads"))),
    ):
        if wrong:
            yield problem(option_of(name), "wrong-heads", wrong=wrong)


def model_problems(setup: ModelSetup) -> Iterator[Problem]:
    """What is wrong with a model on any machine: its shape, or its number format."""
    yield from _shape_problems(setup)
    if setup.kind == TRAINING and setup.facts()("workload.gradient_bytes") is None:
        yield setup.problem("precision", "not-trained-in", precision=setup.settings["precision"])


def _shape_problems(setup: ModelSetup) -> Iterator[Problem]:
    """A stated shape with far more or fewer weights than the stated parameters."""
    facts = setup.facts()
    share, usual = facts("workload.shape_share"), facts("standard.shape_share")
    if share is None or usual is None:
        return
    larger = usual.is_below(share)
    if not larger and not share.is_below(usual):
        return
    parameters = setup.stated["parameters"]
    ratio = share.low if larger else share.high
    yield setup.problem(
        next(name for name in _SHAPE if name in setup.stated),
        "shape-of-another",
        shape=_shape(setup.stated),
        bound="at least" if larger else "at most",
        weights=_rough(ratio * parameters.high),
        ratio=_rough(ratio),
        stated=number_text(parameters.high),
        least=number_text(usual.low),
        most=number_text(usual.high),
    )


def _shape(stated: Mapping[str, Any]) -> str:
    layers, width = stated.get(_SHAPE[0]), number_text(stated[_SHAPE[1]].high)
    if layers is None:
        return f"even one layer of width {width} makes"
    return f"{number_text(layers.high)} layers of width {width} make"


def _rough(value: float) -> str:
    return number_text(float(f"{value:.2g}"))
