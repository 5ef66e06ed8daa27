"""Power drawn: by GPUs, CPU and the rest, and what of it each PSU carries."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from buildcheck import units
from buildcheck.facts.registry import Ask, graph
from buildcheck.facts.supplies import carried
from buildcheck.logic.quantity import Interval, exact
from buildcheck.logic.quantity import total as add_up
from buildcheck.model.graph import Subject


def _booked(name: str, field: str) -> None:
    """Declare what all but GPUs and CPUs take, in W."""
    graph(name, units.POWER)(
        lambda build, ask: add_up(
            [ask.number(f"{end.kind}.{field}", end) for end in ask.graph.ends("books", build)]
        )
    )


_booked("build.booked_power", "typical_power")
_booked("build.booked_power_max", "max_power")


Of = Callable[["Subject"], Interval]


def drawn_by_cards(psu: Subject, ask: Ask, power: Of, slot: Of) -> Interval:
    """What a PSU gives to GPUs, which draw `power` each, of it `slot` through their slots.

    That is all of its own GPUs; but where another PSU powers the board, that one gives
    what they take through their slots.
    """
    own = [
        power(c) - slot(c) * _through_board(c, ask) if _is_split(c, ask) else power(c)
        for c in ask.graph.ends("feeds", psu)
    ]
    others = [c for c in ask.graph.of("card") if _is_split(c, ask)] if runs(psu, ask) else []
    return add_up([*own, *(slot(c) * _through_board(c, ask) for c in others)])


def runs(psu: Subject, ask: Ask) -> bool:
    """Is it the PSU that powers the board?"""
    return bool(ask.graph.out("runs", psu))


def _is_split(card: Subject, ask: Ask) -> bool:
    return bool(ask("gpu.has_psu_apart_from_board", card))


def _through_board(card: Subject, ask: Ask) -> Interval:
    """All or nothing of its slot power, or as much as may be."""
    takes = ask("gpu.takes_board_power", card)
    return Interval(0.0, 1.0) if takes is None else exact(float(takes))


def _drawn(name: str, power: str, slot: str) -> None:
    """Declare what GPUs draw from a PSU, in W: each `power`, of it `slot` through its slot."""

    @graph(name, units.POWER)
    def drawn(psu: Subject, ask: Ask) -> Interval:
        return drawn_by_cards(
            psu, ask, lambda c: ask.number(power, c), lambda c: ask.number(slot, c)
        )


_drawn("psu.card_power", "gpu.sustained_power", "gpu.slot_draw_now")
_drawn("psu.card_power_unlimited", "gpu.board_power", "gpu.slot_draw_unlimited")


def along(curve: tuple[tuple[float, float], ...], x: float) -> float:
    """A piecewise linear curve at x, held level beyond its ends."""
    if x <= curve[0][0]:
        return curve[0][1]
    for (x0, y0), (x1, y1) in pairwise(curve):
        if x <= x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return curve[-1][1]


def _load(name: str, cards: str, system: str) -> None:
    """Declare a load of a PSU, in W: of its GPUs, and of what the board feeds."""

    @graph(name, units.POWER)
    def load(psu: Subject, ask: Ask) -> Interval:
        return carried(psu, ask, lambda s: ask.number(cards, s) + ask.number(system, s))


_load("psu.train_load", "psu.card_power", "psu.system_power")
_load("psu.worst_load", "psu.card_power", "psu.system_power_worst")
_load("psu.unlimited_load", "psu.card_power_unlimited", "psu.system_power")
