"""The wall: the load of the fullest circuit, and how long it is sustained."""

from collections.abc import Sequence
from itertools import product

from buildcheck import units
from buildcheck.facts.registry import TRUTH, Ask, graph
from buildcheck.logic.quantity import UNKNOWN, ZERO, Interval
from buildcheck.logic.quantity import total as add_up
from buildcheck.model.graph import Subject
from buildcheck.model.part import USER


@graph("psu._inlet_current", units.CURRENT)
def inlet_current(psu: Subject, ask: Ask) -> Interval | None:
    """Current of its mains inlet; of one that is not stated that of the smallest, or any larger.

    A PSU capped by its standard is assumed to have a larger inlet.
    """
    if (stated := psu.value("current")) is not None:
        return stated  # type: ignore[no-any-return]
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
        of_all = fullest * ask.number("circuit.machine_count", circuit)
        return of_all + ask.number("circuit.aside", circuit)


_fullest("circuit.fullest_power", "psu.input_power")
_fullest("circuit.fullest_power_worst", "psu.input_power_worst")


def _spread(loads: list[Interval], pinned: list[int | None], number: int) -> list[Interval]:
    sums = _placed([ZERO] * number, loads, [pin and pin - 1 for pin in pinned])
    free = [load for load, pin in zip(loads, pinned, strict=True) if pin is None]
    if number ** len(free) > MOST_SPLITS:
        for load in sorted(free, key=_weight, reverse=True):
            place = min(range(number), key=lambda n: _weight(sums[n]))
            sums[place] += load
        return sums
    placed = (_placed(sums, free, split) for split in product(range(number), repeat=len(free)))
    return min(placed, key=lambda found: sorted(map(_weight, found), reverse=True))


def _placed(
    sums: list[Interval], loads: list[Interval], split: Sequence[int | None]
) -> list[Interval]:
    return [
        add_up([own, *(load for load, at in zip(loads, split, strict=True) if at == place)])
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
