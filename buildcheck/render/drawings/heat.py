"""The temperature each card would reach, as a range on a scale, beside where it slows down."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.model.quantity import Interval, ends_text
from buildcheck.render.drawings.pen import Drawing, Pen, Table, amount

if TYPE_CHECKING:
    from collections.abc import Callable

    from buildcheck.model.finding import Report
    from buildcheck.model.graph import Subject

_NAMES, _SCALE, _WIDTH, _ROW, _TOP = 8.0, 330.0, 976.0, 42.0, 34.0
#: What is said of a card stands below its name.
_BELOW = 14.0
#: Room for figures beside the hottest bar.
_BESIDE = 110.0
#: The scale, in °C: from a cool room to where no chip runs; longer if an estimate goes beyond.
_COLD, _HOT, _STEP = 20.0, 110.0, 10.0
#: What rules judge of a temperature, and what is said of a card by what they found; worst first.
_JUDGED = "gpu.thermal_loss"
_SAID = {
    "fail": "slows down",
    "waived": "slows down, waived",
    "unknown": "may slow down, too unsure to judge",
    "pass": "nothing to warn of",
    "not-applicable": "not judged: such cards were seen to keep cool",
}


def temperatures(report: Report) -> Drawing:
    """The estimate of each card; without a picture where none can be made."""
    cards = report.graph.of("gpu")
    table = Table(
        "Estimated chip temperature at the power each card is held at, if it did not slow down",
        (
            "Card",
            "Air it breathes is warmer than the room by",
            "Chip",
            "Slows down from",
            "Verdict",
        ),
        tuple(_row(report, card) for card in cards),
    )
    known = [t for c in cards if (t := _temperature(report, c))]
    if not known:
        why = "No temperature can be estimated: places, coolers, sizes or power are not known."
        return Drawing("heat", "Temperatures", "", table, why_not=why)
    hottest = max(_HOT, *(t.high for t in known))
    bottom = _TOP + len(cards) * _ROW
    pen = Pen()

    def at(degrees: float) -> float:
        wide = _WIDTH - _SCALE - _BESIDE
        return _SCALE + (degrees - _COLD) / (hottest - _COLD) * wide

    _scale(pen, at, hottest, bottom)
    for number, card in enumerate(cards):
        _bar(pen, report, card, at, _TOP + number * _ROW)
    return Drawing(
        "heat",
        f"Estimated temperatures of {report.name}",
        "For each card the range its chip would reach if it did not slow down, and a line where "
        "it begins to. The table says the same in words.",
        table,
        _WIDTH,
        bottom + 8,
        tuple(pen.shapes),
        key=(("warm", "estimate"), ("limit", "slows down from here")),
    )


def _scale(pen: Pen, at: Callable[[float], float], hottest: float, bottom: float) -> None:
    """Lines down the drawing, with their degrees."""
    for tick in range(int(_COLD), int(hottest) + 1, int(_STEP)):
        pen.line("grid", (at(tick), _TOP - 6), (at(tick), bottom))
        words = f"{tick} °C" if tick == int(_COLD) else str(tick)
        pen.write(at(tick), _TOP - 12, words, "head", to="middle")


def _bar(pen: Pen, report: Report, card: Subject, at: Callable[[float], float], y: float) -> None:
    """A card's estimate, with its figures and the line where it slows down."""
    pen.write(_NAMES, y + 21, f"{card.id} {card.name}", "small", room=_SCALE - _NAMES - 12)
    warm = _temperature(report, card)
    if warm is None:
        pen.write(_SCALE, y + 21, "not known", "small")
        return
    pen.box(at(warm.low), y + 8, max(at(warm.high) - at(warm.low), 3.0), 18, "warm")
    throttle = report.facts("gpu.throttle_temperature", card)
    beside = warm.high
    if throttle and throttle.is_known:
        pen.line("limit", (at(throttle.low), y + 2), (at(throttle.low), y + _ROW - 2))
        beside = max(beside, throttle.high)
    pen.write(at(beside) + 8, y + 21, amount(warm, "°C"), "small")
    pen.write(_NAMES, y + 21 + _BELOW, _said(report, card), "small", room=_SCALE - _NAMES - 12)


def _said(report: Report, card: Subject) -> str:
    """What the rules make of the estimate, so that the picture says no more than they do."""
    verdicts = {
        f.verdict for f in report.findings if f.subject == card.id and _JUDGED in f.rule.require
    }
    return next((words for verdict, words in _SAID.items() if verdict in verdicts), "")


def _temperature(report: Report, card: Subject) -> Interval | None:
    value = report.facts("gpu.temperature", card)
    return value if isinstance(value, Interval) and value.is_known else None


def _row(report: Report, card: Subject) -> tuple[str, ...]:
    rises = [report.facts(f"gpu.{n}_rise", card) for n in ("case", "neighbour")]
    rise = rises[0] + rises[1] if all(r and r.is_known for r in rises) else None
    throttle = report.facts("gpu.throttle_temperature", card)
    return (
        f"{card.id} {card.name}",
        f"{ends_text(rise)} K" if rise else "not known",
        amount(_temperature(report, card), "°C").replace("? °C", "not known"),
        amount(throttle, "°C").replace("? °C", "not known"),
        _said(report, card),
    )
