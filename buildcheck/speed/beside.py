"""How fast the cards of a build are beside cards that people know, the build's first being 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from buildcheck.facts.speed import Compared, Speed, Work, compare, spread_of
from buildcheck.proposals import proposals
from buildcheck.speed.ranking import Speeds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from buildcheck.model.finding import Report
    from buildcheck.model.quantity import Interval

#: Kinds of work that are told, the first of which says who is known at all.
WORKS = (Work(), Work(net="vision"), Work("inference"), Work("inference", "8bit"))


class Card(NamedTuple):
    """A card and its speed at each kind of work beside that of the first; None is not known.

    `limited` is its training speed at the limit that the build sets, as a share of full speed, and
    `limit` that limit in W; both None where none is set, and of cards that are not in the build.
    """

    name: str
    is_own: bool
    ratios: Mapping[Work, Compared | None]
    limit: Interval | None = None
    limited: Interval | None = None


def beside(report: Report) -> tuple[Card, ...]:
    """Each model of the build's cards, then those to compare with; none if no speed is known."""
    own: dict[str, dict[Work, Speed]] = {}
    limits: dict[str, tuple[Interval | None, Interval | None]] = {}
    for card in report.graph.of("gpu"):
        own.setdefault(card.name, report.facts("gpu.speeds", card))
        limit = report.facts("gpu.power_limit", card)
        limited = report.facts("gpu.limited_speed", card) if limit else None
        limits.setdefault(card.name, (limit, limited))
    first = next((speeds for speeds in own.values() if speeds.get(WORKS[0])), None)
    if first is None or report.catalog is None:
        return ()
    cards = [Card(n, True, _ratios(report, s, first), *limits[n]) for n, s in own.items()]
    known = Speeds(report.catalog, proposals().speed_beside)
    for part_id, part in known.parts.items():
        speeds = {work: speed for work in WORKS if (speed := known.of(part_id, work))}
        if not any(_alike(speeds, one) for one in own.values()):
            cards.append(Card(part.name, False, _ratios(report, speeds, first)))
    return tuple(cards)


def _ratios(
    report: Report, speeds: Mapping[Work, Speed], first: Mapping[Work, Speed]
) -> dict[Work, Compared | None]:
    return {work: _ratio(report, work, speeds.get(work), first.get(work)) for work in WORKS}


def _ratio(report: Report, work: Work, one: Speed | None, other: Speed | None) -> Compared | None:
    spread = spread_of(work.net, report.facts)
    return None if None in (one, other, spread) else compare(one, other, spread)  # type: ignore[arg-type]


def _alike(one: Mapping[Work, Speed], other: Mapping[Work, Speed]) -> bool:
    """Are they as fast at everything, as cards of one chip are?"""
    return all(one.get(work) == other.get(work) for work in WORKS)
