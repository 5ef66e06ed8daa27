"""GPUs in order: speed for the money first, what is advised against last; and used GPUs' worth.

Speeds, their errors and the cost of owning a GPU are those of `speed`.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from buildcheck import units
from buildcheck.advise.answer import AdvisedGpu, UsedValue
from buildcheck.advise.gpus import GpuChip
from buildcheck.advise.guidance import with_effect
from buildcheck.advise.request import AdviceRequest
from buildcheck.catalog import Catalog
from buildcheck.facts.speed import Compared, Work
from buildcheck.model.advice import guide
from buildcheck.model.answer import Amount, figure
from buildcheck.workload.speed.answer import SpeedEstimate
from buildcheck.workload.speed.ranking import Rank, Speeds, ranking, terms


class _Rating(NamedTuple):
    """Speed and speed for the money relative to the base of a ranking, and the place in it."""

    speed: Compared | None = None
    for_money: Compared | None = None
    place: Rank | None = None


class RankingBase(NamedTuple):
    """The GPU that others are relative to, and the cost of owning it; zero if not known."""

    gpu: GpuChip | None = None
    cost: float = 0.0


class GpuRatings:
    """The speeds of some GPUs at the work of a request, and the cost of owning them."""

    def __init__(self, request: AdviceRequest, catalog: Catalog, gpus: Sequence[GpuChip]) -> None:
        """Raises `InputError` for money that cannot be read."""
        use = guide().uses[request.use] if request.use else None
        kind, net = (use.work, use.net) if use else ("training", "transformer")
        self.work = Work(kind, f"{request.bits}bit", net)
        self.request = request
        self.speeds = Speeds(catalog, (gpu.id for gpu in gpus))
        self.terms = terms(self.speeds, request.desktop, request.electricity, request.rates)

    def is_known(self, gpu: GpuChip) -> bool:
        """Is its speed at this work known?"""
        return self.speeds.of(gpu.id, self.work) is not None

    def rank(
        self, gpus: Iterable[GpuChip], warned: Mapping[str, tuple[str, ...]]
    ) -> tuple[tuple[AdvisedGpu, ...], RankingBase]:
        """Priced GPUs in order, and what they are relative to; `warned` has codes of the guide.

        GPUs of unknown speed follow the rest by price, and GPUs advised against all others.
        """
        by_id = {gpu.id: gpu for gpu in gpus}
        against = {i for i in by_id if with_effect(warned[i], "warn")}
        ratings, base = self._rate(by_id, against)

        def order(gpu: GpuChip) -> tuple[bool, float, float, float, str]:
            place = ratings.get(gpu.id, _Rating()).place
            price = float(gpu.offer.cheapest.amount) if gpu.offer else math.inf
            memory = gpu.memory.low if gpu.memory else 0.0
            return gpu.id in against, place.usual if place else math.inf, price, -memory, gpu.id

        return tuple(
            AdvisedGpu(
                gpu.name,
                gpu.id,
                gpu.offer,
                figure(gpu.memory, units.DATA),
                figure(gpu.power, units.POWER),
                _estimate(rating.speed),
                _estimate(rating.for_money),
                *(rating.place or (0, 0, 0)),
                with_effect(warned[gpu.id], "warn"),
                with_effect(warned[gpu.id], "condition"),
                gpu.affordable(self.request.budget),
            )
            for gpu in sorted(by_id.values(), key=order)
            for rating in [ratings.get(gpu.id, _Rating())]
            if gpu.offer
        ), base

    def _rate(
        self, by_id: Mapping[str, GpuChip], against: Collection[str]
    ) -> tuple[dict[str, _Rating], RankingBase]:
        """Ratings of GPUs whose speed is known, relative to the first that is not `against`.

        By speed for the money if the cost of any is known; else by speed. A place is as sure as
        speeds are, and as prices are from the cheapest to the middle of the list.
        """
        cost = {i: cost for i, gpu in by_id.items() if (cost := self._cost(gpu))}
        over = cost or dict.fromkeys(by_id, 1.0)
        order = [row.id for row in ranking(self.speeds, self.work, cost=over)]
        if not order:
            return {}, RankingBase()
        base = next((i for i in order if i not in against), order[0])
        rows = ranking(self.speeds, self.work, base, over)
        if not cost:
            found = {row.id: _Rating(row.ratio, None, row.place) for row in rows}
            return found, RankingBase(by_id[base])
        middle = {i: self._cost(by_id[i], is_middle=True) or c for i, c in cost.items()}
        others = {row.id: row.place for row in ranking(self.speeds, self.work, cost=middle)}
        speed = {i: self.speeds.relative(i, base, self.work) for i in by_id}
        found = {i: _Rating(ratio) for i, ratio in speed.items()} | {
            row.id: _Rating(speed[row.id], row.ratio, _hull(row.place, others[row.id]))
            for row in rows
        }
        return found, RankingBase(by_id[base], cost[base])

    def _cost(self, gpu: GpuChip, *, is_middle: bool = False) -> float | None:
        """The cost of a GPU with its share of a machine and electricity over the years."""
        if gpu.offer is None:
            return None
        price = gpu.offer.middle if is_middle else gpu.offer.cheapest
        extra = self._extra_cost(gpu)
        if extra is None or price.currency != self.terms.desktop.currency:
            return None
        return float(price.amount) + extra

    def _extra_cost(self, gpu: GpuChip) -> float | None:
        """The cost on top of the price of a GPU."""
        power = self.terms.running(self.speeds.power(gpu.id))
        machine = float(self.terms.desktop.amount) / self.request.count
        return None if power is None else power + machine

    def used_values(self, gpus: Iterable[GpuChip], base: RankingBase) -> tuple[UsedValue, ...]:
        """What used GPUs may cost at most, within the budget; the most of the new price first.

        One for most of its new price is the likeliest to be found. GPUs with a price of the user
        are in the ranking itself.
        """
        if base.gpu is None or not base.cost:
            return ()
        found: list[UsedValue] = []
        for gpu in gpus:
            extra, speed = self._extra_cost(gpu), None
            if not (gpu.id == base.gpu.id or (gpu.offer and gpu.offer.is_own)):
                speed = self.speeds.relative(gpu.id, base.gpu.id, self.work)
            if not speed or extra is None:
                continue
            up_to, surely = (
                self._price_up_to(base.cost * times - extra)
                for times in (speed.usual, speed.range.low)
            )
            if up_to:
                memory = figure(gpu.memory, units.DATA)
                found.append(UsedValue(gpu.name, gpu.id, up_to, surely, memory, gpu.offer))
        return tuple(sorted(found, key=lambda one: (-one.share_of_new, one.id)))

    def _price_up_to(self, worth: float) -> Amount | None:
        """A price in whole units of currency, no more than the budget has for it; None below."""
        budget = self.request.budget
        price = min(worth, float(budget.amount) / self.request.count) if budget else worth
        return Amount(Decimal(round(price)), self.terms.desktop.currency) if price > 0 else None


def _estimate(found: Compared | None) -> SpeedEstimate | None:
    return found and SpeedEstimate(found.usual, found.range.low, found.range.high)


def _hull(one: Rank, other: Rank) -> Rank:
    return Rank(one.usual, min(one.best, other.best), max(one.worst, other.worst))
