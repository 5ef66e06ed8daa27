"""Bounds, choices and orders of `rules/part/<kind>.yaml` as rules written out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


def bound_row(field: str, bounds: str, why: str) -> dict[str, Any]:
    """The least and most that is built."""
    claim = f"{field} >= bounds.low and {field} <= bounds.high"
    message = f"{{{field}}} is outside {{bounds}}: {why}"
    return {"field": field, "require": claim, "at": "both", "message": message, "bounds": bounds}


def choice_row(field: str, choices: list[float], why: str) -> dict[str, Any]:
    """The numbers that a field may have."""
    terms = {f"c{number}": one for number, one in enumerate(choices)}
    claim = " or ".join(f"{field} == {name}" for name in terms)
    message = f"there is no {{{field}}}: {why}"
    return {"field": field, "require": claim, "at": "both", "message": message, **terms}


def order_rows(fields: list[str], why: str) -> Iterator[dict[str, Any]]:
    """Each field is at most the next one that is known."""
    for place, less in enumerate(fields):
        for far, more in enumerate(fields[place + 1 :], place + 1):
            yield {
                "field": less,
                "require": f"{less} <= {more}",
                "unless": fields[place + 1 : far],
                "at": "both",
                "message": f"{{{less}}} is above {more}, {{{more}}}: {why}",
                "fix": "Check whether the two are mixed up",
            }
