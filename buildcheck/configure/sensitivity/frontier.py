"""The least supply and circuit for each power limit of all cards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.configure.sensitivity.model import Point
from buildcheck.edit import Change
from buildcheck.logic.parse import names
from buildcheck.proposals import proposals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.configure.sensitivity.desk import Desk

#: Steps of the power limit that are shown, as shares of the default.
STEP = 0.05
#: Supplies are looked at from and to these ratings, in these steps, in W.
RATINGS = (100, 5000, 10)
_SITE = ("outlet", "country", "voltage", "breaker")


def frontier(desk: Desk) -> Iterator[Point]:
    """The least supply and circuit for each power limit of all cards."""
    cards = desk.report.graph.of("gpu")
    powers = [c.value("board_power") for c in cards]
    if not all(powers) or len({(p.low, p.high) for p in powers}) > 1:
        # Cards that differ have no one limit.
        return
    default = powers[0].high
    least = max((m.low for c in cards if (m := c.value("power_limit_min"))), default=0.0)
    outlets = _outlets(desk)
    for number in range(round((1 - proposals().least_limit) / STEP) + 1):
        share = 1 - number * STEP
        limit = round(default * share)
        if limit < least:
            break
        entries = range(len(desk.data["gpus"]))
        held = [Change(("gpus", i, "power_limit"), f"{limit} W") for i in entries]
        yield Point(limit, round(share, 2), _supply(desk, held), tuple(_walls(desk, held, outlets)))


def _supply(desk: Desk, held: list[Change]) -> int | None:
    """The least rating of each supply, in W, with which no supply is overloaded."""
    psus = desk.data.get("psus")
    if not psus:
        return None
    supply = {r.id for r in desk.graves.rules if "psu.usable_power" in names(r.claim)}

    def passes(watts: int) -> bool:
        kept = [{k: v for k, v in p.items() if k in ("count", "circuit")} for p in psus]
        # What a supply of its own gives at a low voltage is not asked of any supply.
        rated = {"rated_power": f"{watts} W", "rated_power_low_line": f"{watts} W"}
        some = [{**rated, **k} for k in kept]
        return _passes(desk, [*held, Change(("psus",), some)], supply)

    low, high, step = RATINGS
    if not passes(high):
        return None
    bad, good = low // step - 1, high // step
    while good - bad > 1:
        middle = (good + bad) // 2
        if passes(middle * step):
            good = middle
        else:
            bad = middle
    return good * step


def _outlets(desk: Desk) -> dict[float, list[tuple[float, str]]]:
    """Outlets by voltage, the smallest first: at the build's place, or the usual ones."""
    local = _local(desk)
    now = desk.report.graph.the("circuit").value("voltage")
    volts = (now.high,) if now else proposals().mains
    found: dict[float, list[tuple[float, str]]] = {v: [] for v in volts}
    for part_id in desk.catalog.ids("outlet"):
        part = desk.catalog.part(part_id)
        voltage, breaker = (part.facts.get(n) for n in ("voltage", "breaker"))
        is_there = local is None or part_id in local
        if is_there and voltage and breaker and voltage.value.high in found:
            found[voltage.value.high].append((breaker.value.high, part.name))
    return {v: sorted(rows) for v, rows in found.items()}


def _local(desk: Desk) -> set[str] | None:
    """The outlets where the build stands: of its country, else of all that have the one it names.

    None where neither is said.
    """
    circuit, catalog = desk.report.graph.the("circuit"), desk.catalog
    named, local = circuit.value("outlet"), circuit.value("outlets")
    if local is not None:
        return {catalog.find("outlet", name) for name in local}
    if named is None:
        return None
    here = catalog.find("outlet", named)
    found = {here}
    for part_id in catalog.ids("country"):
        said = catalog.part(part_id).facts.get("outlets")
        ids = {catalog.find("outlet", name) for name in said.value} if said else set()
        found |= ids if here in ids else set()
    return found


def _walls(
    desk: Desk, held: list[Change], outlets: dict[float, list[tuple[float, str]]]
) -> Iterator[tuple[str, float, float]]:
    """The least outlet of each voltage with which no circuit is overloaded."""
    wall = {r.id for r in desk.graves.rules if r.applies_to == "circuit"}
    site = desk.data.get("site") or {}
    gone = [Change(("site", k), None) for k in _SITE if k in site and k != "outlet"]
    for volts, rows in outlets.items():
        tried = set()
        for amps, name in rows:
            if amps in tried:
                continue
            if _passes(desk, [*held, Change(("site", "outlet"), name), *gone], wall):
                yield name, volts, amps
                break
            tried.add(amps)


def _passes(desk: Desk, changes: list[Change], rules: set[str]) -> bool:
    """Do some rules hold of the build with changes?"""
    said = desk.judged(changes)
    return said is not None and not rules & (said.failed | said.unknown)
