"""The exact frontier of several measures: builds that no other beats in all of them.

What depends on the cards alone (GPU memory, estimated speed) is swept: the best build, then the
best with more than the least of what was found, and so on until there is none. Next to the price
one search does that: it gives the cheapest first, and cards that are beaten are left out of what
follows. Of what the whole machine adds up to otherwise, one measure is what each search is for; if
the price is wished for as well, the next search may spend less than the last build cost. Every
step is proven, so nothing lies between two points.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from buildcheck.configure.proof import Proof
from buildcheck.configure.proposing import DisagreementError
from buildcheck.configure.search.classes import CENTS
from buildcheck.configure.stopping import StoppedError
from buildcheck.configure.wish.model import OBJECTIVES
from buildcheck.errors import InputError, Problem
from buildcheck.logic.quantity import Interval
from buildcheck.model.finding import TROUBLES
from buildcheck.rulebook.proposals import proposals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from buildcheck.configure import engine
    from buildcheck.configure.result import Proposal
    from buildcheck.configure.search.space import Option
    from buildcheck.configure.wish.model import GpuWish
    from buildcheck.configure.wish.wish import Wish

    Machine = dict[str, Option]
    Stop = Callable[[], bool] | None

#: Measures that depend on the cards alone; the others add up over the whole machine.
OF_CARDS = ("gpu_memory", "speed")
#: Measures of which less is better.
LESS = ("price", "power")
#: Differences smaller than this are none.
_FINE = 1e-6
_LEAST = 2


@dataclass(frozen=True)
class Frontier:
    """Every build that no other beats, in the order of the first measure.

    `searches` is how many were proven; `proof` is of how many builds there were to choose from,
    and of what excludes them where none passes. Where it was `stopped`, the points are proven and
    others are missing. `unmeasured` cards have no place on it, as a measure of them is not known.
    """

    wish: Wish
    currency: str
    measures: tuple[str, ...]
    points: tuple[Proposal, ...]
    proof: Proof
    searches: int
    stopped: bool
    seconds: float
    unmeasured: int
    parts: dict[str, int]


def measures_of(text: str) -> tuple[str, ...]:
    """Names of measures with commas between them. Raises `InputError`."""
    names = tuple(name.strip() for name in text.split(","))
    known = ", ".join(OBJECTIVES)
    wrong = [n for n in names if n not in OBJECTIVES]
    if wrong:
        raise _refused(f"there is no measure '{wrong[0][:40]}'", f"Measures: {known}")
    if len(set(names)) < len(names) or len(names) < _LEAST:
        raise _refused("a frontier needs two measures or more, each once", "As in price,gpu_memory")
    if {"headroom", "power"} <= set(names):
        what = "headroom and power add up over the same parts, so only one of them is swept"
        raise _refused(what, "Leave one of the two out")
    return names


def _refused(what: str, advice: str) -> InputError:
    return InputError([Problem("--pareto", 0, 0, what, advice)])


def frontier(
    of: engine.Engine,
    wish: Wish,
    measures: tuple[str, ...],
    *,
    stop: Stop = None,
    begun: Callable[[engine.SearchProblem], None] | None = None,
) -> Frontier:
    """The builds that meet a wish and that no other beats. Raises `InputError`.

    `begun` is called with the problem that is searched, to watch it.
    """
    start = time.monotonic()
    problem = of.problem(_opened(wish, _aim(measures)))
    if begun:
        begun(problem)
    sweep = Sweep(problem, measures, stop)
    every = [o for o in problem.lists["gpus"] if _meets(o, wish.gpus)]
    cards = sweep.known(every)
    found = _undominated(sweep.points(cards), measures)
    problem.remember()
    first = sweep.proofs[0] if sweep.proofs else Proof(0, {}, 0, 0, complete=True)
    excluded, unknown = ({}, {}) if found else (first.excluded_by, first.unknown_by)
    return Frontier(
        wish=wish,
        currency=problem.currency,
        measures=measures,
        points=tuple(found),
        proof=Proof(
            *(first.candidates, excluded, 0, 0), complete=not sweep.stopped, unknown_by=unknown
        ),
        searches=sum(p.complete for p in sweep.proofs),
        stopped=sweep.stopped,
        seconds=time.monotonic() - start,
        unmeasured=_parts(every) - _parts(cards),
        parts=problem.counts,
    )


def _parts(cards: Sequence[Option]) -> int:
    """How many models of card there are among them."""
    sorts = {id(unit.sort): unit.sort for option in cards for unit in option.units}
    return sum(len(sort.members) for sort in sorts.values())


def _aim(measures: Sequence[str]) -> str:
    """What each search is for: what adds up over the machine, the price only if nothing else."""
    summed = [m for m in measures if m not in OF_CARDS]
    other = [m for m in summed if m != "price"]
    return (other or summed or list(measures))[-1]


def _opened(wish: Wish, aim: str) -> Wish:
    """The wish with any number of cards that it allows, best at one thing."""
    cards = []
    for card in wish.gpus:
        low = card.number.low
        count = card.count or Interval(low, max(low, float(proposals().most_cards)))
        freed = {"memory_total": None, "count": count} if card.memory_total else {}
        cards.append(card.model_copy(update=freed))
    return replace(wish, gpus=tuple(cards), best={aim: 1.0})


def _meets(option: Option, wishes: tuple[GpuWish, ...]) -> bool:
    """Do cards have the memory that was wished for of them together?"""
    for unit, wish in zip(option.units, wishes, strict=False):
        memory, floor = unit.sort.value("memory"), wish.memory_total
        if floor is None:
            continue
        if memory is None or not (
            floor.low <= memory.low * unit.number and memory.high * unit.number <= floor.high
        ):
            return False
    return True


class Sweep:
    """One frontier on its way."""

    def __init__(self, problem: engine.SearchProblem, measures: Sequence[str], stop: Stop) -> None:
        self.problem, self.stop = problem, stop
        self.measures = tuple(measures)
        self.aim = _aim(measures)
        self.swept = [m for m in measures if m in OF_CARDS and m != self.aim]
        self.proofs: list[Proof] = []
        self.stopped = False
        #: Cards of the builds found, the last first.
        self._cards: list[Option] = []
        of_cards = [m for m in measures if m in OF_CARDS]
        self._worth = {id(o): values for o, values in problem.measured("gpus", of_cards)}

    def known(self, cards: list[Option]) -> list[Option]:
        """Cards of which every measure is known: the rest have no place on a frontier."""
        return [o for o in cards if all(map(math.isfinite, self._worth[id(o)].values()))]

    def points(self, cards: list[Option]) -> list[Proposal]:
        """What is found until the search ends or is stopped."""
        found: list[Proposal] = []
        try:
            found.extend(self.run(cards))
        except StoppedError:
            self.stopped = True
        return found

    def run(self, cards: list[Option]) -> Iterator[Proposal]:
        """The frontier, and points that others of it beat."""
        if self.aim == "price":
            yield from self._in_turn(cards)
        else:
            yield from self._swept(cards, self.swept)

    def _in_turn(self, cards: list[Option]) -> Iterator[Proposal]:
        """One search, the cheapest first: what follows has to have more of something."""
        best: list[tuple[float, ...]] = []

        def worth(option: Option) -> tuple[float, ...]:
            values = self._worth[id(option)]
            return tuple(values.get(m, 0.0) for m in self.swept)

        def beaten(option: Option) -> bool:
            mine = worth(option)
            return any(all(m <= b + _FINE for m, b in zip(mine, row, strict=True)) for row in best)

        search = self.problem.search(only={"gpus": cards}, beaten=beaten, stop=self.stop)
        for machine in search.solutions():
            best.append(worth(machine["gpus"]))
            yield self.problem.proposal(machine, strict=True)
        self.proofs.append(search.proof())
        self.stopped = search.stopped

    def _swept(self, cards: list[Option], measures: list[str]) -> Iterator[Proposal]:
        """The frontier of the last measures over machines with one of these cards."""
        if not measures:
            yield from self._capped(cards)
            return
        measure, *rest = measures
        while cards and not self.stopped:
            found = list(self._swept(cards, rest))
            yield from found
            if not found:
                return
            # A build with no more than the least of these is beaten by one of them.
            least = min(point.objective[measure] for point in found)
            cards = [o for o in cards if self._worth[id(o)].get(measure, 0.0) > least + _FINE]

    def _capped(self, cards: list[Option]) -> Iterator[Proposal]:
        """The best; and if the price counts too, the best that costs less, and so on."""
        most: int | None = None
        while not self.stopped:
            point = self._best(cards, most)
            if point is None:
                return
            yield point
            if "price" not in self.measures:
                return
            most = round(point.objective["price"] * CENTS) - 1

    def _best(self, cards: list[Option], most: int | None) -> Proposal | None:
        search = self.problem.search(only={"gpus": cards}, most=most, stop=self.stop)
        machine = next(search.solutions(), None)
        self.proofs.append(search.proof())
        if search.stopped:
            self.stopped = True
            return None
        return self._kept(machine) if machine else None

    def _kept(self, machine: Machine) -> Proposal:
        """The build of a machine, with the cards of one before if it is as good with them.

        Which of several cards that cost and do the same a search comes upon is chance.
        """
        found = self.problem.proposal(machine, strict=True)
        if any(cards is machine["gpus"] for cards in self._cards):
            return found
        for cards in self._cards:
            try:
                other = self.problem.proposal({**machine, "gpus": cards}, strict=True)
            except DisagreementError:
                continue
            alike = all(
                abs(other.objective[m] - found.objective[m]) <= _FINE for m in self.measures
            )
            if alike and _raised(other) == _raised(found):
                return other
        self._cards.insert(0, machine["gpus"])
        return found


def _raised(proposal: Proposal) -> set[tuple[str, str]]:
    """What is found wrong with a build."""
    wrong = (f for f in proposal.report.findings if f.verdict in TROUBLES)
    return {(f.rule.id, f.severity) for f in wrong}


def _undominated(points: list[Proposal], measures: tuple[str, ...]) -> list[Proposal]:
    """The points that no other beats, each set of values once, by the first measure."""
    signed = [tuple(p.objective[m] * (1 if m in LESS else -1) for m in measures) for p in points]
    kept: dict[tuple[float, ...], Proposal] = {}
    for mine, point in zip(signed, points, strict=True):
        beaten = any(
            other != mine
            and all(o <= m + _FINE for o, m in zip(other, mine, strict=True))
            and any(o < m - _FINE for o, m in zip(other, mine, strict=True))
            for other in signed
        )
        if not beaten:
            kept.setdefault(mine, point)
    first = measures[0]
    return sorted(
        kept.values(), key=lambda p: (p.objective[first], *(p.objective[m] for m in measures))
    )
