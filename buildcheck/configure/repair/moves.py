"""What can be tried to fix a build: what `rules/moves.yaml` states, and what its parts allow."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

from buildcheck.configure import decisions
from buildcheck.configure.common import phrase
from buildcheck.configure.repair.accessories import ACCESSORIES, CIRCUIT, Ways
from buildcheck.configure.trial import Trial
from buildcheck.edit import Change
from buildcheck.facts.limits import speed_at
from buildcheck.logic.quantity import exact, number_text
from buildcheck.model.build import LISTS
from buildcheck.model.graph import Subject, by_key
from buildcheck.model.part import Part
from buildcheck.rulebook.moves import MoveRules
from buildcheck.rulebook.moves import moves as move_rules
from buildcheck.rulebook.proposals import proposals

KINDS = ("setting", "accessory", "swap")
#: What is offered last.
FEWER = "fewer cards"
#: Two supplies of another model in the place of one.
TWO_SUPPLIES = "two supplies"
#: Exchanged together, where one of them alone does not help.
PLATFORM_FAMILY = "platform"
#: Settings that can be needed after accessories: the circuits of a second PSU.
_AFTER = {"circuits": (1, "second PSU"), "outlet": (2, "")}


@dataclass(frozen=True)
class Move:
    """What can be done about one failing build, the least first.

    Where there are no `ways` yet, `pick` finds them when they are wanted.
    """

    family: str
    of: MoveRules
    ways: tuple[decisions.Decision, ...] = ()
    pick: Callable[[], Iterable[decisions.Decision]] = tuple

    @property
    def place(self) -> tuple[int, str]:
        """Moves are made in this order, so that each set of them is looked at once."""
        return _AFTER.get(self.family, (KINDS.index(self.of.kind), self.family))


def go_together(taken: frozenset[str], family: str) -> bool:
    """May a move be made after others?"""
    if "limit" in family and any("limit" in f for f in taken):
        return False
    rules = move_rules()
    instead = rules[family].instead if family in rules else ()
    others = (rules[other].instead for other in taken if other in rules)
    return taken.isdisjoint(instead) and not any(family in other for other in others)


def stated_moves(trial: Trial) -> Iterator[Move]:
    """All moves a build allows but those that exchange parts, in the order of the file."""
    for name, of in move_rules().items():
        found = _WAYS[name](trial) if name in _WAYS else _by_data(trial, of)
        for key, ways in by_key((way.key, way) for way in found).items():
            yield Move(f"{name} {key}".strip(), of, tuple(ways))


def _by_data(trial: Trial, of: MoveRules) -> Ways:
    """The ways of a move that the file states: what is set, one by one, or taken out."""
    for place, value in of.set.items():
        path = tuple(place.split("."))
        section = trial.plain.get(path[0])
        now = section.get(path[-1]) if isinstance(section, dict) else section
        # One value may be another way to write the other, such as 0 for `0 W`.
        is_so = now == value or (isinstance(value, str) and str(now) == value.split()[0])
        if not is_so and (now is not None or place in of.unstated):
            way = _decided(of, (Change(path, value),), path[-1], now)
            yield replace(way, key=path[-1] if len(of.set) > 1 else "")
    changes = [change for place in of.unset for change in _unset(trial, *place.split("."))]
    if changes:
        yield _decided(of, tuple(changes), str(changes[0].path[-1]), None)


def _unset(trial: Trial, section: str, key: str = "") -> Iterator[Change]:
    if section not in LISTS:
        yield from [Change((section,), None)] * bool(trial.section(section))
        return
    for number, entry in enumerate(trial.entries(section)):
        if entry.get(key) not in (None, False):
            yield Change((section, number, key), None)


def _decided(of: MoveRules, changes: tuple[Change, ...], key: str, now: Any) -> decisions.Decision:
    code, *names = of.say
    values = {name: key if name == "key" else now for name in names}
    buys = (decisions.Bought(item=of.buys),) * len(changes) if of.buys else ()
    return decisions.Decision(changes, (phrase(code, **values),), buys)


# Settings: limits, circuits, outlets


def _limits(trial: Trial, *, is_deep: bool = False) -> Ways:
    """Limits of all entries together, and of each; where one is refused, the nearest.

    Those that leave the speed that makes sense, or the deeper ones.
    """
    entries, step = decisions.limited_entries(trial.facts)[0], round(proposals().limit_step)
    of, tops = {e.number: e for e in entries}, dict[int, int]()
    for entry in entries:
        # The highest limit below the present one, in whole steps.
        now = trial.facts("gpu.power_limit", entry.gpus[0])
        below = (entry.default if now is None else float(now.low)) - 1
        tops[entry.number] = round(below // step * step)
    found: dict[str, list[dict[int, int]]] = {}
    if len(entries) > 1 and all(e.least <= tops[e.number] for e in entries):
        found[""] = [w for _, w in decisions.common_limits(entries, proposals().least_limit, tops)]
    for entry in entries:
        top, low = tops[entry.number], entry.at(0)
        downwards = range(top, low - 1, -step) if top >= entry.least else [low]
        name = "" if len(entries) == 1 else str(entry.number + 1)
        found[name] = [{entry.number: watts} for watts in downwards]
    is_deep_at = cache(lambda number, watts: _is_deep(trial, of[number], watts))
    for key, steps in found.items():
        for watts in steps:
            if is_deep is any(is_deep_at(*one) for one in watts.items()):
                yield _limited(trial, [of[n] for n in watts], watts, key)


def _is_deep(trial: Trial, entry: decisions.LimitedEntry, watts: int) -> bool:
    """Does a limit leave less speed than makes sense, by its share where that is not measured?"""
    if watts >= entry.default:
        return False
    speed = speed_at(entry.gpus[0], trial.facts, exact(float(watts)))
    if speed is None:
        return watts < proposals().limit_shares[-1] * entry.default
    return bool(speed.low < proposals().least_limited_speed)


def _limited(
    trial: Trial, entries: list[decisions.LimitedEntry], watts: dict[int, int], key: str
) -> decisions.Decision:
    rows = [
        {"gpu": of.gpus[0].name, "count": len(of.gpus), "watts": watts[of.number]}
        | {"default": of.default}
        for of in entries
    ]
    changes = tuple(decisions.limit_changes(trial.plain, watts))
    return decisions.Decision(changes, (phrase("limit", limits=rows),), key=key)


def _turbo(trial: Trial) -> Ways:
    """The CPU at its base power."""
    cpu = trial.graph.subjects.get("cpu")
    if cpu is None or not cpu.listed:
        return
    base, turbo = cpu.value("base_power"), cpu.value("turbo_power")
    if base and base.is_exact and (turbo is None or turbo.high > base.high):
        change = Change(("cpu", "turbo_power"), f"{number_text(base.high)} W")
        yield decisions.Decision((change,), (phrase("no-turbo", watts=base.high),))


def _circuits(trial: Trial) -> Ways:
    """Two circuits for several PSUs, without and with one earth."""
    number = len(trial.graph.of("psu"))
    if number > 1 and trial.section("site").get("circuits") in (None, 1):
        apart = (*trial.unset("psus", "circuit"), Change(("site", "circuits"), 2))
        earth = (*apart, Change(("site", "same_earth"), True))
        for changes, one in ((apart, False), (earth, True)):
            said = phrase("two-circuits", psus=number, one_earth=one)
            yield decisions.Decision(changes, (said,), (CIRCUIT,))


def _outlets(trial: Trial) -> Ways:
    """Stronger outlets of the same country, the weakest first."""
    site, circuit = trial.section("site"), trial.graph.subjects["site"]
    now, volts, catalog = _sustained(circuit), circuit.value("voltage"), trial.trials.catalog
    outlets = [o for o in map(catalog.part, catalog.ids("outlet")) if _sustained(o)]
    if name := site.get("outlet") or circuit.value("outlet"):
        alike = [catalog.known("outlet", str(name)) or ""]
    else:
        alike = [o.id for o in outlets if volts and o.value("voltage").high == volts.low]
    # Those of a country are of one standard; where several have this voltage it is not known which.
    standards = {part.rpartition("/")[0] for part in alike}
    if not site or not now or len(standards) != 1:
        return
    stated = [key for key in ("voltage", "breaker", "continuous_current") if key in site]
    dropped = tuple(Change(("site", key), None) for key in stated)
    stronger = (o for o in outlets if o.id.rpartition("/")[0] in standards and _sustained(o) > now)
    for one in sorted(stronger, key=lambda o: (_sustained(o), o.name)):
        change, said = Change(("site", "outlet"), one.name), phrase("outlet", name=one.name)
        yield decisions.Decision(
            (change, *dropped), (said,), (decisions.Bought(item="electrician"),)
        )


def _sustained(circuit: Subject | Part) -> float:
    """Sustained power of a circuit, in W, from its own figure or its breaker; 0 if not known."""
    volts = circuit.value("voltage")
    amps = circuit.value("continuous_current") or circuit.value("breaker")
    return 0.0 if volts is None or amps is None else float(volts.low * amps.low)


#: What finds the ways of moves that depend on the parts that are there.
_WAYS = ACCESSORIES | {
    "limit": _limits,
    "deep limit": partial(_limits, is_deep=True),
    "turbo": _turbo,
    "circuits": _circuits,
    "outlet": _outlets,
}
