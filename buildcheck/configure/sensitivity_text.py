"""What a build is sensitive to, as text for people and as plain data for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck.model.quantity import number_text
from buildcheck.streams import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.configure.sensitivity import Margin, More, Point, Sensitivity, Turn

#: Version of the JSON.
FORMAT_VERSION = "1.0"
#: Margins that are shown unless all are asked for.
MOST_MARGINS = 12
_SIDES = {"fail": "does not hold", "unknown": "may not hold"}
_VERDICTS = {"pass": "passes", "fail": "fails", "unknown": "cannot be judged yet"}


def sensitivity_text(found: Sensitivity, *, whole: bool = False) -> str:
    """Margins, one more card, frontier and turns; `whole` shows every margin."""
    return "".join(f"{printable(line)}\n" for line in _lines(found, whole=whole))


def _lines(found: Sensitivity, *, whole: bool) -> Iterator[str]:
    yield f"{found.name}: {_VERDICTS[found.verdict]}"
    yield ""
    yield "Margins of what would stop it, the tightest first:"
    grave = [m for m in found.margins if m.severity == "error"]
    rest = [m for m in found.margins if m.severity != "error"]
    shown = found.margins if whole else grave[:MOST_MARGINS]
    yield from _columns([_margin(m) for m in shown])
    if not whole and len(found.margins) > len(shown):
        more = len(grave) - len(shown)
        yield f"  ... {more} more, and {len(rest)} of warnings and notes; --all shows them."
    yield ""
    if found.fails:
        yield f"It fails as it is, by {', '.join(found.fails)}: that comes first."
        yield "'buildcheck repair' looks for ways to mend it. Beside what fails already:"
    for more_ in found.more:
        yield from _more(more_, found)
    yield ""
    yield from _frontier(found.frontier)
    yield ""
    yield "What may change before the verdict does, all else kept, the nearest first:"
    if not found.turns:
        yield "  No number of the build or its parts turns it alone, from its half to its double."
    for turn in found.turns:
        yield f"  {_turn(turn)}"


def _margin(row: Margin) -> list[str]:
    sign = "" if row.margin < 0 else "+"
    rest = f"{sign}{number_text(row.margin)} {row.unit}".rstrip()
    share = "" if row.share is None else f"{100 * row.share:+.0f} %"
    word = _SIDES.get(row.verdict, "")
    return [rest, share, f"{row.value} {row.relation} {row.limit}", row.rule, row.subject, word]


def _columns(rows: list[list[str]]) -> Iterator[str]:
    if not rows:
        yield "  none"
        return
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    for row in rows:
        first = [row[0].rjust(widths[0]), row[1].rjust(widths[1])]
        rest = [cell.ljust(width) for cell, width in zip(row[2:], widths[2:], strict=True)]
        yield f"  {'  '.join([*first, *rest])}".rstrip()


def _more(more: More, found: Sensitivity) -> Iterator[str]:
    card = found.card
    number = "One more" if more.cards == 1 else f"{more.cards} more"
    note = f" ({more.note})" if more.note else ""
    failed = [b for b in more.blockers if b.verdict == "fail"]
    if not failed:
        none = "no other rule fails" if found.fails else "nothing new"
        known = none if found.fails else "nothing that fails"
        doubt = f"{known}, but more is not known" if more.blockers else none
        yield f"{number} {card}{note}: {doubt}."
    else:
        parts = ", ".join(dict.fromkeys(b.part for b in failed))
        also = "also " if found.fails else ""
        yield f"{number} {card}{note}: {also}blocked by {parts}."
    for blocker in more.blockers:
        word = "" if blocker.verdict == "fail" else "not known: "
        yield f"  - {word}{blocker.part}: {blocker.message} ({blocker.rule})"


def _frontier(points: tuple[Point, ...]) -> Iterator[str]:
    if not points:
        yield "Cards that differ, or whose power is not known, have no one power limit."
        return
    yield "The least supply, as rated at the voltage of the circuit, and circuit for each limit:"
    rows = [["limit", "", "each supply", "circuit"]]
    for point in points:
        supply = "none found" if point.supply is None else f"{point.supply} W"
        walls = ", ".join(
            f"{name} ({number_text(volts)} V, {number_text(amps)} A)"
            for name, volts, amps in point.outlets
        )
        rows.append(
            [f"{point.limit} W", f"{100 * point.share:.0f} %", supply, walls or "none found"]
        )
    yield from _columns(rows)


def _turn(turn: Turn) -> str:
    ways = []
    for edge, rules, word in ((turn.low, turn.below, "fall"), (turn.high, turn.above, "rise")):
        if edge is not None:
            step = _amount(abs(edge - turn.now), turn.unit)
            edge_text = _amount(edge, turn.unit)
            far = f"not {word}" if edge == turn.now else f"{word} by {step} to {edge_text}"
            ways.append(f"may {far} ({', '.join(rules) or 'then it cannot be judged'})")
    now = _amount(turn.now, turn.unit)
    return f"{turn.what}, now {now}: {'; '.join(ways)}  [{turn.path}]"


def _amount(value: float, unit: str) -> str:
    return f"{value:.6g} {unit.replace('degC', '°C')}".rstrip()


def sensitivity_data(found: Sensitivity) -> dict[str, Any]:
    """The same as plain data."""
    return {
        "format_version": FORMAT_VERSION,
        "name": found.name,
        "verdict": found.verdict,
        "margins": [m._asdict() for m in found.margins],
        "one_more_gpu": _more_data(found, 1),
        "two_more_gpus": _more_data(found, 2),
        "frontier": [
            {
                "limit": p.limit,
                "share": p.share,
                "supply": p.supply,
                "outlets": [
                    {"outlet": name, "voltage": volts, "breaker": amps}
                    for name, volts, amps in p.outlets
                ],
            }
            for p in found.frontier
        ],
        "turns": [t._asdict() for t in found.turns],
    }


def _more_data(found: Sensitivity, number: int) -> dict[str, Any]:
    more = next(m for m in found.more if m.cards == number)
    return {
        "card": found.card,
        "verdict": more.verdict,
        "fails_already": list(found.fails),
        "blocked_by": list(dict.fromkeys(b.part for b in more.blockers if b.verdict == "fail")),
        "blockers": [b._asdict() for b in more.blockers],
        "note": more.note,
    }
