"""What a search answers with: proposals that `validate` has passed, and the proof of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from buildcheck.record import KINDS

if TYPE_CHECKING:
    import datetime
    from collections.abc import Mapping

    from buildcheck.configure.unpriced import Unpriced
    from buildcheck.configure.wish.wish import Wish
    from buildcheck.model.finding import Finding, Report
    from buildcheck.model.money import Money


@dataclass(frozen=True)
class Chosen:
    """One line of a proposal.

    `like` are the ids of parts that no rule can tell from it. `rests_on` are the facts that the
    law read of it, each with its confidence. A price in doubt says why in `doubt`;
    `limit` is the power limit that is proposed for each.
    """

    section: str
    part: str
    name: str
    count: int
    each: Money | None
    as_of: datetime.date | None
    doubt: str = ""
    like: tuple[str, ...] = ()
    rests_on: tuple[tuple[str, str], ...] = ()
    limit: str = ""


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
    chosen: tuple[Chosen, ...]
    limited_by: tuple[Finding, ...] = ()

    @property
    def is_limited(self) -> bool:
        """Is a power limit part of what is proposed?"""
        return any(one.limit for one in self.chosen)

    @property
    def uncounted(self) -> dict[str, int]:
        """How many of which power adapters the build lists, of which no price is counted."""
        graph = self.report.graph
        used = [a.name for card in graph.of("gpu") for a in graph.ends("adapter", card)]
        return {name: used.count(name) for name in dict.fromkeys(used)}

    @property
    def warnings(self) -> list[str]:
        """The rules that warn of it; those about records, such as old prices, no choice mends."""
        return self._warning("fail")

    @property
    def unjudged(self) -> list[str]:
        """The rules, each once, that would warn of it if what is not known turned out badly."""
        return list(dict.fromkeys(self._warning("unknown")))

    def _warning(self, verdict: str) -> list[str]:
        """The rules of the machine whose warnings have this verdict."""
        return [
            f.rule.id
            for f in self.report.findings
            if f.verdict == verdict and f.severity == "warning" and f.rule.applies_to not in KINDS
        ]


@dataclass(frozen=True)
class Proof:
    """What became of every candidate build.

    `candidates` is the sum of `excluded_by`, `not_better` and `found`; `unknown_by` are those of
    the excluded of which a rule could say nothing for want of data. `optimal` says that
    nothing is left that could be better than what was found; `bound` is the least price (or
    what was wished for) that anything not looked at could have; `needs` is the least price that
    anything beyond the budget could have.
    """

    candidates: int
    excluded_by: dict[str, int]
    not_better: int
    found: int
    optimal: bool
    bound: float | None
    needs: float | None = None
    unknown_by: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Fact:
    """A datum that would change the answer: of which part, which field, and for which rules."""

    part: str
    field: str
    rules: tuple[str, ...]


@dataclass(frozen=True)
class Answer:
    """Proposals, the best first of as many as were asked for, and the proof that none is better.

    `bare` is the best build of all, where rules warn of that and `solutions` are the best of which
    none does. If rules warn of all there are, `unwarned` is the proof of that, and `solutions` are
    the best with warnings of `accepted` rules alone, each of which they can be rid of only for
    another. `wanting` are data of parts that are there without which nothing can be known to pass.
    `hopeful` is the best build if everything unknown turns out well, and `worth_knowing` what has
    to be looked up to know whether it does. Where nothing passes, `blocked` are the rules by which
    what is given is not known to pass whatever is added, `unmet` the sections of which no part with
    a price is known to go with what is given, by which other rules, and `unpriced` parts without a
    price with which something passes. `stopped` says that it was cut short.
    """

    wish: Wish
    currency: str
    solutions: tuple[Proposal, ...]
    proof: Proof
    asked: int = 1
    bare: Proposal | None = None
    bare_proof: Proof | None = None
    unwarned: Proof | None = None
    accepted: tuple[str, ...] = ()
    hopeful: Proposal | None = None
    hopeful_proof: Proof | None = None
    worth_knowing: tuple[Fact, ...] = ()
    wanting: tuple[Fact, ...] = ()
    blocked: tuple[str, ...] = ()
    unmet: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unpriced: tuple[Unpriced, ...] = ()
    stopped: bool = False
    seconds: float = 0.0
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def is_hopeless(self) -> bool:
        """Is it proven that nothing passes, however well all that is unknown turns out?"""
        proof = self.hopeful_proof
        return self.hopeful is None and proof is not None and proof.optimal
