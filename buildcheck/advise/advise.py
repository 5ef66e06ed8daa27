"""From a use, a budget and constraints to cards in order, with the reasons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from buildcheck.advise.avoiding import Avoiding, having
from buildcheck.advise.cards import Card, cards
from buildcheck.advise.charting import Path, meant, owner, path
from buildcheck.advise.choosing import Choice, affordable, chosen
from buildcheck.advise.need import Need, named, need
from buildcheck.advise.rating import Rated, Ratings, Worth
from buildcheck.advise.splitting import SplitUp, split_up
from buildcheck.facts.choice import is_enough, is_over, together
from buildcheck.guide import guide

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from buildcheck.advise.asked import Asked
    from buildcheck.catalog import Catalog
    from buildcheck.model.advice import AdviceSource, Named
    from buildcheck.model.quantity import Interval
    from buildcheck.price_book import PriceBook

#: Why cards are left out, in the order in which it is looked at.
REASONS = (
    *("advice", "memory-unknown", "memory", "speed", "outlet"),
    *("no-price", "currency", "budget"),
)
#: The effect of advice that takes a card off the list.
_OUT = "leave-out"
#: What is no hindrance to a used card: that a list of new ones has no price, or too high a one.
_OF_NEW = ("no-price", "currency", "budget")


class Left(NamedTuple):
    """Cards that are left out for one reason; `because` names the advice in the guide, if any."""

    reason: str
    cards: tuple[Card, ...]
    because: tuple[str, ...] = ()


@dataclass(frozen=True)
class Advice:
    """Cards in order, those left out, and the advice on which that rests.

    `room` is what the outlet gives in W, `used` what cards are worth used, `general` what is
    advised against whatever the card, by names in the guide, and `today` the cards that the end of
    the chart means, in order.
    """

    told: Asked
    owner: str
    need: Need
    room: Interval | None
    rated: Rated
    choices: tuple[Choice, ...]
    left: tuple[Left, ...]
    used: tuple[Worth, ...]
    path: Path
    today: tuple[Choice, ...]
    splits: tuple[SplitUp, ...]
    named: tuple[tuple[AdviceSource, Named], ...]
    general: tuple[str, ...]


def advise(told: Asked, catalog: Catalog, book: PriceBook) -> Advice:
    """Advice for what somebody asks. Raises `InputError` where its money cannot be reckoned."""
    whose, wanted, room = owner(told), need(told), _room(told)
    every = cards(catalog, book)
    ratings = Ratings(told, catalog, every)
    avoiding = Avoiding(catalog, whose, ratings.work.net, told.count)
    left: dict[str, list[Card]] = {reason: [] for reason in REASONS}
    against: dict[str, None] = {}
    warned: dict[str, tuple[str, ...]] = {}
    fitting: list[Card] = []
    for card in every:
        said = avoiding.of(card, has_tensor_cores=ratings.has_tensor_cores(card))
        out = [code for code, effect in said.items() if effect == _OUT]
        against |= dict.fromkeys(out)
        reason = "advice" if out else _reason(card, told, wanted, room, ratings)
        (left[reason] if reason else fitting).append(card)
        if not out:
            warned[card.part.id] = tuple(said)
    standing = [
        card for card in every if card.offer and card.part.id in warned and ratings.is_known(card)
    ]
    choices, rated = chosen(fitting, warned, ratings, told)
    followed = path(told, _unwarned(standing, warned))
    at_end, _ = chosen(
        meant(followed.end, told, _unwarned(standing, warned)), warned, ratings, told
    )
    used = [card for reason in _OF_NEW for card in left[reason]] + fitting
    return Advice(
        told=told,
        owner=whose,
        need=wanted,
        room=room,
        rated=rated,
        choices=choices,
        left=tuple(_left(left, tuple(against))),
        used=ratings.worth(_unwarned(used, warned), rated) if told.used else (),
        path=followed,
        today=at_end,
        splits=split_up(told, standing, warned, ratings) if whose == "organisation" else (),
        named=named(told.use),
        general=avoiding.general,
    )


def _unwarned(found: Iterable[Card], warned: Mapping[str, tuple[str, ...]]) -> list[Card]:
    """The cards that nothing is advised against."""
    return [card for card in found if not having(warned[card.part.id], "warn")]


def _left(left: Mapping[str, list[Card]], against: tuple[str, ...]) -> Iterator[Left]:
    for reason, out in left.items():
        if out:
            yield Left(reason, tuple(out), against if reason == "advice" else ())


def _room(told: Asked) -> Interval | None:
    """What the outlet gives for hours, in W."""
    if told.outlet is None:
        return None
    volts, amperes = (told.outlet.facts.get(n) for n in ("voltage", "continuous_current"))
    return volts.value * amperes.value if volts and amperes else None


def _reason(card: Card, told: Asked, wanted: Need, room: Interval | None, ratings: Ratings) -> str:
    """Why a card is left out; empty if it is not."""
    enough = True if wanted.memory is None else is_enough(card.memory, wanted.memory)
    if not enough:
        return "memory-unknown" if enough is None else "memory"
    if not ratings.is_known(card):
        return "speed"
    if room and not _is_fed(card, told.count, room):
        return "outlet"
    return _money_reason(card, told)


def _is_fed(card: Card, count: int, room: Interval) -> bool:
    """May an outlet feed so many of a card, and the machine around them?"""
    if card.power is None:
        return False
    return not is_over(together(card.power, count, guide().machine_around.value), room)


def _money_reason(card: Card, told: Asked) -> str:
    if card.offer is None:
        return "no-price"
    bought = affordable(card, told.budget)
    if told.budget and bought is None:
        return "currency"
    return "budget" if bought is not None and bought < told.count else ""
