"""Owning against renting: the arithmetic, on prices in one currency.

A machine that is owned costs its price, and electricity for every hour it works; one that is
rented costs its rent for the same hours. Prices here are estimates to reckon with, so they are
intervals and not exact amounts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from buildcheck.model.quantity import Interval, exact

#: Conversions, not limits.
_DAY, _YEAR = exact(24.0), exact(8_760.0)


@dataclass(frozen=True)
class Price:
    """What the machine costs, whose price that is, and whether it is all of it."""

    amount: Interval
    currency: str
    is_whole: bool
    #: Is it stated as one price, and not the sum of the parts list?
    is_stated: bool
    #: The days of its prices that have one, the oldest first.
    days: tuple[str, ...] = ()


class Year(NamedTuple):
    """What has been spent by the end of a year; None is not known."""

    number: int
    electricity: Interval | None
    owned: Interval | None
    rented: Interval | None


class BreakEven(NamedTuple):
    """From where on owning is cheaper; an end at infinity is never."""

    #: Hours of work.
    hours: Interval

    @property
    def is_never(self) -> bool:
        """Does renting cost less however long it works?"""
        return math.isinf(self.hours.low)

    def days(self, use: Interval) -> Interval:
        """Days from the purchase on, at a share of each day."""
        return self.hours / (_DAY * use)

    def use(self, years: Interval) -> Interval:
        """The share of the time that it has to work for, to be cheaper within so many years."""
        return self.hours / (_YEAR * years)


@dataclass(frozen=True)
class Owning:
    """A price to buy, and money for an hour of work by either way; None is not known."""

    price: Interval | None
    electricity: Interval | None
    rent: Interval | None

    def owned(self, hours: Interval) -> Interval | None:
        """What so many hours of work have cost with a machine of one's own."""
        if self.price is None or self.electricity is None:
            return None
        return self.price + self.electricity * hours

    def rented(self, hours: Interval) -> Interval | None:
        """What they have cost with a rented one."""
        return self.rent and self.rent * hours

    def after(self, year: int, use: Interval) -> Year:
        """What has been spent by the end of a year."""
        hours = hours_in(exact(float(year)), use)
        electricity = self.electricity and self.electricity * hours
        return Year(year, electricity, self.owned(hours), self.rented(hours))

    def against(self, rent: Interval) -> Owning:
        """The same machine beside another that is rented."""
        return Owning(self.price, self.electricity, rent)

    @property
    def break_even(self) -> BreakEven | None:
        """When both have cost the same; None if a price is not known."""
        if self.price is None or self.electricity is None or self.rent is None:
            return None
        saved = self.rent - self.electricity
        low = self.price.low / saved.high if saved.high > 0 else math.inf
        high = self.price.high / saved.low if saved.low > 0 else math.inf
        return BreakEven(Interval(low, high))


def hours_in(years: Interval, use: Interval) -> Interval:
    """Hours of work in so many years, at a share of the time."""
    return years * _YEAR * use
