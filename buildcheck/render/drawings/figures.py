"""Charts of answers; None where there is nothing to draw."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from buildcheck.model.answer import Figure
from buildcheck.model.labels import subject_label
from buildcheck.render.drawings.chart import ChartLine, ChartRow, line_chart, row_chart
from buildcheck.render.drawings.pen import Drawing, Pen
from buildcheck.render.templates import words
from buildcheck.report.answer import BudgetAnswer, BuildAnswer, LimitCurve

if TYPE_CHECKING:
    from buildcheck.purchasing.cost.answer import CostAnswer
    from buildcheck.workload.fit.answer import FitAnswer
    from buildcheck.workload.scale.answer import ScaleAnswer
    from buildcheck.workload.speed.answer import SpeedAnswer

#: In °C: from a cool room to where no chip runs; longer if an estimate goes beyond.
_DEGREES = (20, 110)
#: Where a logarithmic scale of speeds has marks, and one of billions of parameters.
_SPEEDS = (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)
_SIZES = (0.1, 1, 10, 100, 1000, 10000)
#: Size of a budget's bar, how far its scale goes beyond what is available, and its styles.
_BAR, _BEYOND = (220.0, 18.0), 1.2
_STYLES = {"within": "fits", "edge": "may", "over": "over"}
_DAYS = 365.0


def _ends(value: Figure) -> tuple[float, float]:
    """Both ends; a missing low one is 0, a missing high one the low."""
    return value.low or 0.0, value.high or value.low or 0.0


def bar(budget: BudgetAnswer) -> Drawing:
    """What is used of a budget, lighter up to the high end, and lines at what is available."""
    (low, high), limits = _ends(budget.used), _ends(budget.available)
    width, height = _BAR
    pen, style = Pen(), _STYLES[budget.state if budget.severity != "error" else "over"]
    scale = width / max(limits[1] * _BEYOND, high, 1e-9)
    for end, name in ((width / scale, "trough"), (high, f"{style} most"), (low, style)):
        pen.box(0, 2, end * scale, height - 4, name)
    for end in sorted(set(limits)):
        pen.line("limit", (end * scale, 0), (end * scale, height))
    return pen.drawn("", height, width)


def temperatures(build: BuildAnswer) -> Drawing | None:
    """The range each GPU would reach, and where it throttles."""
    rows = []
    for row in build.placement.heat:
        found = row.temperature
        if found and found.low is not None and found.high is not None:
            style = "warm bad" if row.verdict == "fail" else "warm"
            limit = row.throttles_at.low if row.throttles_at else None
            ranges = ((found.low, found.high, style),)
            rows.append(ChartRow(subject_label(row.subject), str(found), ranges, limit=limit))
    last = max([_DEGREES[1], *(math.ceil(row.ranges[0][1] / 10) * 10 for row in rows)])
    marks = {float(n): str(n) for n in range(_DEGREES[0], last + 1, 10)}
    return row_chart("heat", words("limit").DEGREES, {"": rows}, marks) if rows else None


def limit_curves(build: BuildAnswer) -> Drawing | None:
    """Speed of each GPU model, and load of each PSU, over power limits."""
    shares = {point.share for curve in build.limit_speeds for point in curve.points}
    if min(shares, default=0) == max(shares, default=0):
        return None
    say = words("limit")
    panels = {say.SPEED: _limit_lines(build.limit_speeds, "%")}
    if build.limit_loads:
        panels[say.LOAD] = _limit_lines(build.limit_loads, "W")
    tens = range(math.ceil(min(shares) / 10 - 1e-9) * 10, 101, 10)
    return line_chart("limit", say.SHARE, panels, {float(n): f"{n} %" for n in tens})


def _limit_lines(curves: tuple[LimitCurve, ...], unit: str) -> list[ChartLine]:
    found = list[ChartLine]()
    for curve in curves:
        now, text = curve.as_set, words("limit").line(curve, unit).strip()
        dot = (now.share, sum(_ends(now.value)) / 2) if now else None
        points = tuple((p.share, *_ends(p.value)) for p in curve.points)
        found.append(ChartLine(text, points, dot, curve.most.low if curve.most else None))
    return found


def owning_drawing(answer: CostAnswer) -> Drawing | None:
    """Money spent over the years by owning and by renting, and where both cost as much."""
    last, say = answer.spent[-1] if answer.spent else None, words("cost")
    if not last or not last.owned or not last.rented or not answer.machine:
        return None
    start, end = float(answer.machine.amount.amount), float(last.year)
    even = answer.break_even.days if answer.break_even else None
    dot = None
    if even and even.low is not None and even.high is not None:
        year = (even.low + even.high) / 2 / _DAYS
        dot = (year, sum(_ends(last.rented)) / 2 * year / end) if year <= end else None
    lines = [
        ChartLine(say.owned(answer), ((0.0, start, start), (end, *_ends(last.owned))), dot),
        ChartLine(say.rented(answer), ((0.0, 0.0, 0.0), (end, *_ends(last.rented)))),
    ]
    panels = {say.spent(answer).strip(): lines}
    return line_chart("owning", say.YEARS, panels, {float(n): str(n) for n in range(last.year + 1)})


def scaling_drawing(answer: ScaleAnswer) -> Drawing | None:
    """Speed-ups of one job from one GPU to all."""
    say, lines = words("scale"), []
    for field, name in say.LINES.items():
        found = [(share.gpus, getattr(share.times, field)) for share in answer.shares]
        if found and all(value and value.high is not None for _, value in found):
            points = ((1, 1.0, 1.0), *((gpus, *_ends(value)) for gpus, value in found))
            lines.append(ChartLine(f"{name}: {say.times(found[-1][1])}", points))
    numbers = [1, *(share.gpus for share in answer.shares)]
    if not lines:
        return None
    lines.append(ChartLine(say.IDEAL, tuple((n, n, n) for n in numbers)))
    marks = {float(n): str(n) for n in numbers}
    return line_chart("scaling", say.AXES[0], {say.AXES[1]: lines}, marks)


def largest_drawing(answer: FitAnswer) -> Drawing | None:
    """How large a model fits by each technique."""
    say = words("fit")
    groups: dict[str, list[ChartRow]] = {}
    for one in answer.largest:
        for model in one.models:
            low, high = _ends(model.parameters) if model.parameters else (0.0, 0.0)
            ranges = ((0.0, high, "fits most"), (0.0, low, "fits")) if high else ()
            row = ChartRow(say.TECHNIQUES[model.technique], say.reach(model.parameters), ranges)
            groups.setdefault(say.WORK[one.kind], []).append(row)
    most = max((r.ranges[0][1] for rows in groups.values() for r in rows if r.ranges), default=0.0)
    last = next((n for n, size in enumerate(_SIZES) if size >= most), len(_SIZES) - 1)
    marks = {size: f"{size:,}" for size in _SIZES[: max(last, 2) + 1]}
    return row_chart("sizes", say.AXIS, groups, marks, is_log=True) if most else None


def known_drawing(answer: SpeedAnswer) -> Drawing | None:
    """Speeds next to other GPUs, in a group for each kind of work."""
    say = words("speed")
    groups: dict[str, list[ChartRow]] = {}
    for gpu in answer.known:
        for work in gpu.works:
            # Training of two kinds of net differs too little for two groups.
            if work.speed and work.architecture == gpu.works[0].architecture:
                speed = work.speed
                ranges = ((speed.low, speed.high, "warm"),)
                row = ChartRow(gpu.name, say.speed(speed), ranges, speed.usual)
                groups.setdefault(say.work(work), []).append(row)
    if not groups:
        return None
    ends = [end for rows in groups.values() for row in rows for end in row.ranges[0][:2]]
    least = max((m for m in _SPEEDS if m <= min(ends)), default=_SPEEDS[0])
    most = min((m for m in _SPEEDS if m >= max(ends)), default=_SPEEDS[-1])
    marks = {m: f"{m:g}" for m in _SPEEDS if least <= m <= most}
    return row_chart("speed", say.known_axis(answer), groups, marks, is_log=True)
