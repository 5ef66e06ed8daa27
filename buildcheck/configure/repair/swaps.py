"""Parts exchanged for others: the cheapest with which the rest of the build passes.

A few roles are left open, mostly one, and searched by the same rules that `validate` judges by.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations

from buildcheck.configure.common import phrase
from buildcheck.configure.decisions import Decision, joined
from buildcheck.configure.repair import parts
from buildcheck.configure.repair.accessories import second_supply
from buildcheck.configure.repair.moves import PLATFORM_FAMILY, TWO_SUPPLIES, Move
from buildcheck.configure.search.classes import PartClass
from buildcheck.configure.search.law import FAIL
from buildcheck.configure.search.space import Domain, Option, options_of
from buildcheck.configure.trial import Trial
from buildcheck.model.build import SECTION_KIND
from buildcheck.rulebook.moves import MoveRules
from buildcheck.rulebook.moves import moves as move_rules
from buildcheck.rulebook.proposals import proposals

#: Cards exchanged for others of their chip.
SAME_CHIP = "same chip"
#: What is set for a card whatever chip it has.
_OF_ANY_CARD = ("count", "slots", "riser", "psu", "vertical")
#: What a new part has in common with the old one, so that parts that are not listed go on fitting.
_ALIKE = {"motherboard": ("socket", "memory_generation"), "cpu": ("socket",)}
#: What has to match on a board, the firmest first.
_PLATFORM = ("motherboard", "cpu", "memory", "cpu_cooler")
#: Roles of which another part is looked for alone.
_ROLES = ("psus", "case", "cpu_cooler", "memory", "motherboard", "cpu", "storage")

#: Parts that are tried one after the other, where what is usual of others refuses the cheapest.
MOST_TRIED = 3


def swaps(trial: Trial) -> Iterator[Move]:
    """Every role of the build that a catalogue part could fill otherwise."""
    rules, swap = move_rules(), partial(_swap, trial)
    if len(trial.entries("gpus")) == 1 and trial.graph.of("gpu"):
        for name in (SAME_CHIP, "other chip"):
            yield Move(name, rules[name], pick=partial(swap, "gpus", same=name == SAME_CHIP))
    for role in _ROLES:
        if trial.plain.get(role):
            # Other memory has another name than more of the same.
            of = rules["other memory" if role == "memory" else role]
            yield Move(role, of, pick=partial(swap, role))
    if len(trial.graph.of("psu")) == 1:
        yield Move(TWO_SUPPLIES, rules[TWO_SUPPLIES], pick=partial(_paired, trial))
    if trial.plain.get("motherboard") and trial.plain.get("cpu"):
        of = rules[PLATFORM_FAMILY]
        yield Move(PLATFORM_FAMILY, of, pick=partial(_platform, trial, of))


def _platform(trial: Trial, of: MoveRules) -> Iterator[Decision]:
    """As few of board, CPU, memory and cooler as will do, two at least.

    They fix the failing rules that this move is about; the rest is for others. A part is no
    longer held to its place on a board that is exchanged.
    """
    there = [role for role in _PLATFORM if trial.plain.get(role)]
    asked = [trial.asked[r] for r in sorted(trial.rules) if of.concerns((r,))]
    failing = [a.rule.id for a in asked if a.scope & {*there}]
    lists = {r: _options(trial, r, present=True) for r in there} if failing else {}
    pins = parts.unpinned(trial)
    free = trial.trials.after(trial.plain, pins) or trial
    for number in range(2, len(there) + 1) if failing else ():
        tried = (
            parts.exchanged(free if some[0] == _PLATFORM[0] else trial, some, lists, failing)
            for some in combinations(there, number)
        )
        if found := [*filter(None, tried)]:
            best = min(found, key=parts.price_of)
            # What goes into the board is what suits it.
            chosen = lists | {role: [best[role]] for role in _PLATFORM[:2] if role in best}
            at = free if _PLATFORM[0] in best else trial
            careful = parts.exchanged(at, tuple(best), chosen, failing, careful=True)
            most = parts.price_of(best) * proposals().most_price_if_known
            best = careful if careful and parts.price_of(careful) <= most else best
            ways = (_way(trial, role, option) for role, option in best.items())
            yield joined(Decision(pins if at is free else (), ()), *ways)
            return


def _paired(trial: Trial) -> Iterator[Decision]:
    """Two supplies of another model, with what a second needs, in the place of the one."""
    pairs = [replace(way, said=way.said[1:]) for way in second_supply(trial)]
    # They have circuits of their own where one is too weak.
    is_weak = move_rules()["circuits"].concerns(trial.rules)
    for pair in pairs[1:] if is_weak else pairs[:1]:
        two = trial.trials.after(trial.data, pair.changes)
        number = len(two.graph.of("psu")) if two and two.wrong else 0
        for other in _swap(two, "psus", exactly=number) if two and number else ():
            old = Counter(s.name for s in parts.listed_in(trial, "psus"))
            said = phrase("swap", new=other.said[0].values["new"], old=dict(old))
            yield replace(joined(pair, other), said=(said, *pair.said))


def _swap(
    trial: Trial, role: str, *, same: bool | None = None, exactly: int = 0
) -> Iterator[Decision]:
    """The cheapest with which all rules hold that fail now and that it could fix, then others.

    Where there is none, as many of these as hold together, one after the other. GPUs are of the
    `same` chip in other clothes, or others with as much memory.
    """
    lists = {role: _options(trial, role, same, exactly)}
    open_ = [asked for rule, asked in trial.asked.items() if rule in trial.rules and lists[role]]
    filled = {**trial.own, role: Domain(role, lists[role]).whole} if open_ else {}
    about = [asked for asked in open_ if role in (asked.scope or (role,))]
    failing = [a.rule.id for a in about if trial.law.verdict(a, filled) != FAIL]
    found = parts.exchanged(trial, (role,), lists, failing) if failing else None
    if not found and len(failing) > 1:
        held = list[str]()
        for rule in failing:
            if less := parts.exchanged(trial, (role,), lists, [*held, rule]):
                found, held = less, [*held, rule]
        failing = held
    for _ in range(MOST_TRIED):
        if found:
            yield _way(trial, role, found[role])
            lists[role].remove(found[role])
            found = parts.exchanged(trial, (role,), lists, failing)


def _options(
    trial: Trial, role: str, same: bool | None = None, exactly: int = 0, *, present: bool = False
) -> list[Option]:
    """The parts that could take the place of those of a role, the cheapest first."""
    there = parts.listed_in(trial, role)
    alike = [(name, there[0].value(name)) for name in _ALIKE.get(role, ()) if there]
    kept = parts.kept_settings(trial, role)
    if same is False:
        kept = tuple(setting for setting in kept if setting[0] in _OF_ANY_CARD)
    cores = trial.facts("cpu.cores", trial.graph.the("cpu")) if role == "cpu" else None

    def fits(sort: PartClass) -> bool:
        if not parts.is_described(role, sort):
            return False
        if same is not None:
            return _is_card(trial, sort, same=same)
        if present:
            return cores is None or sort.value("cores").low >= cores.low
        return all(value in (None, sort.value(name)) for name, value in alike)

    def numbers(sort: PartClass) -> Iterator[int]:
        return (n for n in parts.numbers_for(trial, role, sort) if exactly in (0, n))

    sorts = filter(fits, trial.trials.classes.of(SECTION_KIND[role]).classes)
    found, now = options_of(role, sorts, numbers, kept), {s.part for s in there}
    return [o for o in found if present or o.units[0].sort.part not in now]


def _is_card(trial: Trial, sort: PartClass, *, same: bool) -> bool:
    """Is it of the same chip, or of another and as good?"""
    now, name, chip_of = trial.graph.of("gpu")[0], sort.value("chip"), trial.trials.classes.chip
    if name is None or not (same or parts.is_as_good(sort, now)):
        return False
    return (chip_of(sort.part, name) == chip_of(now.part, now.value("chip"))) is same


def _way(trial: Trial, role: str, option: Option) -> Decision:
    """The change to another part."""
    unit = option.units[0]
    name = trial.trials.catalog.called(SECTION_KIND[role], unit.sort.part)
    there = [s for s in parts.listed_in(trial, role) if s.kind != "memory"]
    counts = Counter(s.name for s in there for _ in range(s.count))
    swap = phrase("swap", new={name: unit.number}, old=dict(counts))
    return Decision(tuple(parts.replacement(trial, role, unit, name)), (swap,))
