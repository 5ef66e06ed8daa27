"""An interval of numbers in base units, and how it is read and shown.

`575 W` is an interval of no width, `560..590 W` and `575 W ±2 %` have one, and
what is not known is as wide as nature allows. Arithmetic is interval arithmetic:
the result holds every value the operands could give.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from buildcheck import units

_UNSIGNED = r"(?:[0-9]{1,15}(?:\.[0-9]{1,9})?|\.[0-9]{1,9})"
_NUMBER = rf"[+-]?{_UNSIGNED}"
_TEXT = re.compile(
    rf"(?P<low>{_NUMBER})(?:\s*\.\.\s*(?P<high>{_NUMBER}))?\s*"
    r"(?P<unit>[^\W\d_°%][\w/°]*|%|°[CFcf])?"
    rf"(?:\s*(?:±|\+-|\+/-)\s*(?P<tolerance>{_UNSIGNED})\s*%)?"
)


_EXAMPLES = {
    units.NUMBER: "2",
    units.POWER: "300 W",
    units.CURRENT: "16 A",
    units.VOLTAGE: "230 V",
    units.LENGTH: "300 mm",
    units.DATA: "64 GB",
    units.RATE: "50 Gbit/s",
    units.TEMPERATURE: "25 degC",
    units.MASS: "1.8 kg",
    units.AIRFLOW: "120 CFM",
    units.ENERGY: "5000 kWh",
    units.INTENSITY: "380 g/kWh",
    units.ARITHMETIC: "35.6 TFLOPS",
}
#: No quantity takes more characters than this.
LONGEST = 80


@dataclass(unsafe_hash=True, slots=True)
class Interval:
    """Every value between `low` and `high`, in base units; never changed, though not frozen."""

    low: float
    high: float

    @property
    def is_exact(self) -> bool:
        """Is this one number?"""
        return self.low == self.high

    @property
    def is_known(self) -> bool:
        """Does it say more than nature does?"""
        return self.high < math.inf

    @property
    def middle(self) -> float:
        """The number half-way between both ends."""
        return (self.low + self.high) / 2

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.low + other.low, self.high + other.high)

    def __sub__(self, other: Interval) -> Interval:
        return Interval(_less(self.low, other.high), _less(self.high, other.low))

    def __mul__(self, other: Interval) -> Interval:
        if 0 < self.low <= self.high < math.inf and 0 < other.low <= other.high < math.inf:
            return Interval(self.low * other.low, self.high * other.high)
        pairs = ((a, b) for a in (self.low, self.high) for b in (other.low, other.high))
        ends = [0.0 if 0 in pair else pair[0] * pair[1] for pair in pairs]
        return Interval(min(ends), max(ends))

    def __truediv__(self, other: Interval) -> Interval:
        if other.low <= 0 <= other.high:
            if other.low == 0 < other.high and self.low >= 0:
                return Interval(0.0 if other.high == math.inf else self.low / other.high, math.inf)
            return Interval(-math.inf, math.inf)
        if 0 < other.low <= other.high < math.inf and 0 <= self.low <= self.high < math.inf:
            return Interval(self.low / other.high, self.high / other.low)
        return self * Interval(_over(other.high), _over(other.low))

    def is_below(self, other: Interval) -> bool | None:
        """Is it less, whatever the two are? None if that cannot be said."""
        if self.high < other.low:
            return True
        return False if self.low >= other.high else None

    def is_at_most(self, other: Interval) -> bool | None:
        """Is every value of this at most every value of the other? None if that is open."""
        if self.high <= other.low:
            return True
        return False if self.low > other.high else None

    def hull(self, other: Interval) -> Interval:
        """The smallest interval that holds both."""
        return Interval(min(self.low, other.low), max(self.high, other.high))


def exact(value: float) -> Interval:
    """One number as an interval."""
    return Interval(value, value)


def total(intervals: list[Interval]) -> Interval:
    """The sum; nothing adds up to zero."""
    return Interval(math.fsum(i.low for i in intervals), math.fsum(i.high for i in intervals))


ZERO: Final = exact(0.0)
ONE: Final = exact(1.0)
#: Not known, but a magnitude: never below nothing.
UNKNOWN: Final = Interval(0.0, math.inf)
#: Not known, and either sign is possible.
ANYTHING: Final = Interval(-math.inf, math.inf)


def least(intervals: Sequence[Interval | None]) -> Interval | None:
    """The smaller of several at each end; None if there is none, or one is not known."""
    known = [i for i in intervals if i is not None]
    if not known or len(known) < len(intervals):
        return None
    return Interval(min(i.low for i in known), min(i.high for i in known))


#: Points of a piecewise linear curve, in order.
Points = tuple[tuple[float, float], ...]


def along(curve: Points, x: float) -> float:
    """A curve at x, held level beyond its ends."""
    if x <= curve[0][0]:
        return curve[0][1]
    for (x0, y0), (x1, y1) in pairwise(curve):
        if x <= x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return curve[-1][1]


def read_off(curve: Points, at: Interval) -> Interval:
    """Every value of a curve over an interval."""
    inside = [y for x, y in curve if at.low <= x <= at.high]
    reached = [along(curve, at.low), along(curve, at.high), *inside]
    return Interval(min(reached), max(reached))


def _less(a: float, b: float) -> float:
    return -math.inf if a == b == math.inf else a - b


def _over(a: float) -> float:
    return 0.0 if math.isinf(a) else 1 / a


@lru_cache(maxsize=4096)
def read(text: str, dimension: units.Dimension, *, binary: bool = False) -> Interval:
    """Text such as `1.6 kW` or `560..590 W` as an interval in base units; raises `ValueError`.

    RAM and GPU memory are `binary`: a GB of them is a GiB, and a thousand of anything is 1024.
    """
    example = _EXAMPLES.get(dimension, f"1 {units.BASE[dimension]}")
    # With fewer than three digits behind it a comma is a point.
    plain = re.sub(r"(?<=\d),(?=\d{1,2}(?!\d))", ".", text[: LONGEST + 1])
    found = _TEXT.fullmatch(plain.strip()) if len(text) <= LONGEST else None
    if not found:
        raise ValueError(f"'{text[:40]}' is not a quantity; write it like '{example}'")
    unit = found["unit"] or ""
    try:
        factor, has = units.lookup(unit)
    except LookupError:
        raise ValueError(f"there is no unit '{unit}'; write it like '{example}'") from None
    if has != dimension:
        was = f"'{unit}' is {units.describe(has)}" if unit else "there is no unit"
        needed = f"{units.describe(dimension)} is needed; write it like '{example}'"
        raise ValueError(f"{was} where {needed}")
    factor = 1024.0 ** round(math.log(factor, 1024)) if binary else factor
    begin = units.BEGINS.get(unit.lower(), 0.0)
    low, high = ((float(n) - begin) * factor for n in (found["low"], found["high"] or found["low"]))
    if low > high:
        raise ValueError(f"'{text}' runs backwards; write the smaller number first")
    spread = float(found["tolerance"] or 0) / 100
    return Interval(low - abs(low) * spread, high + abs(high) * spread)


def number_text(value: float) -> str:
    """A number for people: enough digits to check by hand, no more.

    >>> number_text(1582.04), number_text(0.0456), number_text(2.0)
    ('1,582', '0.046', '2')
    """
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    size = abs(value)
    digits = next(d for d, above in ((0, 100), (1, 10), (2, 1), (3, 0)) if size >= above)
    text = f"{value:,.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def ends_text(value: Interval) -> str:
    """An interval without its unit: one number, or its two ends where they read differently.

    >>> ends_text(Interval(560.0, 590.0)), ends_text(Interval(1582.04, 1582.1))
    ('560–590', '1,582')
    """
    low, high = number_text(value.low), number_text(value.high)
    return low if low == high else f"{low}–{high}"


def written(value: Interval) -> str:
    """An interval without its unit, as files have it.

    >>> written(Interval(0.7, 0.77)), written(exact(1582.04))
    ('0.7..0.77', '1582')
    """
    return ends_text(value).replace(",", "").replace("–", "..")


def percent(share: Interval) -> str:
    """A share of a whole for people.

    >>> [percent(Interval(*ends)) for ends in ((0.86, 0.86), (0.7, 0.71), (1.2, math.inf))]
    ['86 %', '70–71 %', 'at least 120 %']
    """
    if math.isinf(share.high):
        return f"at least {100 * share.low:.0f} %" if share.low > 0 else "not known"
    low, high = f"{100 * max(share.low, 0.0):.0f}", f"{100 * share.high:.0f}"
    return f"{low} %" if low == high else f"{low}–{high} %"


def show(value: Interval, dimension: units.Dimension) -> str:
    """An interval for people: `1,582 W`, `560–590 W`, or that it is not known."""
    unit = units.BASE.get(dimension, "").replace("degC", "°C")
    tail = f" {unit}" if unit else ""
    if value.is_exact:
        return number_text(value.low) + tail
    if math.isinf(value.high):
        return "not known" if value.low <= 0 else f"at least {number_text(value.low)}{tail}"
    if value.low in (-math.inf, 0.0):
        return f"at most {number_text(value.high)}{tail}"
    return ends_text(value) + tail


def read_any(text: str) -> tuple[Interval | str, units.Dimension | None]:
    """A limit of a rule: a quantity with its dimension, or else a code.

    >>> read_any("250 W")[0], read_any("DDR4")
    (Interval(low=250.0, high=250.0), ('DDR4', None))
    """
    found = _TEXT.fullmatch(text.strip())
    if found:
        try:
            _, dimension = units.lookup(found["unit"] or "")
            return read(text, dimension), dimension
        except LookupError:
            pass
    return text.strip(), None
