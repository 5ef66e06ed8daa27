"""Where a machine whose electricity has no price could be, by its outlet."""

from buildcheck.catalog import Catalog
from buildcheck.model.finding import Report
from buildcheck.model.frozen import Frozen
from buildcheck.model.part import Part


class Location(Frozen):
    """The stated country and outlet, empty if not stated.

    `found_in` are the countries with that outlet, `priced` those of them (of all, without an
    outlet) with a known price of electricity.
    """

    country: str = ""
    outlet: str = ""
    found_in: tuple[str, ...] = ()
    priced: tuple[str, ...] = ()


def location(report: Report) -> Location | None:
    """The location of a machine whose electricity has no price; None where it has one."""
    catalog, facts = report.catalog, report.graph.the("circuit").facts
    if catalog is None or "electricity_price" in facts:
        return None
    country, outlet = (facts[n].value if n in facts else "" for n in ("country", "outlet"))
    part_id = catalog.find("outlet", outlet) if outlet else ""
    countries = [catalog.part(one) for one in sorted(catalog.ids("country"))]
    places = [one for one in countries if not part_id or part_id in _outlets(one, catalog)]
    return Location(
        country=country,
        outlet=catalog.part(part_id).name if part_id else "",
        found_in=tuple(one.name for one in places) if part_id else (),
        priced=tuple(one.name for one in places if "electricity_price" in one.facts),
    )


def _outlets(country: Part, catalog: Catalog) -> set[str]:
    """The ids of the outlets of a country."""
    names = {country.facts["outlet"].value} if "outlet" in country.facts else set()
    names |= country.facts["outlets"].value if "outlets" in country.facts else set()
    return {catalog.find("outlet", name) for name in names}
