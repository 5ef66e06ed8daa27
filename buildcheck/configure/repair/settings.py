"""What can be set otherwise without buying anything: limits, circuits, outlets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck.configure.common import action
from buildcheck.configure.decisions import (
    Bought,
    Decision,
    common_limits,
    limit_changes,
    limited_entries,
    outlets_of,
    strength,
)
from buildcheck.edit import Change
from buildcheck.logic.quantity import number_text
from buildcheck.rulebook.proposals import proposals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.catalog import Catalog
    from buildcheck.configure.decisions import LimitedEntry
    from buildcheck.configure.trial import Trial
    from buildcheck.model.graph import Subject

    Ways = Iterator[Decision]
    Numbered = dict[str, list[Decision]]

#: What a further circuit asks for.
CIRCUIT = Bought(None, 1, item="circuit")
#: Mains voltages, in V, that one country's outlets alone have.
_BY_VOLTAGE = {100.0: "jis", 120.0: "nema", 208.0: "nema"}


def _limits(trial: Trial, _: Catalog) -> Numbered:
    """Limits of all entries together, and of each; where one is refused, the nearest."""
    entries, step = limited_entries(trial.facts)[0], round(proposals().limit_step)
    found: dict[str, list[Decision]] = {}
    tops = {e.number: _top(trial, e) for e in entries}
    if len(entries) > 1 and all(e.least <= tops[e.number] for e in entries):
        steps = common_limits(entries, proposals().least_limit, tops)
        found[""] = [_limited(trial, entries, watts) for _, watts in steps]
    for entry in entries:
        top, low = tops[entry.number], entry.at(0)
        downwards = range(top, low - 1, -step) if top >= entry.least else [low]
        name = "" if len(entries) == 1 else str(entry.number + 1)
        found[name] = [_limited(trial, [entry], {entry.number: watts}) for watts in downwards]
    return found


def _top(trial: Trial, entry: LimitedEntry) -> int:
    """The highest limit below the present one, in whole steps."""
    now, step = trial.facts("gpu.power_limit", entry.gpus[0]), proposals().limit_step
    below = (entry.default if now is None else float(now.low)) - 1
    return round(below // step * step)


def _limited(trial: Trial, entries: list[LimitedEntry], watts: dict[int, int]) -> Decision:
    rows = [
        {
            "gpu": entry.gpus[0].name,
            "count": len(entry.gpus),
            "watts": watts[entry.number],
            "default": entry.default,
        }
        for entry in entries
    ]
    return Decision(tuple(limit_changes(trial.plain, watts)), (action("limit", limits=rows),))


def _turbo(trial: Trial, _: Catalog) -> Ways:
    """The CPU at its base power."""
    cpu = trial.graph.subjects.get("cpu")
    if cpu is None or not cpu.listed:
        return
    base, turbo = cpu.value("base_power"), cpu.value("turbo_power")
    if base and base.is_exact and (turbo is None or turbo.high > base.high):
        change = Change(("cpu", "turbo_power"), f"{number_text(base.high)} W")
        yield Decision((change,), (action("no-turbo", watts=base.high),))


def _circuits(trial: Trial, _: Catalog) -> Ways:
    """Two circuits for several PSUs, without and with one earth."""
    number = len(trial.graph.of("psu"))
    if number > 1 and trial.section("site").get("circuits") in (None, 1):
        apart = (*trial.unset("psus", "circuit"), Change(("site", "circuits"), 2))
        earth = (*apart, Change(("site", "same_earth"), True))
        for changes, one in ((apart, False), (earth, True)):
            said = action("two-circuits", psus=number, one_earth=one)
            yield Decision(changes, (said,), (CIRCUIT,))


def _outlets(trial: Trial, catalog: Catalog) -> Ways:
    """Stronger outlets of the same country, the weakest first."""
    site = trial.section("site")
    circuit = trial.graph.subjects["site"]
    now, maker = strength(circuit.value), _standard(site, circuit, catalog)
    if not site or not now or not maker:
        return
    stated = [key for key in ("voltage", "breaker", "continuous_current") if key in site]
    dropped = tuple(Change(("site", key), None) for key in stated)
    stronger = (o for o in outlets_of(catalog) if o.part.split("/")[1] == maker and o.watts > now)
    for one in sorted(stronger, key=lambda one: (one.watts, one.name)):
        change, said = Change(("site", "outlet"), one.name), action("outlet", name=one.name)
        yield Decision((change, *dropped), (said,), (Bought(None, 1, item="electrician"),))


def _standard(site: dict[str, Any], circuit: Subject, catalog: Catalog) -> str:
    """The body whose outlets the site has; empty if not stated."""
    name = site.get("outlet") or circuit.value("outlet")
    if name:
        try:
            return catalog.find("outlet", str(name)).split("/")[1]
        except LookupError:
            return ""
    volts = circuit.value("voltage")
    return _BY_VOLTAGE.get(volts.low, "") if volts is not None else ""


#: What finds the ways of a move; of several, each by what is added to its name.
SETTINGS = {
    "limit": _limits,
    "turbo": _turbo,
    "circuits": _circuits,
    "outlet": _outlets,
}
