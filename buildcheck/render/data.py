"""A report as JSON: the contract other programs rely on. Changes only add."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck import __version__
from buildcheck.facts import FACTS
from buildcheck.measure import unit_of
from buildcheck.model.finding import VERDICTS
from buildcheck.model.quantity import ANYTHING, Interval, exact
from buildcheck.render.view import (
    Budget,
    budgets,
    defaults,
    needs,
    not_checked,
    own_values,
    rank,
    report_notices,
)

if TYPE_CHECKING:
    from buildcheck.errors import Problem
    from buildcheck.model.finding import Finding, Report
    from buildcheck.model.graph import Subject

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
        "digest": report.document.digest,
        "verdict": report.verdict,
        "checked": report.checked,
        "counts": {v: report.counts.get(v, 0) for v in sorted(VERDICTS)},
        "findings": [_finding(f, report) for f in sorted(report.findings, key=rank)],
        "placement": {
            "slots": slot_rows(report),
            "cables": cable_rows(report),
            "power": power_rows(report),
            "drives": drive_rows(report),
        },
        "budgets": [_budget(b) for b in budgets(report)],
        "facts": _facts(report),
        "parts": _parts(report),
        "defaults": dict(defaults(report)),
        "not_checked": not_checked(),
        "own_part_files": own_values(report),
        "notices": report_notices(report),
    }


def _budget(budget: Budget) -> dict[str, Any]:
    return {
        "what": budget.what,
        "used": budget.used,
        "there_is": budget.there_is,
        "share": budget.share,
        "state": budget.state,
        "finding": budget.found,
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
    """Where each card sits, GPUs first, one row per card."""
    rows = []
    graph, facts = report.graph, report.facts
    for card in (*graph.of("gpu"), *graph.of("addin")):
        seats = graph.out("seated", card)
        seat = seats[0].data if seats else {}
        below = graph.out("above", card)
        lanes, gen = facts(f"{card.kind}.link_lanes", card), facts(f"{card.kind}.link_gen", card)
        gap = facts("gpu.gap", card) if card.kind == "gpu" else ANYTHING
        rows.append(
            {
                "slot": seat.get("slot"),
                "position": seat.get("position"),
                "card": card.id,
                "kind": card.kind,
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


#: By what a card takes the power of its slot: the board's slot, or a riser with a plug.
SLOT, RISER = "slot", "plug of its riser"


def covered_openings(report: Report) -> dict[int, str]:
    """Bracket openings that a card in the board lies over, and which card it is."""
    found: dict[int, str] = {}
    for card in report.graph.of("gpu"):
        seats = report.graph.out("seated", card)
        first = seats[0].data["position"] if seats else None
        if first is None or report.facts("gpu.hangs", card):
            continue
        last = report.facts("gpu.last_opening", card)
        end = math.ceil(last.high) if last and last.is_known else first
        found |= dict.fromkeys(range(first, end + 1), card.id)
    return found


class PowerEdge(NamedTuple):
    """One connection from the wall to the cards, with what it carries for hours."""

    start: str
    end: str
    by: str
    watts: Interval
    amps: Interval | None


def power_edges(report: Report) -> list[PowerEdge]:
    """Every connection from the wall to the cards: mains first, then cables, then slots."""
    graph, facts = report.graph, report.facts
    edges: list[PowerEdge] = []
    for ups in graph.of("ups"):
        if ups.listed:
            load, current = facts("ups.load", ups), facts("ups.current", ups)
            edges.append(PowerEdge("site", ups.id, "plug of the UPS", load, current))
    for psu in graph.of("psu"):
        watts, amps = facts("psu.input_power", psu), facts("psu.input_current", psu)
        start = "ups" if graph.into("backs", psu) else "site"
        inlet = facts("psu.inlet", psu) or "mains cord"
        edges.append(PowerEdge(start, psu.id, inlet, watts, amps))
        if graph.out("runs", psu):
            # What cards take through their slots comes to the board by these cables.
            watts = facts("psu.system_power", psu) + facts.number("motherboard.card_slot_power")
            amps = _and(facts("psu.system_current", psu), _slot_current(report))
            edges.append(PowerEdge(psu.id, "motherboard", "board cables", watts, amps))
        for cable in graph.out("cabled", psu):
            card = graph.subjects[cable.end]
            if card.kind == "gpu":
                watts, amps = facts("gpu.cable_power", card), facts("gpu.cable_current", card)
                edges.append(PowerEdge(psu.id, card.id, cable.data["output"], watts, amps))
    for card in graph.of("gpu"):
        watts, amps = facts("gpu.slot_draw_now", card), facts("gpu.slot_current", card)
        board = facts("gpu.draws_from_board", card)
        if board is False:
            edges.append(PowerEdge(_riser_feeder(report, card), card.id, RISER, watts, amps))
        elif graph.out("seated", card):
            edges.append(PowerEdge("motherboard", card.id, SLOT, watts, amps))
    return edges


def _riser_feeder(report: Report, card: Subject) -> str:
    """The supply that the card's riser hangs on: that of all risers, else that of the card."""
    graph = report.graph
    every = {e.start for riser in graph.of("riser") for e in graph.into("powers", riser)}
    own = [e.start for e in graph.into("feeds", card)]
    return every.pop() if len(every) == 1 else own[0] if own else "psus[0]"


def _slot_current(report: Report) -> Interval | None:
    """Current through all slots that the board feeds, at 12 V."""
    slots: Interval | None = exact(0.0)
    for card in report.graph.of("gpu"):
        if report.facts("gpu.draws_from_board", card) is not False:
            slots = _and(slots, report.facts("gpu.slot_current", card))
    return slots


def _and(one: Interval | None, other: Interval | None) -> Interval | None:
    return None if one is None or other is None else one + other


def power_rows(report: Report) -> list[dict[str, Any]]:
    """The same as plain data."""
    return [
        {
            "from": e.start,
            "to": e.end,
            "by": e.by,
            "watts": value_data(e.watts),
            "amps": value_data(e.amps),
        }
        for e in power_edges(report)
    ]


def drive_rows(report: Report) -> list[dict[str, Any]]:
    """Which M.2 socket each drive is in; none where the board's are not known or taken."""
    plugged = [e for e in report.graph.edges if e.kind == "plugged"]
    names = report.graph.subjects
    return [
        {"drive": e.start, "name": names[e.start].name, "socket": e.data["socket"]} for e in plugged
    ]


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
    around = ("circuit", "workload", "network", "cost", "build")
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
