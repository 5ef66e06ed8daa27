"""Which rented machines do the work of a build, and how many of them, by estimated speed.

Speeds are those of `speed`, at 16 bit for language models, of as many separate jobs as there are
cards. Rented machines are paid for by the hour, so a part of one is a part of its hours.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from buildcheck.catalog import NameUnknownError
from buildcheck.cost.turning import in_currency
from buildcheck.facts.speed import Compared, Work, compare
from buildcheck.measure import measure
from buildcheck.model.graph import Graph
from buildcheck.model.part import Source, Sourced
from buildcheck.model.quantity import Interval, exact
from buildcheck.speed.ranking import KINDS, Speeds

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from buildcheck.catalog import Catalog
    from buildcheck.facts.speed import Speed
    from buildcheck.model.finding import Report
    from buildcheck.model.graph import Subject
    from buildcheck.model.money import Tariff
    from buildcheck.model.part import Part
    from buildcheck.model.rate import Rates

KIND = "cloud-instance"
#: By which fact a limit costs speed, for each use.
_LIMITED = {"training": "gpu.limited_speed", "inference": "gpu.limited_serving_speed"}
#: Where a number comes from that nobody stated.
ESTIMATED = Source("the estimated speed of the cards", "", "derived")


class Rented(NamedTuple):
    """A machine to rent that does the work of a build.

    `work` is how many of it do as much by estimate, and `is_same` whether its cards bear the same
    chip as those of the build.
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
    """What is rented in place of a build: `one` of it, stated or chosen, and all that could be."""

    one: Rented | None
    is_chosen: bool
    offers: tuple[Rented, ...]


def renting(report: Report, rates: Rates, paid: set[str]) -> tuple[Report, Renting]:
    """The same build with a rented machine and how many do its work, where speeds say so.

    What the file states stands; one machine that it names does the work unless the estimate rules
    that out. Without a word about renting that with the same cards is chosen, the cheapest for the
    work, or else the cheapest with cards of as much memory; none that may be taken away meanwhile,
    and none in another currency than what owning is `paid` in.
    """
    facts, subject = report.facts, report.graph.the("cost")
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
    return _with(report, subject, _said(one, found)), found


def _said(one: Rented, found: Renting) -> dict[str, Sourced]:
    """What of a rented machine is said to the facts of a build."""
    is_one = not found.is_chosen and one.is_like_one
    number = exact(1.0 if is_one else one.work.usual)
    said = {"instances": Sourced(number, ESTIMATED, ESTIMATED.confidence, "")}
    if found.is_chosen:
        said["cloud"] = Sourced(one.part.name, ESTIMATED, ESTIMATED.confidence, "")
        said["hourly_price"] = one.price
    return said


def _with(report: Report, subject: Subject, said: Mapping[str, Sourced]) -> Report:
    """The build with more said of its cost; what it states itself stands over that."""
    changed = replace(subject, facts={**said, **subject.facts})
    graph = report.graph
    tried = Graph({**graph.subjects, changed.id: changed}, graph.edges)
    return replace(report, graph=tried, facts=measure(tried))


def _chosen(offers: tuple[Rented, ...], report: Report, paid: set[str]) -> Rented | None:
    """The cheapest of the same cards, or else of others that hold as much."""
    needed = [report.facts("gpu.memory", card) for card in report.graph.of("gpu")]
    fitting = [
        one
        for one in offers
        if not (paid - {one.tariff.currency})
        and not _interrupts(one.part)
        and (one.is_same or _holds(one, needed, report))
    ]
    return min(fitting, key=_cheapest, default=None)


def _cheapest(one: Rented) -> tuple[bool, float, str]:
    return not one.is_same, one.rent.low, one.part.id


def _interrupts(part: Part) -> bool:
    found = part.facts.get("interruptible")
    return found is not None and found.value is True


def _holds(one: Rented, needed: list[Interval | None], report: Report) -> bool:
    """Has each of its cards as much memory as any of the build's, as far as is known?"""
    card = _card(one.part, report.catalog) if report.catalog else None
    memory = card and card.facts.get("memory")
    if not memory or None in needed:
        return False
    return all(own is not None and memory.value.low >= own.low for own in needed)


def _card(part: Part, catalog: Catalog | None) -> Part | None:
    """The card or module of a rented machine; None if nothing goes by its name."""
    named = part.facts.get("gpu")
    if named is None or catalog is None:
        return None
    for kind in KINDS:
        try:
            return catalog.part(catalog.find(kind, named.value))
        except NameUnknownError:
            continue
    return None


def _offers(report: Report, catalog: Catalog, rates: Rates) -> Iterator[Rented]:
    """Every rented machine whose price and speed beside the build are known, the cheapest first."""
    rented = [catalog.part(i) for i in catalog.ids(KIND)]
    cards = {part.id: card for part in rented if (card := _card(part, catalog))}
    speeds = Speeds(catalog, (card.id for card in cards.values()))
    use = "inference" if report.facts("workload.kind") == "inference" else "training"
    found = []
    for part in rented:
        price, count = part.facts.get("hourly_price"), part.facts.get("gpu_count")
        if part.id not in cards or price is None or count is None:
            continue
        other = speeds.of(cards[part.id].id, Work(use))
        work = other and _work(report, other, speeds, Work(use), count.value.low)
        if work:
            own = {report.facts("gpu.speeds", c).get(Work(use)) for c in report.graph.of("gpu")}
            found.append(Rented(part, in_currency(price, rates), work, own == {other}))
    yield from sorted(found, key=lambda one: (one.rent.low, one.part.id))


def _work(
    report: Report, other: Speed, speeds: Speeds, work: Work, cards: float
) -> Compared | None:
    """How many machines with so many such cards do what those of a build do together."""
    usual, low, high = 0.0, 0.0, 0.0
    for card in report.graph.of("gpu"):
        speed: Speed | None = report.facts("gpu.speeds", card).get(work)
        share: Interval | None = report.facts(_LIMITED[work.use], card)
        if speed is None or share is None:
            return None
        each = compare(speed, other, speeds.spread(work))
        usual += each.usual * (share.low + share.high) / 2
        low, high = low + each.range.low * share.low, high + each.range.high * share.high
    if usual <= 0:
        return None
    return Compared(usual / cards, Interval(low / cards, high / cards))
