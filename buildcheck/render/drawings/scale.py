"""Scales: which values lines are drawn at."""

from __future__ import annotations

import math

#: Steps people read off a scale, and about how many there are.
_NICE = (1, 2, 5, 10)
_TICKS = 5


def span(values: list[float]) -> tuple[float, float, float]:
    """The ends of a scale that holds values, and the distance of its lines."""
    least, most = min(values), max(values)
    rough = (most - least or abs(most) or 1.0) / _TICKS
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(n * size for n in _NICE if n * size >= rough * (1 - 1e-9))
    low, high = math.floor(least / step) * step, math.ceil(most / step) * step
    return low, high if high > low else low + step, step


def ticks(least: float, most: float, step: float) -> list[float]:
    """The values that lines stand at."""
    return [least + n * step for n in range(round((most - least) / step) + 1)]
