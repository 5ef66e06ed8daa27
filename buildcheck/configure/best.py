"""The best builds for a wish, with the proof that none is better."""

import gc
import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Any

from buildcheck.configure.answer import ConfigureAnswer, NeededDatum, Proof, Proposal
from buildcheck.configure.engine import SearchProblem
from buildcheck.configure.proposing import limited_by, propose
from buildcheck.configure.search.classes import CENTS
from buildcheck.configure.search.search import Search
from buildcheck.configure.stopping import Stop, never
from buildcheck.configure.why.conflicts import minimal_conflict
from buildcheck.configure.wish.model import CHEAPEST
from buildcheck.model.graph import by_key
from buildcheck.rulebook.proposals import proposals

#: After this number of nodes what is proven of how cheap the unknown could make a build will do.
OPTIMISTIC_NODES = 10_000


def best_builds(
    problem: SearchProblem, *, top: int = 1, optimistic: bool = True, stop: Stop = never
) -> ConfigureAnswer:
    """The best builds with their proof.

    Where a rule warns of the best, and the wish leaves that open, the best are given of
    which none warns, with it; where there are none, those with no warning without need.
    """
    return _Answering(problem, stop).answer(top, optimistic=optimistic)


def stopped(problem: SearchProblem, top: int = 1) -> ConfigureAnswer:
    """What is known where the work was ended between two questions of a search."""
    proof = problem.running.proof() if problem.running else Proof(0, {}, 0, 0, complete=False)
    found = [problem.incumbent] if problem.incumbent else []
    proof = replace(proof, complete=False)
    return _whole(problem, problem.answer(proof, found, asked=top, stopped=True))


def _whole(problem: SearchProblem, answer: ConfigureAnswer, **more: Any) -> ConfigureAnswer:
    """An answer with what was wished for, and with what asks for each proposed power limit."""
    if hoped := more.get("optimistic"):
        more["optimistic"] = replace(hoped, limited_by=limited_by(problem, hoped))
    builds = [replace(one, limited_by=limited_by(problem, one)) for one in answer.builds]
    wish = problem.wish
    return replace(answer, builds=tuple(builds), best=wish.weights, careful=wish.careful, **more)


class _Answering:
    """Searches for one answer; `stop` is asked whether to end with what there is."""

    def __init__(self, problem: SearchProblem, stop: Stop) -> None:
        self.problem, self.stop, self.law = problem, stop, problem.law

    def answer(self, top: int, *, optimistic: bool) -> ConfigureAnswer:
        """What is answered to the wish."""
        begun = time.monotonic()
        # A search makes a great many small things and drops next to none of them.
        gc.freeze()
        gc.set_threshold(1_000_000, 50, 50)
        best = self._best(top)
        stopped = bool(self.problem.running and self.problem.running.stopped)
        if not best.builds and best.proof.min_price and not stopped:
            best = replace(best, proof=replace(best.proof, min_price=self._needs()))
        more: dict[str, Any] = {}
        if optimistic and not stopped:
            may_pass, more["optimistic_proof"], unsure = self._optimistic()
            if unsure and not (best.builds or best.proof.min_price):
                self.law = self.problem.law = self.law.hoping(*unsure)
                only = {"builds": (may_pass,), "proof": more["optimistic_proof"]}
                best = found if (found := self._best(top)).builds else replace(best, **only)
            if may_pass:
                more |= {"optimistic": may_pass, "look_up": _unknown(may_pass)}
        self.problem.store.remember()
        if not best.builds:
            more["needed"] = self._needed(best.proof.unknown_by)
            if not (best.proof.min_price or stopped):
                hopeless = replace(best, **more).is_hopeless and more["optimistic_proof"]
                more["blocked_by"] = self._held(hopeless.excluded_by if hopeless else ())
        seconds = round(time.monotonic() - begun, 3)
        return _whole(self.problem, best, asked=top, stopped=stopped, seconds=seconds, **more)

    def _best(self, top: int) -> ConfigureAnswer:
        """The best that pass; if rules warn of the best of all, the best of which none does."""
        problem, is_open = self.problem, self.problem.wish.careful is None
        best = self._found(1 if is_open else top)
        if not (is_open and best.builds):
            return best
        doubted = {*best.builds[0].unjudged_warnings}.intersection(proposals().doubts_that_warn)
        warned = {*best.builds[0].warnings, *doubted} - problem.spared
        problem.law = self.law.with_care()
        if not warned and top == 1:
            return best
        careful = self._found(top)
        if careful.builds:
            return replace(careful, with_warnings=best.builds[0] if warned else None)
        if not careful.proof.complete:
            problem.law = self.law
            return replace(best, without_warnings_proof=careful.proof)
        return self._least_warned(best, careful.proof, top, warned)

    def _least_warned(
        self, bare: ConfigureAnswer, unwarned: Proof, top: int, rules: set[str]
    ) -> ConfigureAnswer:
        """The best with no kind of warning it could do without, where none does without all.

        The mildest are accepted first. The optimistic build is no more careful than it.
        """
        order = proposals().worst_warnings
        warned = sorted(rules, key=lambda rule: (order.index(rule.partition("/")[0]), rule))

        @cache
        def accepting(rules: frozenset[str]) -> ConfigureAnswer:
            self.problem.law = self.law.with_care(*rules)
            return self._found(top)

        def fails(some: Sequence[str]) -> bool:
            if len(some) in (0, len(warned)) or self.stop():
                return len(some) < len(warned)
            return not accepting(frozenset(some)).builds

        least = minimal_conflict(warned[::-1], fails) or ()
        kept = [rule for rule in warned if rule in least]
        best = accepting(frozenset(kept))
        if not best.builds:
            best, kept = bare, warned
        self.problem.law = self.law.with_care(*kept)
        found = replace(best, without_warnings_proof=unwarned, accepted_warnings=tuple(kept))
        is_other = best.builds[0].text != bare.builds[0].text
        return replace(found, with_warnings=bare.builds[0]) if is_other else found

    def _found(self, top: int) -> ConfigureAnswer:
        """The best as the law is taken; if it is stopped before, any that passes."""
        search = self.problem.search(stop=self.stop)
        machines = [*islice(search.solutions(), top)]
        if search.stopped and not machines and self.problem.law is self.law:
            machines = [*filter(None, [search.some()])]
        made = [propose(self.problem, m, strict=not self.law.hopeful) for m in machines]
        return self.problem.answer(search.proof(), [one for one in made if one.report.passes])

    def _optimistic(self) -> tuple[Proposal | None, Proof, list[str]]:
        """The best build if all that is unknown turns out well.

        And the rules that cannot judge it where it passes by what such parts have typically.
        """
        more = self._hopeful()
        machine = next(more.solutions(), None)
        made = propose(self.problem, machine, strict=False) if machine else None
        unsure = self.law.refusing(machine) if machine and made and made.report.passes else ()
        return made, more.proof(), [asked.rule.id for asked in unsure]

    def _hopeful(self, rules: Collection[str] | None = None) -> Search:
        """What passes if all that is unknown turns out well, of parts that say enough."""
        only = {role: list(options) for role, options in self.problem.lists.items()}
        for name in proposals().optimistic_needs:
            role, _, field = name.partition(".")
            only[role] = [o for o in only.get(role, []) if o.given or None not in o.values(field)]
        how: dict[str, Any] = {"only": only, "rules": rules, "nodes": OPTIMISTIC_NODES}
        return self.problem.search(strict=False, stop=self.stop, **how)

    def _held(self, rules: Iterable[str]) -> tuple[str, ...]:
        """A least set of these rules by which nothing passes, however well the unknown turns out.

        Without any, those by which nothing is known to pass whatever is added.
        """
        problem = self.problem

        def can_stand(some: Sequence[str]) -> bool:
            search = self._hopeful(some)
            return next(search.solutions(), None) is not None or search.stopped

        if asked := [rule for rule in rules if problem.engine.rulebook.get(rule)]:
            return minimal_conflict(asked, can_stand) or ()
        refusing = problem.law.refusing(problem.open_machine)
        return tuple(a.rule.id for a in refusing) if all(problem.lists.values()) else ()

    def _needed(self, held: Collection[str]) -> tuple[NeededDatum, ...]:
        """What is not known of parts that are there, and has to be for these rules to pass them."""
        found = (
            NeededDatum(subject.name, name, (rule,))
            for role, name, rule in proposals().needed_to_pass
            for option in self.problem.lists.get(role, [])
            for subject in option.given
            if subject.value(name) is None and rule in held
        )
        return tuple(dict.fromkeys(found))

    def _needs(self) -> float | None:
        """What the cheapest costs that meets the wish but for its budget; None if nothing does."""
        problem = self.problem.asking(self.problem.wish.but(best=CHEAPEST, budget=None))
        search = problem.search(stop=self.stop)
        machine = next(search.solutions(), None)
        if machine is None or search.stopped:
            return None
        return sum(option.price for option in machine.values()) / CENTS


def _unknown(proposal: Proposal) -> tuple[NeededDatum, ...]:
    """The data without which a build cannot be known to pass."""
    unknown = proposal.report.errors("unknown")
    found = by_key(((d.part, d.field), f.rule.id) for f in unknown for d in f.missing)
    return tuple(NeededDatum(*of, tuple(dict.fromkeys(rules))) for of, rules in found.items())
