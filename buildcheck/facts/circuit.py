"""The wall: input power of each PSU, what its inlet allows, and current on the circuit."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.power import along
from buildcheck.facts.registry import TRUTH, Ask, gives, graph
from buildcheck.logic.quantity import UNKNOWN, Interval, exact
from buildcheck.logic.quantity import total as add_up
from buildcheck.model.part import USER

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject


@graph("circuit.is_low_line", TRUTH)
def is_low_line(circuit: Subject, ask: Ask) -> bool | None:
    """Is its voltage in the low range, 100 to 127 V?"""
    voltage, most = ask("circuit.voltage", circuit), ask("standard.low_line_max")
    if voltage is None or most is None:
        return None
    answer: bool | None = voltage.is_at_most(most)
    return answer


def mains_current(ask: Ask, watts: Interval) -> Any:
    """The current of a power, in W, at the site."""
    voltage, factor = ask("circuit.voltage"), ask("standard.power_factor")
    return None if voltage is None or factor is None else watts / (voltage * factor)


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


def makes_current(name: str, of: str) -> None:
    """Declare the current that a power makes at the site."""
    graph(name, units.CURRENT)(lambda subject, ask: mains_current(ask, ask.number(of, subject)))


# Sustained, at full CPU and GPU load, and in GPU excursions of 100 ms.
_drawn("psu.input_power", of="psu.train_load")
_drawn("psu.input_power_worst", of="psu.worst_load")
_drawn("psu.input_power_peak", of="psu.peak_load_100ms")
# Through inlet and cord, and on the fullest circuit.
makes_current("psu.input_current", of="psu.input_power")
makes_current("circuit.current", of="circuit.heaviest_power")
makes_current("circuit.worst_current", of="circuit.heaviest_power_worst")
makes_current("circuit.current_with_one_lost", of="circuit.power_with_one_lost")
# Of GPUs, CPU and the rest, without PSU losses.
makes_current("circuit.least_current", of="circuit.least_power")


@graph("psu.inlet_current", units.CURRENT)
def inlet_current(psu: Subject, ask: Ask) -> Any:
    """What its mains inlet is made for: North American ratings on low voltage, else IEC's."""
    low_line = ask("circuit.is_low_line")
    if low_line is None:
        return None
    return ask("psu.current" if low_line else "psu.current_iec", psu)


@graph("psu.states_inlet", TRUTH)
def states_inlet(psu: Subject, ask: Ask) -> bool:
    """Is it known which mains inlet it has?"""
    return psu.value("current") is not None and psu.value("current_iec") is not None


#: Ways to spread PSUs over circuits that are looked at; beyond it the largest goes first.
MOST_SPLITS = 4_096


gives("circuit.states_earth", "same_earth")
gives("circuit.states_cord", "cord_current")
gives("circuit.states_continuous", "continuous_current")


@graph("circuit.power", units.POWER)
def power(circuit: Subject, ask: Ask) -> Interval:
    """Sustained power of all PSUs and everything else on the circuit."""
    supply = ask.number("circuit.psu_input", circuit)
    if not ask.graph.out("supplies", circuit):
        # Any PSU draws at least the power of GPUs and CPU.
        supply = Interval(ask.number("build.least_power").low, math.inf)
    return supply + _other_load(circuit, ask)


def _other_load(circuit: Subject, ask: Ask) -> Interval:
    """Devices other than the machine, at the wall or on its UPS."""
    return ask.number("circuit.other_load", circuit) + ask.number("ups.added_load")


@graph("circuit.heaviest_power", units.POWER)
def heaviest_power(circuit: Subject, ask: Ask) -> Interval:
    """Power of the most loaded circuit, in W."""
    if not ask.graph.out("supplies", circuit):
        return Interval(ask.number("circuit.least_power", circuit).low, math.inf)
    if circuits(circuit) == 1:
        return ask.number("circuit.power", circuit)
    return _fullest(circuit, ask, "psu.input_power")


@graph("circuit.least_power", units.POWER)
def least_power(circuit: Subject, ask: Ask) -> Interval:
    """Least sustained power of the fullest circuit, without PSU losses.

    None gives more than it takes, and no spread leaves less than an even one.
    """
    least = ask.number("build.least_power") + _other_load(circuit, ask)
    return exact(least.low / circuits(circuit))


@graph("circuit.heaviest_power_worst", units.POWER)
def heaviest_power_worst(circuit: Subject, ask: Ask) -> Interval:
    """Power of the most loaded circuit at full CPU and GPU load, in W."""
    if not ask.graph.out("supplies", circuit):
        return ask.number("circuit.heaviest_power", circuit)
    if circuits(circuit) > 1:
        return _fullest(circuit, ask, "psu.input_power_worst")
    worst = ask.number("circuit.psu_input_worst", circuit)
    return worst + _other_load(circuit, ask)


@graph("circuit.power_with_one_lost", units.POWER)
def power_with_one_lost(circuit: Subject, ask: Ask) -> Interval:
    """Sustained power of the fullest circuit without one of them, the machine spread evenly."""
    left = max(1, circuits(circuit) - 1)
    return ask.number("circuit.psu_input", circuit) / exact(left) + _other_load(circuit, ask)


def circuits(circuit: Subject) -> int:
    """Circuits that the PSUs are spread over; one unless the build states more."""
    stated = circuit.value("circuits")
    return 1 if stated is None else max(1, int(stated.low))


def _fullest(circuit: Subject, ask: Ask, name: str) -> Interval:
    """The load of the fullest circuit, other devices on it included.

    PSUs that name no circuit are spread so that the fullest carries least.
    """
    edges = ask.graph.out("supplies", circuit)
    loads = [ask.number(name, ask.graph.subjects[e.end]) for e in edges]
    pinned = [e.data.get("circuit") for e in edges]
    sums = _spread(loads, pinned, circuits(circuit))
    fullest = Interval(max(s.low for s in sums), max(s.high for s in sums))
    return fullest + _other_load(circuit, ask)


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


@graph("circuit.has_psus", TRUTH)
def has_psus(circuit: Subject, ask: Ask) -> bool:
    """Does the build list any PSU?"""
    return bool(ask.graph.out("supplies", circuit))


@graph("circuit.one_for_each", units.NUMBER)
def one_for_each(circuit: Subject, ask: Ask) -> Interval | None:
    """Circuits if each PSU had its own; None where they have."""
    number = len(ask.graph.out("supplies", circuit))
    return exact(float(number)) if number > circuits(circuit) else None


@graph("circuit.is_one_of_several", TRUTH)
def is_one_of_several(circuit: Subject, ask: Ask) -> bool:
    """Are several PSUs spread over several circuits?"""
    return circuits(circuit) > 1 and len(ask.graph.out("supplies", circuit)) > 1


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
