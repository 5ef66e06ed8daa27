"""What `limit` and `sensitivity` answer: power limits and the best; margins and thresholds."""

from dataclasses import field

from buildcheck.configure.common import FileChange, FindingBrief
from buildcheck.model.answer import Figure, brief
from buildcheck.model.finding import FAILING, PASSING
from buildcheck.model.frozen import Frozen

#: Margins and thresholds that are shown unless all are.
_MARGINS, _THRESHOLDS = 6, 3
#: Settings are shown where they are so far apart, as a share of the default.
APART = 0.1


class MarginAnswer(Frozen):
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


class BlockerAnswer(FindingBrief):
    """A finding that is there only with more GPUs, and the part it is about."""

    part: str = ""


class MoreGpusAnswer(Frozen):
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


class ThresholdAnswer(Frozen):
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


class SensitivityAnswer(Frozen):
    """All of it for one build. `fails` are the rules by which it fails as it is."""

    name: str
    file: str
    verdict: str
    gpu: str
    fails: tuple[str, ...] = ()
    margins: tuple[MarginAnswer, ...] = field(default=(), metadata=brief("tightest"))
    more_gpus: tuple[MoreGpusAnswer, ...] = ()
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


class LimitedGpus(Frozen):
    """GPUs of one entry of the build file, and the power that their limits are a share of, in W."""

    path: str
    name: str
    count: int
    default: float


class JudgedLimit(Frozen):
    """Power limits, judged or between two that are judged alike. Speeds are in GPUs at full speed.

    `limits` are in W by the entry of the build file, `share` is of the defaults, `efficiency` is
    speed per watt over that without a limit. `in_rack` is the speed of all machines in the rack.
    `warns` are rules that warn of the sustained limit of the circuit, or may.
    """

    share: float
    verdict: str
    gpu_power: Figure
    limits: dict[str, int] = field(default_factory=dict)
    training: Figure | None = None
    serving: Figure | None = None
    wall_power: Figure | None = None
    efficiency: float | None = None
    machines: int | None = None
    in_rack: float | None = None
    fails: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    warns: tuple[str, ...] = ()


class LimitAnswer(Frozen):
    """Every setting from no limit down, and the best for the goal.

    Nothing fails with the best, and what cannot be judged with it can be with none. It keeps the
    sustained limit of the circuit if any does.
    """

    name: str
    file: str
    verdict: str
    goal: str
    workload: str
    #: What the rack gives.
    rack: Figure | None = None
    gpus: tuple[LimitedGpus, ...] = ()
    best: JudgedLimit | None = None
    changes: tuple[FileChange, ...] = ()
    #: The systemd unit that sets the limit, and its script if it needs one; or why there is none.
    unit: tuple[str, ...] = ()
    no_unit: str = ""
    settings: tuple[JudgedLimit, ...] = field(default=(), metadata=brief("shown"))
    #: Rules that fail, or cannot be judged, at every limit.
    always_fails: tuple[str, ...] = ()
    always_unknown: tuple[str, ...] = ()
    #: GPUs whose default power or lowest limit is not known: nothing is tried.
    without_range: tuple[str, ...] = ()
    #: GPUs whose speed at a limit has not been measured: no limit is called the best.
    without_curve: tuple[str, ...] = ()
    #: It was stopped; these limits were not tried.
    stopped: bool = False
    untried: tuple[dict[str, int], ...] = ()

    @property
    def shown(self) -> tuple[JudgedLimit, ...]:
        """Settings about a tenth of the default apart, where the verdict changes, and the best."""
        kept: list[JudgedLimit] = []
        for number, one in enumerate(self.settings):
            before = self.settings[number - 1] if number else None
            turned = before is None or before.verdict != one.verdict
            if turned and before is not None and kept[-1] is not before:
                kept.append(before)
            if turned or one is self.best or kept[-1].share - one.share >= APART - 1e-9:
                kept.append(one)
        return tuple(kept)

    @property
    def passing(self) -> tuple[JudgedLimit, ...]:
        """The settings that the build passes with, from the highest limit down."""
        return tuple(one for one in self.settings if one.verdict in PASSING)
