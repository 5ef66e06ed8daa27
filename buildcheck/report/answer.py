"""What is shown of a judged build."""

import datetime
from dataclasses import field
from typing import Any

from buildcheck.model.answer import Figure, brief
from buildcheck.model.finding import BuildVerdict, state_of
from buildcheck.model.frozen import Frozen
from buildcheck.report.placement_answer import PlacementAnswer

#: Subjects of a finding that brief JSON lists.
_SUBJECTS = 8

Value = Figure | bool | str | tuple[str, ...] | None


class PlaceAnswer(Frozen):
    """A line of the build file that takes part in a finding, and the part named there."""

    line: int
    column: int
    name: str
    #: The line as it is written, and how many of its characters are meant.
    source: str = field(default="", metadata=brief())
    width: int = field(default=1, metadata=brief())


class NumberAnswer(Frozen):
    """A fact that a rule used."""

    name: str
    subject: str
    value: Value
    #: What it was calculated from, in words; empty for what was looked up.
    sum_of: str = ""


class StepAnswer(Frozen):
    """A value on the way to a finding: what it was calculated from, or where it was looked up."""

    depth: int
    name: str
    of: str
    value: str
    made_from: str = ""
    source: str = ""
    url: str = ""
    confidence: str = ""


class SourceAnswer(Frozen):
    """A document to look up."""

    title: str
    url: str = ""


class FindingDetail(Frozen):
    """The arithmetic and the reasons of a finding."""

    require: str
    limits: dict[str, str]
    limit_why: str
    why: str
    impact: str
    remedy: str
    basis: str
    steps: tuple[StepAnswer, ...]
    sources: tuple[SourceAnswer, ...]


class WaiverAnswer(Frozen):
    """Why a finding is accepted, until when, and by whom."""

    because: str
    until: datetime.date
    by: str = ""


class UsualAnswer(Frozen):
    """A range that such parts usually have: the line to add once the value is looked up."""

    paste: str
    why: str


class ChoiceAnswer(Frozen):
    """Where a name could mean several parts: those with which a check passes, or fails if none."""

    subject: str
    name: str
    passes: bool
    parts: int
    among: int
    such_as: str
    #: A field that tells these parts from the others, if one does, and what they have of it.
    field: str = ""
    least: Figure | None = None
    most: Figure | None = None
    codes: tuple[str, ...] = ()


class DrawnAnswer(Frozen):
    """In how many of the machines with such parts that were drawn a check passes, and fails."""

    passing: int
    failing: int
    machines: int


class OtherAnswer(Frozen):
    """Another subject of the same finding, in its own numbers."""

    subject: str
    message: str


class FindingAnswer(Frozen):
    """One rule's verdict at one severity: about the subject that is worst off, and the others."""

    rule: str
    severity: str
    verdict: str
    subject: str
    title: str
    #: Every subject, where there are several; without `--verbose` the first of `subject_count`.
    subjects: tuple[str, ...] = field(default=(), metadata=brief(_SUBJECTS))
    subject_count: int = 1
    message: str = ""
    others: tuple[OtherAnswer, ...] = field(default=(), metadata=brief(_SUBJECTS))
    fix: str = ""
    #: The finding that this one is a consequence of, by its id.
    cause: str | None = None
    numbers: tuple[NumberAnswer, ...] = ()
    places: tuple[PlaceAnswer, ...] = ()
    #: The first place of an open error, where it has no others.
    named_at: PlaceAnswer | None = field(default=None, metadata=brief())
    waived: WaiverAnswer | None = None
    #: What a likely finding rests on; without `--verbose` the first.
    rests_on: tuple[UsualAnswer, ...] = ()
    choice: ChoiceAnswer | None = None
    drawn: DrawnAnswer | None = None
    #: Lines that were not read and could change it.
    not_read: tuple[int, ...] = ()
    detail: FindingDetail | None = None

    @property
    def state(self) -> str:
        """One word for it: the severity of what fails, else `likely` or the verdict."""
        return state_of(self.verdict, self.severity)

    @property
    def id(self) -> str:
        """What it is called where another is its consequence."""
        return f"{self.rule} {self.subject}"

    @property
    def place(self) -> PlaceAnswer:
        """Where the build file names its subject."""
        return next(iter(self.places), self.named_at or PlaceAnswer(1, 1, ""))

    @property
    def also(self) -> tuple[str, ...]:
        """The other subjects."""
        return tuple(s for s in self.subjects if s != self.subject)


class BudgetAnswer(Frozen):
    """What is used of something there is only so much of."""

    #: Which budget: `psu-sustained`, `cpu-lanes`; templates name it.
    id: str
    subject: str
    name: str
    used: Figure
    available: Figure
    #: In percent; None where nothing is available.
    share: Figure | None
    #: `within`, `over`, or `edge` where the ranges overlap.
    state: str
    severity: str | None = None


class MissingAnswer(Frozen):
    """A datum to look up: which checks wait for it, and the line of the build file to add."""

    subject: str
    #: The part's name; empty where it has none, or none is listed.
    part: str
    fields: tuple[str, ...]
    paste: str
    #: How many rules wait, and how many of them could find an error.
    checks: int
    errors: int = 0
    rules: tuple[str, ...] = ()
    is_listed: bool = True
    #: Is a range known, too wide to decide?
    narrows: bool = False
    #: Where the part is still to be chosen: what passes all of these checks, or those for errors.
    choice: ChoiceAnswer | None = None


class AssumptionAnswer(Frozen):
    """A section that the build file leaves out, and what is assumed for it."""

    section: str
    words: str


class PartAnswer(Frozen):
    """A part of the build, or what is assumed where none is listed."""

    subject: str
    kind: str
    name: str
    count: int = 1
    part: str | None = None
    is_listed: bool = True
    #: What it is rated for or held at: rated power of a PSU, sustained power of a GPU.
    power: Figure | None = None


class LimitPoint(Frozen):
    """A power limit in percent of the default, its watts, and what it leads to."""

    share: float
    watts: Figure
    value: Figure


class LimitCurve(Frozen):
    """Training speed of a GPU in percent, or sustained load of a PSU in W, against power limits."""

    subjects: tuple[str, ...]
    name: str
    points: tuple[LimitPoint, ...]
    #: As the build sets it; None where it sets several limits, or where it is not known.
    as_set: LimitPoint | None = None
    #: What a PSU can give.
    most: Figure | None = None


class SourcedAnswer(Frozen):
    """A value of a part, and where it is known from."""

    name: str
    value: str
    confidence: str
    source: SourceAnswer
    origin: str = ""
    note: str = ""


class PartValuesAnswer(Frozen):
    """Every value of a part, equal parts together, and the fields that are not known."""

    name: str
    subjects: tuple[str, ...]
    values: tuple[SourcedAnswer, ...]
    unknown: tuple[str, ...] = ()
    is_listed: bool = True


class UncataloguedAnswer(Frozen):
    """A part whose name is in no catalogue, or is that of several parts."""

    subjects: tuple[str, ...]
    name: str
    #: Line of the build file.
    line: int
    #: The nearest names, or those of the parts it could be.
    near: tuple[str, ...] = ()
    could_be: tuple[str, ...] = ()
    #: The GPU without a maker that it is judged as.
    judged_as: str = ""


class BuildAnswer(Frozen):
    """Everything shown of one build. Lists that are long come with `--verbose` only."""

    file: str
    name: str
    digest: str
    checked: datetime.date
    verdict: BuildVerdict
    #: Findings of each verdict and severity, every subject counted.
    counts: dict[str, int]
    #: Rules it was not judged by, as others were selected.
    left_out: int = 0
    #: Findings that stop the build, by verdict, where errors are not all that does; the option
    #: that asks for it, and the rules.
    stopped: dict[str, int] | None = None
    stopped_by: str = ""
    stopped_rules: tuple[str, ...] = ()
    gpu_count: int = 0
    gpu_memory: Figure | None = None
    findings: tuple[FindingAnswer, ...] = ()
    placement: PlacementAnswer = PlacementAnswer()
    budgets: tuple[BudgetAnswer, ...] = ()
    missing: tuple[MissingAnswer, ...] = ()
    #: Sections of a build file that this one leaves out.
    not_listed: tuple[str, ...] = ()
    assumptions: tuple[AssumptionAnswer, ...] = ()
    #: Keys of the build file that mean nothing here, their lines, and where the facts belong.
    not_read: tuple[tuple[str, int, str], ...] = ()
    #: Lines that no check reads and that may change the verdict.
    open_lines: tuple[int, ...] = ()
    uncatalogued: tuple[UncataloguedAnswer, ...] = ()
    parts: tuple[PartAnswer, ...] = ()
    facts: dict[str, Value] | None = None
    values: tuple[PartValuesAnswer, ...] = ()
    limit_speeds: tuple[LimitCurve, ...] = ()
    limit_loads: tuple[LimitCurve, ...] = ()
    not_applicable: tuple[str, ...] = ()
    not_checked: tuple[str, ...] = ()
    own_part_files: dict[str, tuple[str, ...]] | None = None
    notices: tuple[str, ...] = ()
    rulebook: str = ""
    catalog: str = ""
    version: str = ""

    def of(self, verdict: str, *severities: str) -> list[FindingAnswer]:
        """Findings of a verdict that are nobody's consequence, at these severities or at any."""
        own = (f for f in self.findings if f.verdict == verdict and f.cause is None)
        return [f for f in own if not severities or f.severity in severities]

    @property
    def tally(self) -> dict[str, int]:
        """How many findings are errors, warnings and notes, certain and likely."""
        kinds = [(s, v) for v in ("fail", "likely-fail") for s in ("error", "warning", "note")]
        found = {"likely " * (v != "fail") + s: len(self.of(v, s)) for s, v in kinds}
        return {name: number for name, number in found.items() if number}

    def troubles(self, severity: str) -> list[FindingAnswer]:
        """What fails or is likely to at a severity, in the order of the findings."""
        own = (f for f in self.findings if f.cause is None and f.severity == severity)
        return [f for f in own if f.verdict in ("fail", "likely-fail")]

    @property
    def raised(self) -> list[FindingAnswer]:
        """What fails or is likely to, the worst first, and the errors that are open."""
        found = [f for level in ("error", "warning", "note") for f in self.troubles(level)]
        return found + self.of("unknown", "error")

    @property
    def remarks(self) -> list[tuple[str, int, Any]]:
        """What else is said of the file: of which kind, of which line, and about what.

        Names that are in no catalogue, keys that no check reads, and what stops the build.
        """
        names = [("not-in-catalogue", one.line, one) for one in self.uncatalogued]
        keys = [("not-used", line, (key, hint)) for key, line, hint in self.not_read]
        return [*names, *keys, *[("stopped", 1, self)] * bool(self.stopped)]


class ValidateAnswer(Frozen):
    """Every build that was validated, in the order given."""

    builds: tuple[BuildAnswer, ...]
    #: What else than errors was asked to stop a build; empty if nothing was.
    stage: str = ""
