"""A judged build in another scenario: other prices, use or currency. Nothing is judged again."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from buildcheck.catalog import Catalog
from buildcheck.errors import InputError, Problem
from buildcheck.measure import measure
from buildcheck.model.build import SECTIONS
from buildcheck.model.finding import Report
from buildcheck.model.graph import Graph, Subject
from buildcheck.model.money import Money
from buildcheck.model.part import USER, Source, Sourced
from buildcheck.model.rate import Rates
from buildcheck.workload.overrides import read_overrides

_OPTIONS = Source("the command line", "", "given")
#: The sections whose fields options are, and the options that name parts.
_SECTIONS, _NAMED = ("site", "workload", "cost"), ("country", "cloud")
#: What of a country counts for cost, wherever the machine is plugged in.
_OF_COUNTRY = ("electricity_price", "carbon_intensity")
#: Two ways to state what is rented; one given replaces both.
_RENTS = ("cloud", "hourly_price")
#: The money of a build, by whose it is.
_MONEY = {"circuit": ("electricity_price",), "cost": ("machine", "hourly_price")}


def with_facts(report: Report, facts: Mapping[str, Mapping[str, Sourced]]) -> Report:
    """The build with other facts of some subjects, by kind; its findings stay as they are."""
    graph = report.graph
    changed = [replace(graph.the(kind), facts=dict(own)) for kind, own in facts.items()]
    other = Graph({**graph.subjects, **{s.id: s for s in changed}}, graph.edges)
    return replace(report, graph=other, facts=measure(other))


def with_overrides(report: Report, options: Mapping[str, Any]) -> Report:
    """The build with options over its fields. Raises `InputError`."""
    given = {name: value for name, value in options.items() if value is not None}
    catalog = report.catalog
    if not given or catalog is None:
        return report
    site, work, cost = _read(given, catalog)
    graph = report.graph
    changed = {
        "circuit": _site(graph.the("circuit"), site, catalog),
        "workload": {**graph.the("workload").facts, **work},
        "cost": _cost(graph.the("cost"), cost, catalog),
    }
    return with_facts(report, changed)


def _read(given: Mapping[str, Any], catalog: Catalog) -> list[dict[str, Sourced]]:
    """The options of each section. Raises `InputError` with all that is wrong."""
    found, problems = [], list[Problem]()
    for section in _SECTIONS:
        model: Any = SECTIONS[section]
        own = {name: value for name, value in given.items() if name in model.model_fields}
        with InputError.added_to(problems):
            values = read_overrides(model, own, catalog, _NAMED)
            found.append({n: Sourced(v, _OPTIONS, USER.confidence, "") for n, v in values.items()})
    InputError.raise_any(problems)
    return found


def _site(site: Subject, given: dict[str, Sourced], catalog: Catalog) -> dict[str, Sourced]:
    """A country replaces price and grid of the file by its own."""
    if "country" not in given:
        return {**site.facts, **given}
    own = catalog.part(catalog.find("country", given["country"].value)).facts
    kept = {name: value for name, value in site.facts.items() if name not in _OF_COUNTRY}
    return {**kept, **{name: own[name] for name in _OF_COUNTRY if name in own}, **given}


def _cost(cost: Subject, given: dict[str, Sourced], catalog: Catalog) -> dict[str, Sourced]:
    """What is stated and given, with what the rented machine adds."""
    own = {name: value for name, value in cost.facts.items() if value.source == USER}
    if set(_RENTS) & set(given):
        own = {name: value for name, value in own.items() if name not in _RENTS}
    return catalog.fill(SECTIONS["cost"], {**own, **given})


def in_currency(report: Report, rates: Rates) -> Report:
    """The build with its money in the currency of the rates, as far as they have one for it."""
    if not rates:
        return report
    changed = {}
    for kind, names in _MONEY.items():
        facts = report.graph.the(kind).facts
        changed[kind] = facts | {n: convert(facts[n], rates) for n in names if n in facts}
    return with_facts(report, changed)


def convert(sourced: Sourced, rates: Rates) -> Sourced:
    """A price with its source, in the currency of the rates."""
    value = sourced.value
    change = rates.money if isinstance(value, Money) else rates.tariff
    return sourced._replace(value=change(value))
