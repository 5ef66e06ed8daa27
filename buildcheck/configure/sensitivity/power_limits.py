"""The least PSU and the smallest outlet for each power limit of all GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.configure.common import circuit_warnings, nearest
from buildcheck.configure.decisions import OUTLET, outlets_of
from buildcheck.configure.sensitivity.answer import LimitNeed, OutletAnswer
from buildcheck.edit import Change
from buildcheck.logic.parse import names
from buildcheck.rulebook.proposals import proposals

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from buildcheck.configure.decisions import Outlet
    from buildcheck.configure.trial import Trials

#: Steps of the power limit that are shown, as shares of the default.
STEP = 0.05
#: PSUs are tried from and to these ratings, in these steps, in W.
RATINGS = (100, 5000, 10)


def limit_needs(trials: Trials) -> Iterator[LimitNeed]:
    """The least PSU and the smallest outlet for each power limit of all GPUs."""
    gpus = trials.report.graph.of("gpu")
    powers = [c.value("board_power") for c in gpus]
    if not all(powers) or len({(p.low, p.high) for p in powers}) > 1:
        # GPUs that differ have no common limit.
        return
    default = powers[0].high
    least = max((m.low for c in gpus if (m := c.value("power_limit_min"))), default=0.0)
    outlets = _outlets(trials)
    for number in range(round((1 - proposals().least_limit) / STEP) + 1):
        share = 1 - number * STEP
        limit = round(default * share)
        if limit < least:
            break
        entries = range(len(trials.data["gpus"]))
        held = [Change(("gpus", i, "power_limit"), f"{limit} W") for i in entries]
        walls = tuple(_walls(trials, held, outlets))
        yield LimitNeed(limit, round(share, 2), _psu(trials, held), walls)


def _psu(trials: Trials, held: list[Change]) -> int | None:
    """The least rating of each PSU, in W, with which no PSU is overloaded."""
    psus = trials.data.get("psus")
    if not psus:
        return None
    rules = {r.id for r in trials.judging.rulebook.rules if "psu.usable_power" in names(r.claim)}

    def passes(watts: int) -> bool:
        kept = [{k: v for k, v in p.items() if k in ("count", "circuit")} for p in psus]
        # What one PSU gives at a low voltage says nothing of another.
        rated = {"rated_power": f"{watts} W", "rated_power_low_line": f"{watts} W"}
        some = [{**rated, **k} for k in kept]
        return _passes(trials, [*held, Change(("psus",), some)], rules)

    low, high, step = RATINGS
    if not passes(high):
        return None
    return step * nearest(high // step, low // step - 1, lambda n: passes(n * step))


def _outlets(trials: Trials) -> dict[float, list[Outlet]]:
    """Outlets by voltage, the smallest first: of the build's country, or the usual ones.

    Without a country they are of all that have the outlet it names.
    """
    circuit, catalog = trials.report.graph.the("circuit"), trials.catalog

    def ids(names: Iterable[str]) -> set[str]:
        return {catalog.find("outlet", name) for name in names}

    now, name, local = (circuit.value(n) for n in ("voltage", "outlet", "outlets"))
    here = ids(local or ([name] if name else []))
    facts = (catalog.part(part).facts.get("outlets") for part in catalog.ids("country"))
    others = [ids(fact.value) for fact in facts if fact and not local]
    near = here.union(*(of for of in others if of & here))
    return {
        v: [o for o in outlets_of(catalog) if o.volts == v and (o.part in near or not near)]
        for v in ((now.high,) if now else proposals().mains)
    }


def _walls(
    trials: Trials, held: list[Change], outlets: dict[float, list[Outlet]]
) -> Iterator[OutletAnswer]:
    """The smallest outlet of each voltage with which no circuit is overloaded."""
    wall = {r.id for r in trials.judging.rulebook.rules if r.applies_to == "circuit"}
    site = trials.data.get("site") or {}
    gone = [Change(("site", k), None) for k in OUTLET if k in site and k != "outlet"]
    for volts, rows in outlets.items():
        # Of outlets with one breaker the first is tried.
        for _, one in sorted({o.amps: o for o in reversed(rows)}.items()):
            changes = [*held, Change(("site", "outlet"), one.name), *gone]
            if _passes(trials, changes, wall, lasting=True):
                yield OutletAnswer(one.name, volts, one.amps)
                break


def _passes(
    trials: Trials, changes: list[Change], rules: set[str], *, lasting: bool = False
) -> bool:
    """Do some rules hold of the build with changes, where it is `lasting` without a warning?"""
    found = trials.after(trials.data, changes)
    if found is None or any(rule in rules for rule, _ in found.fails | found.unknown):
        return False
    return not lasting or bool(found.report and not circuit_warnings(found.report))
