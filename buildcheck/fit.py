"""Does the model fit: a build file and a model → what each way to save memory asks of the cards.

The machine is put together once. Each way is a change of the `workload` section, with which the
same facts are measured again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.bench import Bench, Trial, trial, unusable, without_bf16
from buildcheck.errors import InputError, Problem
from buildcheck.model.quantity import Interval
from buildcheck.sizes import Sizes, sizes
from buildcheck.techniques import Need, needs, techniques

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from buildcheck.catalog import Catalog

#: What one card is filled with, by the facts that say so.
ON_CARD = ("weights", "gradients", "optimizer", "activations", "cache")
#: A way to train whose weights take more, and the one in which they are shortened.
_WIDER, _SHORTENED = "lora", "qlora"
#: What makes an estimate narrower when it is stated.
NARROWS = {
    "training": ("layers", "hidden_size", "heads", "vocabulary"),
    "inference": ("layers", "hidden_size", "heads", "kv_heads"),
}


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
    sizes: Sizes
    without_bf16: tuple[str, ...] = ()

    @property
    def undecided_by(self) -> str | None:
        """The widest term, where something is not known to fit and a shape would narrow it."""
        verdicts = {self.verdict, *(way.verdict for way in self.ways)}
        wide = {n: v.high - v.low for n in ON_CARD if (v := self.on_card.get(n))}
        if "unknown" not in verdicts or not self.unstated or not any(wide.values()):
            return None
        return max(wide, key=lambda name: wide[name])


def fit(raw: bytes, path: str, catalog: Catalog, told: Mapping[str, Any]) -> Fit:
    """Fit the model of the build file, with what is `told` of it over that.

    Raises `InputError` where the build or the model cannot be used.
    """
    return checked(trial(raw, path, catalog, told), path)


def checked(tried: Trial, path: str) -> Fit:
    """The same of a model that is tried already. Raises `InputError`."""
    wrong = list(unfit(tried, path))
    if wrong:
        raise InputError(wrong)
    return fitted(tried)


def unfit(tried: Trial, path: str) -> Iterator[Problem]:
    """What is wrong with a model for these cards: its format, or how it is split."""
    facts, cards = tried.bench.measured({}), len(tried.bench.graph.of("gpu"))
    yield from unusable(tried)
    split = facts("workload.tensor_degree") * facts("workload.pipeline_degree")
    if split.low > cards:
        what = f"the model is split over {split.low:g} cards, and there are {cards}"
        advice = "Lower 'tensor_cards' or 'pipeline_stages' under 'workload:'"
        yield Problem(path, 0, 0, what, advice)


def fitted(tried: Trial) -> Fit:
    """What a model that is tried on a build needs there."""
    name, kind, settings, taken, bench = tried[:5]
    facts, cards = bench.measured({}), len(bench.graph.of("gpu"))
    need, room = needs(facts)
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
        sizes=sizes(tried),
        without_bf16=without_bf16(bench),
    )


def _ways(bench: Bench, cards: int, kind: str, now: Need, room: Need) -> Iterator[Way]:
    for one in techniques(cards):
        wider = one.settings.get("precision", bench.settings["precision"])
        if kind not in one.kinds or bench.size(wider) > bench.size(bench.settings["precision"]):
            continue
        if one.settings.get("method") == _WIDER and bench.settings.get("method") == _SHORTENED:
            continue
        if cards < one.cards:
            yield Way(one.key, "not-applicable", one.cards, Need(None, None))
            continue
        need, _ = needs(bench.measured(one.settings))
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
