"""Where every value of a build comes from, and what its sources ask to be said."""

from collections.abc import Iterable
from typing import Any

from buildcheck.measure.shapes import field_shapes
from buildcheck.model.answer import made_of
from buildcheck.model.finding import Report
from buildcheck.model.graph import Subject, by_key
from buildcheck.model.labels import fact_words
from buildcheck.model.money import Money, Tariff
from buildcheck.model.part import Sourced
from buildcheck.model.vocabulary import shipped
from buildcheck.report.answer import PartValuesAnswer, SourceAnswer, SourcedAnswer
from buildcheck.rulebook.wording import show_value

#: Kinds whose values are shown, in the order people list them; the rest are standards.
_SHOWN = (
    *("gpu", "cpu", "motherboard", "cooler", "module", "psu", "case", "storage", "riser"),
    *("addin", "cable", "bridge", "ups", "cooling", "firmware", "circuit", "workload", "network"),
    "cost",
)


def part_values(report: Report) -> tuple[PartValuesAnswer, ...]:
    """Every value of every part with its source; equal parts together."""
    shown = ((kind, subject) for kind in _SHOWN for subject in report.graph.of(kind))
    found = by_key(((kind, one.path, one.name), one) for kind, one in shown)
    return tuple(_part(group) for group in found.values() if group[0].listed or group[0].facts)


def _part(group: list[Subject]) -> PartValuesAnswer:
    first = group[0]
    shapes = field_shapes(first.kind)
    missing = (n for n, shape in shapes.items() if n not in first.facts and shape != "data")
    return PartValuesAnswer(
        first.name,
        tuple(s.id for s in group),
        tuple(
            made_of(
                SourcedAnswer,
                sourced,
                name=fact_words(name),
                value=_shown(sourced.value, shapes.get(name)),
                source=SourceAnswer(sourced.source.title, sourced.source.url),
            )
            for name, sourced in sorted(first.facts.items())
        ),
        tuple(map(fact_words, missing)),
        first.listed,
    )


def _shown(value: Any, shape: Any) -> str:
    if isinstance(value, (Money, Tariff)):
        return str(value)
    if isinstance(value, dict):
        return ", ".join(f"{show_value(n, None)}× {c}" for c, n in value.items()) or "none"
    return f"{len(value)} entries" if isinstance(value, tuple) else show_value(value, shape)


def own_values(report: Report) -> dict[str, tuple[str, ...]]:
    """A lab's own part files → the values of this build that come from them."""
    subjects = report.graph.subjects.values()
    known = ((f.origin, f"{s.id}.{name}") for s in subjects for name, f in s.facts.items())
    own = (
        (path, n) for path, n in known if path.endswith(".yaml") and path != report.document.path
    )
    return {path: tuple(names) for path, names in by_key(own).items()}


def notices(facts: Iterable[Sourced]) -> tuple[str, ...]:
    """The notices that the sources of values ask for."""
    titles = {fact.source.title for fact in facts}
    by_title = shipped("templates", "notices").items()
    return tuple(notice for begin, notice in by_title if any(t.startswith(begin) for t in titles))
