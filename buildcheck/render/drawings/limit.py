"""What other power limits would do: training speed and load of the supplies against the limit.

Two panels over one scale, which is the limit as a share of each card's default: above the speed
of each model, below the load of each supply beside what it can give. Dots mark the limits that
the build sets.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from buildcheck.model.quantity import Interval, exact, number_text, percent
from buildcheck.render.drawings.pen import Drawing, Pen, Table, amount

if TYPE_CHECKING:
    from buildcheck.facts.sweeps import Setting
    from buildcheck.model.finding import Report
    from buildcheck.model.graph import Subject

_LEFT, _WIDTH, _RIGHT = 78.0, 976.0, 330.0
_TOP, _PANEL, _APART = 34.0, 150.0, 46.0
_DECADE = 10
#: The height of a label beside a panel, and how many kinds of line there are.
_LABEL, _STYLES = 40.0, 4
#: Steps people read off a scale.
_NICE = (1, 2, 5, 10)
_TICKS = 4


#: A value as a place on the drawing.
_Scale = Callable[[float], float]


class _Curve(NamedTuple):
    """One line of a panel: what it is of, its points, and the point that the build sets."""

    name: str
    settings: tuple[Setting, ...]
    values: tuple[Interval, ...]
    share: Interval | None
    value: Interval | None
    most: Interval | None = None
    #: Watts that a card is held at.
    held: Interval | None = None

    @property
    def point(self) -> tuple[Interval, Interval] | None:
        """The share that the build sets and its value there; None if either is not known."""
        if self.share is None or self.value is None or not self.value.is_known:
            return None
        return self.share, self.value


def limit_curves(report: Report) -> Drawing:
    """The two panels; without a picture where the curve of no card is known."""
    speeds, loads = _speeds(report), _loads(report)
    table = _table(speeds, loads)
    if not speeds:
        why = (
            "What another power limit would do is not known: nobody has measured how the speed "
            "of these cards falls with it, or how low it can be set."
        )
        return Drawing("limit", "Power limit", "", why_not=why)
    lowest = min(s.share for c in (*speeds, *loads) for s in c.settings)
    pen = Pen()
    title = "Training speed, share of full speed"
    bottom = _panel(pen, title, speeds, (lowest, _TOP), shares=True)
    if loads:
        below = (lowest, bottom + _APART)
        bottom = _panel(pen, "Load for hours, W", loads, below, shares=False)
    pen.write(_LEFT, bottom + 36, _scale_words(report), "head")
    return Drawing(
        "limit",
        f"Speed and load against the power limit, {report.name}",
        "Above the training speed of each model, below the load of each supply for hours, both "
        "against the power limit as a share of the default. Dots mark what the build sets. The "
        "table says the same in words.",
        table,
        _WIDTH,
        bottom + 44,
        tuple(pen.shapes),
        key=(
            ("curve", "at other limits"),
            ("dot", "as the build sets it"),
            ("limit", "what the supply can give"),
        ),
    )


def _scale_words(report: Report) -> str:
    defaults = {report.facts("gpu.board_power", c) for c in report.graph.of("gpu")}
    words = "Power limit as a share of each card's default"
    if len(defaults) == 1 and (only := defaults.pop()):
        words += f", which is {amount(only, 'W')}"
    return words


def _speeds(report: Report) -> list[_Curve]:
    """A curve for each model and limit."""
    found: dict[tuple[str, Interval | None], _Curve] = {}
    for card in report.graph.of("gpu"):
        sweep = report.facts("gpu.limit_sweep", card)
        if not sweep:
            continue
        share, speed = _set(report, card), report.facts("gpu.limited_speed", card)
        values = tuple(s.speed for s in sweep)
        held = report.facts("gpu.sustained_power", card)
        curve = _Curve(card.name, sweep, values, share, speed, held=held)
        found.setdefault((card.name, share), curve)
    return list(found.values())


def _set(report: Report, card: Subject) -> Interval | None:
    """The limit that the build sets, as a share of the default."""
    held, default = (report.facts(f"gpu.{n}_power", card) for n in ("sustained", "board"))
    if held is None or default is None:
        return None
    if report.facts("gpu.power_limit", card) is None:
        return exact(1.0)
    share: Interval = held / default
    return share


def _loads(report: Report) -> list[_Curve]:
    found = []
    for psu in report.graph.of("psu"):
        sweep = report.facts("psu.limit_sweep", psu)
        if not sweep or not all(s.watts.is_known for s in sweep):
            continue
        cards = report.graph.ends("feeds", psu)
        shares = {_set(report, card) for card in cards}
        share = shares.pop() if len(shares) == 1 else None
        load, most = (report.facts(f"psu.{n}", psu) for n in ("train_load", "usable_power"))
        values = tuple(s.watts for s in sweep)
        known = most if most and most.is_known else None
        found.append(_Curve(f"{psu.id} {psu.name}", sweep, values, share, load, known))
    return found


def _panel(
    pen: Pen, title: str, curves: list[_Curve], where: tuple[float, float], *, shares: bool
) -> float:
    """One panel from its upper edge; where it ends."""
    lowest, top = where
    height = max(_PANEL, len(curves) * _LABEL)
    bottom = top + height
    factor = 100.0 if shares else 1.0
    values = [v for c in curves for v in (*c.values, *([c.most] if c.most else []))]
    least, most = _ends([v.low * factor for v in values], [v.high * factor for v in values])
    step = _step(most - least)
    least = math.floor(least / step) * step

    def x(share: float) -> float:
        whole = max(1.0 - lowest, 1e-9)
        return _LEFT + (share - lowest) / whole * (_WIDTH - _LEFT - _RIGHT)

    def y(value: float) -> float:
        return bottom - (value * factor - least) / max(most - least, 1e-9) * height

    pen.write(8, top - 14, title, "head")
    for number in range(math.ceil(least / step), math.floor(most / step + 1e-9) + 1):
        at = y(number * step / factor)
        pen.line("grid", (_LEFT, at), (_WIDTH - _RIGHT, at))
        words = f"{number_text(number * step)}{' %' if shares else ''}"
        pen.write(_LEFT - 8, at + 4, words, "head", to="end")
    for tenth in range(math.ceil(lowest * _DECADE - 1e-9), _DECADE + 1):
        at = x(tenth / _DECADE)
        pen.line("grid", (at, top), (at, bottom))
        pen.write(at, bottom + 16, f"{tenth * 10} %", "head", to="middle")
    for number, curve in enumerate(curves):
        style = f"curve c{number % _STYLES}"
        _curve(pen, curve, style, (x, y))
        _label(pen, curve, style, top + number * _LABEL, shares=shares)
    return bottom


def _ends(lows: list[float], highs: list[float]) -> tuple[float, float]:
    least, most = min(lows), max(highs)
    room = (most - least) * 0.05 or 1.0
    return max(0.0, least - room), most + room


def _step(span: float) -> float:
    """The distance of lines on a scale, in numbers people read off."""
    rough = span / _TICKS
    size = 10.0 ** math.floor(math.log10(rough)) if rough > 0 else 1.0
    return next((n * size for n in _NICE if n * size >= rough), 10 * size)


def _curve(pen: Pen, curve: _Curve, style: str, scales: tuple[_Scale, _Scale]) -> None:
    x, y = scales
    upper = [(x(s.share), y(v.high)) for s, v in zip(curve.settings, curve.values, strict=True)]
    lower = [(x(s.share), y(v.low)) for s, v in zip(curve.settings, curve.values, strict=True)]
    if lower != upper:
        pen.area("band", *upper, *reversed(lower))
        pen.line(style, *lower)
    pen.line(style, *upper)
    if curve.most is not None:
        for value in sorted({curve.most.low, curve.most.high}):
            pen.line("limit", (_LEFT, y(value)), (x(1.0), y(value)))
    if curve.point:
        share, held = curve.point
        spot = min(x(1.0), (x(share.low) + x(share.high)) / 2)
        pen.dot(spot, (y(held.low) + y(held.high)) / 2, 5, "dot")


def _label(pen: Pen, curve: _Curve, style: str, y: float, *, shares: bool) -> None:
    """What a line is of, and where the build stands on it, beside the panel."""
    x = _WIDTH - _RIGHT + 12
    pen.line(style, (x, y + 8), (x + 22, y + 8))
    pen.write(x + 28, y + 12, curve.name, "small", room=_RIGHT - 44)
    most = amount(curve.most, "W") if curve.most else ""
    if curve.point:
        share, value = curve.point
        told = percent(value) if shares else amount(value, "W")
        words = f"{told}{f' of {most}' if most else ''} at {percent(share)}"
        pen.write(x + 28, y + 28, words, "strong", room=_RIGHT - 44)
    elif most:
        pen.write(x + 28, y + 28, f"limits differ; it can give {most}", "small")


def _table(speeds: list[_Curve], loads: list[_Curve]) -> Table | None:
    """Every setting, in words: limits down, models and supplies across."""
    if not speeds:
        return None
    shares = sorted({s.share for c in (*speeds, *loads) for s in c.settings})
    head = ["Limit, share of default"]
    for curve in speeds:
        head += [f"{curve.name}: limit", f"{curve.name}: speed"]
    head += [f"{c.name}: load of {amount(c.most, 'W')}" for c in loads]
    rows = [_as_set(speeds, loads)]
    for share in shares:
        row = [f"{100 * share:.0f} %"]
        for curve in speeds:
            row += [_at(curve, share, "watts"), _at(curve, share, "speed")]
        rows.append((*row, *(_at(c, share, "watts") for c in loads)))
    return Table("What other power limits would do", tuple(head), tuple(rows))


def _as_set(speeds: list[_Curve], loads: list[_Curve]) -> tuple[str, ...]:
    """The first row: everything as the build sets it."""
    row = ["as the build sets it"]
    for curve in speeds:
        held = f"{amount(curve.held, 'W')}, {percent(curve.share)}" if curve.share else "not known"
        row += [held, percent(curve.value) if curve.value else "not known"]
    return (*row, *(amount(curve.value, "W") for curve in loads))


def _at(curve: _Curve, share: float, what: str) -> str:
    found = next((s for s in curve.settings if s.share == share), None)
    if found is None:
        return "below what a card takes" if share < curve.settings[0].share else "not reckoned"
    if what == "speed":
        return percent(found.speed) if found.speed else "not known"
    return amount(found.watts, "W")
