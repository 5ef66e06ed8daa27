"""What published advice says of choosing cards, and the chart that goes with it, as models.

They are those of `rules/advice.yaml` and `rules/chart.yaml`. Every statement names a source, and
each path through the chart reaches an end. Memory is in GB, shares are parts of 1.
"""

from functools import cache
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from buildcheck.model import values as v
from buildcheck.model.document import StrictModel
from buildcheck.model.part import CONFIDENCE
from buildcheck.model.price import Cost
from buildcheck.model.vocabulary import shipped

#: What counts in a card, by the words of the guides.
QUALITIES = ("tensor-cores", "arithmetic", "bandwidth", "caches", "half-precision")
#: Years in which anybody advised on GPUs for deep learning.
FIRST_YEAR, LAST_YEAR = 2010, 2100

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=10, max_length=400)]
Year = Annotated[int, Field(strict=True, ge=FIRST_YEAR, le=LAST_YEAR)]
Several = Annotated[int, Field(strict=True, ge=1, le=10_000)]
Work = Literal["training", "inference"]
Net = Literal["transformer", "vision"]
Owner = Literal["individual", "organisation"]


class AdviceSource(StrictModel):
    """A document that advises, and the year it speaks of."""

    title: Text
    url: v.Code = ""
    year: Year
    confidence: Annotated[v.Code, v.one_of(*CONFIDENCE)]
    read: v.Code


class Stated(StrictModel):
    """What a source of the guide states."""

    source: v.Code

    @property
    def year(self) -> int:
        """The year that the source speaks of."""
        return guide().sources[self.source].year


class MemoryStatement(Stated):
    """How much memory a source asks for: at least so much, or between two amounts."""

    least: v.Memory
    of: v.Code | None = None
    from_gpu: v.Code | None = None


class Use(StrictModel):
    """What cards are for."""

    name: v.Code
    words: v.Texts = ()
    work: Work
    net: Net = "transformer"
    memory: Annotated[tuple[MemoryStatement, ...], Field(min_length=1)]


class Priority(Stated):
    """What a source says counts, the most important first."""

    of: v.Code
    entries: tuple[Annotated[v.Code, v.one_of(*QUALITIES)], ...]


class Gain(Stated):
    """A factor that a source states."""

    value: v.Ratio


class MachineAllowance(Stated):
    """Power reserved for parts that are not named yet."""

    value: v.Draw
    why: Text


class Match(StrictModel):
    """Which cards are meant, all of what is said at once; nothing said means no card in particular.

    A card of one of the `chips` or of one of the `architectures` is meant.
    """

    tensor_cores: v.Truth | None = None
    segments: v.Codes = frozenset()
    makers: v.Codes = frozenset()
    chips: v.Texts = ()
    architectures: v.Texts = ()
    owner: Owner | None = None
    net: Net | None = None
    least_count: Several = 1

    @property
    def on_gpus(self) -> bool:
        """Does it limit which GPUs it is about?"""
        limits = (self.segments, self.makers, self.chips, self.architectures)
        return self.tensor_cores is not None or any(limits)


class Avoided(StrictModel):
    """Hardware that is advised against, or only under a condition that cannot be checked here."""

    title: v.Code
    why: Text
    sources: v.Texts
    effect: Literal["leave-out", "warn", "condition"]
    match: Match


class Split(Stated):
    """How a lab shares its money, or its cards, between two kinds of machine."""

    of: Literal["budget", "cards"]
    prototyping: v.Ratio
    roll_out: v.Ratio
    prototype_card: v.Code
    roll_out_card: v.Code
    prototype_memory: v.Memory
    roll_out_memory: v.Memory


class Cluster(Stated):
    """Cards of one machine of a cluster, and from how many in all another kind is advised."""

    gpus_each: Several
    large: Several
    huge: Several


class Named(Stated):
    """Cards that a source named for something; `uses` are those it is about, if any."""

    of: v.Code
    entries: v.Texts
    uses: v.Texts = ()
    prices: tuple[Cost, ...] = ()


class Guide(StrictModel):
    """All of `rules/advice.yaml`."""

    sources: dict[str, AdviceSource]
    uses: dict[str, Use]
    by_model: dict[str, Text]
    not_covered: v.Texts
    priorities: tuple[Priority, ...]
    half_precision_gain: Gain
    machine_around: MachineAllowance
    avoid: dict[str, Avoided]
    splits: tuple[Split, ...]
    cluster: Cluster
    named: tuple[Named, ...]


class Question(StrictModel):
    """A question of the chart, and where its two answers lead."""

    ask: Text
    then: v.Code
    otherwise: v.Code
    yes_for: v.Texts = ()
    no_for: v.Texts = ()
    affords: v.Code | None = None
    assume: v.Truth
    because: v.Code


class End(StrictModel):
    """Where a way through the chart ends: what to do, and the cards named when it was drawn."""

    advice: Text
    kind: Literal["card", "split", "rent", "none"]
    memory: v.Memory | None = None
    bought: Literal["new", "used"] | None = None
    cards: v.Texts = ()
    shares: tuple[v.Ratio, ...] = ()
    at: v.Code | None = Field(None, alias="from")


class Chart(StrictModel):
    """All of `rules/chart.yaml`."""

    sources: dict[str, AdviceSource]
    source: v.Code
    start: v.Code
    questions: dict[str, Question]
    ends: dict[str, End]


@cache
def guide() -> Guide:
    """The guide that is shipped."""
    return Guide.model_validate(shipped("rules", "advice"))


@cache
def chart() -> Chart:
    """The flowchart that is shipped."""
    return Chart.model_validate(shipped("rules", "chart"))
