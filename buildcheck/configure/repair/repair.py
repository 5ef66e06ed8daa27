"""A failing build → the cheapest verified changes with which nothing fails, best if it passes.

The search looks for small sets of moves by the error grades alone. Each is then written into
the text of the build file and judged as `validate` judges it; what fails there is not
shown. Settings come first, then accessories, then other parts; within those, money and speed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from buildcheck.catalog.price_book import price_book
from buildcheck.configure.common import Action
from buildcheck.configure.repair.answer import PatchChange, PatchCost
from buildcheck.configure.repair.moves import FEWER, KINDS
from buildcheck.configure.repair.search import RepairSearch
from buildcheck.configure.repair.states import cost_of
from buildcheck.configure.repair.swaps import SAME_CHIP
from buildcheck.configure.search.classes import CURRENCY, Classes
from buildcheck.configure.stopping import never
from buildcheck.configure.trial import Trials
from buildcheck.edit import changed, edit, named
from buildcheck.errors import InputError
from buildcheck.load.forms import spelt_out
from buildcheck.model.rate import Rates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from decimal import Decimal
    from pathlib import Path

    from buildcheck.catalog.price_book import PriceBook
    from buildcheck.check import Judging
    from buildcheck.configure.repair.states import RepairStep, State
    from buildcheck.configure.stopping import Stop
    from buildcheck.edit import Change
    from buildcheck.model.finding import Finding, Report

#: Most repairs that are shown.
MOST = 8


@dataclass(frozen=True)
class Repair:
    """A way to fix a build, with the file as it would be, judged.

    `steps` are the actions of each move; `warnings` those that were not there before.
    """

    steps: tuple[tuple[Action, ...], ...]
    changes: tuple[PatchChange, ...]
    cost: PatchCost
    raw: bytes
    data: dict[str, Any]
    report: Report
    warnings: tuple[Finding, ...]
    gives_up: bool


@dataclass(frozen=True)
class Repairs:
    """Everything found for one build; `tried` are the kinds of moves that were looked at.

    `stopped` means that it was cut short, so that there may be better ways, or more; `untried` are
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
    judging: Judging,
    prices: Iterable[Path] = (),
    *,
    rates: Rates | None = None,
    stop: Stop = never,
    begun: Callable[[RepairSearch], None] = lambda _: None,
) -> Repairs:
    """Ways to fix a build file, the best first. Raises `InputError` if it cannot be used.

    There are none if nothing fails, or if nothing that was tried helps. `stop` is asked between
    the steps whether to end with what there is; `begun` gets the search.
    """
    report = judging.check(raw, path)
    rates = rates or Rates()
    book = price_book(judging.catalog, prices, rates=rates)
    if not report.failing:
        return Repairs(raw, report, (), ())
    classes = Classes(judging.catalog, book, rates.into or CURRENCY)
    trials = Trials(report, judging, stop, classes)
    start = trials.base
    if start is None or not start.fails:
        return Repairs(raw, report, (), ())
    search = RepairSearch(trials, start)
    begun(search)
    found: list[Repair] = []
    for state in search.repairs():
        if found and found[-1].gives_up and state.families == {FEWER}:
            continue
        made = _verified(state, raw, report, judging, book)
        if made is not None:
            found.append(made)
    found = _shown(sorted((f for f in found if not any(_beats(o, f) for o in found)), key=_order))
    tried, untried = tuple(search.tried.values()), tuple(search.untried)
    return Repairs(raw, report, tuple(found), tried, search.stopped, untried, rates)


def _shown(found: list[Repair]) -> list[Repair]:
    """The first of all; with fewer cards it is always known what can be had."""
    less = [f for f in found if f.gives_up]
    return [*[f for f in found if not f.gives_up][: MOST - len(less)], *less][:MOST]


def _verified(
    state: State,
    raw: bytes,
    before: Report,
    judging: Judging,
    book: PriceBook,
) -> Repair | None:
    """A repair as `validate` sees it; None if it does not let it pass."""
    path = before.document.path
    try:
        text = edit(raw, path, state.changes)
        report = judging.check(text, path)
    except InputError:
        return None
    known = {(f.rule.id, f.subject) for f in before.errors("unknown")}
    if report.failing or {(f.rule.id, f.subject) for f in report.errors("unknown")} - known:
        return None
    old = {(f.rule.id, f.subject) for f in before.findings if f.verdict == "fail"}
    warned = (f for f in report.findings if f.verdict == "fail" and f.severity == "warning")
    warnings = tuple(f for f in warned if (f.rule.id, f.subject) not in old)
    return Repair(
        steps=tuple(tuple(_done(s, state, before, report)) for s in _settings_first(state)),
        changes=tuple(_changes(state, before.document.data)),
        cost=cost_of(state, before, report, book),
        raw=text,
        data=spelt_out(report.document.data),
        report=report,
        warnings=warnings,
        gives_up=FEWER in state.families,
    )


def _changes(state: State, data: dict[str, Any]) -> list[PatchChange]:
    found = []
    for step in state.steps:
        for change in step.way.changes:
            is_case = change.path[0] == "case"
            kind = _kind(step) if is_case else step.move.kind
            before = _standing(data, change)
            found.append(PatchChange(named(change.path), before, change.value, kind))
            data = changed(data, [change])
    return found


def _settings_first(state: State) -> list[RepairStep]:
    """Steps as printed: settings first, though the limit that settled an unknown was found last."""
    return sorted(state.steps, key=lambda s: s.move.kind != KINDS[0])


def _done(step: RepairStep, state: State, before: Report, after: Report) -> Iterator[Action]:
    """What is done in a step; a limit is that of the GPUs that are there in the end."""
    kind, gpus = _kind(step), [report.graph.of("gpu") for report in (before, after)]
    for one in step.way.said:
        values = one.values
        if one.code == "limit" and SAME_CHIP in state.families and all(gpus):
            old, new = (found[0].name for found in gpus)
            rows = [r | {"gpu": new if r["gpu"] == old else r["gpu"]} for r in values["limits"]]
            values = {"limits": rows}
        yield Action(one.code, values, kind)


def _kind(step: RepairStep) -> str:
    """What kind of move a step is; a case exchanged along with risers is another part."""
    is_part = any(c.path[0] == "case" for c in step.way.changes)
    return "swap" if is_part and step.move.kind == "accessory" else step.move.kind


def _standing(data: Any, change: Change) -> Any:
    """What stands at the place of a change before it is made."""
    found: Any = spelt_out(data) if len(change.path) > 1 else data
    for number, step in enumerate(change.path):
        if isinstance(step, int) and isinstance(found, list) and number == len(change.path) - 1:
            # Whole entries are shown as written.
            written = data[str(change.path[0])]
            found = written if isinstance(written, list) else [written]
        try:
            found = found[step]
        except (KeyError, IndexError, TypeError):
            return None
    return found


def _kinds(found: Repair) -> list[int]:
    """The kinds of its steps, other parts first."""
    return sorted((KINDS.index(step[0].kind) for step in found.steps), reverse=True)


def _net(found: Repair) -> Decimal | None:
    """What it costs beyond what is no longer bought; None if that is not known."""
    money, saved = found.cost.money, found.cost.saved
    return None if money is None else money.amount - (saved.amount if saved else 0)


def _beats(one: Repair, other: Repair) -> bool:
    """Is one repair slighter and cheaper than another, with no less speed?"""
    price, more = _net(one), _net(other)
    speed, slower = one.cost.speed.after, other.cost.speed.after
    return (
        not (one is other or one.gives_up or other.gives_up)
        and (_kinds(one), len(one.steps)) < (_kinds(other), len(other.steps))
        and (one.report.passes or not other.report.passes)
        and (price is not None and (more is None or price <= more))
        and (speed is not None and slower is not None and speed >= slower)
        and max(_kinds(other)) > 1
    )


def _order(found: Repair) -> tuple[Any, ...]:
    """Settings before accessories before parts, by the largest change; then what is known to pass.

    Then money, a price that is not known after those that are; then fewer and slighter moves, and
    speed lost.
    """
    net = _net(found)
    before, after = found.cost.speed.before, found.cost.speed.after
    lost = before - after if before is not None and after is not None else 0.0
    unsure = not found.report.passes
    kinds = _kinds(found)
    order = (found.gives_up, kinds[:1], unsure, net is None)
    names = [(a.kind, a.code, str(a.values)) for step in found.steps for a in step]
    return *order, len(kinds), kinds, net or 0, lost, names
