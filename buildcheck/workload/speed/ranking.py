"""Chips of the catalogue → how fast they are relative to each other, also for money, in order.

Money is as the guide of 2023 has it: the price of the GPU and of a desktop computer, and the
electricity that the GPU takes over five years of use at 15 %, without losses of the PSU.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple, TypeVar

from buildcheck.catalog import Catalog
from buildcheck.errors import InputError, Problem
from buildcheck.facts.cost import over_a_year
from buildcheck.facts.speed import Compared, Speed, Spread, Work, compare, spread_of
from buildcheck.logic.quantity import Interval, exact
from buildcheck.measure import Facts, measure
from buildcheck.model.frozen import Frozen
from buildcheck.model.graph import Graph, Subject
from buildcheck.model.money import Money, Tariff, read_tariff
from buildcheck.model.part import Part
from buildcheck.model.price import read_cost
from buildcheck.model.rate import Rates
from buildcheck.resolve.circuit import standards
from buildcheck.rulebook.proposals import proposals
from buildcheck.workload.overrides import option_of
from buildcheck.workload.speed.answer import SpeedEstimate, ValueTerms, WorkSpeed

_Money = TypeVar("_Money")
#: Digits that programs get of an estimate.
_DIGITS = 3
#: Kinds of part that have a speed: GPUs, and modules to compare with.
KINDS = ("gpu", "gpu-module")


class Speeds:
    """The speeds of some parts, by their ids."""

    def __init__(self, catalog: Catalog, ids: Iterable[str]) -> None:
        self.parts: dict[str, Part] = {i: catalog.part(i) for i in dict.fromkeys(ids)}
        self.facts, self._gpus = _measured(catalog, self.parts.values())

    def of(self, part_id: str, work: Work) -> Speed | None:
        """The speed of a part at a kind of work; None if it is not known."""
        found: dict[Work, Speed] = self.facts("gpu.speeds", self._gpus[part_id])
        return found.get(work)

    def spread(self, work: Work) -> Spread:
        """How far estimates are off at a kind of work."""
        found = spread_of(work.net, self.facts)
        if found is None:
            raise LookupError(f"no spread of {work.net} is in the catalogue")
        return found

    def relative(self, one: str, other: str, work: Work) -> Compared | None:
        """How many times as fast one part is as another; None if either is not known."""
        a, b = self.of(one, work), self.of(other, work)
        return None if a is None or b is None else compare(a, b, self.spread(work))

    def has_bf16(self, part_id: str) -> bool | None:
        """Does it compute with bfloat16 numbers? None if it is not known."""
        found: bool | None = self.facts("gpu.bf16", self._gpus[part_id])
        return found

    def power(self, part_id: str) -> Interval | None:
        """Watts at work; of a chip those of its reference design."""
        gpu = self._gpus[part_id]
        found: Interval | None = self.facts("gpu.reference_power", gpu)
        return found or self.facts("gpu.board_power", gpu)


def _measured(catalog: Catalog, parts: Iterable[Part]) -> tuple[Facts, dict[str, Subject]]:
    """Facts of parts by themselves, with the constants of the model."""
    gpus = {p.id: Subject(p.id, "gpu", p.name, p.facts, part=p.id) for p in parts}
    standard = Subject("standard", "standard", "standards", standards(catalog))
    return measure(Graph({standard.id: standard, **gpus})), gpus


def known_chips(catalog: Catalog) -> list[str]:
    """Every chip and module whose tensor units are known."""
    rows = chain(*(layer.parts(KINDS[0]) for layer in catalog.index.layers))
    found = {part_id for part_id, row in rows if "tensor_units" in row.plain}
    return [*sorted(found), *catalog.ids(KINDS[1])]


class Rank(NamedTuple):
    """The place of a GPU among others, 1 being first, and how that may differ."""

    usual: int
    best: int
    worst: int


class SpeedRow(Frozen):
    """A GPU of a ranking. `ratio` is over the baseline of the ranking."""

    id: str
    ratio: Compared
    place: Rank


def ranking(
    speeds: Speeds, work: Work, against: str | None = None, cost: Mapping[str, float] | None = None
) -> list[SpeedRow]:
    """The GPUs whose speed is known, fastest first, over the first or the one `against`.

    With what each costs, those that have a cost, by speed per money. A place is as sure as the
    ranges are: a GPU may pass those that are not faster by more than the estimates can be off.
    """
    found = {i: speeds.of(i, work) for i in speeds.parts if cost is None or i in cost}
    known = {i: speed for i, speed in found.items() if speed}
    if not known:
        return []
    spread = speeds.spread(work)

    def per(one: str, other: str) -> Compared:
        usual, ends = compare(known[one], known[other], spread)
        scale = exact(cost[other] / cost[one] if cost else 1.0)
        return Compared(usual * scale.low, ends * scale)

    order = sorted(known, key=lambda i: known[i].usual / (cost[i] if cost else 1.0), reverse=True)
    base = order[0] if against is None or against not in known else against
    return [SpeedRow(i, per(i, base), _place(i, order, per)) for i in order]


def _place(one: str, order: Sequence[str], per: Callable[[str, str], Compared]) -> Rank:
    """After those that are faster in any case, before those that are slower in any case."""
    others = [per(one, other).range for other in order if other != one]
    behind, ahead = sum(r.high < 1 for r in others), sum(r.low > 1 for r in others)
    return Rank(1 + order.index(one), 1 + behind, len(order) - ahead)


def estimate(value: Compared) -> SpeedEstimate:
    """An estimate with the digits that it deserves."""
    ends = (value.usual, value.range.low, value.range.high)
    return SpeedEstimate(*(float(f"{end:.{_DIGITS}g}") for end in ends))


def work_speed(work: Work, value: Compared | None) -> WorkSpeed:
    """An estimate at a kind of work; None is not known."""
    return WorkSpeed(work.use, work.bits, work.net, value and estimate(value))


class Terms(Frozen):
    """What owning a GPU is calculated with. `assumed` names what is not given."""

    desktop: Money
    electricity: Tariff
    use: Interval
    years: Interval
    assumed: tuple[str, ...]

    @property
    def shown(self) -> ValueTerms:
        """The terms as an answer has them."""
        return ValueTerms(
            currency=self.desktop.currency,
            desktop=str(self.desktop),
            electricity=str(self.electricity),
            years=self.years.high,
            use=self.use.high,
            assumed=self.assumed,
        )

    def running(self, power: Interval | None) -> float | None:
        """What the electricity of a GPU costs over the years, by its power in W.

        None if that is not known, or the desktop has another currency.
        """
        if power is None or self.desktop.currency != self.electricity.currency:
            return None
        money = over_a_year(power, self.use) * self.years * self.electricity.each
        return (money.low + money.high) / 2 if money.is_known else None


def terms(
    speeds: Speeds,
    desktop: str | None = None,
    electricity: str | None = None,
    rates: Rates | None = None,
) -> Terms:
    """What is given, and what is assumed for the rest, in the currency of the `rates` if any.

    Raises `InputError` for unclear money.
    """
    offered = {"desktop": proposals().desktop_price, "electricity": proposals().electricity_price}
    own = {"desktop": desktop, "electricity": electricity}
    given = {name: own[name] or offered[name] for name in own}
    problems: list[Problem] = []

    def read(name: str, how: Callable[[str], _Money]) -> _Money:
        try:
            return how(given[name])
        except ValueError as error:
            problems.append(Problem(option_of(name), 0, 0, str(error)))
            return how(offered[name])

    money = (
        read("desktop", read_cost),
        read("electricity", lambda text: read_tariff(text, "kWh", offered["electricity"])),
    )
    InputError.raise_any(problems)
    machine, power = money
    return Terms(
        rates.money(machine) if rates else machine,
        rates.tariff(power) if rates else power,
        speeds.facts.number("standard.use_desktop"),
        speeds.facts.number("standard.ownership_years"),
        tuple(name for name in own if own[name] is None),
    )
