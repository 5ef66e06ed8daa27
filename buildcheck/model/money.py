"""Money: an exact amount in one currency, and how it is read and written.

Amounts are decimal from end to end, and money of different currencies is never added. What
could be read in two ways is refused: `1.499 EUR` is one and a half euros to some and fifteen
hundred to others. Currencies go by the codes of ISO 4217; of the signs, those that one
currency alone has are understood as well.
"""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, NamedTuple

from buildcheck.model.quantity import Interval, ends_text

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Signs of currencies, the longest first, and what they stand for: a code of ISO 4217, or
#: themselves where several countries use them.
SIGNS = {
    "US$": "USD",
    "CA$": "CAD",
    "CDN$": "CAD",
    "C$": "CAD",
    "AU$": "AUD",
    "A$": "AUD",
    "NZ$": "NZD",
    "HK$": "HKD",
    "NT$": "TWD",
    "S$": "SGD",
    "R$": "BRL",
    "MX$": "MXN",
    "$": "$",
    "€": "EUR",
    "£": "GBP",
    "¥": "¥",
    "\uffe5": "¥",
    "円": "JPY",
    "元": "CNY",
    "₹": "INR",
    "₩": "KRW",
    "₪": "ILS",
    "₽": "RUB",
    "zł": "PLN",
    "Kč": "CZK",
    "kr.": "kr",
    "kr": "kr",
    "SFr.": "CHF",
    "Fr.": "CHF",
}
#: ISO 4217, the currencies people pay in; funds, metals and test codes are left out.
_CODES = (
    "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP"
    " BYN BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP"
    " GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR"
    " KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK"
    " MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR"
    " SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS"
    " UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG"
)
CODES = frozenset(_CODES.split())
_WHOLE = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF"
#: Those without a smaller coin.
WHOLE = frozenset(_WHOLE.split())
#: Those with a coin of a thousandth.
THIRDS = frozenset(("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"))

#: No price takes more characters than this.
LONGEST = 40
EXAMPLE = "1499.00 EUR"
_SIGN = "|".join(re.escape(s) for s in sorted(SIGNS, key=len, reverse=True))
_TEXT = re.compile(
    rf"(?P<before>{_SIGN}|[A-Za-z]{{3}})?\s*(?P<amount>-?[0-9](?:[0-9.,'’\u00a0\u202f ]*[0-9])?)"
    rf"\s*(?P<after>{_SIGN}|[A-Za-z]{{3}})?"
)
_PLAIN = re.compile(r"-?(?:0|[1-9][0-9]{0,8})(?:\.(?P<cents>[0-9]{1,3}))?")
#: Digits in groups, or cents behind a comma, that can be read in one way only.
_ONE_WAY = re.compile(
    r"(?P<whole>-?[0-9]{1,3}(?:(?P<group>[.,'’\u00a0\u202f ])[0-9]{3})(?:(?P=group)[0-9]{3})*"
    r"|-?[0-9]{1,9})(?:(?P<sign>[.,])(?P<cents>[0-9]{1,3}))?"
)

_FIGURE = r"[0-9]{1,6}(?:\.[0-9]{1,6})?"
_TARIFF = re.compile(
    rf"(?P<low>{_FIGURE})(?:\s*\.\.\s*(?P<high>{_FIGURE}))?\s*"
    rf"(?P<currency>{_SIGN}|[A-Za-z]{{3}})\s*/\s*(?P<per>kWh|h)"
)


class Money(NamedTuple):
    """An amount in a currency, by its code."""

    amount: Decimal
    currency: str

    def __str__(self) -> str:
        """As it is written in a build file: `1499.00 EUR`."""
        return f"{self.figure} {self.currency}"

    @property
    def figure(self) -> str:
        """The amount alone, with the cents its currency has."""
        return f"{self.amount:.{decimals(self.currency)}f}"

    def times(self, count: int) -> Money:
        """So many of it."""
        return Money(self.amount * count, self.currency)

    def plus(self, percent: Decimal) -> Money:
        """With so many per cent on top, half a cent rounded up."""
        coin = Decimal(1).scaleb(-decimals(self.currency))
        whole = self.amount * (100 + percent) / 100
        return Money(whole.quantize(coin, ROUND_HALF_UP), self.currency)


class Tariff(NamedTuple):
    """A price per kilowatt-hour or hour: an estimate to reckon with, not an amount to pay."""

    each: Interval
    currency: str
    per: str

    def __str__(self) -> str:
        """As it is written in a build file: `0.12 USD/kWh`."""
        return f"{ends_text(self.each)} {self.currency}/{self.per}"


def read_tariff(text: str, per: str, example: str) -> Tariff:
    """Text such as `0.12 USD/kWh` or `0.70..0.77 USD/h`. Raises `ValueError`.

    >>> str(read_tariff("0.70..0.77 USD/h", "h", "2.14 USD/h"))
    '0.7..0.77 USD/h'
    """
    found = _TARIFF.fullmatch(text.strip()) if len(text) <= LONGEST else None
    if text.strip().startswith("-"):
        raise ValueError(f"cannot be negative, as '{text[:40]}' is")
    if not found or found["per"] != per:
        raise ValueError(f"needs a price per {per} such as '{example}', not '{text[:40]}'")
    low = float(found["low"])
    high = float(found["high"] or low)
    if low > high:
        raise ValueError(f"'{text}' runs backwards; write the smaller number first")
    return Tariff(Interval(low, high), read_currency(found["currency"]), per)


def decimals(currency: str) -> int:
    """How many decimals the smallest coin of a currency has."""
    if currency in WHOLE:
        return 0
    return 3 if currency in THIRDS else 2


def read_money(text: str) -> Money:
    """Text such as `1499.00 EUR`. Raises `ValueError` with a sentence for who wrote it."""
    found = _TEXT.fullmatch(text.strip()) if len(text) <= LONGEST else None
    if not found:
        raise ValueError(f"needs an amount and a currency such as '{EXAMPLE}', not '{text[:40]}'")
    if found["before"] and found["after"]:
        raise ValueError(f"needs one currency, as in '{EXAMPLE}', not '{text}'")
    currency = read_currency(found["before"] or found["after"] or "")
    amount = found["amount"]
    plain = _PLAIN.fullmatch(amount)
    if plain and currency in WHOLE and "." in amount:
        raise ValueError(f"is '{text.strip()}', but {currency} has no smaller coin")
    if not plain or len(plain["cents"] or "") > decimals(currency):
        raise ValueError(f"is '{text.strip()}', {_advice(amount, currency)}")
    # Zero has no sign.
    return Money(Decimal(amount) or Decimal(0), currency)


def read_currency(text: str) -> str:
    """The code of a currency, from its code or sign. Raises `ValueError`."""
    if not text:
        raise ValueError(f"needs a currency, as in '{EXAMPLE}'")
    code = SIGNS.get(text, text.upper())
    if code in CODES:
        return code
    if text in SIGNS:
        raise ValueError(
            f"needs the code of the currency, as several are written '{text}': such as '{EXAMPLE}'"
        )
    raise ValueError(f"needs a currency by its ISO 4217 code, such as EUR or USD, not '{text}'")


def _advice(amount: str, currency: str) -> str:
    """What is wrong with digits that are not plain, and how to write them."""
    one, digits = _ONE_WAY.fullmatch(amount), decimals(currency)
    if re.fullmatch(r"-?0[.,][0-9]+", amount):
        coin = f"than {Decimal(1).scaleb(-digits)}"
        return f"but {currency} has no coin smaller {coin if digits else 'than 1'}"
    if one and one["cents"] and not digits:
        return f"but {currency} has no smaller coin"
    is_odd = not one or len(one["cents"] or "") > digits
    if not one or is_odd or one["sign"] == one["group"] is not None:
        return f"which is no plain amount; write it like '{EXAMPLE}'"
    whole = re.sub(r"[^-0-9]", "", one["whole"])
    plain = Money(Decimal(f"{whole}.{one['cents'] or 0}"), currency)
    if one["group"] in (".", ",") and not one["sign"]:
        point = amount.replace(",", ".")
        if currency in THIRDS:
            return f"which can be read in two ways; write '{plain}' or '{point} {currency}'"
        return f"which can be read as {whole} and as {point}; write '{plain}' if that is meant"
    return f"and such signs are read differently in different places; write '{plain}'"


def sums(amounts: Iterable[Money]) -> list[Money]:
    """The exact sum of each currency, in the order they come."""
    found: dict[str, Decimal] = {}
    for money in amounts:
        found[money.currency] = found.get(money.currency, Decimal(0)) + money.amount
    return [Money(amount, currency) for currency, amount in found.items()]
