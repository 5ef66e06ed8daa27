"""What a build costs, put together from its facts and its parts list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from buildcheck.bill import bill
from buildcheck.cost.owning import Owning, Price, Year
from buildcheck.cost.renting import Renting, renting
from buildcheck.cost.turning import turned
from buildcheck.cost.where import Where, where
from buildcheck.measure import shape_of
from buildcheck.model.money import sums
from buildcheck.model.part import USER
from buildcheck.model.quantity import Interval, exact
from buildcheck.model.rate import Rates
from buildcheck.wording import show_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.bill import Bill
    from buildcheck.facts.cost import AtUse
    from buildcheck.model.finding import Report
    from buildcheck.model.money import Money, Tariff
    from buildcheck.model.part import Sourced

#: No rate is known unless it is given.
NONE = Rates()
Lack = Literal["power", "use", "price", "carbon", "machine", "cloud", "currency"]
Taken = Literal[
    "desktop",
    "years",
    "rent",
    "one",
    "like-one",
    "work",
    "same-cards",
    "cheapest",
    "part",
    "measured",
    "household",
]


class Stated(NamedTuple):
    """A datum that was reckoned with, as it is written, and where it is from."""

    name: str
    value: str
    sourced: Sourced


@dataclass(frozen=True)
class Cost:
    """Energy, heat, carbon and money of a build; None is not known, and `lacks` says what."""

    name: str
    file: str
    verdict: Literal["pass", "fail", "unknown"]
    #: From the wall at work, in W.
    power: Interval
    #: The same as heat, in BTU per hour.
    heat: Interval
    #: A year at the stated use, if there is one, and at the usual ones.
    uses: tuple[AtUse, ...]
    #: kWh that cards take over a year while they idle, and an air conditioning for the heat.
    idle: Interval | None
    cooling: Interval | None
    #: The share of the year that money is reckoned at.
    use: Interval | None
    years: Interval | None
    price: Price | None
    #: The currency of electricity, and that of the comparison: one for all of it.
    tariff: Tariff | None
    currency: str
    cloud: str
    interruptible: bool
    instances: Interval
    renting: Renting
    #: What money was turned by.
    rates: Rates
    owning: Owning
    stated: tuple[Stated, ...]
    lacks: tuple[Lack, ...]
    #: Where it could stand, if its electricity has no price.
    where: Where | None
    taken: tuple[Taken, ...]

    @property
    def spent(self) -> tuple[Year, ...]:
        """What has been spent by the end of each year."""
        if self.use is None or self.years is None:
            return ()
        years = range(1, int(self.years.high) + 1)
        return tuple(self.owning.after(year, self.use) for year in years)


#: Data that prices and carbon are reckoned with, and whose they are.
_STATED = (
    ("circuit", "electricity_price"),
    ("circuit", "carbon_intensity"),
    ("cost", "hourly_price"),
    ("cost", "wall_power"),
    ("standard", "use_desktop"),
    ("standard", "ownership_years"),
    ("standard", "cooling_performance"),
)


def cost(report: Report, parts: Bill | None = None, rates: Rates = NONE) -> Cost:
    """What a judged build costs. `parts` is its parts list, if that is made already.

    Money is turned into another currency only by the `rates` that somebody gives.
    """
    parts = parts or bill(report)
    stated = report.facts("cost.instances") is not None
    report = turned(report, rates)
    price = _price(report.facts("cost.machine"), parts, rates)
    paid = {x.currency for x in (price, report.facts("circuit.electricity_price")) if x}
    report, rented = renting(report, rates, paid)
    facts = report.facts
    share, desktop = facts("workload.share_of_year"), facts("standard.use_desktop")
    tariff, rent = facts("circuit.electricity_price"), facts("cost.hourly_price")
    currencies = {x.currency for x in (price, tariff, rent) if x}
    one = len(currencies) == 1
    return Cost(
        name=report.name,
        file=report.document.path,
        verdict=report.verdict,
        power=facts.number("cost.work_power"),
        heat=facts.number("cost.work_heat_btu_per_hour"),
        uses=facts("cost.by_use"),
        idle=_known(facts("circuit.yearly_idle_energy")),
        cooling=_known(facts("cost.yearly_cooling_energy")),
        use=desktop if share is None else share,
        years=facts("cost.years") or facts("standard.ownership_years"),
        price=price,
        tariff=tariff,
        currency=currencies.pop() if one else "",
        cloud=facts("cost.cloud") or "",
        interruptible=facts("cost.interruptible") is True,
        instances=facts("cost.instances") or exact(1.0),
        renting=rented,
        rates=rates,
        owning=Owning(
            price.amount if price and one else None,
            _known(facts("cost.hourly_electricity")) if one else None,
            facts("cost.hourly_rent") if one else None,
        ),
        stated=tuple(_stated(report)),
        lacks=tuple(_lacks(report, price, apart=len(currencies) > 1)),
        where=where(report),
        taken=tuple(_taken(report, price, None if stated else rented)),
    )


def _lacks(report: Report, price: Price | None, *, apart: bool) -> Iterator[Lack]:
    """What is not known; `apart` where money is in several currencies."""
    facts = report.facts
    found: dict[Lack, bool] = {
        "power": not facts.number("cost.work_power").is_known,
        "use": facts("workload.share_of_year") is None,
        "price": facts("circuit.electricity_price") is None,
        "carbon": facts("circuit.carbon_intensity") is None,
        "machine": price is None,
        "cloud": facts("cost.hourly_price") is None,
        "currency": apart,
    }
    return (lack for lack, holds in found.items() if holds)


def _taken(report: Report, price: Price | None, rented: Renting | None) -> Iterator[Taken]:
    """What is taken for what the build file does not say; `rented` where that has no number."""
    facts = report.facts
    one = rented.one if rented else None
    chosen = rented is not None and rented.is_chosen
    unsaid = facts("workload.share_of_year") is None
    found: dict[Taken, bool] = {
        "desktop": unsaid and facts("standard.use_desktop") is not None,
        "years": facts("cost.years") is None and facts("standard.ownership_years") is not None,
        "rent": _is_own_rent(report),
        "one": facts("cost.hourly_price") is not None and facts("cost.instances") is None,
        "like-one": one is not None and not chosen and one.is_like_one,
        "work": one is not None and (chosen or not one.is_like_one),
        "same-cards": one is not None and chosen and one.is_same,
        "cheapest": one is not None and chosen and not one.is_same,
        "part": price is not None and not price.is_whole,
        "measured": facts("cost.wall_power") is not None,
        "household": _of_country(report),
    }
    return (word for word, holds in found.items() if holds)


def _stated(report: Report) -> Iterator[Stated]:
    unused = {
        "ownership_years": report.facts("cost.years") is not None,
        "cooling_performance": report.facts("cost.yearly_cooling_energy") is None,
    }
    for kind, name in _STATED:
        if unused.get(name):
            continue
        found = report.graph.the(kind).facts.get(name)
        if found is not None:
            yield Stated(name, show_value(found.value, shape_of(f"{kind}.{name}")), found)


def _is_own_rent(report: Report) -> bool:
    """Is a machine named that could be rented, and a rent stated that stands over its own?"""
    facts = report.graph.the("cost").facts
    rent = facts.get("hourly_price")
    return rent is not None and "cloud" in facts and rent.confidence == USER.confidence


def _of_country(report: Report) -> bool:
    """Is the price of electricity that of a country, as nobody says another?"""
    found = report.graph.the("circuit").facts.get("electricity_price")
    return found is not None and found.confidence != USER.confidence


def _known(value: Interval | None) -> Interval | None:
    return value if value is not None and value.is_known else None


def _price(stated: Money | None, parts: Bill, rates: Rates) -> Price | None:
    """The price of the machine: as one sum, else that of its parts list in one currency."""
    if stated is not None:
        return Price(exact(float(stated.amount)), stated.currency, is_whole=True, is_stated=True)
    found = sums(rates.money(total.money) for total in parts.totals)
    if len(found) != 1:
        return None
    (total,) = found
    amount = exact(float(total.amount))
    whole, days = parts.is_complete, parts.days
    return Price(amount, total.currency, is_whole=whole, is_stated=False, days=days)
