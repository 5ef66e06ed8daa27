"""A report as one self-contained HTML page, drawn from `templates/`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck.bill import MARKS, bill
from buildcheck.cost import cost
from buildcheck.measure import field_shapes, shape_of
from buildcheck.model.money import Money, Tariff
from buildcheck.render.beside_html import beside_words
from buildcheck.render.bill_html import STYLE, bill_words
from buildcheck.render.cost_html import cost_words
from buildcheck.render.drawings.bar import bar
from buildcheck.render.drawings.heat import temperatures
from buildcheck.render.drawings.lanes import lane_tree
from buildcheck.render.drawings.limit import limit_curves
from buildcheck.render.drawings.power import power_tree
from buildcheck.render.drawings.slots import slot_map
from buildcheck.render.fit_html import fit_words
from buildcheck.render.html import html
from buildcheck.render.scale_html import scale_words
from buildcheck.render.view import (
    budgets,
    defaults,
    fullest,
    grouped,
    needs,
    not_checked,
    own_values,
    report_notices,
    tally,
    waits,
)
from buildcheck.wording import label, show_value

if TYPE_CHECKING:
    from buildcheck.model.finding import Report
    from buildcheck.model.graph import Subject

#: Subjects whose values are shown, in the order people list them; the rest are standards.
_SHOWN = (
    *("gpu", "cpu", "motherboard", "cooler", "module", "psu", "case", "storage", "riser"),
    *("addin", "cable", "bridge", "ups", "cooling", "firmware", "circuit", "workload", "network"),
    "cost",
)


def page(report: Report) -> str:
    """The page's text; the same report gives the same bytes."""
    parts = bill(report)
    return html(
        "report.html.j2",
        report,
        **bill_words(parts),
        cost=cost_words(cost(report, parts)),
        speed=beside_words(report),
        scale=scale_words(report),
        fit=fit_words(report),
        styles=("css/report.css", "css/drawings.css", STYLE),
        scripts=("js/fold.js",),
        needs=lambda missing: needs(missing, report),
        shown=lambda used: show_value(used.value, shape_of(used.name)),
        fact=report.facts,
        said=lambda name: show_value(report.facts(name), shape_of(name)),
        budgets=[(b, bar(b)) for b in budgets(report)],
        groups=grouped(report, "fail"),
        waits=waits(report),
        fullest=fullest(report),
        unknown=grouped(report, "unknown"),
        waived=grouped(report, "waived"),
        passed=grouped(report, "pass"),
        skipped=sorted({f.rule.id for f in report.findings if f.verdict == "not-applicable"}),
        parts=_tables(report),
        slots=slot_map(report),
        power=power_tree(report),
        lanes=lane_tree(report),
        heat=temperatures(report),
        limit=limit_curves(report),
        marks=MARKS,
        defaults=defaults(report),
        not_checked=not_checked(),
        tally=tally(report),
        own_files=own_values(report),
        notices=report_notices(report),
    )


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
    if isinstance(value, (Money, Tariff)):
        return str(value)
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
