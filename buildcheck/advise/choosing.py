"""Cards that will do: the most speed for the money first, what is advised against last."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from buildcheck.advise.avoiding import having
from buildcheck.advise.rating import Rated, Rating
from buildcheck.facts.choice import pieces

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from buildcheck.advise.asked import Asked
    from buildcheck.advise.cards import Card
    from buildcheck.advise.rating import Ratings
    from buildcheck.model.money import Money


@dataclass(frozen=True)
class Choice:
    """A card that will do: how it stands beside the others, and what is said of it.

    `warns` are names in the guide of what is advised against, and `conditions` of what would be if
    it held; `pieces` is how many of it the budget buys, None without one.
    """

    card: Card
    rating: Rating
    warns: tuple[str, ...]
    conditions: tuple[str, ...]
    pieces: int | None


def affordable(card: Card, budget: Money | None) -> int | None:
    """How many of the cheapest cards of a chip a budget buys; None where that is not known."""
    if budget is None or card.offer is None or card.offer.cheapest.currency != budget.currency:
        return None
    return pieces(float(budget.amount), float(card.offer.cheapest.amount))


def chosen(
    found: Iterable[Card], warned: Mapping[str, tuple[str, ...]], ratings: Ratings, told: Asked
) -> tuple[tuple[Choice, ...], Rated]:
    """Cards with their ratings, in order, and what they are rated beside.

    What nobody knows the speed of stands behind the rest, by price, and what is advised against
    behind all that is not.
    """
    listed = list(found)
    against = {card.part.id for card in listed if having(warned[card.part.id], "warn")}
    by_id, rated = ratings.rate(listed, against)
    choices = [
        Choice(
            card,
            by_id.get(card.part.id, Rating()),
            having(warned[card.part.id], "warn"),
            having(warned[card.part.id], "condition"),
            affordable(card, told.budget),
        )
        for card in listed
    ]
    return tuple(sorted(choices, key=_order)), rated


def _order(one: Choice) -> tuple[bool, float, float, float, str]:
    place, offer = one.rating.place, one.card.offer
    rank = place.usual if place else math.inf
    price = float(offer.cheapest.amount) if offer else math.inf
    memory = one.card.memory.low if one.card.memory else 0.0
    return bool(one.warns), rank, price, -memory, one.card.part.id
