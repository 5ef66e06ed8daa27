"""How long a step takes on several cards, and how much more they do than one.

Times are in seconds. The time of a step alone stands on both sides of the fraction of a speed-up,
and is the same on both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.parallel import cards_of, machines_of
from buildcheck.facts.registry import Ask, graph
from buildcheck.model.quantity import ONE, Interval, exact
from buildcheck.model.quantity import total as add_up

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

_BILLION, _TRILLION = exact(1e9), exact(1e12)
#: Bytes of a number in half precision.
_TWO = exact(2.0)


def _times(exchange: str, workload: Subject, ask: Ask) -> tuple[Any, Any]:
    return ask("workload.step_alone", workload), ask(f"workload.{exchange}", workload)


@graph("workload.step_alone", units.TIME)
def step_alone(workload: Subject, ask: Ask) -> Any:
    """Time of a step on one card, the slowest, alone: as stated, else from what it computes."""
    stated = ask("workload.step_time", workload)
    work, rate = ask("workload.step_work", workload), ask("build.slowest_rate")
    if stated is not None or work is None or rate is None:
        return stated
    return work / (rate * ask.number("standard.tensor_utilisation"))


@graph("workload.step_work", units.NUMBER)
def step_work(workload: Subject, ask: Ask) -> Any:
    """Arithmetic of a step in 10^12 operations.

    Two for each parameter and token forwards and four backwards, and two more where activations
    are computed again; beside them the attention (Chowdhery et al. 2022, PaLM, appendix B).
    """
    billions, tokens = ask("workload.parameters", workload), ask("workload.tokens", workload)
    widths, context = ask("workload.all_widths", workload), ask("workload.context", workload)
    if None in (billions, tokens, widths, context):
        return None
    serves = bool(ask("workload.is_inference", workload))
    again = ask("workload.checkpointing", workload) is True
    passes = exact(1.0 if serves else 4.0 if again else 3.0)
    each = exact(2.0) * billions * _BILLION + exact(4.0) * widths * context
    return passes * each * tokens / _TRILLION


@graph("build.slowest_rate", units.ARITHMETIC)
def slowest_rate(build: Subject, ask: Ask) -> Any:
    """What the slowest card computes at its limit at most, in the format of the work.

    In single precision from its plain rate to half of that for 16 bit, which tensor units reach
    with shortened numbers.
    """
    rates = [_rate(card, ask) for card in ask.graph.ends("cards", build)]
    known = [rate for rate in rates if rate is not None]
    if not known or len(known) < len(rates):
        return None
    return Interval(min(r.low for r in known), min(r.high for r in known))


def _rate(card: Subject, ask: Ask) -> Interval | None:
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
    """Time of a data-parallel step on all cards: from an exchange wholly hidden to none of it."""
    alone, exchange = _times("whole_exchange_time", workload, ask)
    if alone is None or exchange is None:
        return None
    return Interval(max(alone.low, exchange.low), (alone + exchange).high)


@graph("workload.speedup", units.NUMBER)
def speedup(workload: Subject, ask: Ask) -> Any:
    """How much more all cards of all machines do than one of them, the slowest."""
    alone, exchange = _times("whole_exchange_time", workload, ask)
    if alone is None or exchange is None:
        return None
    number = machines_of(ask) * cards_of(ask)
    worst = number.low / (1 + exchange.high / alone.low)
    best = number.high / max(1.0, exchange.low / alone.high)
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
    known = [pace for pace in paces if pace is not None]
    if not known or len(known) < len(paces):
        return None
    if len(set(known)) == 1:
        return ONE
    slowest = Interval(min(p.low for p in known), min(p.high for p in known))
    share: Interval = exact(float(len(known))) * slowest / add_up(known)
    return Interval(share.low, min(1.0, share.high))
