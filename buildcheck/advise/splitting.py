"""How a lab shares its money between machines for prototyping and machines for roll-out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from buildcheck.advise.choosing import Choice, chosen
from buildcheck.facts.choice import between, is_enough, machines_of, shares
from buildcheck.guide import guide

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from buildcheck.advise.asked import Asked
    from buildcheck.advise.cards import Card
    from buildcheck.advise.rating import Ratings
    from buildcheck.model.advice import AdviceSource, Split
    from buildcheck.model.quantity import Interval

#: The two kinds of machine, and how the fields of each begin.
KINDS = {"prototyping": "prototype", "roll_out": "roll_out"}


class Half(NamedTuple):
    """One kind of machine: its share and the money for it, the card named then and that of today.

    `best` is the card with the memory of the one named that does most for the money; `pieces` is
    how many of it that money buys. None where it is not known.
    """

    kind: str
    share: Interval
    money: Interval | None
    memory: Interval
    named: str
    best: Choice | None
    pieces: Interval | None


class SplitUp(NamedTuple):
    """A way to share, with the cards of today."""

    source: AdviceSource
    of: str
    halves: tuple[Half, ...]


def split_up(
    told: Asked,
    standing: Sequence[Card],
    warned: Mapping[str, tuple[str, ...]],
    ratings: Ratings,
) -> tuple[SplitUp, ...]:
    """Every way that was advised, the latest first, on the budget if there is one."""
    found = guide()
    ways = sorted(found.splits, key=lambda one: -found.sources[one.source].year)

    def best(memory: Interval) -> Choice | None:
        fitting = [card for card in standing if is_enough(card.memory, memory)]
        return _best(told, fitting, warned, ratings)

    return tuple(
        SplitUp(found.sources[one.source], one.of, _halves(one, told, best)) for one in ways
    )


def _halves(one: Split, told: Asked, best: Callable[[Interval], Choice | None]) -> tuple[Half, ...]:
    memory: list[Interval] = [getattr(one, f"{start}_memory") for start in KINDS.values()]
    share: list[Interval] = [getattr(one, kind) for kind in KINDS]
    cards = [getattr(one, f"{start}_card") for start in KINDS.values()]
    choices = [best(least) for least in memory]
    money, pieces = _bought(one.of, told, share, choices)
    rows = zip(KINDS, share, money, memory, cards, choices, pieces, strict=True)
    return tuple(Half(*row) for row in rows)


def _bought(
    of: str, told: Asked, share: list[Interval], choices: list[Choice | None]
) -> tuple[list[Interval | None], list[Interval | None]]:
    """The money for each kind of machine and the cards it buys; None where that is not known.

    Shares of cards are of money only once both cards have a price.
    """
    nothing: list[Interval | None] = [None for _ in KINDS]
    if told.budget is None:
        return nothing, nothing
    whole = float(told.budget.amount)
    prices = [float(c.card.offer.cheapest.amount) if c and c.card.offer else None for c in choices]
    if of == "budget":
        money = shares(whole, dict(zip(KINDS, share, strict=True)))
        parts = list(money.values())
        bought = [between(m, p) if p else None for m, p in zip(parts, prices, strict=True)]
        return [*parts], bought
    one, other = prices
    if not one or not other:
        return nothing, nothing
    return nothing, list(machines_of(whole, (share[0], share[1]), (one, other)))


def _best(
    told: Asked, fitting: list[Card], warned: Mapping[str, tuple[str, ...]], ratings: Ratings
) -> Choice | None:
    """The first card in the currency of the budget."""
    currency = told.budget.currency if told.budget else None
    paid = [c for c in fitting if c.offer and currency in (None, c.offer.cheapest.currency)]
    choices, _ = chosen(paid, warned, ratings, told)
    return choices[0] if choices else None
