"""PSU cables whose heads feed several GPUs: what all of them draw through one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck import units
from buildcheck.facts.plugs import SIXTEEN_PIN
from buildcheck.facts.registry import TRUTH, Ask, graph
from buildcheck.model.quantity import ZERO, Interval, exact
from buildcheck.model.quantity import total as add_up

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject


def _loads(psu: Subject, ask: Ask) -> dict[str, list[Interval]]:
    """What each GPU draws through each listed cable: its share by the heads it has there."""
    found: dict[str, list[Interval]] = {}
    for edge in ask.graph.out("cabled", psu):
        card = ask.graph.subjects[edge.end]
        runs: dict[str, int] = edge.data["runs"]
        if card.kind != "gpu" or not runs:
            continue
        power, heads = ask.number("gpu.cable_power", card), sum(runs.values())
        for run, number in runs.items():
            found.setdefault(run, []).append(power * exact(number / heads))
    return found


def _fullest(psu: Subject, ask: Ask, *, sixteen_pin: bool) -> Interval:
    loads = [
        add_up(shares)
        for run, shares in _loads(psu, ask).items()
        if len(shares) > 1 and run.startswith(SIXTEEN_PIN) == sixteen_pin
    ]
    return Interval(max(x.low for x in loads), max(x.high for x in loads)) if loads else ZERO


@graph("psu.has_cables_for_several_cards", TRUTH)
def has_cables_for_several_cards(psu: Subject, ask: Ask) -> bool:
    """Does one of its listed cables feed more than one GPU?"""
    return any(len(shares) > 1 for shares in _loads(psu, ask).values())


@graph("psu.fullest_shared_cable", units.POWER)
def fullest_shared_cable(psu: Subject, ask: Ask) -> Interval:
    """What several GPUs draw together through the fullest cable with 6- or 8-pin plugs."""
    return _fullest(psu, ask, sixteen_pin=False)


@graph("psu.fullest_shared_sixteen_pin", units.POWER)
def fullest_shared_sixteen_pin(psu: Subject, ask: Ask) -> Interval:
    """Highest load of a shared cable with 16-pin plugs, in W."""
    return _fullest(psu, ask, sixteen_pin=True)
