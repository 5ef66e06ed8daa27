"""Replacing parts: whether another part can replace one, and what changes in the file.

Board, CPU, memory and cooler are exchanged together: the cheapest with which the rest passes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any

from buildcheck.configure.decisions import settings_of
from buildcheck.configure.search.classes import PartClass
from buildcheck.configure.search.conflicts import Store
from buildcheck.configure.search.law import FAIL
from buildcheck.configure.search.search import Search
from buildcheck.configure.search.space import Option, Unit, options_of
from buildcheck.configure.stopping import go_on
from buildcheck.configure.trial import Trial
from buildcheck.edit import Change
from buildcheck.logic.quantity import Interval, exact
from buildcheck.model.build import SECTION_KIND, SINGLES
from buildcheck.model.graph import Subject
from buildcheck.rulebook.moves import MoveRules
from buildcheck.rulebook.proposals import proposals

#: Most drives of one model that are considered as a replacement.
MOST_DRIVES = 8
#: What interfaces of drives with platters are called.
_SPINS = "HDD"
#: What pins a part to a place on the board.
_PLACES = {"gpus": "slots", "add_in_cards": "slots", "storage": "socket"}
#: What stays with an entry when its part is another.
_KEPT = {
    "gpus": tuple(sorted(settings_of("gpus") - {"note"})),
    "psus": ("count", "circuit"),
    "cpu": ("count",),
}
#: What has to match on a board, the firmest first.
PLATFORM = ("motherboard", "cpu", "memory", "cpu_cooler")
#: Nodes that are looked at for each set of parts.
MOST_NODES = 1500


def listed_in(trial: Trial, role: str) -> list[Subject]:
    """The parts that the file lists for a role."""
    return [s for s in trial.own[role].given if s.listed and s.path]


def kept_settings(trial: Trial, role: str) -> tuple[tuple[str, Any, Any], ...]:
    """What stays set with another part, as plain data and as facts."""
    entry, there = trial.first_entry(role), listed_in(trial, role)
    facts = there[0].facts if there else {}
    names = (name for name in _KEPT.get(role, ()) if name in entry and name in facts)
    return tuple((name, entry[name], facts[name].value) for name in names)


def is_described(role: str, sort: PartClass) -> bool:
    """Is known of a part what matters most?"""
    needs = (name.partition(".") for name in proposals().needed_to_replace)
    return all(sort.value(field) is not None for of, _, field in needs if of == role)


def is_as_good(sort: PartClass, now: Subject) -> bool:
    """Has another card as much memory, the same maker of chips, and nearly the speed?"""
    memory, speed = now.value("memory"), now.value("fp32_rate")
    more: Interval | None = sort.value("memory")
    faster: Interval | None = sort.value("fp32_rate")
    maker = str(now.value("architecture") or "").partition("/")[0]
    if memory is None or more is None or more.low < memory.low:
        return False
    least = proposals().other_card_speed
    if speed is not None and (faster is None or faster.low < least * speed.high):
        return False
    if sort.value("display_outputs") is False and now.value("display_outputs") is not False:
        return False
    return not maker or maker in str(sort.value("architecture") or maker)


def numbers_for(trial: Trial, role: str, sort: PartClass) -> Iterable[int]:
    """Numbers of a part that are proposed in a role, and do as much as what is there."""
    if role == "psus":
        return range(1, min(proposals().most_supplies, len(trial.graph.of("psu"))) + 1)
    if role == "memory":
        return _kits(trial, sort)
    if role == "storage":
        return _drives(trial, sort)
    return (trial.first_entry(role).get("count", 1),)


def _kits(trial: Trial, sort: PartClass) -> list[int]:
    """Numbers of a kit of memory that hold as much as the build has."""
    total = trial.facts("memory.total")
    least = total.low if total is not None and total.is_known else 0.0
    module, kit = sort.value("module"), sort.value("kit_modules") or exact(1.0)
    return [n for n in (proposals().kits if module else ()) if module.low * kit.low * n >= least]


def _drives(trial: Trial, sort: PartClass) -> tuple[int, ...]:
    """The fewest drives of a model that hold as much as those of the build."""
    drives, capacity = trial.graph.of("storage"), sort.value("capacity")
    sizes = [(s.value("capacity"), s.count) for s in drives if s.listed]
    if _SPINS in str(sort.value("interface")) and not all(
        _SPINS in str(s.value("interface")) for s in drives
    ):
        # Nobody takes a slower kind of drive for want of a socket.
        return ()
    if not sizes or capacity is None or any(size is None for size, _ in sizes):
        return ()
    number = math.ceil(sum(size.high * count for size, count in sizes) / capacity.low)
    return (number,) if number <= MOST_DRIVES else ()


def unpinned(trial: Trial) -> Iterator[tuple[str, int, str]]:
    """Sections, entries and keys that pin parts to places of the present board."""
    for section, key in _PLACES.items():
        for index, entry in enumerate(trial.entries(section)):
            if key in entry:
                yield section, index, key


def replacement(trial: Trial, role: str, unit: Unit, name: str) -> Iterator[Change]:
    """Another part where the old one stood, with what belonged to the old one taken away."""
    plain: Any = trial.plain[role]
    entries = plain if isinstance(plain, list) else [plain]
    raw = trial.data[role]
    at: tuple[str | int, ...] = (role,) if role in SINGLES else (role, 0)
    for number in range(len(entries) - 1, 0, -1):
        yield Change((role, number), None)
    stands = raw[0] if isinstance(raw, list) else raw
    count = {"count": unit.number} if unit.number > 1 else {}
    kept = {n: text for n, text, _ in unit.settings if n != "count"}
    if not isinstance(stands, dict) or "part" not in stands:
        yield Change(at, {"part": name, **count, **kept} if count or kept else name)
        return
    yield Change((*at, "part"), name)
    for key in stands:
        if key not in ("part", "count", *kept):
            yield Change((*at, key), None)
    if count and stands.get("count") != unit.number:
        yield Change((*at, "count"), unit.number)
    elif not count and "count" in stands:
        yield Change((*at, "count"), None)


def platform(trial: Trial, of: MoveRules) -> dict[str, Option]:
    """As few of these parts as will do, two at least, exchanged for the cheapest; else none.

    They fix the failing rules that `of` is about; the rest is for other moves, if need be also
    what does not apply before.
    """
    there = [role for role in PLATFORM if trial.plain.get(role)]
    asked = [trial.asked[r] for r in sorted(trial.rules) if of.concerns((r,))]
    failing = {a.rule.id for a in asked if a.scope & set(there)}
    lists = {role: _others(trial, role) for role in there} if failing else {}
    left = (trial.rules - failing) | {rule for rule, _ in trial.excused}
    for number in range(2, len(there) + 1) if failing else ():
        tried = (_cheapest(trial, lists, r, left) for r in combinations(there, number))
        if found := [*filter(None, tried)]:
            best = min(found, key=_price)
            # What goes into the board is what suits it.
            chosen = lists | {role: [best[role]] for role in PLATFORM[:2] if role in best}
            careful = _cheapest(trial, chosen, tuple(best), left, careful=True)
            most = _price(best) * proposals().most_price_if_known
            return careful if careful and _price(careful) <= most else best
    return {}


def _price(machine: dict[str, Option]) -> float:
    return sum(option.price for option in machine.values())


def _others(trial: Trial, role: str) -> list[Option]:
    """Parts for a role that do no less than the present ones."""
    cores = trial.facts("cpu.cores", trial.graph.the("cpu"))
    least = cores.low if cores is not None and role == "cpu" else 0
    sorts = (
        sort
        for sort in trial.trials.classes.of(SECTION_KIND[role]).classes
        if is_described(role, sort) and (not least or sort.value("cores").low >= least)
    )
    found = options_of(role, sorts, lambda sort: numbers_for(trial, role, sort))
    for option in found:
        option.cost = (option.price, 0)
    return found


def _cheapest(
    trial: Trial,
    lists: dict[str, list[Option]],
    roles: tuple[str, ...],
    left: frozenset[str],
    *,
    careful: bool = False,
) -> dict[str, Option] | None:
    """The cheapest parts for these roles with which no rule fails but those `left`, if found.

    Where it is `careful`, none warns that does not warn now. With another board, parts are not held
    to places of the present one.
    """
    is_other = "motherboard" in roles
    pins = [Change(path, None) for path in unpinned(trial)] if is_other else []
    free = (trial.trials.after(trial.plain, pins) if pins else None) or trial
    left = left | {waiver.rule for waiver in free.loaded.build.waivers}
    own = {role: [option] for role, option in free.own.items()}
    for (option,) in own.values():
        option.cost = (0, 0)
    open_ = {role: lists[role] for role in roles}
    law, store = free.law, Store(free.law, own | open_)
    whole = store.machine({role: domain.full for role, domain in store.domains.items()})
    # What fails now may fail whatever these parts are.
    failing = [a for a in law.asked if a.rule.id in trial.rules - left]
    if not all(open_.values()) or any(law.verdict(a, whole) == FAIL for a in failing):
        return None
    if careful:
        law = law.with_care()
        warn = (r.id for one in (free.own, whole) for r in law.refusing(one, strict=False))
        law = law.with_care(*left, *warn)
    law = law.only({asked.rule.id for asked in law.asked} - left)
    search = Search(store, law, nodes=MOST_NODES, stop=trial.trials.stop)
    machine = next(search.solutions(), None)
    go_on(trial.trials.stop)
    return machine and {role: machine[role] for role in roles}
