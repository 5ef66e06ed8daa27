"""What a choice of cards comes down to: memory asked for and had, money and how far it goes.

Pure reckoning on values; who asks for what, and which cards there are, is put together elsewhere.
Amounts are intervals: what is not known is not decided.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from buildcheck.model.quantity import Interval, exact, total

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from buildcheck.model.advice import Chart


def decisive(said: Iterable[tuple[int, Interval]]) -> Interval | None:
    """Of amounts of memory by year, the largest that the latest year asks for; None of none.

    >>> decisive([(2018, Interval(8.0, 8.0)), (2020, Interval(10.0, 10.0))])
    Interval(low=10.0, high=10.0)
    """
    found = list(said)
    latest = max((year for year, _ in found), default=0)
    amounts = [amount for year, amount in found if year == latest]
    return max(amounts, key=lambda one: (one.high, one.low), default=None)


def is_enough(memory: Interval | None, need: Interval) -> bool | None:
    """Has a card the memory that is asked for? None where that cannot be said."""
    return None if memory is None else need.is_at_most(memory)


def pieces(money: float, price: float) -> int:
    """How many cards of a price so much money buys, in whole cards; both in one currency."""
    # A price is of cents; what a float adds to a whole number of them is less than any.
    return math.floor(money / price + 1e-9) if price > 0 else 0


def between(money: Interval, price: float) -> Interval:
    """The same for money that lies between two amounts."""
    return Interval(float(pieces(money.low, price)), float(pieces(money.high, price)))


def is_over(power: Interval, room: Interval) -> bool:
    """Is it certain that this draws more than there is?"""
    return room.is_below(power) is True


def together(power: Interval, count: int, around: Interval) -> Interval:
    """What so many cards draw with the machine around them, in W."""
    return total([power] * count) + around


class Step(NamedTuple):
    """A question of a chart and its answer; `by` says who gave it, `because` why."""

    question: str
    yes: bool
    by: str
    because: str


def follow(
    chart: Chart, answer: Callable[[str], tuple[bool, str, str]]
) -> tuple[tuple[Step, ...], str]:
    """The way through a chart whose questions are answered so, and the end that it leads to.

    `answer` takes the name of a question and gives its answer, by whom, and why. A proven chart
    has no circles, so that the way ends.
    """
    steps: list[Step] = []
    at = chart.start
    while at in chart.questions:
        step = Step(at, *answer(at))
        steps.append(step)
        one = chart.questions[at]
        at = one.then if step.yes else one.otherwise
    return tuple(steps), at


def ways(chart: Chart) -> tuple[tuple[str, ...], ...]:
    """Every way through a chart, by the names on it; each ends with an end."""

    def on(name: str) -> list[tuple[str, ...]]:
        if name not in chart.questions:
            return [(name,)]
        one = chart.questions[name]
        return [(name, *rest) for to in (one.then, one.otherwise) for rest in on(to)]

    return tuple(on(chart.start))


def shares(money: float, by: Mapping[str, Interval]) -> dict[str, Interval]:
    """What a lab spends on each kind of machine, by the share of each."""
    return {name: exact(money) * share for name, share in by.items()}


def machines_of(
    money: float, shares_of: tuple[Interval, Interval], prices: tuple[float, float]
) -> tuple[Interval, Interval]:
    """How many cards of each of two kinds a sum buys, where shares are of the cards.

    The low end of one share goes with the high end of the other, so that they make a whole.
    """
    ends = []
    for one, other in (
        (shares_of[0].low, shares_of[1].high),
        (shares_of[0].high, shares_of[1].low),
    ):
        each = money / (one * prices[0] + other * prices[1])
        ends.append((float(pieces(one * each, 1.0)), float(pieces(other * each, 1.0))))
    first, second = zip(*ends, strict=True)
    return Interval(min(first), max(first)), Interval(min(second), max(second))


def share_of_machine(price: float, count: int) -> float:
    """What of the price of a machine falls to each of its cards."""
    return price / count


def price_within(whole: float, beside: float) -> float:
    """What is left for a card of what it may cost in all, with what comes beside its price."""
    return whole - beside


def used_up_to(worth: float, most: float | None) -> float | None:
    """What a used card may cost: what it is worth, and no more than there is for it.

    None where that is nothing.
    """
    price = worth if most is None else min(worth, most)
    return price if price > 0 else None
