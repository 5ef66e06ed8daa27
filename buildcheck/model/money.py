"""Money: an exact amount in one currency, and how it is read and written.

Amounts are decimal from end to end, and money of different currencies is never added. Groups of
digits and decimals are read as shops write them: `8.990,00 EUR`, `$1,299`, `CHF 1'234.50`,
`1 299,- kr`. A code with three digits behind a single dot or comma (`1.499 EUR`) has two readings
and is refused in a build file; with a sign (`€1.499`) such digits are thousands, as on price tags.
Currencies go by codes of ISO 4217 or signs; `$` is USD unless a list's address says otherwise.
"""

import re
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import NamedTuple

from buildcheck.logic.quantity import Interval, written
from buildcheck.model.patterns import pattern
from buildcheck.model.vocabulary import vocabulary

_WORDS = vocabulary("money")
#: Signs of currencies, and what they mean: a code, or themselves where several countries use them.
SIGNS: dict[str, str] = _WORDS["signs"]
#: The currencies people pay in; those without a smaller coin, and with a coin of a thousandth.
CODES, WHOLE, THIRDS = (frozenset(_WORDS[name].split()) for name in ("codes", "whole", "thirds"))
#: Codes that lists of parts use; others are words or names of parts there.
_COMMON = _WORDS["common"].replace(" ", "|")

#: Of a text that is an amount; digits between two signs that group them.
LONGEST, _GROUP = 40, 3
EXAMPLE = "1499.00 EUR"
_SIGN = "|".join(re.escape(s) for s in sorted(SIGNS, key=len, reverse=True))
#: Digits in groups or not, in India of two; a plain space groups them only in front of cents.
_DIGITS = (
    r"(?:\d{1,3}(?:[.,]\d{1,2})?[kK](?![A-Za-z])"
    r"|\d{1,3}(?:[.,'’\u00a0\u2009\u202f]\d{3}){1,3}(?:[.,]\d{1,3})?(?!\d)"
    r"|\d{1,2}(?:,\d\d){1,3},\d{3}(?:\.\d{1,2})?(?!\d)"
    r"|\d{1,3}(?: \d{3}){1,3},(?:\d\d|-)(?!\d)"
    r"|\d{1,9}(?:[.,]\d{1,3})?(?![\d]))(?:[.,][-–—]+)?"
)
#: Behind a sign also in front of nothing else that it could count, and behind what ends a name.
_SPACED = r"\d{1,3}(?: \d{3}){1,2}(?=\s*(?:$|[,;.()|/@]|each\b|ea\b|total\b|per\b))"
_FRENCH = r"(?:(?<=[-–:|=] )|^)\d{1,3}(?: \d{3}){1,2}"


def _pattern(codes: str) -> str:
    before = rf"(?:(?<![A-Za-z])(?:{_SIGN})|\b(?:{codes}))"
    after = rf"(?:(?:{_SIGN})|(?:{codes}))(?![A-Za-z]|\s?\d)"
    return (
        rf"(?P<minus>[-−–]\s?)?(?:(?P<before>{before})[\s\u00a0]*(?P<first>{_SPACED}|[-−]?{_DIGITS})"
        rf"(?![\w]|[\s\u00a0]?(?:{codes})\b)"
        rf"|(?<![\w.,])(?P<last>{_FRENCH}|{_DIGITS})[\s\u00a0]*(?P<after>{after})"
        r"|(?<![\w.,])(?P<tag>\d{1,3}(?:\.?\d{3})?,[-–—]{1,2})(?![\w-]))"
    )


#: Patterns are compiled when they are used: few runs read money.
_IN_TEXT, _ALONE = _pattern(_COMMON), _pattern("[A-Za-z]{3}")
_TELLING = "|".join(map(re.escape, (*SIGNS, *_COMMON.split("|"), ",-", ",–", ",—")))
_BARE = rf"\s*[-−]?{_DIGITS}\s*"

_FIGURE = r"[0-9]{1,6}(?:\.[0-9]{1,6})?"
_TARIFF = (
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

    def times(self, count: int) -> "Money":
        """The amount times a count."""
        return Money(self.amount * count, self.currency)

    def plus(self, percent: Decimal) -> "Money":
        """The amount plus a percentage, half a cent rounded up."""
        coin = Decimal(1).scaleb(-decimals(self.currency))
        whole = self.amount * (100 + percent) / 100
        return Money(whole.quantize(coin, ROUND_HALF_UP), self.currency)


class Tariff(NamedTuple):
    """A price per kilowatt-hour or hour: an estimate for calculations, not an amount to pay."""

    each: Interval
    currency: str
    per: str

    def __str__(self) -> str:
        """As it is written in a build file: `0.12 USD/kWh`."""
        return f"{written(self.each)} {self.currency}/{self.per}"


def read_tariff(text: str, per: str, example: str) -> Tariff:
    """Text such as `0.12 USD/kWh` or `0.70..0.77 USD/h`. Raises `ValueError`.

    >>> str(read_tariff("0.70..0.77 USD/h", "h", "2.14 USD/h"))
    '0.7..0.77 USD/h'
    """
    found = re.fullmatch(_TARIFF, text.strip()) if len(text) <= LONGEST else None
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
    return 0 if currency in WHOLE else 3 if currency in THIRDS else 2


class MoneyInText(NamedTuple):
    """A price in a text: how much, in which currency or by which sign, from where to where."""

    amount: Decimal
    currency: str | None
    start: int
    end: int
    #: The other number that its digits can be read as; None if there is none.
    other: Decimal | None = None


@lru_cache(maxsize=4096)
def price_in(text: str) -> MoneyInText | None:
    """The first price in a text; of a tag such as `419,-` in no currency.

    >>> price_in("Purchased For €1.149,89")[:2], price_in("(419,-)")[:2]
    ((Decimal('1149.89'), 'EUR'), (Decimal('419'), None))
    """
    found = pattern(_IN_TEXT).search(text) if pattern(_TELLING).search(text) else None
    return _amount(text, found) if found else None


def _amount(text: str, found: re.Match[str]) -> MoneyInText:
    value, other = _number(found["first"] or found["last"] or found["tag"])
    start = found.start()
    if found["minus"]:
        # A dash between a name and its price is no minus sign: that one touches the price alone.
        if len(found["minus"]) == 1 and not text[max(0, start - 1) : start].strip(" |:("):
            value = -value
        else:
            start = found.end("minus")
    sign = found["before"] or found["after"]
    return MoneyInText(value, SIGNS.get(sign, sign and sign.upper()), start, found.end(), other)


def bare_amount(text: str) -> Decimal | None:
    """The number of a cell that holds nothing else, for columns that are known to be prices."""
    return _number(text.strip())[0] if re.fullmatch(_BARE, text) else None


def is_price(text: str) -> bool:
    """Does a text hold a price and nothing else?"""
    price = price_in(text)
    return price is not None and not (text[: price.start] + text[price.end :]).strip(" ()*\u00a0-")


def currency_in(heading: str) -> str | None:
    """The currency that the heading of a column names.

    >>> currency_in("Price (EUR)"), currency_in("price_usd"), currency_in("Price")
    ('EUR', 'USD', None)
    """
    ways = rf"(?<![A-Za-z])(?:{_SIGN})|\b(?:{_COMMON})|(?i:(?<=_)(?:{_COMMON})(?![a-z]))"
    found = re.search(ways, heading)
    return SIGNS.get(found[0], found[0].upper()) if found else None


def local(currency: str | None, country: str) -> str | None:
    """A currency's three letters, in a list of a country given by two letters or not at all.

    >>> local("$", "ca"), local("$", ""), local("kr", "")
    ('CAD', 'USD', 'kr')
    """
    own = _WORDS["local"].get(country, {})
    return currency and (own.get(currency) or _WORDS["usual"].get(currency, currency))


def _number(digits: str) -> tuple[Decimal, Decimal | None]:
    """The number that digits with separators mean, and the other one they could mean."""
    if digits[-1:] in "kK":
        return Decimal(digits[:-1].replace("−", "-").replace(",", ".")) * 1000, None
    whole = re.sub(r"[.,][-–—]+$", "", digits.strip("-−"))
    minus = -1 if digits.startswith(("-", "−")) else 1
    parts, signs = re.split(r"\D", whole), re.findall(r"\D", whole)
    number = Decimal("".join(parts))
    if not signs or (len(parts[-1]) == _GROUP and len(signs) > 1 and signs[-1] == signs[-2]):
        return minus * number, None
    cents = minus * Decimal(f"{''.join(parts[:-1])}.{parts[-1]}")
    is_group = 0 < len(parts[0].lstrip("0")) <= _GROUP == len(parts[-1])
    if len(signs) > 1 or not is_group:
        return cents, None
    return minus * number, cents if signs[0] in ".," else None


def read_money(text: str) -> Money:
    """Text such as `1499.00 EUR` or `€8.990,00`. Raises `ValueError` with a sentence."""
    found = pattern(_ALONE).fullmatch(text.strip()) if len(text) <= LONGEST else None
    if not found:
        bare = re.match(rf"{_BARE}(?:$|(?<=\s))", text) and not price_in(text)
        what = "needs a currency, as in" if bare else "needs an amount and a currency such as"
        raise ValueError(f"{what} '{EXAMPLE}'" + ("" if bare else f", not '{text[:40]}'"))
    amount = _amount(text.strip(), found)
    code = found["before"] or found["after"]
    currency = read_currency("USD" if code == "$" else code)
    written = found["first"] or found["last"]
    coin = Decimal(1).scaleb(-decimals(currency))
    if re.match(r"[-−]?0\d", written):
        raise ValueError(f"is '{text.strip()}', which is no plain amount; write '{EXAMPLE}'")
    if amount.other is not None and currency not in THIRDS:
        # Three digits behind a sign are no cents.
        amount = amount._replace(other=None)
    elif amount.other is not None and "." in written:
        amount = amount._replace(amount=amount.other, other=None)
    if amount.other is not None:
        each = [n for n in (amount.amount, amount.other) if not n % coin]
        advice = " or ".join(f"'{Money(n, currency)}'" for n in each)
        raise ValueError(
            f"is '{text.strip()}', which can be read as {amount.amount} and as {amount.other};"
            f" write {advice}"
        )
    if amount.amount % coin:
        raise ValueError(f"is '{text.strip()}', but {currency} has no coin smaller than {coin}")
    # Zero has no sign.
    return Money(amount.amount or Decimal(0), currency)


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


def sums(amounts: Iterable[Money]) -> list[Money]:
    """The exact sum of each currency, in the order they come."""
    found: dict[str, Decimal] = {}
    for money in amounts:
        found[money.currency] = found.get(money.currency, Decimal(0)) + money.amount
    return [Money(amount, currency) for currency, amount in found.items()]
