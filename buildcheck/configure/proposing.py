"""The machine a search found → a build file with prices, judged as `validate` judges it."""

import datetime
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

from buildcheck.configure.answer import Proposal, ProposedBuild, ProposedPart
from buildcheck.configure.common import FindingBrief, brief_finding, brief_findings
from buildcheck.configure.engine import SearchProblem
from buildcheck.configure.search.classes import ROLES
from buildcheck.configure.search.space import Option
from buildcheck.edit.text import new_file
from buildcheck.model.answer import Amount
from buildcheck.model.build import SECTION_KIND, SINGLES
from buildcheck.model.finding import FAILING, RECORDS, TROUBLES, Finding, Report
from buildcheck.model.part import CONFIDENCE
from buildcheck.report.budgets import budget_answers
from buildcheck.report.limits import limit_speeds
from buildcheck.report.placement import placement_answer
from buildcheck.rulebook.proposals import proposals

#: What a proposal is called in messages.
PATH = "proposal.yaml"
#: Keys of the power limit of a GPU.
LIMIT = ("power_limit", "limit_at_boot")
#: No name of a build is longer.
LONGEST = 100


class DisagreementError(RuntimeError):
    """The search lets a build pass that `validate` does not: a bug, never shown as an answer."""


def propose(problem: SearchProblem, machine: dict[str, Option], *, strict: bool) -> Proposal:
    """The build of a machine with its prices, judged. Raises `DisagreementError` if it fails.

    Strict, it has to be known to pass, and is the last that was found.
    """
    reads = problem.law.reads(machine)
    chosen = [
        one
        for role in ROLES
        if role in machine and not machine[role].given
        for one in _lines(problem, role, machine[role], {n for r, n in reads if r == role})
    ]
    data = data_of(problem, machine)
    text = new_file(data)
    report = problem.engine.judging.check(text, PATH)
    if report.verdict == "fail" or (strict and not report.passes):
        bad = report.errors(*TROUBLES) if strict else report.errors("fail")
        wrong = {f"{f.rule.id} {f.subject}" for f in bad}
        raise DisagreementError(f"validate does not let it pass: {sorted(wrong)}\n{text.decode()}")
    days = [one.each.as_of for one in chosen if one.each and one.each.as_of]
    total = sum((c.each.amount * c.count for c in chosen if c.each), start=Decimal(0))
    # What it draws under sustained load, and what its PSUs have left then, in W.
    power = report.facts.number("build.train_load", report.graph.the("build")).high
    psus = report.graph.of("psu")
    rated = sum(report.facts.number("psu.rated_power", psu).low for psu in psus)
    found = {"power": round(power, 3), "headroom": round(rated - power, 3)}
    measures = problem.objective(machine) | found
    price = Amount(total, problem.currency, min(days, default=None))
    made = Proposal(
        **described(report, price.as_of),
        price=price,
        newest_price=max(days, default=None),
        parts=tuple(chosen),
        is_limited=any(one.power_limit for one in chosen) or bool(machine["gpus"].settings),
        measures={n: v if math.isfinite(v) else None for n, v in measures.items()},
        build=data,
        text=text.decode(),
    )
    problem.incumbent = made if strict else problem.incumbent
    return made


def limited_by(problem: SearchProblem, build: ProposedBuild) -> tuple[FindingBrief, ...]:
    """What stands against a build at the default limits of its cards, and not as it is.

    Each rule once: errors, what could be one for want of data, and to the careful warnings, also
    those that are likely.
    """
    if not build.is_limited:
        return ()
    cards = [{n: v for n, v in c.items() if n not in LIMIT} for c in build.build["gpus"]]
    text = new_file({**build.build, "gpus": cards})
    free = problem.engine.judging.check(text, PATH)
    there = {(f.rule, f.severity, f.verdict) for f in build.findings}
    careful = problem.wish.careful is not False
    found: dict[str, Finding] = {}
    for one in free.findings:
        is_warning = careful and one.severity == "warning" and one.verdict in FAILING
        is_error = one.severity == "error" and one.verdict in TROUBLES
        if (is_warning or is_error) and (one.rule.id, one.severity, one.verdict) not in there:
            found.setdefault(one.rule.id, one)
    order = ("error", "warning")
    worst = sorted(found.values(), key=lambda f: (f.verdict != "fail", order.index(f.severity)))
    return tuple(map(brief_finding, worst))


def data_of(problem: SearchProblem, machine: dict[str, Option]) -> dict[str, Any]:
    """The plain data of a build with the parts of a machine."""
    data = {"name": problem.data.get("name") or _name(problem, machine)}
    for role in ROLES:
        option = machine.get(role)
        if option is None or option.given:
            if role in problem.data:
                data[role] = own = problem.data[role]
                if option and (more := option.settings):
                    data[role] = [{**entry, **more.get(n, {})} for n, entry in enumerate(own)]
            continue
        entries = [_entry(problem, role, unit) for unit in option.units]
        data[role] = entries[0] if role in SINGLES else entries
    return data | {n: v for n, v in problem.data.items() if n not in data}


def _entry(problem: SearchProblem, role: str, unit: Any) -> dict[str, Any]:
    part = unit.sort.part
    listed = problem.book.of(part)
    price = {}
    if listed:
        price = {"each": f"{listed.amount} {listed.currency}"}
        if listed.as_of:
            price["date"] = listed.as_of.isoformat()
    name = problem.engine.catalog.called(SECTION_KIND[role], part)
    return {**unit.entry(name), **({"price": price} if price else {})}


def _name(problem: SearchProblem, machine: dict[str, Option]) -> str:
    names, units = problem.engine.catalog.index, machine["gpus"].units
    named = ((unit.number, names.name(unit.sort.part)) for unit in units)
    name = " and ".join(f"{count}x {name}" for count, name in named) or "proposal"
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 3]}..."


def _lines(
    problem: SearchProblem, role: str, option: Option, reads: set[str]
) -> Iterator[ProposedPart]:
    for unit in option.units:
        part = problem.engine.catalog.part(unit.sort.part)
        listed = problem.book.of(part.id)
        each = Amount(listed.amount, listed.currency, listed.as_of) if listed else None
        read = ((n, part.facts[n].confidence) for n in sorted(reads) if n in part.facts)
        level, facts = weakest(list(read))
        yield ProposedPart(
            section=role,
            part=part.id,
            name=" ".join(part.name.split()),
            count=unit.number,
            each=each,
            total=each and replace(each, amount=each.amount * unit.number),
            doubt=listed.doubt if listed else "",
            equivalent=tuple(m.part for m in unit.sort.members[1:]),
            weakest=level,
            weakest_facts=facts,
            power_limit=next((text for n, text, _ in unit.settings if n == LIMIT[0]), None),
        )


def described(report: Report, oldest: datetime.date | None) -> dict[str, Any]:
    """What an answer says of a build by its report, with the day of its oldest price."""
    graph, findings = report.graph, report.findings
    adapters = Counter(a.name for card in graph.of("gpu") for a in graph.ends("adapter", card))
    # Those about records, such as old prices, no choice fixes.
    warns = [f for f in findings if f.severity == "warning" and f.rule.applies_to not in RECORDS]
    warnings, unjudged = (
        tuple(dict.fromkeys(f.rule.id for f in warns if f.verdict.endswith(verdict)))
        for verdict in ("fail", "unknown")
    )
    age = (datetime.date.fromisoformat(report.checked) - oldest).days if oldest else 0
    return {
        "report": report,
        "name": " ".join(report.name.split()),
        "verdict": report.verdict,
        "counts": dict(Counter(f.severity if f.verdict == "fail" else f.verdict for f in findings)),
        "price_age": age if age > proposals().price_age else None,
        "not_priced": dict(adapters),
        "findings": brief_findings(report, *TROUBLES, "waived"),
        "warnings": warnings,
        "unjudged_warnings": unjudged,
        "power_limits": limit_speeds(report),
        "placement": placement_answer(report),
        "budgets": budget_answers(report),
    }


def weakest(facts: list[tuple[str, str]]) -> tuple[str | None, tuple[str, ...]]:
    """The least confidence among facts, and the facts of which that is so."""
    level = max((confidence for _, confidence in facts), key=CONFIDENCE.index, default=None)
    return level, tuple(name for name, confidence in facts if confidence == level)
