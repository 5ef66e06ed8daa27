"""Facts declared as data in `rules/definitions`: claims and sums over other facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

from buildcheck.facts.registry import EDGES, FACTS, RELATIONS, Ask, Fact
from buildcheck.logic.interval import Reading, either, reading
from buildcheck.logic.parse import Compare, Number, pack, unpack
from buildcheck.logic.quantity import UNKNOWN, ZERO, Interval, exact, least, read_any
from buildcheck.logic.quantity import total as add_up
from buildcheck.model.graph import Subject

#: Where a name is read: at another subject, for a subject, with what answers for facts.
_At = tuple[Subject, Subject, Ask]


class Definition(NamedTuple):
    """A declared fact as plain data.

    `form` is what is made of the value of `trees`: itself (`is`), the first that is known
    (`first`), or its sum, count, largest or smallest value, whether there is any (`has`), any or
    all over the subjects that `edge` leads to or comes from, or of the kind that `edge` names;
    `way` says which. `where` may hold a claim that leaves some of them out, and `share` what part
    of all of them the subject has where there are several.
    """

    name: str
    shape: Any
    form: str
    trees: list[list[Any]]
    way: str
    edge: str
    where: list[list[Any]]
    share: list[list[Any]]
    terms: dict[str, str]
    #: The facts it is made from, by name, and those of them that are quantities.
    reads: tuple[str, ...]
    numbers: tuple[str, ...]


def declare(definitions: Iterable[Definition]) -> None:
    """Take declared facts in among all others, in place of earlier ones of their names."""
    FACTS.update((d.name, Fact(d.name, d.shape, partial(_first, d), d.reads)) for d in definitions)


def _first(one: Definition, subject: Subject, ask: Ask) -> Any:
    """A declared fact when it is first asked for: what works it out is made and kept."""
    FACTS[one.name] = made = FACTS[one.name]._replace(compute=_compute(one))
    return made.compute(subject, ask)


def _compute(one: Definition) -> Callable[[Subject, Ask], Any]:
    named = partial(_named, one, {name: read_any(text)[0] for name, text in one.terms.items()})
    values = [reading(unpack(tree), named) for tree in one.trees]
    if one.form in ("is", "first"):
        return partial(_own, values)
    # A count has no value of each, and without a claim all of them count.
    value, where = (reading(unpack(next(iter(t), _YES)), named) for t in (one.trees, one.where))
    combine = _COMBINED[one.form]
    share = reading(unpack(one.share[0]), named) if one.share else None

    def combined(subject: Subject, ask: Ask) -> Any:
        others = [(other, subject, ask) for other in _others(one, subject, ask)]
        part = share((subject, subject, ask)) if share and others[1:] else None
        found = [(counts, value(at)) for at in others if (counts := where(at)) is not False]
        return combine(found) if part is None else part * combine(found)

    return combined


def _own(values: list[Reading], subject: Subject, ask: Ask) -> Any:
    at = (subject, subject, ask)
    return next((found for value in values if (found := value(at)) is not None), None)


def _others(one: Definition, subject: Subject, ask: Ask) -> list[Subject]:
    if one.way == "of":
        return ask.graph.of(one.edge)
    if one.way == "from":
        return [ask.graph.subjects[e.start] for e in ask.graph.into(one.edge, subject)]
    if one.edge in RELATIONS:
        return RELATIONS[one.edge](subject, ask)
    return ask.graph.ends(one.edge, subject)


def _named(one: Definition, terms: dict[str, Any], name: str) -> Callable[[_At], Any]:
    """What a name is worth: a term, what an edge says, a fact of another, of this, of the one."""
    if name in terms:
        return lambda _: terms[name]
    kind, _, rest = name.partition(".")
    # What is made of something that is not known is not known, not any number.
    not_known = UNKNOWN if name in one.numbers and one.form not in _OF_KNOWN else None
    is_datum = kind in EDGES

    def worth(at: _At) -> Any:
        other, subject, ask = at
        of = other if kind == other.kind else subject if kind == subject.kind else None
        value = _datum(kind, rest, other, ask) if is_datum else ask(name, of)
        return not_known if value is None else value

    return worth


def _datum(kind: str, name: str, subject: Subject, ask: Ask) -> Any:
    """What the one edge of a subject says; None if it has none."""
    edges = ask.graph.out(kind, subject) or ask.graph.into(kind, subject)
    # What it was made from is named where it is missing.
    if field := EDGES[kind].field:
        ask(field)
    for end in (subject, *(ask.graph.subjects[edge.start] for edge in edges[:1])):
        if (of_end := f"{end.kind}.plugs") in EDGES[kind].of_ends.get(name, ()):
            ask(of_end, end)
    if not edges:
        return None
    value: Any = edges[0].start if name == "start" else edges[0].data.get(name)
    return exact(float(value)) if type(value) in (int, float) else value


#: A claim that holds: 0 is at most 1.
_YES = pack(Compare("<=", Number(0), Number(1)))
#: Forms in which a quantity that is not known is not any number.
_OF_KNOWN = ("first", "least", "total", "same", "kinds", "span")
#: Of each other subject, whether it counts (None: not known), and its value.
Found = list[tuple[bool | None, Any]]


def _sum(found: Found) -> Interval:
    return add_up([v if counts else Interval(min(0.0, v.low), v.high) for counts, v in found])


def _largest(found: Found) -> Interval:
    lows = [v.low for counts, v in found if counts] or [0.0]
    return Interval(max(lows), max(v.high for _, v in found)) if found else ZERO


def _span(found: Found) -> Interval | None:
    if not found or any(value is None for _, value in found):
        return None
    return Interval(min(v.low for _, v in found), max(v.high for _, v in found))


def _same(found: Found) -> Any:
    values = {value for _, value in found}
    return values.pop() if len(values) == 1 else None


def _kinds(found: Found) -> Interval:
    values = [value for _, value in found]
    known = len({*values} - {None})
    return Interval(max(1.0, known), max(1.0, known + values.count(None)))


def _all(found: Found) -> bool | None:
    held = [v if counts or v else None for counts, v in found]
    return False if False in held else None if None in held else True


_COMBINED: dict[str, Callable[[Found], Any]] = {
    "sum": _sum,
    "largest": _largest,
    "total": lambda found: None if any(v is None for _, v in found) else _sum(found),
    "least": lambda found: least([value for _, value in found]),
    "span": _span,
    "same": _same,
    "kinds": _kinds,
    "has": lambda found: either([counts for counts, _ in found]),
    "count": lambda found: Interval(float(sum(bool(c) for c, _ in found)), float(len(found))),
    "any": lambda found: either([v if c or v is False else None for c, v in found]),
    "all": _all,
}
