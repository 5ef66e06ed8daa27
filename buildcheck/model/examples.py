"""How the value of a field may look in a file."""

from __future__ import annotations

import re
from itertools import chain
from typing import Any

from buildcheck import units
from buildcheck.model import values as v
from buildcheck.model.flow import flow
from buildcheck.model.kinds import declared
from buildcheck.model.source import read
from buildcheck.model.strict import Field, marks
from buildcheck.model.vocabulary import vocabulary

#: Marks a value that a build file leaves open.
TO_FILL_IN = "..."


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


def form(kind: str, field: str, info: Field) -> str:
    """How a value is written, or the words it may be: an example without its own values.

    `300 W` is of the form `... W`, and `[ATX, microATX]` of `[...]`.
    """
    choices = next(filter(None, map(v.choices, marks(info))), ())
    text = example(kind, field, info)
    if choices or text == "true":
        return " or ".join(choices or ("true", "false"))
    return flow(_emptied(read(f"[{text}]".encode(), "").data[0]))


def _emptied(data: Any, *, is_entry: bool = False) -> Any:
    """Data with `...` for each value, and for names that are no fields of an entry of a list."""
    if isinstance(data, list):
        return [_emptied(data[0], is_entry=True)]
    if isinstance(data, dict):
        return {key if is_entry else TO_FILL_IN: _emptied(value) for key, value in data.items()}
    return re.sub(r"^[\d.]+( [A-Za-z/]+)?$|.+", rf"{TO_FILL_IN}\1", str(data), count=1)
