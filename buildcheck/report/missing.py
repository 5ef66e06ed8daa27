"""What has to be looked up before the unknown can be judged, as lines to add to the build file."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from buildcheck.load.sentences import model_at
from buildcheck.load.spelt import spelt_out
from buildcheck.measure import Missing
from buildcheck.measure.shapes import field_of, shape_of
from buildcheck.model.build import LISTS, NO_PARTS, SECTION_KIND, Build
from buildcheck.model.finding import OPEN, SECTIONS, Drawn, Finding, Report
from buildcheck.model.flow import TO_FILL_IN, flow, form
from buildcheck.model.graph import Subject
from buildcheck.model.labels import fact_words
from buildcheck.model.part import USER
from buildcheck.report.answer import MissingAnswer, UsualAnswer
from buildcheck.report.budgets import needs
from buildcheck.report.choices import choice_answer
from buildcheck.report.values import pasted

#: Data asked for at once, where a check lacks several.
_MOST_ASKED = 3
#: What a fact has only from another one, which is shorter to give.
_APART = {"slots": "slot_positions", "state_bytes": "optimizer"}
_APART |= dict.fromkeys(("voltage", "breaker"), "outlet")
_APART |= dict.fromkeys(("weight_bytes", "gradient_bytes", "master_bytes"), "precision")
#: What is counted, and the field of a build file that lists it.
_COUNTED = dict.fromkeys(("parts_lacking", "parts_elsewhere", "parts_replaced"), "lines")


def missing_answers(report: Report, *, detail: bool = False) -> tuple[MissingAnswer, ...]:
    """What to look up, what decides most errors first, each by how often similar builds fail.

    Data that are wholly missing come before ranges to narrow. A part that is not listed is asked
    for once, whatever of it is missing.
    """
    waiting: dict[tuple[str, ...], tuple[Missing, dict[str, Finding]]] = {}
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
            rules = waiting.setdefault(key, (datum, {}))[1]
            rules.setdefault(finding.rule.id, finding)
    # Data of one part that the same checks wait for are asked for in one line.
    together: dict[tuple[str, ...], tuple[list[Missing], dict[str, Finding]]] = {}
    for datum, rules in waiting.values():
        key = (datum.subject, datum.part, *rules)
        together.setdefault(key, ([], rules))[0].append(datum)
    rows = [(_weight(f.values()), _answer(data, f, report)) for data, f in together.values()]
    rows += [(_weight(found), _chosen(found, report)) for found in choices.values()]
    found = [m for _, m in sorted(rows, key=lambda r: (-r[0], -r[1].checks, r[1].paste))]
    return tuple(found if detail else (replace(row, rules=()) for row in found))


def _weight(findings: Iterable[Finding]) -> float:
    """How many errors are to be expected: those of similar builds, or every second."""
    tried = [f.drawn or Drawn(1, 1, 2) for f in findings if f.severity == "error"]
    return sum(one.failing / (one.passing + one.failing or 1) for one in tried)


def _asked(finding: Finding, report: Report) -> list[Missing]:
    """Data that a build file can give: what standards and platforms are like it cannot."""
    given = [
        m._replace(field=_shorter(report.graph.subjects.get(m.subject), m.field))
        for m in finding.missing
        if _section(m) in (*Build.model_fields, "build")
    ]
    decisive = [m for m in given if not m.narrows] or given
    absent = [m for m in decisive if not _is_listed(m, report)]
    needed = [m for m in absent if _section(m) != "cpu_cooler" or "cpu_cooler" in report.not_listed]
    return needed[:1] or [m for m in decisive if m not in absent][:_MOST_ASKED]


def _shorter(subject: Subject | None, name: str) -> str:
    """The field that is asked for: of what is known in part, the rest, unless it is written."""
    facts = subject.facts if subject else {}
    apart = _APART.get(name, name) if name in facts else _COUNTED.get(name, name)
    return name if apart in facts and facts[apart].source is USER else apart


def _section(missing: Missing) -> str:
    return re.sub(r"\[.*", "", missing.subject)


def _is_listed(missing: Missing, report: Report) -> bool:
    subject = report.graph.subjects.get(missing.subject)
    return subject is None or subject.listed


def _answer(data: list[Missing], rules: Mapping[str, Finding], report: Report) -> MissingAnswer:
    """Fields of a part to look up, or the part as a whole where none is listed."""
    missing, fields = data[0], tuple(dict.fromkeys(one.field for one in data))
    # What is said nowhere to be not listed, as radiators, is a fact like any other.
    is_listed = _is_listed(missing, report) or _section(missing) not in SECTIONS.values()
    subject = report.graph.subjects.get(missing.subject)
    part = missing.part if (is_listed and subject is not None and subject.part is not None) else ""
    return MissingAnswer(
        subject=missing.subject,
        part=part,
        fields=fields if is_listed else (),
        paste=paste_line(report, missing.subject, dict.fromkeys(fields, TO_FILL_IN)),
        checks=len(rules),
        errors=sum(f.severity == "error" for f in rules.values()),
        rules=tuple(rules),
        is_listed=is_listed,
        narrows=all(one.narrows for one in data),
    )


def _chosen(findings: list[Finding], report: Report) -> MissingAnswer:
    """The part to choose of those that a name could mean, or what to say of it."""
    tried = [f.tried for f in findings if f.tried]
    subject = report.graph.subjects[tried[0].subject]
    missing = Missing(subject.id, subject.name, "", narrows=True)
    row = _answer([missing], {f.rule.id: f for f in findings}, report)
    fields = tuple(dict.fromkeys(name for t in tried for name in t.fields))
    decisive = [f for f in findings if f.severity == "error"] or findings
    paste = paste_line(report, subject.id, dict.fromkeys(fields, TO_FILL_IN))
    return replace(row, fields=fields, paste=paste, choice=choice_answer(decisive, report))


def usual_answers(
    finding: Finding, report: Report, *, detail: bool = False
) -> tuple[UsualAnswer, ...]:
    """The lines of a build file that would turn a likely finding into a certain one."""
    found: dict[str, UsualAnswer] = {}
    for (name, subject_id), fact in finding.usual.items():
        if len(found) == _MOST_ASKED and not detail:
            break
        subject, section = report.graph.subjects[subject_id], subject_id.partition("[")[0]
        if section not in Build.model_fields:
            continue
        apart = subject.facts.get(_APART.get(field_of(name), ""))
        shorter = apart if apart is not None and apart.is_usual else fact
        field = _APART[field_of(name)] if shorter is not fact else field_of(name)
        line = paste_line(report, subject_id, {field: pasted(shorter.value, shape_of(name))})
        found.setdefault(line, UsualAnswer(line, shorter.note or shorter.source.title))
    return tuple(found.values())


def paste_line(report: Report, subject_id: str, fields: Mapping[str, Any]) -> str:
    """A section as the build file has it, with these fields of a subject of it.

    `...` is for the reader to fill in, a range to narrow; a comment says how values are written.
    """
    section, subject = subject_id.partition("[")[0], report.graph.subjects.get(subject_id)
    unknown = [name for name, value in fields.items() if value == TO_FILL_IN]
    if section == "build":
        line, model = flow({**fields})[1:-1], Build
    elif section not in NO_PARTS and subject and not subject.listed:
        taken = [f"{fact_words(name)} {used}" for name, used in needs(report, section).items()]
        return f"{section}: {TO_FILL_IN}  # " + ", ".join(["maker and model", *taken])
    else:
        model = model_at((section, ""), Build)
        line = f"{section}: {_with(report, section, subject, fields)}"
    kind = SECTION_KIND.get(section, section)
    infos = {name: model.model_fields.get(name) for name in unknown}
    slots = subject.value("slots") if subject else None
    own = {"slot_positions": flow({s.label: TO_FILL_IN for s in slots})} if slots else {}
    forms = {name: own.get(name) or form(kind, name, info) for name, info in infos.items() if info}
    shown = ", ".join(f"{n}: {said}" for n, said in forms.items() if said != TO_FILL_IN)
    return line + f"  # as {shown}" * bool(shown)


def _with(report: Report, section: str, subject: Subject | None, fields: Mapping[str, Any]) -> str:
    """What the build file has of a section, with further fields of a subject, in one line."""
    written = report.document.data.get(section, [])
    if subject and subject.path[:1] == ("case",) != (section,):
        # It comes with the case: then the entry names it, as many as there are.
        count = sum(one.path == subject.path for one in report.graph.of(subject.kind))
        written = {"part": subject.name, "count": count}
    is_list = isinstance(written, list) and section in LISTS
    entries = [*written] if is_list else [written]
    index = int(subject.path[1]) if is_list and subject and subject.path[1:] else 0
    entry = _entry(section, *entries[index : index + 1])
    kept = {n: entry.get(n, value) if value == TO_FILL_IN else value for n, value in fields.items()}
    entries[index : index + 1] = [entry | kept]
    return flow(entries[0] if len(entries) == 1 else entries)


def _entry(section: str, item: Any = ()) -> dict[str, Any]:
    """An entry of a section as a mapping; words that name a part stay as they are written."""
    if isinstance(item, str) and section in SECTION_KIND:
        return {"part": item}
    found = item if isinstance(item, dict) else spelt_out({section: item}).get(section, {})
    return dict(found[0] if isinstance(found, list) and found else found or {})
