"""The limit of what works, by bisection."""

from __future__ import annotations

from collections.abc import Callable


def nearest(good: int, bad: int, works: Callable[[int], bool]) -> int:
    """The whole number nearest to `bad` that works, as far as bisection tells."""
    while abs(bad - good) > 1:
        middle = (good + bad) // 2
        if works(middle):
            good = middle
        else:
            bad = middle
    return good
