"""Which of the parts that a name could mean pass a check, and what tells them from the others."""

from dataclasses import replace
from typing import Any

from buildcheck.logic.quantity import Interval
from buildcheck.measure.shapes import field_shapes
from buildcheck.model.answer import figure
from buildcheck.model.finding import Finding, Report
from buildcheck.report.answer import ChoiceAnswer


def choice_answer(findings: list[Finding], report: Report) -> ChoiceAnswer | None:
    """The parts with which all findings about a name pass; if there is none, any of them fails."""
    tried = [f.tried for f in findings if f.tried]
    tried, catalog = [t for t in tried if t.subject == tried[0].subject], report.catalog
    if not tried or catalog is None:
        return None
    among = list(dict.fromkeys(part for t in tried for part in t.parts))
    passing = [part for part in among if all(part in t.passing for t in tried)]
    chosen = passing or [part for part in among if any(part in t.failing for t in tried)]
    subject = report.graph.subjects[tried[0].subject]
    answer = ChoiceAnswer(
        subject=subject.id,
        name=subject.name,
        passes=bool(passing),
        parts=len(chosen),
        among=len(among),
        such_as=catalog.index.name(chosen[0]) if chosen else "",
    )
    for name in dict.fromkeys(field for t in tried for field in t.fields):
        facts = {part: catalog.part(part).facts.get(name) for part in among}
        # What all that go by the name have is not known of one of them.
        values = {i: f.value for i, f in facts.items() if f and f.origin != subject.part}
        inside = [value for part, value in values.items() if part in chosen]
        apart = _apart(inside, [v for part, v in values.items() if part not in chosen])
        if apart is not None:
            shape: Any = field_shapes(subject.kind).get(name)
            least, most, codes = apart
            ends = (e if e is None else figure(Interval(e, e), shape) for e in (least, most))
            return replace(answer, field=name, least=next(ends), most=next(ends), codes=codes)
    return answer


def _apart(
    inside: list[Any], outside: list[Any]
) -> tuple[float | None, float | None, tuple[str, ...]] | None:
    """The least, the most or the words that only the first of two lists have; else None."""
    both = [*inside, *outside]
    if not inside or not outside or None in both:
        return None
    if all(isinstance(v, Interval) for v in both):
        most, least = max(v.high for v in inside), min(v.low for v in inside)
        if most < min(v.low for v in outside):
            return None, most, ()
        return (least, None, ()) if least > max(v.high for v in outside) else None
    if all(isinstance(v, str) for v in both) and {*inside}.isdisjoint(outside):
        return None, None, tuple(sorted({*inside}))
    return None
