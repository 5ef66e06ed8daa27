"""Which rented machines do the work of a build, and how many of them, by estimated speed.

Speeds are those of `speed`, at 16 bit for language models, of one job per GPU. Rented machines are
paid by the hour, so a part of one is a part of its hours.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from buildcheck.catalog import Catalog, NameUnknownError
from buildcheck.facts.speed import Compared, Work
from buildcheck.logic.quantity import Interval, exact
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
    """A machine to rent: `work` is how many of it do the work of a build, by estimate.

    `is_same` is whether its GPUs have the chip of those in the build.
    """

    part: Part
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
    facts = report.facts
    named, own = facts("cost.cloud"), facts("cost.hourly_price")
    if report.catalog is None:
        return report, Renting(None, is_chosen=False, offers=())
    offers = tuple(_offers(report, report.catalog, rates))
    if named is None and own is not None:
        return report, Renting(None, is_chosen=False, offers=offers)
    if named is not None:
        part_id = report.catalog.find(KIND, named)
        one = next((offer for offer in offers if offer.part.id == part_id), None)
    else:
        one = _chosen(offers, report, paid)
    found = Renting(one, is_chosen=named is None and one is not None, offers=offers)
    if one is None:
        return report, found
    changed = {"cost": {**_facts(one, found), **report.graph.the("cost").facts}}
    return with_facts(report, changed), found


def _facts(one: Rented, found: Renting) -> dict[str, Sourced]:
    """What a rented machine adds to the facts of a build."""
    is_one = not found.is_chosen and one.is_like_one
    number = exact(1.0 if is_one else one.work.usual)
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
        and (one.is_same or _holds(one, needed, report))
    ]
    return min(fitting, key=lambda o: (not o.is_same, o.rent.low, o.part.id), default=None)


def _holds(one: Rented, needed: list[Interval | None], report: Report) -> bool:
    """Has each of its GPUs at least the memory of any GPU of the build?"""
    gpu = _gpu(one.part, report.catalog) if report.catalog else None
    memory = gpu and gpu.value("memory")
    if not memory or None in needed:
        return False
    return all(own is not None and memory.low >= own.low for own in needed)


def _gpu(part: Part, catalog: Catalog | None) -> Part | None:
    """The GPU of a rented machine; None if it is not in the catalogue."""
    named = part.value("gpu")
    if named is None or catalog is None:
        return None
    for kind in KINDS:
        try:
            return catalog.part(catalog.find(kind, named))
        except NameUnknownError:
            continue
    return None


def _offers(report: Report, catalog: Catalog, rates: Rates) -> Iterator[Rented]:
    """Every rented machine with a known price and speed, the most similar first."""
    rented = [catalog.part(i) for i in catalog.ids(KIND)]
    gpus = {part.id: gpu for part in rented if (gpu := _gpu(part, catalog))}
    speeds = Speeds(catalog, (gpu.id for gpu in gpus.values()))
    use = "inference" if report.facts("workload.kind") == "inference" else "training"
    found = []
    for part in rented:
        price, count = part.facts.get("hourly_price"), part.value("gpu_count")
        if part.id not in gpus or price is None or count is None:
            continue
        other = speeds.of(gpus[part.id].id, Work(use))
        done = other and together(report.graph.of("gpu"), Work(use), report.facts, other)
        if done and done.usual > 0:
            each = count.low
            work = Compared(done.usual / each, done.range / exact(each))
            own = {report.facts("gpu.speeds", c).get(Work(use)) for c in report.graph.of("gpu")}
            found.append(Rented(part, convert(price, rates), work, own == {other}))
    yield from sorted(
        found,
        key=lambda o: (not o.is_same, round(abs(math.log(o.work.usual)), 6), o.rent.low, o.part.id),
    )
