"""The units people write, each as a factor to a base unit of its dimension.

A dimension is a vector of exponents over `AXES`; watts, amperes and millimetres
are base units, so a volt is a watt per ampere. The table holds what build files,
part files and rules use every day. A unit that is not in it is looked up in pint,
which takes a quarter of a second to start and is therefore imported only then;
`tests/test_units.py` holds the table against pint.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pint

#: Airflow, energy and arithmetic are axes of their own: they are never multiplied out of lengths
#: and times, and the units people use for them (CFM, kWh, TFLOPS) are not products of the other
#: base units. Money is of one currency at a time, which is kept with the number.
AXES = (
    "power",
    "current",
    "length",
    "data",
    "time",
    "temperature",
    "mass",
    "airflow",
    "energy",
    "arithmetic",
    "money",
)
Dimension = tuple[int, ...]

NUMBER: Dimension = (0,) * len(AXES)


def _dim(**exponents: int) -> Dimension:
    return tuple(exponents.get(axis, 0) for axis in AXES)


POWER = _dim(power=1)
CURRENT = _dim(current=1)
VOLTAGE = _dim(power=1, current=-1)
LENGTH = _dim(length=1)
DATA = _dim(data=1)
RATE = _dim(data=1, time=-1)
TIME = _dim(time=1)
TEMPERATURE = _dim(temperature=1)
MASS = _dim(mass=1)
AIRFLOW = _dim(airflow=1)
ENERGY = _dim(energy=1)
#: Floating-point operations per second.
ARITHMETIC = _dim(arithmetic=1)
#: Of a currency that the build states: no unit, and never turned into another.
MONEY = _dim(money=1)
#: What is given off to make a kilowatt-hour of electricity.
INTENSITY = _dim(mass=1, energy=-1)

#: The unit numbers of a dimension are held and shown in.
BASE: dict[Dimension, str] = {
    NUMBER: "",
    POWER: "W",
    CURRENT: "A",
    VOLTAGE: "V",
    LENGTH: "mm",
    DATA: "GB",
    RATE: "GB/s",
    TIME: "s",
    TEMPERATURE: "degC",
    MASS: "kg",
    AIRFLOW: "CFM",
    ENERGY: "kWh",
    ARITHMETIC: "TFLOPS",
    MONEY: "of the currency",
    INTENSITY: "kg/kWh",
}

UNITS: dict[str, tuple[float, Dimension]] = {
    "": (1.0, NUMBER),
    "%": (0.01, NUMBER),
    "W": (1.0, POWER),
    "mW": (1e-3, POWER),
    "kW": (1e3, POWER),
    "VA": (1.0, POWER),
    "kVA": (1e3, POWER),
    "A": (1.0, CURRENT),
    "V": (1.0, VOLTAGE),
    "kV": (1e3, VOLTAGE),
    "mm": (1.0, LENGTH),
    "cm": (10.0, LENGTH),
    "m": (1e3, LENGTH),
    "in": (25.4, LENGTH),
    "inch": (25.4, LENGTH),
    "kB": (1e-6, DATA),
    "megabyte": (1e-3, DATA),
    "gigabyte": (1.0, DATA),
    "terabyte": (1e3, DATA),
    "MB": (1e-3, DATA),
    "GB": (1.0, DATA),
    "TB": (1e3, DATA),
    "MiB": (2**20 / 1e9, DATA),
    "GiB": (2**30 / 1e9, DATA),
    "TiB": (2**40 / 1e9, DATA),
    "MB/s": (1e-3, RATE),
    "GB/s": (1.0, RATE),
    "Gbit/s": (0.125, RATE),
    "Mbit/s": (0.125e-3, RATE),
    "us": (1e-6, TIME),
    "ms": (1e-3, TIME),
    "s": (1.0, TIME),
    "min": (60.0, TIME),
    "h": (3600.0, TIME),
    "degC": (1.0, TEMPERATURE),
    "°C": (1.0, TEMPERATURE),
    "degF": (1 / 1.8, TEMPERATURE),
    "°F": (1 / 1.8, TEMPERATURE),
    "g": (1e-3, MASS),
    "kg": (1.0, MASS),
    "CFM": (1.0, AIRFLOW),
    "m³/h": (1 / (0.3048**3 * 60), AIRFLOW),
    "m3/h": (1 / (0.3048**3 * 60), AIRFLOW),
    "Wh": (1e-3, ENERGY),
    "kWh": (1.0, ENERGY),
    "g/kWh": (1e-3, INTENSITY),
    "kg/kWh": (1.0, INTENSITY),
    "GFLOPS": (1e-3, ARITHMETIC),
    "TFLOPS": (1.0, ARITHMETIC),
    "PFLOPS": (1e3, ARITHMETIC),
}

#: Where a scale begins that does not at 0 °C.
BEGINS = {"degf": 32.0, "°f": 32.0}

_PINT_BASE = {
    "power": "watt",
    "current": "ampere",
    "length": "millimeter",
    "data": "gigabyte",
    "time": "second",
    "temperature": "degC",
    "mass": "kilogram",
}


def lookup(name: str) -> tuple[float, Dimension]:
    """Factor to the base unit, and dimension. `LookupError` if there is no such unit.

    >>> lookup("kW")[0]
    1000.0
    """
    return UNITS.get(name) or _in_small_letters().get(name) or _from_pint(name)


@cache
def _in_small_letters() -> dict[str, tuple[float, Dimension]]:
    """Units that are no others in small letters, by those: `120w`, `64gb`."""
    alike = Counter(name.lower() for name in UNITS)
    return {n.lower(): unit for n, unit in UNITS.items() if alike[n.lower()] == 1}


#: Dimensions for which pint is asked. Data and plain numbers are one to it, and offset
#: scales do not reduce to a factor.
_ASKED = (POWER, CURRENT, VOLTAGE, LENGTH, TIME, MASS)


@cache
def _registry() -> pint.UnitRegistry[float]:
    import pint  # a quarter of a second, and rarely needed

    return pint.UnitRegistry()


@cache
def _from_pint(name: str) -> tuple[float, Dimension]:
    """Ask pint about a plain unit name; never hand it an expression to evaluate."""
    plain = name.replace("µ", "u")
    if not (plain.isascii() and plain.isidentifier()):
        raise LookupError(name)
    registry = _registry()
    try:
        unit = registry.Unit(name)
        for dimension in _ASKED:
            base = registry.Unit("")
            for axis, exponent in zip(AXES, dimension, strict=True):
                if exponent:
                    base *= registry.Unit(_PINT_BASE[axis]) ** exponent
            if unit.is_compatible_with(base):
                factor, double = (registry.Quantity(n, unit).m_as(base) for n in (1.0, 2.0))
                if math.isclose(double, 2 * factor):
                    return float(factor), dimension
    except Exception:  # noqa: BLE001 - whatever pint makes of a word, it is no unit here
        raise LookupError(name) from None
    raise LookupError(name)


def multiply(a: Dimension, b: Dimension, sign: int = 1) -> Dimension:
    """The dimension of a product, or of a quotient with `sign=-1`."""
    return tuple(x + sign * y for x, y in zip(a, b, strict=True))


def describe(dimension: Dimension) -> str:
    """Words for a dimension in a message: `power`, `length`, `power / current`.

    >>> describe(POWER), describe(NUMBER)
    ('power', 'number')
    """
    if dimension == VOLTAGE:
        return "voltage"
    over = [a for a, n in zip(AXES, dimension, strict=True) for _ in range(n)]
    under = [a for a, n in zip(AXES, dimension, strict=True) for _ in range(-n)]
    text = " · ".join(over) or ("number" if not under else "1")
    return " / ".join([text, *under])
