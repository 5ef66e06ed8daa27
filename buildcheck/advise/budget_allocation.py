"""How a lab splits its budget between machines for prototyping and for production."""

from collections.abc import Mapping, Sequence
from typing import Any

from buildcheck import units
from buildcheck.advise.answer import AdvisedGpu, AllocationShare, BudgetAllocation
from buildcheck.advise.gpus import GpuChip, whole
from buildcheck.advise.ranking import GpuRatings
from buildcheck.advise.request import AdviceRequest
from buildcheck.logic.quantity import Interval
from buildcheck.model.advice import guide
from buildcheck.model.answer import Figure

#: The two kinds of machine, and how the fields of each begin.
_KINDS = {"prototyping": "prototype", "roll_out": "roll_out"}


def allocations(
    request: AdviceRequest,
    gpus: Sequence[GpuChip],
    warned: Mapping[str, tuple[str, ...]],
    ratings: GpuRatings,
) -> tuple[BudgetAllocation, ...]:
    """Every split that was advised, the latest first, with GPUs of today for its memory."""
    currency = request.budget.currency if request.budget else None

    def best(memory: Interval) -> AdvisedGpu | None:
        """The first of the GPUs that can be paid from the budget."""
        fitting = [
            gpu
            for gpu in gpus
            if gpu.has(memory) and gpu.offer and currency in (None, gpu.offer.cheapest.currency)
        ]
        return next(iter(ratings.rank(fitting, warned)[0]), None)

    made = []
    for one in sorted(guide().splits, key=lambda one: -one.year):
        chosen = [best(getattr(one, f"{start}_memory")) for start in _KINDS.values()]
        made.append(BudgetAllocation(one.year, one.source, one.of, _shares(one, request, chosen)))
    return tuple(made)


def _shares(
    one: Any, request: AdviceRequest, gpus: list[AdvisedGpu | None]
) -> tuple[AllocationShare, ...]:
    share: list[Interval] = [getattr(one, kind) for kind in _KINDS]
    budget = float(request.budget.amount) if request.budget else 0.0
    prices = [float(gpu.offer.cheapest.amount) if gpu else 0.0 for gpu in gpus]
    # Shares of GPUs are shares of money only once both have a price.
    counts: list[Figure] | tuple[None, None] = (None, None)
    if one.of == "cards" and budget and all(prices):
        counts = gpus_of(budget, (share[0], share[1]), (prices[0], prices[1]))
    made = []
    for n, (kind, start) in enumerate(_KINDS.items()):
        memory, gpu, ends = getattr(one, f"{start}_memory"), gpus[n], (share[n].low, share[n].high)
        money, count = None, counts[n]
        if one.of == "budget" and request.budget:
            low, high = (budget * end for end in ends)
            money = Figure(low, high, request.budget.currency)
            count = Figure(whole(low, prices[n]), whole(high, prices[n])) if gpu else None
        least = Figure(memory.low, memory.high, units.BASE[units.DATA])
        card = getattr(one, f"{start}_card")
        made.append(
            AllocationShare(kind, Figure(*ends), least, card, gpu.name if gpu else "", money, count)
        )
    return tuple(made)


def gpus_of(
    money: float, shares: tuple[Interval, Interval], prices: tuple[float, float]
) -> list[Figure]:
    """How many GPUs of two kinds a sum buys, where shares are of the number of GPUs.

    The low end of one share goes with the high end of the other, so that they make a whole.
    """
    ends = []
    for one, other in ((shares[0].low, shares[1].high), (shares[0].high, shares[1].low)):
        each = money / (one * prices[0] + other * prices[1])
        ends.append((whole(one * each, 1.0), whole(other * each, 1.0)))
    return [Figure(min(counts), max(counts)) for counts in zip(*ends, strict=True)]
