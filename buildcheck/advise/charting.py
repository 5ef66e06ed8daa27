"""The chart followed for somebody.

Which answers are theirs, which follow from what they said, and which are assumed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from buildcheck.advise.choosing import affordable
from buildcheck.facts.choice import Step, follow, is_enough
from buildcheck.guide import chart

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from buildcheck.advise.asked import Asked
    from buildcheck.advise.cards import Card
    from buildcheck.model.advice import Chart, End, Question

#: The question that says whose machines it is about.
OWNER = "organisation"
#: By what an answer is taken that nobody gave: as nobody said, as what a budget buys is in another
#: currency, or as nobody knows what it would buy.
UNANSWERED = ("assumed", "currency", "no-price")


@dataclass(frozen=True)
class Path:
    """The way through the chart: the questions with their answers, and the end."""

    chart: Chart
    steps: tuple[Step, ...]
    at: str

    @property
    def end(self) -> End:
        """What it leads to."""
        return self.chart.ends[self.at]

    @property
    def assumed(self) -> tuple[Step, ...]:
        """The questions that nobody answered."""
        return tuple(step for step in self.steps if step.by in UNANSWERED)


def owner(told: Asked) -> str:
    """Whose machine it is about, by the answer to that question of the chart."""
    one = chart().questions.get(OWNER)
    yes = one is not None and _answered(told, OWNER, one)[0]
    return "organisation" if yes else "individual"


def path(told: Asked, new: Iterable[Card]) -> Path:
    """The chart followed, with the cards that can be bought new."""
    found = chart()
    offered = tuple(new)

    def answer(name: str) -> tuple[bool, str, str]:
        one = found.questions[name]
        if one.affords and name not in told.answers:
            return _afforded(told, one, found.ends[one.affords], offered)
        return _answered(told, name, one)

    return Path(found, *follow(found, answer))


def _answered(told: Asked, name: str, one: Question) -> tuple[bool, str, str]:
    if name in told.answers:
        return told.answers[name], "told", ""
    if told.use in one.yes_for or told.use in one.no_for:
        return told.use in one.yes_for, "use", told.use or ""
    return one.assume, "assumed", one.because


def _afforded(
    told: Asked, one: Question, end: End, offered: tuple[Card, ...]
) -> tuple[bool, str, str]:
    """Is what an end asks for within the budget, as far as prices say?

    Where used cards are asked for, the prices of the asker are those of used cards.
    """
    if end.bought == "used" and not told.used:
        return False, "not-used", ""
    prices = [(card.offer.cheapest, card) for card in _like(end, told, offered) if card.offer]
    if told.budget is None or (end.bought == "used" and not prices):
        return one.assume, "assumed", one.because
    fitting = [
        (price.amount * told.count, card)
        for price, card in prices
        if price.currency == told.budget.currency
    ]
    if not fitting:
        others = ", ".join(sorted({price.currency for price, _ in prices}))
        return one.assume, "currency" if others else "no-price", others
    price, cheapest = min(fitting, key=lambda one: (one[0], one[1].part.id))
    return (
        price <= told.budget.amount,
        "price",
        f"{cheapest.name}, {price:.2f} {told.budget.currency}",
    )


def _like(end: End, told: Asked, offered: Iterable[Card]) -> Iterator[Card]:
    """The cards that an end asks for, whatever they cost."""
    used = end.bought == "used"
    for card in offered:
        bought = card.offer and (card.offer.own and told.used) == used
        if bought and end.memory and is_enough(card.memory, end.memory):
            yield card


def meant(end: End, told: Asked, offered: Iterable[Card]) -> list[Card]:
    """The cards of today that an end asks for and the budget reaches.

    All of them where there is no budget, or none that their prices can be compared with.
    """
    like = list(_like(end, told, offered))
    bought = {card.part.id: affordable(card, told.budget) for card in like}
    if all(number is None for number in bought.values()):
        return like
    return [card for card in like if (bought[card.part.id] or 0) >= told.count]
