"""How the value of a field may look in a file."""

from __future__ import annotations

from itertools import chain
from typing import Any

from buildcheck import units
from buildcheck.model import values as v
from buildcheck.model.kinds import declared
from buildcheck.model.strict import Field, marks
from buildcheck.model.vocabulary import vocabulary


def example(kind: str, field: str, info: Field) -> str:
    """How a value of a field may look in a part file."""
    if "example" in declared(kind, field):
        return str(declared(kind, field)["example"])
    inner: tuple[Any, ...] = getattr(info.annotation, "__args__", ())
    known = vocabulary("examples")
    shaped = (text for name, text in known["types"].items() if getattr(v, name) in inner)
    dimensions = (m.dimension for m in marks(info) if isinstance(m, v.Measure))
    measured = (known["units"][units.BASE.get(d, "")] for d in dimensions)
    words = (codes[0] for codes in map(v.choices, marks(info)) if codes)
    return str(next(chain(shaped, measured, words, ["a word"])))
