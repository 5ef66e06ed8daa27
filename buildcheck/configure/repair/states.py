"""The states of a repair, of which graded moves are made more or less, and their cost."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.configure.repair.answer import BeforeAfter, PatchCost, PricedPart
from buildcheck.configure.search.classes import CURRENCY
from buildcheck.model.answer import Amount

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from buildcheck.catalog.price_book import PriceBook
    from buildcheck.configure.decisions import Bought, Decision
    from buildcheck.configure.repair.moves import Move
    from buildcheck.configure.trial import Trial, Trials
    from buildcheck.edit import Change
    from buildcheck.model.finding import Report


class RepairStep(NamedTuple):
    """A move, and the way it is made."""

    move: Move
    way: Decision


@dataclass(frozen=True)
class State:
    """A build after some moves."""

    steps: tuple[RepairStep, ...]
    trial: Trial

    @property
    def families(self) -> frozenset[str]:
        """What was moved."""
        return frozenset(s.move.family for s in self.steps)

    @property
    def changes(self) -> list[Change]:
        """All changes, in order."""
        return [c for s in self.steps for c in s.way.changes]


class States:
    """The states of one build, whose file has these data."""

    def __init__(self, trials: Trials, data: dict[str, Any]) -> None:
        self.trials, self.data = trials, data

    def of(self, steps: Sequence[RepairStep]) -> State | None:
        """The build after steps; None if it is none."""
        trial = self.trials.after(self.data, [c for s in steps for c in s.way.changes])
        return State(tuple(steps), trial) if trial else None

    def least(
        self, steps: Sequence[RepairStep], number: int, works: Callable[[Trial], bool]
    ) -> State | None:
        """The build after steps of which a graded one is made as little as works, by bisection."""
        step, best = steps[number], None
        low, high = 0, len(step.move.ways)
        while low < high:
            middle = (low + high) // 2
            tried = [*steps]
            tried[number] = RepairStep(step.move, step.move.ways[middle])
            found = self.of(tried)
            if found is not None and works(found.trial):
                high, best = middle, found
            else:
                low = middle + 1
        return best

    def at_strongest(self, state: State) -> State:
        """An unfinished repair with its graded steps as strong as they can be, if that helps."""
        if not state.trial.wrong:
            return state
        made = self.of(
            [s._replace(way=s.move.ways[-1]) if s.move.graded else s for s in state.steps]
        )
        return made if made and len(made.trial.rules) < len(state.trial.rules) else state

    def works_without_one(self, state: State, works: Callable[[Trial], bool]) -> bool:
        """Does the build work without one of several moves?"""
        less = ([s for s in state.steps if s is not step] for step in state.steps)
        states = (self.of(steps) for steps in less if steps)
        return any(found is not None and works(found.trial) for found in states)


def is_fixed(trial: Trial) -> bool:
    """Does nothing fail that has to be fixed?"""
    return not trial.wrong


def is_known(trial: Trial) -> bool:
    """Is it known to pass?"""
    return not (trial.fails or trial.unknown)


# What it costs: money, watts and speed


def cost_of(state: State, before: Report, after: Report, book: PriceBook) -> PatchCost:
    """What the steps to a state cost, in the currency of the price book."""
    ways = [s.way for s in state.steps]
    buys = tuple(_priced(b, book) for w in ways for b in w.buys)
    leaves = tuple(_priced(b, book) for w in ways for b in _joined(w.leaves))
    currency = book.into or CURRENCY
    return PatchCost(
        buys=buys,
        no_longer_bought=leaves,
        money=_sum(buys, currency),
        saved=_sum(leaves, currency),
        power=BeforeAfter(*(_total(r, "psu", "train_load", "high") for r in (before, after))),
        speed=BeforeAfter(*(_total(r, "gpu", "estimated_speed", "low") for r in (before, after))),
    )


def _joined(parts: Iterable[Bought]) -> list[Bought]:
    """Equal parts counted together."""
    found: dict[Bought, int] = {}
    for part in parts:
        key = part._replace(pieces=0)
        found[key] = found.get(key, 0) + part.pieces
    return [part._replace(pieces=pieces) for part, pieces in found.items()]


def _priced(bought: Bought, book: PriceBook) -> PricedPart:
    listed = book.of(bought.part) if bought.part else None
    each = Amount(listed.amount, listed.currency, listed.as_of) if listed else None
    return PricedPart(bought.pieces, bought.name, bought.item, each)


def _sum(lines: tuple[PricedPart, ...], currency: str) -> Amount | None:
    """What lines cost, nothing in `currency` without any; None where that is not known."""
    currencies = {p.each.currency if p.each else "" for p in lines}
    if not lines:
        return Amount(Decimal(0), currency)
    if "" in currencies or len(currencies) > 1:
        return None
    total = sum((p.each.amount * p.count for p in lines if p.each), start=Decimal(0))
    oldest = min((p.each.as_of for p in lines if p.each and p.each.as_of), default=None)
    return Amount(total, currencies.pop(), oldest)


def _total(report: Report, kind: str, fact: str, end: str) -> float | None:
    """The sum of one end of a fact over all of a kind; None where one is not known."""
    values = [report.facts(f"{kind}.{fact}", subject) for subject in report.graph.of(kind)]
    known = [getattr(value, end) for value in values if value is not None and value.is_known]
    return sum(known) if known and len(known) == len(values) else None
