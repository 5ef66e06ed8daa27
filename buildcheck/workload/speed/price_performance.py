"""Speed for money: a GPU, the desktop around it, and electricity over the years it is owned.

As the guide of 2023 has it: the price of the GPU and of a desktop computer, and the electricity
that the GPU takes over five years of use at 15 %. Losses of the PSU are left out there and here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar

from buildcheck.catalog.price_book import Listed, PriceBook
from buildcheck.errors import InputError, Problem
from buildcheck.facts.cost import over_a_year
from buildcheck.logic.quantity import Interval
from buildcheck.model.frozen import dataclass
from buildcheck.model.money import Money, Tariff, read_tariff
from buildcheck.model.price import read_cost
from buildcheck.model.rate import Rates
from buildcheck.rulebook.proposals import proposals
from buildcheck.workload.overrides import option_of
from buildcheck.workload.speed.ranking import Speeds

_Money = TypeVar("_Money")


@dataclass(frozen=True)
class Terms:
    """What owning a GPU is calculated with. `assumed` names what is not given."""

    desktop: Money
    electricity: Tariff
    use: Interval
    years: Interval
    assumed: tuple[str, ...]


class Owned(NamedTuple):
    """A GPU over the years it is owned: its price, its electricity, and all with the desktop."""

    price: Listed
    electricity: float
    whole: float


def terms(
    speeds: Speeds,
    desktop: str | None = None,
    electricity: str | None = None,
    rates: Rates | None = None,
) -> Terms:
    """What is given, and what is assumed for the rest, in the currency of the `rates` if any.

    Raises `InputError` for unclear money.
    """
    offered = {"desktop": proposals().desktop_price, "electricity": proposals().electricity_price}
    own = {"desktop": desktop, "electricity": electricity}
    given = {name: own[name] or offered[name] for name in own}
    problems: list[Problem] = []

    def read(name: str, how: Callable[[str], _Money]) -> _Money:
        try:
            return how(given[name])
        except ValueError as error:
            problems.append(Problem(option_of(name), 0, 0, str(error)))
            return how(offered[name])

    money = (
        read("desktop", read_cost),
        read("electricity", lambda text: read_tariff(text, "kWh", offered["electricity"])),
    )
    InputError.raise_any(problems)
    machine, power = money
    return Terms(
        rates.money(machine) if rates else machine,
        rates.tariff(power) if rates else power,
        speeds.facts.number("standard.use_desktop"),
        speeds.facts.number("standard.ownership_years"),
        tuple(name for name in own if own[name] is None),
    )


def owned(speeds: Speeds, prices: PriceBook, by: Terms, ids: Iterable[str]) -> dict[str, Owned]:
    """The GPUs whose price and power are known, in the currency of the terms.

    Modules are left out, as no desktop takes them, and what costs nothing at all.
    """
    found = {}
    for part_id in ids:
        price = prices.of_chip(part_id) if part_id.startswith("gpu/") else None
        electricity = running(speeds, by, part_id)
        if not price or price.currency != by.desktop.currency or electricity is None:
            continue
        start = float(price.amount + by.desktop.amount)
        if start + electricity > 0:
            found[part_id] = Owned(price, electricity, start + electricity)
    return found


def running(speeds: Speeds, by: Terms, part_id: str) -> float | None:
    """What the electricity of a GPU costs over the years.

    None if its power is not known, or the desktop has another currency.
    """
    power = speeds.power(part_id)
    if power is None or by.desktop.currency != by.electricity.currency:
        return None
    money = over_a_year(power, by.use) * by.years * by.electricity.each
    return (money.low + money.high) / 2 if money.is_known else None
