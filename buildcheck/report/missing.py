"""What has to be looked up before the unknown can be judged, as lines to add to the build file."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from buildcheck.measure import Missing, field_of, shape_of
from buildcheck.model.build import NO_PARTS, Build
from buildcheck.model.finding import OPEN
from buildcheck.report.answer import MissingAnswer, UsualAnswer
from buildcheck.report.choices import choice_answer
from buildcheck.report.values import pasted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from buildcheck.model.finding import Finding, Report

#: Data asked for at once, where a check lacks several.
_MOST_ASKED = 3
#: What a fact has only from another one, which is shorter to give.
_APART = {"slots": "slot_positions"}


def missing_answers(report: Report, *, detail: bool = False) -> tuple[MissingAnswer, ...]:
    """What to look up, what decides most errors first.

    Data that are wholly missing come before ranges to narrow. A part that is not listed is asked
    for once, whatever of it is missing.
    """
    waiting: dict[tuple[str, ...], dict[str, str]] = {}
    known: dict[tuple[str, ...], Missing] = {}
    choices: dict[str, list[Finding]] = {}
    for finding in report.findings:
        if finding.verdict not in OPEN:
            continue
        if finding.tried:
            choices.setdefault(finding.tried.subject, []).append(finding)
            continue
        for datum in _asked(finding, report):
            key: tuple[str, ...] = (_section(datum), datum.part, datum.field)
            key = key if _is_listed(datum, report) else key[:1]
            known.setdefault(key, datum)
            waiting.setdefault(key, {}).setdefault(finding.rule.id, finding.severity)
    rows = [_answer(known[key], key, rules, report) for key, rules in waiting.items()]
    rows += [_chosen(found, report) for found in choices.values()]
    found = sorted(_merged(rows), key=lambda m: (-m.errors, -m.checks, m.paste))
    return tuple(found if detail else (replace(row, rules=()) for row in found))


def _asked(finding: Finding, report: Report) -> list[Missing]:
    """Data that a build file can give: what standards and platforms are like it cannot."""
    given = [m for m in finding.missing if _section(m) in (*Build.model_fields, "build")]
    decisive = [m for m in given if not m.narrows] or given
    absent = [m for m in decisive if not _is_listed(m, report)]
    return absent[:1] or decisive[:_MOST_ASKED]


def _section(missing: Missing) -> str:
    return re.sub(r"\[.*", "", missing.subject)


def _is_listed(missing: Missing, report: Report) -> bool:
    subject = report.graph.subjects.get(missing.subject)
    return subject is None or subject.listed


def _answer(
    missing: Missing, key: tuple[str, ...], rules: dict[str, str], report: Report
) -> MissingAnswer:
    section, is_listed = _section(missing), _is_listed(missing, report)
    subject = report.graph.subjects.get(missing.subject)
    is_named = is_listed and subject is not None and subject.part is not None
    part = missing.part if is_named else ""
    return MissingAnswer(
        subject=missing.subject,
        part=part,
        fields=(missing.field,) if len(key) > 1 else (),
        paste=paste_line(section, part, (missing.field,), is_listed=is_listed),
        checks=len(rules),
        errors=sum(severity == "error" for severity in rules.values()),
        rules=tuple(rules),
        is_listed=is_listed,
        narrows=missing.narrows,
    )


def _chosen(findings: list[Finding], report: Report) -> MissingAnswer:
    """The part to choose of those that a name could mean, or what to say of it."""
    severities: dict[str, str] = {f.rule.id: f.severity for f in findings}
    tried = [f.tried for f in findings if f.tried]
    subject = report.graph.subjects[tried[0].subject]
    missing = Missing(subject.id, subject.name, "", narrows=True)
    row = _answer(missing, ("", "", ""), severities, report)
    fields = tuple(dict.fromkeys(name for t in tried for name in t.fields))
    decisive = [f for f in findings if f.severity == "error"] or findings
    paste = paste_line(_section(missing), row.part, fields)
    return replace(row, fields=fields, paste=paste, choice=choice_answer(decisive, report))


def usual_answers(
    finding: Finding, report: Report, *, detail: bool = False
) -> tuple[UsualAnswer, ...]:
    """The lines of a build file that would turn a likely finding into a certain one."""
    found: dict[str, UsualAnswer] = {}
    for (name, subject_id), fact in finding.usual.items():
        subject, section = report.graph.subjects[subject_id], subject_id.partition("[")[0]
        if section not in Build.model_fields:
            continue
        apart = subject.facts.get(_APART.get(field_of(name), ""))
        shorter = apart if apart is not None and apart.is_usual else fact
        field = field_of(name) if shorter is fact else _APART[field_of(name)]
        value = pasted(shorter.value, shape_of(name))
        part = subject.name if subject.part else ""
        line = paste_line(section, part, [field], is_listed=subject.listed, value=value)
        found.setdefault(line, UsualAnswer(line, shorter.note or shorter.source.title))
    return tuple(found.values())[: None if detail else _MOST_ASKED]


def paste_line(
    section: str, part: str, fields: Iterable[str], *, is_listed: bool = True, value: str = "..."
) -> str:
    """The line of a build file that gives the data; `...` is for the reader to fill in."""
    if section == "build":
        return ", ".join(f"{name}: {value}" for name in fields)
    if not is_listed and section not in NO_PARTS:
        return f"{section}: ..."
    given = [f"part: {part}"] if part else []
    given += [f"{name}: {value}" for name in fields]
    return f"{section}: {{{', '.join(given)}}}"


def _merged(rows: list[MissingAnswer]) -> list[MissingAnswer]:
    """Data of one part that the same checks wait for, asked for in one line."""
    found: dict[tuple[str, str, tuple[str, ...]], MissingAnswer] = {}
    for row in rows:
        key = (row.subject, row.part, row.rules)
        old = found.get(key)
        if old is None:
            found[key] = row
            continue
        fields = tuple(dict.fromkeys((*old.fields, *row.fields)))
        section = re.sub(r"\[.*", "", row.subject)
        paste = paste_line(section, row.part, fields, is_listed=row.is_listed)
        found[key] = replace(row, fields=fields, paste=paste, narrows=old.narrows and row.narrows)
    return list(found.values())
