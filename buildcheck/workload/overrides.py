"""Command options that replace fields of a build file: read with the same names and rules."""

from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from typing import Any, TypeVar

from buildcheck.catalog import Catalog, NameUnknownError
from buildcheck.errors import InputError, Problem
from buildcheck.model.strict import Strict
from buildcheck.model.vocabulary import problem

#: A kind of part with at most this many names has all of them listed in an error.
_FEW = 8
#: Characters of a user's text that an error repeats.
_LONGEST = 60
#: How alike a name must be to be suggested.
_LIKE = 0.6
#: The kind of part that a field names, where the field has another name.
_KINDS = {"cloud": "cloud-instance"}
Section = TypeVar("Section", bound="Strict")


def stated_fields(section: Strict | None) -> dict[str, Any]:
    """The fields that a section of a build file states, in the order of the model."""
    if section is None:
        return {}
    given = [name for name in type(section).model_fields if name in section.model_fields_set]
    values = {name: getattr(section, name) for name in given}
    return {name: value for name, value in values.items() if value is not None}


def option_of(field: str) -> str:
    """The option that sets a field: `--kv-heads` for `kv_heads`."""
    return "--for" if field == "kind" else f"--{field.replace('_', '-')}"


def read_overrides(
    model: type[Section], options: Mapping[str, Any], catalog: Catalog, named: Iterable[str]
) -> dict[str, Any]:
    """Options as fields of a section; the `named` fields name parts. Raises `InputError`."""
    from pydantic_core import ValidationError

    given = {name: value for name, value in options.items() if value is not None}
    try:
        found = stated_fields(model.model_validate(given))
    except ValidationError as error:
        raise InputError(
            Problem(option_of(str(one["loc"][0])), 0, 0, one["msg"].removeprefix("Value error, "))
            for one in error.errors(include_url=False)
        ) from None
    problems = [p for n in named if n in found for p in _name_problems(n, found[n], catalog)]
    InputError.raise_any(problems)
    return found


def parse_prices(texts: Iterable[str], problems: list[Problem]) -> dict[str, str]:
    """Prices by part from texts such as `RTX 3090=750 USD`; errors go to `problems`."""
    found: dict[str, str] = {}
    for text in texts:
        name, sign, price = map(str.strip, text.partition("="))
        if not (name and sign and price):
            problems.append(problem("--price", "no-price", text=shortened(text)))
        elif name in found:
            problems.append(problem("--price", "priced-twice", text=shortened(name)))
        else:
            found[name] = price
    return found


def shortened(text: str) -> str:
    """A user's text, cut to what an error repeats of it."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _name_problems(field: str, name: str, catalog: Catalog) -> Iterator[Problem]:
    """What is wrong with the name of a part, with the names it could be."""
    kind = _KINDS.get(field, field)
    try:
        catalog.find(kind, name)
    except NameUnknownError as error:
        names = sorted(i.rpartition("/")[2] for i in catalog.ids(kind))
        near = (
            names
            if len(names) <= _FEW
            else [one for one in error.near if _is_like(name, kind, one, catalog)]
        )
        said: dict[str, Any] = {"what": kind.replace("-", " "), "kind": kind, "name": name}
        code = "no-name-of-kind" if near else "no-name-near"
        yield problem(option_of(field), code, **said, near_names=", ".join(near))


def _is_like(name: str, kind: str, near: str, catalog: Catalog) -> bool:
    """Is a name similar to any name of a part?"""
    rows = [*catalog.index.each(catalog.find(kind, near))]
    known = [near, *(other for _, row in rows for other in row.names)]
    return any(SequenceMatcher(None, name.lower(), n.lower()).ratio() >= _LIKE for n in known)
