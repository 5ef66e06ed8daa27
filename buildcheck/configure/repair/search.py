"""Moves → the smallest sets of them that fix a build, looked for from one move to three.

A move is followed up if it fixes something. Settings come before accessories and those before other
parts, so that each set is looked at once. Nothing here depends on time: the same build is answered
in the same way.
"""

from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any

from buildcheck.configure.decisions import Decision
from buildcheck.configure.repair import moves
from buildcheck.configure.repair.patches import RepairStep, State
from buildcheck.configure.repair.swaps import swaps
from buildcheck.configure.stopping import StoppedError
from buildcheck.configure.trial import Trial, Trials

#: Most moves in one repair, builds judged for one answer, and unfinished repairs followed up.
MOST_MOVES, MOST_JUDGED, MOST_OPEN = 3, 160, 10
#: With this number of repairs no larger ones are looked for.
ENOUGH = 4


class RepairSearch:
    """Repairs of one build. `tried` are the families of moves that were looked at.

    `found` are the repairs so far, with their limits as high as they can be; with `stopped` the
    search was ended before all was looked at.
    """

    def __init__(self, trials: Trials, start: Trial) -> None:
        self.trials, self.start = trials, start
        self._root = State((), start)
        self.tried: dict[str, str] = {}
        self.found: list[State] = []
        self.stopped = False
        #: Number of builds judged before the present search began.
        self._judged_before = 0
        #: All moves a build allows, in the order in which they are made.
        self._moves = cache(
            lambda trial: [
                move
                for move in sorted(
                    (*moves.stated_moves(trial), *swaps(trial)), key=lambda m: m.of.late
                )
                if not any(map(trial.holds, move.of.unless))
            ]
        )

    def repairs(self) -> list[State]:
        """Every set of moves that fixes the build and of which none can be left out.

        If there is none, as many cards as possible are left out first. A last resort is none where
        something else keeps the GPUs.
        """
        try:
            self._look()
        except StoppedError:
            self.stopped = True
        less = [state for state in self.found if not state.is_last_resort]
        return less if any(moves.FEWER not in state.families for state in less) else self.found

    def _look(self) -> None:
        found = self.found
        self._from(self._root)
        if not found:
            self._after_openings()
        self._judged_before = self.trials.judged
        found += self._fewer()
        for state in self._with_fewer() if not found else ():
            self._from(state)
            if found:
                break

    def _from(self, start: State) -> None:
        """Add the repairs that go on from a build."""
        states = [start]
        for _ in range(MOST_MOVES):
            partial: list[State] = []
            for child in (child for state in states for child in self._children(state)):
                if child.trial.wrong:
                    partial.append(child)
                elif whole := self._finished(child):
                    self.found.append(whole)
            if len(self.found) >= ENOUGH:
                break
            states = self._promising(partial)

    def _promising(self, partial: list[State]) -> list[State]:
        """The unfinished repairs that are followed up: those with the least left to fix."""
        open_ = [s for s in partial if not any(f.families <= s.families for f in self.found)]

        def left(state: State) -> tuple[Any, ...]:
            kinds = [moves.KINDS.index(s.move.of.kind) for s in state.steps]
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

    def _apt(self, state: State) -> Iterator[moves.Move]:
        """The moves that may go on from a build."""
        taken = state.families
        for move in self._moves(state.trial):
            if (
                move.family not in taken | {moves.FEWER}
                and move.of.concerns(state.trial.rules)
                and moves.go_together(taken, move.family)
                and self.trials.judged - self._judged_before <= MOST_JUDGED
            ):
                yield move

    def _children(self, state: State) -> Iterator[State]:
        """Builds that are one move further, and better."""
        first = {moves.FEWER, moves.PLATFORM_FAMILY}
        steps = [s for s in state.steps if s.move.family not in first]
        last = max((s.move.place for s in steps), default=(-1, ""))
        for move in self._apt(state):
            if move.place < last or self._is_spared(state, move):
                continue
            self.tried.setdefault(move.family, move.of.kind)
            if made := self._made(state, move):
                yield made

    def _is_spared(self, state: State, move: moves.Move) -> bool:
        """Is a move in vain, or is what it may fix fixed by less?"""
        mild = (not (f.is_last_resort if move.of.slows else f.slows) for f in self.found)
        if move.of.late and any(mild):
            return True
        taken, instead = state.families | {move.family}, move.of.instead if move.of.late else ()
        return any(f.families <= taken or not f.families.isdisjoint(instead) for f in self.found)

    def _made(self, state: State, move: moves.Move) -> State | None:
        """A move made as it fixes most; a graded one that fixes all as little as it then can be."""
        best: State | None = None
        for way in move.ways[-1:] if move.of.graded else move.ways or move.pick():
            after = self._after(state, move, way)
            if after and (best is None or len(after.trial.wrong) < len(best.trial.wrong)):
                best = after
            if after and not after.trial.wrong:
                break
        if best and move.of.graded and not best.trial.wrong:
            best = best.least(-1) or best
        return best

    def _after(self, state: State, move: moves.Move, way: Decision) -> State | None:
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
                state = state.least(number) or state
        return None if state.is_too_much else state

    # Fewer cards

    def _fewer(self) -> list[State]:
        """As many cards as pass with the rest as it is, unless a setting alone fixes it."""
        alone = (f.steps[0].move.of.kind for f in self.found if len(f.steps) == 1)
        fixed = (s for s in self._with_fewer() if not s.trial.wrong)
        return [] if moves.KINDS[0] in alone else [*islice(fixed, 1)]

    def _with_fewer(self) -> Iterator[State]:
        """The build with one card less, then two, and so on."""
        for move in (m for m in self._moves(self.start) if m.family == moves.FEWER):
            self.tried.setdefault(move.family, move.of.kind)
            states = (self._root.having([RepairStep(move, way)]) for way in move.ways)
            yield from filter(None, states)
