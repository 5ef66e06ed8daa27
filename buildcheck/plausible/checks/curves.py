"""Do values that are measured at several loads or times rise and fall as they must?"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from buildcheck.plausible.limits import HIGH_PEAKS, PEAKS, PLAIN_PEAKS
from buildcheck.plausible.look import count_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.plausible.look import Doubt, Look


def peaks(look: Look) -> Iterator[Doubt]:
    """What rises highest lasts shortest, in cards and in what supplies survive."""
    for names in (PEAKS, HIGH_PEAKS, PLAIN_PEAKS):
        known = [(n, v) for n in names if (v := look.of(n)) is not None]
        for (shorter, more), (longer, less) in pairwise(known):
            if less.low > more.low or less.high > more.high:
                message = f"{count_text(less)} is above {shorter}, {count_text(more)}"
                yield look.doubt(longer, message, "Longer peaks are lower: check both")


def speed(look: Look) -> Iterator[Doubt]:
    """To full speed at full power, and never more than it."""
    curve = look.of("speed_at_limit")
    if not curve:
        return
    speeds = [y for _, y in curve]
    if speeds != sorted(speeds) or curve[-1] != (1.0, 1.0):
        message = "speed rises with the limit, to full speed at full power"
        yield look.doubt("speed_at_limit", message, "End it with [1, 1], and let it rise")


def efficiency(look: Look) -> Iterator[Doubt]:
    """Between a half and one at every load, and no worse at high voltage."""
    low, high = (dict(look.of(f"efficiency_{line}_line") or ()) for line in ("low", "high"))
    for field, curve in (("efficiency_low_line", low), ("efficiency_high_line", high)):
        if not all(0 < x <= 1 for x in curve):
            yield look.doubt(field, "loads are shares of the rating", "Write 0.5 for half load")
        if not all(1 / 2 < y < 1 for y in curve.values()):
            yield look.doubt(field, "efficiencies lie between a half and one")
    worse = [x for x in low if x in high and high[x] < low[x]]
    if worse:
        message = f"at a load of {worse[0]:g} it is worse than at low voltage"
        yield look.doubt("efficiency_high_line", message, "Check whether the two are mixed up")
