"""The best builds for a wish, with the proof that none is better."""

from __future__ import annotations

import gc
import time
from dataclasses import replace
from decimal import Decimal
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from buildcheck.configure.engine import SearchProblem
from buildcheck.configure.proof import NeededDatum, Proof
from buildcheck.configure.result import Proposal, SearchResult
from buildcheck.configure.search.classes import CENTS
from buildcheck.configure.unpriced import Short, short
from buildcheck.model.money import Money
from buildcheck.rulebook.proposals import proposals

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from buildcheck.configure.search.search import Machine, Search
    from buildcheck.configure.stopping import Stop

#: No machine costs more.
MOST_MONEY = 10**9
#: After this number of nodes what is proven of how cheap the unknown could make a build will do.
OPTIMISTIC_NODES = 10_000


class _Best(NamedTuple):
    """Proposals with their proof; for the others see `SearchResult`."""

    solutions: list[Proposal]
    proof: Proof
    with_warnings: Proposal | None = None
    with_warnings_proof: Proof | None = None
    without_warnings_proof: Proof | None = None
    accepted_warnings: tuple[str, ...] = ()


def best_builds(
    problem: SearchProblem, *, top: int = 1, optimistic: bool = True, stop: Stop | None = None
) -> SearchResult:
    """The best builds with their proof.

    Where a rule warns of the best, and the wish leaves that open, the best are given of
    which none warns, with it; where there are none, those with no warning without need.
    """
    return _Answering(problem, stop).answer(top, optimistic=optimistic)


def stopped(problem: SearchProblem, top: int = 1) -> SearchResult:
    """What is known where the work was ended between two questions of a search."""
    proof = problem.running.proof() if problem.running else Proof(0, {}, 0, 0, complete=False)
    found = problem.incumbent
    return SearchResult(
        wish=problem.wish,
        currency=problem.currency,
        solutions=(_with_limit_reasons(problem, found),) if found else (),
        proof=replace(proof, complete=False),
        asked=top,
        stopped=True,
        parts=problem.counts,
    )


def _with_limit_reasons(problem: SearchProblem, proposal: Proposal) -> Proposal:
    """A proposal with what asks for its power limits."""
    if not proposal.is_limited:
        return proposal
    careful = problem.wish.careful is not False
    return replace(proposal, limited_by=problem.proposing.limited_by(proposal, careful=careful))


class _Answering:
    """Searches for one answer; `stop` is asked whether to end with what there is."""

    def __init__(self, problem: SearchProblem, stop: Stop | None) -> None:
        self.problem, self.stop = problem, stop

    def answer(self, top: int, *, optimistic: bool) -> SearchResult:
        """What is answered to the wish."""
        begun = time.monotonic()
        # A search makes a great many small things and drops next to none of them.
        gc.freeze()
        gc.set_threshold(1_000_000, 50, 50)
        search = self.problem.search(stop=self.stop)
        best = self._best(search, top)
        stopped = bool(self.problem.running and self.problem.running.stopped)
        if not best.solutions and best.proof.min_price and not stopped:
            best = best._replace(proof=replace(best.proof, min_price=self._needs()))
        may_pass, may_proof = self._optimistic() if optimistic and not stopped else (None, None)
        self.problem.remember()
        is_short = not (best.solutions or best.proof.min_price or stopped)
        lacks = short(self.problem, self.stop) if is_short else Short((), {})
        shown = tuple(_with_limit_reasons(self.problem, found) for found in best.solutions)
        return SearchResult(
            wish=self.problem.wish,
            currency=self.problem.currency,
            asked=top,
            **best._asdict() | {"solutions": shown},
            optimistic=may_pass,
            optimistic_proof=may_proof,
            look_up=_unknown(may_pass) if may_pass else (),
            needed=() if best.solutions else self._needed(),
            **lacks._asdict(),
            stopped=stopped,
            seconds=time.monotonic() - begun,
            parts=self.problem.counts,
        )

    def _best(self, search: Search, top: int) -> _Best:
        """The best that pass; if rules warn of the best of all, the best of which none does."""
        machines = search.solutions()
        found = self._passing(machines, 1)
        proof, bare = search.proof(), None
        is_open = found and self.problem.wish.careful is None
        warned = [r for r in found[0].warnings if r not in self.problem.spared] if is_open else []
        if warned:
            bare = _Best(found, proof)
            found = []
        if found and top == 1:
            if self.problem.wish.careful is None:
                self.problem.law.demand(careful=True)
        elif proof.equivalent:
            if self.problem.wish.careful is None:
                search.demand(warned[0] if warned else "")
            found += self._passing(machines, top - len(found))
            proof = search.proof()
        if bare and not found:
            if not search.stopped:
                return self._least_warned(bare, proof, top)
            self.problem.law.demand(careful=False)
            return bare._replace(without_warnings_proof=proof)
        if search.stopped and not found:
            some = search.some()
            found = [self.problem.proposal(some, strict=True)] if some else []
        return _Best(found, proof, bare.solutions[0], bare.proof) if bare else _Best(found, proof)

    def _least_warned(self, bare: _Best, unwarned: Proof, top: int) -> _Best:
        """The best with no kind of warning it could do without, where none does without all.

        The mildest are accepted first until something passes, and then refused one by one where
        something still does. The optimistic build is no more careful than it.
        """
        order = proposals().worst_warnings
        warned = sorted(
            set(bare.solutions[0].warnings) - self.problem.spared,
            key=lambda rule: (order.index(rule.partition("/")[0]), rule),
        )
        number, best = 0, _Best([], unwarned)
        while not best.solutions and number < len(warned) and not (self.stop and self.stop()):
            number += 1
            best = self._accepting(warned[-number:], 1)
        if not best.solutions:
            best, number = bare, len(warned)
        kept = [r for r in warned[-number:] if r in best.solutions[0].warnings]
        # Without the last that was accepted nothing passes.
        for rule in kept[1:]:
            without = [r for r in kept if r != rule]
            if rule in kept and (trial := self._accepting(without, 1)).solutions:
                best, kept = trial, [r for r in without if r in trial.solutions[0].warnings]
        if top > 1:
            best = self._accepting(kept, top)
        self.problem.law.demand(careful=True, accepted=kept)
        found = best._replace(without_warnings_proof=unwarned, accepted_warnings=tuple(kept))
        if best.solutions[0].text == bare.solutions[0].text:
            return found
        return found._replace(with_warnings=bare.solutions[0], with_warnings_proof=bare.proof)

    def _accepting(self, rules: Collection[str], top: int) -> _Best:
        """The best that no rule warns of but these."""
        self.problem.law.demand(careful=True, accepted=rules)
        search = self.problem.search(stop=self.stop)
        return _Best(self._passing(search.solutions(), top), search.proof())

    def _passing(self, machines: Iterator[Machine], most: int) -> list[Proposal]:
        """The next machines as builds."""
        return [self.problem.proposal(m, strict=True) for m in islice(machines, most)]

    def _optimistic(self) -> tuple[Proposal | None, Proof]:
        """The best build if all that is unknown turns out well, of parts that say enough."""
        only = {role: list(options) for role, options in self.problem.lists.items()}
        for name in proposals().optimistic_needs:
            role, _, field = name.partition(".")
            only[role] = [o for o in only.get(role, []) if o.given or None not in o.values(field)]
        more = self.problem.search(
            strict=False,
            only=only,
            stop=lambda: more.tally.nodes > OPTIMISTIC_NODES or bool(self.stop and self.stop()),
        )
        machine = next(more.solutions(), None)
        return self.problem.proposal(machine, strict=False) if machine else None, more.proof()

    def _needed(self) -> tuple[NeededDatum, ...]:
        """What is not known of parts that are there, and has to be for any machine to pass."""
        return tuple(
            NeededDatum(subject.name, name, (rule,))
            for role, name, rule in proposals().needed_to_pass
            for option in self.problem.lists.get(role, [])
            for subject in option.given
            if subject.value(name) is None
        )

    def _needs(self) -> float | None:
        """What the cheapest costs that meets the wish but for its budget; None if nothing does."""
        budget = Money(Decimal(MOST_MONEY), self.problem.currency)
        wish = replace(self.problem.wish, best={"price": 1.0}, budget=budget)
        search = SearchProblem(self.problem.engine, wish).search(stop=self.stop)
        machine = next(search.solutions(), None)
        if machine is None or search.stopped:
            return None
        return sum(option.price for option in machine.values()) / CENTS


def _unknown(proposal: Proposal) -> tuple[NeededDatum, ...]:
    """The data without which a build cannot be known to pass."""
    found: dict[tuple[str, str], list[str]] = {}
    for finding in proposal.report.errors("unknown"):
        for datum in finding.missing:
            rules = found.setdefault((datum.part, datum.field), [])
            if finding.rule.id not in rules:
                rules.append(finding.rule.id)
    return tuple(NeededDatum(part, name, tuple(rules)) for (part, name), rules in found.items())
