"""Rates between currencies that a user gives, and money turned by them.

No rate comes with the program, and none is ever looked up: money stays in its currency unless
somebody says what it is worth in another.
"""

import re
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

from buildcheck.logic.quantity import exact
from buildcheck.model.money import LONGEST, Money, Tariff, decimals, read_currency

EXAMPLE = "1 USD = 0.92 EUR"
_FIGURE = r"[0-9]{1,9}(?:\.[0-9]{1,9})?"
_TEXT = re.compile(
    rf"(?P<one>{_FIGURE})\s*(?P<of>\D{{1,4}}?)\s*=\s*(?P<other>{_FIGURE})\s*(?P<to>\D{{1,4}})"
)


class Rate(NamedTuple):
    """What one of a currency is worth in another; `text` is how it was written."""

    of: str
    to: str
    each: Decimal
    text: str


class Rates(NamedTuple):
    """Rates from several currencies, all into one."""

    all: tuple[Rate, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.all)

    @property
    def into(self) -> str:
        """The currency that money is turned into; empty without rates."""
        return self.all[0].to if self.all else ""

    def _each(self, currency: str) -> tuple[Decimal, str] | None:
        return next(((rate.each, rate.to) for rate in self.all if rate.of == currency), None)

    def money(self, money: Money) -> Money:
        """Money in the currency that its own is turned into, to the coin; else as it is."""
        found = self._each(money.currency)
        if found is None:
            return money
        each, to = found
        coin = Decimal(1).scaleb(-decimals(to))
        return Money((money.amount * each).quantize(coin, ROUND_HALF_UP), to)

    def tariff(self, tariff: Tariff) -> Tariff:
        """A price per hour or kilowatt-hour in another currency; None without a rate."""
        found = self._each(tariff.currency)
        if found is None:
            return tariff
        each, to = found
        return Tariff(tariff.each * exact(float(each)), to, tariff.per)


def read_rates(texts: Iterable[str]) -> Rates:
    """Texts such as `1 USD = 0.92 EUR`: the first is turned into the second. Raises `ValueError`.

    >>> read_rates(["100 JPY = 0.65 USD"]).money(Money(Decimal(2000), "JPY"))
    Money(amount=Decimal('13.00'), currency='USD')
    """
    found = tuple(map(_rate, texts))
    names = [rate.of for rate in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise ValueError(f"{twice} has two rates; give one")
    into = {rate.to for rate in found}
    if len(into) > 1:
        several = " and ".join(sorted(into))
        raise ValueError(f"all rates need to be into one currency, not into {several}")
    return Rates(found)


def _rate(text: str) -> Rate:
    found = _TEXT.fullmatch(text.strip()) if len(text) <= LONGEST else None
    if not found:
        raise ValueError(f"needs a rate such as '{EXAMPLE}', not '{text[:LONGEST]}'")
    one, other = Decimal(found["one"]), Decimal(found["other"])
    if not one or not other:
        raise ValueError(f"is '{text.strip()}', and no money is worth nothing")
    of, to = read_currency(found["of"].strip()), read_currency(found["to"].strip())
    if of == to:
        raise ValueError(f"is '{text.strip()}', which is one currency; it needs two")
    return Rate(of, to, other / one, f"{found['one']} {of} = {found['other']} {to}")
