"""What published advice says of choosing cards, and the chart that goes with it, as models.

They are those of `rules/advice.yaml` and `rules/chart.yaml`. Memory is in GB, shares are parts
of 1.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from buildcheck.model import values as v
from buildcheck.model.part import CONFIDENCE
from buildcheck.model.price import Cost

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


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class AdviceSource(_Strict):
    """A document that advises, and the year it speaks of."""

    title: Text
    url: v.Code = ""
    year: Year
    confidence: Annotated[v.Code, v.one_of(*CONFIDENCE)]
    read: v.Code


class MemorySaid(_Strict):
    """How much memory a source asks for: at least so much, or between two amounts."""

    source: v.Code
    least: v.Memory
    of: v.Code | None = None
    from_card: v.Code | None = None


class Use(_Strict):
    """What cards are for."""

    name: v.Code
    work: Work
    net: Net = "transformer"
    memory: Annotated[tuple[MemorySaid, ...], Field(min_length=1)]


class ByModel(_Strict):
    """A use whose memory no guide states: other names of it, and the lines that answer."""

    words: v.Texts
    what: v.Code
    ask: Text
    rank: Text


class Priority(_Strict):
    """What a source says counts, the most important first."""

    source: v.Code
    of: v.Code
    order: tuple[Annotated[v.Code, v.one_of(*QUALITIES)], ...]


class Gain(_Strict):
    """A factor that a source states."""

    source: v.Code
    value: v.Ratio


class Allowance(_Strict):
    """Power that is kept for something whose parts nobody has named yet."""

    source: v.Code
    value: v.Draw
    why: Text


class Match(_Strict):
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
    def on_cards(self) -> bool:
        """Does it tell one card from another?"""
        told = (self.segments, self.makers, self.chips, self.architectures)
        return self.tensor_cores is not None or any(told)


class Avoided(_Strict):
    """What is advised against, or under a condition that nobody here can look up."""

    title: v.Code
    why: Text
    sources: v.Texts
    effect: Literal["leave-out", "warn", "condition"]
    match: Match


class Split(_Strict):
    """How a lab shares its money, or its cards, between two kinds of machine."""

    source: v.Code
    of: Literal["budget", "cards"]
    prototyping: v.Ratio
    roll_out: v.Ratio
    prototype_card: v.Code
    roll_out_card: v.Code
    prototype_memory: v.Memory
    roll_out_memory: v.Memory


class Cluster(_Strict):
    """Cards of one machine of a cluster, and from how many in all another kind is advised."""

    source: v.Code
    cards_each: Several
    large: Several
    huge: Several


class Named(_Strict):
    """Cards that a source named for something; `uses` are those it is about, if any."""

    source: v.Code
    of: v.Code
    cards: v.Texts
    uses: v.Texts = ()
    prices: tuple[Cost, ...] = ()


class Guide(_Strict):
    """All of `rules/advice.yaml`."""

    sources: dict[str, AdviceSource]
    uses: dict[str, Use]
    by_model: dict[str, ByModel]
    priorities: tuple[Priority, ...]
    half_precision_gain: Gain
    machine_around: Allowance
    avoid: dict[str, Avoided]
    splits: tuple[Split, ...]
    cluster: Cluster
    named: tuple[Named, ...]


class Question(_Strict):
    """A question of the chart, and where its two answers lead."""

    ask: Text
    then: v.Code
    otherwise: v.Code
    yes_for: v.Texts = ()
    no_for: v.Texts = ()
    affords: v.Code | None = None
    assume: v.Truth
    because: v.Code


class End(_Strict):
    """Where a way through the chart ends: what to do, and the cards named when it was drawn."""

    advice: Text
    kind: Literal["card", "split", "rent", "none"]
    memory: v.Memory | None = None
    bought: Literal["new", "used"] | None = None
    cards: v.Texts = ()
    shares: tuple[v.Ratio, ...] = ()
    at: v.Code | None = Field(None, alias="from")


class Chart(_Strict):
    """All of `rules/chart.yaml`."""

    sources: dict[str, AdviceSource]
    source: v.Code
    start: v.Code
    questions: dict[str, Question]
    ends: dict[str, End]
