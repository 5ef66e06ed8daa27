"""The units people write, each as a factor to a base unit of its dimension.

A dimension is a vector of exponents over `AXES`; watts, amperes and millimetres are base units, so
a volt is a watt per ampere. `units.txt` defines them, and pint, which takes a quarter of a second
to start, compiles it when it has changed.
"""

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

from buildcheck import store

#: Money is of one currency at a time, which is kept with the number.
AXES = (
    *("power", "current", "length", "data", "time", "temperature", "mass"),
    *("airflow", "energy", "arithmetic", "money"),
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
ARITHMETIC = _dim(arithmetic=1)  # floating-point operations per second
MONEY = _dim(money=1)  # of a currency that the build states: no unit, and never converted
INTENSITY = _dim(mass=1, energy=-1)  # given off to make a kilowatt-hour of electricity

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

#: Where a scale begins that does not at 0 °C.
BEGINS = {"degf": 32.0, "°f": 32.0}
FILE = Path(__file__).with_name("units.txt")


@cache
def accepted() -> dict[str, tuple[float, Dimension]]:
    """The factor of each unit to the base unit of its dimension, and the dimension, by names."""
    found = store.cached("units", store.key_of(FILE.read_text(encoding="utf-8")), compiled)
    return {name: (factor, tuple(dimension)) for name, (factor, dimension) in found.items()}


def compiled() -> dict[str, tuple[float, Dimension]]:
    """What pint makes of the definitions of `units.txt`."""
    import pint  # only when they have changed

    registry: pint.UnitRegistry[float] = pint.UnitRegistry(str(FILE))
    units = {"": (1.0, NUMBER)}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        name, _, *more = line.split(" = ") if line[:1] not in ("", "#") else ("", "")
        if name:
            base: Any = registry.Quantity(1.0, name).to_root_units()
            exponents = {axis.strip("[]"): int(n) for axis, n in base.dimensionality.items()}
            unit = (float(base.magnitude), _dim(**exponents))
            units |= {other.replace("_per_", "/"): unit for other in (name, *more)}
    return units


def lookup(name: str) -> tuple[float, Dimension]:
    """Factor to the base unit, and dimension. `LookupError` if there is no such unit.

    >>> lookup("kW")[0]
    1000.0
    """
    unit = accepted().get(name) or _in_small_letters().get(name)
    if unit is None:
        raise LookupError(name)
    return unit


@cache
def _in_small_letters() -> dict[str, tuple[float, Dimension]]:
    """Units that are no others in small letters, by those: `120w`, `64gb`."""
    alike = Counter(name.lower() for name in accepted())
    return {n.lower(): unit for n, unit in accepted().items() if alike[n.lower()] == 1}


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
