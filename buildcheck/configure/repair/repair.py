"""A failing build → the cheapest verified changes with which nothing fails, best if it passes.

The search looks for small sets of moves by the error grades alone. Each is then written into
the text of the build file and judged as `validate` judges it; what fails there is not
shown. Settings come first, then accessories, then other parts; within those, money and speed.
"""

from collections.abc import Callable, Iterable
from dataclasses import field
from decimal import Decimal
from pathlib import Path
from typing import Any

from buildcheck.catalog.price_book import PriceBook
from buildcheck.configure.common import Action, brief_findings, file_change, unjudged
from buildcheck.configure.repair import patches
from buildcheck.configure.repair.answer import PatchAnswer, RepairAnswer
from buildcheck.configure.repair.moves import FEWER, KINDS
from buildcheck.configure.repair.patches import State
from buildcheck.configure.repair.search import RepairSearch
from buildcheck.configure.search.classes import CURRENCY, Classes
from buildcheck.configure.stopping import Stop, never
from buildcheck.configure.trial import Trials
from buildcheck.edit import difference, edit
from buildcheck.errors import InputError
from buildcheck.load.price_list import price_book
from buildcheck.model.answer import brief
from buildcheck.model.finding import FAILING, Report
from buildcheck.model.rate import Rates
from buildcheck.pipeline import Judging
from buildcheck.report.missing import missing_answers

#: Most repairs that are shown.
MOST = 8
#: Nothing, where something is always given.
_NONE: Any = None


class Repair(PatchAnswer):
    """A way to fix a build; the actions of each step, the file as it would be, and its report."""

    steps: tuple[tuple[Action, ...], ...] = field(default=(), metadata=brief())
    raw: bytes = field(default=b"", metadata=brief())
    report: "Report" = field(default=_NONE, metadata=brief())


def repair(  # noqa: PLR0913 - a build, what judges it, and who watches
    raw: bytes,
    path: str,
    judging: "Judging",
    prices: "Iterable[Path]" = (),
    *,
    rates: Rates | None = None,
    stop: "Stop" = never,
    begun: Callable[[RepairSearch], None] = lambda _: None,
) -> RepairAnswer:
    """Ways to fix a build file, the best first. Raises `InputError` if it cannot be used.

    There are none if nothing fails, or if nothing that was tried helps. `stop` is asked between
    the steps whether to end with what there is; `begun` gets the search.
    """
    report = judging.check(raw, path)
    rates = rates or Rates()
    book = price_book(judging.catalog, prices, rates=rates)
    classes = Classes(judging.catalog, book, rates.into or CURRENCY)
    search = search_for(Trials(report, judging, stop, classes))
    if search:
        begun(search)
    return _answer(report, repairs_of(search, raw, book) if search else [], search, rates)


def search_for(trials: Trials) -> RepairSearch | None:
    """What looks for repairs of a judged build; None if nothing fails."""
    start = trials.base if trials.report.failing else None
    return RepairSearch(trials, start) if start and start.wrong else None


def repairs_of(search: RepairSearch, raw: bytes, book: "PriceBook") -> list[Repair]:
    """The repairs of a build file that a search finds, the best first."""
    verified = (_verified(state, raw, search.trials, book) for state in search.repairs())
    found = [*filter(None, verified)]
    best = [f for f in found if not any(_beats(one, f) for one in found)]
    best.sort(key=_order)
    # With fewer cards it is always known what can be had.
    less = [f for f in best if f.gives_up]
    return [*[f for f in best if not f.gives_up][: MOST - len(less)], *less][:MOST]


def _answer(
    report: "Report", found: list[Repair], search: RepairSearch | None, rates: Rates
) -> RepairAnswer:
    """What was found; the rest of it is of the build as it is, and of the search if there was any.

    Where all ways give up GPUs, a new machine for them can be looked for.
    """
    fails = tuple(f for f in brief_findings(report, *FAILING) if f.severity == "error")
    stopped = bool(search and search.stopped)
    is_less = fails and not stopped and all(one.gives_up for one in found)
    tried = set(search.tried.values()) if search else set()
    return RepairAnswer(
        file=report.document.path,
        name=" ".join(report.name.split()),
        digest=report.document.digest,
        verdict=report.verdict,
        fails=fails,
        repairs=tuple(found),
        unknown=unjudged(report),
        missing=missing_answers(report),
        tried=tuple(kind for kind in KINDS if kind in tried),
        stopped=stopped,
        rates=tuple(rate.text for rate in rates.all),
        new_machine=patches.new_machine(report) if is_less else None,
    )


def _verified(state: "State", raw: bytes, trials: Trials, book: "PriceBook") -> Repair | None:
    """A repair as `validate` sees it; None if it does not let it pass."""
    before = trials.report
    path = before.document.path
    try:
        text = edit(raw, path, state.changes)
        # Where all of the file is in its data, these were judged already.
        is_whole = not before.document.unread and "quotes" not in before.document.data
        report = (state.trial.report if is_whole else None) or trials.judging.check(text, path)
    except InputError:
        return None
    known = {(f.rule.id, f.subject) for f in before.errors("unknown", "not-listed")}
    if report.failing or {(f.rule.id, f.subject) for f in report.errors("unknown")} - known:
        return None
    warned = (f for f in before.findings if (f.verdict, f.severity) == ("fail", "warning"))
    old = {(f.rule.id, f.subject) for f in warned}
    steps = patches.steps_of(state, before, report)
    return Repair(
        actions=tuple(action for step in steps for action in step),
        verdict=report.verdict,
        cost=patches.cost_of(state, before, report, book),
        changes=tuple(map(file_change, state.changes)),
        diff=difference(raw, text, path),
        gives_up=FEWER in state.families,
        new_warnings=tuple(
            f
            for f in brief_findings(report, "fail")
            if f.severity == "warning" and {(f.rule, s) for s in f.subjects or (f.subject,)} - old
        ),
        unknown=unjudged(report),
        steps=steps,
        raw=text,
        report=report,
    )


def _kinds(found: Repair) -> list[int]:
    """The kinds of its steps, other parts first."""
    return sorted((KINDS.index(step[0].kind) for step in found.steps), reverse=True)


def _net(found: Repair) -> Decimal | None:
    """What it costs beyond what is no longer bought; None if that is not known."""
    money, saved = found.cost.money, found.cost.saved
    return None if money is None else money.amount - (saved.amount if saved else 0)


def _beats(one: Repair, other: Repair) -> bool:
    """Is one repair slighter and cheaper than another, with no less speed, or part of it?"""
    price, more = _net(one), _net(other)
    speed, slower = one.cost.speed.after, other.cost.speed.after
    few, many = ({(c.path, str(c.value)) for c in found.changes} for found in (one, other))
    return few < many or (
        not (one is other or one.gives_up or other.gives_up)
        and (_kinds(one), len(one.steps)) < (_kinds(other), len(other.steps))
        and (one.report.passes or not other.report.passes)
        and (price is not None and (more is None or price <= more))
        and (speed is not None and slower is not None and speed >= slower)
        and max(_kinds(other)) > 1
    )


def _order(found: Repair) -> tuple[Any, ...]:
    """Settings before accessories before parts, by the largest change; then what is known to pass.

    Then what keeps the GPUs; then money, a price that is not known after those that are; then fewer
    and slighter moves, and speed lost.
    """
    net = _net(found)
    others = any(c.path.startswith("gpus") and c.key in ("part", c.path) for c in found.changes)
    before, after = found.cost.speed.before, found.cost.speed.after
    lost = before - after if before is not None and after is not None else 0.0
    unsure = not found.report.passes
    kinds = _kinds(found)
    order = (found.gives_up, kinds[:1], unsure, others, net is None)
    names = [(a.kind, a.code, str(a.values)) for step in found.steps for a in step]
    return *order, len(kinds), kinds, net or 0, lost, names
