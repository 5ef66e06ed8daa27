"""Energy, carbon dioxide and money of a year of work, by use."""

from typing import Any, NamedTuple

from buildcheck import units
from buildcheck.facts.registry import DATA, Ask, graph
from buildcheck.logic.quantity import ONE, Interval, exact
from buildcheck.model.graph import Subject

_PER_KILO = exact(1e-3)
#: Of a year.
_HOURS = exact(8_760.0)
#: Shares of the year that machines of a kind usually work, and the one the build states.
_USES = {
    "stated": "workload.share_of_year",
    "personal": "standard.use_personal",
    "desktop": "standard.use_desktop",
    "shared": "standard.use_shared",
    "company": "standard.use_company",
}


class AtUse(NamedTuple):
    """A year in which the machine works for a share of the time; None is not known."""

    #: Whose share it is.
    of: str
    share: Interval
    #: kWh from the wall, all of which ends as heat in the room.
    energy: Interval
    #: kg of carbon dioxide.
    carbon: Interval | None
    #: Money for electricity, in the currency of its price.
    electricity: Interval | None


@graph("cost.hourly_electricity", units.MONEY)
def hourly_electricity(cost: Subject, ask: Ask) -> Any:
    """Money for the electricity of an hour at work, in the currency of its price."""
    price = ask("circuit.electricity_price")
    return price and ask.number("cost.work_power", cost) * _PER_KILO * price.each


@graph("cost.hourly_rent", units.MONEY)
def hourly_rent(cost: Subject, ask: Ask) -> Any:
    """Money for an hour of as many rented machines as do the work, in the currency of the rent."""
    price = ask("cost.hourly_price", cost)
    return price and price.each * (ask("cost.instances", cost) or ONE)


@graph("cost.by_use", DATA)
def by_use(cost: Subject, ask: Ask) -> tuple[AtUse, ...]:
    """A year at each of the shares that are known: the stated one first, then the usual ones."""
    power = ask.number("cost.work_power", cost)
    intensity, price = ask("circuit.carbon_intensity"), ask("circuit.electricity_price")
    rows = []
    for of, name in _USES.items():
        share = ask(name)
        if share is None:
            continue
        energy = over_a_year(power, share)
        carbon, money = intensity and energy * intensity, price and energy * price.each
        rows.append(AtUse(of, share, energy, carbon, money))
    return tuple(rows)


def over_a_year(power: Interval, use: Interval) -> Interval:
    """The energy, in kWh, of a power, in W, over a share of the year."""
    return power * _PER_KILO * _HOURS * use
