"""A judged build → how fast its cards are, each at its limit and all together."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from buildcheck.facts.speed import BITS, NETS, USES, Compared, Speed, Work, compare, spread_of
from buildcheck.model.quantity import ONE, Interval

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.measure import Facts
    from buildcheck.model.finding import Report
    from buildcheck.model.graph import Subject
    from buildcheck.speed.ranking import Speeds

#: The work that a build is shown for, the usual first.
WORKS = (
    *(Work(use, bits) for use in USES for bits in BITS),
    Work(net=NETS[1]),
)
#: By which fact a limit costs speed.
_LIMITED = {"training": "gpu.limited_speed", "inference": "gpu.limited_serving_speed"}
#: Tensor units of the reference card, which are Volta's.
_REFERENCE_UNITS = "Volta"


class Sum(NamedTuple):
    """One kind of work on all cards of a build, over one other card.

    `all` is as many separate jobs, one a card; None where the speed of a card is not known.
    """

    work: Work
    all: Compared | None


class Kind(NamedTuple):
    """Cards of a build that are alike: their name and number, and what a limit leaves of each."""

    name: str
    cards: int
    limit: Interval | None
    training: Interval | None
    serving: Interval | None


class Beside(NamedTuple):
    """How fast a build is over a card at the same work, at its default power."""

    id: str
    name: str
    works: tuple[Sum, ...]


@dataclass(frozen=True)
class MachineSpeed:
    """How fast a build is: over the reference card at 16 bit, and beside cards that were named.

    `unknown` names the cards whose rates are not known.
    """

    name: str
    file: str
    verdict: str
    cards: int
    kinds: tuple[Kind, ...]
    works: tuple[Sum, ...]
    unknown: tuple[str, ...]
    beside: tuple[Beside, ...] = ()
    #: Cards of the build that have no bfloat16, by name.
    without_bf16: tuple[str, ...] = ()


def machine_speed(report: Report, others: Speeds | None = None) -> MachineSpeed:
    """The speed of a judged build, of its cards, and beside each of `others`."""
    facts, cards = report.facts, report.graph.of("gpu")
    works = tuple(Sum(work, _together(cards, work, facts)) for work in WORKS)
    return MachineSpeed(
        name=report.name,
        file=report.document.path,
        verdict=report.verdict,
        cards=len(cards),
        kinds=tuple(_kinds(cards, facts)),
        works=works,
        unknown=tuple(dict.fromkeys(c.name for c in cards if not facts("gpu.speeds", c))),
        beside=tuple(_beside(cards, facts, others)) if others else (),
        without_bf16=tuple(dict.fromkeys(c.name for c in cards if facts("gpu.bf16", c) is False)),
    )


def _beside(cards: list[Subject], facts: Facts, others: Speeds) -> Iterator[Beside]:
    for part_id, part in others.parts.items():
        works = (
            Sum(work, _together(cards, work, facts, speed))
            for work in WORKS
            if (speed := others.of(part_id, work))
        )
        yield Beside(part_id, part.name, tuple(works))


def _kinds(cards: list[Subject], facts: Facts) -> Iterator[Kind]:
    def like(card: Subject) -> tuple[str, Interval | None]:
        return card.name, facts("gpu.power_limit", card)

    for (name, limit), alike in groupby(cards, like):
        first, *rest = alike
        shares = (facts(_LIMITED[use], first) for use in USES)
        yield Kind(name, 1 + len(rest), limit, *shares)


def _together(
    cards: list[Subject], work: Work, facts: Facts, over: Speed | None = None
) -> Compared | None:
    found = [card_speed(card, work, facts, over) for card in cards]
    known = [speed for speed in found if speed is not None]
    if not known or len(known) < len(found):
        return None
    low, high = sum(s.range.low for s in known), sum(s.range.high for s in known)
    return Compared(sum(s.usual for s in known), Interval(low, high))


def card_speed(
    card: Subject, work: Work, facts: Facts, over: Speed | None = None
) -> Compared | None:
    """A card at its limit over another, or over the reference card at 16 bit.

    None if it is not known.
    """
    speed: Speed | None = facts("gpu.speeds", card).get(work)
    share: Interval | None = facts(_LIMITED[work.use], card)
    spread = spread_of(work.net, facts)
    if speed is None or share is None or spread is None:
        return None
    usual, ends = compare(speed, over or _reference(speed), spread)
    return Compared(usual * (share.low + share.high) / 2, ends * share)


def _reference(like: Speed) -> Speed:
    """The reference card at 16 bit, with as many cases as a speed has."""
    return Speed(ONE.low, (ONE.low,) * len(like.cases), ONE.low, _REFERENCE_UNITS)
