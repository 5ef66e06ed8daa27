"""Are values such as are built, in the order they have to be? Do curves rise as they must?"""

from __future__ import annotations

from datetime import date, datetime
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.logic.dimension import side
from buildcheck.logic.interval import evaluate
from buildcheck.logic.parse import names
from buildcheck.logic.sentence import filled
from buildcheck.model.money import Tariff
from buildcheck.model.quantity import Interval, exact, show
from buildcheck.plausible.declared import bounds, by_field, relations
from buildcheck.plausible.look import count_text, unit, within

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.logic.interval import Value
    from buildcheck.logic.sentence import Placeholder
    from buildcheck.plausible.declared import Relation
    from buildcheck.plausible.look import Checks, Doubt, Look

_SAY_DAY = "Write the day, month or year of the price as 'as_of:'"
#: The day these checks were written: a clock that is behind it is wrong.
_FIRST_DAY = date(2026, 11, 21)
#: How far power rises above its rating, by how long: fields of cards, supplies and standards.
_PEAKS = tuple(f"excursion_{w}" for w in ("100us", "1ms", "10ms", "100ms"))


def in_bounds(look: Look) -> Iterator[Doubt]:
    """Every value lies in the bounds of such parts."""
    for field, bound in bounds(look.part.kind).items():
        value = look.of(field)
        if value is not None and not within(value, bound):
            sensible = look.text(field, Interval(bound.low, bound.high))
            message = f"{look.text(field)} is outside {sensible}: {bound.why}"
            yield look.doubt(field, message)


class _Case(NamedTuple):
    """A relation, of the values of one part."""

    relation: Relation
    look: Look

    def worth(self, name: str) -> Value:
        limits = self.relation.limits
        value: Value = limits[name][0] if name in limits else self.look.of(name)
        return value

    def at(self, end: str, name: str) -> Value:
        value = self.worth(name)
        return exact(getattr(value, end)) if end and isinstance(value, Interval) else value

    def is_wrong(self) -> bool:
        is_known = all(self.look.of(name) is not None for name in self.relation.names)
        return is_known and any(
            self.relation.holds(partial(self.at, e)) is False for e in self.relation.ends
        )

    def shown(self, part: Placeholder) -> str:
        name, value = getattr(part.tree, "text", ""), evaluate(part.tree, self.worth)
        if not isinstance(value, Interval):
            return str(value)
        if name:
            return self.look.text(name)
        limits, kind = self.relation.limits, self.look.part.kind
        shapes = {n: limits[n][1] if n in limits else unit(kind, n) for n in names(part.tree)}
        shape: Any = side(part.tree, shapes)
        return show(value, shape)


def related(look: Look) -> Iterator[Doubt]:
    """What holds between the values of such parts holds here."""
    for case in (_Case(relation, look) for relation in relations(look.part.kind)):
        message = filled(case.relation.message, case.shown) if case.is_wrong() else None
        if message:
            yield look.doubt(case.relation.field, message, *filter(None, [case.relation.advice]))


def among_choices(look: Look) -> Iterator[Doubt]:
    """Numbers that come in steps are one of them."""
    for field, (choices, why) in by_field(look.part.kind, "choices").items():
        value = look.of(field)
        if value is not None and not {value.low, value.high} <= {*choices}:
            yield look.doubt(field, f"there is no {look.text(field)}: {why}")


def read_days(look: Look) -> Iterator[Doubt]:
    """No source was read on a day that is still to come."""
    today = max(datetime.now().astimezone().date(), _FIRST_DAY)
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
    for table in ("", "high_", "plain_"):
        known = [(n, v) for p in _PEAKS if (v := look.of(n := f"{table}{p}")) is not None]
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


CHECKS: Checks = {
    "": (in_bounds, related, among_choices, read_days),
    "cloud-instance": (price_days,),
    "country": (price_days,),
    "efficiency": (efficiency,),
    "gpu": (peaks, speed),
    "gpu-architecture": (peaks, speed),
    "psu": (efficiency, peaks),
    "psu-standard": (peaks,),
}
