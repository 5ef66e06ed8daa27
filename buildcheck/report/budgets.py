"""What there is only so much of, and how much of it a build uses."""

from buildcheck.logic.quantity import Interval
from buildcheck.measure.shapes import shape_of
from buildcheck.model.answer import Figure, figure
from buildcheck.model.finding import FAILING, Report
from buildcheck.model.graph import Subject
from buildcheck.model.rule import SEVERITIES
from buildcheck.model.vocabulary import shipped
from buildcheck.report.answer import BudgetAnswer
from buildcheck.report.values import figure_of
from buildcheck.units import NUMBER

#: A share whose ends are further apart than this says nothing.
_OPEN = 3


def budget_answers(report: Report) -> tuple[BudgetAnswer, ...]:
    """Every budget whose two sides are known at least as ranges; equal parts once."""
    found: dict[tuple[str, str], BudgetAnswer] = {}
    for budget, (kind, used_name, available_name) in shipped("rules", "budgets").items():
        for subject in report.graph.of(kind):
            sides = (used_name, available_name)
            used, available = (report.facts(n, report.facts.holder(n, subject)) for n in sides)
            if not (used and available and used.is_known and available.is_known and used.high):
                continue
            key = (budget, subject.name if kind == "gpu" else subject.id)
            if key not in found:
                # The worst that rules find of it by comparing these facts.
                of = (
                    f for f in report.findings if f.verdict in FAILING and f.subject == subject.id
                )
                bad = {f.severity for f in of if {*sides} <= {*f.rule.compared}}
                worst = next((severity for severity in SEVERITIES if severity in bad), None)
                found[key] = _answer(budget, subject, (used, available), shape_of(used_name), worst)
    return tuple(found.values())


def needs(report: Report, section: str) -> dict[str, Figure]:
    """What the other parts take of one that is not listed yet, by the field that limits it."""
    found: dict[str, Figure] = {}
    for kind, used, available in shipped("rules", "budgets").values():
        part, _, name = available.partition(".")
        subjects = report.graph.of(kind) if part == section != kind else ()
        taken = [f for f in (figure_of(report.facts, used, s) for s in subjects) if f and f.high]
        if taken:
            found[name] = max(taken, key=lambda f: f.high or 0)
    return found


def _answer(
    name: str, subject: Subject, sides: tuple[Interval, Interval], shape: object, worst: str | None
) -> BudgetAnswer:
    used, available = sides
    fits = used.is_at_most(available)
    dimension = shape if isinstance(shape, tuple) else NUMBER
    share = used / available if available.low > 0 else None
    if share and share.high > _OPEN * share.low:
        share = None
    used_figure, available_figure = (figure(v, dimension) for v in sides)
    return BudgetAnswer(
        name,
        subject.id,
        subject.name,
        used_figure or Figure(None, None),
        available_figure or Figure(None, None),
        Figure(round(100 * share.low), round(100 * share.high), "%") if share else None,
        "edge" if fits is None else "within" if fits else "over",
        worst,
    )
