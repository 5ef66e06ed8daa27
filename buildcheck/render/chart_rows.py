"""What is said of the chart for choosing cards, as sentences and tables that all forms share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.facts.outline import numbers_of, outline
from buildcheck.render.advise_rows import ADVISE, some
from buildcheck.render.drawings.pen import Table
from buildcheck.render.words import filled

if TYPE_CHECKING:
    from buildcheck.advise import Advice, Path
    from buildcheck.facts.choice import Step
    from buildcheck.model.advice import End


def chart_table(path: Path) -> Table:
    """Every question with the numbers that its answers lead to, and every end; the way marked."""
    lines = [line for line in outline(path.chart) if not line.link]
    numbers = numbers_of(tuple(lines))
    taken = {step.question: step.yes for step in path.steps}
    head = tuple(ADVISE.table("chart_columns").values())
    rows = []
    for line in lines:
        one = path.chart.questions.get(line.name)
        mark = "*" if line.name in taken or line.name == path.at else ""
        if one is None:
            rows.append(
                (f"{line.number}{mark}", end_line(path.chart.ends[line.name], path), "", "")
            )
            continue
        answers = {True: str(numbers[one.then]), False: str(numbers[one.otherwise])}
        if line.name in taken:
            answers[taken[line.name]] += "*"
        rows.append((f"{line.number}{mark}", one.ask, answers[True], answers[False]))
    return Table(ADVISE("chart"), head, tuple(rows))


def way_table(path: Path) -> Table:
    """The questions on the way with their answers, and who gave them."""
    head = tuple(ADVISE.table("way_columns").values())
    rows = [(path.chart.questions[s.question].ask, yes(s), because(s)) for s in path.steps]
    return Table(ADVISE("way", end=end_line(path.end, path)), head, tuple(rows))


def yes(step: Step) -> str:
    """An answer as a word."""
    return ADVISE("said_yes" if step.yes else "said_no")


def because(step: Step) -> str:
    """Who gave an answer, or from what it follows."""
    return filled(ADVISE.table("by")[step.by], {"because": step.because})


def assumed_line(path: Path) -> str:
    """How to give the answers that are assumed; empty where none is."""
    words = {True: ADVISE("said_yes"), False: ADVISE("said_no")}
    options = [f"--answer {s.question}={words[s.yes]}" for s in path.assumed]
    return ADVISE("answers", options=", ".join(options)) if options else ""


def end_line(end: End, path: Path) -> str:
    """What to do at an end, and the cards named there."""
    year = path.chart.sources[path.chart.source].year
    cards = ", ".join(end.cards)
    if end.at and end.cards:
        return ADVISE("end_at", advice=end.advice, year=year, cards=cards, at=end.at)
    if end.at:
        return ADVISE("end_from", advice=end.advice, year=year, at=end.at)
    if end.cards:
        return ADVISE("end_then", advice=end.advice, year=year, cards=cards)
    return ADVISE("end_only", advice=end.advice)


def today_line(advice: Advice) -> str:
    """The cards of today that the end of the chart means; empty where it means none."""
    if advice.path.end.kind != "card":
        return ""
    if not advice.today:
        return ADVISE("end_no_card")
    return ADVISE("end_today", cards=some(one.card.name for one in advice.today))
