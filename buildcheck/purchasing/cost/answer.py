"""The answer of `cost`: what a build costs to buy, run and own, against renting."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from buildcheck import units
from buildcheck.facts.cost import AtUse
from buildcheck.logic.quantity import Interval, exact
from buildcheck.measure import Facts
from buildcheck.measure.shapes import shape_of
from buildcheck.model.answer import Figure, figure, made_of
from buildcheck.model.finding import Report
from buildcheck.model.frozen import Frozen
from buildcheck.model.part import USER
from buildcheck.model.rate import Rates
from buildcheck.purchasing.answer import PartsListAnswer
from buildcheck.purchasing.cost.location import Location, location
from buildcheck.purchasing.cost.owning import DAY, YEAR, Owning
from buildcheck.purchasing.cost.prices import MachinePrice, machine_price
from buildcheck.purchasing.cost.renting import Rented, Renting, renting
from buildcheck.purchasing.cost.scenario import in_currency
from buildcheck.purchasing.parts_list import parts_list_answer
from buildcheck.rulebook.wording import show_value

#: No rate is known unless it is given.
NONE = Rates()
#: Data of prices and carbon that are shown with their source, and whose they are.
_SOURCED = {
    "circuit": ("electricity_price", "carbon_intensity"),
    "cost": ("hourly_price", "wall_power"),
    "standard": ("use_desktop", "ownership_years", "cooling_performance"),
}


class BreakEvenPoint(Frozen):
    """From when on owning is cheaper; an open high end may be never.

    `use` is the share of the time it has to work, to be cheaper within the years it is owned.
    """

    hours: Figure | None = None
    days: Figure | None = None
    use: Figure | None = None
    is_never: bool = False


class YearOfUse(Frozen):
    """A year at the share of the time that a kind of machine works (stated: this one)."""

    machine: str
    use: Figure
    energy: Figure | None = None
    electricity: Figure | None = None
    carbon: Figure | None = None
    break_even: BreakEvenPoint | None = None


class YearSpent(Frozen):
    """Money spent by the end of a year."""

    year: int
    electricity: Figure | None = None
    owned: Figure | None = None
    rented: Figure | None = None


class Rental(Frozen):
    """A machine to rent that does the work of the build: how many, estimated by speed."""

    name: str
    id: str
    hourly_price: Figure
    instances: Figure
    usual_instances: float
    hourly_rent: Figure
    is_same_gpu: bool
    title: str
    url: str
    #: The day or year of the price, and the day it was read.
    as_of: str = ""
    read: str = ""
    break_even: BreakEvenPoint | None = None


class SourcedValue(Frozen):
    """A value as it is written, and where it is from."""

    name: str
    value: str
    title: str
    confidence: str
    url: str = ""
    as_of: str = ""
    read: str = ""
    note: str = ""


class CostAnswer(Frozen):
    """Energy, heat, carbon and money of a build; None is not known, and `missing` says what."""

    name: str
    file: str
    verdict: str
    years_of_use: tuple[YearOfUse, ...] = ()
    #: The share of the year that money is calculated for.
    use: Figure | None = None
    #: W from the wall at work, and the same in BTU per hour.
    power: Figure | None = None
    heat: Figure | None = None
    #: kWh a year of idle GPUs, and of air conditioning for the heat.
    idle_energy: Figure | None = None
    cooling_energy: Figure | None = None
    machine: MachinePrice | None = None
    #: Of all money that is compared; empty where prices are in several.
    currency: str = ""
    electricity_price: Figure | None = None
    #: Of an hour at work, by owning and by renting.
    hourly_electricity: Figure | None = None
    hourly_rent: Figure | None = None
    cloud: str = ""
    is_cloud_chosen: bool = False
    is_interruptible: bool = False
    instances: Figure | None = None
    rentals: tuple[Rental, ...] = ()
    years: int | None = None
    spent: tuple[YearSpent, ...] = ()
    break_even: BreakEvenPoint | None = None
    #: power, use, electricity, carbon, machine, cloud, currency.
    missing: tuple[str, ...] = ()
    #: Codes of what is assumed.
    assumptions: tuple[str, ...] = ()
    #: Where it could be, if its electricity has no price.
    location: Location | None = None
    #: Exchange rates as given, such as 1 USD = 0.92 EUR.
    rates: tuple[str, ...] = ()
    sources: tuple[SourcedValue, ...] = ()

    @property
    def year(self) -> YearOfUse | None:
        """A year at the use that money is calculated for."""
        return next((year for year in self.years_of_use if year.use == self.use), None)


def cost_answer(
    report: Report,
    parts: PartsListAnswer | None = None,
    rates: Rates = NONE,
    lists: Iterable[Path] = (),
) -> CostAnswer:
    """What a judged build costs; `parts` is its parts list, `lists` are files of prices.

    Money is converted only by the `rates` given. Raises `InputError` for a wrong price list.
    """
    is_stated = report.facts("cost.instances") is not None
    report = in_currency(report, rates)
    machine = machine_price(report, parts or parts_list_answer(report), rates, lists)
    tariff = report.facts("circuit.electricity_price")
    paid = {money.currency for money in (machine and machine.amount, tariff) if money}
    report, rented = renting(report, rates, paid)
    facts = report.facts
    rent = facts("cost.hourly_price")
    paid |= {rent.currency} if rent else set()
    answer = CostAnswer(
        name=report.name,
        file=report.document.path,
        verdict=report.verdict,
        machine=machine,
        currency=min(paid) if len(paid) == 1 else "",
        electricity_price=_figure(tariff.each, f"{tariff.currency}/kWh") if tariff else None,
        is_cloud_chosen=rented.is_chosen,
        missing=tuple(_missing(report, machine, is_one=len(paid) in (0, 1))),
        assumptions=tuple(_assumptions(report, machine, None if is_stated else rented)),
        location=location(report),
        rates=tuple(rate.text for rate in rates.all),
        sources=tuple(_sources(report)),
        use=figure(facts("workload.share_of_year") or facts("standard.use_desktop")),
        power=figure(facts.number("cost.work_power"), units.POWER),
        heat=_figure(facts.number("cost.work_heat_btu_per_hour"), "BTU/h"),
        idle_energy=_positive(facts("circuit.yearly_idle_energy")),
        cooling_energy=_positive(facts("cost.yearly_cooling_energy")),
    )
    return _with_money(answer, facts, rented)


def _with_money(answer: CostAnswer, facts: Facts, rented: Renting) -> CostAnswer:
    """The answer with what is spent by owning and renting, as far as it is in one currency."""
    currency, machine = answer.currency, answer.machine
    price = float(machine.amount.amount) if machine else 0.0
    owning = Owning(
        # At least that, where listed parts have no price.
        Interval(price, math.inf if machine.unpriced else price) if machine and currency else None,
        _known(facts("cost.hourly_electricity")) if currency else None,
        facts("cost.hourly_rent") if currency else None,
    )
    use = facts("workload.share_of_year") or facts("standard.use_desktop")
    years = facts("cost.years") or facts("standard.ownership_years")
    count = int(years.high) if years else 0
    unit = answer.electricity_price.unit.partition("/")[0] if answer.electricity_price else ""
    return replace(
        answer,
        years_of_use=tuple(_years_of_use(facts("cost.by_use"), owning, unit)),
        hourly_electricity=_figure(owning.electricity, currency),
        hourly_rent=_figure(owning.rent, currency),
        cloud=facts("cost.cloud") or "",
        is_interruptible=facts("cost.interruptible") is True,
        instances=figure(facts("cost.instances") or exact(1.0)),
        rentals=tuple(_rental(one, owning, use, currency) for one in rented.offers),
        years=count or None,
        spent=tuple(_spent(owning, use, count, currency)),
        break_even=_point(owning.break_even, use, years),
    )


def _known(value: Interval | None) -> Interval | None:
    return value if value is not None and value.is_known else None


def _figure(value: Interval | None, unit: str) -> Figure | None:
    found = figure(value)
    return found and replace(found, unit=unit)


def _positive(energy: Interval | None) -> Figure | None:
    """Energy in kWh; None where there is none, or its most is not known."""
    known = _known(energy)
    return figure(known, units.ENERGY) if known and known.high > 0 else None


def _point(
    hours: Interval | None, use: Interval | None, years: Interval | None = None
) -> BreakEvenPoint | None:
    """When owning is cheaper at a share of the time; None where a price is not known."""
    if hours is None or use is None:
        return None
    days = hours / (DAY * use)
    if math.isinf(days.low):
        return BreakEvenPoint(None if math.isinf(hours.low) else figure(hours), is_never=True)
    share = figure(hours / (YEAR * years)) if years else None
    return BreakEvenPoint(figure(hours), figure(days), share)


def _years_of_use(rows: Iterable[AtUse], owning: Owning, currency: str) -> Iterator[YearOfUse]:
    for row in rows:
        yield YearOfUse(
            machine=row.of,
            use=Figure(round(row.share.low, 6), round(row.share.high, 6)),
            energy=figure(row.energy, units.ENERGY),
            electricity=_figure(row.electricity, currency),
            carbon=_figure(row.carbon, "kg"),
            break_even=_point(owning.break_even, row.share),
        )


def _spent(owning: Owning, use: Interval | None, years: int, unit: str) -> Iterator[YearSpent]:
    for year in range(1, years + 1) if use else ():
        hours = exact(float(year)) * YEAR * (use or exact(0.0))
        electricity = owning.electricity and owning.electricity * hours
        amounts = (electricity, owning.owned(hours), owning.rented(hours))
        if any(amounts):
            yield YearSpent(year, *(_figure(amount, unit) for amount in amounts))


def _rental(one: Rented, owning: Owning, use: Interval | None, currency: str) -> Rental:
    money, source, ends = one.tariff.currency, one.price.source, one.work.range
    even = replace(owning, rent=one.rent).break_even if money == currency else None
    return made_of(
        Rental,
        one.part,
        source,
        hourly_price=Figure(one.tariff.each.low, one.tariff.each.high, money),
        instances=Figure(round(ends.low, 6), round(ends.high, 6)),
        usual_instances=round(one.work.usual, 6),
        hourly_rent=Figure(round(one.rent.low, 6), round(one.rent.high, 6), money),
        is_same_gpu=one.is_same,
        break_even=_point(even, use),
    )


def _missing(report: Report, machine: MachinePrice | None, *, is_one: bool) -> Iterator[str]:
    """What is not known; `is_one` where all money is in one currency."""
    facts = report.facts
    found = {
        "power": not facts.number("cost.work_power").is_known,
        "use": facts("workload.share_of_year") is None,
        "electricity": facts("circuit.electricity_price") is None,
        "carbon": facts("circuit.carbon_intensity") is None,
        "machine": machine is None,
        "cloud": facts("cost.hourly_price") is None,
        "currency": not is_one,
    }
    return (name for name, holds in found.items() if holds)


def _assumptions(
    report: Report, machine: MachinePrice | None, rented: Renting | None
) -> Iterator[str]:
    """What is assumed where nothing is stated; `rented` where the number is not."""
    facts = report.facts
    one = rented.one if rented else None
    is_chosen = rented is not None and rented.is_chosen
    price = report.graph.the("circuit").facts.get("electricity_price")
    rent = report.graph.the("cost").facts.get("hourly_price")
    own_rent = rent is not None and rent.confidence == USER.confidence
    found = {
        "desktop-use": facts("workload.share_of_year") is None,
        "usual-years": facts("cost.years") is None,
        "stated-rent": own_rent and "cloud" in report.graph.the("cost").facts,
        "one-instance": rent is not None and facts("cost.instances") is None,
        "like-one": one is not None and not is_chosen and one.is_like_one,
        "by-speed": one is not None and (is_chosen or not one.is_like_one),
        "same-gpu": one is not None and is_chosen and one.is_same,
        "cheapest": one is not None and is_chosen and not one.is_same,
        "list-prices": machine is not None and bool(machine.listed),
        "some-parts": machine is not None and not machine.is_complete,
        "measured-power": facts("cost.wall_power") is not None,
        "household": price is not None and price.confidence != USER.confidence,
    }
    return (name for name, holds in found.items() if holds)


def _sources(report: Report) -> Iterator[SourcedValue]:
    unused = {
        "ownership_years": report.facts("cost.years") is not None,
        "cooling_performance": report.facts("cost.yearly_cooling_energy") is None,
    }
    for kind, name in ((kind, name) for kind, names in _SOURCED.items() for name in names):
        found = None if unused.get(name) else report.graph.the(kind).facts.get(name)
        if found is None:
            continue
        value = show_value(found.value, shape_of(f"{kind}.{name}"))
        yield made_of(SourcedValue, found, found.source, name=name, value=value)
