"""Which rented machines do the work of a build, and how many of them, by estimated speed.

Speeds are those of `speed`, at 16 bit for language models, of one job per GPU. Rented machines are
paid by the hour, so a part of one is a part of its hours.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

from buildcheck.catalog import Catalog
from buildcheck.facts.speed import Compared, Work
from buildcheck.logic.quantity import ZERO, Interval, exact
from buildcheck.model.finding import Report
from buildcheck.model.money import Tariff
from buildcheck.model.part import Part, Source, Sourced
from buildcheck.model.rate import Rates
from buildcheck.purchasing.cost.scenario import convert, with_facts
from buildcheck.workload.speed.machine import together
from buildcheck.workload.speed.ranking import KINDS, Speeds

KIND = "cloud-instance"
_ESTIMATED = Source("the estimated speed of the GPUs", "", "derived")


class Rented(NamedTuple):
    """A machine to rent and its GPU; `work` is how many do the work of a build, by estimate.

    `is_same` is whether its GPUs have the chip of those in the build.
    """

    part: Part
    gpu: Part
    price: Sourced
    work: Compared
    is_same: bool

    @property
    def tariff(self) -> Tariff:
        """Money for an hour of one."""
        found: Tariff = self.price.value
        return found

    @property
    def rent(self) -> Interval:
        """Money for an hour of the build's work, in the currency of the price."""
        return self.tariff.each * exact(self.work.usual)

    @property
    def is_like_one(self) -> bool:
        """Does the estimate leave open that one of it does just as much?"""
        return self.work.range.low <= 1 <= self.work.range.high


class Renting(NamedTuple):
    """What is rented in place of a build, stated or chosen, and all offers, most similar first."""

    one: Rented | None
    is_chosen: bool
    offers: tuple[Rented, ...]


def renting(report: Report, rates: Rates, paid: set[str]) -> tuple[Report, Renting]:
    """The build with a rented machine and how many do its work, where speeds are known.

    What the file states is kept; one machine that it names does the work unless the estimate rules
    that out. Where nothing is stated, the cheapest with the same GPUs is chosen, else the cheapest
    whose GPUs have as much memory; none that may be interrupted, and none in another currency
    than those `paid`.
    """
    facts, catalog = report.facts, report.catalog
    named, own = facts("cost.cloud"), facts("cost.hourly_price")
    offers = tuple(_offers(report, catalog, rates)) if catalog else ()
    if named is not None:
        part_id = catalog and catalog.find(KIND, named)
        one = next((offer for offer in offers if offer.part.id == part_id), None)
    else:
        one = _chosen(offers, report, paid) if own is None else None
    found = Renting(one, is_chosen=named is None and one is not None, offers=offers)
    if one is None:
        return report, found
    changed = {"cost": {**_facts(one, found), **report.graph.the("cost").facts}}
    return with_facts(report, changed), found


def _facts(one: Rented, found: Renting) -> dict[str, Sourced]:
    """What a rented machine adds to the facts of a build."""
    number = exact(1.0 if one.is_like_one and not found.is_chosen else one.work.usual)
    own = {"instances": Sourced(number, _ESTIMATED, _ESTIMATED.confidence, "")}
    if found.is_chosen:
        own["cloud"] = Sourced(one.part.name, _ESTIMATED, _ESTIMATED.confidence, "")
        own["hourly_price"] = one.price
    return own


def _chosen(offers: tuple[Rented, ...], report: Report, paid: set[str]) -> Rented | None:
    """The cheapest with the same GPUs, else with others of as much memory."""
    needed = [report.facts("gpu.memory", gpu) for gpu in report.graph.of("gpu")]
    fitting = [
        one
        for one in offers
        if not (paid - {one.tariff.currency})
        and one.part.value("interruptible") is not True
        # A GPU has at least the memory of any GPU of the build.
        and (
            one.is_same
            or all(own and (one.gpu.value("memory") or ZERO).low >= own.low for own in needed)
        )
    ]
    return min(fitting, key=lambda o: (not o.is_same, o.rent.low, o.part.id), default=None)


def _gpu(part: Part, catalog: Catalog) -> Part | None:
    """The GPU of a rented machine; None if it is not in the catalogue."""
    named = part.value("gpu")
    ids = (catalog.known(kind, named) for kind in KINDS if named)
    return next((catalog.part(found) for found in ids if found), None)


def _offers(report: Report, catalog: Catalog, rates: Rates) -> Iterator[Rented]:
    """Every rented machine with a known price and speed, the most similar first."""
    rented = [(part, _gpu(part, catalog)) for part in map(catalog.part, catalog.ids(KIND))]
    speeds = Speeds(catalog, (gpu.id for _, gpu in rented if gpu))
    use = Work("inference" if report.facts("workload.kind") == "inference" else "training")
    gpus, found = report.graph.of("gpu"), []
    for part, gpu in rented:
        price, count = part.facts.get("hourly_price"), part.value("gpu_count")
        if gpu is None or price is None or count is None:
            continue
        other = speeds.of(gpu.id, use)
        done = other and together(gpus, use, report.facts, other)
        if done and done.usual > 0:
            work = Compared(done.usual / count.low, done.range / exact(count.low))
            own = {report.facts("gpu.speeds", one).get(use) for one in gpus}
            found.append(Rented(part, gpu, convert(price, rates), work, own == {other}))
    yield from sorted(
        found,
        key=lambda o: (not o.is_same, round(abs(math.log(o.work.usual)), 6), o.rent.low, o.part.id),
    )
