"""What a build is sensitive to, as text for people and as plain data for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck.model.quantity import number_text
from buildcheck.render.terminal import plain
from buildcheck.render.words import Words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.configure.sensitivity.model import Margin, More, Point, Sensitivity, Turn

#: What is said of all this.
TELL = Words("sensitivity")
#: Version of the JSON.
FORMAT_VERSION = "1.0"
#: Margins that are shown unless all are asked for.
MOST_MARGINS = 12


def sensitivity_text(found: Sensitivity, *, whole: bool = False) -> str:
    """Margins, one more card, frontier and turns; `whole` shows every margin."""
    return "".join(f"{plain(line)}\n" for line in _lines(found, whole=whole))


def _lines(found: Sensitivity, *, whole: bool) -> Iterator[str]:
    yield TELL("headed", name=found.name, verdict=TELL.table("verdicts")[found.verdict])
    yield ""
    yield TELL("margins")
    grave = [m for m in found.margins if m.severity == "error"]
    rest = [m for m in found.margins if m.severity != "error"]
    shown = found.margins if whole else grave[:MOST_MARGINS]
    yield from _columns([_margin(m) for m in shown])
    if not whole and len(found.margins) > len(shown):
        more = len(grave) - len(shown)
        yield TELL("more_margins", number=more, rest=len(rest))
    yield ""
    if found.fails:
        yield TELL("fails_as_it_is", rules=", ".join(found.fails))
        yield TELL("beside_that")
    for more_ in found.more:
        yield from _more(more_, found)
    yield ""
    yield from _frontier(found.frontier)
    yield ""
    yield TELL("turns")
    if not found.turns:
        yield TELL("no_turns")
    for turn in found.turns:
        yield f"  {_turn(turn)}"


def _margin(row: Margin) -> list[str]:
    sign = "" if row.margin < 0 else "+"
    rest = f"{sign}{number_text(row.margin)} {row.unit}".rstrip()
    share = "" if row.share is None else f"{100 * row.share:+.0f} %"
    told = TELL("margin", value=row.value, relation=row.relation, limit=row.limit)
    word = TELL.table("margin_verdicts")[row.verdict]
    return [rest, share, told, row.rule, row.subject, word]


def _columns(rows: list[list[str]]) -> Iterator[str]:
    if not rows:
        yield TELL("none")
        return
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    for row in rows:
        first = [row[0].rjust(widths[0]), row[1].rjust(widths[1])]
        rest = [cell.ljust(width) for cell, width in zip(row[2:], widths[2:], strict=True)]
        yield f"  {'  '.join([*first, *rest])}".rstrip()


def _more(more: More, found: Sensitivity) -> Iterator[str]:
    note = TELL("note", note=_note(more)) if more.note else ""
    failed = [b for b in more.blockers if b.verdict == "fail"]
    if not more.verdict:
        said = _note(more)
    elif failed:
        parts = ", ".join(dict.fromkeys(b.part for b in failed))
        said = TELL("blocked_also" if found.fails else "blocked", parts=parts)
    elif more.blockers:
        said = TELL("nothing_fails_also" if found.fails else "nothing_fails")
    else:
        said = TELL("nothing_new_also" if found.fails else "nothing_new")
    yield TELL("more_cards", more.cards, card=found.card, note=note, said=said)
    for b in more.blockers:
        key = {"part": b.part, "message": b.message, "rule": b.rule}
        yield TELL("blocker" if b.verdict == "fail" else "blocker_unknown", **key)


def _note(more: More) -> str:
    return TELL.table("notes")[more.note if more.verdict else "cannot_be_checked"]


def _frontier(points: tuple[Point, ...]) -> Iterator[str]:
    if not points:
        yield TELL("no_limit")
        return
    yield TELL("limits")
    rows = [list(TELL.table("limit_columns").values())]
    none = TELL("none_found")
    for point in points:
        supply = none if point.supply is None else TELL("watts", watts=point.supply)
        walls = ", ".join(
            TELL("outlet", name=name, volts=number_text(volts), amps=number_text(amps))
            for name, volts, amps in point.outlets
        )
        share = TELL("percent", share=f"{100 * point.share:.0f}")
        rows.append([TELL("watts", watts=point.limit), share, supply, walls or none])
    yield from _columns(rows)


def _turn(turn: Turn) -> str:
    ways = []
    for value, rules, to, is_up in (
        (turn.low, turn.below, turn.falls_to, False),
        (turn.high, turn.above, turn.rises_to, True),
    ):
        if value is not None:
            told = ", ".join(rules)
            ways.append(_way(turn, value, TELL.table("turned")[to], told, is_up=is_up))
    now = _amount(turn.now, turn.unit)
    return TELL("turn", what=turn.what, now=now, ways="; ".join(ways), path=turn.path)


def _way(turn: Turn, edge: float, to: str, rules: str, *, is_up: bool) -> str:
    """How far a datum goes one way with the same verdict, and what becomes of which rules then."""
    if edge == turn.now:
        return TELL("at_once_up" if is_up else "at_once_down", to=to, rules=rules)
    step, end = _amount(abs(edge - turn.now), turn.unit), _amount(edge, turn.unit)
    if is_up:
        return TELL("may_rise", step=step, edge=end, to=to, rules=rules)
    return TELL("may_fall", step=step, edge=end, to=to, rules=rules)


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
        "verdict": more.verdict or "cannot be read",
        "fails_already": list(found.fails),
        "blocked_by": list(dict.fromkeys(b.part for b in more.blockers if b.verdict == "fail")),
        "blockers": [b._asdict() for b in more.blockers],
        "note": _note(more) if more.note or not more.verdict else "",
    }
