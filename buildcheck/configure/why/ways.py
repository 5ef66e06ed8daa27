"""What a choice could be instead: the least change of each kind with which a build passes.

Every answer is a build that was judged by `check`; the rules only show what is not worth trying.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.configure.common import Phrase, nearest, phrase
from buildcheck.configure.search.law import FAIL, UNKNOWN
from buildcheck.configure.why.choices import (
    COUNT,
    LIMIT,
    MANY,
    OUTLET,
    PART,
    SITE,
    Chosen,
    counted,
    swapped,
)
from buildcheck.configure.why.machines import changed_data
from buildcheck.edit import Change, named
from buildcheck.logic.quantity import Interval, exact, number_text
from buildcheck.measure.shapes import field_shapes
from buildcheck.model.answer import Amount, Figure, figure
from buildcheck.model.build import MOST, SECTION_KIND

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from buildcheck.configure.search.space import Option
    from buildcheck.configure.why.machines import Machines

    Goal = Callable[[dict[str, Any]], bool]

#: Parts that are judged before none is reported.
MOST_TRIED = 24
#: Steps from the highest power limit to the lowest; the one found is made exact to the watt.
STEPS = 10
#: Ratings of breakers (IEC 60898-1 and NEC 240.6), in A.
BREAKERS = (10, 13, 15, 16, 20, 25, 30, 32, 40, 50, 63)
#: Outlets that are named.
MOST_OUTLETS = 3
#: The field that says how large a part is.
SIZE = {"psus": "rated_power", "case": "expansion_slots", "gpus": "memory"}


class Become(NamedTuple):
    """What a choice becomes: the changes, how they are said, the value, and what a part costs."""

    changes: list[Change]
    what: Phrase
    value: Any
    price: Amount | None = None


class Becoming:
    """What choices of one build can become."""

    def __init__(self, machines: Machines) -> None:
        self.machines = machines
        self.base = machines.verdict(machines.data)
        # Were there parts that were not tried?
        self.is_cut = False

    def of(
        self, choice: Chosen, data: dict[str, Any], rules: set[str], goal: Goal
    ) -> Iterator[Become]:
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
            for changes, what, value in self._others(choice):
                if self._reaches(data, changes, goal):
                    yield Become(changes, what, value)

    def _reaches(self, data: dict[str, Any], changes: list[Change], goal: Goal) -> bool:
        other = changed_data(data, changes)
        return other is not None and goal(other)

    # Numbers

    def _limit(self, choice: Chosen, data: dict[str, Any], goal: Goal) -> Iterator[Become]:
        """The highest limit that will do; where none below the present one does, the lowest."""

        def works(watts: int) -> bool:
            return self._reaches(data, [Change(choice.path, f"{watts} W")], goal)

        low, high = round(choice.low), round(choice.high)
        now = high if choice.value is None else self._watts(choice.value, high)
        steps = sorted({low + (high - low) * n // STEPS for n in range(STEPS + 1)} | {now})
        below = [w for w in steps if w <= now]
        best = next((w for w in reversed(below) if works(w)), None)
        entry = "" if len(self.machines.data[choice.section]) == 1 else named(choice.path[:-1])
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
        yield Become([Change(choice.path, f"{watts} W")], what, f"{watts} W")

    def _watts(self, text: Any, high: int) -> int:
        digits = str(text).split()[0]
        try:
            return min(high, round(float(digits.split("..")[0])))
        except ValueError:
            return high

    def _count(self, choice: Chosen, data: dict[str, Any], goal: Goal) -> Iterator[Become]:
        numbers = [*range(choice.value - 1, 0, -1)]
        if choice.section != "gpus":
            numbers += range(choice.value + 1, min(MANY, MOST) + 1)
        for number in numbers:
            changes = counted(choice, data, number)
            if self._reaches(data, changes, goal):
                code = "fewer" if number < choice.value else "more"
                yield Become(changes, phrase(code, section=choice.section, count=number), number)
                return

    # The wall

    def _outlet(self, data: dict[str, Any], goal: Goal) -> Iterator[Become]:
        """The smallest outlets that will do, those of the present voltage first."""
        now, volts = self._wall()
        outlets = []
        for part_id in self.machines.catalog.ids("outlet"):
            part = self.machines.catalog.part(part_id)
            voltage, rated = (part.facts.get(n) for n in ("voltage", "breaker"))
            if voltage and rated:
                volt, amps = voltage.value.high, rated.value.high
                alike = part.name.split()[0] == now
                outlets.append((volt != volts, not alike, volt * amps, part.name, volt, amps))
        found: dict[float, tuple[list[Change], dict[str, Any]]] = {}
        for other, unlike, _, name, volt, amps in sorted(outlets):
            # Outlets of another voltage are offered only where they are of the same family.
            if volt in found or len(found) >= MOST_OUTLETS or (other and unlike and volts):
                continue
            changes = self._walled(data, {"outlet": name})
            if self._reaches(data, changes, goal):
                found[volt] = (changes, {"name": name, "voltage": volt, "breaker": amps})
        if found:
            changes, _ = next(iter(found.values()))
            what = phrase("outlets", outlets=[outlet for _, outlet in found.values()])
            yield Become(changes, what, {"outlet": changes[0].value})
            return
        for amps in BREAKERS:
            breaker = {"voltage": f"{number_text(volts)} V", "breaker": f"{amps} A"}
            changes = self._walled(data, breaker)
            if volts and self._reaches(data, changes, goal):
                yield Become(changes, phrase("circuit", amps=amps, volts=volts), breaker)
                return

    def _walled(self, data: dict[str, Any], wall: dict[str, str]) -> list[Change]:
        """Another wall; new words are there before the last old one goes."""
        site = data.get("site") or {}
        changes = [Change(("site", key), value) for key, value in wall.items()]
        return changes + [Change(("site", k), None) for k in OUTLET if k in site and k not in wall]

    def _wall(self) -> tuple[str, float]:
        """The first word of the present outlet, and its voltage."""
        site = self.machines.data.get("site") or {}
        value: Interval | None = self.machines.report.graph.the("circuit").value("voltage")
        words = str(site.get("outlet", "")).split()
        return words[0] if words else "", value.high if value else 0.0

    # Words and settings

    def _others(self, choice: Chosen) -> list[tuple[list[Change], Phrase, Any]]:
        """Other values of a word or a setting, and none; an entry can only go."""
        last, now = str(choice.path[-1]), choice.what

        def with_value(value: Any) -> Phrase:
            return Phrase(now.code, {**now.values, "value": value})

        if isinstance(choice.value, bool):
            other = not choice.value
            return [([Change(choice.path, other)], with_value(other), other)]
        catalog = self.machines.catalog
        others: list[str] = []
        if choice.section == "workload" and last in ("kind", "parallel"):
            kind = {"kind": "workload-kind", "parallel": "parallelism"}[last]
            others = [catalog.index.name(i) for i in catalog.ids(kind)]
        elif last == "adapter":
            others = [catalog.index.name(i) for i in catalog.ids("adapter")]
        elif choice.path == ("psu_sync",):
            others = ["adapter", "board", "backplane"]
        elif last == "cable":
            card = next(
                (s for s in self.machines.report.graph.of("gpu") if s.path == choice.path[:-1]),
                None,
            )
            others = sorted(card.value("plugs") or {}) if card else []
        tries: list[tuple[list[Change], Phrase, Any]] = [
            ([Change(choice.path, other)], with_value(other), other)
            for other in others
            if other != choice.value
        ]
        if choice.section != "workload":
            tries.append(([Change(choice.path, None)], phrase("without", what=now), None))
        return tries

    # Parts

    def _part(
        self, choice: Chosen, data: dict[str, Any], rules: set[str], goal: Goal
    ) -> Iterator[Become]:
        """The cheapest parts that will do, one for each size."""
        role = choice.section
        variant = self.machines.variant(data)
        if variant is None:
            return
        options = self.like(role, data)
        barred: dict[str, tuple[int, ...]] = dict.fromkeys(sorted(rules), (FAIL,))
        tried = 0
        for option in options:
            if any(variant.verdict_of(rule, role, option) in bad for rule, bad in barred.items()):
                continue
            if tried >= MOST_TRIED:
                self.is_cut = True
                return
            tried += 1
            unit = option.units[0]
            count: int | None = unit[1] if role == "memory" else None
            changes = swapped(choice, data, unit.sort.part, count)
            other = changed_data(data, changes)
            if other is None:
                continue
            if goal(other):
                sure, least = (
                    not self.machines.verdict(other).unknown,
                    self._least(role, data, barred),
                )
                yield self._other_part(option, changes, sure=sure, least=least)
                size = option.units[0].sort.value(SIZE.get(role, "rated_power"))
                options = [o for o in options if o.units[0].sort.value(SIZE.get(role, "")) != size]
                continue
            judged = self.machines.verdict(other)
            # What refuses this one is asked of those that are still to come.
            for rule in sorted(judged.failed):
                barred.setdefault(rule, (FAIL,))
            for rule in sorted(judged.unknown - self.base.unknown):
                barred[rule] = (FAIL, UNKNOWN)

    def _other_part(
        self, option: Option, changes: list[Change], *, sure: bool, least: Figure | None
    ) -> Become:
        (part, count, _), price = option.units[0], self.machines.price(option)
        name = self.machines.catalog.index.name(part.part)
        what = phrase(
            "another",
            section=option.role,
            part=name,
            count=count,
            price=price,
            sure=sure,
            least=least,
        )
        return Become(changes, what, part.part, price)

    def like(self, role: str, data: dict[str, Any]) -> list[Option]:
        """Priced parts for a role; cards have as much memory as those of the build."""
        options = self.machines.options(role, data)
        if role != "gpus":
            return options
        cards = [s.value("memory") for s in self.machines.report.graph.of("gpu")]
        least = max((m.low for m in cards if m), default=0.0)
        return [
            o
            for o in options
            if (m := o.units[0].sort.value("memory")) is not None and m.low >= least
        ]

    def _least(
        self, role: str, data: dict[str, Any], barred: dict[str, tuple[int, ...]]
    ) -> Figure | None:
        """The smallest size of a part that these rules let pass."""
        field = SIZE.get(role)
        variant = self.machines.variant(data)
        if field is None or role == "gpus" or variant is None:
            return None
        options = self.machines.options(role, data)
        sized = [(v.low, o) for o in options if (v := o.units[0].sort.value(field)) is not None]
        sized.sort(key=lambda row: row[0])
        low = next(
            (
                s
                for s, o in sized
                if not any(variant.verdict_of(r, role, o) in b for r, b in barred.items())
            ),
            None,
        )
        if low is None or low <= sized[0][0]:
            return None
        shape: Any = field_shapes(SECTION_KIND[role])[field]
        return figure(exact(low), shape)
