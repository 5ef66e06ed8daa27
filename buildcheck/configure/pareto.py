"""The exact Pareto front of several measures: builds that no other beats in all of them.

One search gives the best in one measure first. What depends on the cards alone (GPU memory,
estimated speed) and the price bound what follows: a machine whose cards are worth no more than
those of one that was given has to cost less than that. Every build is proven, so nothing lies
between two.
"""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from buildcheck.configure import engine
from buildcheck.configure.answer import ConfigureAnswer, Proof, Proposal
from buildcheck.configure.proposing import propose
from buildcheck.configure.search.classes import CENTS
from buildcheck.configure.search.search import Cap
from buildcheck.configure.search.space import Option
from buildcheck.configure.stopping import Stop, never
from buildcheck.configure.wish.model import LESS, OBJECTIVES, Weights
from buildcheck.configure.wish.wish import Wish
from buildcheck.logic.quantity import Interval
from buildcheck.model.vocabulary import refused
from buildcheck.rulebook.proposals import proposals

_GPUS = "gpus"
#: Measures that depend on the cards alone; the others add up over the whole machine.
OF_CARDS = ("gpu_memory", "speed")
#: Differences smaller than this are none.
_FINE = 1e-6
_LEAST = 2


def measures_of(text: str) -> tuple[str, ...]:
    """Names of measures with commas between them. Raises `InputError`."""
    names = tuple(name.strip() for name in text.split(","))
    wrong = [n for n in names if n not in OBJECTIVES]
    if wrong:
        known = ", ".join(OBJECTIVES)
        raise refused("--pareto", "wish-measure", name=wrong[0][:40], known=known)
    if len(set(names)) < len(names) or len(names) < _LEAST:
        raise refused("--pareto", "wish-measures")
    if {"headroom", "power"} <= set(names):
        raise refused("--pareto", "wish-swept")
    return names


def frontier(
    of: engine.Engine,
    wish: Wish,
    measures: tuple[str, ...],
    *,
    stop: Stop = never,
    begun: Callable[[engine.SearchProblem], None] | None = None,
) -> ConfigureAnswer:
    """The builds that meet a wish and that no other beats. Raises `InputError`.

    `begun` is called with the problem that is searched, to watch it. The proof is of how many
    builds there were to choose from, and of what excludes them where none passes. `unmeasured`
    GPUs have no place on it, as a measure of them is not known.
    """
    start = time.monotonic()
    problem = of.problem(_opened(wish, measures))
    if begun:
        begun(problem)
    of_cards = [m for m in measures if m in OF_CARDS]
    worth = {id(o): values for o, values in problem.measured(_GPUS, of_cards)}
    # The rest have no place on a frontier.
    cards = [o for o in problem.lists[_GPUS] if all(map(math.isfinite, worth[id(o)].values()))]
    points = [*_points(problem, measures, cards, worth, stop)]
    found = _undominated(points, measures)
    problem.store.remember()
    stopped = bool(problem.running and problem.running.stopped)
    first = problem.running.proof() if problem.running else Proof(0, {}, 0, 0, complete=True)
    excluded, unknown = ({}, {}) if found else (first.excluded_by, first.unknown_by)
    return problem.answer(
        Proof(first.candidates, excluded, 0, 0, complete=not stopped, unknown_by=unknown),
        _set_apart(found),
        measures=measures,
        stopped=stopped,
        seconds=round(time.monotonic() - start, 3),
        unmeasured=_parts(problem.lists[_GPUS]) - _parts(cards),
    )


def _set_apart(points: list[Proposal]) -> Iterator[Proposal]:
    """The points, each with the parts that set it apart from an earlier one with the same GPUs."""
    seen: dict[tuple[tuple[str, int], ...], set[tuple[str, int]]] = {}
    for point in points:
        chosen = {(one.part, one.count): one for one in point.parts}
        gpus = tuple(key for key, one in chosen.items() if one.section == _GPUS)
        others = [one for key, one in chosen.items() if gpus in seen and key not in seen[gpus]]
        names = (o.name if o.count == 1 else f"{o.count}x {o.name}" for o in others)
        yield replace(point, apart=tuple(names))
        seen.setdefault(gpus, set(chosen))


def _parts(cards: Sequence[Option]) -> int:
    """How many models of card there are among them."""
    sorts = {id(unit.sort): unit.sort for option in cards for unit in option.units}
    return sum(len(sort.members) for sort in sorts.values())


def _aim(measures: Sequence[str]) -> str:
    """What each search is for: what adds up over the machine, the price only if nothing else."""
    summed = [m for m in measures if m not in OF_CARDS]
    other = [m for m in summed if m != "price"]
    return (other or summed or list(measures))[-1]


def _opened(wish: Wish, measures: Sequence[str]) -> Wish:
    """The wish with any number of cards that it allows, best at one measure."""
    cards = []
    for card in wish.gpus:
        low = card.number.low
        count = card.count or Interval(low, max(low, float(proposals().most_cards)))
        cards.append(card.model_copy(update={"count": count} if card.memory_total else {}))
    best = dict.fromkeys(measures, 0.0) | {_aim(measures): 1.0}
    return wish.but(gpus=tuple(cards), best=Weights.model_construct(**best))


def _points(
    problem: engine.SearchProblem,
    measures: tuple[str, ...],
    cards: list[Option],
    worth: Mapping[int, Mapping[str, float]],
    stop: Stop,
) -> Iterator[Proposal]:
    """The frontier with these GPUs, and points that others of it beat.

    It is one search, the best in one measure first: what follows has to have more of another, or
    to cost less. `worth` are the other measures of GPUs, by the id of their option.
    """
    aim = _aim(measures)
    of_cards = [m for m in measures if m != aim]
    is_bound = "price" in measures and aim != "price"
    #: What the GPUs of each build found are worth, and what costs less than it.
    found: list[tuple[tuple[float, ...], float]] = []

    def values(option: Option) -> tuple[float, ...]:
        return tuple(worth[id(option)].get(m, -math.inf) for m in OF_CARDS if m in of_cards)

    def most(mine: Any) -> float:
        """What a machine with GPUs of this worth may cost that no build found so far beats."""
        return min((cents for theirs, cents in found if _all_less(mine, theirs)), default=math.inf)

    cap = Cap(values, most)
    for machine in problem.search(only={_GPUS: cards}, cap=cap, stop=stop).solutions():
        point = propose(problem, machine, strict=True)
        less = round(_value(point, "price") * CENTS) - 1 if is_bound else -1
        found.append((values(machine[_GPUS]), less))
        yield point


def _undominated(points: list[Proposal], measures: tuple[str, ...]) -> list[Proposal]:
    """The points that no other beats, each set of values once, by the first measure."""
    signed = [tuple(_value(p, m) * (1 if m in LESS else -1) for m in measures) for p in points]
    kept: dict[tuple[float, ...], Proposal] = {}
    for mine, point in zip(signed, points, strict=True):
        if not any(_all_less(other, mine) and not _all_less(mine, other) for other in signed):
            kept.setdefault(mine, point)
    return sorted(kept.values(), key=lambda p: [_value(p, m) for m in measures])


def _all_less(some: Sequence[float], others: Sequence[float]) -> bool:
    """Is each of some values no more than its like?"""
    return all(one <= other + _FINE for one, other in zip(some, others, strict=True))


def _value(point: Proposal, measure: str) -> float:
    """A measure of a build of which it is known."""
    found = point.measures[measure]
    return math.inf if found is None else found
