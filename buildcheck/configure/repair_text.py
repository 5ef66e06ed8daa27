"""Repairs as text for a terminal, and as JSON for other programs."""

from __future__ import annotations

import json
import textwrap
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from buildcheck.measure import shape_of
from buildcheck.model.quantity import Interval, number_text
from buildcheck.render import to_json
from buildcheck.render.data import FORMAT_VERSION
from buildcheck.render.view import grouped, needs
from buildcheck.streams import printable
from buildcheck.wording import label, show_value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from buildcheck.configure.repair import Cost, Priced, Repair, Repairs
    from buildcheck.model.finding import Finding, Report
    from buildcheck.render.view import Group

WIDTH = 96
#: So many data are named that a verdict waits for, and so many warnings.
_MOST_WANTED, _MOST_WARNINGS = 3, 6
_SPEED = (
    "Estimated speed is the peak single-precision rate of the cards at their limits: it ranks"
    " them, and predicts no training time."
)
_WORDS = {"setting": "settings", "accessory": "accessories", "swap": "other parts"}


def text(found: Repairs) -> str:
    """What fails, and every way to mend it with its costs and the changes of the file."""
    report = found.report
    lines = [printable(f"{report.document.path}: {report.name}"), ""]
    failing = failures(report)
    if not failing:
        return "\n".join([*lines, *_wrapped(_nothing(report), "")]) + "\n"
    lines += ["What fails:"]
    lines += [
        line
        for group in failing
        for line in _wrapped(f"{group.finding.rule.id}  {group.subject}: {group.finding.message}.")
    ]
    lines += [""]
    if not found.repairs:
        return "\n".join([*lines, *_wrapped(_hopeless(found), "")]) + "\n"
    number = len(found.repairs)
    ways = "One way mends" if number == 1 else f"{number} ways mend"
    lines += [f"{ways} it, each judged again as 'buildcheck validate' does:", ""]
    for place, repair in enumerate(found.repairs, 1):
        lines += [*_repair(place, repair, found), ""]
    lines += _wrapped(
        "Write one into the file with --apply and its number, or to another with -o FILE as well.",
        "",
    )
    lines += ["", *_wrapped(_SPEED, "")]
    return "\n".join(lines) + "\n"


def failures(report: Report) -> list[Group]:
    """What stops a build, by rule."""
    return [g for g in grouped(report, "fail") if g.finding.severity == "error"]


def _nothing(report: Report) -> str:
    if report.verdict == "pass":
        return "This build passes: nothing is to be mended."
    unsure = {f.rule.id for f in report.findings if _is_unsure(f)}
    return (
        f"Nothing fails, so nothing is to be mended; {_rules(len(unsure))} cannot be judged yet."
        " 'buildcheck validate' says what to look up."
    )


def _is_unsure(finding: Finding) -> bool:
    return finding.severity == "error" and finding.verdict == "unknown"


def _rules(number: int) -> str:
    return f"{number} rule{'' if number == 1 else 's'} that can find an error"


def _hopeless(found: Repairs) -> str:
    tried = [words for kind, words in _WORDS.items() if kind in found.tried]
    what = f"Tried: {', '.join(tried)}, alone and up to three together." if tried else ""
    return (
        f"Nothing that was tried mends it. {what} 'buildcheck why' says what cannot stand together"
        " and what would have to be otherwise."
    )


# -- one repair ------------------------------------------------------------------


def _repair(place: int, repair: Repair, found: Repairs) -> list[str]:
    heads = [f"{kind}: {words}" for kind, words in repair.moves]
    indent = " " * (len(str(place)) + 2)
    lines = textwrap.wrap(
        printable(f"{place}. {'; '.join(heads)}"), WIDTH, subsequent_indent=indent, **_WRAP
    )
    for group in failures(found.report):
        lines += _wrapped(f"mends {mended(group, repair.report)}")
    for words in costs(repair.cost):
        lines += _wrapped(words)
    works = works_of(repair.cost)
    lines += _wrapped(works) if works else []
    lines += _wrapped(_verdict(repair.report))
    if repair.warnings:
        lines += _wrapped(f"new warnings: {_warnings(repair.warnings)}")
    diff = repair.diff(found.raw, found.report.document.path)
    return [*lines, "", *(f"    {line}" for line in diff.splitlines()[2:])]


_WRAP: dict[str, Any] = {"break_on_hyphens": False, "break_long_words": False}


def _wrapped(words: str, indent: str = "    ") -> list[str]:
    inner = indent + "  " if indent else ""
    return textwrap.wrap(
        printable(words), WIDTH, initial_indent=indent, subsequent_indent=inner, **_WRAP
    )


def mended(group: Group, after: Report) -> str:
    """A rule with its numbers before and after.

    Numbers of a subject that is no longer there are left out.
    """
    finding = group.finding
    name = f"{finding.rule.id} {group.subject}"
    same = [f for f in after.findings if f.rule.id == finding.rule.id]
    now = next((f for f in same if f.subject == finding.subject), None)
    if now is None or now.verdict == "not-applicable":
        return f"{name}: it no longer applies"
    values = {(n.name, n.subject): n.value for n in now.numbers}
    parts = []
    for number in finding.numbers:
        new = values.get((number.name, number.subject))
        if new is None or number.value is None or new == number.value:
            continue
        if isinstance(new, Interval):
            old, shown = (show_value(v, shape_of(number.name)) for v in (number.value, new))
            parts.append(f"{label(number.name)} {old} → {shown}")
    still = [f.severity for f in same if f.subject == finding.subject and f.verdict == "fail"]
    tail = f" (still a {still[0]})" if still else ""
    return f"{name}: {', '.join(parts) or now.message}{tail}"


def costs(cost: Cost) -> list[str]:
    """What is to be bought, and what is not bought any more, with prices and their days."""
    if not cost.buys and not cost.leaves:
        return ["nothing to buy"]
    lines = [("to buy", cost.buys), ("no longer bought", cost.leaves)]
    return [_sum(what, found) for what, found in lines if found]


def _sum(what: str, lines: tuple[Priced, ...]) -> str:
    parts = []
    totals: dict[str, Decimal] = {}
    for line in lines:
        many = f"{line.pieces}x {line.name}" if line.pieces > 1 else line.name
        if line.each is None:
            parts.append(f"{many} (price not known)")
            continue
        day = f", {line.as_of.isoformat()}" if line.as_of else ""
        each = " each" if line.pieces > 1 else ""
        parts.append(f"{many} ({line.each}{each}{day})")
        code = line.each.currency
        totals[code] = totals.get(code, Decimal(0)) + line.each.amount * line.pieces
    sums = " and ".join(f"{amount:.2f} {code}" for code, amount in totals.items())
    more = " and what has no price that is known" if any(p.each is None for p in lines) else ""
    head = f"{what}, {sums}{more}" if sums else what
    return f"{head}: {', '.join(parts)}"


def works_of(cost: Cost) -> str:
    """Watts and estimated speed, before and after."""
    words = []
    for (before, after), unit, what in (
        (cost.power, "W", "load for hours"),
        (cost.speed, "TFLOPS", "estimated speed"),
    ):
        if after is None:
            continue
        is_new = before is not None and round(before, 1) != round(after, 1)
        digits = 0 if unit == "W" else 1
        old = (
            f" instead of {number_text(round(before, digits))} {unit}" if is_new and before else ""
        )
        share = f" ({after / before * 100:.0f} %)" if is_new and before and unit != "W" else ""
        same = "" if is_new or before is None else ", as before"
        words.append(f"{what} {number_text(round(after, digits))} {unit}{old}{share}{same}")
    return "; ".join(words)


def _verdict(report: Report) -> str:
    if report.verdict == "pass":
        return "then passes"
    unsure = [f for f in report.findings if _is_unsure(f)]
    wanted = list(dict.fromkeys(needs(m, report) for f in unsure for m in f.missing))
    more = f" and {len(wanted) - _MOST_WANTED} more" if len(wanted) > _MOST_WANTED else ""
    rules = len({f.rule.id for f in unsure})
    return (
        f"then nothing fails any more; {_rules(rules)} still cannot be judged, for want of data:"
        f" {'; '.join(wanted[:_MOST_WANTED])}{more}"
    )


def _warnings(findings: Iterable[Finding]) -> str:
    names: dict[str, list[str]] = {}
    for finding in findings:
        names.setdefault(finding.rule.id, []).append(finding.subject)
    shown = [f"{rule} ({', '.join(subjects)})" for rule, subjects in names.items()]
    more = len(shown) - _MOST_WARNINGS
    return ", ".join(shown[:_MOST_WARNINGS]) + (f" and {more} more" if more > 0 else "")


# -- JSON --------------------------------------------------------------------------


def data(found: Repairs) -> str:
    """The JSON text; changes of its shape only add."""
    return (
        json.dumps(
            {
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
                "repairs": [_row(repair, found) for repair in found.repairs],
            },
            indent=2,
            allow_nan=False,
        )
        + "\n"
    )


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
