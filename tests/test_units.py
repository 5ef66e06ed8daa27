"""The definitions of units against those of pint, and what is no unit."""

import re

import pint
import pytest
from conftest import each_row, table

from buildcheck import units

#: How pint spells the units of the table that it calls by another name.
SPELT = table("units", "spelt")
#: One unit of each axis, as pint names it; data is counted in bits there.
AXES = table("units", "axes")


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
    """And the base unit has factor one."""
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
