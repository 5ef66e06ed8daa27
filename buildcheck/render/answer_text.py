"""What a search answers, as text for a terminal: builds, what they rest on, and the proof."""

from __future__ import annotations

import datetime
import math
import textwrap
from decimal import Decimal
from typing import TYPE_CHECKING

from buildcheck.model.money import Money
from buildcheck.model.part import CONFIDENCE
from buildcheck.model.quantity import number_text, percent
from buildcheck.proposals import proposals
from buildcheck.render.data import cable_rows, slot_rows
from buildcheck.render.drawings.pen import amount
from buildcheck.render.view import budgets, grouped, tally
from buildcheck.wording import span

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from buildcheck.configure.answer import Answer, Chosen, Proof, Proposal
    from buildcheck.configure.pareto import Frontier
    from buildcheck.model.finding import Report

WIDTH = 96
#: Rules named in a proof; the rest is summed.
MOST_RULES = 6
#: Facts named where many are meant.
_MOST_FACTS = 4
#: From here on numbers of builds are shown by their size.
_LONG = 10**15
#: What a build is best at, and a measure, in words; what it is in.
AIMS = {
    "price": "the cheapest",
    "gpu_memory": "the one with the most GPU memory",
    "speed": "the fastest by estimate",
    "headroom": "the one with the most head-room",
    "power": "the one that draws least",
}
MEASURES = {
    "price": ("price", ""),
    "gpu_memory": ("GPU memory", "GB"),
    "speed": ("estimated speed", "TFLOPS"),
    "headroom": ("head-room of the supplies", "W"),
    "power": ("power", "W"),
}
_SCOPE = "This holds within this catalogue, these prices and this rulebook."
_Row = tuple[str, ...]
#: Power limits are told in tenths of the default, from here on.
_LEAST_TENTHS, _FINE = 6, 1e-6


# -- a whole answer ----------------------------------------------------------


def answer_text(answer: Answer, name: str, *, given: int = 0) -> str:
    """Builds, the best first, with their proof; `name` is what was asked for them.

    `given` is the number of parts that were there already.
    """
    lines = [f"{name}: {_outcome(answer)}"]
    several = len(answer.solutions) > 1
    for number, proposal in enumerate(answer.solutions, 1):
        lines += ["", f"{number}. {proposal.report.name}" if several else proposal.report.name, ""]
        lines += proposal_lines(proposal, given=given)
    lines += ["", *_proof_lines(answer), *_hopeful_lines(answer)]
    return _joined(lines)


def _joined(lines: Sequence[str]) -> str:
    return "\n".join(_plain(line).rstrip() for line in lines) + "\n"


def _outcome(answer: Answer) -> str:
    found = len(answer.solutions)
    if answer.stopped:
        so_far = f"the best so far ({found} found)" if found else "nothing found so far"
        return f"not proven: the search was stopped; {so_far}."
    if not found and answer.proof.needs:
        least = f"{answer.proof.needs:.2f} {_currency(answer)}"
        return f"no build meets this wish. Without the budget it would take {least} or more."
    if not found:
        return "no build meets this wish."
    aim = aim_words(answer.wish.best)
    return f"{aim} that passes." if found == 1 else f"{found} builds that pass, first {aim}."


def aim_words(best: Mapping[str, float]) -> str:
    """What a build was to be best at."""
    if len(best) == 1:
        return AIMS[next(iter(best))]
    weights = (f"{MEASURES[n][0]} {number_text(w)}" for n, w in best.items())
    return f"the best by weights ({', '.join(weights)})"


def whole_text(report: Report, path: str) -> str:
    """A build file that lacks nothing."""
    ways = {
        "pass": "it passes",
        "fail": "it fails; 'buildcheck why' says what cannot stand together",
        "unknown": "it cannot be judged; 'buildcheck validate' says what has to be known",
    }
    return _joined(_wrapped(f"{path}: nothing is missing, and {ways[report.verdict]}."))


def conflict_text(conflicts: Sequence[tuple[str, str]], path: str) -> str:
    """A build file whose parts cannot stand together; rules, and what they say."""
    lines = _wrapped(f"{path}: what is there cannot stand together, whatever is added:")
    for rule, message in conflicts:
        lines += _wrapped(f"{rule}{f': {message}' if message else ''}", 2)
    return _joined([*lines, *_wrapped(f"'buildcheck why {path}' says which parts are in the way.")])


# -- one build ---------------------------------------------------------------


def proposal_lines(proposal: Proposal, *, given: int = 0) -> list[str]:
    """Parts with prices, total, measures, limits, placement, cables and the verdict."""
    lines = [*_parts(proposal.chosen), ""]
    lines += _wrapped(f"Total: {proposal.price}{_of_days(proposal)}.")
    if given:
        are = "part is" if given == 1 else "parts are"
        lines += _wrapped(f"{given} {are} there already and not priced.")
    lines += _wrapped(f"It has {_measures(proposal.objective)}.")
    lines += [line for words in limit_words(proposal.report) for line in _wrapped(words)]
    lines += ["", *placement_lines(proposal.report), ""]
    lines += _judged(proposal.report)
    return lines


def _parts(chosen: Sequence[Chosen]) -> list[str]:
    rows: list[_Row] = [("Qty", "Part", "Each", "Total")]
    for one in chosen:
        total = str(Money(one.each.amount * one.count, one.each.currency)) if one.each else "-"
        rows.append((str(one.count), one.name, str(one.each or "-"), total))
    widths = [max(len(row[n]) for row in rows) for n in range(4)]
    widths[1] = min(widths[1], WIDTH - widths[0] - widths[2] - widths[3] - 6)
    lines = _aligned(rows[0], widths)
    for one, row in zip(chosen, rows[1:], strict=True):
        lines += _aligned(row, widths)
        told = "; ".join(_said_of(one))
        lines += _wrapped(told, widths[0] + 2) if told else []
    return lines


def _aligned(row: _Row, widths: list[int]) -> list[str]:
    count, name, each, total = row
    first, *rest = textwrap.wrap(_plain(name), widths[1], break_on_hyphens=False) or [""]
    ends = f"{each.rjust(widths[2])}  {total.rjust(widths[3])}"
    head = f"{count.rjust(widths[0])}  {first.ljust(widths[1])}  {ends}"
    return [head, *(" " * (widths[0] + 2) + line for line in rest)]


def _said_of(one: Chosen) -> Iterator[str]:
    """The day and doubt of a price, the weakest facts, and parts that are the same to all rules."""
    if one.each:
        yield f"price of {one.as_of}" if one.as_of else "price without a date"
    if one.doubt:
        yield f"price in doubt: {one.doubt}"
    level, names = weakest(one)
    if level:
        more = len(names) - _MOST_FACTS
        listed = ", ".join(n.replace("_", " ") for n in names[:_MOST_FACTS])
        yield f"rests at worst on {level} ({listed}{f' and {more} more' if more > 0 else ''})"
    if one.like:
        others = f"{len(one.like)} other part{'s' if len(one.like) > 1 else ''}"
        yield f"no rule tells {others} from it, none cheaper"


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
    days = f", at prices of {first}" if first == last else f", at prices of {first} to {last}"
    age = (datetime.date.fromisoformat(proposal.report.checked) - first).days
    is_old = age > proposals().price_age
    return f"{days}, {age} days old: ask again before you order" if is_old else days


def _measures(objective: Mapping[str, float]) -> str:
    told = (
        f"{_rounded(objective[n])} {unit} of {words}"
        for n, (words, unit) in MEASURES.items()
        if unit and n in objective and n != "power"
    )
    return f"{', '.join(told)}, and draws {_rounded(objective['power'])} W at work"


def _rounded(value: float) -> str:
    return number_text(float(f"{value:.4g}")) if math.isfinite(value) else "?"


def limit_words(report: Report) -> list[str]:
    """What the power limits of cards are, what that costs in speed, and what others would."""
    found: dict[str, None] = {}
    facts = report.facts
    for card in report.graph.of("gpu"):
        held, default = facts("gpu.sustained_power", card), facts("gpu.board_power", card)
        if facts("gpu.power_limit", card) is None:
            words = f"{card.name}: at its default power limit, {amount(default, 'W')}"
        else:
            speed = facts("gpu.limited_speed", card)
            kept = f"{percent(speed)} of full speed" if speed else "at a speed nobody has measured"
            words = f"{card.name}: held at {amount(held, 'W')} of {amount(default, 'W')}, {kept}"
        others = [
            f"{amount(s.watts, 'W')} ({percent(s.speed)})"
            for s in reversed(facts("gpu.limit_sweep", card) or ())
            if s.speed and _is_offered(s.share) and not (held and s.watts == held)
        ]
        choice = f"; speed kept at other limits: {', '.join(others)}" if others else ""
        found[f"{words}{choice}."] = None
    return list(found)


def _is_offered(share: float) -> bool:
    """Is it a tenth of the default, and none of the lowest?"""
    tenths = share * 10
    return _LEAST_TENTHS - _FINE <= tenths <= 9 + _FINE and abs(tenths - round(tenths)) < _FINE


def placement_lines(report: Report) -> list[str]:
    """Which card sits where, and which supply feeds it by what."""
    lines = ["Placement:"] if slot_rows(report) else []
    for row in slot_rows(report):
        where = f"slot {row['slot']}" if row["slot"] else f"opening {row['position']}"
        if row["slot"] is None and row["position"] is None:
            where = "no known place"
        link = f", x{row['lanes']}" if row["lanes"] else ""
        link += f" Gen{row['gen']}" if row["gen"] else ""
        by = f" of {row['owner']}" if row["owner"] else ""
        lines += _wrapped(f"{row['card']} {row['name']}: {where}{link}{by}", 2)
    cables = cable_rows(report)
    lines += ["Cables:"] if cables else []
    for row in cables:
        watts = report.facts("gpu.cable_power", report.graph.subjects[row["feeds"]])
        words = f"{row['psu']} feeds {row['feeds']} by {row['output']}, {amount(watts, 'W')}"
        lines += _wrapped(words, 2)
    return lines


def _judged(report: Report) -> list[str]:
    lines = []
    for budget in budgets(report):
        share = f" ({budget.share})" if budget.share else ""
        lines += _wrapped(f"{budget.what}: {budget.used} of {budget.there_is}{share}")
    said: dict[str, tuple[str, ...]] = {}
    for group in grouped(report, "fail", "unknown", "waived"):
        finding = group.finding
        state = finding.severity if finding.verdict == "fail" else finding.verdict
        words = f"{state} {finding.rule.id}: {finding.rule.title}"
        said[words] = (*said.get(words, ()), *group.subjects)
    for words, subjects in said.items():
        lines += _wrapped(f"{words} ({span(subjects)})")
    return [*lines, f"{report.verdict.upper()}: {tally(report)}."]


# -- proofs ------------------------------------------------------------------


def count_text(number: int) -> str:
    """A number of builds: exact while it can be read, and by its size beyond.

    >>> count_text(75488), count_text(13 * 10**20)
    ('75,488', '1.3e21')
    """
    return f"{number:,}" if number < _LONG else f"{Decimal(number):.1e}".replace("e+", "e")


def excluded_lines(excluded: Mapping[str, int], indent: int = 2) -> list[str]:
    """The rules that excluded most, and the sum of what the others did."""
    rows = sorted(excluded.items(), key=lambda row: (-row[1], row[0]))
    shown = [(count_text(number), rule) for rule, number in rows[:MOST_RULES]]
    if len(rows) > MOST_RULES:
        rest = sum(number for _, number in rows[MOST_RULES:])
        shown.append((count_text(rest), f"{len(rows) - MOST_RULES} other rules"))
    width = max((len(number) for number, _ in shown), default=0)
    return [f"{' ' * indent}{number.rjust(width)}  {rule}" for number, rule in shown]


def _proof_lines(answer: Answer) -> list[str]:
    proof, solutions = answer.proof, answer.solutions
    if not proof.candidates:
        return _nothing_lines(answer.counts)
    head = f"Proof: {_builds(proof.candidates)} can be made of the parts with a price."
    if answer.stopped:
        head = f"Not proven: {_builds(proof.candidates)} can be made of the parts with a price."
    excluded = sum(proof.excluded_by.values())
    lines = _wrapped(head)
    if excluded:
        lines += [f"{count_text(excluded)} are excluded:", *excluded_lines(proof.excluded_by)]
    if answer.stopped:
        left = proof.not_better
        lines += _wrapped(f"{count_text(left)} were not looked at.") if left else []
        if set(answer.wish.best) == {"price"} and proof.bound:
            bound = f"{proof.bound:.2f} {_currency(answer)}"
            lines += _wrapped(f"None of them costs less than {bound}: that much is proven.")
    elif not solutions:
        lines += _wrapped(f"None is left, so there is no such build. {_SCOPE}")
        lines += _wrapped("'buildcheck why' with the same wish says what stands in the way.")
    else:
        lines += _wrapped(f"{_kept(proof)} {_SCOPE}")
    return lines


def _builds(number: int) -> str:
    return f"{count_text(number)} build{'' if number == 1 else 's'}"


def _kept(proof: Proof) -> str:
    same = ""
    if proof.found > 1:
        same = f"{count_text(proof.found)} come to what is shown, parts that no rule tells apart. "
    left = f"The other {count_text(proof.not_better)} are no better. " if proof.not_better else ""
    return f"{same}{left}None is better."


def _nothing_lines(counts: Mapping[str, int]) -> list[str]:
    """Why there is nothing to choose from."""
    empty = [role for role, number in counts.items() if not number]
    words = f"no part with a price is what the wish asks for: {', '.join(empty)}"
    lines = _wrapped(f"There is nothing to choose from: {words}.")
    return lines + _wrapped("Give prices under 'prices:', with --price or with --prices FILE.")


def _currency(answer: Answer) -> str:
    budget = answer.wish.budget
    if answer.solutions:
        return answer.solutions[0].price.currency
    return budget.currency if budget else "USD"


def _hopeful_lines(answer: Answer) -> list[str]:
    """What it would cost if all that is unknown turned out well, and what to look up."""
    hope, proof = answer.hopeful, answer.hopeful_proof
    if proof is None or not proof.candidates:
        return []
    if not proof.optimal:
        what = "What the unknown could be worth was not searched to the end."
        if proof.bound and set(answer.wish.best) == {"price"}:
            least = f"{proof.bound:.2f} {_currency(answer)}"
            what = (
                f"However well unknowns turn out, nothing costs less than {least}. What such a"
                " build would be was not searched to the end."
            )
        return ["", *_wrapped(what)]
    if hope is None:
        return ["", "Nothing would pass even if all that is unknown turned out well."]
    if not answer.worth_knowing:
        known = answer.solutions and "No build that waits for data that are missing is better."
        return ["", *_wrapped(known or f"If all unknowns turn out well: {hope.price}.")]
    lines = ["", *_wrapped(f"If unknowns turn out well: {hope.price}{_of_days(hope)}, with")]
    best = {(c.part, c.count) for c in answer.solutions[0].chosen} if answer.solutions else set()
    for one in hope.chosen:
        same = " (as above)" if (one.part, one.count) in best else ""
        lines += _wrapped(f"{one.count}x {one.name}{same}", 2)
    lines += ["Worth looking up:"]
    for fact in answer.worth_knowing:
        what = f"{fact.field.replace('_', ' ')} of {fact.part} ({', '.join(fact.rules)})"
        lines += _wrapped(what, 2)
    return lines


# -- frontiers ---------------------------------------------------------------


def value_text(measure: str, point_value: float, currency: str = "") -> str:
    """A measure of a build with its unit."""
    if measure == "price":
        return f"{point_value:.2f} {currency}".rstrip()
    return f"{_rounded(point_value)} {MEASURES[measure][1]}"


def frontier_text(frontier: Frontier, name: str) -> str:
    """A frontier as a table with its proof."""
    words = " and ".join(MEASURES[m][0] for m in frontier.measures)
    lines = [f"{name}: builds that none beats in {words}", ""]
    if frontier.points:
        rows: list[_Row] = [(*(MEASURES[m][0] for m in frontier.measures), "build")]
        for point in frontier.points:
            currency = point.proposal.price.currency
            told = (value_text(m, point.value(m), currency) for m in frontier.measures)
            rows.append((*told, point.proposal.report.name))
        widths = [max(len(row[n]) for row in rows) for n in range(len(frontier.measures))]
        for row in rows:
            cells = [c.rjust(w) for c, w in zip(row, widths, strict=False)]
            lines.append("  ".join((*cells, row[-1])))
        lines.append("")
    found = len(frontier.points)
    shown = f"{found} build{'' if found == 1 else 's'}"
    if frontier.stopped:
        lines += _wrapped(
            f"Not proven: the search was stopped. The {shown} found so far stand on what is "
            "proven; others may lie between and beyond them."
        )
    elif not frontier.candidates:
        lines += _nothing_lines(frontier.counts)
    elif found:
        lines += _wrapped(
            f"Proof: {_builds(frontier.candidates)} can be made of the parts with a price; "
            f"{frontier.searches} searches, each proven, leave these {found}. None lies between "
            f"them and none beyond. {_SCOPE}"
        )
    else:
        lines += [f"None of {_builds(frontier.candidates)} passes:"]
        lines += excluded_lines(frontier.excluded_by)
        lines += _wrapped("'buildcheck why' with the same wish says what stands in the way.")
    return _joined(lines)


def _wrapped(words: str, indent: int = 0) -> list[str]:
    return textwrap.wrap(
        _plain(words),
        WIDTH,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + 2 * bool(indent)),
        break_on_hyphens=False,
        break_long_words=False,
    )


def _plain(words: str) -> str:
    """Names come from files: no control character of theirs reaches the terminal."""
    return "".join(c if c.isprintable() else "\ufffd" for c in words)
