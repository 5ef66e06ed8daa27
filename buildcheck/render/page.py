"""A report as one self-contained HTML page, drawn from `templates/`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from buildcheck.measure import field_shapes, shape_of
from buildcheck.model.quantity import Interval, show
from buildcheck.render.data import drive_rows, power_rows, slot_rows
from buildcheck.render.drawing import slot_map
from buildcheck.render.html import html
from buildcheck.render.view import (
    budgets,
    defaults,
    grouped,
    needs,
    not_checked,
    report_notices,
    tally,
    waits,
)
from buildcheck.units import UNITS
from buildcheck.wording import label, show_value

if TYPE_CHECKING:
    from buildcheck.model.finding import Report
    from buildcheck.model.graph import Subject

#: Subjects whose values are shown, in the order people list them; the rest are standards.
_SHOWN = (
    *("gpu", "cpu", "motherboard", "cooler", "module", "psu", "case", "storage", "riser"),
    *("addin", "cable", "bridge", "ups", "cooling", "firmware", "circuit", "workload", "network"),
)


def page(report: Report) -> str:
    """The page's text; the same report gives the same bytes."""
    return html(
        "report.html.j2",
        styles=("css/report.css",),
        scripts=(),
        needs=lambda missing: needs(missing, report),
        shown=lambda used: show_value(used.value, shape_of(used.name)),
        fact=lambda subject, name: _fact(report, subject, name),
        span=_span,
        report=report,
        budgets=budgets(report),
        drives=drive_rows(report),
        power=power_rows(report),
        groups=grouped(report, "fail"),
        waits=waits(report),
        unknown=grouped(report, "unknown"),
        waived=grouped(report, "waived"),
        passed=grouped(report, "pass"),
        skipped=sorted({f.rule.id for f in report.findings if f.verdict == "not-applicable"}),
        parts=_tables(report),
        map=slot_map(report),
        seats=slot_rows(report),
        defaults=defaults(report),
        not_checked=not_checked(),
        tally=tally(report),
        notices=report_notices(report),
    )


def _span(ends: dict[str, Any], unit: str) -> str:
    """The ends of a range as they stand in the JSON, for a cell of a table."""
    low, high = ends.get("low"), ends.get("high")
    if low is None or (high is None and low <= 0):
        return "not known"
    return show(Interval(low, math.inf if high is None else high), UNITS[unit][1])


def _fact(report: Report, subject: str, name: str) -> str:
    """One fact of one subject, for a cell of a table."""
    return show_value(report.facts(name, report.graph.subjects[subject]), shape_of(name))


def _tables(report: Report) -> list[dict[str, Any]]:
    """One table per part: every value with its source; equal parts share one."""
    tables: dict[tuple[Any, ...], dict[str, Any]] = {}
    for kind in _SHOWN:
        for subject in report.graph.of(kind):
            key = (subject.kind, subject.path, subject.name)
            table = tables.setdefault(
                key,
                {
                    "name": subject.name,
                    "kind": subject.kind,
                    "subjects": [],
                    "rows": _rows(subject),
                    "listed": subject.listed,
                    "part": subject.part,
                    "unknown": _unknown(subject),
                },
            )
            table["subjects"].append(subject.id)
    return [t for t in tables.values() if t["listed"] or t["rows"]]


def _rows(subject: Subject) -> list[dict[str, Any]]:
    shapes = field_shapes(subject.kind)
    rows = []
    for name, sourced in sorted(subject.facts.items()):
        rows.append(
            {
                "name": label(name),
                "value": _value(sourced.value, shapes.get(name)),
                "sourced": sourced,
            }
        )
    return rows


def _value(value: Any, shape: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{show_value(n, None)}× {c}" for c, n in value.items()) or "none"
    if isinstance(value, tuple):
        return f"{len(value)} entries"
    return show_value(value, shape)


def _unknown(subject: Subject) -> list[str]:
    return [
        label(n)
        for n, shape in field_shapes(subject.kind).items()
        if n not in subject.facts and shape != "data"
    ]
