"""What the guide says: memory that a use needs, GPUs once recommended, and what it advises against.

That is which GPUs, for whom, and with which effect.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from buildcheck import units
from buildcheck.advise.answer import AdvisedGpu
from buildcheck.advise.gpus import GpuChip
from buildcheck.advise.guide_answer import (
    AdviceNote,
    GuideList,
    MemoryAdvice,
    MemoryNeed,
    UseAnswer,
)
from buildcheck.advise.request import AdviceRequest
from buildcheck.catalog import Catalog
from buildcheck.logic.quantity import Interval
from buildcheck.model.advice import guide
from buildcheck.model.answer import Amount, figure, made_of
from buildcheck.model.graph import by_key

#: Folders of the catalogue that are named after makers of chips.
_MAKERS = ("nvidia", "amd", "intel")
_ARCHITECTURE = "gpu-architecture"
_OF_GPUS = ("segments", "makers", "chips", "architectures")
#: Tensor units of chips that have none.
_NO_UNITS, _UNITS = "tensor-units/generic/none", "tensor-units"


def least_memory(request: AdviceRequest) -> tuple[Interval | None, str]:
    """Memory in GB that one GPU needs, by the `request` or the latest year of advice on its use.

    Of what that year asks for it is the largest amount.
    """
    if request.memory or not request.use:
        return request.memory, "request" if request.memory else ""
    stated = [(one.year, one.least) for one in guide().uses[request.use].memory]
    latest = max(year for year, _ in stated)
    found = (least for year, least in stated if year == latest)
    return max(found, key=lambda m: (m.high, m.low)), str(latest)


def memory_need(request: AdviceRequest) -> MemoryNeed:
    """The least memory with every statement on the use, oldest first."""
    least, by = least_memory(request)
    found = guide().uses[request.use].memory if request.use else ()
    stated = [made_of(MemoryAdvice, n, least=figure(n.least, units.DATA)) for n in found]
    stated.sort(key=lambda one: one.year)
    return MemoryNeed(figure(least, units.DATA), by, tuple(stated))


def every_use() -> tuple[UseAnswer, ...]:
    """Every use with the memory it needs."""
    every = guide().uses.items()
    return tuple(UseAnswer(n, use.name, memory_need(AdviceRequest(use=n))) for n, use in every)


def recommendations(use: str | None) -> tuple[GuideList, ...]:
    """GPUs once recommended for a use, or in general without one, oldest first."""
    named = (n for n in guide().named if (use in n.uses if use else not n.uses))
    found = [made_of(GuideList, n, prices=tuple(Amount(*p) for p in n.prices)) for n in named]
    return tuple(sorted(found, key=lambda one: one.year))


def with_effect(codes: Iterable[str], effect: str) -> tuple[str, ...]:
    """Those of some codes of the guide that have an effect."""
    return tuple(code for code in codes if guide().avoid[code].effect == effect)


def advice_note(code: str, gpus: Iterable[str] = ()) -> AdviceNote:
    """What the guide says by a code, about some GPUs by name."""
    found = guide()
    one = found.avoid[code]
    years = tuple(found.sources[name].year for name in one.sources)
    words = (one.effect, one.title, one.why)
    return AdviceNote(code, *words, years, one.match.least_count, tuple(gpus))


def notes_on(gpus: Iterable[AdvisedGpu]) -> tuple[AdviceNote, ...]:
    """What is advised against some GPUs, and their conditions, each once."""
    named = ((code, gpu.name) for gpu in gpus for code in (*gpu.advised_against, *gpu.conditions))
    return tuple(advice_note(code, names) for code, names in by_key(named).items())


class Exclusions:
    """What is advised against, for a kind of owner, a network architecture and a number of GPUs."""

    def __init__(self, catalog: Catalog, owner: str, net: str, count: int) -> None:
        self.catalog = catalog
        found = {
            code: one
            for code, one in guide().avoid.items()
            if one.match.owner in (None, owner)
            and one.match.net in (None, net)
            and one.match.least_count <= count
        }
        #: By its code, what limits which GPUs it is about.
        self._on_gpus = {
            code: one.match
            for code, one in found.items()
            if one.match.tensor_cores is not None or any(getattr(one.match, n) for n in _OF_GPUS)
        }
        #: What is advised against whatever the GPU.
        self.general = tuple(code for code in found if code not in self._on_gpus)
        self._chips = {
            code: {catalog.find("gpu", name) for name in match.chips}
            for code, match in self._on_gpus.items()
        }

    def of(self, gpu: GpuChip) -> tuple[str, ...]:
        """What is advised against a GPU, by codes of the guide."""
        return tuple(c for c, match in self._on_gpus.items() if all(self._matches(c, match, gpu)))

    def _matches(self, code: str, match: Any, gpu: GpuChip) -> Iterator[bool]:
        """Does each thing by which the GPUs are described hold for this one?"""
        if match.tensor_cores is not None:
            named = gpu.facts.get("tensor_units")
            has_units = named is not None and self.catalog.find(_UNITS, named) != _NO_UNITS
            yield named is not None and has_units is match.tensor_cores
        if match.segments:
            yield gpu.facts.get("segment") in match.segments
        if match.makers:
            yield self._maker(gpu) in {maker.lower() for maker in match.makers}
        if match.chips or match.architectures:
            is_named = gpu.facts.get("architecture") in match.architectures
            yield is_named or gpu.id in self._chips[code]

    def _maker(self, gpu: GpuChip) -> str:
        """The maker of the chip, by its own folder or its architecture's; else of the part."""
        folder, architecture = gpu.id.split("/")[1], gpu.facts.get("architecture")
        if folder in _MAKERS or architecture is None:
            return folder
        return self.catalog.find(_ARCHITECTURE, architecture).split("/")[1]
