"""Repairs as text for a terminal, and as JSON for other programs."""

from __future__ import annotations

import json
import shlex
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from buildcheck.load import spelt_out
from buildcheck.measure import shape_of
from buildcheck.model.quantity import Interval, number_text
from buildcheck.render import to_json
from buildcheck.render.cost import rates_data
from buildcheck.render.data import FORMAT_VERSION
from buildcheck.render.proof_text import UNITS
from buildcheck.render.terminal import plain, wrapped
from buildcheck.render.view import grouped, needs
from buildcheck.render.words import Words
from buildcheck.wording import label, show_value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from buildcheck.configure.repair.repair import Cost, Priced, Repair, Repairs
    from buildcheck.model.finding import Finding, Report
from buildcheck.render.view import Group

#: So many data are named that a verdict waits for, and so many warnings.
_MOST_WANTED, _MOST_WARNINGS = 3, 6
MEND = Words("repair")


def repair_text(found: Repairs) -> str:
    """What fails, and every way to mend it with its costs and the changes of the file."""
    report = found.report
    head = MEND("headed", file=report.document.path, name=report.name)
    lines = [plain(head), ""]
    failing = failures(report)
    if not failing:
        return "\n".join([*lines, *wrapped(_nothing(report))]) + "\n"
    lines += [MEND("what_fails")]
    for group in failing:
        rule, message = group.finding.rule.id, group.finding.message
        lines += wrapped(MEND("failure", rule=rule, subjects=group.subject, message=message), 4)
    lines += [""]
    if not found.repairs:
        return "\n".join([*lines, *wrapped(_hopeless(found))]) + "\n"
    lines += [*wrapped(_ways(found)), ""]
    if found.stopped:
        lines += [*wrapped(_stopped(found)), ""]
    for place, repair in enumerate(found.repairs, 1):
        lines += [*_repair(place, repair, found), ""]
    if found.rates:
        lines += [*wrapped(MEND("rated", rates=found.rates.said)), ""]
    if not found.stopped and all(r.gives_up for r in found.repairs):
        lines += [*wrapped(_whole(found)), ""]
    lines += [*wrapped(MEND("apply")), "", *wrapped(MEND("speed"))]
    return "\n".join(lines) + "\n"


def _ways(found: Repairs) -> str:
    """How many ways there are, and how many of them are known to pass."""
    number = len(found.repairs)
    known = sum(r.report.verdict == "pass" for r in found.repairs)
    if known == number:
        return MEND("ways", number)
    return MEND("ways_some", n=number, known=known) if known else MEND("ways_unsure", number)


def progress(judged: int, number: int) -> str:
    """How far a search is: builds judged, and ways found so far."""
    found = MEND("progress_found", number) if number else MEND("progress_none")
    return MEND("progress", judged=judged, found=found)


def failures(report: Report) -> list[Group]:
    """What stops a build, by rule."""
    return [g for g in grouped(report, "fail") if g.finding.severity == "error"]


def _nothing(report: Report) -> str:
    if report.verdict == "pass":
        return MEND("passes")
    rules, names, wanted = _open(report)
    return MEND("nothing_fails", rules=rules, names=names, wanted=wanted)


def _open(report: Report) -> tuple[str, str, str]:
    """How many rules cannot be judged, which they are, and what is wanting."""
    unsure = [f for f in report.findings if _is_unsure(f)]
    rules = list(dict.fromkeys(f.rule.id for f in unsure))
    wanted = list(dict.fromkeys(needs(m, report) for f in unsure for m in f.missing))
    return MEND("rules", len(rules)), _first(rules, ", "), _first(wanted, "; ")


def _first(names: list[str], comma: str) -> str:
    return comma.join(names[:_MOST_WANTED]) + _more(len(names) - _MOST_WANTED)


def _is_unsure(finding: Finding) -> bool:
    return finding.severity == "error" and finding.verdict == "unknown"


def _hopeless(found: Repairs) -> str:
    tried = [words for kind, words in MEND.table("kinds").items() if kind in found.tried]
    if found.stopped:
        return MEND("none_yet", stopped=_stopped(found))
    return MEND("hopeless", tried=MEND("tried", kinds=", ".join(tried)) if tried else "")


def _whole(found: Repairs) -> str:
    """What was looked at to keep all cards, and the command that looks for a new machine."""
    kinds = [words for kind, words in MEND.table("kinds").items() if kind in found.tried]
    data = spelt_out(found.report.document.data)
    site, work = data.get("site") or {}, data.get("workload") or {}
    words = ["buildcheck", "configure"]
    for entry in data.get("gpus", []):
        if entry.get("part"):
            words += ["--gpus", f"{entry.get('count', 1)}x {entry['part']}"]
    words += ["--outlet", str(site["outlet"])] if site.get("outlet") else []
    words += ["--workload", str(work["kind"])] if work.get("kind") else []
    return MEND("whole", kinds=", ".join(kinds), command=shlex.join(words))


def _stopped(found: Repairs) -> str:
    """That there may be more and better ways, and of what kinds."""
    kinds = [words for kind, words in MEND.table("kinds").items() if kind in found.untried]
    return MEND("stopped", left=MEND("untried", kinds=", ".join(kinds)) if kinds else "")


# -- one repair ------------------------------------------------------------------


def _repair(place: int, repair: Repair, found: Repairs) -> list[str]:
    moves = "; ".join(MEND("move", kind=kind, words=words) for kind, words in repair.moves)
    lines = wrapped(MEND("repair", place=place, moves=moves), 0, len(str(place)) + 2)
    for group in failures(found.report):
        lines += wrapped(MEND("mends", rule=mended(group, repair.report)), 4)
    for words in costs(repair.cost):
        lines += wrapped(words, 4)
    works = works_of(repair.cost)
    lines += wrapped(works, 4) if works else []
    lines += wrapped(_verdict(repair.report), 4)
    if repair.warnings:
        lines += wrapped(MEND("new_warnings", warnings=_warnings(repair.warnings)), 4)
    diff = repair.diff(found.raw, found.report.document.path)
    return [*lines, "", *(f"    {line}" for line in diff.splitlines()[2:])]


def mended(group: Group, after: Report) -> str:
    """A rule with its numbers before and after.

    Numbers of a subject that is no longer there are left out.
    """
    finding = group.finding
    name = f"{finding.rule.id} {group.subject}"
    same = [f for f in after.findings if f.rule.id == finding.rule.id]
    now = next((f for f in same if f.subject == finding.subject), None)
    if now is None or now.verdict == "not-applicable":
        return MEND("no_longer", name=name)
    values = {(n.name, n.subject): n.value for n in now.numbers}
    parts = []
    for number in finding.numbers:
        new = values.get((number.name, number.subject))
        if new is None or number.value is None or new == number.value:
            continue
        if isinstance(new, Interval):
            old, shown = (show_value(v, shape_of(number.name)) for v in (number.value, new))
            parts.append(MEND("changed", what=label(number.name), old=old, new=shown))
    still = [f.severity for f in same if f.subject == finding.subject and f.verdict == "fail"]
    tail = MEND("still", severity=still[0]) if still else ""
    return MEND("mended", name=name, numbers=", ".join(parts) or now.message, still=tail)


def costs(cost: Cost) -> list[str]:
    """What is to be bought, and what is not bought any more, with prices and their days."""
    if not cost.buys and not cost.leaves:
        return [MEND("nothing_to_buy")]
    lines = [(MEND("to_buy"), cost.buys), (MEND("not_bought"), cost.leaves)]
    return [_sum(what, found) for what, found in lines if found]


def _sum(what: str, lines: tuple[Priced, ...]) -> str:
    parts = []
    totals: dict[str, Decimal] = {}
    for line in lines:
        is_one = line.pieces == 1
        many = line.name if is_one else MEND("several", line.pieces, name=line.name)
        if line.each is None:
            priced = any(p.each for p in lines)
            parts.append(MEND("unpriced", what=many) if priced else many)
            continue
        day = MEND("of_day", day=line.as_of.isoformat()) if line.as_of else ""
        told = MEND("priced" if is_one else "priced_each", what=many, price=line.each, day=day)
        parts.append(told)
        code = line.each.currency
        totals[code] = totals.get(code, Decimal(0)) + line.each.amount * line.pieces
    sums = MEND("and").join(f"{amount:.2f} {code}" for code, amount in totals.items())
    listed = ", ".join(parts)
    if not sums:
        return MEND("no_sum", what=what, parts=listed)
    more = MEND("and_unpriced") if any(p.each is None for p in lines) else ""
    return MEND("sum", what=what, sums=sums, more=more, parts=listed)


def works_of(cost: Cost) -> str:
    """Watts and estimated speed, before and after."""
    words = []
    for (before, after), unit, what in (
        (cost.power, "W", MEND("load")),
        (cost.speed, UNITS["speed"], MEND("estimated_speed")),
    ):
        if after is None:
            continue
        digits = 0 if unit == "W" else 1
        old = _instead(before, after, unit, digits)
        value = number_text(round(after, digits))
        words.append(MEND("works", what=what, value=value, unit=unit, old=old))
    return "; ".join(words)


def _instead(before: float | None, after: float, unit: str, digits: int) -> str:
    """What a figure was before, and the share of it that is left; watts are told without."""
    if before is None:
        return ""
    if round(before, 1) == round(after, 1):
        return MEND("works_as_before")
    if not before:
        return ""
    old = MEND("works_instead", value=number_text(round(before, digits)), unit=unit)
    share = MEND("works_share", percent=f"{after / before * 100:.0f}") if unit != "W" else ""
    return old + share


def _verdict(report: Report) -> str:
    if report.verdict == "pass":
        return MEND("then_passes")
    rules, names, wanted = _open(report)
    return MEND("then_unsure", rules=rules, names=names, wanted=wanted)


def _more(number: int) -> str:
    return MEND("and_more", number) if number > 0 else ""


def _warnings(findings: Iterable[Finding]) -> str:
    names: dict[str, list[str]] = {}
    for finding in findings:
        names.setdefault(finding.rule.id, []).append(finding.subject)
    shown = [f"{rule} ({', '.join(subjects)})" for rule, subjects in names.items()]
    return ", ".join(shown[:_MOST_WARNINGS]) + _more(len(shown) - _MOST_WARNINGS)


# -- JSON --------------------------------------------------------------------------


def repair_data(found: Repairs) -> dict[str, Any]:
    """The same as plain data; changes of its shape only add."""
    return {
        "format_version": FORMAT_VERSION,
        "build": {
            "file": found.report.document.path,
            "name": found.report.name,
            "digest": found.report.document.digest,
            "verdict": found.report.verdict,
            "fails": [
                {"rule": g.finding.rule.id, "subjects": list(g.subjects)}
                for g in failures(found.report)
            ],
        },
        "tried": sorted(set(found.tried)),
        "stopped": found.stopped,
        "untried": sorted(found.untried),
        "rates": rates_data(found.rates),
        "repairs": [_row(repair, found) for repair in found.repairs],
    }


def _row(repair: Repair, found: Repairs) -> dict[str, Any]:
    return {
        "changes": [
            {"path": c.path, "from": c.before, "to": c.after, "kind": c.kind, "text": c.text}
            for c in repair.changes
        ],
        "cost": _cost(repair.cost),
        "gives_up": repair.gives_up,
        "build": repair.data,
        "diff": repair.diff(found.raw, found.report.document.path),
        "mends": [mended(g, repair.report) for g in failures(found.report)],
        "new_warnings": [{"rule": f.rule.id, "subject": f.subject} for f in repair.warnings],
        "validation": json.loads(to_json([repair.report])),
    }


def _cost(cost: Cost) -> dict[str, Any]:
    day = cost.as_of
    money = cost.money and {
        "amount": f"{cost.money.amount:.2f}",
        "currency": cost.money.currency,
        "as_of": day.isoformat() if day else None,
    }
    return {
        "money": money or None,
        "power": _change(cost.power),
        "speed": _change(cost.speed),
        "power_before_after": list(cost.power),
        "speed_before_after": list(cost.speed),
        "buys": [_line(p) for p in cost.buys],
        "no_longer_bought": [_line(p) for p in cost.leaves],
    }


def _change(pair: tuple[float | None, float | None]) -> float | None:
    before, after = pair
    return None if before is None or after is None else round(after - before, 3)


def _line(line: Priced) -> dict[str, Any]:
    return {
        "count": line.pieces,
        "name": line.name,
        "each": line.each
        and {
            "amount": f"{line.each.amount:.2f}",
            "currency": line.each.currency,
            "as_of": line.as_of.isoformat() if line.as_of else None,
        },
    }
