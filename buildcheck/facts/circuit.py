"""The wall: input power of each PSU, what its inlet allows, and current on the circuit."""

from __future__ import annotations

from itertools import product

from buildcheck import units
from buildcheck.facts.power import along
from buildcheck.facts.registry import TRUTH, Ask, graph
from buildcheck.logic.quantity import UNKNOWN, Interval, exact
from buildcheck.logic.quantity import total as add_up
from buildcheck.model.graph import Subject
from buildcheck.model.part import USER


def _input(psu: Subject, ask: Ask, load: Interval) -> Interval:
    """Input power for an output load, by the PSU's efficiency curve."""
    rated = ask.number("psu.rated_power", psu)
    # Without a site the low mains voltage is assumed, where PSUs are less efficient.
    high_line = ask("circuit.is_low_line") is False
    curve = ask("psu.efficiency_high_line" if high_line else "psu.efficiency_low_line", psu)
    if curve is None:
        # No PSU gives more than it takes.
        return Interval(load.low, UNKNOWN.high)
    share = load / rated
    inside = [y for x, y in curve if share.low <= x <= share.high]
    reached = [along(curve, share.low), along(curve, share.high), *inside]
    return Interval(load.low / max(reached), load.high / min(reached))


def _drawn(name: str, of: str) -> None:
    """Declare the power from the wall at a load."""
    graph(name, units.POWER)(lambda psu, ask: _input(psu, ask, ask.number(of, psu)))


# Sustained, at full CPU and GPU load, and in GPU excursions of 100 ms.
_drawn("psu.input_power", of="psu.train_load")
_drawn("psu.input_power_worst", of="psu.worst_load")
_drawn("psu.input_power_peak", of="psu.peak_load_100ms")


@graph("psu.inlet_allowance", units.POWER)
def inlet_allowance(psu: Subject, ask: Ask) -> Interval | None:
    """Output that the current of its mains inlet allows at full load."""
    voltage = ask("circuit.voltage") or ask("psu.mains_voltage", psu)
    current = psu.value("current") or _some_inlet(psu, ask)
    factor, curve = ask("standard.power_factor"), ask("psu.efficiency_low_line", psu)
    if current is None or factor is None:
        return None
    efficiency = Interval(0.0, 1.0) if curve is None else exact(along(curve, 1.0))
    power: Interval = voltage * current * factor * efficiency
    return power


def _some_inlet(psu: Subject, ask: Ask) -> Interval | None:
    """Current of an inlet that is not stated: the smallest, or any larger one.

    A PSU capped by its standard is assumed to have a larger inlet.
    """
    rated, cap = ask.number("psu.rated_power", psu), ask("psu.standard_allowance", psu)
    smallest = ask("standard.inlet_least")
    if smallest is None or cap is None or not rated.is_at_most(cap):
        return None
    ask("psu.inlet", psu)
    return Interval(smallest.low, UNKNOWN.high)


#: Ways to spread PSUs over circuits that are looked at; beyond it the largest goes first.
MOST_SPLITS = 4_096


def _fullest(name: str, load: str) -> None:
    """Declare the load of the fullest circuit, other devices on it included.

    PSUs that name no circuit are spread so that the fullest carries least.
    """

    @graph(name, units.POWER)
    def fullest(circuit: Subject, ask: Ask) -> Interval:
        edges = ask.graph.out("supplies", circuit)
        loads = [ask.number(load, ask.graph.subjects[e.end]) for e in edges]
        pinned = [e.data.get("circuit") for e in edges]
        sums = _spread(loads, pinned, int(ask.number("circuit.spread", circuit).low))
        fullest = Interval(max(s.low for s in sums), max(s.high for s in sums))
        return fullest + ask.number("circuit.aside", circuit)


_fullest("circuit.fullest_power", "psu.input_power")
_fullest("circuit.fullest_power_worst", "psu.input_power_worst")


def _spread(loads: list[Interval], pinned: list[int | None], number: int) -> list[Interval]:
    sums = [
        add_up([load for load, pin in zip(loads, pinned, strict=True) if pin == place + 1])
        for place in range(number)
    ]
    free = [load for load, pin in zip(loads, pinned, strict=True) if pin is None]
    if number ** len(free) > MOST_SPLITS:
        for load in sorted(free, key=_weight, reverse=True):
            place = min(range(number), key=lambda n: _weight(sums[n]))
            sums[place] += load
        return sums
    splits = product(range(number), repeat=len(free))
    placed = (_placed(sums, free, split) for split in splits)
    return min(placed, key=lambda found: sorted(map(_weight, found), reverse=True))


def _placed(sums: list[Interval], free: list[Interval], split: tuple[int, ...]) -> list[Interval]:
    return [
        add_up([own, *(load for load, at in zip(free, split, strict=True) if at == place)])
        for place, own in enumerate(sums)
    ]


def _weight(load: Interval) -> float:
    return load.high if load.is_known else load.low


@graph("workload.is_stated_to_last", TRUTH)
def is_stated_to_last(workload: Subject, ask: Ask) -> bool | None:
    """Does the build itself state that the load is sustained? A default does not count."""
    if ask("workload.runs_nonstop", workload):
        return True
    stated = (workload.facts.get(name) for name in ("kind", "is_sustained"))
    if not any(fact is not None and fact.source == USER for fact in stated):
        return False
    lasts: bool | None = ask("workload.is_sustained", workload)
    return lasts
