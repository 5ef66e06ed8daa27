"""Prices as people and shops write them → an amount and a currency.

`$1,234.56`, `1.234,56 €`, `CHF 1'234.50`, `300 EUR`, `1 299,- kr`, `¥120,000`. A dot or
comma before three digits groups them, before one or two it is the decimal sign. A plain `$`
is read as US dollars, `£` as British and `¥` as Japanese money unless the address of the list
names another country; `kr` stays `kr` unless it does.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from buildcheck.model.money import SIGNS

_CODES = (
    "USD EUR GBP CAD AUD NZD CHF SEK NOK DKK JPY CNY RMB INR KRW PLN CZK HUF RON BRL MXN SGD HKD"
    " TWD ZAR ILS THB MYR IDR PHP RUB UAH BGN"
)
#: What a sign that several countries use means in lists of one of them.
_LOCAL = {
    "ca": {"$": "CAD"},
    "au": {"$": "AUD"},
    "nz": {"$": "NZD"},
    "mx": {"$": "MXN"},
    "sg": {"$": "SGD"},
    "se": {"kr": "SEK"},
    "no": {"kr": "NOK"},
    "dk": {"kr": "DKK"},
    "cn": {"¥": "CNY"},
}
_USUAL = {"$": "USD", "¥": "JPY", "RMB": "CNY"}

_SIGN = "|".join(re.escape(s) for s in sorted(SIGNS, key=len, reverse=True))
_MONEY = rf"(?:(?<![A-Za-z])(?:{_SIGN})|\b(?:{_CODES.replace(' ', '|')}))"
_MONEY_AFTER = rf"(?:(?:{_SIGN})|(?:{_CODES.replace(' ', '|')}))(?![A-Za-z]|\s?\d)"
#: Digits in groups or not, in India of two; a plain space groups them only in front of cents.
_AMOUNT = (
    r"(?:\d{1,3}(?:[.,'’\u00a0\u2009\u202f]\d{3}){1,3}(?:[.,]\d{1,2})?(?!\d)"
    r"|\d{1,2}(?:,\d\d){1,3},\d{3}(?:\.\d{1,2})?(?!\d)"
    r"|\d{1,3}(?: \d{3}){1,3},(?:\d\d|-)(?!\d)"
    r"|\d{1,9}(?:[.,]\d{1,2})?(?![\d]))(?:[.,][-–—]+)?"
)
_PRICE = re.compile(
    rf"(?P<minus>[-−–]\s?)?(?:(?P<before>{_MONEY})[\s\u00a0]?(?P<first>[-−]?{_AMOUNT})"
    rf"|(?<![\w.,])(?P<last>{_AMOUNT})[\s\u00a0]?(?P<after>{_MONEY_AFTER}))"
)
_BARE = re.compile(rf"\s*[-−]?{_AMOUNT}\s*")


class Price(NamedTuple):
    """An amount of money in a text: what, in which currency, from where to where."""

    amount: Decimal
    currency: str | None
    start: int
    end: int


def price_in(text: str) -> Price | None:
    """The first price in a text.

    >>> price_in("Purchased For €1.149,89")[:2]
    (Decimal('1149.89'), 'EUR')
    """
    found = _PRICE.search(text)
    if not found:
        return None
    sign = found["before"] or found["after"]
    digits = found["first"] or found["last"]
    amount = _amount(digits)
    start = found.start()
    if found["minus"]:
        # A dash between a name and its price is no minus sign: that one touches the price alone.
        if len(found["minus"]) == 1 and not text[start - 1 : start].strip(" |:("):
            amount = -amount
        else:
            start = found.end("minus")
    return Price(amount, SIGNS.get(sign, sign), start, found.end())


def bare_amount(text: str) -> Decimal | None:
    """The number of a cell that holds nothing else, for columns that are known to be prices."""
    return _amount(text.strip()) if _BARE.fullmatch(text) else None


def is_price(text: str) -> bool:
    """Does a text hold a price and nothing else?"""
    price = price_in(text)
    if price is None:
        return False
    return not (text[: price.start] + text[price.end :]).strip(" ()*\u00a0-")


def currency_in(heading: str) -> str | None:
    """The currency that the heading of a column names.

    >>> currency_in("Price (EUR)"), currency_in("Price")
    ('EUR', None)
    """
    found = re.search(_MONEY, heading)
    return SIGNS.get(found[0], found[0]) if found else None


def local(currency: str | None, country: str) -> str | None:
    """A currency's three letters, in a list of a country given by two letters or not at all.

    >>> local("$", "ca"), local("$", ""), local("kr", "")
    ('CAD', 'USD', 'kr')
    """
    if currency is None:
        return None
    return _LOCAL.get(country, {}).get(currency) or _USUAL.get(currency, currency)


def _amount(digits: str) -> Decimal:
    """The number that digits with whatever signs between them stand for."""
    minus = digits.startswith(("-", "−"))
    whole = re.sub(r"[.,][-–—]+$", "", digits.strip("-−"))
    cents = re.search(r"[.,](\d{1,2})$", whole)
    if cents:
        whole = whole[: cents.start()]
    number = re.sub(r"\D", "", whole) + (f".{cents[1]}" if cents else "")
    return -Decimal(number) if minus else Decimal(number)
