"""From a use, a budget and constraints to GPUs in order, with the reasons."""

import datetime
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from buildcheck import units
from buildcheck.advise.answer import (
    AdviceAnswer,
    AdvisedGpu,
    ClusterAdvice,
    LeftOut,
    OutletPower,
    PriceList,
    RequestAnswer,
)
from buildcheck.advise.budget_allocation import allocations
from buildcheck.advise.flowchart import flowchart, gpus_at, owner_of
from buildcheck.advise.gpus import GpuChip, gpu_chips
from buildcheck.advise.guidance import (
    Exclusions,
    advice_note,
    every_use,
    least_memory,
    memory_need,
    notes_on,
    recommendations,
    with_effect,
)
from buildcheck.advise.guide_answer import FlowchartAnswer, GuideList, GuideSource
from buildcheck.advise.ranking import GpuRatings, RankingBase
from buildcheck.advise.request import BITS, AdviceRequest
from buildcheck.catalog import Catalog
from buildcheck.catalog.price_book import PriceBook
from buildcheck.logic.quantity import total
from buildcheck.model.advice import chart, guide
from buildcheck.model.answer import Amount, figure, made_of
from buildcheck.model.graph import by_key
from buildcheck.rulebook.proposals import proposals

#: Why GPUs are left out, in the order in which it is looked at.
_REASONS = (
    *("advice", "memory-unknown", "memory", "speed", "outlet"),
    *("no-price", "currency", "budget"),
)
#: Reasons that concern new GPUs only: no price in a list of new ones, or too high a one.
_OF_NEW = ("no-price", "currency", "budget")
#: GPUs named for each reason unless all are, and used GPUs.
_NAMED, _MOST_USED = 5, 12


class _Sorted(NamedTuple):
    """GPUs that meet a request, those left out by reason, and codes of advice by the GPU's id."""

    fitting: list[GpuChip]
    left: dict[str, list[GpuChip]]
    warned: dict[str, tuple[str, ...]]
    #: GPUs of known price and speed, unless advice leaves them out.
    priced: list[GpuChip]
    #: Codes of the advice that leaves GPUs out, in order.
    against: dict[str, None]

    def unwarned(self, gpus: Iterable[GpuChip]) -> list[GpuChip]:
        """Those that nothing is advised against."""
        return [gpu for gpu in gpus if not with_effect(self.warned[gpu.id], "warn")]

    def used(self) -> list[GpuChip]:
        """Those that may do used, whatever new ones cost."""
        new = [gpu for reason in _OF_NEW for gpu in self.left[reason]]
        return self.unwarned([*new, *self.fitting])


def advice_answer(
    request: AdviceRequest,
    catalog: Catalog,
    book: PriceBook,
    today: datetime.date,
    top: int,
    *,
    verbose: bool = False,
) -> AdviceAnswer:
    """GPUs for a request, with all that are left out if `verbose`. Raises `InputError`."""
    gpus, owner, budget = gpu_chips(catalog, book), owner_of(request), request.budget
    others = _currencies(gpus) if budget else ()
    if budget and budget.currency not in others:
        # Shown without it, as it can be compared with no price.
        request = replace(request, budget=None)
    ratings = GpuRatings(request, catalog, gpus)
    exclusions = Exclusions(catalog, owner, ratings.work.net, request.count)
    found = _sorted(request, gpus, ratings, exclusions)
    ranked, base = ratings.rank(found.fitting, found.warned)
    shown = ranked[:top]
    values = ratings.used_values(found.used(), base) if request.used else ()
    is_lab, said = owner == "organisation", guide()
    answer = AdviceAnswer(
        _about(replace(request, budget=budget), owner, ratings.work.use, today),
        memory=memory_need(request),
        gpus=shown,
        more=len(ranked) - len(shown),
        priced_in=others if request.budget != budget else _currencies(found.left["currency"]),
        notes=(*notes_on(shown), *map(advice_note, exclusions.general)),
        left_out=_left_out(found, len(gpus) if verbose else _NAMED),
        used_values=values[: None if verbose else _MOST_USED],
        flowchart=_flowchart(request, found, ratings),
        allocations=allocations(request, found.priced, found.warned, ratings) if is_lab else (),
        cluster=made_of(ClusterAdvice, said.cluster) if is_lab else None,
        half_precision_gain=said.half_precision_gain.value.low if request.bits == BITS else None,
        recommendations=recommendations(request.use),
        priorities=tuple(made_of(GuideList, one) for one in said.priorities),
        sources={n: made_of(GuideSource, s) for n, s in (said.sources | chart().sources).items()},
    )
    return _with_costs(answer, ratings, base)


def _flowchart(request: AdviceRequest, found: _Sorted, ratings: GpuRatings) -> FlowchartAnswer:
    """The path through the flowchart, with the GPUs of today that its end means."""
    path = flowchart(request, found.unwarned(found.priced))
    at_end = found.unwarned(gpus_at(path.end.code, request, found.priced))
    return replace(path, gpus=tuple(one.name for one in ratings.rank(at_end, found.warned)[0]))


def part_shown(
    answer: AdviceAnswer, *, uses: bool = False, chart: bool = False, verbose: bool = False
) -> AdviceAnswer:
    """The part that is printed: the uses, the flowchart, or GPUs without the whole flowchart."""
    path = answer.flowchart
    if uses:
        return AdviceAnswer(answer.request, uses=every_use(), model_uses=dict(guide().by_model))
    if chart and path:
        sources = {path.source: answer.sources[path.source]}
        return AdviceAnswer(answer.request, flowchart=path, sources=sources)
    return answer if verbose or not path else replace(answer, flowchart=replace(path, nodes=()))


def _sorted(
    request: AdviceRequest, gpus: Iterable[GpuChip], ratings: GpuRatings, exclusions: Exclusions
) -> _Sorted:
    found = _Sorted([], {reason: [] for reason in _REASONS}, {}, [], {})
    for gpu in gpus:
        codes = exclusions.of(gpu)
        against = with_effect(codes, "leave-out")
        found.against.update(dict.fromkeys(against))
        reason = "advice" if against else _reason(gpu, request, ratings)
        (found.left[reason] if reason else found.fitting).append(gpu)
        if not against:
            found.warned[gpu.id] = codes
            found.priced.extend([gpu] if gpu.offer and ratings.is_known(gpu) else [])
    return found


def _reason(gpu: GpuChip, request: AdviceRequest, ratings: GpuRatings) -> str:
    """Why a GPU is left out; empty if it is not."""
    enough = gpu.has(least_memory(request)[0])
    if not enough:
        return "memory-unknown" if enough is None else "memory"
    if not ratings.is_known(gpu):
        return "speed"
    # May the outlet feed as many of it, and the machine around them?
    load = gpu.power and total([gpu.power] * request.count) + guide().machine_around.value
    if (power := request.outlet_power) and (load is None or power.is_below(load) is True):
        return "outlet"
    if gpu.offer is None:
        return "no-price"
    count = gpu.affordable(request.budget)
    if request.budget and count is None:
        return "currency"
    return "budget" if count is not None and count < request.count else ""


def _about(request: AdviceRequest, owner: str, work: str, today: datetime.date) -> RequestAnswer:
    outlet, machine = None, guide().machine_around
    if request.outlet:
        power, kept = (figure(n, units.POWER) for n in (request.outlet_power, machine.value))
        outlet = OutletPower(request.outlet.name, power, kept, machine.why)
    return made_of(
        RequestAnswer,
        request,
        checked=today,
        owner=owner,
        work=work,
        use_name=guide().uses[request.use].name if request.use else "",
        budget=request.budget and Amount(*request.budget),
        rates=tuple(rate.text for rate in request.rates.all),
        outlet=outlet,
    )


def _currencies(gpus: Iterable[GpuChip | AdvisedGpu]) -> tuple[str, ...]:
    return tuple(sorted({gpu.offer.cheapest.currency for gpu in gpus if gpu.offer}))


def _left_out(found: _Sorted, most: int) -> tuple[LeftOut, ...]:
    made = []
    for reason, gpus in found.left.items():
        prices = {gpu.id: gpu.offer.cheapest for gpu in gpus if gpu.offer and reason == "budget"}
        listed = sorted(gpus, key=lambda gpu: (prices[gpu.id].amount if prices else 0, gpu.id))
        titles = [guide().avoid[code].title for code in found.against if reason == "advice"]
        names = tuple(gpu.name for gpu in listed[:most])
        cheapest = prices[listed[0].id] if prices else None
        if gpus:
            made.append(LeftOut(reason, len(gpus), names, tuple(titles), cheapest))
    return tuple(made)


def _with_costs(answer: AdviceAnswer, ratings: GpuRatings, base: RankingBase) -> AdviceAnswer:
    """The answer with what its first GPU costs, the terms of that, and the lists of its prices."""
    terms, gpus = ratings.terms, answer.gpus
    machine, currencies = terms.desktop, _currencies(answer.gpus)
    # The lists that price the ranking, with the rows that each prices, the oldest first.
    priced = ((n, gpu.offer) for n, gpu in enumerate(gpus, 1) if not gpu.offer.is_own)
    places = by_key(((one.as_of, one.source), n) for n, offer in priced for one in offer.lists)
    lists = tuple(PriceList(*key, tuple(places[key])) for key in sorted(places))
    age = max(0, (answer.request.checked - lists[0].as_of).days) if lists else None
    without = "" if base.cost or not gpus else "currency"
    if without and {*currencies} == {machine.currency, terms.electricity.currency}:
        without = "power"
    count, is_same = answer.request.count, currencies[:1] == (machine.currency,)
    whole = gpus[0].offer.times(count, float(machine.amount)) if gpus and is_same else None
    return replace(
        answer,
        ranked_by="value" if base.cost else "speed",
        without_value=without,
        relative_to=base.gpu.name if base.gpu else "",
        total=gpus[0].offer.times(count) if gpus else None,
        machine_total=whole,
        terms=terms.shown,
        price_lists=lists,
        price_age_days=age,
        prices_are_old=age is not None and age > proposals().price_age,
    )
