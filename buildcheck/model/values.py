"""The kinds of value a fact can have, as pydantic types.

Each takes what YAML gives and returns what facts compute with: quantities and
counts become intervals, codes stay text, and everything absurd is refused with a
sentence. The bounds are those of sense (no part draws a megawatt), not of policy.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import pairwise
from operator import getitem, or_
from typing import Annotated, Any

from pydantic_core import core_schema

from buildcheck import units
from buildcheck.logic.quantity import Interval, exact, number_text, read
from buildcheck.model.frozen import Frozen
from buildcheck.model.money import Tariff, read_tariff
from buildcheck.model.strict import NEEDED, After, Field, Through
from buildcheck.model.vocabulary import vocabulary


class Measure(Frozen):
    """Marks a field as a quantity, and says of what dimension."""

    dimension: units.Dimension


class Reads(Frozen):
    """Says by which function a field is read, and what it accepts, in words for people.

    Gives pydantic the schema of that one call, so that it need not work out one for
    the type behind: reading the models starts three times as fast.
    """

    function: Callable[[Any], Any]
    words: str

    def __get_pydantic_core_schema__(self, _source: Any, _handler: Any) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(self._taken)

    def _taken(self, value: Any) -> Any:
        return value if isinstance(value, Interval | Tariff | tuple) else self.function(value)


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("needs true or false")
    return value


def _plain(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise ValueError("needs one value, such as '300 W' or 2")
    return str(value)


def _bounded(value: Interval, most: float, dimension: units.Dimension) -> Interval:
    unit = units.BASE[dimension]
    if value.low < 0:
        raise ValueError("cannot be negative")
    if value.high > most:
        raise ValueError(
            f"is beyond anything built; the most accepted is {number_text(most)} {unit}".rstrip()
        )
    return value


def _quantity(
    value: Any, *, dimension: units.Dimension, most: float, zero: bool = True, binary: bool = False
) -> Interval:
    if isinstance(value, list):
        value = "a list"
    result = _bounded(read(_plain(value), dimension, binary=binary), most, dimension)
    return result if zero else _above_zero(result)


def _above_zero(value: Interval) -> Interval:
    if value.low == 0:
        raise ValueError("cannot be zero; leave it out if it is not known")
    return value


_COUNT = re.compile(r"-?[0-9]{1,15}(\s*\.\.\s*-?[0-9]{1,15})?")


def _count(value: Any, *, least: int, most: int) -> Interval:
    if isinstance(value, Interval):
        return value
    text = _plain(value).strip().removesuffix(".0")
    if not _COUNT.fullmatch(text):
        raise ValueError(f"needs a whole number, such as {max(least, 2)}, not '{text[:40]}'")
    result = read(text, units.NUMBER)
    if result.low < least:
        raise ValueError(f"needs to be at least {least}")
    return _bounded(result, most, units.NUMBER)


#: Longest name of anything, and a break within it that is a space.
LONGEST = 300
_BREAKS = re.compile(r"(?<!\n)[ \t]*[\n\t][ \t]*(?!\n)")


def _code(value: Any) -> str:
    if isinstance(value, bool):
        raise ValueError("needs a name; put 'on' and the like in quotes")
    text = _BREAKS.sub(" ", _plain(value).strip())
    if not 0 < len(text) <= LONGEST or not text.isprintable():
        raise ValueError(f"needs one line of at most {LONGEST} printable characters")
    return text


def _codes(value: Any) -> frozenset[str]:
    return frozenset(_code(v) for v in (value if isinstance(value, (list, frozenset)) else [value]))


#: More words than a list of them has.
_MOST_TEXTS = 20


def read_texts(value: Any) -> tuple[str, ...]:
    """A text or a list of some, in order. Raises `ValueError`."""
    items = value if isinstance(value, (list, tuple)) else [value]
    if len(items) > _MOST_TEXTS:
        raise ValueError(f"needs at most {_MOST_TEXTS} entries")
    return tuple(map(_code, items))


def _counts(value: Any) -> dict[str, Interval]:
    if not isinstance(value, dict):
        raise ValueError("needs names and counts, such as {pcie-8-pin: 2}")
    return {_code(k): _count(v, least=0, most=200) for k, v in value.items()}


_RADIATOR = re.compile(r"(\d{3,4})\s*(?:mm)?")
#: Widths of the fans that radiators are made for, in mm.
FANS = (120, 140)


def _radiator(value: Any) -> str:
    """The length of a radiator, which is a row of fans."""
    text = _code(value)
    found = _RADIATOR.fullmatch(text)
    if not found or int(found[1]) > _LONGEST_RADIATOR or all(int(found[1]) % fan for fan in FANS):
        raise ValueError(
            f"needs the size of a radiator, a multiple of 120 or 140 mm such as '360 mm', "
            f"not '{text[:40]}'"
        )
    return text


#: No radiator has more than nine fans in a row.
_LONGEST_RADIATOR = 9 * FANS[1]


def _radiators(value: Any) -> dict[str, Interval]:
    if not isinstance(value, dict):
        raise ValueError("needs counts by size, such as {360 mm: 2}")
    return {_radiator(size): number for size, number in _counts(value).items()}


#: One way to fill a wall of a case, as sizes of radiators.
Way = tuple[str, ...]
_OF_WALL = re.compile(r"(?:([1-9])\s*x\s*)?(\d{3,4}\s*mm)")
#: Every choice of a way for each wall is looked at.
_MOST_WAYS = 1024


def ways(wall: str) -> tuple[Way, ...]:
    """The ways to fill a wall with radiators, of which one is taken. Raises `ValueError`.

    >>> ways("360 mm or 240 mm + 120 mm or 2x 120 mm")
    (('360 mm',), ('240 mm', '120 mm'), ('120 mm', '120 mm'))
    """
    return tuple(tuple(_row(way, wall)) for way in wall.split(" or "))


def _row(way: str, wall: str) -> Iterator[str]:
    for piece in way.split("+"):
        found = _OF_WALL.fullmatch(piece.strip())
        if not found:
            raise ValueError(
                f"needs the ways to fill a wall, such as '360 mm or 240 mm + 120 mm or 3x 120 mm', "
                f"not '{wall[:40]}'"
            )
        yield from [_radiator(found[2])] * int(found[1] or 1)


def _walls(value: Any) -> tuple[str, ...]:
    found = read_texts(value)
    if math.prod(len(ways(wall)) for wall in found) > _MOST_WAYS:
        raise ValueError(f"needs walls that are filled in at most {_MOST_WAYS} ways together")
    return found


def _curve(value: Any, *, most: float = math.inf) -> tuple[tuple[float, float], ...]:
    points: tuple[tuple[float, float], ...] = ()
    if isinstance(value, list) and all(isinstance(p, list) and len(p) == 2 for p in value):  # noqa: PLR2004 - x and y
        points = tuple((_number(x), _number(y)) for x, y in value)
    if not points or any(a[0] >= b[0] for a, b in pairwise(points)):
        raise ValueError("needs points [x, y] with rising x")
    if any(not 0 < y <= most or x < 0 for x, y in points):
        bound = "above zero" if math.isinf(most) else f"above zero and at most {most:g}"
        raise ValueError(f"needs values {bound}")
    return points


def _number(value: Any) -> float:
    return read(_plain(value), units.NUMBER).low


def _measure(of: str, most: float, **how: bool) -> Any:
    dimension: units.Dimension = getattr(units, of)
    reader = partial(_quantity, dimension=dimension, most=most, **how)
    return Annotated[Interval, Reads(reader, units.describe(dimension)), Measure(dimension)]


def _whole(least: int, most: int) -> Reads:
    return Reads(partial(_count, least=least, most=most), "whole number")


#: What is declared of quantities, and of entries of files.
ENTRIES = vocabulary("entries")
#: Quantities by name, each with the most that is accepted of it.
QUANTITIES: dict[str, Any] = {n: _measure(**said) for n, said in ENTRIES["quantities"].items()}
Memory, Capacity = QUANTITIES["Memory"], QUANTITIES["Capacity"]


def _share(value: Any) -> Interval:
    """A part of all the time, such as `15 %`; a plain number of more than 1 is no such part."""
    found = _quantity(value, dimension=units.NUMBER, most=math.inf, zero=True)
    if found.high <= 1:
        return found
    what = f"is {number_text(100 * found.high)} %, which is more than all of the time"
    text = _plain(value).strip()
    meant = f"; did you mean '{text} %'?" if "%" not in text and found.high <= _WHOLE else ""
    raise ValueError(f"{what}{meant}")


#: All of anything, in per cent.
_WHOLE = 100
#: A part of the time that there is.
Share = Annotated[Interval, Reads(_share, "share, such as 15 %"), Measure(units.NUMBER)]
#: What stands behind a number of parameters: how many make a thousand millions.
_SIZES = {"M": 1000.0, "B": 1.0, "T": 0.001}
_SIZE = re.compile(r"(.*\d)\s*([MBT])", re.IGNORECASE)

#: A number as calculators write it, which is one of parameters and not of billions of them.
_CALCULATED = re.compile(r"\d+(\.\d+)?[eE]\+?\d{1,2}")


def _billions(value: Any) -> Interval:
    """`7B`, `350M`, `7e9` or, in thousands of millions, a plain number."""
    if _CALCULATED.fullmatch(_plain(value).strip()):
        billions = float(_plain(value)) / _BILLION
        # As text it may have more digits than were written.
        value = f"{_bounded(exact(billions), _MOST_BILLIONS, units.NUMBER).low:.9f}"
    written = _SIZE.fullmatch(_plain(value).strip())
    text, size = (written[1], _SIZES[written[2].upper()]) if written else (_plain(value), 1.0)
    try:
        number = read(text, units.NUMBER)
    except ValueError as error:
        raise ValueError(str(error).replace("'2'", "'7B'")) from None
    found = Interval(number.low / size, number.high / size)
    return _above_zero(_bounded(found, _MOST_BILLIONS, units.NUMBER))


_MOST_BILLIONS, _BILLION = 100_000, 1e9
#: Parameters of a model, in thousands of millions.
Billions = Annotated[Interval, Reads(_billions, "number, such as 7B"), Measure(units.NUMBER)]


def _price(per: str, example: str) -> Reads:
    return Reads(lambda value: read_tariff(_plain(value), per, example), f"such as {example}")


EnergyPrice = Annotated[Tariff, _price("kWh", "0.12 USD/kWh")]
HourlyPrice = Annotated[Tariff, _price("h", "2.14 USD/h")]


def _thickness(value: Any) -> Interval:
    """Millimetres, or slots: a card of w slots is w pitches less the clearance."""
    text = _plain(value).strip()
    for word in ("slots", "slot"):
        if text.endswith(word):
            slots = _bounded(read(text.removesuffix(word), units.NUMBER), 12, units.NUMBER)
            if slots.low < 1:
                raise ValueError("needs to be at least 1 slot")
            return Interval(*(w * SLOT_PITCH - SLOT_CLEARANCE for w in (slots.low, slots.high)))
    try:
        result = _bounded(read(text, units.LENGTH), 300, units.LENGTH)
    except ValueError as error:
        raise ValueError(str(error).replace("'300 mm'", "'2.5 slots' or '50 mm'")) from None
    return _above_zero(result)


#: Expansion slots are 0.8 inch apart, and a card leaves 1.6 mm of its slots free
#: (PCI Express Card Electromechanical Specification: 20.32 mm pitch).
SLOT_PITCH = 20.32
SLOT_CLEARANCE = 1.6

Thickness = Annotated[
    Interval, Reads(_thickness, "length, or slots such as 2.5 slots"), Measure(units.LENGTH)
]
Count = Annotated[Interval, _whole(0, 10_000), Measure(units.NUMBER)]
Number = Annotated[Interval, _whole(1, 10_000), Measure(units.NUMBER)]
#: Tokens, words and widths of layers.
Width = Annotated[Interval, _whole(1, 10_000_000), Measure(units.NUMBER)]
#: Stages of ZeRO.
Stage = Annotated[Interval, _whole(0, 3), Measure(units.NUMBER)]
#: As many as supplies are checked.
Few = Annotated[Interval, _whole(1, 16), Measure(units.NUMBER)]
Years = Annotated[Interval, _whole(1, 30), Measure(units.NUMBER)]
Lanes = Annotated[Interval, _whole(0, 16), Measure(units.NUMBER)]
Generation = Annotated[Interval, _whole(1, 7), Measure(units.NUMBER)]
Code = Annotated[str, Reads(_code, "text")]
Codes = Annotated[frozenset[str], Reads(_codes, "list of words")]
#: Codes in the order they are written.
Texts = Annotated[tuple[str, ...], Reads(read_texts, "list of words")]
Counts = Annotated[dict[str, Interval], Reads(_counts, "counts by name, such as {pcie-8-pin: 2}")]
#: The size of a radiator, and radiators by their sizes.
Radiator = Annotated[str, Reads(_radiator, "size, such as 360 mm")]
Radiators = Annotated[dict[str, Interval], Reads(_radiators, "counts by size, such as {360 mm: 2}")]
#: The walls of a case with places for radiators, each with the ways to fill it.
Walls = Annotated[tuple[str, ...], Reads(_walls, "list, an entry for each wall")]
#: Shares of a whole, such as an efficiency.
ShareCurve = Annotated[
    tuple[tuple[float, float], ...], Reads(partial(_curve, most=1.0), "points [x, y]")
]
Curve = Annotated[tuple[tuple[float, float], ...], Reads(_curve, "points [x, y]")]
Truth = Annotated[bool, Reads(_truth, "true or false")]


class Ref(Frozen):
    """Marks a field as the name of another part, whose facts fill in this one's."""

    kind: str


def _one(found: Any, *, codes: tuple[str, ...], also: dict[str, str] | None = None) -> Any:
    if isinstance(found, frozenset):
        return frozenset(_one(text, codes=codes, also=also) for text in found)
    words = {code.lower(): code for code in codes} | (also or {})
    if found.lower() not in words:
        raise ValueError(f"needs one of: {', '.join(codes)}")
    return words[found.lower()]


def one_of(*codes: str, also: dict[str, str] | None = None) -> Through:
    """Accepts a few codes and no others, in capitals or not; `also` are other words for them."""
    return After(partial(_one, codes=codes, also=also))


def choices(mark: Any) -> tuple[str, ...]:
    """The codes that `one_of` accepts; empty for any other mark of a field."""
    function = getattr(mark, "func", None)
    found: tuple[str, ...] = function.keywords["codes"] if isinstance(function, partial) else ()
    return found


def declared(
    said: Mapping[str, Any], types: Mapping[str, Any], *, needed: bool = False
) -> dict[str, Field]:
    """Fields of data, whose types are among these or those here; `needed` unless it says more.

    `is` is the type, `many` of it a list, `named` some by name; `among` are the only words.
    """
    found = {}
    for name, one in said.items():
        of = next((one[form] for form in ("is", "many", "named") if form in one), "Code")
        kind: Any = types.get(of) or QUANTITIES.get(of) or globals()[of]
        marks: list[Any] = [one_of(*one["among"], also=one.get("also"))] if "among" in one else []
        marks += [Ref(one["part"])] if "part" in one else []
        kind = getitem(Annotated, (kind, *marks)) if marks else kind
        kind = tuple.__class_getitem__((kind, ...)) if "many" in one else kind
        kind = dict.__class_getitem__((str, kind)) if "named" in one else kind
        is_needed = one.get("needed", needed and "unless" not in one)
        default = NEEDED if is_needed else one.get("unless")
        default = () if default == [] else default
        kind = or_(kind, None) if default is None else kind
        found[name] = Field(kind, default, one.get("says", ""), one.get("key"))
    return found
