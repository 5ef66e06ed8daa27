"""How long a step takes on several cards, and how much more they do than one.

Times are in seconds. The time of a step alone stands on both sides of the fraction of a speed-up,
and is the same on both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.registry import Ask, graph
from buildcheck.facts.scaling import cards_of, machines_of
from buildcheck.logic.quantity import ONE, Interval, exact, least
from buildcheck.logic.quantity import total as add_up

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

_BILLION, _TRILLION = exact(1e9), exact(1e12)
#: Bytes of a number in half precision.
_TWO = exact(2.0)
#: The stage of ZeRO that shares out the weights too.
_WEIGHTS_TOO = exact(3.0)


def _times(exchange: str, workload: Subject, ask: Ask) -> tuple[Any, Any]:
    return ask("workload.step_alone", workload), ask(f"workload.{exchange}", workload)


@graph("workload.step_work", units.NUMBER)
def step_work(workload: Subject, ask: Ask) -> Any:
    """Arithmetic of a step in 10^12 operations.

    Two for each parameter and token forwards and four backwards, and two more where activations
    are computed again; in addition the attention (Chowdhery et al. 2022, PaLM, appendix B). Of the
    four, two are for gradients of weights, which frozen weights do not have.
    """
    billions, tokens = ask("workload.parameters", workload), ask("workload.tokens", workload)
    widths, context = ask("workload.all_widths", workload), ask("workload.context", workload)
    if None in (billions, tokens, widths, context):
        return None
    serves = ask("workload.is_inference", workload)
    passes = exact(1.0 if serves else 1.0 + _backwards(workload, ask))
    each = exact(2.0) * billions * _BILLION + exact(4.0) * widths * context
    return passes * each * tokens / _TRILLION


def _backwards(workload: Subject, ask: Ask) -> float:
    """Arithmetic backwards, as multiples of that forwards."""
    again = ask("workload.checkpointing", workload) is True
    return (1.0 if ask("workload.trains_adapters", workload) else 2.0) + again


@graph("workload.hiding_share", units.NUMBER)
def hiding_share(workload: Subject, ask: Ask) -> Any:
    """The part of a step that an exchange can be hidden behind: that in which there are gradients.

    They come up backwards, and the next step needs their sum at once (Li et al. 2020, PyTorch
    Distributed, section 3.2). All of it where ZeRO gathers the weights too, which it does
    forwards as well.
    """
    if ask("workload.zero_stage", workload) == _WEIGHTS_TOO:
        return ONE
    backwards = _backwards(workload, ask)
    return exact(backwards / (1.0 + backwards))


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


@graph("workload.step_on_all", units.TIME)
def step_on_all(workload: Subject, ask: Ask) -> Any:
    """Time of a data-parallel step on all cards: from all that can be hidden to nothing."""
    alone, exchange = _times("whole_exchange_time", workload, ask)
    if alone is None or exchange is None:
        return None
    open_ = exact(1.0 - ask("workload.hiding_share", workload).low) * alone + exchange
    return Interval(max(alone.low, open_.low), (alone + exchange).high)


@graph("workload.speedup", units.NUMBER)
def speedup(workload: Subject, ask: Ask) -> Any:
    """Speedup of all cards of all machines over the slowest card."""
    alone, exchange = _times("whole_exchange_time", workload, ask)
    if alone is None or exchange is None:
        return None
    return _data_parallel(alone, exchange, ask("workload.hiding_share", workload), ask)


@graph("workload.accumulated_speedup", units.NUMBER)
def accumulated_speedup(workload: Subject, ask: Ask) -> Any:
    """Speedup where gradients of several steps are accumulated and exchanged once."""
    alone, exchange = _times("whole_exchange_time", workload, ask)
    steps = ask("standard.accumulated_steps")
    if alone is None or exchange is None or steps is None:
        return None
    hiding = ask("workload.hiding_share", workload) / steps
    return _data_parallel(steps * alone, exchange, hiding, ask)


def _data_parallel(alone: Interval, exchange: Interval, hiding: Interval, ask: Ask) -> Interval:
    """Times the work of one card with none of an exchange hidden, and with all that can be."""
    number = machines_of(ask) * cards_of(ask)
    worst = number.low / (1 + exchange.high / alone.low)
    best = number.high / max(1.0, 1 - hiding.high + exchange.low / alone.high)
    return Interval(worst, best)


@graph("workload.tensor_speedup", units.NUMBER)
def tensor_speedup(workload: Subject, ask: Ask) -> Any:
    """How much faster the cards of a machine do a step of which each does a part of every layer.

    Nothing of the exchange can be hidden, as the next layer waits for it (Dettmers 2014).
    """
    alone, exchange = _times("tensor_exchange_time", workload, ask)
    if alone is None or exchange is None:
        return None
    number = cards_of(ask).low
    worst = number / (1 + number * exchange.high / alone.low)
    best = number / (1 + number * exchange.low / alone.high)
    return Interval(worst, best)


@graph("workload.pipeline_speedup", units.NUMBER)
def pipeline_speedup(workload: Subject, ask: Ask) -> Any:
    """How much faster the cards of a machine do a step of which each does some layers.

    From all sequences at once, for which all cards but one wait, to one after another with what
    is handed on hidden: then p cards wait p - 1 times (Huang et al. 2019, GPipe, section 2.3).
    """
    alone, handing = _times("handing_on_time", workload, ask)
    sequences = ask("workload.batch", workload)
    if alone is None or handing is None or sequences is None:
        return None
    number = cards_of(ask).low
    worst = 1 / (1 + handing.high / alone.low)
    return Interval(worst, number / (1 + (number - 1) / sequences.high))


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
