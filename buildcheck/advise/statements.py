"""What the guide says: memory that a use needs, and what was recommended for it."""

from buildcheck import units
from buildcheck.advise.guide_answer import GuideList, MemoryAdvice, MemoryNeed, UseAnswer
from buildcheck.advise.request import AdviceRequest
from buildcheck.logic.quantity import Interval
from buildcheck.model.advice import guide
from buildcheck.model.answer import Amount, figure, made_of


def least_memory(request: AdviceRequest) -> Interval | None:
    """Memory in GB that one GPU needs: of the request, else of the latest advice on its use."""
    return request.memory or (advised_memory(request.use)[0] if request.use else None)


def advised_memory(use: str) -> tuple[Interval, int]:
    """The largest amount, in GB, that the latest year asks for, and that year."""
    stated = [(one.year, one.least) for one in guide().uses[use].memory]
    latest = max(year for year, _ in stated)
    return max((m for year, m in stated if year == latest), key=lambda m: (m.high, m.low)), latest


def memory_need(request: AdviceRequest) -> MemoryNeed:
    """The least memory with every statement on the use, oldest first."""
    by = "request" if request.memory else ""
    if request.use and not by:
        by = f"{advised_memory(request.use)[1]}"
    found = guide().uses[request.use].memory if request.use else ()
    stated = [made_of(MemoryAdvice, n, least=figure(n.least, units.DATA)) for n in found]
    stated.sort(key=lambda one: one.year)
    return MemoryNeed(figure(least_memory(request), units.DATA), by, tuple(stated))


def uses() -> tuple[UseAnswer, ...]:
    """Every use with the memory it needs."""
    every = guide().uses.items()
    return tuple(UseAnswer(n, use.name, memory_need(AdviceRequest(use=n))) for n, use in every)


def recommendations(use: str | None) -> tuple[GuideList, ...]:
    """GPUs once recommended for a use, or in general without one, oldest first."""
    named = (n for n in guide().named if (use in n.uses if use else not n.uses))
    found = [made_of(GuideList, n, prices=tuple(Amount(*p) for p in n.prices)) for n in named]
    return tuple(sorted(found, key=lambda one: one.year))
