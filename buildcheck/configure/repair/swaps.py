"""Parts exchanged for others: the cheapest with which the rest of the build passes.

One role at a time is left open and asked of the same rules that `validate` judges by; what
was read to reach a verdict is kept, so that parts which are equal in it are asked once.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from buildcheck.configure.common import phrase
from buildcheck.configure.decisions import Decision, joined
from buildcheck.configure.repair.accessories import second_supply
from buildcheck.configure.repair.moves import PLATFORM_FAMILY, TWO_SUPPLIES, Move
from buildcheck.configure.repair.parts import (
    is_as_good,
    is_described,
    kept_settings,
    listed_in,
    numbers_for,
    platform,
    replacement,
    unpinned,
)
from buildcheck.configure.search.classes import PartClass
from buildcheck.configure.search.law import FAIL, PASS, UNKNOWN
from buildcheck.configure.search.space import Hull, Option, options_of
from buildcheck.configure.stopping import go_on
from buildcheck.configure.trial import Trial, Trials
from buildcheck.edit import Change
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.graph import Subject
from buildcheck.rulebook.moves import MoveRules
from buildcheck.rulebook.moves import moves as move_rules
from buildcheck.rulebook.proposals import proposals

#: Cards exchanged for others of their chip.
SAME_CHIP = "same chip"
#: What is set for a card whatever chip it has.
_OF_ANY_CARD = ("count", "slots", "riser", "psu", "vertical")
#: What a new part has in common with the old one, so that parts that are not listed go on fitting.
_ALIKE = {"motherboard": ("socket", "memory_generation"), "cpu": ("socket",)}
#: Roles of which another part is looked for alone.
_ROLES = ("psus", "case", "cpu_cooler", "memory", "motherboard", "cpu", "storage")


class Swaps:
    """Finds parts to exchange, by price."""

    def __init__(self, trials: Trials) -> None:
        self.trials, self.catalog, self.classes = trials, trials.catalog, trials.classes

    def moves(self, trial: Trial) -> Iterator[Move]:
        """Every role of the build that a catalogue part could fill otherwise."""
        rules, swap = move_rules(), partial(self._swap, trial)
        if len(trial.entries("gpus")) == 1 and trial.graph.of("gpu"):
            for name in (SAME_CHIP, "other chip"):
                yield Move(name, rules[name], pick=partial(swap, "gpus", same=name == SAME_CHIP))
        for role in _ROLES:
            if trial.plain.get(role):
                # Other memory has another name than more of the same.
                of = rules["other memory" if role == "memory" else role]
                yield Move(role, of, pick=partial(swap, role))
        if len(trial.graph.of("psu")) == 1:
            yield Move(TWO_SUPPLIES, rules[TWO_SUPPLIES], pick=partial(self._paired, trial))
        if trial.plain.get("motherboard") and trial.plain.get("cpu"):
            of = rules[PLATFORM_FAMILY]
            yield Move(PLATFORM_FAMILY, of, pick=partial(self._platform, trial, of))

    def _platform(self, trial: Trial, of: MoveRules) -> Iterator[Decision]:
        """Board, CPU, memory and cooler, as many of them as need be."""
        found = platform(trial, of)
        pins = tuple(Change(path, None) for path in unpinned(trial) if "motherboard" in found)
        if found:
            yield joined(Decision(pins, ()), *(self._way(trial, r, o) for r, o in found.items()))

    def _paired(self, trial: Trial) -> Iterator[Decision]:
        """Two supplies of another model, with what a second needs, in the place of the one."""
        pairs = [replace(way, said=way.said[1:]) for way in second_supply(trial)]
        # They have circuits of their own where one is too weak.
        is_weak = move_rules()["circuits"].concerns(trial.rules)
        for pair in pairs[1:] if is_weak else pairs[:1]:
            two = self.trials.after(trial.data, pair.changes)
            number = len(two.graph.of("psu")) if two and two.wrong else 0
            for other in self._swap(two, "psus", exactly=number) if two and number else ():
                old = Counter(s.name for s in listed_in(trial, "psus"))
                said = phrase("swap", new=other.said[0].values["new"], old=dict(old))
                yield replace(joined(pair, other), said=(said, *pair.said))

    def _swap(
        self, trial: Trial, role: str, *, same: bool | None = None, exactly: int = 0
    ) -> Iterator[Decision]:
        """The option that leaves the fewest rules failing, if fewer than now.

        Of those one that leaves little unknown, and then the cheapest. GPUs are of the `same` chip
        in other clothes, or others with as much memory.
        """
        options = self._options(trial, role, same, exactly)
        scale = SwapScale(trial, role, options) if options else None
        if scale is None or not scale.failing:
            return
        least, found, most = (len(scale.failing), 0), None, math.inf
        for option in options:
            if option.price > most:
                break
            go_on(self.trials.stop)
            score = scale.score(option, least)
            if score is None:
                continue
            if score[0] < least[0] and not score[0]:
                most = option.price * proposals().most_price_if_known
            least, found = score, option
            if least == (0, 0):
                break
        if found:
            yield self._way(trial, role, found)

    def _options(self, trial: Trial, role: str, same: bool | None, exactly: int) -> list[Option]:
        """The parts that could take the place of those of a role, the cheapest first."""
        there = listed_in(trial, role)
        alike = [(name, there[0].value(name)) for name in _ALIKE.get(role, ()) if there]
        kept = kept_settings(trial, role)
        if same is False:
            kept = tuple(setting for setting in kept if setting[0] in _OF_ANY_CARD)

        def fits(sort: PartClass) -> bool:
            return is_described(role, sort) and (
                self._is_card(sort, trial.graph.of("gpu")[0], same=same)
                if same is not None
                else all(value in (None, sort.value(name)) for name, value in alike)
            )

        def numbers(sort: PartClass) -> Iterator[int]:
            return (n for n in numbers_for(trial, role, sort) if exactly in (0, n))

        sorts = filter(fits, self.classes.of(SECTION_KIND[role]).classes)
        found, now = options_of(role, sorts, numbers, kept), {s.part for s in there}
        return [o for o in found if o.units[0].sort.part not in now]

    def _is_card(self, sort: PartClass, now: Subject, *, same: bool) -> bool:
        """Is it of the same chip, or of another and as good?"""
        name = sort.value("chip")
        if name is None or not (same or is_as_good(sort, now)):
            return False
        chip = self.classes.chip(now.part, now.value("chip"))
        return (self.classes.chip(sort.part, name) == chip) is same

    def _way(self, trial: Trial, role: str, option: Option) -> Decision:
        """The change to another part."""
        unit = option.units[0]
        name = self.catalog.called(SECTION_KIND[role], unit.sort.part)
        there = [s for s in listed_in(trial, role) if s.kind != "memory"]
        counts = Counter(s.name for s in there for _ in range(s.count))
        swap = phrase("swap", new={name: unit.number}, old=dict(counts))
        return Decision(tuple(replacement(trial, role, unit, name)), (swap,))


class SwapScale:
    """Weighs options by the rules about their role: by those that fail now, and by the others."""

    def __init__(self, trial: Trial, role: str, options: list[Option]) -> None:
        self.trial = trial
        waived = {waiver.rule for waiver in trial.loaded.build.waivers}
        # What the others say does not change with it; which those are shows as all are asked.
        known = trial.verdicts.keys() - waived
        about = [a for a in trial.law.asked if a.rule.id in known and role in a.scope]
        any_ = Hull(role, options)
        self.failing = [
            asked
            for asked in about
            if asked.rule.id in trial.rules and trial.verdict_with(asked, role, any_) != FAIL
        ]
        self.order = [*self.failing, *(a for a in about if a.rule.id not in trial.rules)]
        # A rule that is broken in one place is not fixed by knowing no more of it there, though
        # it is excused in another.
        self.excused = {rule for rule, _ in trial.excused} - {a.rule.id for a in self.failing}

    def score(self, option: Option, least: tuple[int, int]) -> tuple[int, int] | None:
        """How many rules are left to fix, and how many cannot be judged.

        None if that is no less than `least`, or if a rule fails that did not before.
        """
        failing = unsure = 0
        for place, asked in enumerate(self.order):
            verdict = self.trial.verdict_with(asked, option.role, option)
            if verdict == UNKNOWN and asked.rule.id in self.excused:
                unsure += 1
            elif verdict != PASS:
                failing += 1 if asked in self.failing else len(self.order)
            if (failing, unsure) >= least:
                # The rule that sorts out most is asked first.
                self.order.insert(0, self.order.pop(place))
                return None
        return failing, unsure
