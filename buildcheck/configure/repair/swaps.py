"""Parts exchanged for others: the cheapest with which the rest of the build passes.

One role at a time is left open and asked of the same rules that `validate` judges by; what
was read to reach a verdict is kept, so that parts which are equal in it are asked once.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

from buildcheck.configure.common import action
from buildcheck.configure.repair.accessories import second_supply
from buildcheck.configure.repair.parts import is_as_good, is_described, kits_for, replacement
from buildcheck.configure.repair.platform import PLATFORM, platform, unpinned
from buildcheck.configure.repair.trial import Bought, Move, Way
from buildcheck.configure.search.law import FAIL, PASS, UNKNOWN
from buildcheck.configure.search.space import Hull, Option, Unit
from buildcheck.edit import Change
from buildcheck.model.build import OF_ONE_PART, SECTION_KIND, SECTIONS, SUBJECT_KIND
from buildcheck.model.kinds import KINDS
from buildcheck.rulebook.proposals import proposals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.configure.judgement import Judgement, Laws
    from buildcheck.configure.repair.trial import Outcome
    from buildcheck.configure.search.classes import PartClass
    from buildcheck.configure.search.law import Asked
    from buildcheck.model.graph import Subject

SWAP = "swap"
#: Cards exchanged for others of their chip.
SAME_CHIP = "same chip"
#: Most drives of one model that are considered as a replacement.
MOST_DRIVES = 8
#: What interfaces of drives with platters are called.
_SPINS = "HDD"
#: So often the law is asked in a search, and in a later one; counts, so that it is the same on any
#: machine.
MOST_ASKED, MOST_ASKED_LATER = 2500, 5000
#: What stays with an entry when its part is another.
_KEPT = {
    "gpus": tuple(
        sorted(
            {*SECTIONS["gpus"].model_fields} - {*KINDS["gpu"].model_fields, *OF_ONE_PART, "note"}
        )
    ),
    "psus": ("count", "circuit"),
    "memory": (),
    "cpu": ("count",),
}
#: What is set for a card whatever chip it has.
_OF_ANY_CARD = ("count", "slots", "riser", "psu", "vertical")
#: What a new part has in common with the old one, so that parts that are not listed go on fitting.
_ALIKE = {"motherboard": ("socket", "memory_generation"), "cpu": ("socket",)}
#: The rules each role may fix, by the beginnings of their ids.
_ABOUT = {
    "psus": ("power/", "cable/", "circuit/psu", "platform/psu", "platform/prop", "space/psu"),
    "case": ("space/", "cooling/heat", "cooling/radiator", "platform/board-too", "platform/psu-"),
    "cpu_cooler": ("cooling/cpu", "cooling/radiator", "platform/cooler", "space/cooler"),
    "memory": ("memory/",),
    "motherboard": (
        *("space/card", "space/too", "space/edge", "space/add", "pcie/", "platform/", "memory/"),
        *("cpu/", "cable/board", "cable/slot", "power/slot", "cooling/open"),
    ),
    "cpu": ("cpu/", "platform/", "pcie/cpu"),
    "storage": ("pcie/drives", "power/", "cable/"),
}
#: Two supplies of another model in the place of one.
TWO_SUPPLIES = "two supplies"
#: Exchanged together, where one of them alone does not help.
PLATFORM_FAMILY = "platform"
_ABOUT_PLATFORM = tuple(sorted({about for role in PLATFORM for about in _ABOUT[role]}))
_CARDS = ("space/", "power/", "cooling/", "pcie/", "cable/", "circuit/", "platform/", "workload/")


class Swaps:
    """Finds parts to exchange, by price."""

    def __init__(self, laws: Laws) -> None:
        self.laws, self.catalog, self.classes = laws, laws.catalog, laws.classes
        #: So often the law may have been asked at the end of the present search.
        self.most_asked = MOST_ASKED

    def moves(self, outcome: Outcome) -> Iterator[Move]:
        """Every role of the build that a catalogue part could fill otherwise."""
        entries = outcome.entries("gpus")
        if len(entries) == 1 and outcome.graph.of("gpu"):
            yield Move(SAME_CHIP, SWAP, _CARDS, pick=lambda o: self._cards(o, same=True))
            yield Move("other chip", SWAP, _CARDS, pick=lambda o: self._cards(o, same=False))
        for role, about in _ABOUT.items():
            if outcome.plain.get(role):
                yield Move(role, SWAP, about, pick=lambda o, role=role: self._swap(o, role))  # type: ignore[misc]

        if pairs := self._pairs(outcome):
            about = (*_ABOUT["psus"], "circuit/")
            yield Move(
                TWO_SUPPLIES, SWAP, about, pick=lambda o: self._pair(o, outcome), after=pairs
            )
        if outcome.plain.get("motherboard") and outcome.plain.get("cpu"):
            yield Move(PLATFORM_FAMILY, SWAP, _ABOUT_PLATFORM, pick=self._platform)

    def other_platform(self, rules: frozenset[str]) -> Move:
        """Another platform for what these rules ask alone; the rest is for other moves."""
        about = tuple(sorted(r for r in rules if r.startswith(_ABOUT_PLATFORM)))
        pick = partial(self._platform, about=about) if about else None
        return Move(PLATFORM_FAMILY, SWAP, about, pick=pick)

    def _platform(self, outcome: Outcome, about: tuple[str, ...] = _ABOUT_PLATFORM) -> Way | None:
        """Board, CPU, memory and cooler, as many of them as need be."""
        found = platform(outcome, about)
        if found is None:
            return None
        ways = [self._way(outcome, role, option) for role, option in found.items()]
        pins = tuple(Change(path, None) for path in unpinned(outcome) if "motherboard" in found)
        return Way(
            (*pins, *(c for way in ways for c in way.changes)),
            tuple(a for way in ways for a in way.actions),
            tuple(b for way in ways for b in way.buys),
            tuple(b for way in ways for b in way.leaves),
        )

    @staticmethod
    def _pairs(outcome: Outcome) -> tuple[Way, ...]:
        """What a second PSU needs in addition; circuits of their own if one is too weak."""
        ways = second_supply(outcome) if len(outcome.graph.of("psu")) == 1 else ()
        paired = [Way(w.changes, w.actions[1:], w.buys[1:]) for w in ways]
        is_weak = any(rule.startswith("circuit/") for rule in outcome.rules)
        return tuple(paired[1:] if is_weak else paired[:1])

    def _pair(self, outcome: Outcome, before: Outcome) -> Way | None:
        """Two supplies of one model in the place of the two of a build that had one before."""
        way = self._swap(outcome, "psus", exactly=len(outcome.graph.of("psu")))
        if way is None:
            return None
        old = before.bought("psus")
        swap = action(
            "swap",
            new={way.buys[0].name: way.buys[0].pieces},
            old={old[0].name: old[0].pieces},
        )
        return Way(way.changes, (swap,), way.buys, old)

    # Options

    def _swap(self, outcome: Outcome, role: str, *, exactly: int = 0) -> Way | None:
        sorts = self.classes.of(SECTION_KIND[role]).classes
        options = [
            Option(role, (Unit(sort, n, self._settings(outcome, role)),), sort.price * n)
            for sort in sorts
            if is_described(role, sort) and self._is_alike(outcome, role, sort)
            for n in self._numbers(outcome, role, sort)
            if exactly in (0, n)
        ]
        return self._best(outcome, role, options)

    def _is_alike(self, outcome: Outcome, role: str, sort: PartClass) -> bool:
        now = next(iter(_of_role(outcome, role)), None)
        return now is None or all(
            now.value(name) in (None, sort.value(name)) for name in _ALIKE.get(role, ())
        )

    def _numbers(self, outcome: Outcome, role: str, sort: PartClass) -> tuple[int, ...]:
        if role == "psus":
            return tuple(range(1, min(proposals().most_supplies, len(outcome.graph.of("psu"))) + 1))
        if role == "memory":
            return tuple(kits_for(outcome, sort))
        if role == "storage":
            return self._drives(outcome, sort)
        return (outcome.plain[role].get("count", 1),) if role == "cpu" else (1,)

    @staticmethod
    def _drives(outcome: Outcome, sort: PartClass) -> tuple[int, ...]:
        """The fewest drives of a model that hold as much as those of the build."""
        sizes = [(s.value("capacity"), s.count) for s in outcome.graph.of("storage") if s.listed]
        capacity = sort.value("capacity")
        spins = [_SPINS in str(s.value("interface")) for s in outcome.graph.of("storage")]
        if _SPINS in str(sort.value("interface")) and not all(spins):
            # Nobody takes a slower kind of drive for want of a socket.
            return ()
        if not sizes or capacity is None or any(size is None for size, _ in sizes):
            return ()
        least = sum(size.high * count for size, count in sizes)
        number = math.ceil(least / capacity.low)
        return (number,) if number <= MOST_DRIVES else ()

    def _settings(self, outcome: Outcome, role: str) -> tuple[tuple[str, Any, Any], ...]:
        """What stays set, as plain data and as facts."""
        plain = outcome.plain.get(role)
        entry = plain[0] if isinstance(plain, list) else plain
        subject = next(iter(_of_role(outcome, role)), None)
        if not isinstance(entry, dict) or subject is None:
            return ()
        return tuple(
            (name, entry[name], subject.facts[name].value)
            for name in _KEPT.get(role, ())
            if name in entry and name in subject.facts
        )

    def _cards(self, outcome: Outcome, *, same: bool) -> Way | None:
        """Cards of the same chip in other clothes, or others with as much memory."""
        cards = outcome.graph.of("gpu")
        now = cards[0]
        chip = self._chip(now.part, now.value("chip"))
        settings = self._settings(outcome, "gpus")
        if not same:
            settings = tuple(s for s in settings if s[0] in _OF_ANY_CARD)
        options = []
        for sort in self.classes.of("gpu").classes:
            if not is_described("gpus", sort) or not (same or is_as_good(sort, now)):
                continue
            name = sort.value("chip")
            if (self._chip(sort.part, name) == chip) is not same or name is None:
                continue
            options.append(
                Option("gpus", (Unit(sort, len(cards), settings),), sort.price * len(cards))
            )
        options.sort(key=lambda o: o.price)
        return self._best(outcome, "gpus", options)

    def _chip(self, part: str | None, name: str | None) -> str | None:
        return part if name is None else self.catalog.find("gpu", name)

    # The law

    def _best(self, outcome: Outcome, role: str, options: list[Option]) -> Way | None:
        """The option that leaves the fewest rules failing, if fewer than now.

        Of those one that leaves little unknown, and then the cheapest.
        """
        now = {s.part for s in _of_role(outcome, role)}
        options = sorted(
            (o for o in options if o.units[0].sort.part not in now), key=lambda o: o.price
        )
        scale = self._scale(outcome, role, options) if options else None
        if scale is None:
            return None
        least, found, most = (len(scale.failing), 0), None, math.inf
        for option in options:
            if option.price > most or self.laws.judged > self.most_asked:
                break
            self.laws.go_on()
            score = scale.score(option, least)
            if score is None:
                continue
            if score[0] < least[0] and not score[0]:
                most = option.price * proposals().most_price_if_known
            least, found = score, option
            if least == (0, 0):
                break
        return self._way(outcome, role, found) if found else None

    def _scale(self, outcome: Outcome, role: str, options: list[Option]) -> SwapScale | None:
        """What options of a role are weighed by; None if none of them fixes anything."""
        judgement = outcome.judgement
        waived = {waiver.rule for waiver in outcome.loaded.build.waivers}
        about = [asked for asked in judgement.about(role) if asked.rule.id not in waived]
        any_ = Hull(role, options)
        failing = [
            asked
            for asked in about
            if asked.rule.id in outcome.rules and judgement.verdict_with(asked, role, any_) != FAIL
        ]
        if not failing:
            return None
        others = [asked for asked in about if asked.rule.id not in outcome.rules]
        # A rule that is broken in one place is not fixed by knowing no more of it there, though
        # it is excused in another.
        excused = {rule for rule, _ in outcome.excused} - {asked.rule.id for asked in failing}
        return SwapScale(judgement, failing, others, excused)

    # The change

    def _way(self, outcome: Outcome, role: str, option: Option) -> Way:
        unit = option.units[0]
        part = unit.sort.part
        name = self.catalog.called(SECTION_KIND[role], part)
        old = tuple(
            Bought(s.part, s.count, s.name) for s in _of_role(outcome, role) if s.kind != "memory"
        )
        counts: dict[str, int] = {}
        for one in old:
            counts[one.name] = counts.get(one.name, 0) + one.pieces
        changes = tuple(replacement(outcome, role, unit, name))
        swap = action("swap", new={name: unit.number}, old=counts)
        return Way(changes, (swap,), (Bought(part, unit.number, name),), old)


class SwapScale:
    """Weighs options by the rules about their role: by those that fail now, and by the others."""

    def __init__(
        self, judgement: Judgement, failing: list[Asked], others: list[Asked], excused: set[str]
    ) -> None:
        self.judgement, self.failing, self.excused = judgement, failing, excused
        self.order = [*failing, *others]

    def score(self, option: Option, least: tuple[int, int]) -> tuple[int, int] | None:
        """How many rules are left to fix, and how many cannot be judged.

        None if that is no less than `least`, or if a rule fails that did not before.
        """
        failing = unsure = 0
        for place, asked in enumerate(self.order):
            verdict = self.judgement.verdict_with(asked, option.role, option)
            if verdict == UNKNOWN and asked.rule.id in self.excused:
                unsure += 1
            elif verdict != PASS:
                failing += 1 if asked in self.failing else len(self.order)
            if (failing, unsure) >= least:
                # The rule that sorts out most is asked first.
                self.order.insert(0, self.order.pop(place))
                return None
        return failing, unsure


def _of_role(outcome: Outcome, role: str) -> list[Subject]:
    kind = SECTION_KIND[role]
    kinds = ("module", "memory") if role == "memory" else (SUBJECT_KIND.get(kind, kind),)
    return [s for k in kinds for s in outcome.graph.of(k) if s.listed and s.path]
