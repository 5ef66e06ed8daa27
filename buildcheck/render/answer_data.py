"""What a search answers, as JSON: the contract other programs rely on. Changes only add."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from buildcheck.render.answer_text import weakest
from buildcheck.render.cost import rates_data
from buildcheck.render.data import FORMAT_VERSION, document

if TYPE_CHECKING:
    import datetime
    from collections.abc import Iterable, Sequence

    from buildcheck.configure.answer import Answer, Chosen, Proof, Proposal
    from buildcheck.configure.pareto import Frontier
    from buildcheck.model.finding import Report


def answer_data(answer: Answer) -> dict[str, Any]:
    """An answer as plain data."""
    return {
        "format_version": FORMAT_VERSION,
        "wish": answer.wish.document.data,
        "solutions": [solution(p) for p in answer.solutions],
        "proof": proof_data(answer.proof),
        "seconds": round(answer.seconds, 3),
        "bare": solution(answer.bare) if answer.bare else None,
        "bare_proof": proof_data(answer.bare_proof) if answer.bare_proof else None,
        "unwarned_proof": proof_data(answer.unwarned) if answer.unwarned else None,
        "accepted": list(answer.accepted),
        "counts": answer.counts,
        "rates": rates_data(answer.wish.rates),
        "stopped": answer.stopped,
        "hopeful": solution(answer.hopeful) if answer.hopeful else None,
        "hopeful_proof": proof_data(answer.hopeful_proof) if answer.hopeful_proof else None,
        "wanting": [{"part": f.part, "field": f.field} for f in answer.wanting],
        "blocked": list(answer.blocked),
        "unmet": {section: list(rules) for section, rules in answer.unmet.items()},
        "unpriced": [asdict(one) for one in answer.unpriced],
        "worth_knowing": [
            {"part": f.part, "field": f.field, "rules": list(f.rules)} for f in answer.worth_knowing
        ],
    }


def completed_data(
    answer: Answer, changes: Iterable[tuple[Sequence[str | int], Any]], more: dict[str, Any]
) -> dict[str, Any]:
    """An answer with the changes of the build file, by their place in it, and `more`."""
    changed = [{"path": list(path), "value": value} for path, value in changes]
    return {**answer_data(answer), "changes": changed, **more}


def whole_data(report: Report) -> dict[str, Any]:
    """A build file that lacks nothing."""
    validated = validation(report)
    return {
        "format_version": FORMAT_VERSION,
        "missing": [],
        "solutions": [],
        "validation": validated,
    }


def conflict_data(conflicts: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """A build file whose parts cannot stand together; rules, and what they say."""
    told = [{"rule": rule, "message": message} for rule, message in conflicts]
    return {"format_version": FORMAT_VERSION, "solutions": [], "conflicts": told}


def frontier_data(frontier: Frontier) -> dict[str, Any]:
    """A frontier as plain data."""
    return {
        "format_version": FORMAT_VERSION,
        "wish": frontier.wish.document.data,
        "measures": list(frontier.measures),
        "solutions": [
            {"values": {m: _finite(p.value(m)) for m in frontier.measures}, **solution(p.proposal)}
            for p in frontier.points
        ],
        "proof": {
            "candidates": frontier.candidates,
            "excluded_by": frontier.excluded_by,
            "optimal": not frontier.stopped,
            "searches": frontier.searches,
            "unmeasured": frontier.unmeasured,
        },
        "seconds": round(frontier.seconds, 3),
        "counts": frontier.counts,
        "rates": rates_data(frontier.wish.rates),
        "stopped": frontier.stopped,
    }


def solution(proposal: Proposal) -> dict[str, Any]:
    """One build as plain data, with what `validate` says of it."""
    return {
        "build": proposal.data,
        "price": {
            "amount": proposal.price.figure,
            "currency": proposal.price.currency,
            "as_of": _day(proposal.as_of[0]) if proposal.as_of else None,
            "as_of_last": _day(proposal.as_of[1]) if proposal.as_of else None,
            "uncounted": proposal.uncounted,
        },
        "objective": {name: _finite(v) for name, v in proposal.objective.items()},
        "validation": validation(proposal.report),
        "chosen": [_chosen(one) for one in proposal.chosen],
        "unjudged_warnings": proposal.unjudged,
        "limited_by": [
            {
                "rule": f.rule.id,
                "state": f.severity if f.verdict == "fail" else f.verdict,
                "message": f.message,
            }
            for f in proposal.limited_by
        ],
        "text": proposal.text,
    }


def validation(report: Report) -> dict[str, Any]:
    """What `validate --format json` says."""
    found: dict[str, Any] = json.loads(document([report]))
    return found


def proof_data(proof: Proof) -> dict[str, Any]:
    """What became of every candidate, in exact numbers."""
    return {
        "candidates": proof.candidates,
        "excluded_by": proof.excluded_by,
        "optimal": proof.optimal,
        "bound": proof.bound,
        "needs": proof.needs,
        "not_better": proof.not_better,
        "found": proof.found,
        "unknown_by": proof.unknown_by,
    }


def _chosen(one: Chosen) -> dict[str, Any]:
    return {
        "section": one.section,
        "part": one.part,
        "name": one.name,
        "count": one.count,
        "each": one.each.figure if one.each else None,
        "currency": one.each.currency if one.each else None,
        "as_of": _day(one.as_of),
        "doubt": one.doubt,
        "like": list(one.like),
        "weakest": weakest(one)[0] or None,
        "rests_on": dict(one.rests_on),
        "power_limit": one.limit or None,
    }


def _finite(value: float) -> float | None:
    """A measure; None where a part draws nobody knows what."""
    return value if math.isfinite(value) else None


def _day(day: datetime.date | None) -> str | None:
    return day.isoformat() if day else None
