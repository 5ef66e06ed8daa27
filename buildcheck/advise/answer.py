"""What `advise` answers: GPUs in order with what they cost, and the advice behind it."""

import datetime
import shlex
from dataclasses import field

from buildcheck.advise.guide_answer import (
    AdviceNote,
    FlowchartAnswer,
    GuideList,
    GuideSource,
    MemoryNeed,
    UseAnswer,
)
from buildcheck.model.answer import Amount, Figure, brief
from buildcheck.model.frozen import Frozen
from buildcheck.workload.speed.answer import SpeedEstimate, ValueTerms


class PriceList(Frozen):
    """A list of prices and its day; `places` are the rows of the ranking that it prices."""

    as_of: datetime.date
    source: str
    places: tuple[int, ...] = ()


class GpuOffer(Frozen):
    """What GPUs of a chip cost: the cheapest and the middle of all that have a price.

    `is_own`: the user gave the price. `doubt` is why the cheapest may be no fair price.
    """

    cheapest: Amount
    middle: Amount
    records: int
    lists: tuple[PriceList, ...] = ()
    is_own: bool = False
    doubt: str = ""

    def times(self, count: int, plus: float = 0.0) -> Figure:
        """The price of several, with something else in the same currency."""
        low, high = (float(one.amount) * count + plus for one in (self.cheapest, self.middle))
        return Figure(low, high, self.cheapest.currency)


class AdvisedGpu(Frozen):
    """A GPU that meets the request; `value` is speed for the money, places are 0 if not known.

    `advised_against` and `conditions` are codes of notes; `affordable` is how many the budget buys.
    """

    name: str
    id: str
    offer: GpuOffer
    memory: Figure | None = None
    power: Figure | None = None
    speed: SpeedEstimate | None = None
    value: SpeedEstimate | None = None
    place: int = 0
    best_place: int = 0
    worst_place: int = 0
    advised_against: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    affordable: int | None = None


class LeftOut(Frozen):
    """GPUs left out for one reason, the cheapest first; `because` are titles of advice.

    Without `--verbose` only a few are named.
    """

    reason: str
    count: int
    gpus: tuple[str, ...]
    because: tuple[str, ...] = ()
    cheapest: Amount | None = None


class UsedValue(Frozen):
    """What a used GPU may cost to match the first of the ranking in speed for the money.

    `up_to` is by its estimated speed, `surely` by the low end of the estimate.
    """

    name: str
    id: str
    up_to: Amount
    surely: Amount | None = None
    memory: Figure | None = None
    new: GpuOffer | None = None

    @property
    def worth(self) -> Figure:
        """From `surely` to `up_to`, with two digits."""
        low, high = (float(f"{m.amount:.2g}") for m in (self.surely or self.up_to, self.up_to))
        return Figure(low, high, self.up_to.currency)

    @property
    def share_of_new(self) -> float:
        """The worth over the price of a new one; zero where that is not known."""
        new = self.new.cheapest if self.new else None
        if new is None or not new.amount or new.currency != self.up_to.currency:
            return 0.0
        return float(self.up_to.amount / new.amount)


class OutletPower(Frozen):
    """A wall outlet, its continuous power, and what of it is kept for the rest of the machine."""

    name: str
    power: Figure | None = None
    machine: Figure | None = None
    why: str = ""


class RequestAnswer(Frozen):
    """What is asked for, and the day of the answer; `work` is `training` or `inference`."""

    checked: datetime.date
    owner: str
    count: int
    bits: int
    work: str
    used: bool
    use: str = ""
    use_name: str = ""
    budget: Amount | None = None
    rates: tuple[str, ...] = ()
    outlet: OutletPower | None = None


class AllocationShare(Frozen):
    """One kind of machine of a lab: its share, the GPU recommended then and that of today."""

    purpose: str
    share: Figure
    memory: Figure
    recommended: str
    gpu: str = ""
    money: Figure | None = None
    count: Figure | None = None


class BudgetAllocation(Frozen):
    """How a source splits the `budget` of a lab, or its `cards`, between kinds of machine."""

    year: int
    source: str
    of: str
    shares: tuple[AllocationShare, ...]


class ClusterAdvice(Frozen):
    """GPUs of one machine of a cluster, and how many in all ask for another kind of machine."""

    year: int
    source: str
    gpus_each: int
    large: int
    huge: int


class AdviceAnswer(Frozen):
    """GPUs for a use, the best first, with the advice that this rests on."""

    request: RequestAnswer
    memory: MemoryNeed | None = None
    #: `value` or `speed`, and why values are not known: `currency` or `power`.
    ranked_by: str = ""
    without_value: str = ""
    #: The GPU that speeds are relative to.
    relative_to: str = ""
    gpus: tuple[AdvisedGpu, ...] = ()
    more: int = 0
    #: The price of all GPUs of the first row, and with the machine around them.
    total: Figure | None = None
    machine_total: Figure | None = None
    terms: ValueTerms | None = None
    #: Currencies of prices that the budget cannot be compared with.
    priced_in: tuple[str, ...] = ()
    price_lists: tuple[PriceList, ...] = ()
    price_age_days: int | None = None
    prices_are_old: bool = False
    notes: tuple[AdviceNote, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    used_values: tuple[UsedValue, ...] = ()
    flowchart: FlowchartAnswer | None = None
    allocations: tuple[BudgetAllocation, ...] = ()
    cluster: ClusterAdvice | None = None
    half_precision_gain: float | None = None
    recommendations: tuple[GuideList, ...] = field(default=(), metadata=brief())
    priorities: tuple[GuideList, ...] = field(default=(), metadata=brief())
    uses: tuple[UseAnswer, ...] = ()
    #: Commands for uses whose memory follows from the model.
    model_uses: dict[str, str] = field(default_factory=dict)
    sources: dict[str, GuideSource] = field(default_factory=dict, metadata=brief())

    @property
    def ignores_budget(self) -> bool:
        """Is the budget in a currency that no price is in?"""
        return bool(self.request.budget and self.priced_in) and all(
            one.affordable is None for one in self.gpus
        )

    @property
    def command(self) -> str:
        """The command that proposes a machine around the first GPU; empty without one."""
        if not self.gpus:
            return ""
        asked, outlet = self.request, self.request.outlet
        # A cluster is many machines, of which one is proposed.
        each = self.cluster.gpus_each if self.cluster and asked.use == "cluster" else asked.count
        words = ["buildcheck", "configure", "--gpus", f"{each}x {self.gpus[0].name}"]
        words += ["--workload", asked.work, *(["--outlet", outlet.name] if outlet else [])]
        return shlex.join(words)
