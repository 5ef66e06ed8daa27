"""Repairs → the answer of the command."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from buildcheck.configure.common import FindingBrief, brief_finding, brief_findings
from buildcheck.configure.repair.answer import FixedFinding, FixedNumber, PatchAnswer, RepairAnswer
from buildcheck.configure.repair.moves import KINDS
from buildcheck.edit import difference
from buildcheck.facts.registry import DATA
from buildcheck.load.forms import spelt_out
from buildcheck.measure.shapes import shape_of
from buildcheck.model.finding import FAILING
from buildcheck.report.missing import missing_answers
from buildcheck.report.values import plain_value

if TYPE_CHECKING:
    from buildcheck.configure.repair.repair import Repair, Repairs
    from buildcheck.model.finding import Report


def repair_answer(found: Repairs, applied: int | None = None) -> RepairAnswer:
    """What was found; `applied` is the number of the way that was written to a file."""
    report = found.report
    fails = tuple(f for f in brief_findings(report, *FAILING) if f.severity == "error")
    whole = found.stopped or not fails or not all(r.gives_up for r in found.repairs)
    return RepairAnswer(
        file=report.document.path,
        name=" ".join(report.name.split()),
        digest=report.document.digest,
        verdict=report.verdict,
        fails=fails,
        repairs=tuple(_patch(one, found, fails) for one in found.repairs),
        unknown=_unknown(report),
        missing=missing_answers(report),
        tried=tuple(kind for kind in KINDS if kind in found.tried),
        untried=tuple(kind for kind in KINDS if kind in found.untried),
        stopped=found.stopped,
        rates=tuple(rate.text for rate in found.rates.all),
        new_machine=None if whole else _new_machine(report),
        applied=applied,
    )


def _patch(one: Repair, found: Repairs, fails: tuple[FindingBrief, ...]) -> PatchAnswer:
    path = found.report.document.path
    return PatchAnswer(
        actions=tuple(a for step in one.steps for a in step),
        verdict=one.report.verdict,
        cost=one.cost,
        changes=one.changes,
        diff=difference(found.raw, one.raw, path),
        fixes=tuple(_fixed(f, found.report, one.report) for f in fails),
        gives_up=one.gives_up,
        new_warnings=tuple(map(brief_finding, one.warnings)),
        unknown=_unknown(one.report),
    )


def _unknown(report: Report) -> tuple[str, ...]:
    """The rules that could find an error and cannot be judged."""
    return tuple(dict.fromkeys(f.rule.id for f in report.errors("unknown")))


def _fixed(failed: FindingBrief, before: Report, after: Report) -> FixedFinding:
    """An error with its numbers before and after, where they differ."""
    subjects = failed.subjects or (failed.subject,)
    old, new = (
        next(
            (f for f in r.findings if (f.rule.id, f.subject) == (failed.rule, failed.subject)), None
        )
        for r in (before, after)
    )
    if old is None or new is None or new.verdict == "not-applicable":
        return FixedFinding(failed.rule, subjects, gone=True)
    values = {(name, subject): value for name, subject, value in new.words.values()}
    numbers = (
        FixedNumber(
            name,
            subject,
            plain_value(value, shape_of(name)),
            plain_value(values[name, subject], shape_of(name)),
        )
        for name, subject, value in old.words.values()
        if (name, subject) in values and shape_of(name) != DATA
    )
    still = new.severity if new.verdict in FAILING else None
    changed = tuple(n for n in numbers if n.before != n.after)
    return FixedFinding(failed.rule, subjects, changed, still)


def _new_machine(report: Report) -> str:
    """The command that looks for a new machine for the same GPUs."""
    data = spelt_out(report.document.data)
    site, work = data.get("site") or {}, data.get("workload") or {}
    words = ["buildcheck", "configure"]
    for entry in data.get("gpus", []):
        if entry.get("part"):
            words += ["--gpus", f"{entry.get('count', 1)}x {entry['part']}"]
    words += ["--outlet", str(site["outlet"])] if site.get("outlet") else []
    words += ["--workload", str(work["kind"])] if work.get("kind") else []
    return shlex.join(words)
