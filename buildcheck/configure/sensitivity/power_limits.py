"""The least PSU and the smallest outlet for each power limit of all GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.configure.common import nearest
from buildcheck.configure.sensitivity.answer import LimitNeed, OutletAnswer
from buildcheck.edit import Change
from buildcheck.logic.parse import names
from buildcheck.rulebook.proposals import proposals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.configure.what_if import WhatIf

#: Steps of the power limit that are shown, as shares of the default.
STEP = 0.05
#: PSUs are tried from and to these ratings, in these steps, in W.
RATINGS = (100, 5000, 10)
_SITE = ("outlet", "country", "voltage", "breaker")


def limit_needs(what_if: WhatIf) -> Iterator[LimitNeed]:
    """The least PSU and the smallest outlet for each power limit of all GPUs."""
    gpus = what_if.report.graph.of("gpu")
    powers = [c.value("board_power") for c in gpus]
    if not all(powers) or len({(p.low, p.high) for p in powers}) > 1:
        # GPUs that differ have no common limit.
        return
    default = powers[0].high
    least = max((m.low for c in gpus if (m := c.value("power_limit_min"))), default=0.0)
    outlets = _outlets(what_if)
    for number in range(round((1 - proposals().least_limit) / STEP) + 1):
        share = 1 - number * STEP
        limit = round(default * share)
        if limit < least:
            break
        entries = range(len(what_if.data["gpus"]))
        held = [Change(("gpus", i, "power_limit"), f"{limit} W") for i in entries]
        walls = tuple(_walls(what_if, held, outlets))
        yield LimitNeed(limit, round(share, 2), _psu(what_if, held), walls)


def _psu(what_if: WhatIf, held: list[Change]) -> int | None:
    """The least rating of each PSU, in W, with which no PSU is overloaded."""
    psus = what_if.data.get("psus")
    if not psus:
        return None
    rules = {r.id for r in what_if.rulebook.rules if "psu.usable_power" in names(r.claim)}

    def passes(watts: int) -> bool:
        kept = [{k: v for k, v in p.items() if k in ("count", "circuit")} for p in psus]
        # What one PSU gives at a low voltage says nothing of another.
        rated = {"rated_power": f"{watts} W", "rated_power_low_line": f"{watts} W"}
        some = [{**rated, **k} for k in kept]
        return _passes(what_if, [*held, Change(("psus",), some)], rules)

    low, high, step = RATINGS
    if not passes(high):
        return None
    return step * nearest(high // step, low // step - 1, lambda n: passes(n * step))


def _outlets(what_if: WhatIf) -> dict[float, list[tuple[float, str]]]:
    """Outlets by voltage, the smallest first: at the build's place, or the usual ones."""
    local = _local(what_if)
    now = what_if.report.graph.the("circuit").value("voltage")
    volts = (now.high,) if now else proposals().mains
    found: dict[float, list[tuple[float, str]]] = {v: [] for v in volts}
    for part_id in what_if.catalog.ids("outlet"):
        part = what_if.catalog.part(part_id)
        voltage, breaker = (part.facts.get(n) for n in ("voltage", "breaker"))
        is_there = local is None or part_id in local
        if is_there and voltage and breaker and voltage.value.high in found:
            found[voltage.value.high].append((breaker.value.high, part.name))
    return {v: sorted(rows) for v, rows in found.items()}


def _local(what_if: WhatIf) -> set[str] | None:
    """The outlets where the build stands: of its country, else of all that have the one it names.

    None where the file gives neither.
    """
    circuit, catalog = what_if.report.graph.the("circuit"), what_if.catalog
    named, local = circuit.value("outlet"), circuit.value("outlets")
    if local is not None:
        return {catalog.find("outlet", name) for name in local}
    if named is None:
        return None
    here = catalog.find("outlet", named)
    found = {here}
    for part_id in catalog.ids("country"):
        fact = catalog.part(part_id).facts.get("outlets")
        ids = {catalog.find("outlet", name) for name in fact.value} if fact else set()
        found |= ids if here in ids else set()
    return found


def _walls(
    what_if: WhatIf, held: list[Change], outlets: dict[float, list[tuple[float, str]]]
) -> Iterator[OutletAnswer]:
    """The smallest outlet of each voltage with which no circuit is overloaded."""
    wall = {r.id for r in what_if.rulebook.rules if r.applies_to == "circuit"}
    site = what_if.data.get("site") or {}
    gone = [Change(("site", k), None) for k in _SITE if k in site and k != "outlet"]
    for volts, rows in outlets.items():
        tried = set()
        for amps, name in rows:
            if amps in tried:
                continue
            changes = [*held, Change(("site", "outlet"), name), *gone]
            if _passes(what_if, changes, wall) and what_if.keeps_circuit(changes):
                yield OutletAnswer(name, volts, amps)
                break
            tried.add(amps)


def _passes(what_if: WhatIf, changes: list[Change], rules: set[str]) -> bool:
    """Do some rules hold of the build with changes?"""
    found = what_if.judged(changes)
    return found is not None and not rules & (found.failed | found.unknown)
