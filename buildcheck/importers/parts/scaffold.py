"""A part file to fill in: every field of its kind, those that rules need most first."""

from __future__ import annotations

import re
import unicodedata
from itertools import chain
from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.errors import InputError, Problem
from buildcheck.importers.parts.answer import FieldToFill, PartFileAnswer
from buildcheck.model import values as v
from buildcheck.model.kinds import KINDS, declared
from buildcheck.model.part import CONFIDENCE
from buildcheck.model.source import scalar
from buildcheck.model.strict import Field, marks
from buildcheck.rulebook.needs import rules_by_field

if TYPE_CHECKING:
    from buildcheck.rulebook import Rulebook


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


def part_file_answer(
    kind: str, name: str, part_id: str | None, rulebook: Rulebook
) -> PartFileAnswer:
    """The fields of a part file. Raises `InputError` where name or id cannot be used."""
    needed, fields = rules_by_field(rulebook, kind), KINDS[kind].model_fields
    found = [
        FieldToFill(
            field,
            info.description or field.replace("_", " "),
            _example(kind, field, info),
            tuple(needed.get(field, ())),
        )
        for field, info in fields.items()
    ]
    found.sort(key=lambda field: (-len(field.rules), field.name))
    return PartFileAnswer(_id(kind, name, part_id), scalar(name), tuple(found), CONFIDENCE)


def _example(kind: str, field: str, info: Field) -> str:
    """How a value of a field may look in a part file."""
    if "example" in declared(kind, field):
        return str(declared(kind, field)["example"])
    inner: tuple[Any, ...] = getattr(info.annotation, "__args__", ())
    shaped = next((text for shape, text in _SHAPES if shape in inner), "")
    measured = (_QUANTITIES[m.dimension] for m in marks(info) if isinstance(m, v.Measure))
    words = (codes[0] for codes in map(v.choices, marks(info)) if codes)
    return shaped or next(chain(measured, words, ["a word"]))


def _id(kind: str, name: str, part_id: str | None) -> str:
    """The id given, or one made from the name. Raises `InputError`."""
    if not name.strip() or not name.isprintable():
        raise InputError([Problem("NAME", 0, 0, "a part needs a name of letters and digits")])
    if part_id is None:
        plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
        maker, _, model = re.sub(r"[^a-z0-9]+", "-", plain).strip("-").partition("-")
        part_id = f"{kind}/{maker}/{model or maker}"
        message = f"no id can be made from '{name}'"
    else:
        message = f"'{part_id}' is no id of a {kind}"
    if not re.fullmatch(rf"{kind}(/[a-z0-9][a-z0-9.-]*)+", part_id):
        advice = f"Write it in small letters, digits and hyphens: {kind}/maker/model"
        raise InputError([Problem("--id", 0, 0, message, advice)])
    return part_id
