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
        return tuple(step for step in self.steps if step.by == "assumed")


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
    fitting = [
        (card.offer.cheapest.amount * told.count, card)
        for card in _like(end, told, offered)
        if card.offer and told.budget and card.offer.cheapest.currency == told.budget.currency
    ]
    if not fitting or told.budget is None:
        return one.assume, "assumed", one.because
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
    """The cards of today that an end asks for and the budget reaches."""
    return [
        card
        for card in _like(end, told, offered)
        if told.budget is None or (affordable(card, told.budget) or 0) >= told.count
    ]
