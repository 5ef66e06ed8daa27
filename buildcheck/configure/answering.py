"""What a search found → the answers of `configure` and `complete`."""

from __future__ import annotations

import datetime
import math
from collections import Counter
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from buildcheck.configure.answer import CompleteAnswer, ConfigureAnswer, ProposedBuild
from buildcheck.configure.common import brief_finding, brief_findings, file_change
from buildcheck.model.answer import Amount
from buildcheck.model.finding import TROUBLES
from buildcheck.report.budgets import budget_answers
from buildcheck.report.limits import limit_speeds
from buildcheck.report.placement import placement_answer
from buildcheck.rulebook.proposals import proposals

if TYPE_CHECKING:
    from collections.abc import Iterable

    from buildcheck.configure.completing import Completed
    from buildcheck.configure.pareto import Frontier
    from buildcheck.configure.result import Proposal, SearchResult
    from buildcheck.model.finding import Report

_GPUS = "gpus"


def configure_answer(found: SearchResult, name: str) -> ConfigureAnswer:
    """The answer of a search; `name` is what asked for it."""
    return _answer(
        found,
        name,
        builds=tuple(map(_build, found.solutions)),
        best=dict(found.wish.best),
        careful=found.wish.careful,
        with_warnings=_build(found.with_warnings) if found.with_warnings else None,
        optimistic=_build(found.optimistic) if found.optimistic else None,
    )


def _answer(found: SearchResult | Frontier, name: str, **made: Any) -> ConfigureAnswer:
    """An answer with what is `made` for it; it has the rest in the same words as what was found."""
    words = {f.name for f in fields(ConfigureAnswer)}
    return ConfigureAnswer(
        **{n: value for n, value in vars(found).items() if n in words}
        | made
        | {
            "name": name,
            "wish": found.wish.document.data,
            "rates": tuple(rate.text for rate in found.wish.rates.all),
            "seconds": round(found.seconds, 3),
        }
    )


def pareto_answer(found: Frontier, name: str) -> ConfigureAnswer:
    """The builds of a Pareto front, in the order of its first measure."""
    builds = []
    seen: dict[tuple[tuple[str, int], ...], set[tuple[str, int]]] = {}
    for point in found.points:
        chosen = {(one.part, one.count): one for one in point.chosen}
        gpus = tuple(key for key, one in chosen.items() if one.section == _GPUS)
        others = [one for key, one in chosen.items() if gpus in seen and key not in seen[gpus]]
        names = (o.name if o.count == 1 else f"{o.count}x {o.name}" for o in others)
        builds.append(_build(point, tuple(names)))
        seen.setdefault(gpus, set(chosen))
    return _answer(found, name, builds=tuple(builds))


def complete_answer(
    search: ConfigureAnswer, lacking: Iterable[str], given: int, done: Completed | None, diff: str
) -> CompleteAnswer:
    """What was added to a build file, if anything passes."""
    open_verdict = search.unproven.verdict if search.unproven else None
    return CompleteAnswer(
        file=search.name,
        verdict=done.report.verdict if done else open_verdict,
        missing=tuple(lacking),
        given=given,
        changes=tuple(map(file_change, done.changes)) if done else (),
        diff=diff,
        search=search,
    )


def _build(proposal: Proposal, apart: tuple[str, ...] = ()) -> ProposedBuild:
    report, days = proposal.report, proposal.as_of
    oldest = days[0] if days else None
    return ProposedBuild(
        name=" ".join(report.name.split()),
        verdict=report.verdict,
        price=Amount(proposal.price.amount, proposal.price.currency, oldest),
        parts=proposal.chosen,
        measures={n: v if math.isfinite(v) else None for n, v in proposal.objective.items()},
        counts=dict(_counted(report)),
        newest_price=days[1] if days else None,
        price_age=_age(report, oldest),
        not_priced=proposal.uncounted,
        findings=brief_findings(report, *TROUBLES, "waived"),
        warnings=tuple(dict.fromkeys(proposal.warnings)),
        unjudged_warnings=tuple(proposal.unjudged),
        limited_by=tuple(map(brief_finding, proposal.limited_by)),
        is_limited=proposal.is_limited,
        power_limits=limit_speeds(report),
        placement=placement_answer(report),
        budgets=budget_answers(report),
        apart=apart,
        build=proposal.data,
        text=proposal.text,
    )


def _counted(report: Report) -> Counter[str]:
    """Findings by severity where they fail, else by verdict."""
    return Counter(str(f.severity if f.verdict == "fail" else f.verdict) for f in report.findings)


def _age(report: Report, oldest: datetime.date | None) -> int | None:
    """Days since the oldest price, where quotes usually do not hold as long."""
    if oldest is None:
        return None
    age = (datetime.date.fromisoformat(report.checked) - oldest).days
    return age if age > proposals().price_age else None
