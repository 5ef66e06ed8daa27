"""A failing build → the cheapest verified changes with which nothing fails, best if it passes.

The search looks for small sets of moves by the error grades alone. Each is then written into
the text of the build file and judged as `validate` judges it; what does not stand there is not
shown. Settings come first, then accessories, then other parts; within those, money and speed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.check import check
from buildcheck.configure.engine import Engine
from buildcheck.configure.repair.search import Search, State, Step
from buildcheck.configure.repair.swaps import SAME_CHIP, Swaps
from buildcheck.configure.repair.trial import Bench, Bought
from buildcheck.configure.search.classes import CURRENCY
from buildcheck.configure.stopping import never
from buildcheck.edit import changed, difference, edit, named
from buildcheck.errors import InputError
from buildcheck.load import spelt_out
from buildcheck.model.money import Money
from buildcheck.model.rate import Rates
from buildcheck.price_book import price_book

if TYPE_CHECKING:
    import datetime
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from buildcheck.catalog import Catalog
    from buildcheck.configure.stopping import Stop
    from buildcheck.edit import Change
    from buildcheck.model.finding import Finding, Report
    from buildcheck.price_book import PriceBook
    from buildcheck.rulebook import Rulebook

#: Most repairs that are shown.
MOST = 8
_KINDS = ("setting", "accessory", "swap")


class Changed(NamedTuple):
    """One change of the file: where, from what, to what, and what it is part of."""

    path: str
    before: Any
    after: Any
    kind: str
    text: str


class Priced(NamedTuple):
    """What is bought, or no longer bought, and what one piece costs, if anybody says."""

    pieces: int
    name: str
    each: Money | None
    as_of: datetime.date | None


@dataclass(frozen=True)
class Cost:
    """What a repair costs. Power is what supplies give for hours, in W; speed is over a Tesla V100.

    Each is a pair of before and after, None where it is not known.
    """

    buys: tuple[Priced, ...]
    leaves: tuple[Priced, ...]
    power: tuple[float | None, float | None]
    speed: tuple[float | None, float | None]
    currency: str = CURRENCY

    @property
    def money(self) -> Money | None:
        """The sum of what is bought; None unless all of it has a price in one currency."""
        return _sum(self.buys, self.currency)

    @property
    def saved(self) -> Money | None:
        """The sum of what is no longer bought, likewise."""
        return _sum(self.leaves, self.currency)

    @property
    def as_of(self) -> datetime.date | None:
        """The day of the oldest price."""
        return min((p.as_of for p in self.buys if p.as_of), default=None)


@dataclass(frozen=True)
class Repair:
    """A way to mend a build, with the file as it would be, judged.

    `moves` are what is done, each with its kind; `warnings` those that were not there before.
    """

    moves: tuple[tuple[str, str], ...]
    changes: tuple[Changed, ...]
    cost: Cost
    raw: bytes
    data: dict[str, Any]
    report: Report
    warnings: tuple[Finding, ...]
    gives_up: bool

    def diff(self, raw: bytes, path: str) -> str:
        """What changes in the file."""
        return difference(raw, self.raw, path)


@dataclass(frozen=True)
class Repairs:
    """Everything found for one build; `tried` are the kinds of moves that were looked at.

    `stopped` says that it was cut short, so that there may be better ways, or more; `untried` are
    then the kinds of moves of which not all were looked at. Money is turned by `rates`.
    """

    raw: bytes
    report: Report
    repairs: tuple[Repair, ...]
    tried: tuple[str, ...]
    stopped: bool = False
    untried: tuple[str, ...] = ()
    rates: Rates = field(default_factory=Rates)


def repair(  # noqa: PLR0913 - a build, what judges it, and who watches
    raw: bytes,
    path: str,
    catalog: Catalog,
    rulebook: Rulebook,
    today: datetime.date,
    prices: Iterable[Path] = (),
    *,
    rates: Rates | None = None,
    stop: Stop = never,
    begun: Callable[[Search], None] = lambda _: None,
) -> Repairs:
    """Ways to mend a build file, the best first. Raises `InputError` if it cannot be used.

    There are none if nothing fails, or if nothing that was tried helps. `stop` is asked between
    the steps whether to end with what there is; `begun` is told of the search.
    """
    report = check(raw, path, catalog, rulebook, today)
    engine = Engine(catalog, rulebook, today, prices)
    rates = rates or Rates()
    book = price_book(catalog, engine.prices, rates=rates)
    if not any(f.verdict == "fail" and f.severity == "error" for f in report.findings):
        return Repairs(raw, report, (), ())
    swaps = Swaps(engine, book, rates.into or CURRENCY, stop)
    bench = Bench(report.document, swaps.laws, today)
    start = bench.start()
    if start is None or not start.fails:
        return Repairs(raw, report, (), ())
    search = Search(bench, start, swaps)
    begun(search)
    found = []
    for state in search.repairs():
        made = _verified(state, raw, report, (catalog, rulebook, today), book)
        if made is not None:
            found.append(made)
    found = _shown(sorted((f for f in found if not any(_beats(o, f) for o in found)), key=_order))
    return Repairs(
        raw,
        report,
        tuple(found),
        tuple(search.tried.values()),
        search.stopped,
        tuple(search.untried),
        rates,
    )


def _shown(found: list[Repair]) -> list[Repair]:
    """The first of all; with fewer cards it is always known what can be had."""
    less = [f for f in found if f.gives_up]
    return [*[f for f in found if not f.gives_up][: MOST - len(less)], *less][:MOST]


def _verified(
    state: State,
    raw: bytes,
    before: Report,
    law: tuple[Catalog, Rulebook, datetime.date],
    book: PriceBook,
) -> Repair | None:
    """A repair as `validate` sees it; None if it does not let it pass."""
    path = before.document.path
    try:
        text = edit(raw, path, state.changes)
        report = check(text, path, *law)
    except InputError:
        return None
    known = _grave(before, "unknown")
    if _grave(report, "fail") or _grave(report, "unknown") - known:
        return None
    old = {(f.rule.id, f.subject) for f in before.findings if f.verdict == "fail"}
    warnings = tuple(
        f
        for f in report.findings
        if f.verdict == "fail" and f.severity == "warning" and (f.rule.id, f.subject) not in old
    )
    return Repair(
        moves=tuple((_kind(s), _told(s, state, before, report)) for s in _settings_first(state)),
        changes=tuple(_changes(state, before.document.data)),
        cost=_cost(state, before, report, book),
        raw=text,
        data=spelt_out(report.document.data),
        report=report,
        warnings=warnings,
        gives_up="fewer cards" in state.families,
    )


def _grave(report: Report, verdict: str) -> set[tuple[str, str]]:
    return {
        (f.rule.id, f.subject)
        for f in report.findings
        if f.severity == "error" and f.verdict == verdict
    }


def _changes(state: State, data: dict[str, Any]) -> list[Changed]:
    found = []
    for step in state.steps:
        for change in step.way.changes:
            is_case = change.path[0] == "case"
            kind = _kind(step) if is_case else step.move.kind
            before = _standing(data, change)
            found.append(Changed(named(change.path), before, change.value, kind, step.way.text))
            data = changed(data, [change])
    return found


def _settings_first(state: State) -> list[Step]:
    """The steps as they are told: a limit that settled what was open was found last."""
    return sorted(state.steps, key=lambda s: s.move.kind != _KINDS[0])


def _told(step: Step, state: State, before: Report, after: Report) -> str:
    """What is done in a step; a limit is that of the cards that are there in the end."""
    cards = [report.graph.of("gpu") for report in (before, after)]
    if step.move.family.startswith("limit") and SAME_CHIP in state.families and all(cards):
        old, new = (found[0].name for found in cards)
        return step.way.text.replace(old, new)
    return step.way.text


def _kind(step: Step) -> str:
    """What kind of move a step is; a case exchanged along with risers is another part."""
    is_part = any(c.path[0] == "case" for c in step.way.changes)
    return "swap" if is_part and step.move.kind == "accessory" else step.move.kind


def _standing(data: Any, change: Change) -> Any:
    """What stands at the place of a change before it is made."""
    found: Any = spelt_out(data) if len(change.path) > 1 else data
    for number, step in enumerate(change.path):
        if isinstance(step, int) and isinstance(found, list) and number == len(change.path) - 1:
            # Whole entries are told as they are written.
            written = data[str(change.path[0])]
            found = written if isinstance(written, list) else [written]
        try:
            found = found[step]
        except (KeyError, IndexError, TypeError):
            return None
    return found


# -- what it costs ---------------------------------------------------------------


def _cost(state: State, before: Report, after: Report, book: PriceBook) -> Cost:
    ways = [s.way for s in state.steps]
    return Cost(
        tuple(_priced(b, book) for w in ways for b in w.buys),
        tuple(_priced(b, book) for w in ways for b in _joined(w.leaves)),
        (_power(before), _power(after)),
        (_speed(before), _speed(after)),
        book.into or CURRENCY,
    )


def _joined(parts: Iterable[Bought]) -> list[Bought]:
    """The same with equal parts counted together."""
    found: dict[tuple[str | None, str], int] = {}
    for part in parts:
        key = (part.part, part.name)
        found[key] = found.get(key, 0) + part.pieces
    return [Bought(part, pieces, name) for (part, name), pieces in found.items()]


def _priced(bought: Bought, book: PriceBook) -> Priced:
    listed = book.of(bought.part) if bought.part else None
    each = Money(listed.amount, listed.currency) if listed else None
    return Priced(bought.pieces, bought.name, each, listed.as_of if listed else None)


def _sum(lines: tuple[Priced, ...], currency: str) -> Money | None:
    """What lines cost, nothing in `currency` without any; None where that cannot be said."""
    currencies = {p.each.currency if p.each else "" for p in lines}
    if not lines:
        return Money(Decimal(0), currency)
    if "" in currencies or len(currencies) > 1:
        return None
    total = sum((p.each.amount * p.pieces for p in lines if p.each), start=Decimal(0))
    return Money(total, currencies.pop())


def _power(report: Report) -> float | None:
    """What the supplies give for hours, in W; the high end of a range."""
    loads = [report.facts("psu.train_load", psu) for psu in report.graph.of("psu")]
    known = [load.high for load in loads if load is not None and load.is_known]
    return sum(known) if known and len(known) == len(loads) else None


def _speed(report: Report) -> float | None:
    """Estimated training speed of all cards at their limits, a Tesla V100 being 1."""
    speeds = [report.facts("gpu.estimated_speed", card) for card in report.graph.of("gpu")]
    known = [speed.low for speed in speeds if speed is not None and speed.is_known]
    return sum(known) if known and len(known) == len(speeds) else None


def _kinds(found: Repair) -> list[int]:
    """The kinds of its moves, the gravest first."""
    return sorted((_KINDS.index(kind) for kind, _ in found.moves), reverse=True)


def _net(found: Repair) -> Decimal | None:
    """What it costs beyond what is no longer bought; None if that is not known."""
    money, saved = found.cost.money, found.cost.saved
    return None if money is None else money.amount - (saved.amount if saved else 0)


def _beats(one: Repair, other: Repair) -> bool:
    """Is one repair slighter and cheaper than another, with no less speed?"""
    price, more = _net(one), _net(other)
    speed, slower = one.cost.speed[1], other.cost.speed[1]
    return (
        not (one is other or one.gives_up or other.gives_up)
        and (_kinds(one), len(one.moves)) < (_kinds(other), len(other.moves))
        and (one.report.verdict == "pass" or other.report.verdict != "pass")
        and (price is not None and (more is None or price <= more))
        and (speed is not None and slower is not None and speed >= slower)
        and max(_kinds(other)) > 1
    )


def _order(found: Repair) -> tuple[Any, ...]:
    """Settings before accessories before parts, by the gravest; then what is known to pass.

    Then money, a price that is not known after those that are; then fewer and slighter moves, and
    speed lost.
    """
    net = _net(found)
    before, after = found.cost.speed
    lost = before - after if before is not None and after is not None else 0.0
    unsure = found.report.verdict != "pass"
    kinds = _kinds(found)
    order = (found.gives_up, kinds[:1], unsure, net is None)
    return *order, len(kinds), kinds, net or 0, lost, found.moves
