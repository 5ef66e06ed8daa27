"""What a search answers, as text for a terminal: builds, what they rest on, and the proof."""

from __future__ import annotations

import datetime
import math
import textwrap
from typing import TYPE_CHECKING

from buildcheck.model.money import Money
from buildcheck.model.part import CONFIDENCE
from buildcheck.model.quantity import exact, number_text, percent
from buildcheck.proposals import proposals
from buildcheck.render.data import cable_rows, slot_rows
from buildcheck.render.drawings.pen import amount
from buildcheck.render.proof_text import (
    SAY,
    UNITS,
    builds_text,
    count_text,
    excluded_lines,
    measure_words,
    nothing_lines,
    rounded,
)
from buildcheck.render.terminal import WIDTH, joined, plain, wrapped
from buildcheck.render.view import budgets, grouped, tally
from buildcheck.wording import span

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from buildcheck.configure.answer import Answer, Chosen, Proof, Proposal
    from buildcheck.model.finding import Report
    from buildcheck.model.rate import Rates

#: Facts named where many are meant.
_MOST_FACTS = 4
_Row = tuple[str, ...]
#: Power limits are told in tenths of the default, from here on.
_LEAST_TENTHS, _FINE = 6, 1e-6


# -- a whole answer ----------------------------------------------------------


def answer_text(answer: Answer, name: str, *, given: int = 0) -> str:
    """Builds, the best first, with their proof; `name` is what was asked for them.

    `given` is the number of parts that were there already.
    """
    lines = wrapped(SAY("headed", name=name, outcome=_outcome(answer)))
    several = len(answer.solutions) > 1
    for number, proposal in enumerate(answer.solutions, 1):
        lines += ["", f"{number}. {proposal.report.name}" if several else proposal.report.name, ""]
        lines += proposal_lines(proposal, given=given, rates=answer.wish.rates)
    lines += [
        "",
        *_unmet_lines(answer),
        *_bare_lines(answer),
        *_proof_lines(answer, given=given),
        *_hopeful_lines(answer),
    ]
    return joined(lines)


def _unmet_lines(answer: Answer) -> list[str]:
    """Where nothing passes: sections no priced part is known to do for, and others that would."""
    lines = []
    if answer.blocked:
        lines += wrapped(SAY("blocked", rules=", ".join(answer.blocked)))
    for section, rules in answer.unmet.items():
        lines += wrapped(SAY("unmet", section=section, rules=", ".join(rules)))
    if answer.unpriced:
        lines += wrapped(SAY("unpriced"))
        for one in answer.unpriced:
            others = SAY("unpriced_others", one.others) if one.others else ""
            row = SAY("unpriced_row", section=one.section, n=one.count, name=one.name, more=others)
            lines += wrapped(row, 2)
        lines += wrapped(SAY("unpriced_ask", currency=answer.currency))
    return [*lines, ""] if lines else []


def _bare_lines(answer: Answer) -> list[str]:
    """What the best costs of all that pass, where rules warn of it, and what sets it apart."""
    lines = []
    if answer.accepted and not answer.stopped:
        lines = [*wrapped(SAY("unwarned")), ""]
    warned = answer.solutions and answer.solutions[0].warnings
    if answer.stopped and warned and answer.wish.careful is None:
        lines = [*wrapped(SAY("unwarned_open")), ""]
    bare = answer.bare
    if bare is None:
        return lines
    best = answer.solutions[0]
    gain = "".join(
        SAY("bare_measure", value=rounded(bare.objective[n]), unit=UNITS[n], what=measure_words(n))
        for n in answer.wish.best
        if n != "price"
    )
    lines += wrapped(SAY("bare", money=bare.price, gain=gain, days=_of_days(bare)))
    lines += _other_parts(bare, best)
    for group in grouped(bare.report, "fail"):
        if group.finding.severity == "warning":
            rule = group.finding.rule
            lines += wrapped(SAY("bare_warned", rule=rule.id, title=rule.title), 2)
    return [*lines, *wrapped(SAY("bare_ask")), ""]


def _other_parts(proposal: Proposal, best: Proposal | None) -> list[str]:
    """The parts of a build, told apart from those of the best."""
    known = {(c.part, c.count, c.limit) for c in best.chosen} if best else set()
    lines = []
    for one in proposal.chosen:
        is_same = (one.part, one.count, one.limit) in known
        name = SAY("limited", name=one.name, limit=one.limit) if one.limit else one.name
        told = SAY("hope_same" if is_same else "hope_part", one.count, name=name)
        lines += wrapped(told, 2)
    return lines


def _outcome(answer: Answer) -> str:
    found = len(answer.solutions)
    if answer.stopped:
        so_far = SAY("best_so_far", found) if found else SAY("nothing_so_far")
        return SAY("stopped", so_far=so_far)
    if not found and answer.proof.needs:
        return SAY("over_budget", money=_money(answer.proof.needs, answer))
    if not found:
        return SAY("no_build_priced" if answer.unpriced else "no_build")
    few = SAY("few", asked=answer.asked) if found < answer.asked else ""
    aim = aim_words(answer.wish.best)
    if not (answer.accepted or answer.bare or answer.wish.careful):
        return SAY("found", found, aim=aim) + few
    open_ = sorted({rule for one in answer.solutions for rule in one.unjudged})
    waits = SAY("unjudged", len(open_), rules=", ".join(open_)) if open_ else ""
    if answer.accepted:
        return SAY("found_least", found, aim=aim, rules=", ".join(answer.accepted)) + waits + few
    rules = ", ".join(sorted({rule for one in answer.solutions for rule in one.warnings}))
    but = SAY("but_for", rules=rules) if rules else ""
    said = "found_unjudged" if open_ else "found_unwarned"
    return SAY(said, found, aim=aim, but=but) + waits + few


def aim_words(best: Mapping[str, float]) -> str:
    """What a build was to be best at."""
    if len(best) == 1:
        return SAY.table("aims")[next(iter(best))]
    weights = ", ".join(f"{measure_words(n)} {number_text(w)}" for n, w in best.items())
    return SAY("by_weights", weights=weights)


def whole_text(report: Report, path: str) -> str:
    """A build file that lacks nothing."""
    judged = SAY.table("whole_judged")[report.verdict]
    return joined(wrapped(SAY("whole", name=path, judged=judged)))


def conflict_text(conflicts: Sequence[tuple[str, str]], path: str) -> str:
    """A build file whose parts cannot stand together; rules, and what they say."""
    lines = wrapped(SAY("conflict", name=path))
    for rule, message in conflicts:
        row = SAY("conflict_row", rule=rule, message=message) if message else rule
        lines += wrapped(row, 2)
    told = any(message for _, message in conflicts)
    return joined([*lines, *(wrapped(SAY("conflict_why", name=path)) if told else [])])


# -- one build ---------------------------------------------------------------


def proposal_lines(proposal: Proposal, *, given: int = 0, rates: Rates | None = None) -> list[str]:
    """Parts with prices, total, measures, limits, placement, cables and the verdict."""
    lines = [*_parts(proposal.chosen), ""]
    lines += wrapped(SAY("total", money=proposal.price, days=_of_days(proposal)))
    lines += wrapped(SAY("rated", rates=rates.said)) if rates else []
    lines += wrapped(SAY("given", given)) if given else []
    for name, count in proposal.uncounted.items():
        lines += wrapped(SAY("uncounted", name=name, count=count))
    lines += wrapped(_measures(proposal.objective))
    lines += [line for words in limit_words(proposal.report) for line in wrapped(words)]
    lines += limited_lines(proposal)
    lines += ["", *placement_lines(proposal.report), ""]
    lines += _judged(proposal.report)
    return lines


def _parts(chosen: Sequence[Chosen]) -> list[str]:
    rows: list[_Row] = [tuple(SAY.table("columns").values())]
    for one in chosen:
        total = str(Money(one.each.amount * one.count, one.each.currency)) if one.each else "-"
        rows.append((str(one.count), one.name, str(one.each or "-"), total))
    widths = [max(len(row[n]) for row in rows) for n in range(4)]
    widths[1] = min(widths[1], WIDTH - widths[0] - widths[2] - widths[3] - 6)
    lines = _aligned(rows[0], widths)
    for one, row in zip(chosen, rows[1:], strict=True):
        lines += _aligned(row, widths)
        told = "; ".join(_said_of(one))
        lines += wrapped(told, widths[0] + 2) if told else []
    return lines


def _aligned(row: _Row, widths: list[int]) -> list[str]:
    count, name, each, total = row
    first, *rest = textwrap.wrap(plain(name), widths[1], break_on_hyphens=False) or [""]
    ends = f"{each.rjust(widths[2])}  {total.rjust(widths[3])}"
    head = f"{count.rjust(widths[0])}  {first.ljust(widths[1])}  {ends}"
    return [head, *(" " * (widths[0] + 2) + line for line in rest)]


def _said_of(one: Chosen) -> Iterator[str]:
    """The day and doubt of a price, the weakest facts, and parts that are the same to all rules."""
    if one.each:
        yield SAY("price_of", day=one.as_of) if one.as_of else SAY("price_undated")
    if one.doubt:
        yield SAY("price_doubted", doubt=one.doubt)
    level, names = weakest(one)
    if level:
        more = len(names) - _MOST_FACTS
        listed = ", ".join(n.replace("_", " ") for n in names[:_MOST_FACTS])
        listed += SAY("and_more", more) if more > 0 else ""
        yield SAY("rests_on", level=level, facts=listed)
    if one.like:
        yield SAY("same_to_rules", len(one.like))


def weakest(one: Chosen) -> tuple[str, list[str]]:
    """The least confidence of what a part was chosen by, and the facts of which that is so."""
    if not one.rests_on:
        return "", []
    level = max((c for _, c in one.rests_on), key=CONFIDENCE.index)
    return level, [name for name, confidence in one.rests_on if confidence == level]


def _of_days(proposal: Proposal) -> str:
    if proposal.as_of is None:
        return ""
    first, last = proposal.as_of
    days = SAY("of_days", first=first, last=last) if first != last else SAY("of_a_day", day=first)
    age = (datetime.date.fromisoformat(proposal.report.checked) - first).days
    return SAY("old_prices", days=days, age=age) if age > proposals().price_age else days


def _measures(objective: Mapping[str, float]) -> str:
    told = (
        SAY("measure", value=rounded(objective[n]), unit=unit, what=measure_words(n))
        if math.isfinite(objective[n])
        else SAY("measure_unknown", what=measure_words(n))
        for n, unit in UNITS.items()
        if unit and n in objective and n != "power"
    )
    return SAY("measured", measures=", ".join(told), watts=rounded(objective["power"]))


def limit_words(report: Report) -> list[str]:
    """What the power limits of cards are, what that costs in speed, and what others would."""
    found: dict[str, None] = {}
    facts = report.facts
    for card in report.graph.of("gpu"):
        held, default = facts("gpu.sustained_power", card), facts("gpu.board_power", card)
        if facts("gpu.power_limit", card) is None:
            words = SAY("at_default", card=card.name, watts=amount(default, "W"))
        else:
            speed = facts("gpu.limited_speed", card)
            kept = SAY("speed_kept", share=percent(speed)) if speed else SAY("speed_unknown")
            watts, full = amount(held, "W"), amount(default, "W")
            words = SAY("held", card=card.name, watts=watts, default=full, kept=kept)
        others = [
            f"{amount(s.watts, 'W')} ({percent(s.speed)})"
            for s in reversed(facts("gpu.limit_sweep", card) or ())
            if s.speed and _is_offered(s.share) and not (held and s.watts == held)
        ]
        choice = SAY("other_limits", limits=", ".join(others)) if others else ""
        found[f"{words}{choice}."] = None
    return list(found)


def limited_lines(proposal: Proposal) -> list[str]:
    """Which rules ask for the power limits that are proposed."""
    if not proposal.is_limited:
        return []
    if not proposal.limited_by:
        return wrapped(SAY("limited_by_none"))
    lines = [SAY("limited_by")]
    for finding in proposal.limited_by:
        state = finding.severity if finding.verdict == "fail" else finding.verdict
        rule = finding.rule
        lines += wrapped(SAY("finding", state=state, rule=rule.id, title=rule.title), 2)
    return lines


def _is_offered(share: float) -> bool:
    """Is it a tenth of the default, and none of the lowest?"""
    tenths = share * 10
    return _LEAST_TENTHS - _FINE <= tenths <= 9 + _FINE and abs(tenths - round(tenths)) < _FINE


def placement_lines(report: Report) -> list[str]:
    """Which card sits where, and which supply feeds it by what."""
    lines = [SAY("placement")] if slot_rows(report) else []
    for row in slot_rows(report):
        where = SAY("in_opening", position=row["position"])
        if row["slot"]:
            where = SAY("in_slot", slot=row["slot"])
        elif row["position"] is None:
            where = SAY("nowhere")
        link = SAY("lanes", lanes=row["lanes"]) if row["lanes"] else ""
        link += SAY("generation", gen=row["gen"]) if row["gen"] else ""
        by = SAY("of_owner", owner=row["owner"]) if row["owner"] else ""
        told = SAY("placed", card=row["card"], name=row["name"], where=where, link=link, by=by)
        lines += wrapped(told, 2)
    cables = cable_rows(report)
    lines += [SAY("cables")] if cables else []
    for row in cables:
        watts = amount(report.facts("gpu.cable_power", report.graph.subjects[row["feeds"]]), "W")
        told = SAY("cable", psu=row["psu"], card=row["feeds"], output=row["output"], watts=watts)
        lines += wrapped(told, 2)
    return lines


def _judged(report: Report) -> list[str]:
    lines = []
    for budget in budgets(report):
        share = f" ({budget.share})" if budget.share else ""
        told = SAY("budget", what=budget.what, used=budget.used, there_is=budget.there_is)
        lines += wrapped(told + share)
    said: dict[str, tuple[str, ...]] = {}
    for group in grouped(report, "fail", "unknown", "waived"):
        finding = group.finding
        state = finding.severity if finding.verdict == "fail" else finding.verdict
        words = SAY("finding", state=state, rule=finding.rule.id, title=finding.rule.title)
        said[words] = (*said.get(words, ()), *group.subjects)
    for words, subjects in said.items():
        lines += wrapped(f"{words} ({span(subjects)})")
    return [*lines, SAY("verdict", verdict=report.verdict.upper(), tally=tally(report))]


# -- proofs ------------------------------------------------------------------


def _proof_lines(answer: Answer, *, given: int = 0) -> list[str]:
    proof, solutions = answer.proof, answer.solutions
    if not proof.candidates:
        return nothing_lines(answer.counts, answer.currency)
    made = builds_text(proof.candidates)
    excluded = sum(proof.excluded_by.values())
    lines = wrapped(SAY("no_proof" if answer.stopped else "proof", builds=made))
    waiting = sum(proof.unknown_by.values())
    if waiting:
        share = percent(exact(waiting / proof.candidates))
        lines += wrapped(SAY("not_judged", number=count_text(waiting), share=share))
    if excluded:
        lines.append(SAY("excluded", number=count_text(excluded)))
        lines += excluded_lines(proof.excluded_by, proof.unknown_by)
    if answer.stopped:
        left = proof.not_better
        lines += wrapped(SAY("not_looked_at", number=count_text(left))) if left else []
        if set(answer.wish.best) == {"price"} and proof.bound:
            lines += wrapped(SAY("bound", money=_money(proof.bound, answer)))
    elif not solutions:
        for fact in answer.wanting:
            field = fact.field.replace("_", " ")
            lines += wrapped(SAY("wanting", field=field, part=fact.part, key=fact.field))
        sure = answer.is_hopeless or not proof.unknown_by
        lines += wrapped(SAY("none_left" if sure else "none_known", scope=SAY("scope")))
        # What stands in a build file is no wish.
        lines += wrapped(SAY("first_rule") if given else SAY("ask_why"))
    else:
        lines += wrapped(_kept(proof))
    return lines


def _kept(proof: Proof) -> str:
    same = SAY("same", number=count_text(proof.found)) if proof.found > 1 else ""
    left = SAY("no_better", number=count_text(proof.not_better)) if proof.not_better else ""
    return SAY("kept", same=same, left=left, scope=SAY("scope"))


def _money(value: float, answer: Answer) -> str:
    return f"{value:.2f} {answer.currency}"


def _hopeful_lines(answer: Answer) -> list[str]:
    """What it would cost if all that is unknown turned out well, and what to look up."""
    hope, proof = answer.hopeful, answer.hopeful_proof
    if proof is None or not proof.candidates:
        return []
    if not proof.optimal:
        what = SAY("hope_not_searched")
        if proof.bound and set(answer.wish.best) == {"price"}:
            what = SAY("hope_bound", money=_money(proof.bound, answer))
        return ["", *wrapped(what)]
    if hope is None:
        return ["", SAY("hope_none")]
    if not answer.worth_knowing:
        known = answer.solutions and SAY("hope_no_better")
        return ["", *wrapped(known or SAY("hope_all", money=hope.price))]
    lines = ["", *wrapped(SAY("hope", money=hope.price, days=_of_days(hope)))]
    lines += _other_parts(hope, answer.solutions[0] if answer.solutions else None)
    lines.append(SAY("look_up"))
    for fact in answer.worth_knowing:
        field, rules = fact.field.replace("_", " "), ", ".join(fact.rules)
        lines += wrapped(SAY("look_up_row", field=field, part=fact.part, rules=rules), 2)
    return lines
