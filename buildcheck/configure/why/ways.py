"""What a choice could be instead: the least change of each kind with which a build passes.

Every answer is a build that was judged by `check`; the rules only show what is not worth trying.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck.configure.common import Phrase, nearest, phrase
from buildcheck.configure.decisions import Decision, counted, outlets_of, settings_of
from buildcheck.configure.repair.parts import replacement
from buildcheck.configure.search.classes import CURRENCY, money
from buildcheck.configure.search.law import FAIL, UNKNOWN
from buildcheck.configure.why.choices import (
    COUNT,
    LIMIT,
    MANY,
    OUTLET,
    PART,
    SITE,
    Chosen,
)
from buildcheck.configure.why.openings import first_entry
from buildcheck.edit import Change, named
from buildcheck.logic.quantity import Interval, exact, number_text
from buildcheck.measure.shapes import field_shapes
from buildcheck.model.answer import Figure, figure
from buildcheck.model.build import MOST, SECTION_KIND

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from buildcheck.configure.search.space import Option
    from buildcheck.configure.trial import Trial, Verdict
    from buildcheck.configure.why.openings import Openings

    Goal = Callable[[Trial], bool]

#: Parts that are judged before none is reported.
MOST_TRIED = 24
#: Steps from the highest power limit to the lowest; the one found is made exact to the watt.
STEPS = 10
#: Ratings of breakers (IEC 60898-1 and NEC 240.6), in A.
BREAKERS = (10, 13, 15, 16, 20, 25, 30, 32, 40, 50, 63)
#: Outlets that are named.
MOST_OUTLETS = 3
#: What the value of a word or a setting is the name of.
_NAMED = {
    "workload.kind": "workload-kind",
    "workload.parallel": "parallelism",
    "adapter": "adapter",
}
#: The field that says how large a part is.
SIZE = {"psus": "rated_power", "case": "expansion_slots", "gpus": "memory"}


class Becoming:
    """What choices of one build can become."""

    def __init__(self, openings: Openings, base: Verdict) -> None:
        self.openings, self.base, self.report = openings, base, openings.report
        self.catalog = openings.trials.catalog
        # Were there parts that were not tried?
        self.is_cut = False

    def of(
        self, choice: Chosen, data: dict[str, Any], rules: set[str], goal: Goal
    ) -> Iterator[Decision]:
        """What a choice can become so that the goal is reached, the least change first.

        `rules` are those that it has to fix.
        """
        if choice.kind == LIMIT:
            yield from self._limit(choice, data, goal)
        elif choice.kind == COUNT:
            yield from self._count(choice, data, goal)
        elif choice.kind == SITE:
            yield from self._outlet(data, goal)
        elif choice.kind == PART:
            yield from self._part(choice, data, rules, goal)
        else:
            yield from (d for d in self._others(choice) if self._reaches(data, d.changes, goal))

    def _reaches(self, data: dict[str, Any], changes: Iterable[Change], goal: Goal) -> bool:
        other = self.openings.after(data, changes)
        return other is not None and goal(other)

    # Numbers

    def _limit(self, choice: Chosen, data: dict[str, Any], goal: Goal) -> Iterator[Decision]:
        """The highest limit that will do; where none below the present one does, the lowest."""

        def works(watts: int) -> bool:
            return self._reaches(data, [Change(choice.path, f"{watts} W")], goal)

        low, high = round(choice.low), round(choice.high)
        now = high if choice.value is None else self._watts(choice.value, high)
        steps = sorted({low + (high - low) * n // STEPS for n in range(STEPS + 1)} | {now})
        below = [w for w in steps if w <= now]
        best = next((w for w in reversed(below) if works(w)), None)
        entry = "" if len(self.openings.data[choice.section]) == 1 else named(choice.path[:-1])
        if best is not None:
            above = next((w for w in below if w > best), best + 1)
            watts = nearest(best, above, works)
            what = phrase("limit-at-most", watts=watts, entry=entry)
        else:
            first = next((w for w in steps if w > now and works(w)), None)
            if first is None:
                return
            short = max(w for w in steps if w < first)
            watts = nearest(first, short, works)
            what = phrase("limit-at-least", watts=watts, entry=entry)
        yield Decision((Change(choice.path, f"{watts} W"),), (what,), value=f"{watts} W")

    def _watts(self, text: Any, high: int) -> int:
        digits = str(text).split()[0]
        try:
            return min(high, round(float(digits.split("..")[0])))
        except ValueError:
            return high

    def _count(self, choice: Chosen, data: dict[str, Any], goal: Goal) -> Iterator[Decision]:
        numbers = [*range(choice.value - 1, 0, -1)]
        if choice.section != "gpus":
            numbers += range(choice.value + 1, min(MANY, MOST) + 1)
        for number in numbers:
            changes = counted(data, choice.section, int(choice.path[1]), number)
            if self._reaches(data, changes, goal):
                code = "fewer" if number < choice.value else "more"
                what = phrase(code, section=choice.section, count=number)
                yield Decision(tuple(changes), (what,), value=number)
                return

    # The wall

    def _outlet(self, data: dict[str, Any], goal: Goal) -> Iterator[Decision]:
        """The smallest outlets that will do, those of the present voltage first."""
        now, volts = self._wall()
        outlets = [
            (o.volts != volts, o.name.split()[0] != now, o) for o in outlets_of(self.catalog)
        ]
        found: dict[float, tuple[list[Change], dict[str, Any]]] = {}
        for other, unlike, (volt, amps, name, *_) in sorted(outlets, key=lambda row: row[:2]):
            # Outlets of another voltage are offered only where they are of the same family.
            if volt in found or len(found) >= MOST_OUTLETS or (other and unlike and volts):
                continue
            changes = self._walled(data, {"outlet": name})
            if self._reaches(data, changes, goal):
                found[volt] = (changes, {"name": name, "voltage": volt, "breaker": amps})
        if found:
            changes, _ = next(iter(found.values()))
            what = phrase("outlets", outlets=[outlet for _, outlet in found.values()])
            yield Decision(tuple(changes), (what,), value={"outlet": changes[0].value})
            return
        for amps in BREAKERS:
            breaker = {"voltage": f"{number_text(volts)} V", "breaker": f"{amps} A"}
            changes = self._walled(data, breaker)
            if volts and self._reaches(data, changes, goal):
                what = phrase("circuit", amps=amps, volts=volts)
                yield Decision(tuple(changes), (what,), value=breaker)
                return

    def _walled(self, data: dict[str, Any], wall: dict[str, str]) -> list[Change]:
        """Another wall; new words are there before the last old one goes."""
        site = data.get("site") or {}
        changes = [Change(("site", key), value) for key, value in wall.items()]
        return changes + [Change(("site", k), None) for k in OUTLET if k in site and k not in wall]

    def _wall(self) -> tuple[str, float]:
        """The first word of the present outlet, and its voltage."""
        site = self.openings.data.get("site") or {}
        value: Interval | None = self.report.graph.the("circuit").value("voltage")
        words = str(site.get("outlet", "")).split()
        return words[0] if words else "", value.high if value else 0.0

    # Words and settings

    def _others(self, choice: Chosen) -> list[Decision]:
        """Other values of a word or a setting, and none; an entry can only go."""
        last, now = str(choice.path[-1]), choice.what
        others: list[Any] = []
        kind = _NAMED.get(".".join(map(str, choice.path)), _NAMED.get(last))
        if isinstance(choice.value, bool):
            others = [not choice.value]
        elif kind:
            others = [self.catalog.index.name(i) for i in self.catalog.ids(kind)]
        elif choice.path == ("psu_sync",):
            others = ["adapter", "board", "backplane"]
        elif last == "cable":
            cards = (s for s in self.report.graph.of("gpu") if s.path == choice.path[:-1])
            others = sorted(plugs for card in cards for plugs in card.value("plugs") or {})
        others = [other for other in others if other != choice.value]
        said = {o: Phrase(now.code, {**now.values, "value": o}) for o in others}
        if choice.section != "workload" and not isinstance(choice.value, bool):
            said[None] = phrase("without", what=now)
        return [Decision((Change(choice.path, o),), (w,), value=o) for o, w in said.items()]

    # Parts

    def _part(
        self, choice: Chosen, data: dict[str, Any], rules: set[str], goal: Goal
    ) -> Iterator[Decision]:
        """The cheapest parts that will do."""
        role = choice.section
        now = self.openings.trials.of(data)
        if now is None:
            return
        barred: dict[str, tuple[int, ...]] = dict.fromkeys(sorted(rules), (FAIL,))
        own = settings_of(role) - {"count"}
        kept = tuple((k, v, None) for k, v in first_entry(data, role).items() if k in own)
        tried = 0
        for option in self.openings.like(role, data):
            if _refuse(barred, now, option):
                continue
            if tried >= MOST_TRIED:
                self.is_cut = True
                return
            tried += 1
            unit = option.units[0]._replace(settings=kept)
            changes = tuple(replacement(now, role, unit, unit.sort.part))
            other = self.openings.after(data, changes)
            if other and goal(other):
                part, price = unit.sort.part, money(option.price, CURRENCY)
                values = {"part": self.catalog.index.name(part), "count": unit.number}
                least = self._least(role, data, barred, now)
                values |= {"price": price, "sure": not other.unknown, "least": least}
                what = phrase("another", section=role, **values)
                yield Decision(changes, (what,), value=part, price=price)
            elif other:
                # What refuses this one is asked of those that are still to come.
                for rule in sorted(other.verdict.failed):
                    barred.setdefault(rule, (FAIL,))
                for rule in sorted(other.verdict.unknown - self.base.unknown):
                    barred[rule] = (FAIL, UNKNOWN)

    def _least(
        self, role: str, data: dict[str, Any], barred: dict[str, tuple[int, ...]], now: Trial
    ) -> Figure | None:
        """The smallest size of a part that these rules let pass."""
        field = SIZE.get(role)
        if field is None or role == "gpus":
            return None
        options = self.openings.options(role, data)
        sized = [(v.low, o) for o in options if (v := o.units[0].sort.value(field)) is not None]
        sized.sort(key=lambda row: row[0])
        low = next((size for size, o in sized if not _refuse(barred, now, o)), None)
        if low is None or low <= sized[0][0]:
            return None
        shape: Any = field_shapes(SECTION_KIND[role])[field]
        return figure(exact(low), shape)


def _refuse(barred: dict[str, tuple[int, ...]], trial: Trial, option: Option) -> bool:
    """Does one of these rules say something of a part that it is barred for?"""
    role = option.role
    return any(trial.verdict_of(rule, role, option) in bad for rule, bad in barred.items())
