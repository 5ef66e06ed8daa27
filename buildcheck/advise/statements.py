"""What the guide says: memory that a use needs, what was recommended for it, and its sources."""

from __future__ import annotations

from buildcheck import units
from buildcheck.advise.guide_answer import (
    GuideList,
    GuideSource,
    MemoryAdvice,
    MemoryNeed,
    UseAnswer,
)
from buildcheck.advise.request import AdviceRequest
from buildcheck.logic.quantity import Interval
from buildcheck.model.advice import chart, guide
from buildcheck.model.answer import Amount, Figure, figure

#: Bits of half precision.
_HALF = 16


def least_memory(request: AdviceRequest) -> Interval | None:
    """Memory in GB that one GPU needs: of the request, else of the latest advice on its use."""
    return request.memory or (advised_memory(request.use)[0] if request.use else None)


def advised_memory(use: str) -> tuple[Interval, int]:
    """The largest amount, in GB, that the latest year asks for, and that year."""
    stated = [(guide().sources[one.source].year, one.least) for one in guide().uses[use].memory]
    latest = max(year for year, _ in stated)
    return max((m for year, m in stated if year == latest), key=lambda m: (m.high, m.low)), latest


def memory_need(request: AdviceRequest) -> MemoryNeed:
    """The least memory with every statement on the use, oldest first."""
    by = "request" if request.memory else ""
    if request.use and not by:
        by = f"{advised_memory(request.use)[1]}"
    stated = _statements(request.use) if request.use else ()
    return MemoryNeed(figure(least_memory(request), units.DATA), by, stated)


def _statements(use: str) -> tuple[MemoryAdvice, ...]:
    found = [
        MemoryAdvice(
            guide().sources[one.source].year,
            one.source,
            Figure(one.least.low, one.least.high, "GB"),
            one.of or "",
            one.from_card or "",
        )
        for one in guide().uses[use].memory
    ]
    return tuple(sorted(found, key=lambda one: one.year))


def uses() -> tuple[UseAnswer, ...]:
    """Every use with the memory it needs."""
    every = guide().uses.items()
    return tuple(UseAnswer(n, use.name, memory_need(AdviceRequest(use=n))) for n, use in every)


def recommendations(use: str | None) -> tuple[GuideList, ...]:
    """GPUs once recommended for a use, or in general without one, oldest first."""
    found = [
        GuideList(
            guide().sources[one.source].year,
            one.source,
            one.of,
            one.cards,
            tuple(Amount(*price) for price in one.prices),
        )
        for one in guide().named
        if (use in one.uses if use else not one.uses)
    ]
    return tuple(sorted(found, key=lambda one: one.year))


def priorities() -> tuple[GuideList, ...]:
    """What counts in a GPU by each source, the most important first."""
    return tuple(
        GuideList(guide().sources[one.source].year, one.source, one.of, one.order)
        for one in guide().priorities
    )


def half_precision_gain(bits: int) -> float | None:
    """The factor of memory gained by 16 bits over 32; None for other formats."""
    return guide().half_precision_gain.value.low if bits == _HALF else None


def sources() -> dict[str, GuideSource]:
    """Every document of the guide and the flowchart, by its name there."""
    return {
        name: GuideSource(one.title, one.url, one.year, one.confidence)
        for name, one in (guide().sources | chart().sources).items()
    }
