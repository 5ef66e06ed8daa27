"""Why a build cannot stand: which of its choices, by which rules, and every way out."""

from contextlib import suppress

from buildcheck.configure.common import phrase, unjudged
from buildcheck.configure.repair.repair import repairs_of, search_for
from buildcheck.configure.stopping import StoppedError
from buildcheck.configure.trial import Trial, Trials
from buildcheck.configure.why import answer as answers
from buildcheck.configure.why.openings import Chosen, Openings
from buildcheck.judge import spread
from buildcheck.load.price_list import price_book
from buildcheck.model.finding import Finding
from buildcheck.model.graph import by_key
from buildcheck.model.rate import Rates

Failed = dict[str, list[Finding]]


def why_build(trials: Trials, raw: bytes, rates: Rates | None = None) -> answers.WhyAnswer:
    """What conflicts in a judged build file, and the repairs that resolve it."""
    report, base = trials.report, trials.of(trials.data)
    failed = by_key((finding.rule.id, finding) for finding in report.failing)
    # What does not make the machine fail is not about the choices: a waiver, or a record.
    about = {r: f for r, f in failed.items() if base and r in base.verdict.failed}
    conflicts, unexplained = _conflicts(base, about) if base else ([], [])
    conflicts += [_of_record(found) for rule, found in failed.items() if rule not in about]
    search = None if unexplained else search_for(trials)
    ways = []
    for one in repairs_of(search, raw, price_book(trials.catalog, rates=rates)) if search else ():
        values = {change.path: change.value for change in one.changes}
        prices = (one.cost.money,) if one.cost.buys and one.cost.money else ()
        ways.append(answers.WayOut(one.actions, ", ".join(values), values, prices))
    unknown = unjudged(report)
    return answers.WhyAnswer(
        name=" ".join(report.name.split()),
        of="build",
        possible=not failed,
        conflicts=tuple(sorted(conflicts, key=lambda c: len(c.members))),
        ways_out=tuple(ways),
        complete=not failed,
        summary=None if failed else phrase("nothing-known" if unknown else "nothing-in-the-way"),
        unknown=unknown,
        stopped=bool(unexplained or (search and search.stopped)),
        is_likely=report.verdict == "likely-fail",
        unexplained=tuple(unexplained),
    )


def _conflicts(base: Trial, failed: Failed) -> tuple[list[answers.ConflictAnswer], list[str]]:
    """A conflict for each rule, and the rules that were not looked at if it is stopped."""
    openings, left = Openings(base), list(failed)
    known: dict[tuple[Chosen, ...], list[str]] = {}
    rest_kept = set()
    with suppress(StoppedError):
        while left:
            conflict, little = openings.conflict(left[0])
            known.setdefault(conflict, []).append(left.pop(0))
            rest_kept |= {conflict} if little else set()
    explained = [
        answers.ConflictAnswer(
            members=answers.conflict_members(conflict),
            rules=tuple(_broken(failed[rule]) for rule in rules),
            certain=True,
            rest_kept=conflict in rest_kept,
        )
        for conflict, rules in known.items()
    ]
    return explained, left


def _broken(findings: list[Finding]) -> answers.BrokenRule:
    first, subjects = findings[0], tuple(f.subject for f in findings)
    return answers.BrokenRule(first.rule.id, first.title, first.message, subjects)


def _of_record(findings: list[Finding]) -> answers.ConflictAnswer:
    """What a rule refuses that is not about the machine."""
    members = [
        answers.ConflictMember(phrase("record", name=finding.subject_name), subject, None)
        for finding in findings
        for subject in spread(finding.subject)
    ]
    return answers.ConflictAnswer(tuple(members), (_broken(findings),), certain=True)
