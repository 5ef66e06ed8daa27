"""What `limit` answers: every power limit that was judged, and the best for the goal."""

# Annotations of answers are read at run time, by pydantic when JSON is made of them.
from dataclasses import field

from buildcheck.configure.common import FileChange
from buildcheck.model.answer import Figure, brief
from buildcheck.model.finding import PASSING
from buildcheck.model.frozen import dataclass

#: Settings are shown where they are so far apart, as a share of the default.
_APART = 0.1


@dataclass(frozen=True)
class LimitedGpus:
    """GPUs of one entry of the build file, and the power that their limits are a share of, in W."""

    path: str
    name: str
    count: int
    default: float


@dataclass(frozen=True)
class JudgedLimit:
    """Power limits that were judged. Speeds are in GPUs at full speed.

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


@dataclass(frozen=True)
class LimitAnswer:
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
            if turned or one is self.best or kept[-1].share - one.share >= _APART - 1e-9:
                kept.append(one)
        return tuple(kept)

    @property
    def passing(self) -> tuple[JudgedLimit, ...]:
        """The settings that the build passes with, from the highest limit down."""
        return tuple(one for one in self.settings if one.verdict in PASSING)
