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
from buildcheck.model.build import Workload, too_many_kv_heads
from buildcheck.model.graph import Graph
from buildcheck.model.part import USER, Source, Sourced
from buildcheck.model.quantity import exact
from buildcheck.proposals import proposals
from buildcheck.resolve import resolve
from buildcheck.told import option, read_told, stated

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from buildcheck.catalog import Catalog
    from buildcheck.model.finding import Report

#: Kinds of work that a model is tried for.
KINDS = ("training", "inference")
#: What is taken where nobody says, by the names of the proposals.
_TAKEN = ("precision", "optimizer", "batch", "context")
#: What is taken only where nobody asks about a model of their own.
_NEEDED = ("parameters",)
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
    wrong = too_many_kv_heads(settings.get("heads"), settings.get("kv_heads"))
    if wrong:
        yield Problem(option("kv_heads"), 0, 0, wrong, "Give both, as the model has them")


def gradients(tried: Trial) -> Iterator[Problem]:
    """What is wrong with a format that nothing is trained in, where a model is to be."""
    if tried.kind == KINDS[0] and tried.bench.measured({})("workload.gradient_bytes") is None:
        what = f"nothing is trained in {tried.bench.settings['precision']}"
        advice = "Give --precision bf16, or --for inference"
        yield Problem(option("precision"), 0, 0, what, advice)


def proposed(settings: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """What is taken where nobody says; weights that are served have no optimizer."""
    given = {name: getattr(proposals(), f"model_{name}") for name in (*_TAKEN, *_NEEDED)}
    if kind == KINDS[1]:
        del given["optimizer"]
    values = {n: v if isinstance(v, str) else exact(float(v)) for n, v in given.items()}
    return {name: value for name, value in values.items() if name not in settings}


class Bench:
    """A machine on which models are tried."""

    def __init__(self, graph: Graph, catalog: Catalog, settings: Mapping[str, Any]) -> None:
        self.graph, self.catalog, self.settings = graph, catalog, settings

    def measured(self, change: Mapping[str, Any]) -> Facts:
        """The facts of the machine with its work changed."""
        values = {**self.settings, **change}
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


def trial(
    raw: bytes, path: str, catalog: Catalog, told: Mapping[str, Any], *, sized: bool = True
) -> Trial:
    """The model of a build file, with what is `told` of it over that.

    Raises `InputError` where the build or the model cannot be used, and where a model has to be
    `sized` and nobody says how large it is.
    """
    loaded = load(raw, path)
    graph = connect(resolve(loaded, catalog))
    settings = stated(loaded.build.workload) | told_of(told, catalog)
    settings.setdefault("kind", KINDS[0])
    problems = list(lacking(settings, path, sized=sized))
    if problems:
        raise InputError(problems)
    name = loaded.build.name or " and ".join(dict.fromkeys(c.name for c in graph.of("gpu")))
    return _trial(name, settings, graph, catalog)


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
    return Trial(
        name, settings["kind"], settings, taken, Bench(graph, catalog, {**taken, **settings})
    )
