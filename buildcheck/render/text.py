"""A report as text for a terminal. State is said in words; colour only repeats it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.measure import shape_of
from buildcheck.render.terminal import plain, wrapped
from buildcheck.render.view import (
    Group,
    budgets,
    defaults,
    grouped,
    needs,
    not_checked,
    own_values,
    tally,
    waits,
)
from buildcheck.wording import label, show_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from buildcheck.model.finding import Report

    Paint = Callable[[str, str], str]

_COLOURS = {
    "error": "31",
    "warning": "33",
    "note": "36",
    "unknown": "35",
    "pass": "32",
    "fail": "31",
    "waived": "2",
}
_ANSWERS = {
    "pass": "passes: nothing found that stops this build",
    "fail": "fails: at least one thing will not work, is unsafe or breaks a standard",
    "unknown": "cannot be judged: data are missing that could decide it",
}


def text(report: Report, *, colour: bool, verbose: bool) -> str:
    """All findings that are not a pass, the counts, and what is not checked."""
    paint = _painter(colour=colour)
    lines = [plain(f"{report.document.path}: {report.name}"), ""]
    for group in grouped(report, "fail", *(("unknown",) if verbose else ()), "waived"):
        lines += _group(group, report, paint)
    if not verbose:
        lines += _waits(report, paint)
    if verbose:
        lines += [
            f"{paint('pass', 'pass')}     {g.finding.rule.id}  {g.subject}: {g.finding.message}"
            for g in grouped(report, "pass")
        ]
        lines += [""] * bool(lines[-1])
    for budget in budgets(report):
        share = f" ({budget.share})" if budget.share else ""
        found = f", {paint(budget.found, budget.found)}" if budget.found else ""
        lines.append(f"{budget.what}: {budget.used} of {budget.there_is}{share}{found}")
    lines += [
        "",
        f"Findings, each part counted: {tally(report)}",
        f"{paint(report.verdict.upper(), report.verdict)}: this build {_ANSWERS[report.verdict]}.",
        "",
        "Taken for what the build file leaves out:",
        *(line for s, words in defaults(report) for line in _wrapped(f"{s}: {words}")),
        *(["", "From part files of your own:"] if own_values(report) else []),
        *(
            line
            for path, v in own_values(report).items()
            for line in _wrapped(f"{path}: {', '.join(v)}")
        ),
        "",
        "Not checked:",
    ]
    lines += [f"  - {item}" for item in not_checked()]
    return "\n".join(lines) + "\n"


def _painter(*, colour: bool) -> Paint:
    def paint(words: str, state: str) -> str:
        return f"\033[{_COLOURS[state]}m{words}\033[0m" if colour else words

    return paint


def _group(group: Group, report: Report, paint: Paint) -> list[str]:
    finding = group.finding
    state = finding.severity if finding.verdict == "fail" else finding.verdict
    grade = f" ({finding.severity} if it fails)" if finding.verdict == "unknown" else ""
    lines = [
        f"{paint(f'{state:8}', state)} {finding.rule.id}  {group.subject}{grade}",
        *_wrapped(f"{finding.rule.title}: {group.message}."),
    ]
    for number in finding.numbers:
        if number.sum_of and finding.verdict == "fail":
            shown = show_value(number.value, shape_of(number.name))
            lines += _wrapped(f"where {label(number.name)} {shown} comes from {number.sum_of}")
    first, *others = group.places
    places = [f"{first.path}:{first.line}:{first.column} ({first.label})"]
    places += [f"line {p.line} ({p.label})" for p in others]
    lines += _wrapped(f"at {', '.join(places)}")
    if finding.verdict == "unknown":
        lines += [line for m in group.missing for line in _wrapped(f"to know: {needs(m, report)}")]
    elif finding.waived:
        lines += _wrapped(f"waived until {finding.waived.until}: {finding.waived.because}")
    else:
        lines += _wrapped(f"do: {finding.rule.remedy}")
    return [*lines, ""]


def _waits(report: Report, paint: Paint) -> list[str]:
    """What could not be judged, by what it waits for."""
    lines: list[str] = []
    for wait in waits(report):
        rules = ", ".join(f"{rule} ({severity})" for rule, severity in wait.rules.items())
        lines += [
            f"{paint('unknown ', 'unknown')} {plain(wait.how)}",
            *_wrapped(f"then judged: {rules}"),
            "",
        ]
    return lines


def _wrapped(words: str) -> list[str]:
    return wrapped(words, 4)
