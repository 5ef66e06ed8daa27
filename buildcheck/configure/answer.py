"""What `configure` and `complete` answer: builds with prices, and the proof that none is better.

With the data and prices that a search lacks.
"""

import datetime
from dataclasses import field
from typing import Any

from buildcheck.configure.common import FileChange, FindingBrief
from buildcheck.model.answer import Amount, brief
from buildcheck.model.finding import Report
from buildcheck.model.frozen import Frozen
from buildcheck.report.answer import BudgetAnswer, LimitCurve
from buildcheck.report.placement_answer import PlacementAnswer


class Proof(Frozen):
    """What became of every candidate build, in exact numbers.

    `candidates` is the sum of `excluded_by`, `not_better` and `equivalent`; `unknown_by` are those
    of the excluded that a rule cannot judge for missing data.
    """

    candidates: int
    excluded_by: dict[str, int]
    not_better: int
    #: What comes to what was found, with parts that no rule tells apart.
    equivalent: int
    #: Nothing is left that could be better than what was found.
    complete: bool
    #: The least that anything not looked at could have of what was wished for, such as a price.
    bound: float | None = None
    #: The least price of anything beyond the budget.
    min_price: float | None = None
    unknown_by: dict[str, int] = field(default_factory=dict)

    @property
    def excluded(self) -> int:
        """All that rules exclude."""
        return sum(self.excluded_by.values())

    @property
    def unknown(self) -> int:
        """All that cannot be judged for missing data."""
        return sum(self.unknown_by.values())


class NeededDatum(Frozen):
    """A datum to look up: of which part, which field, and for which rules."""

    part: str
    field: str
    rules: tuple[str, ...] = ()


#: Nothing, where something is always given.
_NONE: Any = None


class ProposedPart(Frozen):
    """A part that is proposed, with its price."""

    section: str
    part: str
    name: str
    count: int
    each: Amount | None = None
    total: Amount | None = None
    #: Why the price is in doubt.
    doubt: str = ""
    #: Parts that no rule tells from it, none cheaper.
    equivalent: tuple[str, ...] = field(default=(), metadata=brief())
    #: The least confidence among the facts that rules read of it, and those facts.
    weakest: str | None = None
    weakest_facts: tuple[str, ...] = field(default=(), metadata=brief())
    power_limit: str | None = None


class ProposedBuild(Frozen):
    """A whole build, judged as `validate` does.

    `measures` are price in the currency, gpu_memory in GB, speed over a Tesla V100, headroom and
    power in W; None where it is not known.
    """

    name: str
    verdict: str
    price: Amount
    parts: tuple[ProposedPart, ...]
    measures: dict[str, float | None]
    counts: dict[str, int]
    placement: PlacementAnswer = field(default=PlacementAnswer(), metadata=brief())
    #: The day of the newest price; the oldest is that of `price`.
    newest_price: datetime.date | None = None
    #: Days since the oldest price, where that is longer than quotes usually hold.
    price_age: int | None = None
    #: Power adapters of the build whose price is not counted.
    not_priced: dict[str, int] = field(default_factory=dict)
    findings: tuple[FindingBrief, ...] = ()
    #: Rules about the machine that warn of it, or would if what is not known turned out badly.
    warnings: tuple[str, ...] = ()
    unjudged_warnings: tuple[str, ...] = ()
    #: What would fail or warn at the default power limits.
    limited_by: tuple[FindingBrief, ...] = ()
    is_limited: bool = False
    power_limits: tuple[LimitCurve, ...] = field(default=(), metadata=brief())
    budgets: tuple[BudgetAnswer, ...] = field(default=(), metadata=brief())
    #: Parts that set it apart from an earlier one with the same GPUs.
    apart: tuple[str, ...] = ()
    build: dict[str, Any] = field(default_factory=dict, metadata=brief())
    text: str = ""

    @property
    def added(self) -> tuple[ProposedPart, ...]:
        """The parts as a shop lists them."""
        return tuple(sorted(self.parts, key=lambda one: _SHELVES.index(one.section)))


class Proposal(ProposedBuild):
    """A build that a search found, with its report, which is in no answer."""

    report: "Report" = field(default=_NONE, metadata=brief())


#: Sections as a shop lists them.
_SHELVES = ("gpus", "cpu", "cpu_cooler", "motherboard", "memory", "storage", "case", "psus")


class ConfigureAnswer(Frozen):
    """Builds, the best first, and the proof; with `measures`, all that none beats in those."""

    name: str
    wish: dict[str, Any]
    currency: str
    proof: Proof
    builds: tuple[ProposedBuild, ...] = ()
    #: The weight of each measure that was wished for.
    best: dict[str, float] = field(default_factory=dict)
    asked: int = 1
    #: No build that any rule warns of; None where the wish leaves it open.
    careful: bool | None = None
    #: The best of all, where rules warn of that and `builds` are the best of which none does.
    with_warnings: ProposedBuild | None = None
    #: That rules warn of all there are, and the rules whose warnings were accepted then.
    without_warnings_proof: Proof | None = None
    accepted_warnings: tuple[str, ...] = ()
    #: The best if everything unknown turns out well, and what to look up for that.
    optimistic: ProposedBuild | None = None
    optimistic_proof: Proof | None = None
    look_up: tuple[NeededDatum, ...] = ()
    #: Data of given parts without which nothing can be known to pass.
    needed: tuple[NeededDatum, ...] = ()
    #: Where nothing passes: a least set of rules by which nothing can, or else those by which what
    #: is given is not known to pass whatever is added.
    blocked_by: tuple[str, ...] = ()
    #: Numbers of parts by section.
    parts: dict[str, int] = field(default_factory=dict)
    measures: tuple[str, ...] = ()
    #: Models of GPU that have no place among these builds, as a measure of them is not known.
    unmeasured: int = 0
    rates: tuple[str, ...] = ()
    stopped: bool = False
    seconds: float = 0.0

    @property
    def is_cheapest(self) -> bool:
        """Was the cheapest wished for?"""
        return set(self.best) == {"price"}

    @property
    def unproven(self) -> ProposedBuild | None:
        """The best build where none is known to pass for want of specs; None otherwise."""
        is_open = not self.builds and self.look_up and not self.proof.min_price
        return self.optimistic if is_open else None

    @property
    def is_hopeless(self) -> bool:
        """Is it proven that nothing passes, however well all that is unknown turns out?"""
        proof = self.optimistic_proof
        return self.optimistic is None and proof is not None and proof.complete


class CompleteAnswer(Frozen):
    """What a build file lacked, and how it is judged with that.

    `verdict` is that of the file with what was added, or as it is where nothing is.
    """

    file: str
    verdict: str | None = None
    missing: tuple[str, ...] = ()
    #: Parts that the file gives, and whether nothing passes by what lower power limits may mend.
    given: int = 0
    limits_may_help: bool = False
    changes: tuple[FileChange, ...] = ()
    diff: str = ""
    #: Errors of what the file gives, whatever is added.
    conflicts: tuple[FindingBrief, ...] = ()
    search: ConfigureAnswer | None = None
