"""Replacing parts: whether another part can replace one, and what changes in the file.

The cheapest is sought with which the rest passes, for one role or several at once.
"""

import math
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from buildcheck.configure.decisions import settings_of
from buildcheck.configure.search.classes import PartClass
from buildcheck.configure.search.conflicts import Store
from buildcheck.configure.search.floors import is_offered
from buildcheck.configure.search.law import Law
from buildcheck.configure.search.search import Machine, Search
from buildcheck.configure.search.space import Option, Unit
from buildcheck.configure.stopping import go_on
from buildcheck.configure.trial import Trial
from buildcheck.edit import Change
from buildcheck.logic.quantity import Interval, exact
from buildcheck.model.build import SINGLES
from buildcheck.model.graph import Subject
from buildcheck.rulebook.proposals import proposals

#: Most drives of one model that are considered as a replacement.
MOST_DRIVES = 8
#: What pins a part to a place on the board.
_PLACES = {"gpus": "slots", "add_in_cards": "slots", "storage": "socket"}
#: What stays with an entry when its part is another.
_KEPT = {
    "gpus": tuple(sorted(settings_of("gpus") - {"note"})),
    "psus": ("count", "circuit"),
    "cpu": ("count",),
}
#: Nodes that are looked at for each set of parts.
MOST_NODES = 1500


def listed_in(trial: Trial, role: str) -> list[Subject]:
    """The parts that the file lists for a role."""
    return [s for s in trial.own[role].given if s.listed and s.path]


def kept_settings(trial: Trial, role: str) -> tuple[tuple[str, Any, Any], ...]:
    """What stays set with another part, as plain data and as facts."""
    entry, there = trial.section(role), listed_in(trial, role)
    facts = there[0].facts if there else {}
    names = (name for name in _KEPT.get(role, ()) if name in entry and name in facts)
    return tuple((name, entry[name], facts[name].value) for name in names)


def is_described(role: str, sort: PartClass) -> bool:
    """Is known of a part what matters most, and is it none that is proposed on request alone?"""
    needs = (name.partition(".") for name in proposals().needed_to_replace)
    known = all(sort.value(field) is not None for of, _, field in needs if of == role)
    return known and is_offered(role, sort)


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
    return (trial.section(role).get("count", 1),)


def _kits(trial: Trial, sort: PartClass) -> list[int]:
    """Numbers of a kit of memory that hold as much as the build has, in no fewer slots."""
    unless = {"memory.total": 0.0, "memory.modules": 0.0, "motherboard.memory_slots": math.inf}
    total, filled, slots = (
        of.low if (of := trial.facts(name)) is not None and of.is_known else none
        for name, none in unless.items()
    )
    module, kit = sort.value("module"), sort.value("kit_modules") or exact(1.0)
    least = min(filled, slots) / kit.low
    return [
        n
        for n in (proposals().kits if module else ())
        if module.low * kit.low * n >= total and n >= least
    ]


def _drives(trial: Trial, sort: PartClass) -> tuple[int, ...]:
    """The fewest drives of a model that hold as much as those of the build."""
    drives, capacity = trial.graph.of("storage"), sort.value("capacity")
    sizes = [(s.value("capacity"), s.count) for s in drives if s.listed]
    if not sizes or capacity is None or any(size is None for size, _ in sizes):
        return ()
    number = math.ceil(sum(size.high * count for size, count in sizes) / capacity.low)
    return (number,) if number <= MOST_DRIVES else ()


def unpinned(trial: Trial) -> tuple[Change, ...]:
    """What takes out all that pins parts to places of the present board."""
    return tuple(change for at in _PLACES.items() for change in trial.unset(*at))


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


def exchanged(
    trial: Trial,
    roles: Collection[str],
    lists: dict[str, list[Option]],
    failing: Collection[str],
    *,
    careful: bool = False,
) -> Machine | None:
    """The cheapest parts for some roles with which these rules hold, if there are such.

    No other rule fails that holds now, and where it is `careful` none warns that does not warn now.
    What is excused may be unknown still, unless little more makes it known.
    """
    waived = {waiver.rule for waiver in trial.loaded.build.waivers}
    # What the others say does not change with these parts.
    about = {rule for rule, asked in trial.asked.items() if not asked.scope.isdisjoint(roles)}
    rules = (about - trial.rules | {*failing}) - waived
    open_ = {role: lists[role] for role in roles}
    if not all(open_.values()):
        return None
    store = Store(trial.law, {role: [option] for role, option in trial.own.items()} | open_)
    whole = store.machine({role: domain.full for role, domain in store.domains.items()})
    open_then = trial.trials.base.unknown if trial.trials.base else ()
    excused = {rule for rule, _ in open_then} - {*failing}
    law, found = trial.law, None
    if careful:
        law = law.with_care()
        warn = (a.rule.id for one in (trial.own, whole) for a in law.hoping().refusing(one))
        law = law.with_care(*trial.rules, *waived, *warn)
        rules |= law.careful
    law = law.only(rules)
    most = math.inf
    for taken in (law.hoping(*excused), law) if excused else (law,):
        machine = _cheapest(trial, taken, roles, store)
        if machine is None:
            break
        if price_of(machine) <= most:
            found, most = machine, price_of(machine) * proposals().most_price_if_known
    return found and {role: found[role] for role in roles}


def _cheapest(trial: Trial, law: Law, roles: Collection[str], store: Store) -> Machine | None:
    """The cheapest machine with other parts in some roles that a law does not refuse."""
    go_on(trial.trials.stop)
    if len(roles) > 1:
        return next(Search(store, law, nodes=MOST_NODES, stop=trial.trials.stop).solutions(), None)
    # To go through the parts of one role takes less than to learn what refuses them.
    (role,) = roles
    for option in store.domains[role].options:
        machine = {**trial.own, role: option}
        refusing = next(law.refusing(machine), None)
        if refusing is None:
            return machine
        # The rule that sorts out most is asked first.
        law.asked.remove(refusing)
        law.asked.insert(0, refusing)
    return None


def price_of(machine: Machine) -> float:
    """What the parts of a machine cost that are not given."""
    return sum(option.price for option in machine.values())
