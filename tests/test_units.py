"""The table of units against pint, and what happens to units that are not in it."""

from __future__ import annotations

import pint
import pytest
from conftest import table

from buildcheck import units

#: How pint spells the units of the table that it calls by another name.
SPELT = table("units", "spelt")
#: One unit of each axis, as pint names it; data is counted in bits there.
AXES = table("units", "axes")


@pytest.fixture(scope="module")
def registry() -> pint.UnitRegistry:
    return pint.UnitRegistry()


@pytest.mark.parametrize("name", [n for n in units.UNITS if n[:1] != "°" and n[:3] != "deg"])
def test_the_table_agrees_with_pint(name, registry) -> None:
    """Factor and dimension of every unit but those of temperature."""
    factor, dimension = units.UNITS[name]
    unit = registry.parse_units(SPELT.get(name, name).replace("/s", "/second"))
    base = registry.Quantity(1.0, "dimensionless")
    for axis, exponent in zip(units.AXES, dimension, strict=True):
        if exponent:
            base *= registry.Quantity(1.0, registry.parse_units(AXES[axis])) ** exponent
    assert unit.is_compatible_with(base.units)
    assert factor == pytest.approx(registry.Quantity(1.0, unit).to(base.units).magnitude, rel=1e-12)


def test_every_dimension_of_the_table_has_a_base_unit() -> None:
    """And the base unit has factor one."""
    for _, dimension in units.UNITS.values():
        assert units.UNITS[units.BASE[dimension]] == (1.0, dimension)


@pytest.mark.parametrize(
    ("name", "factor", "dimension"),
    [
        ("ft", 304.8, units.LENGTH),
        # 550 foot-pounds a second
        ("horsepower", 745.7, units.POWER),
        ("kilowatt", 1000, units.POWER),
        ("pound", 0.45359237, units.MASS),
        ("µm", 0.001, units.LENGTH),
        ("millivolt", 0.001, units.VOLTAGE),
    ],
)
def test_a_unit_that_is_not_in_the_table_is_found_through_pint(name, factor, dimension) -> None:
    """Rarely written units work as well."""
    assert name not in units.UNITS
    found = units.lookup(name)
    assert found[0] == pytest.approx(factor, rel=1e-4)
    assert found[1] == dimension


@pytest.mark.parametrize(
    "name",
    [
        *("W*2", "W**2", "9**9**7", "W/s", "2W", "W + W", "W W", "(W)", "watt*1e9", "W;x"),
        *("__import__('os')", "W.real", "W[0]", "", " W", "W\n", "'W'", "°"),
    ],
)
def test_an_expression_as_a_unit_is_refused(name, monkeypatch) -> None:
    """It never reaches pint, which reckons with what it is given."""
    monkeypatch.setattr(pint, "UnitRegistry", None)
    if name in units.UNITS:
        assert name == ""
        return
    with pytest.raises(LookupError):
        units.lookup(name)


@pytest.mark.parametrize(
    "name",
    [
        # No unit at all, or one whose scale has another zero.
        *("wat", "Ah", "kelvin", "lambda", "inf", "nan"),
        # A frequency is no rate of data: a link of `10 GHz` is refused.
        *("hertz", "rpm"),
        # 20 dBm are a tenth of a watt, not twenty times one dBm.
        *("dBm", "decibel"),
    ],
)
def test_a_unit_of_no_dimension_in_use_is_refused(name) -> None:
    with pytest.raises(LookupError):
        units.lookup(name)


def test_pint_starts_once(monkeypatch) -> None:
    """A file of a thousand misspelt units does not take minutes."""
    starts = []
    real = pint.UnitRegistry
    monkeypatch.setattr(pint, "UnitRegistry", lambda *a, **k: starts.append(1) or real(*a, **k))
    for name in ("watz", "wats"):
        with pytest.raises(LookupError):
            units.lookup(name)
    assert len(starts) <= 1


@pytest.mark.parametrize(("name", "factor"), [("gigabyte", 1.0), ("kB", 1e-6)])
def test_data_that_is_not_in_the_table_is_data(name, factor) -> None:
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
