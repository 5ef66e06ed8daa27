"""A report as steps to walk through, from before the quote to the hand-over.

Most steps are items of `templates/checklist.yaml`, as they stand for the build. What failed,
could not be judged or was waived adds steps of its own. Nothing is judged here.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from buildcheck.items import load_items, standing
from buildcheck.logic.parse import names, parse
from buildcheck.render.checklist_limits import NoLimitError, files, hand_commands
from buildcheck.render.view import grouped, waits
from buildcheck.wording import span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.items import Standing
    from buildcheck.model.finding import Report
    from buildcheck.render.view import Group

#: The group of the list whose items are boxes to sign, not steps.
SIGN = "sign"
#: Ids of single parts that are abbreviations.
_NAMES = {"cpu": "CPU", "cpu_cooler": "CPU cooler", "ups": "UPS"}
#: Steps of power limits where no command can be given as the build file stands.
_LATER = {
    "limits/set": "Write limits that can be set into the build file, make this list again, set"
    " them by hand as it says, and read them back.",
    "limits/at-boot": "Install the systemd unit that `buildcheck checklist --format unit` makes"
    " once the build file has limits that can be set.",
}
#: What stands before a line of a command that is for cards of some makers alone.
_FOR = re.compile(r"\[((?:NVIDIA|AMD|Intel)(?:, (?:NVIDIA|AMD|Intel))*)\] ")
#: Characters of a digest that tell one step's words from another's.
_DIGITS = 12


@dataclass(frozen=True)
class Origin:
    """Where a step comes from: a rule, a fact, or a document."""

    title: str
    url: str = ""
    is_code: bool = False


@dataclass(frozen=True)
class Step:
    """One box to tick."""

    id: str
    text: str
    why: str = ""
    command: str = ""
    #: Texts of files to put in place.
    files: tuple[str, ...] = ()
    expect: str = ""
    #: What is measured one by one; nothing for a single value.
    parts: tuple[str, ...] = ()
    origins: tuple[Origin, ...] = ()
    #: `error`, `warning`, `note`, `unknown`, `waived`, or nothing for a plain step.
    state: str = ""

    @property
    def digest(self) -> str:
        """Changes with the words of the step, so that a tick is not taken for another's."""
        return _digest(f"{self.text}\0{self.command}\0{self.files}\0{self.expect}")


@dataclass(frozen=True)
class Phase:
    """Steps of one time, in order."""

    id: str
    title: str
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Checklist:
    """All phases that have steps, and who signs."""

    phases: tuple[Phase, ...]
    signs: tuple[str, ...]

    @property
    def count(self) -> int:
        """Boxes to tick."""
        return sum(len(phase.steps) for phase in self.phases)


def checklist(report: Report) -> Checklist:
    """The steps that a build asks for; the same report gives the same list."""
    items = load_items("checklist")
    stand = standing(items, report)
    steps: dict[str, list[Step]] = {group: [] for group in items.groups}
    steps["quote"] += _to_find_out(report)
    steps["order"] += [*_to_mend(report), *_to_confirm(report, "order")]
    times = Counter(one.item.id for one in stand)
    for one in stand:
        if one.item.group != SIGN:
            step = _with_limits(_step(one, _makers(one, report)), report)
            # Steps of one item for several parts are told apart by their parts.
            many = times[one.item.id] > 1
            named = replace(step, id=f"{step.id}/{span(one.subjects)}") if many else step
            steps[one.item.group].append(named)
    steps["handover"] += _to_confirm(report, "handover")
    phases = tuple(
        Phase(group, title, tuple(steps[group]))
        for group, title in items.groups.items()
        if steps[group]
    )
    return Checklist(phases, tuple(one.text for one in stand if one.item.group == SIGN))


def _digest(words: str) -> str:
    return hashlib.sha256(words.encode()).hexdigest()[:_DIGITS]


def _makers(one: Standing, report: Report) -> set[str | None]:
    """Whose cards a step is about; None among them for cards nobody says it of."""
    about = [report.graph.subjects[name] for name in one.subjects]
    cards = [s for s in about if s.kind == "gpu"] or list(report.graph.of("gpu"))
    return {report.facts("gpu.chip_maker", card) for card in cards}


def _for_makers(command: str, makers: set[str | None]) -> str:
    """A command without the lines that are for cards of other makers."""
    lines = []
    for line in command.split("\n"):
        found = _FOR.match(line)
        if not found or None in makers or makers & set(found[1].split(", ")):
            lines.append(line[found.end() :] if found else line)
    return "\n".join(lines)


def _step(one: Standing, makers: set[str | None]) -> Step:
    item = one.item
    told = [Origin(rule, is_code=True) for rule in one.rules]
    asked = names(parse(item.when)) if item.when else []
    told += [Origin(name, is_code=True) for name in dict.fromkeys(asked)]
    told += [Origin(source.title, source.url) for source in item.sources]
    return Step(
        id=item.id,
        text=one.text,
        why=one.why,
        command=_for_makers(one.command, makers),
        expect=one.expect,
        parts=one.subjects if one.expect and len(one.subjects) > 1 else (),
        origins=tuple(told),
        state="unknown" if one.state == "open" else "",
    )


def _with_limits(step: Step, report: Report) -> Step:
    """The steps that set power limits, with this build's commands and unit."""
    try:
        if step.id == "limits/set":
            return replace(step, command=f"{hand_commands(report)}\n{step.command}")
        if step.id == "limits/at-boot":
            return replace(step, files=files(report))
    except NoLimitError as error:
        told = "; ".join(f"{p.message}. {p.suggestion}" for p in error.problems)
        return replace(
            step,
            text=_LATER[step.id],
            command="",
            why=f"No command can be given yet: {told}. {step.why}",
            state="unknown",
        )
    return step


def _to_find_out(report: Report) -> Iterator[Step]:
    """One step for each datum that checks wait for."""
    for wait in waits(report):
        rules = tuple(Origin(rule, is_code=True) for rule in wait.rules)
        gravest = "an error could be among them" if wait.grave else "none of them is for an error"
        yield Step(
            id=f"quote/find-out-{_digest(wait.how)}",
            text=f"Find out what is open: {wait.how}.",
            why=f"Checks wait for it; {gravest}.",
            origins=rules,
            state="unknown",
        )


def _to_mend(report: Report) -> Iterator[Step]:
    """One step for each error and warning, worst first: a decision, as remedies offer several ways.

    Notes are no steps: two of them can ask for opposite things, such as more and less power.
    """
    for group in grouped(report, "fail"):
        finding = group.finding
        if finding.severity == "note":
            continue
        remedy = finding.rule.remedy.strip()
        yield Step(
            id=f"order/{finding.rule.id}/{group.subject}",
            text=f"Decide what to do about {_the(group.subject)}: {_sentence(remedy)}",
            why=f"{finding.rule.title} ({group.subject}): {finding.message}.",
            origins=_of_rule(group),
            state=finding.severity,
        )


def _the(subject: str) -> str:
    """`build` and `cpu_cooler` as one speaks of them; `gpus[0..1]` as it is."""
    return subject if "[" in subject else f"the {_NAMES.get(subject, subject.replace('_', ' '))}"


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _to_confirm(report: Report, phase: str) -> Iterator[Step]:
    """One step for each finding somebody accepts, before the order and at the hand-over."""
    for group in grouped(report, "waived"):
        finding, waiver = group.finding, group.finding.waived
        if waiver is None:
            continue
        ask = "Is that still so?" if phase == "order" else "Say who looks at it again by then."
        yield Step(
            id=f"{phase}/waived/{finding.rule.id}/{group.subject}",
            text=f"The waiver of {finding.rule.id} for {group.subject} holds until"
            f" {waiver.until.isoformat()}, because: {waiver.because}. {ask}",
            why=f"{finding.rule.title}: {finding.message}.",
            origins=_of_rule(group),
            state="waived",
        )


def _of_rule(group: Group) -> tuple[Origin, ...]:
    rule = group.finding.rule
    grade = rule.sources.get(group.finding.grade.source)
    documents = [Origin(grade["title"], grade.get("url", ""))] if grade else []
    return (Origin(rule.id, is_code=True), *documents)
