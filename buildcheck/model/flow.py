"""Data as YAML in one line, and how the value of a field may look in a file."""

import re
from functools import lru_cache
from itertools import chain
from typing import Any

from buildcheck import units
from buildcheck.model import values as v
from buildcheck.model.kinds import declared
from buildcheck.model.source import read, scalar
from buildcheck.model.strict import Field, marks
from buildcheck.model.vocabulary import vocabulary

#: Marks a value that a build file leaves open.
TO_FILL_IN = "..."


@lru_cache(maxsize=4096, typed=True)
def word(value: str | float, *, in_brackets: bool = True) -> str:
    """A text, number or truth in one line, in quotes where the reader needs them."""
    if isinstance(value, float):
        return re.sub(r"(\.\d+?)0+$", r"\1", f"{value:.9f}")
    if not isinstance(value, str):
        return str(value).lower()
    for written in (value, f"'{value}'") if value.isprintable() else ():
        if in_brackets:
            is_read = reads(f"[{{k: {written}, {written}: 1}}]", [{"k": value, value: 1}])
        else:
            is_read = reads(f"- k: {written}\n", [{"k": value}])
        if is_read:
            return written
    return scalar(value, quoted=True)


def reads(written: str, data: Any) -> bool:
    """Is a text read as that data?"""
    found = read(written.encode(), "")
    return not found.problems and bool(found.data == data)


def flow(value: Any) -> str:
    """Data in one line that may be inside brackets."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{word(k)}: {flow(v)}" for k, v in value.items()) + "}"
    return f"[{', '.join(map(flow, value))}]" if isinstance(value, list) else word(value)


def example(kind: str, field: str, info: Field) -> str:
    """How a value of a field may look in a part file."""
    if "example" in declared(kind, field):
        return str(declared(kind, field)["example"])
    inner: tuple[Any, ...] = getattr(info.annotation, "__args__", ())
    known = vocabulary("examples")
    types = {**vars(v), **v.QUANTITIES}
    shaped = (text for name, text in known["types"].items() if types[name] in inner)
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
