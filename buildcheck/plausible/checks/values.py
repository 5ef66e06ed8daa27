"""Is each value in its bounds, in order, one that there is? Do curves rise as they must?"""

from __future__ import annotations

from datetime import date, datetime
from itertools import pairwise
from typing import TYPE_CHECKING

from buildcheck.model.money import Tariff
from buildcheck.model.quantity import Interval
from buildcheck.plausible.bounds import BOUNDS, CHOICES, ORDERED
from buildcheck.plausible.limits import FIRST_DAY, HIGH_PEAKS, PEAKS, PLAIN_PEAKS
from buildcheck.plausible.look import count_text, within

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.plausible.look import Doubt, Look

_SAY_DAY = "Write the day, month or year of the price as 'as_of:'"


def in_bounds(look: Look) -> Iterator[Doubt]:
    """Every value lies in the bounds of such parts."""
    for field, bound in BOUNDS.get(look.part.kind, {}).items():
        value = look.of(field)
        if value is not None and not within(value, bound):
            sensible = look.text(field, Interval(bound.low, bound.high))
            message = f"{look.text(field)} is outside {sensible}: {bound.why}"
            yield look.doubt(field, message)


def in_order(look: Look) -> Iterator[Doubt]:
    """Of two values that are ordered, the lesser is the lesser."""
    for less, more, why in ORDERED.get(look.part.kind, ()):
        low, high = look.of(less), look.of(more)
        if low is not None and high is not None and (low.low > high.low or low.high > high.high):
            message = f"{look.text(less)} is above {more}, {look.text(more)}: {why}"
            yield look.doubt(less, message, "Check whether the two are mixed up")


def among_choices(look: Look) -> Iterator[Doubt]:
    """Numbers that come in steps are one of them."""
    for (kind, field), (choices, why) in CHOICES.items():
        value = look.of(field) if kind == look.part.kind else None
        if value is not None and not {value.low, value.high} <= {*choices}:
            yield look.doubt(field, f"there is no {look.text(field)}: {why}")


def read_days(look: Look) -> Iterator[Doubt]:
    """No source was read on a day that is still to come."""
    today = max(datetime.now().astimezone().date(), FIRST_DAY)
    sources = (look.part.facts[n].source for n in look.all_own())
    for source in sorted(set(sources)):
        if _day(source.read) > today:
            message = f"'{source.title}' was read on {source.read}, which is still to come"
            yield look.doubt("sources", message, "Write the day you looked it up")


def price_days(look: Look) -> Iterator[Doubt]:
    """A price says of which day or year it is, and that is not after it was read."""
    priced = [look.part.facts[n] for n in sorted(look.all_own())]
    for source in (fact.source for fact in priced if isinstance(fact.value, Tariff)):
        if not source.as_of:
            message = f"'{source.title}' does not say of which day its price is"
            yield look.doubt("sources", message, _SAY_DAY)
        elif source.as_of > source.read:
            message = f"its price is of {source.as_of}, and was read on {source.read}"
            yield look.doubt("sources", message, "Write the day or year that the source says of it")


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return date.min


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
