"""12 V outputs of a PSU: what they carry together, and each rail by itself."""

from __future__ import annotations

import math
from typing import Any

from buildcheck import units
from buildcheck.facts.excursions import excursion
from buildcheck.facts.power import drawn_by_cards, runs
from buildcheck.facts.registry import Ask, graph
from buildcheck.facts.supplies import carried
from buildcheck.logic.quantity import ONE, ZERO, Interval
from buildcheck.model.graph import Subject

#: Peaks count at the duration that a rail's protection may still see.
_WINDOW = "1ms"


def _on_twelve_volt(name: str, cpu: str, load: str) -> None:
    """Declare the load on 12 V: GPUs and CPU draw it; how much of the rest does is not stated."""
    graph(name, units.POWER)(
        lambda psu, ask: Interval(
            carried(psu, ask, lambda s: _cards_and_cpu(s, ask, cpu)).low, ask.number(load, psu).high
        )
    )


def _cards_and_cpu(psu: Subject, ask: Ask, cpu: str) -> Interval:
    aside = ask.number("standard.slot_power") - ask.number("standard.slot_power_12v")
    aside = Interval(0.0, aside.high) if aside.is_known else ZERO

    def power(card: Subject) -> Interval:
        drawn = ask.number("gpu.sustained_power", card) - aside
        return Interval(max(0.0, drawn.low), drawn.high)

    cards = drawn_by_cards(psu, ask, power, lambda c: ask.number("gpu.slot_draw_now", c))
    return cards + (ask.number(cpu) if runs(psu, ask) else ZERO)


# Sustained, and with the CPU at full load.
_on_twelve_volt("psu.twelve_volt_load", "cpu.work_power", "psu.train_load")
_on_twelve_volt("psu.twelve_volt_load_worst", "cpu.most_power", "psu.worst_load")


@graph("psu.rail_peak", units.POWER)
def rail_peak(psu: Subject, ask: Ask) -> Any:
    """Peak on the fullest rail, the GPUs spread over the rails as evenly as they go.

    Whole GPUs are spread, and one rail is left to board and CPU. Those that share the
    fullest rail peak together.
    """
    rails = ask("psu.rails", psu)
    if rails is None:
        return None
    free = rails - ONE if ask.graph.out("runs", psu) else rails
    cards = ask.graph.ends("feeds", psu)
    peaks = [ask.number("gpu.cable_power", c) + excursion(c, _WINDOW, ask) for c in cards]
    # On the fullest rail, where they are spread evenly.
    many, few = (math.ceil(len(cards) / max(1.0, n)) for n in (free.low, free.high))
    low = sorted((p.low for p in peaks), reverse=True)[:few]
    high = sorted((p.high for p in peaks), reverse=True)[:many]
    return Interval(math.fsum(low), math.fsum(high))
