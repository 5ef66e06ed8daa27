"""What a quote says of itself, in words and figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from buildcheck.bill import Column
#: What a quote can say of itself, in the order it is shown.
TERMS = (
    *("everything on it", "everything on it with tax (reckoned)"),
    *("parts that all quotes offer", "parts that all quotes offer with tax (reckoned)"),
    *("shipping", "includes", "excludes"),
    *("date", "valid until", "lead time", "warranty", "payment", "contact", "lacks"),
)


def terms(column: Column) -> list[tuple[str, str]]:
    """Its terms by name; those it does not state are left out."""
    until = str(column.valid_until or "")
    words = (
        " and ".join(map(str, column.whole)),
        " and ".join(map(str, column.with_tax)),
        str(column.common or ""),
        str(column.common_with_tax or ""),
        str(column.shipping or ""),
        ", ".join(column.includes),
        ", ".join(column.excludes),
        str(column.date or ""),
        f"{until} (expired)" if column.is_expired else until,
        column.lead_time,
        column.warranty,
        column.payment,
        column.contact,
        ", ".join(column.lacks) or "nothing",
    )
    return [(name, said) for name, said in zip(TERMS, words, strict=True) if said]


def stated(columns: Iterable[Column]) -> list[str]:
    """The names of the terms that any of several quotes states, in order."""
    found = {name for column in columns for name, _ in terms(column)}
    return [name for name in TERMS if name in found]


def figures(column: Column) -> str:
    """The same in one line."""
    return "; ".join(f"{name} {words}" for name, words in terms(column))
