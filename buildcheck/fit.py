"""Does the model fit: a build file and a model → what each way to save memory asks of the cards.

The machine is put together once. Each way is a change of the `workload` section, with which the
same facts are measured again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.catalog import NameUnknownError
from buildcheck.connect import connect
from buildcheck.errors import InputError, Problem
from buildcheck.load import load
from buildcheck.measure import Facts, measure
from buildcheck.model.build import Workload
from buildcheck.model.graph import Graph
from buildcheck.model.part import USER, Source, Sourced
from buildcheck.model.quantity import Interval, exact
from buildcheck.proposals import proposals
from buildcheck.resolve import resolve

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from buildcheck.catalog import Catalog

#: Kinds of work that a model is fitted for.
KINDS = ("training", "inference")
#: What one card is filled with, by the facts that say so.
ON_CARD = ("weights", "gradients", "optimizer", "activations", "cache")
#: What is taken where nobody says, by the names of the proposals.
_TAKEN = ("precision", "optimizer", "batch", "context")
#: What makes an estimate narrower when it is stated.
NARROWS = {
    "training": ("layers", "hidden_size", "heads", "vocabulary", "flash_attention"),
    "inference": ("layers", "hidden_size", "heads", "kv_heads"),
}
_PROPOSED = Source("taken where nobody says", "", "assumption")
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
    again, zero = {"checkpointing": True}, "zero_stage"
    # Two cards along each of its dimensions.
    grid = 2 ** len(_GRID)
    return (
        Technique("half-precision", KINDS, 1, {"precision": "bf16"}),
        Technique("8-bit-weights", serve, 1, {"precision": "int8"}),
        Technique("4-bit-weights", serve, 1, {"precision": "int4"}),
        Technique("checkpointing", train, 1, again),
        Technique("offload", KINDS, 1, {"swap": True}),
        Technique(
            "8-bit-model-parallel", serve, 2, {"precision": "int8", "tensor_cards": all_cards}
        ),
        Technique(
            "4-bit-model-parallel", serve, 2, {"precision": "int4", "tensor_cards": all_cards}
        ),
        Technique("cpu-optimizer", train, 1, {"offload": True}),
        Technique("zero-1", train, 2, {zero: exact(1.0)}),
        Technique("zero-2", train, 2, {zero: exact(2.0)}),
        Technique("zero-3", train, 2, {zero: exact(3.0)}),
        Technique("model-parallel", KINDS, 2, {"tensor_cards": all_cards}),
        Technique("pipeline-parallel", KINDS, 2, {"pipeline_stages": all_cards}),
        Technique("3d-parallel", train, grid, _GRID),
        Technique("checkpointing-offload", train, 1, {**again, "swap": True}),
        Technique("checkpointing-zero-3", train, 2, {**again, zero: exact(3.0)}),
        Technique(
            "checkpointing-zero-3-cpu", train, 2, {**again, zero: exact(3.0), "offload": True}
        ),
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
    loaded = load(raw, path)
    graph = connect(resolve(loaded, catalog))
    settings = _stated(loaded.build.workload) | _told(told, catalog)
    kind = settings.setdefault("kind", KINDS[0])
    problems = list(_lacking(settings, path))
    if problems:
        raise InputError(problems)
    taken = _proposed(settings, kind)
    bench = _Bench(graph, catalog, {**taken, **settings})
    facts = bench.measured({})
    if kind == KINDS[0] and facts("workload.gradient_bytes") is None:
        what = f"nothing is trained in {bench.settings['precision']}"
        advice = "Give --precision bf16, or --for inference"
        raise InputError([Problem(option("precision"), 0, 0, what, advice)])
    cards = len(graph.of("gpu"))
    need, room = _need(facts), Need(facts("build.card_room"), facts("memory.room"))
    parts = {name: facts(f"workload.{name}_on_card") for name in ON_CARD}
    parts = {n: v for n, v in parts.items() if v is None or v.high > 0}
    return Fit(
        name=loaded.build.name or " and ".join(dict.fromkeys(c.name for c in graph.of("gpu"))),
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


def _stated(workload: Workload | None) -> dict[str, Any]:
    """What a build file says of the work."""
    if workload is None:
        return {}
    values = {name: getattr(workload, name) for name in workload.model_fields_set}
    return {name: value for name, value in values.items() if value is not None}


def option(name: str) -> str:
    """The option that says what a field of the section does."""
    return "--for" if name == "kind" else f"--{name.replace('_', '-')}"


def _told(told: Mapping[str, Any], catalog: Catalog) -> dict[str, Any]:
    """What options say, read as the section of a build file is. Raises `InputError`."""
    from pydantic import ValidationError  # noqa: PLC0415 - loaded with the model anyway

    try:
        found = _stated(Workload.model_validate({n: v for n, v in told.items() if v is not None}))
    except ValidationError as error:
        raise InputError(
            Problem(option(str(one["loc"][0])), 0, 0, one["msg"].removeprefix("Value error, "))
            for one in error.errors(include_url=False)
        ) from None
    problems = []
    for name in ("precision", "optimizer"):
        try:
            if name in found:
                catalog.find(name, found[name])
        except NameUnknownError:
            names = ", ".join(sorted(i.rpartition("/")[2] for i in catalog.ids(name)))
            what = f"there is no {name} '{found[name]}'"
            problems.append(Problem(option(name), 0, 0, what, f"Give one of: {names}"))
    if problems:
        raise InputError(problems)
    return found


def _lacking(settings: Mapping[str, Any], path: str) -> Iterator[Problem]:
    """What has to be known before anything can be said."""
    if settings["kind"] not in KINDS:
        advice = "Give --for training or --for inference"
        yield Problem(path, 0, 0, f"no model is fitted for {settings['kind']}", advice)
    if "parameters" not in settings:
        advice = "Give --parameters 7B, or 'parameters: 7B' under 'workload:'"
        yield Problem(path, 0, 0, "nobody says how large the model is", advice)


def _proposed(settings: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """What is taken where nobody says; weights that are served have no optimizer."""
    given = {name: getattr(proposals(), f"model_{name}") for name in _TAKEN}
    if kind == KINDS[1]:
        del given["optimizer"]
    values = {n: v if isinstance(v, str) else exact(float(v)) for n, v in given.items()}
    return {name: value for name, value in values.items() if name not in settings}


class _Bench:
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
        if name == "precision" and now is not None:
            # Formats of one size save each other nothing.
            return self.size(now) == self.size(value)
        return bool(now == value)

    def size(self, precision: str) -> float:
        """Bytes of a weight in a number format."""
        part = self.catalog.part(self.catalog.find("precision", precision))
        return float(part.facts["weight_bytes"].value.high)


def _need(facts: Facts) -> Need:
    return Need(facts("workload.card_need"), facts("workload.host_need"))


def _ways(bench: _Bench, cards: int, kind: str, now: Need, room: Need) -> Iterator[Way]:
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
