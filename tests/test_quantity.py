"""Quantities: how they are read, refused, shown and calculated; units against those of pint."""

import math
import re

import pint
import pytest
from cases import plain, span
from conftest import each_row, table
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from buildcheck import units
from buildcheck.logic.quantity import (
    ANYTHING,
    UNKNOWN,
    ZERO,
    Interval,
    exact,
    number_text,
    read,
    read_any,
    show,
    total,
)
from buildcheck.model import values as v

INF = math.inf


@each_row
def test_powers_are_read(text, low, high) -> None:
    """Numbers, ranges and tolerances come out in watts."""
    found = read(text, units.POWER)
    assert (found.low, found.high) == pytest.approx((low, high))


@each_row
def test_other_dimensions_are_read(text, dimension, value) -> None:
    assert read(text, getattr(units, dimension)).low == pytest.approx(value)


@each_row
def test_what_is_no_quantity_is_refused(text) -> None:
    """The sentence shows how to write one and quotes no more than a line."""
    with pytest.raises(ValueError, match="write it like '300 W'") as caught:
        read(text, units.POWER)
    assert len(str(caught.value)) < 150


@each_row
def test_a_wrong_dimension_or_order_is_refused(text, why) -> None:
    """Also a number without a unit, where one is needed."""
    with pytest.raises(ValueError, match=why):
        read(text, units.POWER)


@given(
    low=st.integers(0, 10_000),
    width=st.integers(0, 10_000),
    tolerance=st.none() | st.integers(0, 100),
    unit=st.sampled_from(["W", "kW", "mW"]),
)
@settings(max_examples=60)
def test_what_is_written_lies_within_what_is_read(low, width, tolerance, unit) -> None:
    """Both ends of a range, whatever the unit and the tolerance."""
    factor = {"W": 1.0, "kW": 1000.0, "mW": 0.001}[unit]
    tail = "" if tolerance is None else f" ±{tolerance} %"
    found = read(f"{low}..{low + width} {unit}{tail}", units.POWER)
    assert found.low <= low * factor <= (low + width) * factor <= found.high * (1 + 1e-12)
    assert math.isfinite(found.high)


@each_row
def test_a_limit_is_a_quantity_or_else_a_code(text, value, dimension) -> None:
    """Limits of rules say by their unit what they are."""
    wanted = (exact(value), getattr(units, dimension)) if dimension else (value, None)
    assert read_any(text) == wanted


Draw, Power, Length = (v.QUANTITIES[name] for name in ("Draw", "Power", "Length"))


class Thing(BaseModel):
    draw: Draw | None = None
    power: Power | None = None
    length: Length | None = None
    cores: v.Number | None = None
    lanes: v.Count | None = None
    thickness: v.Thickness | None = None
    plugs: v.Counts | None = None
    curve: v.Curve | None = None
    share: v.Share | None = None
    parameters: v.Billions | None = None
    truth: v.Truth | None = None


@each_row
def test_absurd_values_are_refused(field, value, words) -> None:
    """No part draws nothing, a megawatt or half a core."""
    with pytest.raises(ValidationError) as caught:
        Thing(**{field: value})
    assert words in str(caught.value)


@each_row
def test_values_are_read(field, value, found) -> None:
    """Slots are 20.32 mm apart and a card leaves 1.6 mm free; a zero is a statement where it can be one."""
    assert plain(getattr(Thing(**{field: value}), field), 6) == found


@pytest.mark.parametrize("text", ["200 %", "2 radian", "2 byte"])
def test_a_count_has_no_unit(text) -> None:
    """Nothing is counted in percent, angles or bytes."""
    with pytest.raises(ValidationError):
        Thing(cores=text)


@each_row
def test_numbers_have_as_many_digits_as_can_be_checked(value, text) -> None:
    """Three or so that mean something, and no zeros behind the point."""
    assert number_text(value) == text


@given(st.floats(1e-2, 1e12))
def test_a_shown_number_is_near_the_number(value) -> None:
    """Never off by more than one in twenty, nor by more than a half above ten."""
    shown = float(number_text(value).replace(",", ""))
    assert abs(shown - value) <= max(0.0005, min(0.005, 0.05 * value) if value < 10 else 0.5)


@each_row
def test_intervals_are_shown_for_people(value, dimension, text) -> None:
    """What nobody knows is said to be so."""
    assert show(span(value), getattr(units, dimension)) == text


POINT = st.floats(-1e6, 1e6).map(lambda x: 0.0 if abs(x) < 1e-6 else x)


@st.composite
def with_a_point(draw, points=POINT):
    """An interval and a number in it; an end may be infinite."""
    a, b, c = sorted(draw(st.tuples(points, points, points)))
    low = -INF if draw(st.integers(0, 5)) == 0 and points is POINT else a
    high = INF if draw(st.integers(0, 5)) == 0 else c
    return Interval(low, high), b


def holds(interval: Interval, point: float) -> bool:
    slack = 1e-9 * max(1.0, abs(point))
    return interval.low - slack <= point <= interval.high + slack


@given(with_a_point(), with_a_point())
@settings(max_examples=300)
def test_results_hold_every_combination_of_points(one, other) -> None:
    """Sum, difference, product and quotient of points lie in those of the intervals."""
    (a, x), (b, y) = one, other
    assert holds(a + b, x + y)
    assert holds(a - b, x - y)
    assert holds(a * b, x * y)
    assert holds(a.hull(b), x)
    assert holds(a.hull(b), y)
    assert holds(total([a, b, a]), x + y + x)
    if y:
        assert holds(a / b, x / y)


@given(with_a_point(), with_a_point())
@settings(max_examples=300)
def test_no_result_is_nonsense(one, other) -> None:
    (a, _), (b, _) = one, other
    for result in (a + b, a - b, a * b, a / b, a.hull(b)):
        assert result.low <= result.high


WIDE = [UNKNOWN, ANYTHING, ZERO, exact(1), Interval(5, INF), Interval(-INF, -5), Interval(-1, 1)]


@pytest.mark.parametrize("a", WIDE)
@pytest.mark.parametrize("b", WIDE)
def test_what_is_not_known_stays_sound(a, b) -> None:
    for result in (a + b, a - b, a * b, a / b):
        assert result.low <= result.high


@each_row
def test_quotients_worked_by_hand(a, b, expected) -> None:
    """A divisor that may be nothing leaves the quotient open, at one end or at both."""
    found, wanted = span(a) / span(b), span(expected)
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high))


def test_nothing_times_the_unknown_is_nothing() -> None:
    """No sockets of an unknown rating carry no power."""
    assert ZERO * UNKNOWN == ZERO
    assert ZERO * ANYTHING == ZERO


def test_the_sum_of_nothing_is_zero() -> None:
    assert total([]) == ZERO


def test_known_and_exact_are_told_apart() -> None:
    told = [(i.is_exact, i.is_known) for i in (exact(3), Interval(3, 4), UNKNOWN, ANYTHING)]
    assert told == [(True, True), (False, True), (False, False), (False, False)]


# -- units ---------------------------------------------------------------


#: How pint spells the units of the table that it calls by another name.
SPELT = table("quantity", "spelt")
#: One unit of each axis, as pint names it; data is counted in bits there.
AXES = table("quantity", "axes")


@pytest.fixture(scope="module")
def registry() -> pint.UnitRegistry:
    return pint.UnitRegistry()


@pytest.mark.parametrize("name", [n for n in units.accepted() if not n.startswith(("°", "deg"))])
def test_the_definitions_agree_with_those_of_pint(name, registry) -> None:
    """Factor and dimension of every unit but those of temperature."""
    factor, dimension = units.accepted()[name]
    unit = registry.parse_units(re.sub(r"/s$", "/second", SPELT.get(name, name)))
    base = registry.Quantity(1.0, "dimensionless")
    for axis, exponent in zip(units.AXES, dimension, strict=True):
        if exponent:
            base *= registry.Quantity(1.0, registry.parse_units(AXES[axis])) ** exponent
    assert unit.is_compatible_with(base.units)
    assert factor == pytest.approx(registry.Quantity(1.0, unit).to(base.units).magnitude, rel=1e-12)


def test_every_dimension_of_the_table_has_a_base_unit() -> None:
    for _, dimension in units.accepted().values():
        assert units.accepted()[units.BASE[dimension]] == (1.0, dimension)


@each_row
def test_an_expression_as_a_unit_is_refused(name) -> None:
    """It never reaches pint, which evaluates what it is given."""
    if name in units.accepted():
        assert name == ""
        return
    with pytest.raises(LookupError):
        units.lookup(name)


@each_row
def test_a_unit_of_no_dimension_in_use_is_refused(name) -> None:
    with pytest.raises(LookupError):
        units.lookup(name)


def test_pint_starts_only_to_compile(monkeypatch) -> None:
    units.accepted.cache_clear()
    units.lookup("W")
    monkeypatch.setattr(pint, "UnitRegistry", None)
    units.accepted.cache_clear()
    assert units.lookup("horsepower")[1] == units.POWER
    with pytest.raises(LookupError):
        units.lookup("watz")


@pytest.mark.parametrize(("name", "factor"), [("gigabyte", 1.0), ("kB", 1e-6)])
def test_names_of_data_are_data(name, factor) -> None:
    """`24 gigabyte` is memory, not a number."""
    assert units.lookup(name) == (pytest.approx(factor), units.DATA)


def test_products_and_quotients_of_dimensions() -> None:
    """A volt is a watt for each ampere; watts less volts times amperes leave a number."""
    assert units.multiply(units.VOLTAGE, units.CURRENT) == units.POWER
    assert units.multiply(units.POWER, units.CURRENT, -1) == units.VOLTAGE
    assert units.multiply(units.POWER, units.POWER, -1) == units.NUMBER
    assert units.multiply(units.DATA, units.TIME, -1) == units.RATE


def test_dimensions_have_words() -> None:
    """Messages speak of power and length, not of exponents."""
    area = units.multiply(units.LENGTH, units.LENGTH)
    assert units.describe(units.VOLTAGE) == "voltage"
    assert units.describe(area) == "length · length"
    assert units.describe(units.RATE) == "data / time"
    assert units.describe(units.multiply(units.NUMBER, units.TIME, -1)) == "1 / time"
