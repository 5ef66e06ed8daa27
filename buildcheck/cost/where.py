"""Where a machine whose electricity has no price could stand, by its outlet."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.catalog import Catalog
    from buildcheck.model.finding import Report


class Where(NamedTuple):
    """What is said of the place of a machine, and what follows from it; empty is not said.

    `found_in` are the countries that have its outlet, `priced` those of them (or of all, where no
    outlet is named) for which the catalogue knows a price of electricity.
    """

    country: str
    outlet: str
    found_in: tuple[str, ...]
    priced: tuple[str, ...]


def where(report: Report) -> Where | None:
    """The place of a machine whose electricity has no price; None where it has one."""
    catalog, facts = report.catalog, report.graph.the("circuit").facts
    if catalog is None or "electricity_price" in facts:
        return None
    country, outlet = (facts[n].value if n in facts else "" for n in ("country", "outlet"))
    part_id = catalog.find("outlet", outlet) if outlet else ""
    places = [one for one in _countries(catalog) if not part_id or part_id in one.outlets]
    return Where(
        country=country,
        outlet=catalog.part(part_id).name if part_id else "",
        found_in=tuple(one.name for one in places) if part_id else (),
        priced=tuple(one.name for one in places if one.is_priced),
    )


class _Country(NamedTuple):
    name: str
    outlets: frozenset[str]
    is_priced: bool


def _countries(catalog: Catalog) -> Iterator[_Country]:
    """Every country with the ids of its outlets."""
    for part_id in sorted(catalog.ids("country")):
        part = catalog.part(part_id)
        names = {part.facts["outlet"].value} if "outlet" in part.facts else set()
        names |= part.facts["outlets"].value if "outlets" in part.facts else set()
        outlets = frozenset(catalog.find("outlet", name) for name in names)
        yield _Country(part.name, outlets, "electricity_price" in part.facts)
