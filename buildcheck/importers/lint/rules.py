"""The rules of part files, `rules/part/<kind>.yaml`: what could not be true of such a part."""

import re
from collections.abc import Iterator
from dataclasses import field as default
from functools import cache
from itertools import combinations
from typing import Any

from buildcheck.logic.quantity import Interval, read_any
from buildcheck.model.kinds import DECLARED
from buildcheck.model.rule import Rule
from buildcheck.model.vocabulary import shipped
from buildcheck.units import Dimension

#: A term that depends on a word or number: `connector_power[word]`.
_LOOKED_UP = re.compile(r"(\w+)\[(\w+)\]")
_TEXTS = ("require", "when", "message", "fix", "field", "each")
_NO_TERMS = {*_TEXTS, "unless", "sums", "why", "source"}


class PartRule(Rule):
    """A claim about values of a part, and the field that is doubtful where it does not hold.

    Without a claim it speaks of a fact that is known only where something is wrong.
    """

    field: str = ""
    #: Facts of which none is known, or true, wherever it applies.
    unless: tuple[str, ...] = ()
    #: The list whose items it is about, one by one.
    each: str = ""
    #: Sums: a list, and what is added up of its items.
    sums: dict[str, tuple[str, str]] = default(default_factory=dict)
    #: Terms that are looked up: a table, and the name of the word.
    looked_up: dict[str, tuple[str, str]] = default(default_factory=dict)


def word_list(name: str) -> dict[str, Any]:
    """What is stated of a closed list of words."""
    found: dict[str, Any] = shipped("rules", "part/shared")["lists"].get(name, {})
    return found


@cache
def table(name: str) -> dict[Any, tuple[Interval, Dimension]]:
    """A table of quantities, each with its dimension, by word or whole number; empty if none."""
    values = shipped("rules", "part/shared")["tables"].get(name, {"values": {}})["values"]
    return {int(k) if k.isdigit() else k: read_any(str(v)) for k, v in values.items()}  # type: ignore[misc]


def _stated(kind: str, what: str) -> Iterator[Any]:
    """A key of the file of a kind, after those of the kinds whose fields it has."""
    for other in DECLARED[kind].get("of", ()):
        yield from _stated(other, what)
    if what in (found := shipped("rules", f"part/{kind}")):
        yield found[what]


@cache
def by_field(kind: str, what: str) -> dict[str, Any]:
    """The `bounds`, `choices` or `words` of a kind, by field."""
    return {field: value for found in _stated(kind, what) for field, value in found.items()}


@cache
def part_rules(kind: str) -> tuple[PartRule, ...]:
    """The rules of a kind: bounds, choices and orders first."""
    rows = [_bound_row(field, *row) for field, row in by_field(kind, "bounds").items()]
    choices = by_field(kind, "choices").items()
    rows += [row for field, given in choices for row in _choice_rows(field, *given)]
    orders = (row for found in _stated(kind, "orders") for row in found)
    rows += [row for *fields, why in orders for row in _order_rows(fields, why)]
    rows += [row for found in _stated(kind, "rules") for row in found]
    return tuple(_rule(kind, row) for row in rows + shipped("rules", "part/any")["rules"])


def _rule(kind: str, row: dict[str, Any]) -> PartRule:
    """A rule of plain data; every further key is a term."""
    terms = {n: str(v) for n, v in row.items() if n not in _NO_TERMS}
    looked_up = {n: found.groups() for n, v in terms.items() if (found := _LOOKED_UP.fullmatch(v))}
    texts: dict[str, Any] = {name: " ".join(row.get(name, "").split()) for name in _TEXTS}
    return PartRule(
        **texts,
        id=f"part/{kind}/{row.get('field') or row['each']}",
        applies_to=f"part/{kind}",
        why=row.get("why", ""),
        unless=tuple(row.get("unless", ())),
        sums={n: tuple(of) for n, of in row.get("sums", {}).items()},
        terms={n: {"value": v} for n, v in terms.items() if n not in looked_up},
        looked_up=looked_up,  # type: ignore[arg-type]
    )


def _bound_row(field: str, bounds: str, why: str) -> dict[str, Any]:
    """The least and most that is built."""
    claim = f"{field}.low >= bounds.low and {field}.high <= bounds.high"
    message = f"{{{field}}} is outside {{bounds}}: {why}"
    return {"field": field, "require": claim, "message": message, "bounds": bounds}


def _choice_rows(field: str, choices: list[float], why: str) -> Iterator[dict[str, Any]]:
    """The numbers that either end of a field may have."""
    terms = {f"c{number}": one for number, one in enumerate(choices)}
    message = f"there is no {{{field}}}: {why}"
    for end in ("low", "high"):
        claim = " or ".join(f"{field}.{end} == {name}" for name in terms)
        yield {"field": field, "require": claim, "message": message, **terms}


def _order_rows(fields: list[str], why: str) -> Iterator[dict[str, Any]]:
    """Each field is at most the next one that is known."""
    for (place, less), (far, more) in combinations(enumerate(fields), 2):
        yield {
            "field": less,
            "require": f"{less}.low <= {more}.low and {less}.high <= {more}.high",
            "unless": fields[place + 1 : far],
            "message": f"{{{less}}} is above {more}, {{{more}}}: {why}",
            "fix": "Check whether the two are mixed up",
        }
