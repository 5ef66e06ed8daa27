"""A judged build → its checklist.

Most steps are items of `templates/checklist.yaml`. What failed, is unknown or was waived adds
steps.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from buildcheck.checklist.answer import ChecklistAnswer, ChecklistPhase, ChecklistStep, PowerLimits
from buildcheck.checklist.items import ApplicableItem, Items, applicable_items, load_items
from buildcheck.checklist.power_limits import NoLimitError, power_limits
from buildcheck.model.answer import made_of
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.finding import FAILING, OPEN, Report
from buildcheck.model.flow import TO_FILL_IN
from buildcheck.model.labels import fact_words, spans, subject_label
from buildcheck.report.answer import FindingAnswer, MissingAnswer
from buildcheck.report.findings import finding_answers
from buildcheck.report.missing import missing_answers, paste_line
from buildcheck.report.sources import notices
from buildcheck.report.values import of_report

#: The group of items that are boxes to sign.
_SIGN = "sign"
#: Steps with the commands and the unit of the power limits.
_LIMIT_STEPS = ("limits/set", "limits/at-boot")
#: The beginning of a command line that is for GPUs of some makers only.
_MAKERS = re.compile(r"\[((?:NVIDIA|AMD|Intel)(?:, (?:NVIDIA|AMD|Intel))*)\] ")
_DIGITS = 12


def checklist_answer(report: Report) -> ChecklistAnswer:
    """The steps that a build needs."""
    items = load_items("checklist")
    found = applicable_items(items, report)
    limits, problems = _limits(report)
    steps: dict[str, list[ChecklistStep]] = {group: [] for group in items.groups}
    steps["quote"] += _to_look_up(report)
    steps["order"] += [*_to_decide(report), *_to_confirm(report, "order")]
    times = Counter(one.item.id for one in found)
    for one in found:
        if one.item.phase == _SIGN:
            continue
        step = _task(one, items, report)
        if step.id in _LIMIT_STEPS and not step.state:
            step = replace(step, state="unknown" if limits is None else "")
        if times[one.item.id] > 1:
            # Steps of one item for several parts differ by their parts.
            step = replace(step, id=f"{step.id}/{', '.join(spans(one.subjects))}")
        steps[one.item.phase].append(step)
    steps["handover"] += _to_confirm(report, "handover")
    facts = (f for subject in report.graph.subjects.values() for f in subject.facts.values())
    return ChecklistAnswer(
        **of_report(report),
        phases=tuple(
            ChecklistPhase(group, title, tuple(_digested(step, limits) for step in steps[group]))
            for group, title in items.groups.items()
            if steps[group]
        ),
        signatures=tuple(one.text for one in found if one.item.phase == _SIGN),
        power_limits=limits,
        limit_problems=problems,
        notices=notices(facts),
    )


def _limits(report: Report) -> tuple[PowerLimits | None, tuple[str, ...]]:
    """The limits to set, or why they cannot be set."""
    try:
        return power_limits(report), ()
    except NoLimitError as error:
        return None, tuple(f"{p.message}. {p.suggestion}" for p in error.problems)


def _digested(step: ChecklistStep, limits: PowerLimits | None) -> ChecklistStep:
    parts = [step.text, step.fix, step.command, step.expect]
    parts += [str(step.waiver.because), str(step.waiver.until)] if step.waiver else []
    parts += [repr(limits)] if step.id in _LIMIT_STEPS else []
    return replace(step, digest=hashlib.sha256("\0".join(parts).encode()).hexdigest()[:_DIGITS])


def _task(one: ApplicableItem, items: Items, report: Report) -> ChecklistStep:
    return made_of(
        ChecklistStep,
        one,
        id=one.item.id,
        state="unknown" if one.state == "open" else "",
        command=_for_makers(one.command, _makers(one, report)).strip(),
        measured=one.subjects if one.expect and len(one.subjects) > 1 else (),
        sources=tuple(items.sources[key] for key in one.item.sources),
    )


def _makers(one: ApplicableItem, report: Report) -> set[str | None]:
    """Makers of the GPUs that a step is about; None among them for a GPU of unknown maker."""
    about = [report.graph.subjects[name] for name in one.subjects]
    gpus = [s for s in about if s.kind == "gpu"] or list(report.graph.of("gpu"))
    return {report.facts("gpu.chip_maker", gpu) for gpu in gpus}


def _for_makers(command: str, makers: set[str | None]) -> str:
    """A command without the lines for GPUs of other makers."""
    lines = []
    for line in command.split("\n"):
        found = _MAKERS.match(line)
        if not found or None in makers or makers & set(found[1].split(", ")):
            lines.append(line[found.end() :] if found else line)
    return "\n".join(lines)


def _to_look_up(report: Report) -> list[ChecklistStep]:
    """One step for each part of which checks lack data, and one for what is not listed."""
    groups: dict[tuple[str, str], list[MissingAnswer]] = {}
    for datum in missing_answers(report, detail=True):
        section = datum.subject.partition("[")[0]
        is_part = datum.is_listed and section in SECTION_KIND
        groups.setdefault((section, datum.part) if is_part else ("", ""), []).append(datum)
    unknown = (f for f in report.findings if f.verdict in OPEN)
    errors = {f.rule.id for f in unknown if f.severity == "error"}
    steps = [_look_up(*key, data, errors, report) for key, data in groups.items()]
    return sorted(steps, key=lambda step: -step.errors)


def _look_up(
    section: str, part: str, data: list[MissingAnswer], errors: set[str], report: Report
) -> ChecklistStep:
    fields = dict.fromkeys(name for datum in data for name in datum.fields)
    words = [w for d in data for w in map(fact_words, d.fields)]
    words += [subject_label(d.subject.partition("[")[0]) for d in data if not d.fields]
    unknown = dict.fromkeys(fields, TO_FILL_IN)
    pasted = [paste_line(report, data[0].subject, unknown)] if section else [d.paste for d in data]
    rules = tuple(dict.fromkeys(rule for datum in data for rule in datum.rules))
    name = re.sub(r"[^a-z0-9]+", "-", f"{section} {part}".lower()).strip("-")
    return ChecklistStep(
        id=f"quote/look-up/{name or 'not-listed'}",
        kind="look-up",
        state="unknown",
        text=part or (subject_label(section) if section else ""),
        data=tuple(dict.fromkeys(words)),
        fix="; ".join(pasted),
        rules=rules,
        errors=len(errors & {*rules}),
    )


def _to_decide(report: Report) -> Iterator[ChecklistStep]:
    """One step for each cause of errors, warnings, and errors that are likely, worst first.

    Notes are no steps: two of them can ask for opposite things, such as more and less power.
    """
    answers = (finding_answers(report, verdict, detail=True) for verdict in FAILING)
    found = [f for of_verdict in answers for f in of_verdict if f.severity != "note"]
    found.sort(key=lambda finding: finding.severity != "error")
    for finding in found:
        if finding.cause is None and (finding.severity == "error" or finding.verdict == "fail"):
            follows = (f.rule for f in found if f.cause == finding.id)
            rules = tuple(dict.fromkeys((finding.rule, *follows)))
            yield _of_finding(finding, "order", kind="decide", fix=finding.fix, rules=rules)


def _to_confirm(report: Report, phase: str) -> Iterator[ChecklistStep]:
    """One step for each accepted finding, before the order and at the hand-over."""
    for finding in finding_answers(report, "waived", detail=True):
        own = {"rules": (finding.rule,), "waiver": finding.waived}
        yield _of_finding(finding, f"{phase}/waived", kind="waiver", **own)


def _of_finding(finding: FindingAnswer, place: str, **own: Any) -> ChecklistStep:
    subjects = finding.subjects or (finding.subject,)
    return ChecklistStep(
        id=f"{place}/{finding.rule}/{', '.join(spans(subjects))}",
        state=finding.state,
        text=finding.title,
        why=finding.message,
        also=finding.also,
        sources=finding.detail.sources if finding.detail else (),
        **own,
    )
