"""What parts cost: prices in a build file, and quotes of vendors."""

import re
from datetime import date as _day
from decimal import Decimal
from typing import Annotated, Any

from buildcheck.model import money
from buildcheck.model import values as v
from buildcheck.model.strict import NEEDED, After, Before, Fits, Strict, Whole, says
from buildcheck.model.vocabulary import vocabulary

#: More lines than any quote has.
MOST_LINES = 300
#: More pieces than anybody orders of a part.
MOST_PIECES = 10_000

#: Spreadsheets have no day before it.
FIRST_DAY = _day(1900, 1, 1)


def read_day(value: Any) -> _day:
    """A day as people write it: `2026-11-05`, `05.11.2026`, `5 Nov 2026`. Raises `ValueError`."""
    day = value if isinstance(value, _day) else _written_day(value)
    if day < FIRST_DAY:
        raise ValueError(f"needs a day from {FIRST_DAY} on, not {day}")
    return day


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
#: A month by its number only where nobody reads it as the day.
_DAYS = (
    r"(?P<year>\d{4})[-/](?P<month>\d{2})[-/](?P<day>\d{2})",
    r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})",
    r"(?P<day>\d{1,2})\.? (?P<month>[A-Za-z]{3,9}),? (?P<year>\d{4})",
    r"(?P<month>[A-Za-z]{3,9})\.? (?P<day>\d{1,2}),? (?P<year>\d{4})",
)


def _written_day(value: Any) -> _day:
    forms = (re.fullmatch(p, value.strip()) for p in _DAYS) if isinstance(value, str) else ()
    found = next(filter(None, forms), None)
    if not found:
        raise ValueError("needs a date such as 2027-03-01")
    month = found["month"].lower()
    try:
        number = 1 + _MONTHS.index(month[:3]) if month.isalpha() else int(month)
        return _day(int(found["year"]), number, int(found["day"]))
    except ValueError:
        raise ValueError(f"there is no day {value}") from None


Day = Annotated[_day, v.Reads(read_day, "date, such as 2027-03-01")]


def _cash(value: Any) -> money.Money:
    if isinstance(value, money.Money):
        return value
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise ValueError(f"needs an amount and a currency such as '{money.EXAMPLE}'")
    if not isinstance(value, str):
        raise ValueError(f"needs a currency, as in '{money.EXAMPLE}'")
    return money.read_money(value)


def read_cost(value: Any) -> money.Money:
    """What something costs, which is nothing or more. Raises `ValueError`."""
    cash = _cash(value)
    if cash.amount < 0:
        raise ValueError("cannot be negative")
    return cash


_MONEY = f"money, such as {money.EXAMPLE}"
Cash = Annotated[money.Money, v.Reads(_cash, _MONEY)]
Cost = Annotated[money.Money, v.Reads(read_cost, _MONEY)]


def shares_in(text: str) -> list[Decimal]:
    """Every share in per cent that a text states, each once and whatever its sign.

    >>> shares_in("Rabatt: -7,5 %"), shares_in("5 of 6, 119 %")
    ([Decimal('7.5')], [])
    """
    found = re.findall(r"(?<![\d.,])(100|\d{1,2}(?:[.,]\d{1,2})?)\s?%", text)
    return [*dict.fromkeys(Decimal(share.replace(",", ".")) for share in found)]


def less(price: money.Money, off: Decimal | money.Money, pieces: int = 1) -> money.Money:
    """The price of one piece less a share in per cent, or an amount off all pieces."""
    whole = price.amount * pieces or 1
    return price.plus(-(off.amount * 100 / whole if isinstance(off, money.Money) else off))


def _discount(value: Any) -> Decimal | money.Money:
    """A share in per cent, or an amount; both are taken off whatever their sign."""
    share = re.fullmatch(r"[-−]?[\d.,]+\s?%", value.strip()) if isinstance(value, str) else None
    if share and (shares := shares_in(value)):
        return shares[0]
    cash = _cash(value)
    return cash._replace(amount=abs(cash.amount))


Discount = Annotated[Any, v.Reads(_discount, "per cent or money, such as 5 %")]


def _says(what: str, text: str) -> bool:
    """Do words of a text, such as `incl. VAT`, say that something is not in a price, or is?"""
    return re.search(vocabulary()["price_words"][what], text) is not None


def side_of(text: str) -> str:
    """Is something in the prices, by words such as `incl. VAT`, or not? Empty if not said.

    >>> side_of("zzgl. 19 % MwSt."), side_of("19 % included"), side_of("19 %")
    ('excludes', 'includes', '')
    """
    if _says("denied", text) or _says("on_top", text):
        return "excludes"
    return "includes" if _says("within", text) else ""


def _included(value: Any) -> tuple[str, ...]:
    """What is in a price; what is said not to be in it stands elsewhere."""
    texts = v.read_texts(value)
    for text in texts:
        if _says("denied", text):
            raise ValueError(
                f"is '{text}', which reads as not included; what comes on top goes under 'excludes'"
            )
    return texts


Included = Annotated[tuple[str, ...], v.Reads(_included, "list of words")]


_PAST = "cannot be a day before its date"
#: Types of fields that only prices and quotes have.
LastDay = Annotated[Day, Fits("date", lambda start, end: _PAST if start and end < start else "")]
Pieces = Annotated[int, Whole(1, MOST_PIECES)]
Currency = Annotated[v.Code, After(money.read_currency)]


class Price(Strict, fields=v.declared(v.ENTRIES["price"], globals())):
    """What one piece costs, who says so and until when."""


def spelt_out(value: Any) -> Any:
    """A price as its fields, where an amount is its price alone."""
    return value if isinstance(value, (dict, Price)) else {"each": value}


#: A price in full, or its amount alone.
AnyPrice = Annotated[Price, Before(spelt_out)]


class OwnPrices(Strict):
    """The file of a price list."""

    prices: dict[str, AnyPrice] = says("prices by part, such as {RTX 3090: 750 USD}", NEEDED)


class QuoteLine(Strict, fields=v.declared(v.ENTRIES["quote-line"], globals())):
    """One line of a quote."""


def _listed(value: Any) -> Any:
    if isinstance(value, list) and len(value) > MOST_LINES:
        most = f"at most {MOST_LINES} are read"
        raise ValueError(f"has {len(value)} entries; {most}. Split the quote")
    return tuple(value) if isinstance(value, list) else value


class Quote(Strict, fields=v.declared(v.ENTRIES["quote"], globals())):
    """What one vendor offers, or the name of the file that says so."""

    lines: Annotated[tuple[QuoteLine, ...], Before(_listed)] = ()
