"""What `sensitivity` answers: margins, more GPUs, PSUs and circuits by limit, and thresholds."""

# Annotations of answers are read at run time, by pydantic when JSON is made of them.
from dataclasses import field

from buildcheck.configure.common import FindingBrief
from buildcheck.model.answer import Figure, brief
from buildcheck.model.finding import FAILING
from buildcheck.model.frozen import dataclass

#: Margins and thresholds that are shown unless all are.
_MARGINS, _THRESHOLDS = 6, 3


@dataclass(frozen=True)
class MarginAnswer:
    """How far a comparison is from failing: below zero if it does; `share` is of the limit."""

    rule: str
    severity: str
    verdict: str
    subjects: tuple[str, ...]
    value: Figure
    relation: str
    limit: Figure
    margin: float
    share: float | None = None

    @property
    def is_exact_fit(self) -> bool:
        """Is it a count that is used up to the last, as one CPU in one socket?"""
        return bool(self.limit.low) and not self.margin and not self.value.unit


@dataclass(frozen=True)
class BlockerAnswer(FindingBrief):
    """A finding that is there only with more GPUs, and the part it is about."""

    part: str = ""


@dataclass(frozen=True)
class MoreGpusAnswer:
    """What more GPUs come to; nothing blocks them as far as is known where there are no blockers.

    `verdict` is None where the build with them cannot be read.
    """

    count: int
    verdict: str | None = None
    blockers: tuple[BlockerAnswer, ...] = field(default=(), metadata=brief("failed"))
    #: The slots that the file pins for these GPUs are assigned anew.
    slots_left_open: bool = False

    @property
    def failed(self) -> tuple[BlockerAnswer, ...]:
        """The blockers that fail."""
        return tuple(b for b in self.blockers if b.verdict in FAILING)


@dataclass(frozen=True)
class OutletAnswer:
    """An outlet with its voltage in V and its breaker in A."""

    name: str
    voltage: float
    breaker: float


@dataclass(frozen=True)
class LimitNeed:
    """A power limit in W, with the least rating of each PSU in W and the smallest outlets."""

    limit: int
    share: float
    psu: int | None = None
    outlets: tuple[OutletAnswer, ...] = ()


@dataclass(frozen=True)
class ThresholdAnswer:
    """How far a value may go down and up before the verdict of the build changes.

    `low` and `high` are the last values with the same verdict; None where it does not change down
    to the half, or up to the double. `below` and `above` are the rules that change it then,
    `falls_to` and `rises_to` the verdict it changes to.
    """

    field: str
    path: str
    now: float
    unit: str = ""
    part: str | None = None
    low: float | None = None
    high: float | None = None
    below: tuple[str, ...] = ()
    above: tuple[str, ...] = ()
    falls_to: str = ""
    rises_to: str = ""


@dataclass(frozen=True)
class SensitivityAnswer:
    """All of it for one build. `fails` are the rules by which it fails as it is."""

    name: str
    file: str
    verdict: str
    gpu: str
    fails: tuple[str, ...] = ()
    margins: tuple[MarginAnswer, ...] = field(default=(), metadata=brief("tightest"))
    more_gpus: tuple[MoreGpusAnswer, ...] = ()
    power_limits: tuple[LimitNeed, ...] = ()
    thresholds: tuple[ThresholdAnswer, ...] = field(default=(), metadata=brief("nearest"))
    #: It was stopped before all of this was found.
    stopped: bool = False

    @property
    def tightest(self) -> tuple[MarginAnswer, ...]:
        """The margins of errors that are not used up to the last by design, the tightest first."""
        errors = [m for m in self.margins if m.severity == "error" and not m.is_exact_fit]
        return tuple(errors[:_MARGINS])

    @property
    def nearest(self) -> tuple[ThresholdAnswer, ...]:
        """The nearest thresholds of values with a unit."""
        return tuple([t for t in self.thresholds if t.unit][:_THRESHOLDS])
