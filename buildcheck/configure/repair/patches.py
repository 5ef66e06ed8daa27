"""Patches of a build: the states that moves lead to, and what these change, cost and fix."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

from buildcheck.catalog.price_book import PriceBook
from buildcheck.configure.common import Action, Phrase
from buildcheck.configure.decisions import Bought, Decision, edge
from buildcheck.configure.repair.answer import BeforeAfter, PatchCost, PricedPart
from buildcheck.configure.repair.moves import KINDS, Move
from buildcheck.configure.repair.swaps import SAME_CHIP
from buildcheck.configure.search.classes import CURRENCY
from buildcheck.configure.trial import Trial
from buildcheck.edit import Change
from buildcheck.load.spelt import spelt_out
from buildcheck.model.answer import Amount
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.finding import Report


class RepairStep(NamedTuple):
    """A move, and the way it is made."""

    move: Move
    way: Decision


@dataclass(frozen=True)
class State:
    """A build after some moves of the build as it was given."""

    steps: tuple[RepairStep, ...]
    trial: Trial

    @property
    def families(self) -> frozenset[str]:
        """What was moved."""
        return frozenset(s.move.family for s in self.steps)

    @property
    def slows(self) -> bool:
        """Does it take speed?"""
        return any(s.move.of.slows for s in self.steps)

    @property
    def is_last_resort(self) -> bool:
        """Does it take more speed than makes sense?"""
        return any(s.move.of.slows and s.move.of.late for s in self.steps)

    @property
    def changes(self) -> list[Change]:
        """All changes, in order."""
        return [c for s in self.steps for c in s.way.changes]

    def having(self, steps: Sequence[RepairStep]) -> State | None:
        """The build as it was given after these steps; None if it is none."""
        trials = self.trial.trials
        changes = [c for s in steps for c in s.way.changes]
        trial = trials.after(trials.report.document.data, changes)
        return State(tuple(steps), trial) if trial else None

    def least(self, number: int) -> State | None:
        """The build with a graded step made as little as fixes it, by bisection; None if none."""
        step = self.steps[number]

        def made(way: int) -> State | None:
            tried = [*self.steps]
            tried[number] = RepairStep(step.move, step.move.ways[way])
            found = self.having(tried)
            return found if found is not None and not found.trial.wrong else None

        way = edge(len(step.move.ways) - 1, 0, lambda way: made(way) is not None)
        return None if way is None else made(way)

    @property
    def is_too_much(self) -> bool:
        """Is the build fixed without one of several moves?"""
        less = ([s for s in self.steps if s is not step] for step in self.steps)
        states = (self.having(steps) for steps in less if steps)
        return any(found is not None and not found.trial.wrong for found in states)


# What is done


def steps_of(state: State, before: Report, after: Report) -> tuple[tuple[Action, ...], ...]:
    """What is done in each step, settings first, though the limit that settled an unknown is last.

    A limit is that of the GPUs that are there in the end.
    """
    steps = sorted(state.steps, key=lambda s: s.move.of.kind != KINDS[0])
    gpus = [report.graph.of("gpu") for report in (before, after)]
    old, new = (found[0].name if found else "" for found in gpus)

    def values(one: Phrase) -> dict[str, Any]:
        if one.code != "limit" or SAME_CHIP not in state.families or not all(gpus):
            return one.values
        limits = one.values["limits"]
        return {"limits": [r | {"gpu": new if r["gpu"] == old else r["gpu"]} for r in limits]}

    return tuple(tuple(Action(o.code, values(o), _kind(s)) for o in s.way.said) for s in steps)


def _kind(step: RepairStep) -> str:
    """What kind of move a step is; a case exchanged along with risers is another part."""
    is_part = any(c.path[0] == "case" for c in step.way.changes)
    return "swap" if is_part and step.move.of.kind == "accessory" else step.move.of.kind


# What it costs: money, watts and speed


def cost_of(state: State, before: Report, after: Report, book: PriceBook) -> PatchCost:
    """What the steps to a state cost, in the currency of the price book."""
    old, new = (_listed(report) for report in (before, after))
    needs = Counter(need for step in state.steps for need in step.way.needs)
    buys, leaves = (
        tuple(_priced(one, pieces, book) for one, pieces in of.items())
        for of in (new - old + needs, old - new)
    )
    currency = book.into or CURRENCY
    return PatchCost(
        buys=buys,
        no_longer_bought=leaves,
        money=_sum(buys, currency),
        saved=_sum(leaves, currency),
        power=BeforeAfter(*(_total(r, "psu", "train_load", "high") for r in (before, after))),
        speed=BeforeAfter(*(_total(r, "gpu", "estimated_speed", "low") for r in (before, after))),
    )


def _listed(report: Report) -> Counter[Bought]:
    """The parts that a build lists."""
    found: Counter[Bought] = Counter()
    for one in report.graph.subjects.values():
        if one.listed and one.path and one.path[0] in SECTION_KIND and one.kind != "memory":
            found[Bought(one.part, one.name)] += one.count
    return found


def _priced(bought: Bought, pieces: int, book: PriceBook) -> PricedPart:
    listed = book.of(bought.part) if bought.part else None
    each = Amount(listed.amount, listed.currency, listed.as_of) if listed else None
    return PricedPart(pieces, bought.name, bought.item, each)


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


def new_machine(report: Report) -> str:
    """The command that looks for a new machine for the same GPUs."""
    data = spelt_out(report.document.data)
    site, work = data.get("site") or {}, data.get("workload") or {}
    words = ["buildcheck", "configure"]
    for entry in data.get("gpus", []):
        if entry.get("part"):
            words += ["--gpus", f"{entry.get('count', 1)}x {entry['part']}"]
    words += ["--outlet", str(site["outlet"])] if site.get("outlet") else []
    words += ["--workload", str(work["kind"])] if work.get("kind") else []
    return shlex.join(words)
