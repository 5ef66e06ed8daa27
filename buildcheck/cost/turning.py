"""The money of a judged build in another currency, by rates that somebody gives."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from buildcheck.measure import measure
from buildcheck.model.graph import Graph
from buildcheck.model.money import Money

if TYPE_CHECKING:
    from buildcheck.model.finding import Report
    from buildcheck.model.graph import Subject
    from buildcheck.model.part import Sourced
    from buildcheck.model.rate import Rates

#: The money of a build that is reckoned with, by whose it is.
_MONEY = {"circuit": ("electricity_price",), "cost": ("machine", "hourly_price")}


def turned(report: Report, rates: Rates) -> Report:
    """The same build with its money in the currency of the rates, where they say how much it is."""
    if not rates:
        return report
    graph = report.graph
    changed = [_turned(graph.the(kind), names, rates) for kind, names in _MONEY.items()]
    tried = Graph({**graph.subjects, **{s.id: s for s in changed}}, graph.edges)
    return replace(report, graph=tried, facts=measure(tried))


def _turned(subject: Subject, names: tuple[str, ...], rates: Rates) -> Subject:
    own = {n: in_currency(subject.facts[n], rates) for n in names if n in subject.facts}
    return replace(subject, facts={**subject.facts, **own})


def in_currency(sourced: Sourced, rates: Rates) -> Sourced:
    """A price with its source, turned."""
    value = sourced.value
    how = rates.money if isinstance(value, Money) else rates.tariff
    return sourced._replace(value=how(value))
