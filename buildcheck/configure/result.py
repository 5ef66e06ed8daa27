"""What a search answers with: proposals that `validate` has passed, and the proof of them."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from buildcheck.judge.record import KINDS
from buildcheck.model.frozen import dataclass

if TYPE_CHECKING:
    import datetime

    from buildcheck.configure.answer import ProposedPart
    from buildcheck.configure.proof import NeededDatum, Proof, Unpriced
    from buildcheck.configure.wish.wish import Wish
    from buildcheck.model.finding import Finding, Report
    from buildcheck.model.money import Money


@dataclass(frozen=True)
class Proposal:
    """A whole build: as plain data, as the text of a build file, and as judged.

    `price` is what is to be bought, without what is owned; `objective` holds every measure by
    name: price in the currency, gpu_memory in GB, speed over a Tesla V100, headroom and power in W.
    `limited_by` is what would stand against it without the power limits that are proposed.
    """

    data: dict[str, Any]
    text: str
    report: Report
    price: Money
    as_of: tuple[datetime.date, datetime.date] | None
    objective: dict[str, float]
    chosen: tuple[ProposedPart, ...]
    limited_by: tuple[Finding, ...] = ()

    @property
    def is_limited(self) -> bool:
        """Is a power limit part of what is proposed?"""
        return any(one.power_limit for one in self.chosen)

    @property
    def uncounted(self) -> dict[str, int]:
        """How many of which power adapters the build lists, of which no price is counted."""
        graph = self.report.graph
        used = [a.name for card in graph.of("gpu") for a in graph.ends("adapter", card)]
        return {name: used.count(name) for name in dict.fromkeys(used)}

    @property
    def warnings(self) -> list[str]:
        """The rules that warn of it; those about records, such as old prices, no choice fixes."""
        return self._warning("fail")

    @property
    def unjudged(self) -> list[str]:
        """The rules, each once, that would warn of it if what is not known turned out badly."""
        return list(dict.fromkeys(self._warning("unknown")))

    def _warning(self, verdict: str) -> list[str]:
        """The rules of the machine whose warnings have this verdict."""
        warns = (f for f in self.report.findings if f.severity == "warning")
        of_machine = (f for f in warns if f.rule.applies_to not in KINDS)
        return [f.rule.id for f in of_machine if f.verdict.endswith(verdict)]


@dataclass(frozen=True)
class SearchResult:
    """Proposals, the best first of as many as were asked for, and the proof that none is better.

    `with_warnings` is the best build of all, where rules warn of that and `solutions` are the best
    of which none does. If rules warn of all there are, `without_warnings_proof` is the proof of
    that, and `solutions` are the best with `accepted_warnings` alone, each of which they can be
    rid of only for another. `needed` are data of parts that are there without which nothing can be
    known to pass. `optimistic` is the best build if everything unknown turns out well, and
    `look_up` what has to be looked up to know whether it does. Where nothing passes, `blocked_by`
    are the rules by which what is given is not known to pass whatever is added, `unmet` the
    sections of which no part with a price is known to go with what is given, by which other rules,
    and `unpriced` parts without a price with which something passes. `stopped` means that it was
    cut short.
    """

    wish: Wish
    currency: str
    solutions: tuple[Proposal, ...]
    proof: Proof
    asked: int = 1
    with_warnings: Proposal | None = None
    with_warnings_proof: Proof | None = None
    without_warnings_proof: Proof | None = None
    accepted_warnings: tuple[str, ...] = ()
    optimistic: Proposal | None = None
    optimistic_proof: Proof | None = None
    look_up: tuple[NeededDatum, ...] = ()
    needed: tuple[NeededDatum, ...] = ()
    blocked_by: tuple[str, ...] = ()
    unmet: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unpriced: tuple[Unpriced, ...] = ()
    stopped: bool = False
    seconds: float = 0.0
    parts: dict[str, int] = field(default_factory=dict)
