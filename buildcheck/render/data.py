"""A report as JSON: the contract other programs rely on. Changes only add."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from buildcheck import __version__
from buildcheck.facts import FACTS
from buildcheck.measure import unit_of
from buildcheck.model.finding import VERDICTS
from buildcheck.model.quantity import Interval
from buildcheck.render.view import budgets, defaults, needs, not_checked, rank

if TYPE_CHECKING:
    from buildcheck.errors import Problem
    from buildcheck.model.finding import Finding, Report

FORMAT_VERSION = "1.0"


def document(reports: list[Report]) -> str:
    """The JSON text for one or several builds."""
    first = reports[0]
    data = {
        "format_version": FORMAT_VERSION,
        "tool": {
            "name": "buildcheck",
            "version": first.version,
            "rulebook": first.rulebook_digest,
            "catalog": first.catalog_digest,
        },
        "builds": [_build(r) for r in reports],
    }
    return json.dumps(data, indent=2, allow_nan=False) + "\n"


def errors(problems: list[Problem]) -> str:
    """The JSON text when nothing could be judged."""
    found = [
        {
            "path": p.path,
            "line": p.line,
            "column": p.column,
            "message": p.message,
            "suggestion": p.suggestion,
        }
        for p in problems
    ]
    return (
        json.dumps(
            {
                "format_version": FORMAT_VERSION,
                "tool": {"name": "buildcheck", "version": __version__},
                "errors": found,
            },
            indent=2,
        )
        + "\n"
    )


def _build(report: Report) -> dict[str, Any]:
    return {
        "file": report.document.path,
        "name": report.name,
        "verdict": report.verdict,
        "checked": report.checked,
        "counts": {v: report.counts.get(v, 0) for v in sorted(VERDICTS)},
        "findings": [_finding(f, report) for f in sorted(report.findings, key=rank)],
        "placement": {"slots": slot_rows(report), "cables": cable_rows(report)},
        "budgets": [vars(b) for b in budgets(report)],
        "facts": _facts(report),
        "parts": _parts(report),
        "defaults": dict(defaults(report)),
        "not_checked": not_checked(),
    }


def value_data(value: Any) -> dict[str, Any]:
    """`value` when it is one number (or truth or code), and the ends of a range."""
    if isinstance(value, Interval):
        ends = [None if math.isinf(end) else round(end, 6) for end in (value.low, value.high)]
        return {"value": ends[0] if value.is_exact else None, "low": ends[0], "high": ends[1]}
    return {"value": sorted(value) if isinstance(value, frozenset) else value}


def _finding(finding: Finding, report: Report) -> dict[str, Any]:
    rule, waiver = finding.rule, finding.waived
    return {
        "rule": rule.id,
        "severity": finding.severity,
        "verdict": finding.verdict,
        "subject": finding.subject,
        "subject_name": finding.subject_name,
        "title": rule.title,
        "message": finding.message,
        "limit_why": finding.grade.why,
        "numbers": [
            {
                "name": n.name,
                "subject": n.subject,
                **value_data(n.value),
                "unit": n.unit,
                "trail": n.trail,
            }
            for n in finding.numbers
        ],
        "places": [
            {"path": p.path, "line": p.line, "column": p.column, "label": p.label}
            for p in finding.places
        ],
        "missing": [
            {"subject": m.subject, "part": m.part, "field": m.field, "how": needs(m, report)}
            for m in finding.missing
        ],
        "impact": rule.impact,
        "remedy": rule.remedy,
        "basis": rule.basis,
        "sources": [
            {"title": s["title"], "url": s.get("url", s.get("document", ""))}
            for s in rule.sources.values()
        ],
        "waived": {"because": waiver.because, "until": waiver.until.isoformat()}
        if waiver
        else None,
    }


def slot_rows(report: Report) -> list[dict[str, Any]]:
    """Where each card sits, one row per card."""
    rows = []
    graph, facts = report.graph, report.facts
    for card in graph.of("gpu"):
        seats = graph.out("seated", card)
        seat = seats[0].data if seats else {}
        below = graph.out("above", card)
        lanes, gen, gap = (
            facts("gpu.link_lanes", card),
            facts("gpu.link_gen", card),
            facts("gpu.gap", card),
        )
        rows.append(
            {
                "slot": seat.get("slot"),
                "position": seat.get("position"),
                "card": card.id,
                "name": card.name,
                "lanes": int(lanes.low) if lanes and lanes.is_exact else None,
                "gen": int(gen.low) if gen and gen.is_exact else None,
                "owner": seat.get("owner"),
                "next_card": below[0].end if below else None,
                "gap_mm": round(gap.low, 1) if gap.is_exact else None,
                "gap_range_mm": [round(gap.low, 1), round(gap.high, 1)] if gap.is_known else None,
            }
        )
    return rows


def cable_rows(report: Report) -> list[dict[str, Any]]:
    """Which supply feeds which card by what, one row per card."""
    rows = []
    for edge in report.graph.edges:
        if edge.kind == "cabled" and edge.end.startswith("gpus"):
            watts = report.facts("gpu.cable_power", report.graph.subjects[edge.end])
            rows.append(
                {
                    "psu": edge.start,
                    "output": edge.data["output"],
                    "feeds": edge.end,
                    "watts": round(watts.high, 1) if watts.is_exact else None,
                    "range_watts": value_data(watts),
                }
            )
    return rows


def _facts(report: Report) -> dict[str, Any]:
    """Every declared fact of every subject, and the fields that were asked for."""
    for fact in FACTS.values():
        for subject in report.graph.of(fact.of):
            report.facts(fact.name, subject)
    rows = {}
    for (name, subject_id), value in sorted(report.facts.known().items()):
        if isinstance(value, (Interval, bool, str, frozenset)):
            kind, _, rest = name.partition(".")
            key = name if subject_id == kind else f"{subject_id}.{rest}"
            rows[key] = {**value_data(value), "unit": unit_of(name)}
    return rows


def _parts(report: Report) -> list[dict[str, Any]]:
    around = ("circuit", "workload", "network", "build")
    return [
        {
            "subject": subject.id,
            "name": subject.name,
            "part": subject.part,
            "listed": subject.listed,
            "count": subject.count,
        }
        for subject in report.graph.subjects.values()
        if subject.path and subject.kind not in around
    ]
