"""How fast cards are beside each other and for the money, and what a used one is worth.

Speeds, their errors and what owning a card costs are those of `speed`.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from buildcheck.facts.choice import price_within, share_of_machine, used_up_to
from buildcheck.guide import guide
from buildcheck.model.money import Money
from buildcheck.speed import Place, Speeds, Work, ranking
from buildcheck.speed.worth import running, terms

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from buildcheck.advise.asked import Asked
    from buildcheck.advise.cards import Card
    from buildcheck.catalog import Catalog
    from buildcheck.speed import Compared, Row
    from buildcheck.speed.worth import Terms

#: The units for products of matrices of chips that have none.
_NONE = "tensor-units/generic/none"
_UNITS = "tensor-units"


class Rating(NamedTuple):
    """Speed and speed for the money, both beside the first card of a list, and the place in it."""

    speed: Compared | None = None
    per_money: Compared | None = None
    place: Place | None = None


class Rated(NamedTuple):
    """The work that is rated, by which terms, the card beside which, and what owning that costs.

    Without a cost nothing is known of money, and the card is the fastest.
    """

    work: Work
    terms: Terms
    base: Card | None = None
    cost: float = 0.0

    @property
    def by_money(self) -> bool:
        """Are cards rated by speed for the money?"""
        return self.cost > 0


class Worth(NamedTuple):
    """What a card may cost used to do as much for the money as the first of a list.

    `up_to` is by its estimated speed, `surely` by the least that nine of ten such estimates leave,
    None if that is nothing.
    """

    card: Card
    up_to: Money
    surely: Money | None = None

    @property
    def share_of_new(self) -> float:
        """That over what a list asks for a new one; nothing where it asks nothing."""
        new = self.card.offer.cheapest if self.card.offer else None
        same = new is not None and new.currency == self.up_to.currency
        return float(self.up_to.amount / new.amount) if new and same and new.amount else 0.0


class Ratings:
    """What is known of the speed of some cards at the work that is asked for."""

    def __init__(self, told: Asked, catalog: Catalog, cards: Sequence[Card]) -> None:
        """Raises `InputError` for money that cannot be read."""
        use = guide().uses[told.use] if told.use else None
        self.work = Work(
            use.work if use else "training",
            f"{told.bits}bit",
            use.net if use else "transformer",
        )
        self.catalog, self.told = catalog, told
        self.speeds = Speeds(catalog, (card.part.id for card in cards))
        self.terms = terms(self.speeds, told.desktop, told.electricity, told.rates)

    def has_tensor_cores(self, card: Card) -> bool | None:
        """Has its chip units for products of matrices? None where that is not known."""
        found = card.fact("tensor_units")
        return None if found is None else self.catalog.find(_UNITS, found) != _NONE

    def is_known(self, card: Card) -> bool:
        """Is its speed at this work known?"""
        return self.speeds.of(card.part.id, self.work) is not None

    def rate(
        self, cards: Iterable[Card], against: Collection[str] = ()
    ) -> tuple[dict[str, Rating], Rated]:
        """Ratings of the cards whose speed is known, by id, and beside which.

        That is the first of those that nothing is advised `against`, if there is one.

        By speed for the money where the cost of any is known; those of unknown cost have a speed
        alone. Else by speed, which needs no money. Speed and money are those of the cheapest
        prices. A place is as sure as speeds are, and as the prices from there to the middle of
        the list.
        """
        by_id = {card.part.id: card for card in cards}
        cost = {i: c for i, card in by_id.items() if (c := self._cost(card, "cheapest"))}
        middle = {i: self._cost(by_id[i], "middle") or c for i, c in cost.items()}
        rows, base = self._ranking(cost, against)
        if not rows:
            return self._by_speed(by_id, against)
        alone = {i: Rating(self.speeds.relative(i, base, self.work)) for i in by_id}
        others = {row.id: row.place for row in ranking(self.speeds, self.work, cost=middle)}
        found = {
            row.id: Rating(
                self.speeds.relative(row.id, base, self.work),
                row.ratio,
                _hull(row.place, others[row.id]),
            )
            for row in rows
        }
        return {**alone, **found}, Rated(self.work, self.terms, by_id[base], cost[base])

    def _by_speed(
        self, by_id: Mapping[str, Card], against: Collection[str]
    ) -> tuple[dict[str, Rating], Rated]:
        """The same where nobody knows what any of them costs to own: the fastest first."""
        rows, base = self._ranking(dict.fromkeys(by_id, 1.0), against)
        if not rows:
            return {}, Rated(self.work, self.terms)
        found = {row.id: Rating(row.ratio, None, row.place) for row in rows}
        return found, Rated(self.work, self.terms, by_id[base])

    def _ranking(
        self, cost: Mapping[str, float], against: Collection[str]
    ) -> tuple[list[Row], str]:
        """Cards by speed for what they cost, and the card beside which; no rows without a cost."""
        order = [row.id for row in ranking(self.speeds, self.work, cost=cost)]
        base = next((i for i in order if i not in against), order[0] if order else "")
        return ranking(self.speeds, self.work, base, cost), base

    def _cost(self, card: Card, which: str) -> float | None:
        """What a card costs with its share of a machine and electricity over the years."""
        price: Money | None = getattr(card.offer, which) if card.offer else None
        beside = self._beside(card)
        if price is None or beside is None or price.currency != self.terms.desktop.currency:
            return None
        return float(price.amount) + beside

    def _beside(self, card: Card) -> float | None:
        """What comes on top of the price of a card."""
        power = running(self.speeds, self.terms, card.part.id)
        if power is None:
            return None
        return power + share_of_machine(float(self.terms.desktop.amount), self.told.count)

    def worth(self, cards: Iterable[Card], rated: Rated) -> tuple[Worth, ...]:
        """What cards may cost used at most, the budget included.

        Those come first of which that is most of what a list asks for a new one: to find one
        for it is most likely.
        """
        found: list[Worth] = []
        budget = self.told.budget
        most = float(budget.amount) / self.told.count if budget else None
        for card in cards:
            beside, speed = self._beside(card), self._speed(card, rated)
            if not speed or beside is None or card is rated.base or _is_own(card):
                continue
            price, least = (
                used_up_to(price_within(rated.cost * times, beside), most)
                for times in (speed.usual, speed.range.low)
            )
            if price:
                found.append(Worth(card, self._money(price), self._money(least) if least else None))
        return tuple(sorted(found, key=lambda one: (-one.share_of_new, one.card.part.id)))

    def _money(self, amount: float) -> Money:
        return Money(Decimal(round(amount)), self.terms.desktop.currency)

    def _speed(self, card: Card, rated: Rated) -> Compared | None:
        if rated.base is None or not rated.by_money:
            return None
        return self.speeds.relative(card.part.id, rated.base.part.id, self.work)


def _is_own(card: Card) -> bool:
    """Has the asker said what it costs?"""
    return card.offer is not None and card.offer.own


def _hull(one: Place, other: Place) -> Place:
    return Place(min(one.best, other.best), one.usual, max(one.worst, other.worst))
