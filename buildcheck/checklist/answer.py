"""What `checklist` answers: the steps of each phase, who signs, and the power limits to set."""

import datetime
from dataclasses import field
from typing import Literal

from buildcheck.model.answer import brief
from buildcheck.model.frozen import Frozen
from buildcheck.report.answer import SourceAnswer, WaiverAnswer

#: A task of the list; an error or warning to decide on; a datum to look up; a waiver to confirm.
StepKind = Literal["task", "decide", "look-up", "waiver"]


class ChecklistStep(Frozen):
    """One box to tick."""

    id: str
    #: Changes with what is to be done, so that a tick is not taken for another's.
    digest: str = field(default="", metadata=brief())
    kind: StepKind = "task"
    #: `error`, `warning`, `unknown` or `waived`; empty for a plain task.
    state: str = ""
    #: What to do, the title of the finding, or the part to look up data of.
    text: str = ""
    #: Why, or the numbers of the finding.
    why: str = field(default="", metadata=brief())
    #: What mends the finding, or the lines to add to the build file.
    fix: str = ""
    #: What to look up, in words.
    data: tuple[str, ...] = ()
    #: Further subjects of the finding.
    also: tuple[str, ...] = ()
    waiver: WaiverAnswer | None = None
    command: str = ""
    expect: str = ""
    #: Subjects that are measured one by one; none for a single value.
    measured: tuple[str, ...] = ()
    #: Rules that called for it, or that wait for the datum.
    rules: tuple[str, ...] = ()
    #: How many of those could find an error.
    errors: int = 0
    sources: tuple[SourceAnswer, ...] = field(default=(), metadata=brief())


class ChecklistPhase(Frozen):
    """The steps of one phase, in order."""

    id: str
    title: str
    steps: tuple[ChecklistStep, ...]


class LimitedGpu(Frozen):
    """A GPU that gets a limit, as a shell variable and in a comment."""

    subject: str
    variable: str
    #: Number, name and slot, without signs that a shell reads.
    place: str


class LimitSetting(Frozen):
    """One limit in watts, and the GPUs that get it."""

    watts: str
    gpus: tuple[LimitedGpu, ...]
    #: Their model without its brand, as the script looks for it; empty for all NVIDIA GPUs.
    model: str = ""


class PowerLimits(Frozen):
    """All limits of a build."""

    #: Of the build, without signs that a shell reads.
    name: str
    version: str
    settings: tuple[LimitSetting, ...]
    #: Do bus addresses have to be filled in; are the slots of those GPUs known?
    by_hand: bool = False
    has_slots: bool = False

    @property
    def needs_script(self) -> bool:
        """Can a unit not do without the script that finds each GPU?"""
        return self.by_hand or bool(self.settings[0].model)


class ChecklistAnswer(Frozen):
    """All phases that have steps, and who signs."""

    name: str
    file: str
    checked: datetime.date
    verdict: str
    phases: tuple[ChecklistPhase, ...]
    signatures: tuple[str, ...] = ()
    #: The limits for nvidia-smi to set; None where there are none, or they cannot be set.
    power_limits: PowerLimits | None = None
    #: Why limits cannot be set as the build file is.
    limit_problems: tuple[str, ...] = ()
    #: Of the build file, the rulebook and the catalogue.
    digest: str = ""
    rulebook: str = ""
    catalog: str = ""
    version: str = ""
    notices: tuple[str, ...] = ()

    @property
    def steps(self) -> tuple[ChecklistStep, ...]:
        """The steps of all phases."""
        return tuple(step for phase in self.phases for step in phase.steps)
