"""How the value of a field may look in a file."""

from __future__ import annotations

from itertools import chain
from typing import Any

from buildcheck import units
from buildcheck.model import values as v
from buildcheck.model.kinds import declared
from buildcheck.model.strict import Field, marks

#: How a quantity may look.
_QUANTITIES = {
    units.NUMBER: "2",
    units.POWER: "300 W",
    units.CURRENT: "10 A",
    units.VOLTAGE: "230 V",
    units.LENGTH: "300 mm",
    units.DATA: "24 GB",
    units.RATE: "3.9 GB/s",
    units.TEMPERATURE: "40 degC",
    units.MASS: "1.2 kg",
    units.AIRFLOW: "60 CFM",
    units.ARITHMETIC: "35.6 TFLOPS",
    units.INTENSITY: "380 g/kWh",
}
#: By the type of a field, where no dimension says it.
_SHAPES = (
    (v.Truth, "true"),
    (v.Ratio, "0.9"),
    (v.Curve, "[[0.5, 0.8], [1, 1]]"),
    (v.ShareCurve, "[[0.2, 0.9], [0.5, 0.92], [1, 0.89]]"),
    (v.Counts, "{pcie-8-pin: 2}"),
)


def example(kind: str, field: str, info: Field) -> str:
    """How a value of a field may look in a part file."""
    if "example" in declared(kind, field):
        return str(declared(kind, field)["example"])
    inner: tuple[Any, ...] = getattr(info.annotation, "__args__", ())
    shaped = next((text for shape, text in _SHAPES if shape in inner), "")
    measured = (_QUANTITIES[m.dimension] for m in marks(info) if isinstance(m, v.Measure))
    words = (codes[0] for codes in map(v.choices, marks(info)) if codes)
    return shaped or next(chain(measured, words, ["a word"]))
