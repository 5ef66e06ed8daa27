"""Moves → the smallest sets of them that fix a build, looked for from one move to three.

A move is followed up if it fixes something. Settings come before accessories and
those before other parts, so that each set is looked at once. Nothing here depends on time:
the same build is answered in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from buildcheck.configure.repair.accessories import SECOND_PSU, accessories
from buildcheck.configure.repair.settings import fewer, settings
from buildcheck.configure.repair.swaps import MOST_ASKED_LATER, PLATFORM_FAMILY, TWO_SUPPLIES, Swaps
from buildcheck.configure.repair.trial import Way
from buildcheck.configure.stopping import StoppedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from buildcheck.configure.repair.trial import Move, Outcome, Trials
    from buildcheck.edit import Change

#: Most moves in one repair, builds judged for one answer, and unfinished repairs followed up.
MOST_MOVES, MOST_JUDGED, MOST_OPEN = 3, 160, 10
#: With this number of repairs no larger ones are looked for.
ENOUGH = 4
#: Position of a power limit in its range, if that is enough, while other moves are looked for; then
#: it is raised as far as they allow.
ANCHOR = 0.4


@dataclass(frozen=True)
class RepairStep:
    """A move, the way it is made, and how far along its ways that is."""

    move: Move
    way: Way


@dataclass(frozen=True)
class State:
    """A build after some moves."""

    steps: tuple[RepairStep, ...]
    outcome: Outcome

    @property
    def families(self) -> frozenset[str]:
        """What was moved."""
        return frozenset(s.move.family for s in self.steps)

    @property
    def changes(self) -> list[Change]:
        """All changes, in order."""
        return [c for s in self.steps for c in s.way.changes]


class RepairSearch:
    """Repairs of one build. `tried` are the families of moves that were looked at.

    `found` are the repairs so far, with their limits as high as they can be; with `stopped` the
    search was ended before all was looked at.
    """

    def __init__(self, trials: Trials, start: Outcome) -> None:
        self.trials, self.start, self.swaps = trials, start, Swaps(trials.laws)
        self.tried: dict[str, str] = {}
        self.found: list[State] = []
        self.stopped = False
        #: Parts whose exchange was seen to fix nothing of what fails at the start.
        self._vain: set[str] = set()
        #: Number of builds judged before the present search began.
        self._judged_before = 0
        #: Rules that one move or another fixes alone.
        self._fixed: set[str] = set()
        self._known: dict[int, tuple[Outcome, list[Move]]] = {}

    def repairs(self) -> list[State]:
        """Every set of moves that fixes the build and of which none can be left out.

        If there is none, as many cards as possible are left out first.
        """
        try:
            self._look()
        except StoppedError:
            self.stopped = True
        return self.found

    @property
    def untried(self) -> list[str]:
        """The kinds of the moves that may help and were not looked at, were it not stopped."""
        moves = [*self._moves(self.start), *fewer(self.start)] if self.stopped else []
        left = [m for m in moves if m.family not in self.tried and m.concerns(self.start.rules)]
        return list(dict.fromkeys(m.kind for m in left))

    def _look(self) -> None:
        found = self.found
        self._from(State((), self.start), found)
        if not found:
            self._on_another_platform(found)
        if not any(s.outcome.is_known for s in found):
            known = self._known_to_pass(found)
            settled = {s.families for s in known}
            found[:] = [*known, *(s for s in found if s.families not in settled)]
        found += self._fewer(found)
        for state in self._with_fewer() if not found else ():
            self._from(state, found)
            if found:
                break

    def _from(self, start: State, found: list[State]) -> None:
        """Add the repairs that go on from a build."""
        states = [start]
        for _ in range(MOST_MOVES):
            partial: list[State] = []
            for state in states:
                for child in self._children(state, found):
                    if child.outcome.wrong:
                        partial.append(child)
                    elif self._is_new(child, found) and (whole := self._finished(child)):
                        found.append(whole)
            if len(found) >= ENOUGH:
                break
            states = _promising(partial, found)

    def _on_another_platform(self, found: list[State]) -> None:
        """Add repairs that begin with a platform for what no move alone fixes."""
        move = self.swaps.other_platform(self.start.rules - self._fixed)
        if move.pick is not None:
            self.tried.setdefault(move.family, move.kind)
            self._begin_anew()
            for state in self._made(State((), self.start), move):
                self._from(state, found)

    def _begin_anew(self) -> None:
        self.swaps.most_asked = self.trials.laws.judged + MOST_ASKED_LATER
        self._judged_before = self.trials.judged

    def _known_to_pass(self, found: Sequence[State]) -> list[State]:
        """Repairs gone on with until nothing is left that cannot be judged, where that is near."""
        self._begin_anew()
        known = [next(self._further(state), None) for state in found]
        return [s for s in known if s and not self._is_known_without_one(s)]

    def _is_known_without_one(self, state: State) -> bool:
        """Is the build known to pass without one of the moves?"""
        less = ([s for s in state.steps if s is not step] for step in state.steps)
        outcomes = [self._all(steps) for steps in less if steps]
        return any(outcome is not None and outcome.is_known for outcome in outcomes)

    def _further(self, state: State) -> Iterator[State]:
        """States with graded steps moved further, or with one more move, that are known to pass."""
        for number, step in enumerate(state.steps):
            if step.move.graded:
                yield from self._known_at(state, state.steps, number)
        # Nothing is excused from here on.
        strict = State(state.steps, replace(state.outcome, excused=frozenset()))
        taken = state.families
        for move in self._moves(strict.outcome):
            if (
                move.family in taken | {PLATFORM_FAMILY}
                or not move.concerns(strict.outcome.rules)
                or not _go_together(taken, move.family)
                or self._has_judged_enough()
            ):
                continue
            if move.graded:
                steps = (*state.steps, RepairStep(move, move.ways[-1]))
                yield from self._known_at(state, steps, len(state.steps))
            else:
                yield from (s for s in self._made(strict, move) if s.outcome.is_known)

    def _known_at(self, state: State, steps: Sequence[RepairStep], number: int) -> Iterator[State]:
        """A graded step made as little as settles what cannot be judged, if that leaves nothing."""

        def settled(place: int) -> State | None:
            tried = self._moved(steps, number, place)
            left = tried and state.outcome.unknown & (tried.outcome.unknown | tried.outcome.fails)
            return None if left else tried

        best = _first(len(steps[number].move.ways), settled)
        if best is not None and best.outcome.is_known:
            yield best

    def _is_new(self, state: State, found: Sequence[State]) -> bool:
        """Is it no more than what another fixes as well, and leaves as little unjudged?"""
        return not any(
            f.families <= state.families and f.outcome.unknown <= state.outcome.unknown
            for f in found
        )

    def _moves(self, outcome: Outcome) -> list[Move]:
        """All moves a build allows, in the order in which they are made."""
        if id(outcome) not in self._known:
            catalog = self.trials.catalog
            moves = [*settings(outcome, catalog), *accessories(outcome, catalog)]
            self._known[id(outcome)] = outcome, [*moves, *self.swaps.moves(outcome)]
        return self._known[id(outcome)][1]

    def _children(self, state: State, found: Sequence[State]) -> Iterator[State]:
        """Builds that are one move further, and better."""
        taken = state.families
        first = {FEWER, PLATFORM_FAMILY}
        steps = [s for s in state.steps if s.move.family not in first]
        last = max((_place(s.move) for s in steps), default=(-1, ""))
        for move in self._moves(state.outcome):
            families = taken | {move.family}
            if move.family in taken or any(f.families <= families for f in found):
                continue
            if move.family == PLATFORM_FAMILY and any(f.families & _MATCHED for f in found):
                # One part alone fixes it.
                continue
            if move.family == TWO_SUPPLIES and any(
                f.families <= taken | _OTHER_SUPPLY for f in found
            ):
                # Another PSU or a second of the same kind fixes it.
                continue
            if not move.concerns(state.outcome.rules) or not _go_together(taken, move.family):
                continue
            if _place(move) < last or self._has_judged_enough():
                continue
            if move.family in self._vain and state.outcome.rules <= self.start.rules:
                continue
            self.tried.setdefault(move.family, move.kind)
            made = self._made(state, move)
            if not made and not state.steps and move.family in _APART_FROM_POWER:
                self._vain.add(move.family)
            yield from map(self._at_strongest, made)

    def _has_judged_enough(self) -> bool:
        return self.trials.judged - self._judged_before > MOST_JUDGED

    def _made(self, state: State, move: Move) -> list[State]:
        """A move made as it fixes most, which may be in more than one way to go on from."""
        if move.graded:
            return self._graded(state, move)
        best: State | None = None
        for way in self._ways(state, move):
            after = self._after(state, move, way)
            if after and (best is None or len(after.outcome.wrong) < len(best.outcome.wrong)):
                best = after
            if after and not after.outcome.wrong:
                break
        return [best] if best else []

    def _ways(self, state: State, move: Move) -> Iterator[Way]:
        """The ways to make a move in a build."""
        if move.pick is None:
            yield from move.ways
            return
        for first in move.after or (None,):
            outcome = state.outcome
            if first is not None:
                between = self.trials.after(outcome.data, first.changes)
                if between is None or not between.wrong:
                    continue
                outcome = between
            way = move.pick(outcome)
            if way is not None:
                yield way if first is None else _both(first, way)

    def _graded(self, state: State, move: Move) -> list[State]:
        """The last way is the strongest; if it fixes all, the first that does is taken."""
        strongest = self._after(state, move, move.ways[-1])
        if strongest is None:
            return []
        if not strongest.outcome.wrong:
            least = self._least(state, move, strongest)
            if not least.outcome.unknown or strongest.outcome.unknown:
                return [least]
            # A little further nothing is left that cannot be judged.
            return [self._least(state, move, strongest, known=True), least]
        after = self._after(state, move, move.ways[round(ANCHOR * (len(move.ways) - 1))])
        # What is still to be fixed may not ask for the strongest.
        is_enough = after is not None and after.outcome.wrong == strongest.outcome.wrong
        return [after] if after and is_enough else [strongest]

    def _least(self, state: State, move: Move, strongest: State, *, known: bool = False) -> State:
        """The first of a graded move's ways that fixes all, by bisection.

        What is `known` to pass leaves nothing that cannot be judged either.
        """

        def fixed(place: int) -> State | None:
            after = self._after(state, move, move.ways[place])
            left = after and (after.outcome.wrong or (known and after.outcome.unknown))
            return None if left else after

        return _first(len(move.ways) - 1, fixed) or strongest

    def _after(self, state: State, move: Move, way: Way) -> State | None:
        """The build after one more step; None if that fixes nothing at all."""
        outcome = self.trials.after(state.outcome.data, way.changes)
        if outcome is None:
            return None
        before, left = state.outcome, outcome
        if not state.steps:
            self._fixed |= before.rules - left.rules
        fixes = before.rules - left.rules or (
            before.wrong - left.wrong and len(left.wrong) <= len(before.wrong)
        )
        return State((*state.steps, RepairStep(move, way)), outcome) if fixes else None

    def _at_strongest(self, state: State) -> State:
        """An unfinished repair with its graded steps as strong as they can be, if that helps."""
        steps = [RepairStep(s.move, s.move.ways[-1]) if s.move.graded else s for s in state.steps]
        if not state.outcome.wrong or tuple(steps) == state.steps:
            return state
        outcome = self._all(steps)
        better = outcome is not None and len(outcome.rules) < len(state.outcome.rules)
        return State(tuple(steps), outcome) if outcome and better else state

    # What fixes

    def _finished(self, state: State) -> State | None:
        """The state with limits as high as they can be; None if a move can be left out."""
        for number, step in enumerate(state.steps):
            if step.move.graded and len(state.steps) > 1:
                state = self._relaxed(state, number)
        for number in range(len(state.steps)):
            if len(state.steps) > 1 and self._does_without(state, number):
                return None
        return state

    def _relaxed(self, state: State, number: int) -> State:
        """A graded step made as little as the others allow."""
        step = state.steps[number]

        def fixed(place: int) -> State | None:
            tried = self._moved(state.steps, number, place)
            return None if tried is None or tried.outcome.wrong else tried

        return _first(step.move.ways.index(step.way), fixed) or state

    def _moved(self, steps: Sequence[RepairStep], number: int, place: int) -> State | None:
        """The build after steps of which a graded one is made in another of its ways."""
        move = steps[number].move
        tried = (*steps[:number], RepairStep(move, move.ways[place]), *steps[number + 1 :])
        outcome = self._all(tried)
        return State(tried, outcome) if outcome else None

    def _does_without(self, state: State, number: int) -> bool:
        """Does the build pass without one of the moves?"""
        outcome = self._all([s for n, s in enumerate(state.steps) if n != number])
        return outcome is not None and not outcome.wrong

    def _all(self, steps: Sequence[RepairStep]) -> Outcome | None:
        return self.trials.after(self.start.data, [c for s in steps for c in s.way.changes])

    def _fewer(self, found: Sequence[State]) -> list[State]:
        """As many cards as pass with the rest as it is, unless a setting alone fixes it.

        Before them more, if what parts usually have may settle what is left open.
        """
        if any(len(f.steps) == 1 and f.steps[0].move.kind == "setting" for f in found):
            return []
        less = [s for s in self._with_fewer() if not s.outcome.fails]
        right = (n for n, s in enumerate(less, 1) if not s.outcome.wrong)
        return less[: next(right, 0)]

    def _with_fewer(self) -> Iterator[State]:
        """The build with one card less, then two, and so on."""
        for move in fewer(self.start):
            self.tried.setdefault(move.family, move.kind)
            for way in move.ways:
                outcome = self.trials.after(self.start.data, way.changes)
                if outcome:
                    yield State((RepairStep(move, way),), outcome)


def _first(ways: int, made: Callable[[int], State | None]) -> State | None:
    """What becomes of the first of these ways of which anything does, by bisection."""
    low, best = 0, None
    while low < ways:
        middle = (low + ways) // 2
        found = made(middle)
        if found is None:
            low = middle + 1
        else:
            ways, best = middle, found
    return best


def _both(first: Way, then: Way) -> Way:
    """One way that joins the changes of both, printed with `then` first."""
    return Way(
        (*first.changes, *then.changes),
        (*then.actions, *first.actions),
        (*then.buys, *first.buys),
        (*then.leaves, *first.leaves),
    )


#: What is offered last.
FEWER = "fewer cards"
_KINDS = ("setting", "accessory", "swap")
#: Accessories after which a setting can be needed: the circuits of a second PSU.
_AFTER = {"circuits": (1, SECOND_PSU), "outlet": (2, "")}


def _place(move: Move) -> tuple[int, str]:
    """Moves are made in this order, so that each set of them is looked at once."""
    return _AFTER.get(move.family, (_KINDS.index(move.kind), move.family))


#: Parts whose exchange fixes the same after settings and accessories as before them.
_MATCHED = {"motherboard", "cpu", "cpu_cooler", "memory", "modules"}
_APART_FROM_POWER = _MATCHED | {"case", "other chip", "platform", "storage"}
_OTHER_SUPPLY = {SECOND_PSU, "psus"}
#: Moves of which one is enough.
_APART = (
    {"same chip", "other chip"},
    {"risers", "case", "frame"},
    {SECOND_PSU, "psus", TWO_SUPPLIES},
    {"memory", "modules"},
    *({"platform", family} for family in sorted(_MATCHED)),
)


def _go_together(taken: frozenset[str], family: str) -> bool:
    if family.startswith("limit") and any(f.startswith("limit") for f in taken):
        return False
    return not any(family in apart and taken & apart for apart in _APART)


def _promising(partial: list[State], found: Sequence[State]) -> list[State]:
    """The unfinished repairs that are followed up: those with the least left to fix."""
    open_ = [s for s in partial if not any(f.families <= s.families for f in found)]

    def left(state: State) -> tuple[Any, ...]:
        kinds = [_KINDS.index(s.move.kind) for s in state.steps]
        return len(state.outcome.rules), max(kinds), sorted(state.families)

    return sorted(open_, key=left)[:MOST_OPEN]
