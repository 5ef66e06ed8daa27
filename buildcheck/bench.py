"""A machine that models are tried on: the settings of the work, and the facts they lead to.

The machine is put together once; its work, and whatever else is to be tried, is changed in the
graph, and the same facts are measured again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.connect import connect
from buildcheck.errors import InputError, Problem
from buildcheck.load import load
from buildcheck.measure import Facts, measure
from buildcheck.model.build import Workload, wrong_heads, wrong_kv_heads
from buildcheck.model.graph import Graph
from buildcheck.model.part import USER, Source, Sourced
from buildcheck.model.quantity import exact, number_text
from buildcheck.proposals import proposals
from buildcheck.resolve import resolve
from buildcheck.told import option, read_told, stated

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from buildcheck.catalog import Catalog
    from buildcheck.model.finding import Report
    from buildcheck.source import Document

#: Kinds of work that a model is tried for.
KINDS = ("training", "inference")
#: What is taken where nobody says, by the names of the proposals.
_TAKEN = ("precision", "optimizer", "batch", "context", "flash_attention")
#: What only training asks about.
_OF_TRAINING = ("optimizer", "flash_attention")
#: Ways to train that have adapters.
_WITH_ADAPTERS = ("lora", "qlora")
#: What is taken only where nobody asks about a model of their own.
_NEEDED = ("parameters",)
#: What says, both together, how many weights a model has beside its parameters.
_SHAPE = ("layers", "hidden_size")
#: How a model is split, by the fact that says so where only `parallel` is stated.
_DEGREES = {
    "tensor_cards": "workload.tensor_degree",
    "pipeline_stages": "workload.pipeline_degree",
}
_PROPOSED = Source("taken where nobody says", "", "assumption")


def told_of(told: Mapping[str, Any], catalog: Catalog) -> dict[str, Any]:
    """What options say, read as the section of a build file is. Raises `InputError`."""
    return read_told(Workload, told, catalog, ("precision", "optimizer"))


def lacking(settings: Mapping[str, Any], path: str, *, sized: bool) -> Iterator[Problem]:
    """What has to be known before anything can be said."""
    if settings["kind"] not in KINDS:
        advice = "Give --for training or --for inference"
        yield Problem(path, 0, 0, f"no model is fitted for {settings['kind']}", advice)
    if sized and "parameters" not in settings:
        advice = "Give --parameters 7B, or 'parameters: 7B' under 'workload:'"
        yield Problem(path, 0, 0, "nobody says how large the model is", advice)
    heads = settings.get("heads")
    for name, wrong in (
        ("heads", wrong_heads(settings.get("hidden_size"), heads)),
        ("kv_heads", wrong_kv_heads(heads, settings.get("kv_heads"))),
    ):
        if wrong:
            yield Problem(option(name), 0, 0, wrong, "Give both, as the model has them")


def unusable(tried: Trial) -> Iterator[Problem]:
    """What is wrong with a model whatever it is tried for: its shape, or its format."""
    yield from _misshapen(tried)
    yield from _gradients(tried)


def _misshapen(tried: Trial) -> Iterator[Problem]:
    """A shape that makes far more or fewer weights than the model is stated to have."""
    facts = tried.bench.measured({})
    share, usual = facts("workload.shape_share"), facts("standard.shape_share")
    if share is None or usual is None:
        return
    larger, smaller = usual.is_below(share), share.is_below(usual)
    if not larger and not smaller:
        return
    parameters = tried.settings["parameters"]
    ratio = share.low if larger else share.high
    what = (
        f"{_shape(tried.settings)} {'at least' if larger else 'at most'}"
        f" {_rough(ratio * parameters.high)}B parameters (12 x layers x width x width, and the"
        f" vocabulary), {_rough(ratio)} times the stated {number_text(parameters.high)}B;"
        f" published models lie between {number_text(usual.low)} and {number_text(usual.high)}"
    )
    advice = "Give shape and parameters of one model, or leave out the shape"
    field = _SHAPE[0] if _SHAPE[0] in tried.settings else _SHAPE[1]
    yield tried.problem(field, what, advice)


def _shape(settings: Mapping[str, Any]) -> str:
    layers, width = settings.get(_SHAPE[0]), number_text(settings[_SHAPE[1]].high)
    if layers is None:
        return f"even one layer of width {width} makes"
    return f"{number_text(layers.high)} layers of width {width} make"


def _rough(value: float) -> str:
    return number_text(float(f"{value:.2g}"))


def _gradients(tried: Trial) -> Iterator[Problem]:
    """What is wrong with a format that nothing is trained in, where a model is to be."""
    if tried.kind == KINDS[0] and tried.bench.measured({})("workload.gradient_bytes") is None:
        what = f"nothing is trained in {tried.bench.settings['precision']}"
        advice = (
            "Give --precision bf16, with --method qlora for weights of 4 bit, or --for inference"
        )
        yield tried.problem("precision", what, advice)


def proposed(settings: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """What is taken where nobody says; weights that are served have no optimizer."""
    names = [n for n in (*_TAKEN, *_NEEDED) if kind == KINDS[0] or n not in _OF_TRAINING]
    if kind == KINDS[0] and settings.get("method") in _WITH_ADAPTERS:
        names.append("lora_rank")
    given = {name: getattr(proposals(), f"model_{name}") for name in names}
    values = {n: v if isinstance(v, (str, bool)) else exact(float(v)) for n, v in given.items()}
    return {name: value for name, value in values.items() if name not in settings}


class Bench:
    """A machine on which models are tried."""

    def __init__(self, graph: Graph, catalog: Catalog, settings: Mapping[str, Any]) -> None:
        self.graph, self.catalog, self.settings = graph, catalog, settings

    def measured(self, change: Mapping[str, Any]) -> Facts:
        """The facts of the machine with its work changed."""
        values = {**self.settings, **change}
        if values.get("method") in _WITH_ADAPTERS:
            values.setdefault("lora_rank", exact(float(proposals().model_lora_rank)))
        own = {
            name: Sourced(value, USER if name in self.settings else _PROPOSED, USER.confidence, "")
            for name, value in values.items()
        }
        work = self.graph.the("workload")
        filled = replace(work, facts=self.catalog.fill(Workload, own))
        return measure(Graph({**self.graph.subjects, work.id: filled}, self.graph.edges))

    def uses(self, change: Mapping[str, Any]) -> bool:
        """Is a change none, because the work is done so already?"""
        return all(self._same(name, value) for name, value in change.items())

    def _same(self, name: str, value: Any) -> bool:
        now = self.settings.get(name)
        if name in _DEGREES:
            now = self.measured({})(_DEGREES[name])
        if name == "precision" and now is not None:
            # Formats of one size save each other nothing.
            return self.size(now) == self.size(value)
        return bool(now == value)

    def size(self, precision: str) -> float:
        """Bytes of a weight in a number format."""
        part = self.catalog.part(self.catalog.find("precision", precision))
        return float(part.facts["weight_bytes"].value.high)


class Trial(NamedTuple):
    """A build with a model to be tried on it: what is stated of the work, and what is taken."""

    name: str
    kind: str
    settings: dict[str, Any]
    taken: dict[str, Any]
    bench: Bench
    #: The build file that states what no option does.
    document: Document | None = None

    def problem(self, field: str, what: str, advice: str) -> Problem:
        """A problem with a setting, at its place in the build file or at its option."""
        path = ("workload", field)
        if self.document is None or path not in self.document.values:
            return Problem(option(field), 0, 0, what, advice)
        return self.document.problem(path, what, advice)


def trial(
    raw: bytes, path: str, catalog: Catalog, told: Mapping[str, Any], *, sized: bool = True
) -> Trial:
    """The model of a build file, with what is `told` of it over that.

    Raises `InputError` where the build or the model cannot be used, and where a model has to be
    `sized` and nobody says how large it is.
    """
    loaded = load(raw, path)
    graph = connect(resolve(loaded, catalog))
    said = told_of(told, catalog)
    settings = stated(loaded.build.workload) | said
    settings.setdefault("kind", KINDS[0])
    problems = list(lacking(settings, path, sized=sized))
    if problems:
        raise InputError(problems)
    name = loaded.build.name or " and ".join(dict.fromkeys(c.name for c in graph.of("gpu")))
    in_file = None if said.keys() & {*_SHAPE, "parameters", "precision"} else loaded.document
    return _trial(name, settings, graph, catalog)._replace(document=in_file)


def trial_of(report: Report) -> Trial | None:
    """The model of a judged build; what it does not state of it is taken.

    None where no model is trained or served.
    """
    work = report.graph.the("workload")
    settings = {n: f.value for n, f in work.facts.items() if f.source == USER}
    settings["kind"] = report.facts("workload.kind")
    if settings["kind"] not in KINDS or report.catalog is None or not report.graph.of("gpu"):
        return None
    return _trial(report.name, settings, report.graph, report.catalog)


def as_kind(tried: Trial, kind: str) -> Trial:
    """The same machine and model for another kind of work."""
    settings = {**tried.settings, "kind": kind}
    return _trial(tried.name, settings, tried.bench.graph, tried.bench.catalog)


def _trial(name: str, settings: dict[str, Any], graph: Graph, catalog: Catalog) -> Trial:
    taken = proposed(settings, settings["kind"])
    bench = Bench(graph, catalog, {**taken, **settings})
    if "precision" in taken and without_bf16(bench):
        taken["precision"] = proposals().model_older_precision
        bench = Bench(graph, catalog, {**taken, **settings})
    return Trial(name, settings["kind"], settings, taken, bench)


def without_bf16(bench: Bench) -> tuple[str, ...]:
    """The cards that have no bfloat16, by name, where the work is to be done in it."""
    facts = bench.measured({})
    if not facts("workload.needs_bf16"):
        return ()
    cards = (c for c in bench.graph.of("gpu") if facts("gpu.bf16", c) is False)
    return tuple(dict.fromkeys(card.name for card in cards))
