"""How long a step takes on several cards, and how much more they do than one.

Times are in seconds. The time of a step alone stands on both sides of the fraction of a speed-up,
and is the same on both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.registry import Ask, graph
from buildcheck.logic.quantity import ONE, Interval, exact, least
from buildcheck.logic.quantity import total as add_up

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

#: Bytes of a number in half precision.
_TWO = exact(2.0)


@graph("build.slowest_pace", units.ARITHMETIC)
def slowest_pace(build: Subject, ask: Ask) -> Any:
    """Rate of the slowest card at its limit, in the number format of the work."""
    return least([_reached(card, ask) for card in ask.graph.ends("cards", build)])


def _reached(card: Subject, ask: Ask) -> Interval | None:
    """From one reading of what a card computes to the other, where both are known."""
    peak, by_speed = _rate(card, ask), ask("gpu.benchmarked_rate", card)
    if peak is None:
        return None
    reached: Interval = peak * ask.number("standard.tensor_utilisation")
    return reached if by_speed is None else reached.hull(by_speed)


@graph("workload.utilisation", units.NUMBER)
def utilisation(workload: Subject, ask: Ask) -> Any:
    """Operations of a step that is stated with its size, over the peak of the slowest card.

    None where the time, the parameters, the batch or the length of a step is not stated.
    """
    time, work = ask("workload.step_time", workload), ask("workload.step_work", workload)
    slowest = least([_rate(card, ask) for card in ask.graph.of("gpu")])
    return None if None in (time, work, slowest) else work / (time * slowest)


@graph("gpu.benchmarked_rate", units.ARITHMETIC)
def benchmarked_rate(card: Subject, ask: Ask) -> Any:
    """What it computes in training by benchmarks of small nets.

    Never more than the largest share of its own peak rate that training is known to reach.

    Calculated from cards with a published share of their rate and the relative speed. None in
    serving, where there is no one ratio of speeds, and in single precision.
    """
    peak, share = _rate(card, ask), ask("gpu.limited_speed", card)
    over, other = ask("gpu.over_utilised", card), ask("standard.utilised_rate")
    if peak is None or None in (share, over, other) or ask("workload.is_inference"):
        return None
    if _TWO.is_below(ask("workload.activation_bytes")):
        return None
    rate = share * over * other * ask.number("standard.tensor_utilisation")
    most = peak * exact(ask.number("standard.tensor_utilisation").high)
    return Interval(min(rate.low, most.high), min(rate.high, most.high))


def _rate(card: Subject, ask: Ask) -> Interval | None:
    """Its peak rate at its limit.

    In single precision from its plain rate to half of that for 16 bit, which tensor units reach
    with shortened numbers. None in bfloat16 on a card without it, as that is not measured.
    """
    if ask("workload.needs_bf16") and ask("gpu.bf16", card) is False:
        return None
    limited_by = "serving_speed" if ask("workload.is_inference") else "speed"
    share, half = ask(f"gpu.limited_{limited_by}", card), ask("gpu.rate_16bit", card)
    plain, number = ask("gpu.fp32_rate", card), ask("workload.activation_bytes")
    if share is None or half is None or plain is None or number is None:
        return None
    single = Interval(plain.low, max(plain.high, half.high / 2))
    limited: Interval = share * (single if _TWO.is_below(number) else half)
    return limited


@graph("build.mixed_efficiency", units.NUMBER)
def mixed_efficiency(build: Subject, ask: Ask) -> Any:
    """What cards that wait for the slowest do, as a share of what each could do by itself.

    Each at its limit, by its estimated training speed; by single-precision rates where that of
    one of them is not known.
    """
    cards = ask.graph.ends("cards", build)
    paces = [ask("gpu.estimated_speed", card) for card in cards]
    if None in paces:
        paces = [ask("gpu.plain_speed", card) for card in cards]
    slowest = least(paces)
    if slowest is None:
        return None
    if len(set(paces)) == 1:
        return ONE
    share: Interval = exact(float(len(paces))) * slowest / add_up(paces)
    return Interval(share.low, min(1.0, share.high))
