"""Owning against renting: the arithmetic, on prices in one currency.

A machine that is owned costs its price, and electricity for every hour it works; one that is
rented costs its rent for these hours. Prices are intervals here, not exact amounts.
"""

import math

from buildcheck.logic.quantity import Interval, exact
from buildcheck.model.frozen import Frozen

#: Hours of a day and a year: conversions, not limits.
DAY, YEAR = exact(24.0), exact(8_760.0)


class Owning(Frozen):
    """A price to buy, and money for an hour of work by either way; None is not known."""

    price: Interval | None
    electricity: Interval | None
    rent: Interval | None

    def owned(self, hours: Interval) -> Interval | None:
        """Money spent after these hours of work with an own machine."""
        if self.price is None or self.electricity is None:
            return None
        return self.price + self.electricity * hours

    def rented(self, hours: Interval) -> Interval | None:
        """Money spent after these hours of work with a rented machine."""
        return self.rent and self.rent * hours

    @property
    def break_even(self) -> Interval | None:
        """The hours of work after which owning is cheaper; None if a price is not known.

        An end at infinity is never.
        """
        if self.price is None or self.electricity is None or self.rent is None:
            return None
        saved = self.rent - self.electricity
        low = self.price.low / saved.high if saved.high > 0 else math.inf
        high = self.price.high / saved.low if saved.low > 0 else math.inf
        return Interval(low, high)
