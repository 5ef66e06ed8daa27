"""Moves → the smallest sets of them that fix a build, looked for from one move to three.

A move is followed up if it fixes something. Settings come before accessories and those before other
parts, so that each set is looked at once. Nothing here depends on time: the same build is answered
in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from buildcheck.configure.decisions import Decision
from buildcheck.configure.repair.moves import (
    FEWER,
    KINDS,
    PLATFORM_FAMILY,
    Move,
    go_together,
    stated_moves,
)
from buildcheck.configure.repair.patches import RepairStep, State, is_fixed, is_known, passes
from buildcheck.configure.repair.swaps import Swaps
from buildcheck.configure.stopping import StoppedError
from buildcheck.configure.trial import Trial, Trials

#: Most moves in one repair, builds judged for one answer, and unfinished repairs followed up.
MOST_MOVES, MOST_JUDGED, MOST_OPEN = 3, 160, 10
#: With this number of repairs no larger ones are looked for.
ENOUGH = 4


class RepairSearch:
    """Repairs of one build. `tried` are the families of moves that were looked at.

    `found` are the repairs so far, with their limits as high as they can be; with `stopped` the
    search was ended before all was looked at. With `whole` fewer cards are found where a setting
    is enough as well.
    """

    def __init__(self, trials: Trials, start: Trial, *, whole: bool = False) -> None:
        self.trials, self.start, self.whole = trials, start, whole
        self.swaps, self._root = Swaps(trials), State((), start)
        self.tried: dict[str, str] = {}
        self.found: list[State] = []
        self.stopped = False
        #: Number of builds judged before the present search began.
        self._judged_before = 0
        #: All moves a build allows, in the order in which they are made.
        self._moves = cache(
            lambda trial: [
                move
                for move in (*stated_moves(trial), *self.swaps.moves(trial))
                if not any(map(trial.holds, move.of.unless))
            ]
        )

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
        moves = self._moves(self.start) if self.stopped else []
        left = [m for m in moves if m.family not in self.tried and m.of.concerns(self.start.rules)]
        return list(dict.fromkeys(m.of.kind for m in left))

    def _look(self) -> None:
        found = self.found
        self._from(self._root)
        if not found:
            self._after_openings()
        self._judged_before = self.trials.judged
        self._settle()
        found += self._fewer()
        for state in self._with_fewer() if not found else ():
            self._from(state)
            if found:
                break

    def _settle(self) -> None:
        """Put what is known to pass in the place of what is not, as far as little does that."""
        known: list[State] = []
        open_ = [state for state in self.found if not passes(state.trial)]
        for state in open_:
            more = state is self.found[0] and len(open_) == len(self.found)
            made = next(self._further(state, more=more), None)
            if made and not made.works_without_one(passes):
                known.append(made)
        settled = {s.families for s in known}
        self.found[:] = [*known, *(s for s in self.found if s.families not in settled)]

    def _from(self, start: State) -> None:
        """Add the repairs that go on from a build."""
        states = [start]
        for _ in range(MOST_MOVES):
            partial: list[State] = []
            for child in (child for state in states for child in self._children(state)):
                # One that is no more than what another fixes as well has to leave less unjudged.
                is_new = not any(
                    f.families <= child.families and f.trial.unknown <= child.trial.unknown
                    for f in self.found
                )
                if child.trial.wrong:
                    partial.append(child)
                elif is_new and (whole := self._finished(child)):
                    self.found.append(whole)
            if len(self.found) >= ENOUGH:
                break
            states = self._promising(partial)

    def _promising(self, partial: list[State]) -> list[State]:
        """The unfinished repairs that are followed up: those with the least left to fix."""
        open_ = [s for s in partial if not any(f.families <= s.families for f in self.found)]

        def left(state: State) -> tuple[Any, ...]:
            kinds = [KINDS.index(s.move.of.kind) for s in state.steps]
            return len(state.trial.rules), max(kinds), sorted(state.families)

        return sorted(open_, key=left)[:MOST_OPEN]

    def _after_openings(self) -> None:
        """Add repairs that begin with what fixes nothing alone, and opens a way for others."""
        for move in (move for move in self._moves(self.start) if move.of.opens):
            self.tried.setdefault(move.family, move.of.kind)
            self._judged_before = self.trials.judged
            for way in move.ways or move.pick():
                made = None if self.found else self._root.having([RepairStep(move, way)])
                if made and made.trial.wrong:
                    self._from(made)

    # Moves

    def _apt(self, state: State) -> Iterator[Move]:
        """The moves that may go on from a build."""
        taken = state.families
        for move in self._moves(state.trial):
            if (
                move.family not in taken | {FEWER}
                and move.of.concerns(state.trial.rules)
                and go_together(taken, move.family)
                and self.trials.judged - self._judged_before <= MOST_JUDGED
            ):
                yield move

    def _children(self, state: State) -> Iterator[State]:
        """Builds that are one move further, and better."""
        first = {FEWER, PLATFORM_FAMILY}
        steps = [s for s in state.steps if s.move.family not in first]
        last = max((s.move.place for s in steps), default=(-1, ""))
        for move in self._apt(state):
            if move.place < last or self._is_spared(state, move):
                continue
            self.tried.setdefault(move.family, move.of.kind)
            if made := self._made(state, move):
                yield made

    def _is_spared(self, state: State, move: Move) -> bool:
        """Is a move in vain, or is what it may fix fixed by less?"""
        if move.of.late and any(not any(s.move.of.slows for s in f.steps) for f in self.found):
            return True
        taken, instead = state.families | {move.family}, move.of.instead if move.of.late else ()
        return any(f.families <= taken or not f.families.isdisjoint(instead) for f in self.found)

    def _made(self, state: State, move: Move) -> State | None:
        """A move made as it fixes most; a graded one that fixes all as little as it then can be."""
        best: State | None = None
        for way in move.ways[-1:] if move.of.graded else move.ways or move.pick():
            after = self._after(state, move, way)
            if after and (best is None or len(after.trial.wrong) < len(best.trial.wrong)):
                best = after
            if after and not after.trial.wrong:
                break
        if best and move.of.graded and not best.trial.wrong:
            # A little further nothing is left that cannot be judged.
            best = best.least(-1, is_known) or best.least(-1, is_fixed) or best
        return best

    def _after(self, state: State, move: Move, way: Decision) -> State | None:
        """The build after one more step; None if that fixes nothing at all."""
        made = state.having((*state.steps, RepairStep(move, way)))
        if made is None:
            return None
        before, left = state.trial, made.trial
        is_less = before.wrong - left.wrong and len(left.wrong) <= len(before.wrong)
        return made if before.rules - left.rules or is_less else None

    # What is left open

    def _finished(self, state: State) -> State | None:
        """The state with limits as high as they can be; None if a move can be left out."""
        for number, step in enumerate(state.steps):
            if step.move.of.graded and len(state.steps) > 1:
                state = state.least(number, is_fixed) or state
        return None if state.works_without_one(is_fixed) else state

    def _further(self, state: State, *, more: bool) -> Iterator[State]:
        """States with graded steps moved further, or with one `more` move, that pass."""
        # Nothing is excused from here on.
        strict = State(state.steps, replace(state.trial, strict=True))
        report = state.trial.report
        left = [(f.rule.id,) for f in report.errors("unknown")] if report else []

        def settles(move: Move) -> bool:
            return all(map(move.of.concerns, left))

        for number, step in enumerate(state.steps):
            if step.move.of.graded and settles(step.move):
                yield from filter(None, [state.least(number, passes)])
        for move in filter(settles, self._apt(strict)) if more else ():
            if move.of.graded:
                most = state.having((*state.steps, RepairStep(move, move.ways[-1])))
                made = most and most.least(-1, passes)
            else:
                made = self._made(strict, move) if move.family != PLATFORM_FAMILY else None
            if made and passes(made.trial):
                yield made

    # Fewer cards

    def _fewer(self) -> list[State]:
        """As many cards as pass with the rest as it is, unless a setting alone fixes it.

        Before them more, if what parts usually have may settle what is left open.
        """
        alone = (f.steps[0].move.of.kind for f in self.found if len(f.steps) == 1)
        if KINDS[0] in alone and not self.whole:
            return []
        less = [s for s in self._with_fewer() if not s.trial.fails]
        right = (n for n, s in enumerate(less, 1) if not s.trial.wrong)
        return less[: next(right, 0)]

    def _with_fewer(self) -> Iterator[State]:
        """The build with one card less, then two, and so on."""
        for move in (m for m in self._moves(self.start) if m.family == FEWER):
            self.tried.setdefault(move.family, move.of.kind)
            states = (self._root.having([RepairStep(move, way)]) for way in move.ways)
            yield from filter(None, states)
