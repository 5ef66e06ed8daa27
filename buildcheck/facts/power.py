"""Power drawn and power to be had, sustained and in the worst case."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.registry import TRUTH, Ask, graph, total
from buildcheck.logic.interval import either
from buildcheck.model.quantity import ZERO, Interval, exact
from buildcheck.model.quantity import total as add_up

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

total("psu.card_power", units.POWER, over="feeds", of="gpu.sustained_power")
total("psu.card_power_unlimited", units.POWER, over="feeds", of="gpu.board_power")
total("build.train_load", units.POWER, over="powered_by", of="psu.train_load")
total("build.booked_power", units.POWER, over="books", of="typical_power")
total("build.booked_power_max", units.POWER, over="books", of="max_power")


@graph("gpu.sustained_power", units.POWER)
def sustained_power(card: Subject, ask: Ask) -> Any:
    """What the card draws for hours: the limit set on it, else its default limit."""
    limit = ask("gpu.power_limit", card)
    return ask("gpu.board_power", card) if limit is None else limit


@graph("gpu.is_limited", TRUTH)
def is_limited(card: Subject, ask: Ask) -> bool | None:
    """Is a limit below the default set on it?"""
    limit, default = ask("gpu.power_limit", card), ask("gpu.board_power", card)
    if limit is None:
        return False
    if default is None:
        return None
    answer: bool | None = limit.is_below(default)
    return answer


@graph("gpu.has_limit", TRUTH)
def has_limit(card: Subject, ask: Ask) -> bool:
    """Does the build set a power limit on it?"""
    return ask("gpu.power_limit", card) is not None


@graph("gpu.is_raised", TRUTH)
def is_raised(card: Subject, ask: Ask) -> bool | None:
    """Is its limit set above its default?"""
    limit, default = ask("gpu.power_limit", card), ask("gpu.board_power", card)
    if limit is None:
        return False
    if default is None:
        return None
    answer: bool | None = default.is_below(limit)
    return answer


@graph("gpu.limit_survives_start", TRUTH)
def limit_survives_start(card: Subject, ask: Ask) -> bool:
    """Does the build say that something sets the limit again after each start?"""
    return ask("gpu.limit_at_boot", card) is True


@graph("gpu.limited_speed", units.NUMBER)
def limited_speed(card: Subject, ask: Ask) -> Any:
    """Training speed at the limit as a share of full speed, by the architecture's curve."""
    limit, default = ask("gpu.power_limit", card), ask("gpu.board_power", card)
    if limit is None:
        return exact(1.0)
    curve = ask("gpu.speed_at_limit", card)
    # What a card draws beyond the reference buys next to no speed.
    reference = ask("gpu.reference_power", card) or default
    if reference is None or curve is None:
        return None
    share = limit / reference
    return Interval(along(curve, share.low), along(curve, share.high))


def along(curve: tuple[tuple[float, float], ...], x: float) -> float:
    """A piecewise linear curve at x, held level beyond its ends."""
    if x <= curve[0][0]:
        return curve[0][1]
    for (x0, y0), (x1, y1) in pairwise(curve):
        if x <= x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return curve[-1][1]


@graph("cpu.work_power", units.POWER)
def cpu_work_power(cpu: Subject, ask: Ask) -> Interval:
    """What all CPUs draw while the cards are busy."""
    return ask.number("cpu.base_power", cpu) * ask.number("workload.cpu_share") * exact(cpu.count)


@graph("cpu.most_power", units.POWER)
def cpu_most_power(cpu: Subject, ask: Ask) -> Interval:
    """What all CPUs draw for seconds when driven flat out."""
    return ask.number("cpu.turbo_power", cpu) * exact(cpu.count)


@graph("module.count", units.NUMBER)
def module_count(entry: Subject, ask: Ask) -> Any:
    """Memory modules of one entry."""
    size, whole = ask("module.module", entry), ask("module.total", entry)
    kit = ask("module.kit_modules", entry)
    if kit is None and whole is not None and size is not None:
        kit = whole / size
    if kit is None and size is not None:
        kit = exact(1.0)
    return None if kit is None else kit * exact(entry.count)


def _modules_power(memory: Subject, ask: Ask, name: str) -> Interval:
    parts = []
    for entry in ask.graph.ends("holds", memory):
        modules = ask("module.count", entry)
        if modules is None:
            modules = ask.number("module.likely_modules", entry)
        parts.append(modules * ask.number(f"module.{name}", entry))
    return add_up(parts)


@graph("memory.work_power", units.POWER)
def memory_work_power(memory: Subject, ask: Ask) -> Interval:
    """What all modules draw at work."""
    return _modules_power(memory, ask, "typical_power")


@graph("memory.most_power", units.POWER)
def memory_most_power(memory: Subject, ask: Ask) -> Interval:
    """What all modules draw for seconds."""
    return _modules_power(memory, ask, "max_power")


@graph("build.rest_power", units.POWER)
def rest_power(build: Subject, ask: Ask) -> Interval:
    """Board, memory, drives, cooler, fans and peripherals at work."""
    parts = ["motherboard.typical_power", "memory.work_power", "cooler.typical_power"]
    return add_up([*map(ask.number, parts), ask.number("build.booked_power", build)])


@graph("build.rest_power_max", units.POWER)
def rest_power_max(build: Subject, ask: Ask) -> Interval:
    """The same for seconds."""
    parts = ["motherboard.max_power", "memory.most_power", "cooler.max_power"]
    return add_up([*map(ask.number, parts), ask.number("build.booked_power_max", build)])


def _system(psu: Subject, ask: Ask, cpu: str, rest: str) -> Interval:
    """The CPU and the rest, on the supply that runs the board."""
    if not ask.graph.out("runs", psu):
        return ZERO
    return ask.number(cpu) + ask.number(rest)


@graph("build.least_power", units.POWER)
def least_power(build: Subject, ask: Ask) -> Interval:
    """Cards at their limit, the CPU at its share and the rest, whatever feeds them."""
    cards = add_up([ask.number("gpu.sustained_power", card) for card in ask.graph.of("gpu")])
    return cards + ask.number("cpu.work_power") + ask.number("build.rest_power", build)


@graph("psu.feeds_anything", TRUTH)
def feeds_anything(psu: Subject, ask: Ask) -> bool:
    """Does anything hang on it?"""
    return bool(ask.graph.out("runs", psu) or ask.graph.out("feeds", psu))


@graph("psu.system_power", units.POWER)
def system_power(psu: Subject, ask: Ask) -> Interval:
    """What everything but the cards draws from it at work."""
    return _system(psu, ask, "cpu.work_power", "build.rest_power")


@graph("psu.train_load", units.POWER)
def train_load(psu: Subject, ask: Ask) -> Interval:
    """Load held for hours: cards at their limit, the CPU at its share."""
    return ask.number("psu.card_power", psu) + ask.number("psu.system_power", psu)


@graph("psu.worst_load", units.POWER)
def worst_load(psu: Subject, ask: Ask) -> Interval:
    """Load held for seconds: cards at their limit, the CPU flat out."""
    return ask.number("psu.card_power", psu) + _system(
        psu, ask, "cpu.most_power", "build.rest_power_max"
    )


@graph("psu.unlimited_load", units.POWER)
def unlimited_load(psu: Subject, ask: Ask) -> Interval:
    """Load while no limit has taken hold yet, as after a start."""
    return ask.number("psu.card_power_unlimited", psu) + ask.number("psu.system_power", psu)


@graph("psu.relies_on_limit", TRUTH)
def relies_on_limit(psu: Subject, ask: Ask) -> bool | None:
    """Is any card on it held below its default power?"""
    limited = [ask("gpu.is_limited", card) for card in ask.graph.ends("feeds", psu)]
    return either(limited)


@graph("psu.feeds_one_card", TRUTH)
def feeds_one_card(psu: Subject, ask: Ask) -> bool:  # noqa: ARG001 - a fact's signature
    """Is this a machine with a single card on a single supply?"""
    return len(ask.graph.of("gpu")) == 1 == len(ask.graph.of("psu"))


@graph("psu.recommended_power", units.POWER)
def recommended_power(psu: Subject, ask: Ask) -> Any:
    """The largest supply that the maker of a card on it asks for."""
    asked = [ask("gpu.recommended_psu", card) for card in ask.graph.ends("feeds", psu)]
    if not asked:
        return ZERO
    if None in asked:
        return None
    return Interval(max(a.low for a in asked), max(a.high for a in asked))


@graph("psu.recommendation_is_stated", TRUTH)
def recommendation_is_stated(psu: Subject, ask: Ask) -> bool:
    """Does every card on it come with a maker's figure for the supply?"""
    return ask("psu.recommended_power", psu) is not None


@graph("psu.usable_power", units.POWER)
def usable_power(psu: Subject, ask: Ask) -> Interval:
    """Continuous output at the voltage of the site."""
    rated = ask.number("psu.rated_power", psu)
    low_line = ask("circuit.is_low_line")
    if low_line is False:
        return rated
    lower = _low_line_power(psu, ask, rated)
    return lower if low_line else lower.hull(rated)


def _low_line_power(psu: Subject, ask: Ask, rated: Interval) -> Interval:
    """Output at 100 to 127 V: as stated, else what the standard's cap leaves of it."""
    stated: Interval | None = ask("psu.rated_power_low_line", psu)
    if stated is not None:
        return stated
    cap = ask("psu.low_line_cap", psu)
    if cap is None:
        return Interval(0.0, rated.high)
    return Interval(min(rated.low, cap.low), min(rated.high, cap.high))


@graph("psu.low_line_rating_is_stated", TRUTH)
def low_line_rating_is_stated(psu: Subject, ask: Ask) -> bool | None:
    """Is its output on low mains voltage known, or small enough not to matter?"""
    if ask("psu.rated_power_low_line", psu) is not None:
        return True
    rated, cap = ask("psu.rated_power", psu), ask("psu.low_line_cap", psu)
    if rated is None or cap is None:
        return None if rated is None else False
    answer: bool | None = rated.is_at_most(cap)
    return answer
