"""What options say over a build file: read as its sections are, with the same words."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, TypeVar

from buildcheck.catalog import NameUnknownError
from buildcheck.errors import InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pydantic import BaseModel

    from buildcheck.catalog import Catalog

#: Names that are few enough to be listed whole.
_FEW = 8
#: Of what somebody wrote, so many characters are repeated.
_LONGEST = 60
Section = TypeVar("Section", bound="BaseModel")


def stated(section: BaseModel | None) -> dict[str, Any]:
    """What a section of a build file says, in the order of its fields."""
    if section is None:
        return {}
    said = [name for name in type(section).model_fields if name in section.model_fields_set]
    values = {name: getattr(section, name) for name in said}
    return {name: value for name, value in values.items() if value is not None}


def option(name: str) -> str:
    """The option that says what a field of a section does."""
    return "--for" if name == "kind" else f"--{name.replace('_', '-')}"


def read_told(
    model: type[Section], told: Mapping[str, Any], catalog: Catalog, named: Iterable[str]
) -> dict[str, Any]:
    """Options as the fields of a section; the `named` ones name parts. Raises `InputError`."""
    from pydantic import ValidationError  # noqa: PLC0415 - loaded with the model anyway

    try:
        found = stated(model.model_validate({n: v for n, v in told.items() if v is not None}))
    except ValidationError as error:
        raise InputError(
            Problem(option(str(one["loc"][0])), 0, 0, one["msg"].removeprefix("Value error, "))
            for one in error.errors(include_url=False)
        ) from None
    problems = [p for name in named if name in found for p in _named(name, found[name], catalog)]
    if problems:
        raise InputError(problems)
    return found


def told_prices(texts: Iterable[str], problems: list[Problem]) -> dict[str, str]:
    """Prices of cards such as `RTX 3090=750 USD`, by name; what is wrong goes to `problems`."""
    found: dict[str, str] = {}
    for text in texts:
        name, sign, price = map(str.strip, text.partition("="))
        if not (name and sign and price):
            what = f"'{short(text)}' is no price of a card"
            advice = "Write it as in 'RTX 3090=750 USD'"
            problems.append(Problem("--price", 0, 0, what, advice))
        elif name in found:
            what = f"'{short(name)}' is priced twice"
            problems.append(Problem("--price", 0, 0, what, "Give it once"))
        else:
            found[name] = price
    return found


def short(text: str) -> str:
    """What somebody wrote, as far as it is repeated in an error."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _named(field: str, name: str, catalog: Catalog) -> Iterator[Problem]:
    """What is wrong with the name of a part, and names that could be meant."""
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
        search = f"'buildcheck parts search --kind {kind}' lists them"
        advice = f"Give one of: {', '.join(near)}" if near else search
        what = f"there is no {kind.replace('-', ' ')} '{name}'"
        yield Problem(option(field), 0, 0, what, advice)


def _is_like(name: str, kind: str, near: str, catalog: Catalog) -> bool:
    """May who wrote a name have meant a part near it, by any name that the part goes by?"""
    rows = catalog.index.rows(catalog.find(kind, near))
    known = [near, *(other for _, row in rows for other in row.names)]
    return any(SequenceMatcher(None, name.lower(), n.lower()).ratio() >= _LIKE for n in known)


#: How alike a name is at least that may have been meant.
_LIKE = 0.6
#: The kind of part that a field names, where it is called otherwise.
_KINDS = {"cloud": "cloud-instance"}
