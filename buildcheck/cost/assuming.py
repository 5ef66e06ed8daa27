"""A judged build under other prices: options stand over its file, and nothing is judged anew."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from buildcheck.measure import measure
from buildcheck.model.build import Cost, Site, Workload
from buildcheck.model.graph import Graph, Subject
from buildcheck.model.part import USER, Source, Sourced
from buildcheck.told import read_told

if TYPE_CHECKING:
    from collections.abc import Mapping

    from buildcheck.catalog import Catalog
    from buildcheck.model.finding import Report

_TOLD = Source("the command line", "", "given")
#: Options by the section whose fields they are.
OF_SITE = ("country", "electricity_price", "carbon_intensity")
OF_WORK = ("use",)
OF_COST = ("machine", "years", "wall_power", "cloud", "hourly_price", "instances")
#: What of a country counts for cost, wherever the machine is plugged in.
_OF_COUNTRY = ("electricity_price", "carbon_intensity")
#: Two ways to say what is rented: who says one does not mean the other.
_RENTS = ("cloud", "hourly_price")


def assuming(report: Report, told: Mapping[str, Any]) -> Report:
    """The same build with what is `told`, by the names of fields; its findings stay as they are.

    Raises `InputError` where something told cannot be used.
    """
    said = {name: value for name, value in told.items() if value is not None}
    catalog = report.catalog
    if not said or catalog is None:
        return report
    graph = report.graph
    site, work, cost = (graph.the(kind) for kind in ("circuit", "workload", "cost"))
    changed = (
        replace(site, facts=_site(site, _of(OF_SITE, said), catalog)),
        replace(work, facts={**work.facts, **_given(Workload, _of(OF_WORK, said), catalog)}),
        replace(cost, facts=_cost(cost, _of(OF_COST, said), catalog)),
    )
    tried = Graph({**graph.subjects, **{s.id: s for s in changed}}, graph.edges)
    return replace(report, graph=tried, facts=measure(tried))


def _of(names: tuple[str, ...], said: Mapping[str, Any]) -> dict[str, Any]:
    return {name: said[name] for name in names if name in said}


def _given(model: Any, said: Mapping[str, Any], catalog: Catalog) -> dict[str, Sourced]:
    named = [name for name in ("country", "cloud") if name in said]
    found = read_told(model, said, catalog, named)
    return {name: Sourced(v, _TOLD, USER.confidence, "") for name, v in found.items()}


def _site(site: Subject, said: Mapping[str, Any], catalog: Catalog) -> dict[str, Sourced]:
    """A country brings its price and its grid, and takes those of the file away."""
    given = _given(Site, said, catalog)
    if "country" not in given:
        return {**site.facts, **given}
    own = catalog.part(catalog.find("country", given["country"].value)).facts
    kept = {name: value for name, value in site.facts.items() if name not in _OF_COUNTRY}
    brought = {name: own[name] for name in _OF_COUNTRY if name in own}
    return {**kept, **brought, **given}


def _cost(cost: Subject, said: Mapping[str, Any], catalog: Catalog) -> dict[str, Sourced]:
    """What is stated and told, with what the rented machine adds."""
    given = _given(Cost, said, catalog)
    own = {name: value for name, value in cost.facts.items() if value.source == USER}
    if set(_RENTS) & set(given):
        own = {name: value for name, value in own.items() if name not in _RENTS}
    return catalog.fill(Cost, {**own, **given})
