"""Recipes: which facts a record of a source has, as a table of expressions says.

A recipe has `patterns` of names (`p.NAME`), pieces with a name (`let`), what drops a record, and
for each fact an expression and what speaks against its value, by reason. Expressions are Jinja2's.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from functools import cache
from math import log2
from types import SimpleNamespace
from typing import Any

from jinja2 import Environment, StrictUndefined, Template, UndefinedError, select_autoescape

from buildcheck.importers.open_data.rows import DroppedError, Facts, pattern, valid

_ENVIRONMENT = Environment(
    autoescape=select_autoescape((), default_for_string=False), undefined=StrictUndefined
)

Names = dict[str, Any]


@cache
def _compiled(text: str) -> Template:
    return _ENVIRONMENT.from_string(f"{{% set it = ({text}) %}}")


def value(text: str, names: Names) -> Any:
    """What an expression comes to. Raises `LookupError` if something in it is not there."""
    template = _compiled(text)
    context = template.new_context(names, shared=True)
    try:
        list(template.root_render_func(context))
    except UndefinedError as error:
        raise LookupError(str(error)) from None
    if isinstance(context.vars["it"], StrictUndefined):
        raise LookupError(f"{text} is not there")
    return context.vars["it"]


class Recipe:
    """How the facts of a record are made."""

    def __init__(self, table: dict[str, Any], tables: dict[str, Any]) -> None:
        self.table, self.kind = table, table["kind"]
        compiled = {name: pattern(text) for name, text in table.get("patterns", {}).items()}
        self._words = {**TOOLS, **tables, "p": SimpleNamespace(**compiled)}
        self._facts: dict[str, tuple[str, dict[str, str]]] = {
            name: (made, {}) if isinstance(made, str) else made
            for name, made in table.get("facts", {}).items()
        }
        self.fields = tuple(self._facts)

    def names(self, record: Names) -> Names:
        """The names that expressions about a record have. Raises `LookupError` and others."""
        found = self._words | record
        for name, text in self.table.get("let", {}).items():
            found[name] = value(text, found)
        return found

    def holds(self, claim: str, **asked: Any) -> bool:
        """Does a claim of the table hold? Without one it does not."""
        return claim in self.table and bool(value(self.table[claim], self._words | asked))

    def facts(self, record: Names, gated: Counter[str]) -> Facts:
        """What is believed of a record; values that are not are counted. Raises `DroppedError`."""
        names, facts = self.names(record), Facts()
        for reason, text in self.table.get("drop", {}).items():
            if value(text, names):
                raise DroppedError(reason)
        names["facts"] = facts
        for name, (text, doubts) in self._facts.items():
            found = value(text, names)
            if found is None or found == "":
                continue
            reason = next((r for r, doubt in doubts.items() if value(doubt, names)), None)
            if reason is None:
                facts[name] = found
            else:
                gated[f"{name}: {reason}"] += 1
        return valid(self.kind, facts, gated)


def recipes(said: dict[str, Any]) -> dict[str, Recipe]:
    """The recipes of a source that has several, by category."""
    return {name: Recipe(table, said["tables"]) for name, table in said["categories"].items()}


def first(wanted: re.Pattern[str], text: str) -> str | None:
    """What a pattern, or its group, finds first in a text."""
    found = wanted.search(text)
    return found[min(wanted.groups, 1)] if found else None


def figures(wanted: re.Pattern[str], *texts: str) -> set[float]:
    """The figures of a pattern in texts; a second group is their unit, of which TB is a thousand.

    >>> sorted(figures(pattern(r"([0-9.]+) ?(TB|GB)"), "1.5TB", "480 GB"))
    [480.0, 1500.0]
    """
    every = (found for text in texts for found in wanted.finditer(text))
    return {float(m[1]) * (1000 if m[m.re.groups].upper() == "TB" else 1) for m in every}


def fitting(table: dict[str, Any], text: str) -> Any:
    """The entry of the first pattern that is in a text."""
    return next((entry for wanted, entry in table.items() if re.search(wanted, text)), None)


def outlets(
    table: dict[str, tuple[str, float]], counted: Iterable[tuple[int | str, str]]
) -> tuple[dict[str, int], float]:
    """Plugs and the watts they carry, of counts of a table's words."""
    plugs: dict[str, int] = {}
    carried = 0.0
    for count, word in counted:
        plug, watts = table[word]
        plugs[plug] = plugs.get(plug, 0) + int(count)
        carried += watts * int(count)
    return plugs, carried


def splits(groups: Iterable[Collection[str]], words: set[str]) -> bool:
    """Do words have a part of a group without the rest?"""
    return any(not words.isdisjoint(group) and not words.issuperset(group) for group in groups)


def socket(word: str) -> str:
    """A socket in the words of the catalogue.

    >>> socket("LGA 1151v2"), socket("2 x LGA 2011-3 Narrow"), socket("sTR4")
    ('LGA1151', 'LGA2011-3', 'TR4')
    """
    bare = re.sub(r"^\d x ", "", word).replace("LGA ", "LGA")
    bare = bare.removesuffix("v2").removesuffix(" Narrow")
    return "" if bare.startswith("Integrated") else {"sTR4": "TR4"}.get(bare, bare)


def measured(value: float, unit: str) -> str:
    """A quantity as part files write it; empty if it is zero, which means not known."""
    return f"{value:g} {unit}" if value else ""


#: What expressions can call.
TOOLS: dict[str, Any] = {
    made.__name__: made
    for made in (
        *(abs, any, bool, filter, float, int, len, list, log2, map, max, min, round, set, sorted),
        *(str, first, figures, fitting, outlets, splits, socket, measured),
    )
} | {
    "whole": lambda value: int(value) or None,
    "near": lambda figures, value, off: any(abs(figure - value) <= off for figure in figures),
    "nonzero": lambda counts: {word: count for word, count in counts.items() if count},
}
